// Chances as bars: the one beside the board, and wins, draws and losses.

import { byId, make } from './dom.mjs';
import { winPercent } from './judgement.mjs';
import { scoreText } from './values.mjs';

/** The bar beside the board: White's chances, and the score. */
export class Gauge {
  #bar = byId('bar');
  #fill = byId('fill');
  #label = byId('bar-score');

  set isShown(isShown) {
    this.#bar.hidden = !isShown;
  }

  set isFlipped(isFlipped) {
    this.#bar.classList.toggle('flipped', isFlipped);
  }

  /** Shows a value, or that none is known. */
  show(value) {
    const percent = value ? winPercent(value) : 50;
    const text = value ? scoreText(value) : '';
    this.#fill.style.height = `${percent}%`;
    this.#label.textContent = value?.cp === undefined ? text : (Math.abs(value.cp) / 100).toFixed(1);
    this.#bar.classList.toggle('black-leads', percent < 50);
    this.#bar.setAttribute('aria-valuenow', percent.toFixed(0));
    this.#bar.setAttribute('aria-valuetext', value ? `${percent.toFixed(0)} percent for White, ${text}` : 'unknown');
  }
}

/** Wins, draws and losses out of a thousand as a bar of three parts. */
export function wdlBar([win, draw, loss]) {
  const part = (name, share) => {
    const percent = Math.round(share / 10);
    const element = make('span', { class: name }, percent >= 9 ? `${percent}%` : '');
    element.style.flexGrow = share;
    return element;
  };
  const text = `White wins ${win / 10} %, draw ${draw / 10} %, Black wins ${loss / 10} %`;
  const bar = make('div', { class: 'wdl', title: text }, part('win', win), part('draw', draw), part('loss', loss));
  bar.setAttribute('role', 'img');
  bar.setAttribute('aria-label', text);
  return bar;
}

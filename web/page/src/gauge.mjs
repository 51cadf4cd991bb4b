// The evaluation bar beside the board.

import { scoreText } from '../../../src/analyse/page/viewer.mjs';
import { byId } from './dom.mjs';
import { winPercent } from './rules.mjs';

export class Gauge {
  #bar = byId('bar');

  set isShown(isShown) {
    this.#bar.hidden = !isShown;
  }

  set isFlipped(isFlipped) {
    this.#bar.classList.toggle('flipped', isFlipped);
  }

  /** Shows a value; undefined means unknown. */
  show(value) {
    const percent = value ? winPercent(value) : 50;
    const text = value ? scoreText(value) : '';
    byId('fill').style.height = `${percent}%`;
    byId('bar-score').textContent = value?.cp === undefined ? text.replace('\u2212', '') : shortened(Math.abs(value.cp) / 100);
    this.#bar.classList.toggle('black-leads', percent < 50);
    this.#bar.setAttribute('aria-valuenow', percent.toFixed(0));
    this.#bar.setAttribute('aria-valuetext', value ? `${percent.toFixed(0)} percent for White, ${text}` : 'unknown');
    this.#bar.title = value ? `White's winning chances: ${percent.toFixed(0)} %, ${text}` : '';
  }
}

/** Formats pawns for the width of the bar. */
const shortened = (pawns) => pawns.toFixed(pawns < 9.95 ? 1 : 0);

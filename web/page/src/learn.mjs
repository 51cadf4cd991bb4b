// The tab Learn: the contents and the chapters of the course, which the build puts into templates, with live pictures in
// their places.

import { byId } from './dom.mjs';
import { PICTURES } from './learn-pictures.mjs';

/** The chapter that is shown first. */
const CONTENTS = 'README';

export class Learn {
  name = 'learn';
  #app;
  #chapter;
  #pictures = [];

  constructor(app) {
    this.#app = app;
  }

  enter(chapter = CONTENTS) {
    this.#app.gauge.isShown = false;
    this.#app.showPlayers();
    const template = byId(`chapter-${chapter}`) ?? byId(`chapter-${CONTENTS}`);
    if (template.id === this.#chapter) {
      return;
    }
    const isFirst = this.#chapter === undefined;
    this.leave();
    this.#chapter = template.id;
    const article = byId('chapter');
    article.replaceChildren(template.content.cloneNode(true));
    byId('chapters').open = false;
    const shown = template.id.slice('chapter-'.length);
    for (const link of byId('chapters').querySelectorAll('a')) {
      link.ariaCurrent = [`#learn/${shown}`, shown === CONTENTS && '#learn'].includes(link.hash) ? 'page' : null;
    }
    this.#pictures = [...article.querySelectorAll('[data-live]')].map((figure) => fill(figure, article));
    scrollTo(0, 0);
    if (!isFirst) {
      article.focus({ preventScroll: true });
    }
  }

  leave() {
    this.#pictures.forEach((picture) => picture?.pause());
  }

  /** The board that F flips is hidden. */
  key(name) {
    return name === 'f';
  }
}

/** Fills a figure with its live picture, and joins it with the chapter's code. */
function fill(figure, article) {
  const { fill: draw, lines } = PICTURES[figure.dataset.live];
  const code = [...article.querySelectorAll('.line')];
  let lit = [];
  const paint = (keys) =>
    code.forEach((line) => line.classList.toggle('lit', keys.some((key) => lines[key]?.test(line.textContent))));
  const light = (...keys) => {
    lit = keys;
    paint(lit);
  };
  const over = ({ target }) => {
    const key = target.closest('[data-mark]')?.dataset.mark;
    paint(key ? [key] : lit);
  };
  figure.onpointerover = over;
  figure.addEventListener('focusin', over);
  figure.onpointerleave = () => paint(lit);
  figure.addEventListener('focusout', () => paint(lit));
  article.onpointerover = ({ target }) => {
    const line = target.closest('.line')?.textContent;
    const keys = Object.keys(lines).filter((key) => line !== undefined && lines[key].test(line));
    figure.querySelectorAll('[data-mark]').forEach((part) => part.classList.toggle('lit', keys.includes(part.dataset.mark)));
  };
  return draw(figure, light);
}

// Elements made and found, in fewer words.

import { make } from '../../../analyse/src/page/viewer.mjs';

export { make };

/** The element of this id. */
export const byId = (id) => document.getElementById(id);

/** A picture of a piece (`wn`), from the page's own drawings. */
export function pieceIcon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 40 40');
  svg.setAttribute('aria-hidden', 'true');
  svg.innerHTML = `<use href="#${name}"/>`;
  return svg;
}

/** The text remembered under a name, or `otherwise` if there is none, or no storage. */
export function recall(name, otherwise) {
  try {
    return localStorage.getItem(`carrybit.${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Remembers a text where that is allowed. */
export function remember(name, text) {
  try {
    localStorage.setItem(`carrybit.${name}`, text);
  } catch {
    // Private windows may have no storage; the page works without.
  }
}

/** Has the browser save a text as a file. */
export function save(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = make('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

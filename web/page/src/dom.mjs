// Helpers for elements and storage.

import { make } from '../../../src/analyse/page/viewer.mjs';

export { make };

export const byId = (id) => document.getElementById(id);

/** Scrolls the page and its panel to the top, where the board and the results are. */
export const scrollUp = () => document.querySelectorAll('html, .panel').forEach((part) => part.scrollTo(0, 0));

/** Calls `act` when a form is submitted. */
export function onSubmit(form, act) {
  form.onsubmit = (event) => {
    event.preventDefault();
    act();
  };
}

/** Shows an answer below a form; an error unless `isGood`. */
export function answer(id, text, isGood = false) {
  byId(id).textContent = text;
  byId(id).classList.toggle('good', isGood);
}

/** Asks a question with two buttons; resolves with whether the user has chosen `yes`. */
export function confirmed(question, yes, no) {
  const dialog = byId('question');
  const [accept, decline] = dialog.querySelectorAll('button');
  dialog.querySelector('p').textContent = question;
  accept.textContent = yes;
  decline.textContent = no;
  dialog.returnValue = '';
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === 'yes');
    dialog.showModal();
  });
}

/** The drawing of a piece, such as `wn`. */
export function pieceIcon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 40 40');
  svg.setAttribute('aria-hidden', 'true');
  svg.innerHTML = `<use href="#${name}"/>`;
  return svg;
}

/** The text stored under this name in `localStorage` or `sessionStorage`; `otherwise` if there is none. */
export function recall(name, otherwise, storage = 'localStorage') {
  try {
    return globalThis[storage].getItem(`carrybit.${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Sets a field to its stored value, unless it no longer has this choice. */
export function restore(name, field) {
  const usual = field.value;
  field.value = recall(name, usual);
  field.value ||= usual;
}

/** Stores a text, if the browser allows it. */
export function remember(name, text, storage = 'localStorage') {
  try {
    globalThis[storage].setItem(`carrybit.${name}`, text);
  } catch {
    // Private windows may have no storage; the page works without it.
  }
}

/** Copies a text, and shows below its button `done`, or that this was not possible. */
export async function copy(text, id, done = 'Copied.') {
  try {
    await navigator.clipboard.writeText(text);
    answer(id, done, true);
  } catch {
    // Without this right, browsers copy a selection.
    const field = make('textarea', { value: text });
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    answer(id, isCopied ? done : 'The browser does not allow the page to copy.', isCopied);
  }
}

/** Passes files that are dropped on the page to `take` while `isOurs()`, and marks `field` meanwhile. */
export function takeDrops(field, isOurs, take) {
  const handle = (event) => {
    const isFile = event.dataTransfer.types.includes('Files');
    field.classList.toggle('drop', isFile && isOurs() && event.type === 'dragover');
    // Elsewhere, too: the browser would leave the page for the file.
    if (isFile && event.type !== 'dragleave') {
      event.preventDefault();
    }
    if (isFile && isOurs() && event.type === 'drop') {
      take(event.dataTransfer.files[0]);
    }
  };
  ['dragover', 'dragleave', 'drop'].forEach((type) => document.body.addEventListener(type, handle));
}

export const PGN_TYPE = 'application/x-chess-pgn';

/** Saves a text as a file. */
export function save(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = make('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// The rules of ../../rules.mjs for the page: compiles their module, which esbuild embeds, without waiting. Moves are
// in the UCI notation of Chess960: castling is king takes rook.

import bytes from '#rules.wasm';
import { ask, Position as AnyPosition, start, START } from '../../rules.mjs';

export { GameFile, MAX_BYTES, outcomes, START, start960, writeComments, writeText } from '../../rules.mjs';

try {
  start(new WebAssembly.Module(bytes));
} catch (error) {
  // Nothing of the page works but this message.
  const remark = globalThis.document?.getElementById('remark');
  if (remark) {
    remark.textContent = 'This page needs a browser with WebAssembly SIMD.';
    remark.hidden = false;
  }
  throw error;
}

export class Position extends AnyPosition {
  constructor(fen = START) {
    super(fen, { chess960: true });
  }
}

/** The FEN after moves in UCI notation. */
export const positionAfter = (fen, moves) => ask('after', fen, moves.join(' '));

/** White's winning percentage. */
export const winPercent = (value) => Number(ask('percent', JSON.stringify(value)));

/** The answer of a function of learn.rs. */
export const lesson = (name, ...texts) => JSON.parse(ask(name, ...texts));

// Games as PGN: read with all that stands in them, and written in the customary form, as the
// program that analyses games does (pgn/).
//
// A game is `{ tags: [[name, value]], before, moves, result }`, a line of moves `{ before,
// moves }`, a move `{ text, nags, after }`, and a remark `{ comment }`, `{ escape }` or
// `{ variation }`, which is a line; one with `verbatim` cannot be read and is written as that text.

import { Lexer, standardResult } from './lexer.mjs';
import { atOnce } from './slices.mjs';

/** The longest line written, in characters, unless a single word is longer. */
const MAX_COLUMN = 80;

/** The deepest nesting of variations, as in the program. */
const MAX_DEPTH = 64;

/** The lines on which moves and tags stand, by the objects that they are. */
const LINES = new WeakMap();

/** The line of the text that a move or a tag was read from, from 1; undefined if it was not read. */
export const lineOf = (part) => LINES.get(part);

/** The texts of variations with their parentheses, by the objects that they are. */
const TEXTS = new WeakMap();

/** The text that a variation was read from; undefined if it was not read. */
export const textOf = (variation) => TEXTS.get(variation);

/** An error that names its line. */
export const problem = (line, reason) => new Error(line === undefined ? reason : `line ${line}: ${reason}`);

const newLine = () => ({ before: [], moves: [] });

/** The games of a text. Throws an Error that names the line of what cannot be read. */
export function readPgn(pgn) {
  const games = readGames(pgn);
  const wrong = games.find((game) => game.problem);
  if (wrong) {
    throw wrong.problem;
  }
  return games;
}

/**
 * The games of a text, among them those that cannot be read: of these there are `{ tags,
 * problem }`, where the problem is an Error that names the line.
 */
export function readGames(pgn) {
  const games = [];
  atOnce(reading(plainText(pgn), ({ game }) => void games.push(game)));
  return games;
}

/** A text without byte order marks, also within it, and with newlines only. */
export function plainText(text) {
  return /[\r\uFEFF]/.test(text) ? text.replace(/\uFEFF/g, '').replace(/\r\n?/g, '\n') : text;
}

/**
 * A generator that reads games from a place of a plain text on, which is on that line.
 * `onGame` takes each, `{ game, at, line }`, with the place to read it from again; the reading
 * ends if it returns true.
 */
export function* reading(text, onGame, at = 0, line = 1) {
  const lexer = new Lexer(text, at, line);
  let draft;
  const finish = () => {
    const game = draft && finished(draft);
    return game && !isNothing(game) && onGame({ game, at: draft.at, line: draft.line });
  };
  for (;;) {
    const start = { at: lexer.at, line: lexer.line };
    const token = lexer.next();
    if (!token || (draft && beginsAnew(token, draft))) {
      if (finish() || !token) {
        return;
      }
      draft = undefined;
    }
    draft ??= { ...start, source: text, tags: [], lines: [newLine()], opened: [], result: undefined, hasEvent: false, hasMoves: false, isEnded: false, problem: undefined, lastLine: 0 };
    take(token, draft, lexer.isAtLineEnd);
    draft.lastLine = lexer.line;
    yield;
  }
}

/** Whether a token belongs to the next game. */
function beginsAnew({ kind, text, line }, { hasEvent, hasMoves, isEnded, lastLine }) {
  if (kind === 'tag') {
    return hasMoves || isEnded || (text === 'Event' && hasEvent);
  }
  // Remarks on the result stand on its line.
  const isRemark = ['comment', 'unknown', 'nag'].includes(kind);
  return isEnded && !(isRemark && line === lastLine);
}

/** A game of which everything has been read. */
function finished({ tags, lines, opened, result, problem: found }) {
  const wrong = found ?? (lines.length > 1 ? problem(opened.at(-1).line, 'a variation is not closed') : undefined);
  return wrong ? { tags, problem: wrong } : { tags, ...lines[0], result };
}

/** Whether there is no more to a game than remarks, which are for no game. */
function isNothing({ tags, moves, result, problem: found }) {
  return !found && tags.length === 0 && moves.length === 0 && result === undefined;
}

/** Adds a token to the game being read. Behind an error only the end of the game matters. */
function take(token, draft, isAtLineEnd) {
  const { kind, text, line } = token;
  if (kind === 'tag') {
    const tag = [text, token.value];
    LINES.set(tag, line);
    draft.tags.push(tag);
    draft.hasEvent ||= text === 'Event';
    return;
  }
  draft.hasMoves ||= !['comment', 'unknown', 'escape', 'bad'].includes(kind);
  if (draft.problem) {
    draft.isEnded = kind === 'result' && isAtLineEnd;
    return;
  }
  const reason = takeMove(token, draft);
  if (reason) {
    draft.problem = problem(line, reason);
  }
}

/** Adds a token that stands among the moves. Returns the reason if it cannot stand there. */
function takeMove({ kind, text, line, nag, reason, end }, draft) {
  const { lines, opened } = draft;
  const innermost = lines.at(-1);
  const last = innermost.moves.at(-1);
  const remark = (found) => {
    const { moves, before } = lines.at(-1);
    (moves.at(-1)?.after ?? before).push(found);
  };
  switch (kind) {
    case 'comment':
    case 'unknown':
      remark({ comment: text });
      return undefined;
    case 'escape':
      remark({ escape: text });
      return undefined;
    case 'nag':
      last?.nags.push(nag);
      return undefined;
    case 'open':
      if (!last) {
        return 'a variation of no move';
      }
      if (lines.length > MAX_DEPTH) {
        return `variations are nested more than ${MAX_DEPTH} deep`;
      }
      lines.push(newLine());
      opened.push({ line, start: end - 1 });
      return undefined;
    case 'close': {
      if (lines.length === 1) {
        return 'unexpected ")"';
      }
      const { start } = opened.pop();
      const variation = lines.pop();
      TEXTS.set(variation, draft.source.slice(start, end));
      // `(=)` offers a draw; nothing is left of it.
      if (variation.moves.length + variation.before.length > 0) {
        remark({ variation });
      }
      return undefined;
    }
    case 'result':
      if (lines.length > 1) {
        remark({ comment: text });
      } else {
        draft.result = text;
        draft.isEnded = true;
      }
      return undefined;
    case 'symbol': {
      const ply = { text, nags: [], after: [] };
      LINES.set(ply, line);
      innermost.moves.push(ply);
      return undefined;
    }
    default:
      return reason;
  }
}

/** The value of a tag. */
export function tag(game, name) {
  return game.tags.find(([key]) => key === name)?.[1];
}

/** Sets a tag, in its place if it is there. */
export function setTag(game, name, value) {
  const entry = game.tags.find(([key]) => key === name);
  if (entry) {
    entry[1] = value;
  } else {
    game.tags.push([name, value]);
  }
}

/** A game as PGN, with a newline behind it. `number` and `turn` are those of its first move. */
export function writePgn(game, number = 1, turn = 'w') {
  return atOnce(writing(game, number, turn));
}

/** A generator that writes a game as `writePgn` does. */
export function* writing(game, number, turn) {
  const quoted = (value) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  const head = game.tags.map(([name, value]) => `[${name} "${quoted(value)}"]\n`).join('');
  const writer = new Writer(head === '' ? '' : `${head}\n`, 2 * number + (turn === 'b' ? 1 : 0));
  yield* writer.line(game, 0);
  writer.word(game.result ?? standardResult(tag(game, 'Result')) ?? '*');
  return `${writer.text}\n`;
}

/** The characters of a text, those outside the basic plane counted once, up to those that fill a line. */
function length(text) {
  let count = 0;
  // A copy of a long comment as a list would take many times its size.
  for (const _ of text) {
    count += 1;
    if (count > MAX_COLUMN) {
      break;
    }
  }
  return count;
}

/** Words put into lines. */
class Writer {
  #column = 0;
  #firstPly;
  /** Whether the text ends with "(". To look there would copy the text each time. */
  #isInside = false;

  constructor(text, firstPly) {
    this.text = text;
    this.#firstPly = firstPly;
  }

  /** Writes a word that is not to be broken. */
  word(word) {
    const width = length(word);
    if (this.#column > 0 && this.#column + 1 + width > MAX_COLUMN && !this.#isInside) {
      this.#newline();
    } else if (this.#column > 0 && !this.#isInside && word !== ')') {
      this.text += ' ';
      this.#column += 1;
    }
    this.text += word;
    this.#column += width;
    this.#isInside = word === '(';
  }

  /** Writes a text that is not to be broken, though it may have several lines. */
  #lines(text) {
    this.word(text);
    if (text.includes('\n')) {
      this.#column = length(text.slice(text.lastIndexOf('\n') + 1));
    }
  }

  /** A generator that writes a line of moves, the first of them `plies` into the game. */
  *line({ before, moves }, plies) {
    yield* this.#remarks(before, plies);
    let needsNumber = true;
    for (const [at, { text, nags, after }] of moves.entries()) {
      const ply = this.#firstPly + plies + at;
      const number = Math.floor(ply / 2);
      if (ply % 2 === 0) {
        this.word(`${number}.`);
      } else if (needsNumber) {
        this.word(`${number}...`);
      }
      this.word(text);
      nags.forEach((nag) => this.word(`$${nag}`));
      yield* this.#remarks(after, plies + at);
      needsNumber = after.length > 0;
      yield;
    }
  }

  *#remarks(remarks, plies) {
    for (const remark of remarks) {
      yield* this.#remark(remark, plies);
      yield;
    }
  }

  #newline() {
    this.text += '\n';
    this.#column = 0;
    this.#isInside = false;
  }

  /** Writes something that takes a whole line, behind a mark that makes it so. */
  #wholeLine(text) {
    if (this.#column > 0) {
      this.#newline();
    }
    this.text += text;
    this.#newline();
  }

  *#remark({ comment, escape, variation }, plies) {
    if (variation?.verbatim !== undefined) {
      this.#lines(variation.verbatim);
    } else if (variation) {
      this.word('(');
      yield* this.line(variation, plies);
      this.word(')');
    } else if (escape !== undefined) {
      this.#wholeLine(`%${escape}`);
    } else if (comment.includes('}')) {
      comment.split('\n').forEach((line) => this.#wholeLine(`; ${line}`));
    } else if (comment === '') {
      this.word('{}');
    } else {
      this.#lines(`{ ${comment} }`);
    }
  }
}

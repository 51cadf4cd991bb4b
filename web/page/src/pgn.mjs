// Games as PGN: read with all that stands in them, and written in the customary form, as the
// program that analyses games does (pgn/).
//
// A game is `{ tags: [[name, value]], before, moves, result }`, a line of moves `{ before,
// moves }`, a move `{ text, nags, after }`, and a remark `{ comment }`, `{ escape }` or
// `{ variation }`, which is a line.

/** The longest line written, in characters, unless a single word is longer. */
const MAX_COLUMN = 80;

/** Glyphs that have a number, the longest first. */
const GLYPHS = [
  ['+/-', 16], ['-/+', 17], ['+/=', 14], ['=/+', 15], ['+-', 18], ['-+', 19], ['+=', 14], ['=+', 15],
  ['!!', 3], ['??', 4], ['!?', 5], ['?!', 6], ['!', 1], ['?', 2], ['=', 10],
  ['±', 16], ['∓', 17], ['⩲', 14], ['⩱', 15], ['∞', 13],
];

/** What is written for a result, and the standard's form of it. */
const RESULTS = new Map([
  ['1-0', '1-0'], ['0-1', '0-1'], ['1/2-1/2', '1/2-1/2'], ['1/2', '1/2-1/2'], ['½-½', '1/2-1/2'], ['½', '1/2-1/2'], ['*', '*'],
]);

/** What may come next in a text, tried in this order. */
const TOKENS = [
  ['blank', /\s+/y],
  ['escape', /(?<=^|\n)%([^\n]*)/y],
  ['tag', /\[\s*(\w+)\s*"((?:\\.|[^\\\n])*?)"\s*\]/y],
  ['bad', /(?<=(?:^|\n)[^\S\n]*)\[[^\n]*/y],
  ['comment', /\{([^}]*)\}/y],
  ['comment', /;([^\n]*)/y],
  ['open', /\(/y],
  ['close', /\)/y],
  ['nag', /\$(\d+)/y],
  ['number', /\d+\s*(?:\.|…)+|[1-9]\d*(?![\p{L}\p{N}_+#=:/@½-])|(?:\.|…)+/uy],
  ['enPassant', /e\.p\./y],
  ['marks', /[!?]+/y],
  ['symbol', /\*|[\p{L}\p{N}_+#=:/@½±∓⩲⩱∞-]+/uy],
];

/** What is wrong at a place of a text. */
function problem(text, at, reason) {
  return new Error(`line ${text.slice(0, at).split('\n').length}: ${reason}`);
}

/** The tokens of a text: `{ kind, text, groups, at }`; what is none is a `bad` one. */
function* tokens(text) {
  for (let at = 0; at < text.length; ) {
    let found = { kind: 'bad', text: text[at], groups: [], at };
    for (const [kind, form] of TOKENS) {
      form.lastIndex = at;
      const match = form.exec(text);
      if (match) {
        found = { kind, text: match[0], groups: match.slice(1), at };
        break;
      }
    }
    at += found.text.length;
    if (!['blank', 'number', 'enPassant'].includes(found.kind)) {
      yield found;
    }
  }
}

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
  const source = pgn.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const games = [];
  let draft;
  const finish = () => {
    const game = draft && finished(draft, source);
    if (game && !isNothing(game)) {
      games.push(game);
    }
    draft = undefined;
  };
  for (const token of tokens(source)) {
    if (draft && beginsAnew(token, draft)) {
      finish();
    }
    draft ??= { tags: [], lines: [newLine()], result: undefined, hasMoves: false, isEnded: false, problem: undefined };
    take(token, draft, source);
  }
  finish();
  return games;
}

/** Whether a token belongs to the next game. */
function beginsAnew({ kind, groups }, { tags, hasMoves, isEnded }) {
  if (kind === 'tag') {
    return hasMoves || isEnded || (groups[0] === 'Event' && tags.length > 0);
  }
  return isEnded && kind !== 'comment';
}

/** A game of which everything has been read. */
function finished({ tags, lines, result, problem: found }, source) {
  const wrong = found ?? (lines.length > 1 ? problem(source, source.length, 'a variation is not closed') : undefined);
  return wrong ? { tags, problem: wrong } : { tags, ...lines[0], result };
}

/** Whether there is no more to a game than lines that are meant for no reader. */
function isNothing({ tags, before, moves, result, problem: found }) {
  const isRest = !found && tags.length === 0 && moves.length === 0 && result === undefined;
  return isRest && before.every(({ escape }) => escape !== undefined);
}

/** Adds a token to the game being read. Behind what is wrong, only the end of the game matters. */
function take(token, draft, source) {
  const { kind, text, groups, at } = token;
  if (kind === 'tag') {
    draft.tags.push([groups[0], groups[1].replace(/\\(.)/g, '$1')]);
    return;
  }
  draft.hasMoves ||= !['comment', 'escape', 'bad'].includes(kind);
  if (draft.problem) {
    draft.isEnded = kind === 'symbol' && RESULTS.has(text) && /^[^\S\n]*(?:\n|$)/.test(source.slice(at + text.length));
    return;
  }
  try {
    takeMove(token, draft);
  } catch (error) {
    draft.problem = problem(source, at, error.message);
  }
}

/** Adds what stands among the moves. Throws an Error if it cannot stand there. */
function takeMove({ kind, text, groups }, draft) {
  const { lines } = draft;
  const innermost = lines.at(-1);
  const last = innermost.moves.at(-1);
  const remark = (found) => {
    const { moves, before } = lines.at(-1);
    (moves.at(-1)?.after ?? before).push(found);
  };
  const glyph = GLYPHS.find(([form]) => (kind === 'marks' ? text.startsWith(form) : text === form));
  if (kind === 'comment') {
    remark({ comment: groups[0].trim() });
  } else if (kind === 'escape') {
    remark({ escape: groups[0] });
  } else if (kind === 'nag' || glyph) {
    last?.nags.push(kind === 'nag' ? Number(groups[0]) : glyph[1]);
  } else if (kind === 'open') {
    if (!last) {
      throw new Error('a variation of no move');
    }
    lines.push(newLine());
  } else if (kind === 'close') {
    if (lines.length === 1) {
      throw new Error('unexpected ")"');
    }
    const variation = lines.pop();
    remark({ variation });
  } else if (kind === 'symbol' && RESULTS.has(text)) {
    if (lines.length > 1) {
      remark({ comment: RESULTS.get(text) });
    } else {
      draft.result = RESULTS.get(text);
      draft.isEnded = true;
    }
  } else if (kind === 'symbol') {
    innermost.moves.push({ text, nags: [], after: [] });
  } else {
    throw new Error(text.startsWith('[') ? `not a tag: ${text}` : `unexpected ${JSON.stringify(text)}`);
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
  const quoted = (value) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  const head = game.tags.map(([name, value]) => `[${name} "${quoted(value)}"]\n`).join('');
  const writer = new Writer(head === '' ? '' : `${head}\n`, 2 * number + (turn === 'b' ? 1 : 0));
  writer.line(game, 0);
  writer.word(game.result ?? RESULTS.get(tag(game, 'Result')) ?? '*');
  return `${writer.text}\n`;
}

/** Words put into lines. */
class Writer {
  #column = 0;
  #firstPly;

  constructor(text, firstPly) {
    this.text = text;
    this.#firstPly = firstPly;
  }

  /** Writes a word that is not to be broken. */
  word(word) {
    const { length } = [...word];
    const isInside = this.text.endsWith('(');
    if (this.#column > 0 && this.#column + 1 + length > MAX_COLUMN && !isInside) {
      this.#newline();
    } else if (this.#column > 0 && !isInside && word !== ')') {
      this.text += ' ';
      this.#column += 1;
    }
    this.text += word;
    this.#column += length;
  }

  /** Writes a line of moves that begins after so many plies of the game. */
  line({ before, moves }, plies) {
    before.forEach((remark) => this.#remark(remark, plies));
    let needsNumber = true;
    moves.forEach(({ text, nags, after }, at) => {
      const ply = this.#firstPly + plies + at;
      const number = Math.floor(ply / 2);
      if (ply % 2 === 0) {
        this.word(`${number}.`);
      } else if (needsNumber) {
        this.word(`${number}...`);
      }
      this.word(text);
      nags.forEach((nag) => this.word(`$${nag}`));
      after.forEach((remark) => this.#remark(remark, plies + at));
      needsNumber = after.length > 0;
    });
  }

  #newline() {
    this.text += '\n';
    this.#column = 0;
  }

  /** Writes something that takes a whole line, behind a mark that makes it so. */
  #wholeLine(text) {
    if (this.#column > 0) {
      this.#newline();
    }
    this.text += text;
    this.#newline();
  }

  #remark({ comment, escape, variation }, plies) {
    if (variation) {
      this.word('(');
      this.line(variation, plies);
      this.word(')');
    } else if (escape !== undefined) {
      this.#wholeLine(`%${escape}`);
    } else if (comment.includes('}')) {
      comment.split('\n').forEach((line) => this.#wholeLine(`; ${line}`));
    } else if (comment === '') {
      this.word('{}');
    } else {
      this.word(`{ ${comment} }`);
      if (comment.includes('\n')) {
        this.#column = [...comment.slice(comment.lastIndexOf('\n'))].length + 1;
      }
    }
  }
}

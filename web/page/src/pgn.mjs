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
const RESULTS = {
  '1-0': '1-0', '0-1': '0-1', '1/2-1/2': '1/2-1/2', '1/2': '1/2-1/2', '½-½': '1/2-1/2', '½': '1/2-1/2', '*': '*',
};

/** What may come next in a text, tried in this order. */
const TOKENS = [
  ['blank', /\s+/y],
  ['escape', /(?<=^|\n)%([^\n]*)/y],
  ['tag', /\[\s*(\w+)\s*"((?:\\.|[^\\\n])*?)"\s*\]/y],
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

/** The tokens of a text: `{ kind, text, groups }`. Throws an Error at what cannot be read. */
function* tokens(text) {
  for (let at = 0; at < text.length; ) {
    let found;
    for (const [kind, form] of TOKENS) {
      form.lastIndex = at;
      const match = form.exec(text);
      if (match) {
        found = { kind, text: match[0], groups: match.slice(1), at };
        break;
      }
    }
    if (!found) {
      throw problem(text, at, `unexpected ${JSON.stringify(text[at])}`);
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
  const source = pgn.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const games = [];
  let game;
  let lines;
  const finish = () => {
    if (game) {
      if (lines.length > 1) {
        throw problem(source, source.length, 'a variation is not closed');
      }
      const { before, moves } = lines[0];
      games.push({ tags: game.tags, before, moves, result: game.result });
    }
    game = undefined;
  };
  for (const token of tokens(source)) {
    if (token.kind === 'tag' && game && (game.hasMoves || (token.groups[0] === 'Event' && game.tags.length > 0))) {
      finish();
    } else if (game?.result && token.kind !== 'comment') {
      finish();
    }
    if (!game) {
      game = { tags: [], result: undefined, hasMoves: false };
      lines = [newLine()];
    }
    if (token.kind === 'tag') {
      game.tags.push([token.groups[0], token.groups[1].replace(/\\(.)/g, '$1')]);
    } else {
      game.hasMoves ||= !['comment', 'escape'].includes(token.kind);
      take(token, game, lines, (reason) => problem(source, token.at, reason));
    }
  }
  finish();
  return games;
}

/** Adds what stands among the moves; `lines` are the line being read and those around it. */
function take({ kind, text, groups }, game, lines, wrong) {
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
      throw wrong('a variation of no move');
    }
    lines.push(newLine());
  } else if (kind === 'close') {
    if (lines.length === 1) {
      throw wrong('unexpected ")"');
    }
    const variation = lines.pop();
    remark({ variation });
  } else if (kind === 'symbol' && RESULTS[text]) {
    if (lines.length > 1) {
      remark({ comment: RESULTS[text] });
    } else {
      game.result = RESULTS[text];
    }
  } else if (kind === 'symbol') {
    innermost.moves.push({ text, nags: [], after: [] });
  } else {
    throw wrong(`unexpected ${text}`);
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
  writer.word(game.result ?? '*');
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

// PGN as tokens, `{ kind, line, text }` and for some kinds more. Nothing here fails: a `bad` token
// has the reason why it cannot be read. Time is linear in the text, however long its lines are.

/** Glyphs that have a number, the longest first. */
const GLYPHS = [
  ['+/-', 16], ['-/+', 17], ['+/=', 14], ['=/+', 15], ['+-', 18], ['-+', 19], ['+=', 14], ['=+', 15],
  ['!!', 3], ['??', 4], ['!?', 5], ['?!', 6], ['!', 1], ['?', 2], ['=', 10],
  ['±', 16], ['∓', 17], ['⩲', 14], ['⩱', 15], ['∞', 13], ['‼', 3], ['⁇', 4], ['⁉', 5], ['⁈', 6],
  ['□', 7], ['⯹', 44], ['⨀', 22], ['⊙', 22], ['○', 26], ['⟳', 32], ['↻', 32], ['↑', 36], ['→', 40], ['⇄', 132], ['⇆', 132],
  ['⊕', 138], ['⨁', 138], ['∆', 140], ['Δ', 140], ['△', 140], ['∇', 141], ['⌓', 142], ['≤', 143], ['×', 147],
  ['N', 146], ['TN', 146], ['RR', 145], ['D', 220],
];
const NUMBERS = new Map(GLYPHS);

/** Results as they are written, with hyphens, and their standard form. */
const RESULTS = new Map([
  ['1-0', '1-0'], ['0-1', '0-1'], ['1/2-1/2', '1/2-1/2'], ['1/2', '1/2-1/2'], ['½-½', '1/2-1/2'], ['½', '1/2-1/2'], ['*', '*'],
]);

/** Notations of a null move, in small letters. */
const PASSES = ['--', 'z0', '0000', '@@@@', 'null', 'pass'];

/** Suffixes of moves that SAN does not need: check, mate, en passant. */
const SUFFIX = /^(?:[+#†‡]+|ch|check|dis|disch|dbl|dblch|mate|matt|ep)$/i;

/**
 * A move at the beginning of a word, however it is written: a piece's or pawn's move with its
 * promotion, castling, or a pawn's capture by its files only.
 */
const MOVE = new RegExp(
  [
    /[KQRBNPkqrnp]?[a-h]?[1-8]?[-x:]?[a-h](?:[2-7]|[18](?:[=/][QRBNqrbn]|[QRBN]|[qrbn](?![a-z])|\([QRBNqrbn]\))?)/,
    /[O0o](?:-?[O0o]){1,2}(?!\p{L})/u,
    /(?:ax?b|bx?[ac]|cx?[bd]|dx?[ce]|ex?[df]|fx?[eg]|gx?[fh]|hx?g)(?!\p{L})/u,
  ].map(({ source }) => `^(?:${source})(?:[+#]+(?![-/=]))?`).join('|'),
  'u',
);

const FIGURINES = new Map([...'♔♕♖♗♘♙♚♛♜♝♞♟'].map((figurine, at) => [figurine, 'KQRBNP'[at % 6]]));

const BLANK = /\s+/y;
const BLANKS = /[^\S\n]*/y;
const NUMBER = /\d{1,9}\s*[.…]+|[1-9]\d{0,8}(?![^\s()[\]{}<>;$!?*.…‼⁇⁈⁉])|[.…]+/y;
const EN_PASSANT = /e\.\s?p\.?(?![^\s()[\]{}<>;$!?*.…])/y;
const MARKS = /[!?‼⁇⁈⁉]+/y;
const NAG = /\$(\d+)/y;
/** A result with blanks in it. Without them it is a word. */
const SPACED_RESULT = /(?:(1) ?[-:–—−] ?(0)|(0) ?[-:–—−] ?(1)|(1\/2|½) ?[-:–—−] ?(1\/2|½))(?![^\s()[\]{}<>;$!?*])/y;
const WORD = /[^\s()[\]{}<>;$!?*.…‼⁇⁈⁉]{1,255}/y;
const PROMOTION = /\([QRBNqrbn]\)/y;
const TAG = /\[\s*([\p{L}\p{N}_]+)\s*"/uy;
const NEXT_GAME = '\n[Event "';

/** The most of a text that an error repeats. */
const MAX_QUOTE = 60;

/** The standard's form of a result, however it is written; undefined if it is none. */
export const standardResult = (written) => RESULTS.get(written);

/** Whether a text stands for passing. */
export const isPass = (text) => PASSES.includes(text.toLowerCase());

/** A part of a text, short enough for a message. */
export const quote = (text) => (text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text);

/** The tokens of a text from a place on, which is on that line. */
export class Lexer {
  #text;
  /** Where the next token is looked for, and its line, from 1. */
  at;
  line;
  /** Words that have been split off the last one, as tokens. */
  #waiting = [];
  /** Places found by looking ahead, valid as long as they are not passed. */
  #ahead = new Map();
  /** Where this line begins, and up to where no tag ends on it. */
  #lineStart;
  #tagless = -1;

  constructor(text, at = 0, line = 1) {
    this.#text = text;
    this.at = at;
    this.line = line;
    this.#lineStart = at;
  }

  /** The next token; undefined at the end. */
  next() {
    for (;;) {
      if (this.#waiting.length > 0) {
        return this.#waiting.shift();
      }
      if (this.at >= this.#text.length) {
        return undefined;
      }
      const { line } = this;
      const token = this.#token();
      if (token) {
        return { line, ...token };
      }
    }
  }

  /** Whether nothing but blanks follows on this line. */
  get isAtLineEnd() {
    BLANKS.lastIndex = this.at;
    BLANKS.exec(this.#text);
    return BLANKS.lastIndex === this.#find('\n');
  }

  /** The next place of a text, the end if there is none. Looked for once as long as it lies ahead. */
  #find(what) {
    if (!(this.#ahead.get(what) >= this.at)) {
      const found = this.#text.indexOf(what, this.at);
      this.#ahead.set(what, found < 0 ? this.#text.length : found);
    }
    return this.#ahead.get(what);
  }

  /** Takes the text up to a place. */
  #take(end) {
    const taken = this.#text.slice(this.at, end);
    while (this.#find('\n') < end) {
      this.at = this.#find('\n') + 1;
      this.line += 1;
      this.#lineStart = this.at;
    }
    this.at = end;
    return taken;
  }

  /** Takes the match of a form here, if there is one. */
  #match(form) {
    form.lastIndex = this.at;
    const match = form.exec(this.#text);
    if (match) {
      this.#take(this.at + match[0].length);
    }
    return match;
  }

  /** Takes the token here; undefined for blanks, numbers and suffixes. */
  #token() {
    if (this.#match(BLANK)) {
      return undefined;
    }
    const first = this.#text[this.at];
    switch (first) {
      case '%':
        if (this.at === 0 || this.#text[this.at - 1] === '\n') {
          return { kind: 'escape', text: this.#take(this.#find('\n')).slice(1) };
        }
        break;
      case '[':
        return this.#tag();
      case '{':
        return this.#comment();
      case ';':
        return { kind: 'comment', text: this.#take(this.#find('\n')).slice(1).trim() };
      case '(':
      case ')':
        this.#take(this.at + 1);
        return { kind: first === '(' ? 'open' : 'close', text: first, end: this.at };
      case '*':
        this.#take(this.at + 1);
        return { kind: 'result', text: '*' };
    }
    const result = this.#match(SPACED_RESULT);
    if (result) {
      return { kind: 'result', text: result[1] ? '1-0' : result[3] ? '0-1' : '1/2-1/2' };
    }
    if (this.#match(NUMBER) || this.#match(EN_PASSANT)) {
      return undefined;
    }
    const nag = this.#match(NAG);
    if (nag) {
      return { kind: 'nag', text: nag[0], nag: Number(nag[1]) };
    }
    const marks = this.#match(MARKS);
    if (marks) {
      return { kind: 'nag', text: marks[0], nag: GLYPHS.find(([form]) => marks[0].startsWith(form))[1] };
    }
    return this.#word();
  }

  /** A comment in braces. One that is not closed does not reach the next game. */
  #comment() {
    const [close, nextGame] = [this.#find('}'), this.#find(NEXT_GAME)];
    if (close < Math.min(nextGame, this.#text.length)) {
      return { kind: 'comment', text: this.#take(close + 1).slice(1, -1).trim() };
    }
    this.#take(nextGame);
    return { kind: 'bad', text: '{', reason: 'unexpected "{": the comment is not closed' };
  }

  /** A tag, or a command without its comment's braces. A quotation mark in its value need not be escaped, unless a bracket follows it. */
  #tag() {
    const close = this.#text[this.at + 1] === '%' ? this.#find(']') : Infinity;
    if (close < this.#find('\n')) {
      return { kind: 'comment', text: this.#take(close + 1) };
    }
    TAG.lastIndex = this.at;
    const head = this.at < this.#tagless ? undefined : TAG.exec(this.#text);
    const end = this.#find('\n');
    const found = head && TAG.lastIndex <= end ? this.#value(TAG.lastIndex, end) : undefined;
    if (found) {
      this.#take(found.end);
      return { kind: 'tag', text: head[1], value: found.value };
    }
    if (head) {
      this.#tagless = end;
    }
    const isLineStart = this.at - this.#lineStart < MAX_QUOTE && this.#text.slice(this.#lineStart, this.at).trim() === '';
    const taken = this.#take(isLineStart ? end : this.at + 1);
    return { kind: 'bad', text: taken, reason: isLineStart ? `not a tag: ${quote(taken)}` : `unexpected "["` };
  }

  /** The value of a tag that begins here, up to the end of the line, and where the tag ends. */
  #value(from, lineEnd) {
    let value = '';
    let copied = from;
    // Where the value ends if it ends with a backslash.
    let last;
    const closes = (at) => {
      BLANK.lastIndex = at + 1;
      const behind = BLANK.test(this.#text) ? BLANK.lastIndex : at + 1;
      return behind < lineEnd && this.#text[behind] === ']' ? behind + 1 : undefined;
    };
    for (let at = from; at < lineEnd; at++) {
      const letter = this.#text[at];
      if (letter === '"') {
        const end = closes(at);
        if (end) {
          return { value: value + this.#text.slice(copied, at), end };
        }
      } else if (letter === '\\' && (this.#text[at + 1] === '"' || this.#text[at + 1] === '\\')) {
        value += this.#text.slice(copied, at);
        const end = this.#text[at + 1] === '"' ? closes(at + 1) : undefined;
        if (end) {
          last = { value: `${value}\\`, end };
        }
        copied = at + 1;
        at += 1;
      }
    }
    return last;
  }

  /** A word without blanks: a move with its suffixes, a glyph, a result or a remark. */
  #word() {
    const written = this.#match(WORD)?.[0];
    if (written === undefined) {
      const text = this.#take(this.at + 1);
      // A lone `$`, and remains of a word.
      return '<>]}'.includes(text) ? { kind: 'bad', text, reason: `unexpected ${JSON.stringify(text)}` } : undefined;
    }
    let word = written.replace(/[‐‑‒–—−]/g, '-').replace(/[\uFE0E\uFE0F]/g, '').replace(/×/g, 'x');
    word = word.replace(/[♔-♟]/g, (figurine) => FIGURINES.get(figurine)).replace(/^['"`´]+|[,'"`´:]+$/g, '');
    if (word.endsWith('e')) {
      // `exd6e.p.`
      const before = this.at;
      this.at -= 1;
      if (this.#match(EN_PASSANT)) {
        word = word.slice(0, -1);
      } else {
        this.at = before;
      }
    }
    const promotion = /[18]$/.test(word) ? (this.#match(PROMOTION)?.[0] ?? '') : '';
    return this.#classify(word + promotion, written);
  }

  #classify(word, written) {
    const { line } = this;
    const plain = RESULTS.get(word.replace(':', '-'));
    if (plain) {
      return { kind: 'result', text: plain };
    }
    if (isPass(word)) {
      return { kind: 'symbol', text: word };
    }
    // `×` alone is a glyph, in a move a capture.
    const nag = NUMBERS.get(written) ?? NUMBERS.get(word);
    if (nag !== undefined) {
      return { kind: 'nag', text: word, nag };
    }
    const move = MOVE.exec(word)?.[0];
    if (move) {
      const rest = this.#classify(word.slice(move.length), word.slice(move.length));
      if (rest?.kind !== 'symbol') {
        if (rest) {
          this.#waiting.push({ line, ...rest });
        }
        return { kind: 'symbol', text: move };
      }
    }
    if (word === '' || SUFFIX.test(word)) {
      return undefined;
    }
    // Letters and digits are a move that is wrong; it must not be passed over.
    if (/\d/.test(word) && /\p{L}/u.test(word)) {
      return { kind: 'symbol', text: word };
    }
    return { kind: 'unknown', text: written };
  }
}

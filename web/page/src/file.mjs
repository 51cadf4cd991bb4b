// The text of a PGN file, whatever wrote it: UTF-8, UTF-16, windows-1252, mixed by lines, or packed by gzip.

import { plainText } from './pgn.mjs';

/** The most bytes of text that are read. A string of Chromium has at most 2^29 - 24 characters. */
const MAX_BYTES = 400 * 2 ** 20;

/** How many bytes are decoded at a time. */
const PIECE_BYTES = 2 ** 18;

const NEWLINE = 10;

/** The first bytes of files that are not text, and their names. */
const OTHERS = [
  ['PK\x03\x04', 'a ZIP archive'], ['BZh', 'packed by bzip2'], ['\xFD7zXZ', 'packed by xz'], ['\x28\xB5\x2F\xFD', 'packed by zstd'],
  ['7z\xBC\xAF', 'a 7z archive'], ['Rar!', 'a RAR archive'], ['\xFF\xFE\0\0', 'UTF-32'], ['\0\0\xFE\xFF', 'UTF-32'], ['%PDF', 'a PDF'],
];

const startsWith = (bytes, text) => [...text].every((letter, at) => bytes[at] === letter.charCodeAt(0));

/** A generator that decodes bytes; its result is the text without byte order marks, lines ended by newlines. */
export function* decoding(bytes) {
  const other = OTHERS.find(([beginning]) => startsWith(bytes, beginning));
  if (other) {
    throw new Error(`the file is ${other[1]}: unpack it, or save the games as text in UTF-8`);
  }
  const wide = utf16(bytes);
  if (!wide && bytes.subarray(0, PIECE_BYTES).includes(0)) {
    throw new Error('the file is no text: save the games as PGN');
  }
  const texts = [];
  // A return at the end of a piece waits for the newline that may follow.
  let rest = '';
  const decoder = new TextDecoder(wide ?? 'utf-8', { fatal: !wide });
  // Latin-1 with signs of Windows, such as quotation marks, in place of control characters.
  const windows = new TextDecoder('windows-1252');
  for (let at = 0; at < bytes.length; ) {
    const end = wide ? Math.min(at + PIECE_BYTES, bytes.length) : pieceEnd(bytes, at);
    const piece = bytes.subarray(at, end);
    const text = rest + (wide ? decoder.decode(piece, { stream: end < bytes.length }) : yield* decode(piece, decoder, windows));
    rest = end < bytes.length && text.endsWith('\r') ? '\r' : '';
    texts.push(plainText(text.slice(0, text.length - rest.length)));
    at = end;
    yield;
  }
  return texts.join('');
}

/** The encoding if it is UTF-16, by its mark or by the zeros in its first letters. */
function utf16([first, second, third, fourth]) {
  if ((first === 0xff && second === 0xfe) || (first > 0 && second === 0 && third > 0 && fourth === 0)) {
    return 'utf-16le';
  }
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second > 0 && third === 0 && fourth > 0);
  return isBig ? 'utf-16be' : undefined;
}

/** Where a piece ends that begins here: behind a newline, or at least not within a letter. */
function pieceEnd(bytes, at) {
  const most = at + PIECE_BYTES;
  if (most >= bytes.length) {
    return bytes.length;
  }
  const newline = bytes.subarray(at, most).lastIndexOf(NEWLINE);
  if (newline >= 0) {
    return at + newline + 1;
  }
  let end = most;
  while (end > most - 4 && (bytes[end] & 0xc0) === 0x80) {
    end -= 1;
  }
  return end;
}

/** A generator that decodes a piece in UTF-8, or else line by line, those with errors in windows-1252. */
function* decode(piece, decoder, windows) {
  try {
    return decoder.decode(piece);
  } catch {
    const lines = [];
    for (let at = 0; at < piece.length; ) {
      const newline = piece.indexOf(NEWLINE, at);
      const end = newline < 0 ? piece.length : newline + 1;
      lines.push(line(piece.subarray(at, end), decoder, windows));
      at = end;
      yield;
    }
    return lines.join('');
  }
}

function line(bytes, decoder, windows) {
  try {
    return decoder.decode(bytes);
  } catch {
    // Without `stream` Node 20 leaves control characters in place of signs.
    return windows.decode(bytes, { stream: true });
  }
}

/** The bytes of a file, unpacked if it is packed by gzip. */
export async function bytesOf(file) {
  const isPacked = startsWith(new Uint8Array(await file.slice(0, 2).arrayBuffer()), '\x1F\x8B');
  const stream = isPacked ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  const parts = [];
  let size = 0;
  const reader = stream.getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    parts.push(step.value);
    size += step.value.length;
    if (size > MAX_BYTES) {
      reader.cancel().catch(() => {});
      throw new Error(`the file has more than ${MAX_BYTES / 2 ** 20} MB of text: split it`);
    }
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

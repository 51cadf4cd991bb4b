// What the engine finds, seen from White, and as text.

/** The value of what was found for the side to move: `{ cp }` or `{ mate }`, seen from White. */
export function valueOf({ score }, turn) {
  const sign = turn === 'w' ? 1 : -1;
  // Adding 0 makes no difference but to a zero that would be negative.
  return score.mate === undefined ? { cp: sign * score.cp + 0 } : { mate: sign * score.mate };
}

/** Games out of a thousand that White wins, draws and loses. */
export function whiteWdl({ wdl }, turn) {
  return turn === 'w' ? wdl : [...wdl].reverse();
}

/** The value of a position in which the rules have spoken. */
export function valueOfVerdict({ result }) {
  return result === '1/2-1/2' ? { cp: 0 } : { won: result === '1-0' ? 'w' : 'b' };
}

/** A value as people read it: `+0.35`, `#3`, `1-0`. */
export function scoreText({ cp, mate, won }) {
  if (won) {
    return won === 'w' ? '1-0' : '0-1';
  }
  if (mate !== undefined) {
    return `#${mate < 0 ? '\u2212' : ''}${Math.abs(mate)}`;
  }
  const pawns = (Math.abs(cp) / 100).toFixed(2);
  return pawns === '0.00' ? pawns : `${cp < 0 ? '\u2212' : '+'}${pawns}`;
}

/** Nodes a second, in words. */
export function speedText(nps) {
  return nps >= 1e6 ? `${(nps / 1e6).toFixed(2)} M nodes/s` : `${Math.round(nps / 1000)} k nodes/s`;
}

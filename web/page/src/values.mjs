// The engine's results, from White's point of view.

/** The value of what was found for the side to move: `{ cp }` or `{ mate }`, seen from White. */
export function valueOf({ score }, isWhite) {
  const sign = isWhite ? 1 : -1;
  // Adding 0 makes no difference but to a zero that would be negative.
  return score.mate === undefined ? { cp: sign * score.cp + 0 } : { mate: sign * score.mate };
}

/** Games out of a thousand that White wins, draws and loses. */
export function whiteWdl({ wdl }, isWhite) {
  return isWhite ? wdl : [...wdl].reverse();
}

/** The value of a position in which the rules have spoken. */
export function valueOfVerdict({ result }) {
  return result === '1/2-1/2' ? { cp: 0 } : { won: { by_white: result === '1-0' } };
}

/** Nodes a second, in words. */
export function speedText(nps) {
  return nps >= 1e6 ? `${(nps / 1e6).toFixed(2)} M nodes/s` : `${Math.round(nps / 1000)} k nodes/s`;
}

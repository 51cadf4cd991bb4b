// Converts the engine's results to White's point of view.

/** The score of an info, `{ cp }` or `{ mate }`. */
export function valueOf({ score }, isWhite) {
  const sign = isWhite ? 1 : -1;
  // Adding 0 converts -0 to 0.
  return score.mate === undefined ? { cp: sign * score.cp + 0 } : { mate: sign * score.mate };
}

/** White's wins, draws and losses per thousand games. */
export function whiteWdl({ wdl }, isWhite) {
  return isWhite ? wdl : [...wdl].reverse();
}

/** The value of a final position. */
export function valueOfVerdict({ result }) {
  return result === '1/2-1/2' ? { cp: 0 } : { won: { by_white: result === '1-0' } };
}

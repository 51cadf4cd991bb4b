// What evaluations say about the play of people: the formulas and thresholds of the program
// that analyses games (analyse/src/judgement.rs), which Lichess has published.
//
// A value is `{ cp }`, `{ mate }` or `{ won: 'w' | 'b' }`, seen from White.

const CHANCES_PER_CP = 0.00368208;

/** More centipawns than this, and mates, count as this. */
const MAX_CP = 1000;

/** The value of the position in which games usually begin. */
export const INITIAL = { cp: 15 };

/** The accuracy of a move by what it loses: scale, rate of decay by percent of winning, offset, bonus. */
const ACCURACY = { scale: 103.1668, decay: 0.04354, offset: -3.1669, bonus: 1 };

/** The part of the game that its unsteadiness is measured by: a tenth, within these bounds, in plies. */
const WINDOW = [2, 8];

/** The least and the greatest weight that unsteadiness gives to a move, in percent of winning. */
const WEIGHTS = [0.5, 12];

/** The worst first: the least fall of chances that is called so, its number in PGN, its mark. */
export const JUDGEMENTS = [
  { name: 'Blunder', threshold: 0.3, nag: 4, mark: '??' },
  { name: 'Mistake', threshold: 0.2, nag: 2, mark: '?' },
  { name: 'Inaccuracy', threshold: 0.1, nag: 6, mark: '?!' },
];

const clamp = (number, low, high) => Math.min(Math.max(number, low), high);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** White's chances from -1 to 1. */
export function chances({ cp, mate, won }) {
  const decided = won ? (won === 'w' ? 1 : -1) : Math.sign(mate ?? 0);
  const centipawns = cp === undefined ? MAX_CP * decided : clamp(cp, -MAX_CP, MAX_CP);
  return 2 / (1 + Math.exp(-CHANCES_PER_CP * centipawns)) - 1;
}

/** White's chances as a percentage of winning, 50 if they are even. */
export function winPercent(value) {
  return 50 + 50 * chances(value);
}

/** How much the mover's chances fall by a move. */
function loss(before, after, mover) {
  const fall = chances(before) - chances(after);
  return mover === 'w' ? fall : -fall;
}

/** What is to be said about a move from one value to another; undefined if it was good enough. */
export function judge(before, after, mover) {
  const fall = loss(before, after, mover);
  return JUDGEMENTS.find(({ threshold }) => fall >= threshold);
}

/** The accuracy of a move, from 0 to 100. */
function moveAccuracy(before, after, mover) {
  const { scale, decay, offset, bonus } = ACCURACY;
  const lost = Math.max(50 * loss(before, after, mover), 0);
  return clamp(scale * Math.exp(-decay * lost) + offset + bonus, 0, 100);
}

/** The accuracies of both sides, `{ w, b }`, from the values of all positions; undefined for who has not moved. */
export function accuracies(values, first) {
  const percents = [INITIAL, ...values.slice(1)].map(winPercent);
  const moves = { w: [], b: [] };
  values.slice(1).forEach((after, at) => {
    const mover = (at % 2 === 0) === (first === 'w') ? 'w' : 'b';
    moves[mover].push({ accuracy: moveAccuracy(values[at], after, mover), weight: weight(percents, at) });
  });
  const mean = (list) => (list.length === 0 ? undefined : (weightedMean(list) + harmonicMean(list)) / 2);
  return { w: mean(moves.w), b: mean(moves.b) };
}

/** The weight of the move after so many plies: how much the chances vary around it. */
function weight(percents, at) {
  const length = Math.min(clamp(Math.floor((percents.length - 1) / 10), ...WINDOW), percents.length);
  const end = Math.min(Math.max(at + 2, length), percents.length);
  const window = percents.slice(end - length, end);
  const mean = sum(window) / length;
  const deviation = Math.sqrt(sum(window.map((percent) => (percent - mean) ** 2)) / length);
  return clamp(deviation, ...WEIGHTS);
}

function weightedMean(moves) {
  return sum(moves.map((move) => move.accuracy * move.weight)) / sum(moves.map((move) => move.weight));
}

/** The harmonic mean; what is near 0 is raised, or it would be all that counts. */
function harmonicMean(moves) {
  return moves.length / sum(moves.map(({ accuracy }) => 1 / Math.max(accuracy, 1)));
}

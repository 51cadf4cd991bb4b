#!/usr/bin/env python3
"""Fit the chances of winning, drawing and losing to the scores of our own games.

Usage:
  scripts/wdl.py GAMES.pgn... --engine NAME
  workshop to-pgn SHARD.vf | scripts/wdl.py /dev/stdin --below [--games N]

Reads games as scripts/match.py writes them (a comment "{+0.34/12 ...}" after each
move) and takes the scores of the engines whose names contain NAME. Fits the model that
src/eval/wdl.rs describes by maximum likelihood, and prints its constants. The scores in
the games must come from a build that does not normalise, or from one whose constants are
given with --shown, which undoes the normalisation.

Endings are rare in such games, but not in self-play (see the workshop). With --below,
the script reads A and B from src/eval/wdl.rs and fits a straight line for each of a and
b below material 17. The short searches of self-play make scores less reliable, so b is
also multiplied by a fitted factor, which is not part of the result. Positions with a bare
king, or with knights and bishops only, are omitted: src/eval/endings.rs decides most of them.

Needs the Python packages chess, numpy and scipy.
"""

import argparse
import itertools
import re
import sys
from pathlib import Path

try:
    import chess
    import chess.pgn
    import numpy as np
    from scipy.optimize import minimize
except ImportError as error:
    sys.exit(f"wdl.py: {error}: pip install chess numpy scipy")

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
MATERIAL_MIN, MATERIAL_MAX, MATERIAL_UNIT = 17, 78, 58
# Book openings and the last moves of long games are not typical.
FIRST_MOVE, LAST_MOVE = 8, 120
# Games with larger scores are practically decided.
MAX_CP = 1500
# The most material with --below. Positions above 17 are needed to fit the factor.
BELOW_MAX = 20
# The size of the coefficients, in centipawns.
SCALE = 100

RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
COMMENT = re.compile(r"([+-]?\d+\.\d+)(?:/\d+)?(?=[ ,]|$)")


def whole_material(board):
    return sum(value * len(board.pieces(kind, color)) for kind, value in VALUES.items() for color in chess.COLORS)


def polynomial(coefficients, material):
    return np.polyval(coefficients, material / MATERIAL_UNIT)


def read_games(paths):
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as file:
            while (game := chess.pgn.read_game(file)) is not None:
                yield game


def scored_positions(paths, games):
    """Each position whose move has a score: board, mover's name, mover's score in centipawns and
    mover's result."""
    for game in itertools.islice(read_games(paths), games):
        result = RESULTS.get(game.headers.get("Result"))
        board = game.board()
        for node in game.mainline():
            score = COMMENT.match(node.comment)
            if score and result is not None:
                mover = game.headers["White" if board.turn else "Black"]
                yield board, mover, 100 * float(score[1]), result if board.turn else 1.0 - result
            board.push(node.move)


def may_be_known(board):
    has_bare_king = any(board.occupied_co[color].bit_count() == 1 for color in chess.COLORS)
    return has_bare_king or not board.pawns | board.rooks | board.queens


def read(args):
    """Rows of score, material and result, from the mover's view."""
    rows = []
    for board, mover, score, result in scored_positions(args.files, args.games):
        count = whole_material(board)
        if args.below:
            is_wanted = count <= BELOW_MAX and not may_be_known(board)
        else:
            is_usual = FIRST_MOVE <= board.fullmove_number <= LAST_MOVE
            is_wanted = args.engine in mover and is_usual and count >= MATERIAL_MIN
            count = min(count, MATERIAL_MAX)
        if args.shown is not None:
            score *= polynomial(args.shown, count) / 100
        if is_wanted and abs(score) <= MAX_CP:
            rows.append((score, count, result))
    return np.array(rows)


def constants():
    """A and B as src/eval/wdl.rs has them."""
    source = (Path(__file__).resolve().parent.parent / "src/eval/wdl.rs").read_text(encoding="utf-8")
    found = dict(re.findall(r"^const ([AB]): \[f64; 4\] = \[(.*)\];$", source, re.MULTILINE))
    return [float(number) for name in "AB" for number in found[name].split(",")]


def fit_below(rows):
    score, count, result = rows.T
    fitted = constants()
    within = np.maximum(count, MATERIAL_MIN)
    a, b = polynomial(fitted[:4], within), polynomial(fitted[4:], within)

    def cost(parameters):
        slope_a, slope_b, factor = parameters
        less = within - count
        return -log_likelihood(a + slope_a * less, factor * (b + slope_b * less), score, result)

    # The default tolerance ends a search of a mean far from the optimum.
    best = minimize(cost, np.array([0.0, 0.0, 1.0]), method="Nelder-Mead", options={"fatol": 1e-9})
    return best.x, best.fun


def chances_of(a, b, score):
    b = np.maximum(b, 1.0)
    win = 1 / (1 + np.exp(np.clip((a - score) / b, -50, 50)))
    loss = 1 / (1 + np.exp(np.clip((a + score) / b, -50, 50)))
    return win, np.clip(1 - win - loss, 1e-6, 1), loss


def log_likelihood(a, b, score, result):
    win, draw, loss = chances_of(a, b, score)
    chosen = np.select([result == 1.0, result == 0.0], [win, loss], draw)
    return np.mean(np.log(np.maximum(chosen, 1e-9)))


def fit(rows):
    score, count, result = rows.T

    def cost(parameters):
        a, b = polynomial(parameters[:4], count), polynomial(parameters[4:], count)
        # Without data, a cubic could take any shape: prefer small coefficients.
        return -log_likelihood(a, b, score, result) + 1e-9 * np.sum(np.square(parameters))

    # BFGS needs parameters near 1, and for a mean a small tolerance.
    start = np.array([0, 0, 0, 150.0, 0, 0, 0, 70.0])
    best = minimize(lambda scaled: cost(SCALE * scaled), start / SCALE, method="BFGS", options={"gtol": 1e-6})
    return SCALE * best.x, best.fun


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path)
    parser.add_argument("--engine", metavar="NAME", help="take the scores of engines with NAME in their names")
    parser.add_argument("--below", action="store_true", help="fit below material 17, from self-play")
    parser.add_argument("--games", metavar="N", type=int, help="read the first N games only")
    parser.add_argument("--shown", metavar="A", type=float, nargs=4, help="the four numbers of a() that normalised the scores")
    args = parser.parse_args()
    if not args.below and args.engine is None:
        parser.error("--engine is needed")
    if args.below and args.shown is not None:
        parser.error("--below needs scores that are not normalised")

    rows = read(args)
    if len(rows) < 1000:
        sys.exit(f"wdl.py: only {len(rows)} scores found")
    if args.below:
        (slope_a, slope_b, factor), cost = fit_below(rows)
        print(f"{len(rows)} positions, mean log likelihood {-cost:.4f}, factor of self-play {factor:.2f}")
        print(f"const BELOW: [f64; 2] = [{slope_a:.1f}, {slope_b:.1f}];")
        return
    parameters, cost = fit(rows)
    print(f"{len(rows)} positions, mean log likelihood {-cost:.4f}")
    for name, numbers in (("A", parameters[:4]), ("B", parameters[4:])):
        print(f"const {name}: [f64; 4] = [{', '.join(f'{number:.2f}' for number in numbers)}];")
    for count in (17, 30, 45, 58, 70, 78):
        a, b = polynomial(parameters[:4], count), polynomial(parameters[4:], count)
        print(f"material {count}: half of the games are won at {a:.0f} cp, spread {b:.0f} cp")


if __name__ == "__main__":
    main()

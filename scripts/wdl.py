#!/usr/bin/env python3
"""Fit chances of winning, drawing and losing to the scores of our own games.

Usage:
  scripts/wdl.py GAMES.pgn... --engine NAME [--plot wdl.png]

Reads games as scripts/match.py leaves them (a comment "{+0.34/12 ...}" after each
move) and takes the scores of the engines whose names contain NAME. With m for the
material of both sides (pawn 1, knight and bishop 3, rook 5, queen 9; clamped to
17..78 and divided by 58), the model is

  win(v)  = 1 / (1 + exp((a(m) - v) / b(m))),   loss(v) = win(-v),

where a and b are cubic in m: a is the score at which half of the games are won, b
how slowly the chance rises around it. Fitted by maximum likelihood. The form is
Stockfish's. Prints the constants for src/uci/wdl.rs. The scores in the games must
come from a build that does not normalise, or from one whose constants are given with
--shown, so that this can be undone.

Needs the Python packages chess, numpy and scipy, and matplotlib for the plot.
"""

import argparse
import re
import sys

try:
    import chess
    import chess.pgn
    import numpy as np
    from scipy.optimize import minimize
except ImportError as error:
    sys.exit(f"wdl.py: {error}: pip install chess numpy scipy matplotlib")

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
MATERIAL_MIN, MATERIAL_MAX, MATERIAL_UNIT = 17, 78, 58
# Book openings and the last moves of long games say little.
FIRST_MOVE, LAST_MOVE = 8, 120
# Scores beyond this are as good as decided.
MAX_CP = 1500

RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
COMMENT = re.compile(r"([+-]?\d+\.\d+)/\d+")


def material(board):
    count = sum(value * len(board.pieces(kind, color)) for kind, value in VALUES.items() for color in chess.COLORS)
    return min(max(count, MATERIAL_MIN), MATERIAL_MAX)


def polynomial(coefficients, material):
    return np.polyval(coefficients, material / MATERIAL_UNIT)


def read(paths, engine, shown):
    """Rows of score, material and result, from the mover's view."""
    rows = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            while (game := chess.pgn.read_game(file)) is not None:
                result = RESULTS.get(game.headers.get("Result"))
                if result is None:
                    continue
                ours = [color for color in chess.COLORS if engine in game.headers["White" if color else "Black"]]
                for node in game.mainline():
                    board = node.parent.board()
                    match = COMMENT.match(node.comment)
                    if not match or board.turn not in ours or not FIRST_MOVE <= board.fullmove_number <= LAST_MOVE:
                        continue
                    count = material(board)
                    score = float(match[1]) * 100
                    if shown is not None:
                        score *= polynomial(shown, count) / 100
                    if abs(score) <= MAX_CP:
                        rows.append((score, count, result if board.turn else 1.0 - result))
    return np.array(rows)


def chances(parameters, score, count):
    a = polynomial(parameters[:4], count)
    b = np.maximum(polynomial(parameters[4:], count), 1.0)
    win = 1 / (1 + np.exp(np.clip((a - score) / b, -50, 50)))
    loss = 1 / (1 + np.exp(np.clip((a + score) / b, -50, 50)))
    return win, np.clip(1 - win - loss, 1e-6, 1), loss


def fit(rows):
    score, count, result = rows.T

    def cost(parameters):
        win, draw, loss = chances(parameters, score, count)
        chosen = np.select([result == 1.0, result == 0.0], [win, loss], draw)
        # A cubic may bend freely where there is no data: keep it from doing so.
        return -np.mean(np.log(np.maximum(chosen, 1e-9))) + 1e-9 * np.sum(np.square(parameters))

    start = np.array([0, 0, 0, 150.0, 0, 0, 0, 70.0])
    best = minimize(cost, start, method="Powell", options={"maxiter": 40_000, "maxfev": 40_000, "xtol": 1e-4})
    return minimize(cost, best.x, method="BFGS").x, cost(best.x)


def plot(rows, parameters, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    score, count, result = rows.T
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.5))
    for axis, (low, high) in zip(axes, [(17, 36), (36, 58), (58, 78)]):
        chosen = (count >= low) & (count <= high)
        edges = np.arange(-600, 601, 40)
        middle = (edges[:-1] + edges[1:]) / 2
        where = np.digitize(score[chosen], edges) - 1
        for outcome, color, name in [(1.0, "tab:green", "win"), (0.5, "tab:gray", "draw"), (0.0, "tab:red", "loss")]:
            share = [np.mean(result[chosen][where == i] == outcome) if np.sum(where == i) > 30 else np.nan
                     for i in range(len(middle))]
            axis.plot(middle, share, ".", color=color)
            curve = chances(parameters, middle, np.full(len(middle), (low + high) / 2))
            axis.plot(middle, curve[{1.0: 0, 0.5: 1, 0.0: 2}[outcome]], color=color, label=name)
        axis.set_title(f"material {low} to {high}")
        axis.set_xlabel("score, centipawns")
        axis.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", metavar="PGN")
    parser.add_argument("--engine", required=True, metavar="NAME")
    parser.add_argument("--shown", metavar="A", type=float, nargs=4, help="the four numbers of a() that normalised them")
    parser.add_argument("--plot", metavar="PNG")
    args = parser.parse_args()

    rows = read(args.games, args.engine, args.shown)
    if len(rows) < 1000:
        sys.exit(f"wdl.py: only {len(rows)} scores found")
    parameters, cost = fit(rows)
    print(f"{len(rows)} positions, mean log likelihood {-cost:.4f}")
    for name, numbers in (("A", parameters[:4]), ("B", parameters[4:])):
        print(f"const {name}: [f64; 4] = [{', '.join(f'{number:.2f}' for number in numbers)}];")
    for count in (17, 30, 45, 58, 70, 78):
        a, b = polynomial(parameters[:4], count), polynomial(parameters[4:], count)
        print(f"material {count}: half of the games are won at {a:.0f} cp, spread {b:.0f} cp")
    if args.plot:
        plot(rows, parameters, args.plot)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Calibrate UCI_Elo: measure the Elo of settings (nodes, lines, noise) of src/search/strength.rs.

Usage:
  scripts/calibrate_elo.py play --book noob_3moves.epd --minutes 60
  scripts/calibrate_elo.py fit

play   plays Carrybit at the values of --elo (default: those of the table) against
       opponents of known Elo, and adds the results to docs/uci_elo.json. Each match is
       played by the setting whose rating it makes most precise, against an opponent of
       similar Elo. All ends when the standard error of that setting is below --error.
       Interrupt it at any time: the next run continues.
fit    rates every setting played, prints its UCI_Elo beside the rating, and the table
       to put into strength.rs.

docs/strength.md explains the scale: the opponents are the Skill Levels of Stockfish 15.1. At
a level, Stockfish chooses its move when it has searched to depth 1 + level. Its depth is
limited to that, so that games are quick and the machine does not matter.

Results hold for one engine only, identified by the node count of its bench: run this
again when the engine has become stronger.

Needs fastchess (the variable FASTCHESS, or on PATH), Stockfish 15.1 and the
Python package numpy.

Exit codes: 0 done, or the time is up; 1 an engine forfeited a game; 2 wrong usage, or
something is missing; 3 a match failed or was interrupted
"""

import argparse
import re
import time

import match
import results

try:
    import numpy as np
except ImportError:
    match.die("the Python package numpy is missing: pip install numpy")

RESULTS = match.ROOT / "docs" / "uci_elo.json"
TABLE = match.ROOT / "src" / "search" / "strength.rs"
ELO_POINT = re.compile(r"EloPoint \{ elo: ([\d_]+), nodes: ([\d_]+), lines: (\d+), noise_cp: ([\d_]+) \}")

STOCKFISH = "Stockfish 15.1"
# Its ratings by Skill Level (official-stockfish/Stockfish#4341).
LEVELS = {
    0: 1320, 1: 1468, 2: 1608, 3: 1742, 4: 1923, 5: 2204, 6: 2363, 7: 2500, 8: 2596, 9: 2703,
    10: 2788, 11: 2856, 12: 2923, 13: 2973, 14: 3025,
}  # fmt: skip

# More time than any node limit needs.
MOVETIME_MS = 60_000
# A longer game is a draw.
MAX_MOVES = 200
# The standard error of a setting's nominal Elo before its first game.
PRIOR_ERROR = 400.0
# Elo per unit of the logistic curve.
UNIT = 400 / np.log(10)


def read_table():
    """The table of strength.rs: rows of Elo, nodes, lines and noise."""
    source = TABLE.read_text(encoding="utf-8")
    rows = [[int(number.replace("_", "")) for number in row] for row in ELO_POINT.findall(source)]
    if len(rows) < 2:
        match.die(f"no table found in {TABLE}")
    return np.array(rows, dtype=float)


def setting(table, elo):
    """Nodes, lines and noise at `elo`, as strength.rs computes them; extrapolated beyond the table."""
    above = int(np.clip(np.searchsorted(table[:, 0], elo), 1, len(table) - 1))
    low, high = table[above - 1], table[above]
    part = (elo - low[0]) / (high[0] - low[0])
    nodes = low[1] * (high[1] / low[1]) ** part
    lines, noise = low[2:] + (high[2:] - low[2:]) * part
    return max(round(nodes), 1), max(round(lines), 2), max(round(noise), 0)


def nominal(table, nodes):
    """The Elo at which the table has `nodes` nodes."""
    return float(np.interp(np.log(nodes), np.log(table[:, 1]), table[:, 0]))


def setting_name(nodes, lines, noise):
    return f"{nodes} nodes, {lines} lines, {noise} cp"


def numbers(name):
    """Nodes, lines and noise from the name of a setting."""
    return tuple(int(number) for number in re.findall(r"\d+", name))


def wanted_elos(args, table):
    """The values of --elo, by default those of the table."""
    return args.elo or [int(elo) for elo in table[:, 0]]


def whole_numbers(text):
    """An argparse type: whole numbers with commas between them."""
    return [int(number) for number in text.split(",")]


def expected_score(difference):
    return 1 / (1 + np.exp(-difference / UNIT))


def rate(rows, prior):
    """The most likely rating after these results, and its standard error. The expected score is
    the logistic curve of the difference in rating."""
    rating = prior
    for _ in range(100):
        slope, curvature, spread = (prior - rating) / PRIOR_ERROR**2, PRIOR_ERROR**-2, PRIOR_ERROR**-2
        for row in rows:
            games, score = results.games(row), results.score(row)
            expected = expected_score(rating - LEVELS[row["level"]])
            slope += games * (score - expected) / UNIT
            curvature += games * expected * (1 - expected) / UNIT**2
            # Draws reduce the variance of a score.
            variance = max(expected * (1 - expected) - row["draws"] / games / 4, 0.02)
            spread += games * variance / UNIT**2
        step = float(np.clip(slope / curvature, -200, 200))
        rating += step
        if abs(step) < 0.01:
            break
    return rating, float(np.sqrt(spread)) / curvature


def next_match(rows, settings):
    """The setting whose rating gains most by a game, its opponent, and the error of its rating.
    The opponent is the less played of the two nearest levels. `settings` maps names to UCI_Elo."""
    best = None
    for name, elo in settings.items():
        mine = results.matching(rows, {"setting": name})
        rating, error = rate(mine, elo)
        nearest = sorted(LEVELS, key=lambda level: abs(LEVELS[level] - rating))[:2]
        # A game between opponents of very different strength gives little information.
        expected = expected_score(rating - LEVELS[nearest[0]])
        gain = error**2 * expected * (1 - expected)
        if best is None or gain > best[0]:
            games = {row["level"]: results.games(row) for row in mine}
            best = gain, name, min(nearest, key=lambda level: games.get(level, 0)), error
    return best[1:]


def play(args):
    table = read_table()
    results.find_programs(args)
    results.name_of(args.stockfish, STOCKFISH)
    signature = results.signature(args.engine)
    elos = wanted_elos(args, table)
    if not table[0, 0] <= min(elos) <= max(elos) <= table[-1, 0]:
        match.die(f"--elo: the engine has UCI_Elo from {table[0, 0]:.0f} to {table[-1, 0]:.0f}")
    settings = {setting_name(*setting(table, elo)): elo for elo in elos}
    end = time.monotonic() + 60 * args.minutes
    while time.monotonic() < end:
        rows = results.matching(results.read(RESULTS), {"bench": signature})
        name, level, error = next_match(rows, settings)
        if error < args.error:
            break
        # No adjudication: the weakest strengths lose won positions.
        score = results.play(
            args, args.stockfish, "Stockfish", "--opponent-options", f"'Skill Level={level}'",
            "--opponent-depth", str(level + 1), "--engine-options", f"UCI_LimitStrength=true UCI_Elo={settings[name]}",
            "--movetime", str(MOVETIME_MS), "--games", str(args.chunk), "--max-moves", str(MAX_MOVES),
            "--no-adjudication", "--patient",
        )  # fmt: skip
        results.add(RESULTS, {"bench": signature, "setting": name, "level": level}, score)
        print(f"{settings[name]} ({name}) against level {level}", flush=True)


def tidy(number):
    """Rounded to two digits, which is finer than the error of any rating here."""
    return int(float(f"{number:.2g}"))


def fit(args):
    table, rows = read_table(), results.read(RESULTS)
    if not rows:
        match.die(f"{RESULTS} has no results: play first")
    signature = rows[-1]["bench"]
    rows = results.matching(rows, {"bench": signature})
    print(f"Engine with bench {signature}; ratings with two standard errors\n")
    print("| Nodes, lines, noise | `UCI_Elo` now | Games | Rating |\n|---|---|---|---|")
    points = []
    for name in sorted({row["setting"] for row in rows}, key=numbers):
        mine = results.matching(rows, {"setting": name})
        label = nominal(table, numbers(name)[0])
        rating, error = rate(mine, label)
        points.append((rating, *numbers(name)))
        print(f"| {name} | {label:.0f} | {sum(map(results.games, mine))} | {rating:.0f} ± {2 * error:.0f} |")
    curve = np.array(points, dtype=float)
    if len(curve) < 2 or np.any(np.diff(curve[:, 0]) <= 0):
        match.die("ratings do not grow with the nodes everywhere: play more games before fitting a table")
    elos = wanted_elos(args, table)
    print(f"\nconst ELO_POINTS: [EloPoint; {len(elos)}] = [")
    for elo in elos:
        nodes, lines, noise = setting(curve, elo)
        remark = "" if curve[0, 0] <= elo <= curve[-1, 0] else " // extrapolated"
        print(f"    EloPoint {{ elo: {elo}, nodes: {tidy(nodes):_}, lines: {lines}, noise_cp: {tidy(noise)} }},{remark}")
    print("];")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    player = commands.add_parser("play", help="play games")
    results.add_arguments(player)
    player.add_argument("--minutes", metavar="N", type=float, default=60.0, help="for how long (default: 60)")
    player.add_argument("--error", metavar="ELO", type=float, default=15.0, help="when to stop (default: 15)")
    player.add_argument("--elo", metavar="LIST", type=whole_numbers, help="values of UCI_Elo, as 1000,1500")
    player.add_argument("--stockfish", metavar="CMD", default="stockfish")
    player.set_defaults(run=play)
    fitter = commands.add_parser("fit", help="rate and print the table")
    fitter.add_argument("--elo", metavar="LIST", type=whole_numbers, help="values of UCI_Elo for the new table (default: as now)")
    fitter.set_defaults(run=fit)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()

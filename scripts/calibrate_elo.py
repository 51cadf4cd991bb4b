#!/usr/bin/env python3
"""Calibrate UCI_Elo: measure the Elo of settings (nodes, lines, noise, overlooked) of src/search/strength.rs.

Usage:
  scripts/calibrate_elo.py play --book noob_3moves.epd --minutes 60
  scripts/calibrate_elo.py fit

play   plays Carrybit at the values of --elo (default: those of the table) against
       opponents of known Elo and against its own neighbours, and adds the results to
       docs/uci_elo.json. Each match is the one that makes the least certain rating most
       precise. All ends when the standard error of every setting is below --error.
       Interrupt it at any time: the next run continues.
fit    rates every setting played, prints its UCI_Elo beside the rating, and the table
       to put into strength.rs.

docs/strength.md explains the scale: the opponents are the Skill Levels of Stockfish 15.1. At
a level, Stockfish chooses its move when it has searched to depth 1 + level. Its depth is
limited to that, so that games are quick and the machine does not matter. Settings below the
weakest level are rated by games against stronger settings.

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
ELO_POINT = re.compile(r"EloPoint \{ elo: ([\d_]+), nodes: ([\d_]+), lines: (\d+), noise: ([\d.]+), overlooked: ([\d.]+) \}")

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
# From this UCI_Elo on, decided games are not played to their end.
ADJUDICATED_ELO = 2400
# The standard error of a setting's nominal Elo before its first game.
PRIOR_ERROR = 400.0
# Elo per unit of the logistic curve.
UNIT = 400 / np.log(10)


def read_table():
    """The table of strength.rs: rows of Elo, nodes, lines, noise and overlooked."""
    source = TABLE.read_text(encoding="utf-8")
    rows = [[float(number.replace("_", "")) for number in row] for row in ELO_POINT.findall(source)]
    if len(rows) < 2:
        match.die(f"no table found in {TABLE}")
    return np.array(rows)


def setting(table, elo):
    """Nodes, lines, noise and overlooked at `elo`, as strength.rs computes them; extrapolated beyond the table."""
    above = int(np.clip(np.searchsorted(table[:, 0], elo), 1, len(table) - 1))
    low, high = table[above - 1], table[above]
    part = (elo - low[0]) / (high[0] - low[0])
    nodes = low[1] * (high[1] / low[1]) ** part
    lines, noise, overlooked = low[2:] + (high[2:] - low[2:]) * part
    return max(round(nodes), 1), max(round(lines), 2), max(tidy(noise, 3), 0.0), max(tidy(overlooked, 3), 0.0)


def setting_name(nodes, lines, noise, overlooked):
    return f"{nodes} nodes, {lines} lines, {noise:g} noise, {overlooked:g} overlooked"


def numbers(name):
    """Nodes, lines, noise and overlooked from the name of a setting."""
    return tuple(float(number) for number in re.findall(r"[\d.]+", name))


def wanted_elos(args, table):
    """The values of --elo, by default those of the table."""
    return args.elo or [int(elo) for elo in table[:, 0]]


def whole_numbers(text):
    """An argparse type: whole numbers with commas between them."""
    return [int(number) for number in text.split(",")]


def expected_score(difference):
    return 1 / (1 + np.exp(-difference / UNIT))


def level_name(level):
    return f"level {level}"


def rate(rows, priors):
    """The most likely ratings after these results, and their covariances, in the order of `priors`, which maps
    the names of settings to ratings before the first game. The expected score is the logistic curve of the
    difference in rating; those of Stockfish's levels are known."""
    names = list(priors)
    known = {level_name(level): rating for level, rating in LEVELS.items()}
    prior = np.array([float(priors[name]) for name in names])
    ratings = prior.copy()
    for _ in range(200):
        slope = (prior - ratings) / PRIOR_ERROR**2
        curvature, spread = np.eye(len(names)) / PRIOR_ERROR**2, np.eye(len(names)) / PRIOR_ERROR**2
        for row in rows:
            side = direction(names, row["setting"]) - direction(names, row["opponent"])
            expected = expected_score(side @ ratings - known.get(row["opponent"], 0))
            games, score = results.games(row), results.score(row)
            slope += side * games * (score - expected) / UNIT
            square = np.outer(side, side) * games / UNIT**2
            curvature += square * expected * (1 - expected)
            # Draws reduce the variance of a score.
            spread += square * max(expected * (1 - expected) - row["draws"] / games / 4, 0.02)
        step = np.clip(np.linalg.solve(curvature, slope), -200, 200)
        ratings += step
        if np.max(np.abs(step)) < 0.01:
            break
    inverse = np.linalg.inv(curvature)
    return ratings, inverse @ spread @ inverse


def direction(names, name):
    """The unit vector of a setting; zero for a level, whose rating is known."""
    return np.array([float(other == name) for other in names])


def next_match(rows, settings):
    """The setting and the opponent whose game makes the least certain rating most precise, and the error of that
    rating. `settings` maps names to UCI_Elo, the weakest first."""
    names = list(settings)
    ratings, covariance = rate(rows, settings)
    worst = int(np.argmax(np.diag(covariance)))
    best = None
    for place, name in enumerate(names):
        opponents = {level_name(level): (rating, 0) for level, rating in LEVELS.items()}
        opponents |= {other: (ratings[at], direction(names, other)) for at, other in enumerate(names[:place])}
        for opponent, (rating, vector) in opponents.items():
            side = direction(names, name) - vector
            # A game between opponents of very different strength gives little information.
            expected = expected_score(ratings[place] - rating)
            information = expected * (1 - expected) / UNIT**2
            shared = covariance[worst] @ side
            gain = shared**2 * information / (1 + information * side @ covariance @ side)
            if best is None or gain > best[0]:
                best = gain, name, opponent
    return *best[1:], float(np.sqrt(covariance[worst, worst]))


def play(args):
    table = read_table()
    results.find_programs(args)
    results.name_of(args.stockfish, STOCKFISH)
    signature = results.signature(args.engine)
    elos = wanted_elos(args, table)
    if not table[0, 0] <= min(elos) <= max(elos) <= table[-1, 0]:
        match.die(f"--elo: the engine has UCI_Elo from {table[0, 0]:.0f} to {table[-1, 0]:.0f}")
    settings = {setting_name(*setting(table, elo)): elo for elo in sorted(elos)}
    end = time.monotonic() + 60 * args.minutes
    while time.monotonic() < end:
        # Games of other tables do not count here.
        rows = [
            row for row in results.matching(results.read(RESULTS), {"bench": signature})
            if row["setting"] in settings and (row["opponent"] in settings or row["opponent"].startswith("level"))
        ]  # fmt: skip
        name, opponent, error = next_match(rows, settings)
        if error < args.error:
            break
        if opponent in settings:
            program, other = args.engine, "Weaker"
            options = ["--opponent-options", f"UCI_LimitStrength=true UCI_Elo={settings[opponent]}"]
        else:
            program, other, level = args.stockfish, "Stockfish", opponent.split()[1]
            options = ["--opponent-options", f"'Skill Level={level}'", "--opponent-depth", str(int(level) + 1)]
        # Weak strengths lose won positions.
        adjudication = [] if settings[name] >= ADJUDICATED_ELO else ["--no-adjudication"]
        score = results.play(
            args, program, other, *options, "--engine-options", f"UCI_LimitStrength=true UCI_Elo={settings[name]}",
            "--movetime", str(MOVETIME_MS), "--games", str(args.chunk), "--max-moves", str(MAX_MOVES),
            "--patient", *adjudication,
        )  # fmt: skip
        results.add(RESULTS, {"bench": signature, "setting": name, "opponent": opponent}, score)
        print(f"{settings[name]} against {settings.get(opponent, opponent)}", flush=True)


def tidy(number, digits=2):
    """Rounded; two digits are finer than the error of any rating here."""
    return float(f"{number:.{digits}g}")


def fit(args):
    table, rows = read_table(), results.read(RESULTS)
    if not rows:
        match.die(f"{RESULTS} has no results: play first")
    signature = rows[-1]["bench"]
    rows = results.matching(rows, {"bench": signature})
    print(f"Engine with bench {signature}; ratings with two standard errors\n")
    print("| Nodes, lines, noise, overlooked | `UCI_Elo` now | Games | Rating |\n|---|---|---|---|")
    names = sorted({row["setting"] for row in rows} | {row["opponent"] for row in rows if "nodes" in row["opponent"]}, key=numbers)
    # The noise is never the same at two numbers of Elo.
    priors = {name: float(np.interp(-numbers(name)[2], -table[:, 3], table[:, 0])) for name in names}
    ratings, covariance = rate(rows, priors)
    for name, rating, error in zip(names, ratings, np.sqrt(np.diag(covariance)), strict=True):
        games = sum(results.games(row) for row in rows if name in (row["setting"], row["opponent"]))
        print(f"| {name} | {priors[name]:.0f} | {games} | {rating:.0f} ± {2 * error:.0f} |")
    curve = np.array(sorted((rating, *numbers(name)) for name, rating in zip(names, ratings, strict=True)))
    if len(curve) < 2 or np.any(np.diff(curve[:, 3]) >= 0):
        match.die("ratings do not fall with the noise everywhere: play more games before fitting a table")
    elos = wanted_elos(args, table)
    print(f"\nconst ELO_POINTS: [EloPoint; {len(elos)}] = [")
    for elo in elos:
        nodes, lines, noise, overlooked = setting(curve, elo)
        remark = "" if curve[0, 0] <= elo <= curve[-1, 0] else " // extrapolated"
        print(
            f"    EloPoint {{ elo: {elo}, nodes: {int(tidy(nodes)):_}, lines: {lines}, "
            f"noise: {noise}, overlooked: {overlooked} }},{remark}"
        )
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

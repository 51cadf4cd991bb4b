#!/usr/bin/env python3
"""Screen many changes to the search parameters at once, with games at a fixed number of nodes.

Usage:
  cargo build --release --locked --features spsa
  scripts/screen.py CHANGES --book UHO_4060_v4.epd --pairs 1500 --out DIR

CHANGES has a line for each change: its name, a colon, and its settings, as in
  malus160: history_malus_per_depth=160 history_malus_max=1600
A `#` begins a comment. Parameters that no change names keep the values of
`carrybit params`.

For each pair of games, played from the same opening with both colours, every
change is randomly assigned to one of the two sides. So every game counts for every
change, and the error is the same for all of them: about 11 Elo after 1,300 pairs.
Among thirty changes, one or two will look better than that by chance. So the last column
shrinks each Elo towards 0, by the share of the spread of all Elo figures that chance explains (the
James-Stein estimator). Confirm the best by a match. (This is a two-level factorial design;
compare Box, Hunter and Hunter, "Statistics for Experimenters".)

The table is written to DIR/screen.txt after every 25 pairs, with the 95 % error. Each
pair is stored in DIR/pairs.jsonl as it ends; a run with the same changes and the same
nodes or clocks continues from there.
Needs fastchess (the variable FASTCHESS, or on PATH).
"""

import argparse
import json
import math
import random
from pathlib import Path

from match import die
from pairs import Pair, add_arguments, pace_of, play_pairs, read_book, read_params

REPORT_EVERY = 25
# Elo for each point of the score, near a level score.
ELO_PER_SCORE = 1600 / math.log(10)


def read_changes(path, params):
    """The settings of each change, by its name."""
    changes = {}
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, colon, settings = line.partition(":")
        values = dict(setting.partition("=")[::2] for setting in settings.split())
        if not colon or not values or name in changes:
            die(f"{path}, line {number}: expected a new name, a colon and NAME=VALUE")
        for param, value in values.items():
            if param not in params or not value.lstrip("-").isdigit():
                die(f"{path}, line {number}: expected a parameter and a whole number: {param}={value}")
            if not params[param]["min"] <= int(value) <= params[param]["max"]:
                die(f"{path}, line {number}: {param}={value} is out of range")
        changes[name] = {param: int(value) for param, value in values.items()}
    if not changes:
        die(f"{path}: no change")
    return changes


def values(usual, changes, signs, side):
    """The parameters of one side: the changes with its sign are applied."""
    chosen = dict(usual)
    for settings, sign in zip(changes.values(), signs, strict=True):
        if sign == side:
            chosen.update(settings)
    return chosen


def table(changes, results):
    """A table of the changes, the best first: the Elo, and the Elo shrunk towards 0. A result has
    the signs, and half the difference between the points of the sides with sign 1 and -1."""
    count = len(results)
    error = math.sqrt(sum(points**2 for _, points in results)) / count
    lines = [f"{count} pairs, Elo +/- {1.96 * error * ELO_PER_SCORE / 2:.1f}, and shrunk"]
    means = {
        name: sum(signs[index] * points for signs, points in results) / count
        for index, name in enumerate(changes)
    }
    squares = sum(mean**2 for mean in means.values())
    by_chance = max(0, len(means) - 2) * error**2
    believed = max(0, 1 - by_chance / squares) if squares else 0
    for name, mean in sorted(means.items(), key=lambda item: -item[1]):
        elo = mean * ELO_PER_SCORE / 2
        lines.append(f"{name:24} {elo:+7.1f} {elo * believed:+7.1f}")
    return "\n".join(lines)


def read_results(path, setup):
    """The results of an earlier run with the same setup."""
    if not path.exists():
        return []
    try:
        kept = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except json.JSONDecodeError:
        die(f"{path} has a damaged line: remove it")
    if any({name: pair.get(name) for name in setup} != setup for pair in kept[:1]):
        die(f"{path} is from a run with other changes, nodes or clocks: name another directory")
    return [(pair["signs"], pair["points"]) for pair in kept]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("changes", metavar="CHANGES")
    add_arguments(parser, nodes=60_000, hash_mb=16)
    args = parser.parse_args()

    params = read_params(args.engine, [])
    changes = read_changes(args.changes, params)
    touched = {param for settings in changes.values() for param in settings}
    usual = {param: int(params[param]["value"]) for param in touched}
    fens = read_book(args.book)
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    setup = {"changes": changes, "pace": pace_of(args)}
    results = read_results(out / "pairs.jsonl", setup)

    def deal():
        for _ in range(args.pairs - len(results)):
            signs = [random.choice((-1, 1)) for _ in changes]
            plus, minus = (values(usual, changes, signs, side) for side in (1, -1))
            yield Pair(plus, minus, random.choice(fens), tag=signs)

    with (out / "pairs.jsonl").open("a", encoding="utf-8") as kept:
        for signs, points in play_pairs(deal(), args):
            # Only the first line of the file has the setup.
            of = {} if results else setup
            print(json.dumps(of | {"signs": signs, "points": points}), file=kept, flush=True)
            results.append((signs, points))
            if len(results) % REPORT_EVERY == 0 or len(results) == args.pairs:
                (out / "screen.txt").write_text(table(changes, results) + "\n", encoding="utf-8")
                print(f"{len(results)}/{args.pairs} pairs", flush=True)
    print(table(changes, results))


if __name__ == "__main__":
    main()

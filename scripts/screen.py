#!/usr/bin/env python3
"""Screen many changes to the search parameters at once, with games at a fixed number of nodes.

Usage:
  cargo build --release --locked --features spsa
  scripts/screen.py CHANGES --book UHO_4060_v4.epd --pairs 1500 --out DIR

CHANGES has a line for each change: its name, a colon, and its settings, as in
  malus160: history_malus_per_depth=160 history_malus_max=1600
No parameter may be in two changes. A `#` begins a comment. Parameters that no change
names keep the values of `carrybit params`.

For each pair of games, played from the same opening with both colours, every
change is randomly assigned to one of the two sides. So every game counts for every
change, and the error is the same for all of them: about 11 Elo after 1,300 pairs.
The number of nodes per move is soft: the engine finishes an iteration that it has begun, up to
eight times the nodes; --hard makes it exact. With --clock the games have clocks instead, so
that the speed of the search counts, too: run nothing else then.
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
import shlex
import subprocess
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import match
from match import die

# A longer game is a draw.
MAX_MOVES = 150
REPORT_EVERY = 25
# Elo for each point of the score, near a level score.
ELO_PER_SCORE = 1600 / math.log(10)


def read_params(engine):
    """The search parameters by name, each with value and range."""
    try:
        text = subprocess.run([*shlex.split(engine), "params"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        die(f"the engine lists no parameters: {error}")
    lines = [[word.strip() for word in line.split(",")] for line in text.splitlines()]
    return {name: tuple(map(float, numbers[:3])) for name, _, *numbers in lines}


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
            _, least, most = params[param]
            if not least <= int(value) <= most:
                die(f"{path}, line {number}: {param}={value} is out of range")
            if any(param in settings for settings in changes.values()):
                die(f"{path}, line {number}: an earlier change has {param}, too")
        changes[name] = {param: int(value) for param, value in values.items()}
    if not changes:
        die(f"{path}: no change")
    return changes


def play_pair(signs, sides, opening, args):
    """Plays an opening with both colours between engines with the parameters of `sides`. Returns the
    signs, and half the difference between the points of the sides."""
    soft = {} if args.hard else {"SoftNodes": "true"}
    plus, minus = (" ".join(f"{name}={value}" for name, value in {**soft, **params}.items()) for params in sides)
    with tempfile.TemporaryDirectory(prefix="carrybit-pair-") as directory:
        book = Path(directory) / "opening.epd"
        book.write_text(opening + "\n", encoding="utf-8")
        played = match.run_match(match.parse_args([
            "--engine", args.engine, "--engine-name", "plus", "--engine-options", plus,
            "--opponent", args.engine, "--opponent-name", "minus", "--opponent-options", minus,
            *(["--tc", args.clock] if args.clock else ["--nodes", str(args.nodes)]),
            "--hash", str(args.hash), "--book", str(book), "--games", "2", "--concurrency", "1",
            "--max-moves", str(MAX_MOVES), "--out", directory, "--quiet",
        ]))  # fmt: skip
    score = match.score(played.lines)
    failures = sum(match.count_forfeits(played.lines, played.names).values(), start=match.Counter())
    del failures["on time"]
    if not score or score.games != "2" or failures:
        die("\n".join(["a pair of games failed:", *played.lines[-5:]]), match.EXIT_MATCH)
    return signs, (int(score.wins) - int(score.losses)) / 2


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
    parser.add_argument("--engine", metavar="CMD", default=shlex.quote(str(match.RELEASE)))
    parser.add_argument("--book", metavar="EPD", required=True, help="also .zst or .gz")
    parser.add_argument("--nodes", metavar="N", type=match.positive, default=60_000)
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument("--hard", action="store_true", help="stop within an iteration at N nodes (default: at 8 N)")
    pace.add_argument("--clock", metavar="S+INC", help="clocks instead of nodes, in seconds")
    parser.add_argument("--pairs", metavar="N", type=match.positive, required=True, help="pairs of games in the whole run")
    parser.add_argument("--concurrency", metavar="N", type=match.positive, default=match.CORES)
    parser.add_argument("--hash", metavar="MIB", type=match.positive, default=16)
    parser.add_argument("--out", metavar="DIR", required=True)
    args = parser.parse_args()

    params = read_params(args.engine)
    changes = read_changes(args.changes, params)
    usual = {param: int(params[param][0]) for settings in changes.values() for param in settings}
    fens = [line for line in match.read_lines(args.book) if line.strip()] or die(f"no opening in {args.book}")
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    pace = {"clock": args.clock} if args.clock else {"nodes": args.nodes, "hard": args.hard}
    setup = {"changes": changes, "pace": pace}
    results = read_results(out / "pairs.jsonl", setup)
    pool = ProcessPoolExecutor(args.concurrency)

    def deal():
        signs = [random.choice((-1, 1)) for _ in changes]
        sides = [values(usual, changes, signs, side) for side in (1, -1)]
        return pool.submit(play_pair, signs, sides, random.choice(fens), args)

    with (out / "pairs.jsonl").open("a", encoding="utf-8") as kept:
        try:
            for job in as_completed([deal() for _ in range(args.pairs - len(results))]):
                signs, points = job.result()
                # Only the first line of the file has the setup.
                of = {} if results else setup
                print(json.dumps(of | {"signs": signs, "points": points}), file=kept, flush=True)
                results.append((signs, points))
                if len(results) % REPORT_EVERY == 0 or len(results) == args.pairs:
                    (out / "screen.txt").write_text(table(changes, results) + "\n", encoding="utf-8")
                    print(f"{len(results)}/{args.pairs} pairs", flush=True)
        finally:
            pool.shutdown(cancel_futures=True)
    print(table(changes, results))


if __name__ == "__main__":
    main()

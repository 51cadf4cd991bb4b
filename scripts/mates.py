#!/usr/bin/env python3
"""Count the mates that an engine finds at a fixed number of nodes.

Usage:
  scripts/mates.py matetrack.epd --seed 66 --count 150
  scripts/mates.py matetrack.epd --seed 66 --count 150 --engine stockfish --nodes 1000000

Takes a random sample of the positions whose `bm #N` says that the side to move mates in N
moves, as in https://github.com/vondele/matetrack, and searches each from an empty hash table.
A mate counts as found if the last score is a mate for the side to move, and as shortest if
it takes no more than N moves. Prints both counts, and with --list the result of each position.
The standard error of a share of 150 is 4 %; between two engines on the same sample it is less.
Needs the Python package chess.
"""

import argparse
import random
import re
import shlex
import sys

try:
    import chess
    import chess.engine
except ImportError as error:
    sys.exit(f"mates.py: {error}: pip install chess")

from match import RELEASE, die, positive, read_lines

MATE = re.compile(r"\bbm #(\d+)")


def sample(path, seed, count):
    """FENs, and the moves to mate."""
    mates = [(line.split(), MATE.search(line)) for line in read_lines(path)]
    mates = [(" ".join([*words[:4], "0 1"]), int(found[1])) for words, found in mates if found]
    if len(mates) < count:
        die(f"{path} has only {len(mates)} positions with `bm #N`")
    return random.Random(seed).sample(mates, count)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("positions", metavar="EPD", help="also .zst or .gz")
    parser.add_argument("--engine", metavar="CMD", default=shlex.quote(str(RELEASE)))
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[])
    parser.add_argument("--nodes", metavar="N", type=positive, default=1_000_000)
    parser.add_argument("--hash", metavar="MIB", type=positive, default=32)
    parser.add_argument("--seed", metavar="N", type=int, default=1)
    parser.add_argument("--count", metavar="N", type=positive, default=150)
    parser.add_argument("--list", action="store_true", help="print the result of each position")
    args = parser.parse_args()

    mates = sample(args.positions, args.seed, args.count)
    found = shortest = 0
    try:
        started = chess.engine.SimpleEngine.popen_uci(shlex.split(args.engine))
    except (OSError, chess.engine.EngineError) as error:
        die(f"--engine {args.engine}: {error}")
    with started as engine:
        engine.configure({"Hash": args.hash, **dict(option.partition("=")[::2] for option in args.option)})
        for fen, moves in mates:
            limit = chess.engine.Limit(nodes=args.nodes)
            # Another `game` clears the hash table.
            score = engine.analyse(chess.Board(fen), limit, game=object())["score"].relative
            mate = score.mate() or 0
            found += mate > 0
            shortest += 0 < mate <= moves
            if args.list:
                print(f"{score}, mate in {moves}: {fen}", flush=True)
    print(f"{found} of {len(mates)} mates found, {shortest} of them shortest")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Run an EPD test suite with a UCI engine and count the solved positions.

Usage:
  scripts/suite.py SUITE.epd [--engine CMD] [--movetime-ms MS] [options]

Needs the Python package `chess` (pip install chess). SUITE may end in .gz or .zst.
A position is solved when
  bm  the engine's move is one of these,
  am  it is none of these,
  dm  the engine's last score is a mate in at most this many moves, by the same
      side as in the suite. A mate shorter than the suite's is listed: one of the
      two is wrong.
If every position has a c0 of the form "f5=10, Bf2=5, ..." (as in STS), the points
are added up. Positions with neither a task nor points are skipped.

Exit codes:
  0  the suite was run, however much was solved
  2  wrong usage, or a package, program or file is missing
  3  the engine failed
"""

import argparse
import asyncio
import queue
import re
from concurrent.futures import ThreadPoolExecutor

from match import die, own_engine, positive, read_lines, resolve

try:
    import chess
    import chess.engine
except ImportError:
    die("the Python package chess is missing: pip install chess")

EXIT_ENGINE = 3
POINTS = re.compile(r"\S+=\d+(?:,\s*\S+=\d+)*")


class Position:
    """A line of the suite, and the engine's answer."""

    def __init__(self, line, number, chess960):
        self.board = chess.Board(chess960=chess960)
        operations = self.board.set_epd(line)
        self.name = str(operations.get("id", f"line {number}"))
        self.best = operations.get("bm") or []
        self.avoid = operations.get("am") or []
        self.mate = operations.get("dm")
        self.points = {}
        comment = operations.get("c0")
        if isinstance(comment, str) and POINTS.fullmatch(comment):
            for item in re.split(r",\s*", comment):
                san, _, value = item.rpartition("=")
                self.points[self.board.parse_san(san)] = int(value)
        if self.points and not (self.best or self.avoid or self.mate is not None):
            most = max(self.points.values())
            self.best = [move for move, points in self.points.items() if points == most]
        self.move = self.found_mate = None

    def has_task(self):
        return bool(self.best or self.avoid or self.mate is not None or self.points)

    def finds_mate(self):
        """Whether the engine's score is a mate by the same side as in the suite."""
        return self.found_mate is not None and self.mate is not None and self.found_mate * self.mate > 0

    def is_solved(self):
        return (
            (not self.best or self.move in self.best)
            and self.move not in self.avoid
            and (self.mate is None or self.finds_mate() and abs(self.found_mate) <= abs(self.mate))
        )


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", metavar="SUITE.epd")
    parser.add_argument("--engine", metavar="CMD", help="default: target/release/carrybit of this repository")
    parser.add_argument("--movetime-ms", metavar="MS", type=positive, default=1000, help="default: 1000")
    parser.add_argument("--nodes", metavar="N", type=positive, help="a node limit instead of a time")
    parser.add_argument("--go-mate", action="store_true", help="`go mate` for positions with dm")
    parser.add_argument("--hash", metavar="MIB", type=positive, default=16, help="default: 16")
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], help="for the engine; repeatable")
    parser.add_argument("--limit", metavar="N", type=positive, help="run the first N positions only")
    parser.add_argument("--concurrency", metavar="N", type=positive, default=1, help="engines at once (default: 1)")
    parser.add_argument("--chess960", action="store_true", help="the positions are Chess960")
    args = parser.parse_args()
    for option in args.option:
        if "=" not in option:
            parser.error(f"--option {option}: expected NAME=VALUE")
    return args


def read_suite(args):
    """The positions of the suite that have a task, and the number of the others."""
    positions = []
    for number, line in enumerate(read_lines(args.suite), 1):
        if line.strip() and not line.startswith("#"):
            try:
                positions.append(Position(line.strip(), number, args.chess960))
            except ValueError as error:
                die(f"{args.suite}:{number}: {error}")
    with_task = [position for position in positions if position.has_task()]
    if not with_task:
        die(f"{args.suite}: no position with bm, am, dm or points")
    return with_task[: args.limit], len(positions) - len(with_task)


def run(positions, command, args):
    """Searches each position, `args.concurrency` at a time, each with an idle engine."""
    engines, idle = [], queue.SimpleQueue()

    def answer(position):
        mate = abs(position.mate) if args.go_mate and position.mate else None
        seconds = None if args.nodes else args.movetime_ms / 1000
        limit = chess.engine.Limit(nodes=args.nodes, time=seconds, mate=mate)
        engine = idle.get()
        try:
            result = engine.play(position.board, limit, game=position, info=chess.engine.INFO_SCORE)
        finally:
            # Even if the engine failed: the other tasks would wait for it forever.
            idle.put(engine)
        if result.move is None:
            raise chess.engine.EngineError(f"no move at {position.name}")
        score = result.info.get("score")
        position.move, position.found_mate = result.move, score.relative.mate() if score else None

    pool = ThreadPoolExecutor(args.concurrency)
    try:
        for _ in range(min(args.concurrency, len(positions))):
            engine = chess.engine.SimpleEngine.popen_uci(command)
            engines.append(engine)
            hash_mb = {"Hash": str(args.hash)} if "Hash" in engine.options else {}
            engine.configure({**hash_mb, **dict(option.split("=", 1) for option in args.option)})
            idle.put(engine)
        list(pool.map(answer, positions))
    except (chess.engine.EngineError, asyncio.TimeoutError) as error:
        die(f"engine failed: {str(error) or 'no answer in time'}", EXIT_ENGINE)
    finally:
        pool.shutdown(cancel_futures=True)
        for engine in engines:
            engine.close()


def report(positions, skipped):
    solved = [position for position in positions if position.is_solved()]
    for position in positions:
        if not position.is_solved():
            mate = f", mate {position.found_mate}" if position.mate is not None and position.found_mate else ""
            print(f"failed {position.name}: {position.board.san(position.move)}{mate}")
    for position in positions:
        if position.finds_mate() and abs(position.found_mate) < abs(position.mate):
            print(f"shorter mate {position.name}: {position.found_mate} instead of {position.mate}")
    if skipped:
        print(f"skipped {skipped} positions without bm, am, dm or points")
    print(f"solved {len(solved)}/{len(positions)} ({100 * len(solved) / len(positions):.1f} %)")
    if all(position.points for position in positions):
        total = sum(position.points.get(position.move, 0) for position in positions)
        most = sum(max(position.points.values()) for position in positions)
        print(f"points {total}/{most} ({100 * total / most:.1f} %)")


def main():
    args = parse_args()
    program, arguments = resolve(args.engine or own_engine())
    positions, skipped = read_suite(args)
    run(positions, [program, *arguments], args)
    report(positions, skipped)


if __name__ == "__main__":
    main()

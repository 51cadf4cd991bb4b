#!/usr/bin/env python3
"""Run an EPD test suite with a UCI engine and count the solved positions.

Usage:
  scripts/suite.py SUITE.epd [--engine CMD] [--movetime-ms MS] [options]

Needs the Python package `chess` (pip install chess). SUITE may end in .gz.
A position is solved when
  bm  the engine's move is one of these,
  am  it is none of these,
  dm  the engine's last score is a mate for the right side in at most this many
      moves. A shorter mate than the suite's is listed, too: one of them is wrong.
Positions with none of these are skipped. If every position has a c0 of the form
"f5=10, Bf2=5, ..." (as in STS), the points are added up as well.

Exit codes:
  0  the suite was run, however much was solved
  2  wrong usage, or a package, program or file is missing
  3  the engine failed
"""

import argparse
import asyncio
import gzip
import queue
import re
import shlex
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import chess
    import chess.engine
except ImportError:
    chess = None

ROOT = Path(__file__).resolve().parent.parent

EXIT_USAGE = 2
EXIT_ENGINE = 3

POINTS = re.compile(r"\S+=\d+(?:,\s*\S+=\d+)*")


def die(message, code=EXIT_USAGE):
    """Ends the program with a message on stderr."""
    print(f"suite.py: {message}", file=sys.stderr)
    sys.exit(code)


class Position:
    """One line of the suite: a board, and what to ask of the engine there."""

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

    def asks(self):
        return bool(self.best or self.avoid or self.mate is not None or self.points)


class Answer:
    """What the engine said about a position, with the verdict."""

    def __init__(self, position, result):
        self.position = position
        self.move = result.move
        score = result.info.get("score")
        self.mate = score.relative.mate() if score else None
        self.points = position.points.get(result.move, 0)
        self.short_mate = False
        self.solved = self.judge()

    def judge(self):
        position = self.position
        solved = True
        if position.best:
            solved = self.move in position.best
        if position.avoid:
            solved = solved and self.move not in position.avoid
        if position.mate is not None:
            found = self.mate is not None and self.mate * position.mate > 0
            self.short_mate = found and abs(self.mate) < abs(position.mate)
            solved = solved and found and abs(self.mate) <= abs(position.mate)
        return solved


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", metavar="SUITE.epd")
    parser.add_argument("--engine", metavar="CMD", help="default: target/release/carrybit of this repository")
    parser.add_argument("--movetime-ms", metavar="MS", type=int, default=1000, help="default: 1000")
    parser.add_argument("--nodes", metavar="N", type=int, help="a node limit instead of a time")
    parser.add_argument("--go-mate", action="store_true", help="ask for the mate where the suite knows one (dm)")
    parser.add_argument("--hash", metavar="MIB", type=int, default=16, help="default: 16")
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], help="for the engine; repeatable")
    parser.add_argument("--limit", metavar="N", type=int, help="run the first N positions only")
    parser.add_argument("--concurrency", metavar="N", type=int, default=1, help="engines at once (default: 1)")
    parser.add_argument("--chess960", action="store_true", help="the positions are Chess960")
    args = parser.parse_args()
    for name in ("movetime_ms", "nodes", "hash", "limit", "concurrency"):
        value = getattr(args, name)
        if value is not None and value < 1:
            parser.error(f"--{name.replace('_', '-')} must be positive")
    for option in args.option:
        if "=" not in option:
            parser.error(f"--option {option}: expected NAME=VALUE")
    return args


def read_suite(path, chess960):
    if not Path(path).is_file():
        die(f"suite not found: {path}")
    opener = gzip.open if path.endswith(".gz") else open
    positions = []
    with opener(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            try:
                positions.append(Position(line, number, chess960))
            except ValueError as error:
                die(f"{path}:{number}: {error}")
    return positions


def start_engine(words, args):
    engine = chess.engine.SimpleEngine.popen_uci(words)
    options = {"Hash": str(args.hash)} if "Hash" in engine.options else {}
    options.update(option.split("=", 1) for option in args.option)
    try:
        engine.configure(options)
    except chess.engine.EngineError:
        engine.close()
        raise
    return engine


def run(positions, words, args):
    """Asks the engine about each position, `args.concurrency` at a time."""
    def limit(position):
        mate = abs(position.mate) if args.go_mate and position.mate else None
        if args.nodes:
            return chess.engine.Limit(nodes=args.nodes, mate=mate)
        return chess.engine.Limit(time=args.movetime_ms / 1000, mate=mate)

    engines = []
    idle = queue.SimpleQueue()

    def ask(position):
        engine = idle.get()
        try:
            result = engine.play(position.board, limit(position), game=position, info=chess.engine.INFO_SCORE)
        finally:
            idle.put(engine)
        if result.move is None:
            raise chess.engine.EngineError(f"no move at {position.name}")
        return Answer(position, result)

    pool = ThreadPoolExecutor(args.concurrency)
    try:
        for _ in range(min(args.concurrency, len(positions))):
            engines.append(start_engine(words, args))
            idle.put(engines[-1])
        return list(pool.map(ask, positions))
    except (chess.engine.EngineError, asyncio.TimeoutError) as error:
        die(f"engine failed: {str(error) or 'no answer in time'}", EXIT_ENGINE)
    finally:
        pool.shutdown(cancel_futures=True)
        for engine in engines:
            engine.close()


def report(answers, skipped):
    solved = sum(answer.solved for answer in answers)
    failed = [answer for answer in answers if not answer.solved]
    for answer in failed:
        mate = f", mate {answer.mate}" if answer.position.mate is not None and answer.mate is not None else ""
        print(f"failed {answer.position.name}: {answer.position.board.san(answer.move)}{mate}")
    for answer in answers:
        if answer.short_mate:
            print(f"shorter mate {answer.position.name}: {answer.mate} instead of {answer.position.mate}")
    if skipped:
        print(f"skipped {skipped} positions without bm, am, dm or points")
    print(f"solved {solved}/{len(answers)} ({100 * solved / len(answers):.1f} %)")
    if all(answer.position.points for answer in answers):
        total = sum(answer.points for answer in answers)
        most = sum(max(answer.position.points.values()) for answer in answers)
        print(f"points {total}/{most} ({100 * total / most:.1f} %)")


def main():
    args = parse_args()
    if chess is None:
        die("the Python package chess is missing: pip install chess")
    words = shlex.split(args.engine) if args.engine else [str(ROOT / "target" / "release" / "carrybit")]
    if not words or not shutil.which(words[0]):
        hint = "" if args.engine else " (cargo build --release --locked makes it)"
        die(f"engine not found or not executable: {''.join(words[:1])}{hint}")

    positions = read_suite(args.suite, args.chess960)
    asked = [position for position in positions if position.asks()]
    skipped = len(positions) - len(asked)
    asked = asked[: args.limit]
    if not asked:
        die(f"{args.suite}: no position with bm, am, dm or points")
    report(run(asked, words, args), skipped)
    return 0


if __name__ == "__main__":
    sys.exit(main())

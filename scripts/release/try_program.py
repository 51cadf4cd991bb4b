#!/usr/bin/env python3
"""Run an engine as a GUI would, its bench and `analyse`, and check the answers.

Usage:
  scripts/release/try_program.py --version VERSION --bench NODES [--analyse] [--uci-within MS] [--levels LEVEL...] [--] PROGRAM [ARGUMENT...]

PROGRAM may be an emulator, with the engine as its argument. The checks:
  * the answer to `uci` has the given version and, with --uci-within, comes in time (in one of
    twenty starts, because the machine may be busy);
  * an infinite search answers `isready` and can be stopped;
  * a search by time ends; after `quit` the exit code is 0;
  * the bench counts the given nodes, at each of --levels (the values of CARRYBIT_SIMD);
  * with --analyse, the command `analyse` writes the evaluations of a game.

Exit codes:
  0  all checks passed
  1  a check failed
  2  wrong usage, or there is no such program
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

EXIT_FAILED = 1
EXIT_USAGE = 2
# Time limits in seconds, for slow emulators.
DIALOGUE_TIMEOUT_S = 300
BENCH_TIMEOUT_S = 3600
# The fastest of this many starts counts.
STARTS = 20
MOVETIME_MS = 200
BESTMOVE = re.compile(r"bestmove [a-h][1-8][a-h][1-8][nbrq]?( ponder [a-h][1-8][a-h][1-8][nbrq]?)?")
# A game for `analyse`.
GAME = "1. f3 e5 2. g4 Qh4# 0-1\n"
BENCH = re.compile(r"(\d+) nodes \d+ nps")


class Failure(Exception):
    """A failed check."""


class Program:
    """A running engine, killed after DIALOGUE_TIMEOUT_S."""

    def __init__(self, command):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(command, **pipes, encoding="utf-8", bufsize=1)
        self.watchdog = threading.Timer(DIALOGUE_TIMEOUT_S, self.process.kill)
        self.watchdog.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watchdog.cancel()
        self.process.kill()
        self.process.wait()

    def send(self, *lines):
        try:
            self.process.stdin.write("".join(f"{line}\n" for line in lines))
        except OSError as error:
            raise Failure(f"it no longer reads at {lines[0]!r}: {error}") from error

    def ask(self, word, *lines):
        """Sends lines and returns the answer up to the first line that begins with `word`."""
        self.send(*lines)
        answer = []
        for line in self.process.stdout:
            answer.append(line.strip())
            if answer[-1].split(" ")[0] == word:
                return answer
        raise Failure(f"it ends without {word}, or takes longer than {DIALOGUE_TIMEOUT_S} s, after {answer[-3:]}")

    def best_move(self, *lines):
        answer = self.ask("bestmove", *lines)[-1]
        if not BESTMOVE.fullmatch(answer):
            raise Failure(f"no move: {answer!r}")

    def quit(self):
        self.send("quit")
        code = self.process.wait()
        if code != 0:
            raise Failure(f"it quits with exit code {code}, or not within {DIALOGUE_TIMEOUT_S} s")


def try_dialogue(command, version):
    with Program(command) as program:
        if (name := f"id name Carrybit {version}") not in program.ask("uciok", "uci"):
            raise Failure(f"it is not {name!r}")
        program.ask("readyok", "isready")
        program.ask("info", "position startpos moves e2e4", "go infinite")
        if any(line.startswith("bestmove") for line in program.ask("readyok", "isready")):
            raise Failure("a search without end has ended")
        program.best_move("stop")
        program.best_move(f"go movetime {MOVETIME_MS}")
        program.quit()


def try_start(command, limit):
    """The time from the start to `uciok`, in milliseconds."""
    quickest = float("inf")
    for _ in range(STARTS):
        begun = time.perf_counter()
        with Program(command) as program:
            program.ask("uciok", "uci")
            quickest = min(quickest, 1000 * (time.perf_counter() - begun))
            program.quit()
        if quickest <= limit:
            return quickest
    raise Failure(f"uciok comes {quickest:.1f} ms after the start, not within {limit:g}")


def try_bench(command, expected, level):
    env = {**os.environ, "CARRYBIT_SIMD": level} if level else None
    code, output = run([*command, "bench"], env=env)
    last = (output.splitlines() or [""])[-1]
    match = BENCH.fullmatch(last)
    if code != 0 or not match:
        raise Failure(f"its bench ends with {last!r} and exit code {code}")
    if int(match[1]) != expected:
        raise Failure(f"its bench counts {match[1]} nodes, not {expected}")
    return last


def run(command, **options):
    """The exit code and the output of a command."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    try:
        result = subprocess.run(command, **pipes, **options, encoding="utf-8", timeout=BENCH_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(command)} takes longer than {BENCH_TIMEOUT_S} s") from None
    return result.returncode, result.stdout.strip()


def try_analysis(command):
    with tempfile.TemporaryDirectory() as folder:
        games = Path(folder) / "games.pgn"
        games.write_text(GAME, encoding="utf-8")
        code, _ = run([*command, "analyse", games.name, "--nodes", "1000", "--hash", "1"], cwd=folder)
        if code != 0:
            raise Failure(f"it exits with {code}")
        output = games.with_suffix(".analysed.pgn")
        if not output.is_file() or "[%eval" not in output.read_text(encoding="utf-8"):
            raise Failure("it writes no evaluations")


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", required=True, help="the expected version")
    parser.add_argument("--bench", type=int, required=True, metavar="NODES", help="the expected node count of its bench")
    parser.add_argument("--analyse", action="store_true", help="try the command `analyse`, too")
    parser.add_argument("--uci-within", type=float, metavar="MS", help="longest time from its start to `uciok`")
    parser.add_argument("--levels", nargs="+", default=[""], metavar="LEVEL", help="vector instructions for the bench")
    parser.add_argument("command", nargs="+", metavar="PROGRAM")
    args = parser.parse_args()
    # Windows finds no program by a relative path with slashes, and `analyse` runs in another
    # folder.
    args.command = [str(Path(word).resolve()) if Path(word).is_file() else word for word in args.command]
    return args


def main():
    args = parse_args()
    try:
        try_dialogue(args.command, args.version)
        print("dialogue: passed")
        if args.uci_within is not None:
            print(f"from the start to uciok: {try_start(args.command, args.uci_within):.1f} ms")
        for level in args.levels:
            print(f"bench{level and f' ({level})'}: {try_bench(args.command, args.bench, level)}")
        if args.analyse:
            try_analysis(args.command)
            print("analysis: passed")
    except Failure as error:
        print(f"try_program.py: {' '.join(args.command)}: {error}", file=sys.stderr)
        sys.exit(EXIT_FAILED)
    except OSError as error:
        print(f"try_program.py: {args.command[0]} cannot be run: {error}", file=sys.stderr)
        sys.exit(EXIT_USAGE)


if __name__ == "__main__":
    main()

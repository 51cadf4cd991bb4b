"""Pairs of games between two settings of our engine, for spsa.py and screen.py.

The two settings play from the same opening with both colours, at a fixed number of nodes
for each move. An iteration that has begun is finished, as it mostly is by the clock; --hard
breaks it off. With --clock they have clocks instead, so that what makes nodes slower counts,
too; nothing else should run then. Several pairs are played at once, each by a process with
two engines. Needs the Python package chess.
"""

import argparse
import dataclasses
import itertools
import os
import shlex
import subprocess
import tempfile
import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from adjudication import Referee
from match import ROOT, die, plain_book

try:
    import chess
    import chess.engine
except ImportError:
    die("the Python package chess is missing: pip install chess")

# A longer game is a draw.
MAX_PLIES = 300
# The score of a mate, in centipawns.
MATE_CP = 30_000
# Grace time for the overhead of this program, in seconds per move.
MARGIN = 0.02


@dataclasses.dataclass
class Pair:
    """Two games to play: the parameters of both sides, and the opening as a FEN."""

    plus: dict
    minus: dict
    fen: str
    # Comes back with the result.
    tag: Any = None


class Pace:
    """The limits of one game: a number of nodes for each move or, if there is a `clock` (seconds,
    increment), the time left."""

    def __init__(self, nodes, clock):
        self.nodes = nodes
        self.clock = clock
        # Indexed by the side, a bool: Black's first.
        self.left = [clock[0], clock[0]] if clock else None

    def limit(self):
        """The limit of the next move."""
        if not self.clock:
            return chess.engine.Limit(nodes=self.nodes)
        black, white = self.left
        increment = self.clock[1]
        return chess.engine.Limit(white_clock=white, black_clock=black, white_inc=increment, black_inc=increment)

    def spend(self, side, seconds):
        """A move of `side` took this long. Returns whether its time was enough."""
        if not self.clock:
            return True
        self.left[side] -= seconds
        is_enough = self.left[side] >= -MARGIN
        self.left[side] = max(self.left[side], 0.0) + self.clock[1]
        return is_enough


def read_clock(text):
    """Seconds and increment of a time control like 4+0.04."""
    seconds, _, increment = text.partition("+")
    try:
        clock = float(seconds), float(increment or 0)
    except ValueError:
        clock = 0.0, 0.0
    if clock[0] <= 0 or clock[1] < 0:
        raise argparse.ArgumentTypeError(f"not seconds or seconds+increment: {text}")
    return clock


def read_params(engine, prefixes):
    """The search parameters that begin with one of `prefixes` (all if there is none), with
    value, range and steps, by their names."""
    try:
        text = subprocess.run([*shlex.split(engine), "params"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        die(f"the engine shows no parameters: {error}")
    params = {}
    for line in text.splitlines():
        name, _, *numbers = (word.strip() for word in line.split(","))
        if not prefixes or name.startswith(tuple(prefixes)):
            params[name] = dict(zip(("value", "min", "max", "c_end", "r_end"), map(float, numbers), strict=True))
    return params


def add_arguments(parser, nodes, hash_mb):
    """The options of all scripts that play pairs, with their defaults."""
    parser.add_argument("--engine", metavar="CMD", default=shlex.quote(str(ROOT / "target/release/carrybit")))
    parser.add_argument("--book", metavar="EPD", required=True, help="also .zst or .gz")
    parser.add_argument("--nodes", metavar="N", type=int, default=nodes)
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument("--hard", action="store_true", help="break iterations off at N nodes (default: at 8 N)")
    pace.add_argument("--clock", metavar="S+INC", type=read_clock, help="clocks instead of nodes, in seconds")
    parser.add_argument("--pairs", metavar="N", type=int, required=True, help="pairs of games in the whole run")
    parser.add_argument("--concurrency", metavar="N", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--hash", metavar="MIB", type=int, default=hash_mb)
    parser.add_argument("--out", metavar="DIR", required=True)


def read_book(path):
    """The openings of a book, as FENs."""
    with tempfile.TemporaryDirectory(prefix="carrybit-book-") as scratch:
        lines = plain_book(path, scratch).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip()] or die(f"no opening in {path}")


def pace_of(args):
    """The limits of all games, to compare the settings of two runs."""
    return {"clock": list(args.clock)} if args.clock else {"nodes": args.nodes, "hard": args.hard}


def play_game(white, black, fen, pace):
    """White's points in a game of two engines: 1, 0.5 or 0."""
    board = chess.Board(fen)
    referee = Referee()
    game = object()
    for _ in range(MAX_PLIES):
        engine = white if board.turn == chess.WHITE else black
        limit, start = pace.limit(), time.perf_counter()
        played = engine.play(board, limit, game=game, info=chess.engine.INFO_SCORE)
        if not pace.spend(board.turn, time.perf_counter() - start):
            return 0.0 if board.turn == chess.WHITE else 1.0
        if played.move is None:
            raise chess.engine.EngineError(f"no move in {board.fen()}")
        board.push(played.move)
        if outcome := board.outcome():
            return {chess.WHITE: 1.0, chess.BLACK: 0.0, None: 0.5}[outcome.winner]
        if board.is_repetition() or board.is_fifty_moves():
            return 0.5
        cp = played.info["score"].white().score(mate_score=MATE_CP)
        points = referee.update(cp, board.fullmove_number - 1, zeroing=board.halfmove_clock == 0)
        if points is not None:
            return points
    return 0.5


# The two engines of this process.
ENGINES = []


def start_engines(args):
    """Starts the engines of a process that plays pairs."""
    for _ in range(2):
        engine = chess.engine.SimpleEngine.popen_uci(shlex.split(args.engine))
        engine.configure({"Hash": args.hash, **({} if args.hard else {"SoftNodes": True})})
        ENGINES.append(engine)


def play_pair(pair, nodes, clock):
    """The tag of a pair, and half the points of the side `plus` less half of those of `minus`."""
    plus, minus = ENGINES
    plus.configure(pair.plus)
    minus.configure(pair.minus)
    first = play_game(plus, minus, pair.fen, Pace(nodes, clock))
    return pair.tag, first - play_game(minus, plus, pair.fen, Pace(nodes, clock))


def play_pairs(pairs, args):
    """Plays pairs and yields the result of each (see play_pair) as it ends. A pair is taken from
    `pairs` only when a process is free to play it."""
    pairs = iter(pairs)
    waiting = set()
    with ProcessPoolExecutor(args.concurrency, initializer=start_engines, initargs=(args,)) as pool:
        while True:
            for pair in itertools.islice(pairs, args.concurrency - len(waiting)):
                waiting.add(pool.submit(play_pair, pair, args.nodes, args.clock))
            if not waiting:
                return
            ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for job in ended:
                try:
                    yield job.result()
                except (BrokenProcessPool, chess.engine.EngineError) as error:
                    die(f"engine failed: {error!r}")

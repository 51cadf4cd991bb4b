"""Pairs of games between two settings of our engine, for spsa.py and screen.py.

The two settings play the same opening with both colours, at a fixed number of nodes per move.
This limit is soft: the engine finishes an iteration that it has begun, up to eight times the
nodes; --hard makes the limit exact. With --clock the games have clocks instead, so that the
speed of the search counts, too: run nothing else then. fastchess plays each pair, several at
once. match.py has the rules of adjudication.
"""

import shlex
import subprocess
import tempfile
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import match

# A longer game is a draw.
MAX_MOVES = 150


class Pair(NamedTuple):
    """Two games to play: the parameters of both sides, and the opening as a line of EPD."""

    plus: dict
    minus: dict
    opening: str
    # Returned with the result.
    tag: Any = None


def read_params(engine, prefixes):
    """The search parameters by name, each with value, range and steps. Only those that begin with
    one of `prefixes`; all if `prefixes` is empty."""
    try:
        text = subprocess.run([*shlex.split(engine), "params"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        match.die(f"the engine lists no parameters: {error}")
    params = {}
    for line in text.splitlines():
        name, _, *numbers = (word.strip() for word in line.split(","))
        if not prefixes or name.startswith(tuple(prefixes)):
            params[name] = dict(zip(("value", "min", "max", "c_end", "r_end"), map(float, numbers), strict=True))
    return params


def add_arguments(parser, nodes, hash_mb):
    """Adds the options that spsa.py and screen.py share, with these defaults."""
    parser.add_argument("--engine", metavar="CMD", default=shlex.quote(str(match.RELEASE)))
    parser.add_argument("--book", metavar="EPD", required=True, help="also .zst or .gz")
    parser.add_argument("--nodes", metavar="N", type=match.positive, default=nodes)
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument("--hard", action="store_true", help="stop within an iteration at N nodes (default: at 8 N)")
    pace.add_argument("--clock", metavar="S+INC", help="clocks instead of nodes, in seconds")
    parser.add_argument("--pairs", metavar="N", type=match.positive, required=True, help="pairs of games in the whole run")
    parser.add_argument("--concurrency", metavar="N", type=match.positive, default=match.CORES)
    parser.add_argument("--hash", metavar="MIB", type=match.positive, default=hash_mb)
    parser.add_argument("--out", metavar="DIR", required=True)


def read_book(path):
    """The openings of a book, as lines of EPD."""
    return [line for line in match.read_lines(path) if line.strip()] or match.die(f"no opening in {path}")


def pace_of(args):
    """The limits of all games, to compare the settings of two runs."""
    return {"clock": args.clock} if args.clock else {"nodes": args.nodes, "hard": args.hard}


def play_pair(pair, args):
    """The tag of a pair, and half the difference between the points of `plus` and of `minus`."""
    soft = {} if args.hard else {"SoftNodes": "true"}
    plus, minus = (
        " ".join(f"{name}={value}" for name, value in {**soft, **params}.items()) for params in (pair.plus, pair.minus)
    )
    with tempfile.TemporaryDirectory(prefix="carrybit-pair-") as directory:
        opening = Path(directory) / "opening.epd"
        opening.write_text(pair.opening + "\n", encoding="utf-8")
        played = match.run_match(match.parse_args([
            "--engine", args.engine, "--engine-name", "plus", "--engine-options", plus,
            "--opponent", args.engine, "--opponent-name", "minus", "--opponent-options", minus,
            *(["--tc", args.clock] if args.clock else ["--nodes", str(args.nodes)]),
            "--hash", str(args.hash), "--book", str(opening), "--games", "2", "--concurrency", "1",
            "--max-moves", str(MAX_MOVES), "--out", directory, "--quiet",
        ]))  # fmt: skip
    score = match.score(played.lines)
    failures = sum(match.count_forfeits(played.lines, played.names).values(), start=match.Counter())
    del failures["on time"]
    if not score or score.games != "2" or failures:
        match.die("\n".join(["a pair of games failed:", *played.lines[-5:]]), match.EXIT_MATCH)
    return pair.tag, (int(score.wins) - int(score.losses)) / 2


def play_pairs(pairs, args):
    """Plays pairs and yields the result of each (see play_pair) as it ends. A pair is taken from
    `pairs` only when a process is free to play it."""
    pairs = iter(pairs)
    waiting = set()
    with ProcessPoolExecutor(args.concurrency) as pool:
        while True:
            waiting.update(pool.submit(play_pair, pair, args) for pair in islice(pairs, args.concurrency - len(waiting)))
            if not waiting:
                return
            ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for job in ended:
                yield job.result()

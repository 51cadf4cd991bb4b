#!/usr/bin/env python3
"""Play games through lichess-bot's own code, without lichess.org.

Usage:
  scripts/lichess/play_mock.py LICHESS_BOT ENGINE --out DIR

LICHESS_BOT is a clone of https://github.com/lichess-bot-devs/lichess-bot, ENGINE the
program of Carrybit; neither is changed. Run it with a Python that has the packages of
lichess-bot's requirements.txt.

lichess-bot plays with its own default configuration and with config.yml in turn (only
the path of the engine is filled in), pondering, standard chess and Chess960, with either
colour. The server is the mock of lichess-bot's tests, extended by mock_server.py; the
opponent is the same engine with limited strength. Ten games take 9 to 15 minutes.

The table shows for each game the least time on lichess-bot's clock. On a busy machine play
with more time (--clock).

For each game, DIR gets lichess-bot's log with the dialogue of the engine (gameNN.log)
and its other output (gameNN.out, gameNN.err); games.pgn has all games.

Exit code: 0 if all games were played to their end without a warning or an error in the
log, a lost connection, text on standard error, or a loss on time by lichess-bot; else 1.
"""

import argparse
import contextlib
import logging
import multiprocessing
import os
import random
import re
import sys
import threading
from pathlib import Path

from check_config import read_config

CONFIG = Path(__file__).resolve().parent / "config.yml"
# A problem in lichess-bot's log. The level comes after `(file:line)`.
PROBLEM = re.compile(r"^\S+ \S+ \S+ \(\S+:\d+\) (?:WARNING|ERROR|CRITICAL) .*", re.MULTILINE)
HEADINGS = "game configuration variant bot clock end result moves least-clock ponder-hits problems".split()
COLUMNS = "{:>4}  {:13} {:8} {:5} {:>7}  {:10} {:7} {:>5}  {:>11}  {:>11}  {:>8}"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lichess_bot", metavar="LICHESS_BOT", type=Path)
    parser.add_argument("engine", metavar="ENGINE", type=Path)
    parser.add_argument("--out", metavar="DIR", type=Path, required=True)
    parser.add_argument("--games", metavar="N", type=int, default=10)
    parser.add_argument("--clock", metavar="BASE+INC", type=clock, default="20+1", help="in seconds (default: 20+1)")
    args = parser.parse_args()
    for path in (args.lichess_bot / "lib" / "lichess_bot.py", args.engine):
        if not path.is_file():
            parser.error(f"there is no {path}")
    args.lichess_bot, args.engine, args.out = (path.resolve() for path in (args.lichess_bot, args.engine, args.out))
    return args


def clock(text):
    base, _, increment = text.partition("+")
    return float(base), float(increment)


def pairings(count, clock):
    """The name of the configuration and the pairing of each game. Every eight games have all
    combinations of configuration, variant and colour."""
    import chess
    from mock_server import Pairing

    dice = random.Random(1)
    for index in range(count):
        name = "ours" if index & 1 else "default"
        fen = chess.Board.from_chess960_pos(dice.randrange(960)).fen() if index & 2 else None
        color = chess.BLACK if index & 4 else chess.WHITE
        yield name, Pairing(fen, color, *clock)


@contextlib.contextmanager
def console_to(stem):
    """Redirects the output of this process and its children to files."""
    kept = [os.dup(stream) for stream in (1, 2)]
    for stream, suffix in ((1, ".out"), (2, ".err")):
        with open(stem.with_suffix(suffix), "w", encoding="utf-8") as file:
            os.dup2(file.fileno(), stream)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for stream, old in zip((1, 2), kept, strict=True):
            os.dup2(old, stream)
            os.close(old)


def play(pairing, settings, opponent, stem):
    """Plays one game and returns its server."""
    from lib import lichess_bot
    from mock_server import Lichess, Server

    # Logging to the console is slow, and the log file has it all.
    lichess_bot.RichHandler = logging.NullHandler
    log = stem.with_suffix(".log")
    log.unlink(missing_ok=True)
    with multiprocessing.Manager() as manager, console_to(stem):
        states, actions = manager.Queue(), manager.Queue()
        server = Server(pairing, opponent, states, actions)
        li = Lichess(states, actions)
        thread = threading.Thread(target=server.play)
        thread.start()
        server.started.wait()
        lichess_bot.logging_configurer(logging.DEBUG, str(log), True)
        lichess_bot.disable_restart()
        try:
            lichess_bot.start(li, li.get_profile(), settings, logging.DEBUG, str(log), True, one_game=True)
        finally:
            server.closed.set()
            thread.join()
        logging.getLogger().handlers.clear()
    return server


def problems(server, stem):
    """The problems of a game, as lines."""
    found = PROBLEM.findall(stem.with_suffix(".log").read_text(encoding="utf-8"))
    found += stem.with_suffix(".err").read_text(encoding="utf-8").splitlines()
    if server.error:
        found.append(f"the server failed: {server.error!r}")
    elif server.outcome.status == "aborted":
        found.append("the game was aborted")
    elif server.outcome.status == "outoftime" and server.outcome.winner != server.pairing.bot:
        found.append("lichess-bot lost on time")
    if server.reconnects:
        found.append(f"lichess-bot lost the connection to its game {server.reconnects} times")
    return found


def row(number, name, server, stem, found):
    import chess

    log = stem.with_suffix(".log").read_text(encoding="utf-8")
    pairing = server.pairing
    pondered, hits = log.count("<< go ponder"), log.count("<< ponderhit")
    return COLUMNS.format(
        number, name, pairing.variant, chess.COLOR_NAMES[pairing.bot], f"{pairing.base:g}+{pairing.increment:g}",
        server.outcome.status if server.outcome else "error", server.result(),
        (len(server.board.move_stack) + 1) // 2, f"{server.least_clock:.2f} s", f"{hits}/{pondered}", len(found),
    )  # fmt: skip


def main():
    args = arguments()
    sys.path.insert(0, str(args.lichess_bot))
    args.out.mkdir(parents=True, exist_ok=True)
    # lichess-bot writes files to the current folder.
    os.chdir(args.out)
    sources = {"default": args.lichess_bot / "config.yml.default", "ours": CONFIG}
    settings = {
        name: read_config(source, args.engine, args.out / f"config-{name}.yml") for name, source in sources.items()
    }
    print(COLUMNS.format(*HEADINGS), flush=True)

    clean = True
    with open(args.out / "games.pgn", "w", encoding="utf-8") as games:
        for number, (name, pairing) in enumerate(pairings(args.games, args.clock), 1):
            stem = args.out / f"game{number:02}"
            server = play(pairing, settings[name], [str(args.engine)], stem)
            print(server.pgn(f"lichess-bot, configuration {name}, game {number}"), end="\n\n", file=games, flush=True)
            found = problems(server, stem)
            clean = clean and not found
            lines = [row(number, name, server, stem, found), *(f"      {line}" for line in found)]
            print("\n".join(lines), flush=True)
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Pick quiet positions from PGN files and label them by deep searches, for `workshop error`.

Usage:
  crates/workshop/label.py --engine CMD --out FILE.epd [options] GAMES.pgn...

One position is drawn from each game, as for training: from ply 16 on, not in check, the halfmove
clock below 40, and the best move of the search neither a capture nor a promotion. Positions with
a score of 20 pawns or more, or a mate score, are skipped. Each line of the result is EPD with the
operations ce (centipawns from the view of the side to move) and acn (nodes). The same options give
the same positions. Needs the Python package chess (tests/python/requirements.txt).

  --positions N   the number of positions (10000); fewer if the games are used up
  --nodes N       nodes of each search (60000)
  --hash MB       hash of each engine (16)
  --engines N     engines that search at the same time (2)
  --seed N        the seed of the positions (1)
"""

import argparse
import gzip
import random
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from queue import SimpleQueue

import chess
import chess.engine
import chess.pgn

MIN_PLY = 16
MAX_CLOCK = 40
MAX_CP = 2000


def draw(paths, seed):
    """Yield one position of each game."""
    rng = random.Random(seed)
    for path in paths:
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8", errors="replace") as file:
            while game := chess.pgn.read_game(file):
                nodes = list(game.mainline())[MIN_PLY - 1 : -1]
                if nodes and not game.errors:
                    yield rng.choice(nodes).board()


def label(engines, board, nodes):
    """A line of EPD, or None if the position is not quiet."""
    if board.is_check() or board.halfmove_clock >= MAX_CLOCK or board.chess960:
        return None
    engine = engines.get()
    try:
        result = engine.play(
            board, chess.engine.Limit(nodes=nodes), info=chess.engine.INFO_SCORE, game=object()
        )
    finally:
        engines.put(engine)
    move, score = result.move, result.info["score"].pov(board.turn)
    if score.is_mate() or abs(score.score()) >= MAX_CP:
        return None
    if board.is_capture(move) or move.promotion:
        return None
    return board.epd(ce=score.score(), acn=nodes)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("games", nargs="+", type=Path)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--out", required=True, type=Path)
    for name, default in [
        ("positions", 10_000), ("nodes", 60_000), ("hash", 16), ("engines", 2), ("seed", 1)
    ]:
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    idle, count = SimpleQueue(), 0
    with ExitStack() as stack:
        try:
            out = stack.enter_context(arguments.out.open("w", encoding="utf-8"))
        except OSError as error:
            parser.error(f"--out {error}")
        for _ in range(arguments.engines):
            try:
                engine = chess.engine.SimpleEngine.popen_uci(shlex.split(arguments.engine))
            except (OSError, chess.engine.EngineError) as error:
                parser.error(f"--engine {arguments.engine}: {error}")
            stack.enter_context(engine).configure({"Hash": arguments.hash})
            idle.put(engine)
        pool = stack.enter_context(ThreadPoolExecutor(arguments.engines))
        boards = draw(arguments.games, arguments.seed)
        # In blocks, since map() would read all games first.
        while count < arguments.positions and (
            block := list(islice(boards, 64 * arguments.engines))
        ):
            labels = pool.map(lambda board: label(idle, board, arguments.nodes), block)
            lines = list(filter(None, labels))[: arguments.positions - count]
            out.writelines(line + "\n" for line in lines)
            count += len(lines)
    print(f"{count} positions", file=sys.stderr)


if __name__ == "__main__":
    main()

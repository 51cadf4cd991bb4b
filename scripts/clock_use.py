#!/usr/bin/env python3
"""Plot how players use their clocks over a game.

Usage:
  scripts/clock_use.py GAMES.pgn [MORE.pgn ...] --out clock.svg [--player NAME ...] [--moves 80]

Reads the time of each move from the comments that fastchess and cutechess-cli write, such as
{+0.34/14 0.123s}, and the clock from the tag TimeControl (seconds, or seconds+increment).
Players are identified by the tags White and Black; --player selects some. The upper plot
shows the average time of a move, by its number after the opening, as a share of the initial
clock; the lower plot shows the average and the least time left. The script also prints these
numbers for every tenth move. It needs the Python packages chess and matplotlib.

Exit codes: 0 done; 1 fewer than 5 games have times and a clock; 2 wrong usage, or something is missing
"""

import argparse
import itertools
import re
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import match
from match import chess

MOVE_TIME = re.compile(r"[ /](\d+(?:\.\d+)?)s\b")
TIME_CONTROL = re.compile(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?$")
COLORS = ("#266eb4", "#c1442e", "#3c8c4a", "#8a5fb0")
# A move's average needs this many games.
FEWEST_GAMES = 5


class Use(NamedTuple):
    """The time of one move, and the time left after it, as shares of the initial clock."""

    spent: float
    left: float


def move_seconds(comment):
    """The time of a move in seconds, from its comment, or None."""
    times = MOVE_TIME.findall(" " + comment)
    return float(times[-1]) if times else None


def clock_of(headers):
    """Initial seconds and increment; None for any other time control."""
    control = TIME_CONTROL.match(headers.get("TimeControl", ""))
    return (float(control[1]), float(control[2] or 0)) if control and float(control[1]) > 0 else None


def uses_of(game):
    """The moves of both players of a game: {player: [Use of each move, ...]}."""
    clock = clock_of(game.headers)
    if clock is None:
        return {}
    start, increment = clock
    players = {True: game.headers.get("White", "?"), False: game.headers.get("Black", "?")}
    left = {True: start, False: start}
    uses = defaultdict(list)
    for node in game.mainline():
        side = not node.turn()
        seconds = move_seconds(node.comment)
        if seconds is None:
            # Moves of the book come first.
            if uses:
                break
            continue
        left[side] += increment - seconds
        uses[players[side]].append(Use(seconds / start, left[side] / start))
    return uses


def read_games(paths, wanted):
    """The moves of all games by number: {player: [[Use of the first move in each game], ...]}."""
    by_move = defaultdict(list)
    for path in paths:
        with Path(path).open(encoding="utf-8", errors="replace") as file:
            while (game := chess.pgn.read_game(file)) is not None:
                for player, uses in uses_of(game).items():
                    if wanted and player not in wanted:
                        continue
                    rows = by_move[player]
                    for number, use in enumerate(uses):
                        if number == len(rows):
                            rows.append([])
                        rows[number].append(use)
    return by_move


def curves(rows, moves):
    """Mean time of each move, mean and least time left after it, in percent."""
    rows = [row for row in rows[:moves] if len(row) >= FEWEST_GAMES]

    def percent(summary, field):
        return [100 * summary(getattr(use, field) for use in row) for row in rows]

    return percent(fmean, "spent"), percent(fmean, "left"), percent(min, "left")


def draw(drawn, path):
    figure, (upper, lower) = match.pyplot("clock").subplots(2, 1, figsize=(8, 6), sharex=True)
    for color, (player, (spent, left, least)) in zip(itertools.cycle(COLORS), drawn.items()):
        numbers = range(1, len(spent) + 1)
        upper.plot(numbers, spent, color=color, label=player)
        lower.plot(numbers, left, color=color, label=player)
        lower.plot(numbers, least, color=color, linestyle=":", linewidth=1)
    upper.set_ylabel("time of a move, % of the clock")
    lower.set_ylabel("time left, %; dotted: the least")
    lower.set_xlabel("move after the opening")
    for axis in (upper, lower):
        axis.set_ylim(bottom=0)
        axis.grid(color="#e0e0e0")
        axis.spines[["top", "right"]].set_visible(False)
    upper.legend(frameon=False)
    figure.savefig(path, bbox_inches="tight", facecolor="white", metadata={"Date": None, "Title": "Use of the clock"})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", metavar="GAMES.pgn", nargs="+")
    parser.add_argument("--out", metavar="FILE", required=True, help="the picture, .svg")
    parser.add_argument("--player", metavar="NAME", action="append", help="only this one; may be repeated")
    parser.add_argument("--moves", metavar="N", type=int, default=80, help="up to this move (default: 80)")
    args = parser.parse_args()
    if not chess:
        match.die("the Python package chess is missing: pip install chess")
    try:
        by_move = read_games(args.games, args.player)
        drawn = {player: curves(rows, args.moves) for player, rows in sorted(by_move.items())}
        drawn = {player: lines for player, lines in drawn.items() if lines[0]}
        if not drawn:
            match.die(f"fewer than {FEWEST_GAMES} games have a clock and the times of moves", code=1)
        draw(drawn, args.out)
    except OSError as error:
        match.die(f"{error.filename}: {error.strerror}")
    for player, (spent, left, least) in drawn.items():
        print(f"{player}: move, time in %, left in %, least")
        for number in range(9, len(spent), 10):
            print(f"  {number + 1:3}  {spent[number]:5.2f}  {left[number]:5.1f}  {least[number]:5.1f}")


if __name__ == "__main__":
    main()

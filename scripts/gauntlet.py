#!/usr/bin/env python3
"""Plays our engine against several opponents, one match each, and prints a rating table.

Usage:
  scripts/gauntlet.py [--config FILE] [options] [--] [OPPONENT ...]

  OPPONENT       NAME=CMD or NAME=CMD:OPTIONS, OPTIONS as in
                 match.py --opponent-options:
                   "fruit=/usr/games/fruit:OwnBook=false"
  --config FILE  more opponents, one per line; blank lines and # comments are
                 skipped
  --out DIR      gets a directory for each opponent (default: a new directory
                 under the temporary one)

Every other option is one of match.py, for example
  scripts/gauntlet.py --book UHO_4060_v4.epd.zst --tc 4+0.04 --games 200 \\
      "fruit=fruit:OwnBook=false" "toga2=toga2:OwnBook=false"

Exit codes:
  0  all matches were played and our engine forfeited no game
  1  our engine forfeited a game
  2  wrong usage, or a program or file is missing
  3  a match failed or was interrupted
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

import match

ROW = "{:<20} {:>6} {:>6} {:>6} {:>6} {:>8} {:>9} {:>9}"
NO_SCORE = match.Score(*["-"] * len(match.Score._fields))


def read_config(path):
    if not Path(path).is_file():
        match.die(f"config file not found: {path}")
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("opponents", metavar="OPPONENT", nargs="*")
    parser.add_argument("--config", metavar="FILE", action="append", default=[])
    match.add_options(parser)
    args = parser.parse_intermixed_args()
    match.check(parser, args)
    args.opponents = [line for path in args.config for line in read_config(path)] + args.opponents
    if not args.opponents:
        match.die("no opponent given (see --help)")
    for opponent in args.opponents:
        if not re.match(r"[^=]+=[^:]+", opponent):
            match.die(f'opponent "{opponent}": expected NAME=CMD or NAME=CMD:OPTIONS')
    return args


def main():
    args = parse_args()
    out = Path(args.out or tempfile.mkdtemp(prefix="carrybit-gauntlet-"))
    table = [ROW.format("opponent", "games", "W", "L", "D", "score %", "Elo", "+/-")]
    status = 0
    for opponent in args.opponents:
        args.opponent_name, _, command = opponent.partition("=")
        args.opponent, _, args.opponent_options = command.partition(":")
        args.out = out / args.opponent_name
        score, code = match.play_match(args)
        status = max(status, code)
        table.append(ROW.format(args.opponent_name, *(score or NO_SCORE)))
        print(flush=True)
    print("\n".join(table))
    return status


if __name__ == "__main__":
    sys.exit(main())

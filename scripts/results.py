"""What strength.py and calibrate_elo.py have in common: they play a few games at a time and
add the results to a small file that is part of the repository.

The file is a list in JSON, a line to a match: what it was played with, and the wins,
draws and losses of the first side.
"""

import json
import os
import re
import subprocess
import time

import match

COUNTS = ("wins", "draws", "losses")
# Games between two writes of the results.
CHUNK = 20


def add_arguments(player):
    """The arguments for playing that both scripts have."""
    player.add_argument("--book", metavar="FILE", required=True, help=".epd or .pgn, also .zst or .gz")
    player.add_argument("--chunk", metavar="N", type=int, default=CHUNK, help=f"games at a time (default: {CHUNK})")
    player.add_argument("--concurrency", metavar="N", type=int, default=len(os.sched_getaffinity(0)))
    player.add_argument("--engine", metavar="CMD", help="default: target/release/carrybit")
    player.add_argument("--fastchess", metavar="CMD", help="default: FASTCHESS, or fastchess on PATH")


def find_programs(args):
    """Fills in our engine if none is given, and returns the path of fastchess."""
    if args.fastchess:
        os.environ["FASTCHESS"] = args.fastchess
    args.engine = args.engine or match.own_engine()
    return match.find_fastchess()


def read(path):
    """The rows of a file, none if it is absent."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def matching(rows, key):
    """The rows that were played with what `key` says."""
    return [row for row in rows if all(row.get(field) == value for field, value in key.items())]


def games(row):
    return sum(row[field] for field in COUNTS)


def score(row):
    """The share of the points that the first side made."""
    return (row["wins"] + row["draws"] / 2) / games(row)


def add(path, key, played, **remarks):
    """Adds the counts of a match.Score to the row with this key, or a new one with the remarks."""
    rows = read(path)
    row = next(iter(matching(rows, key)), None)
    if row is None:
        row = {**key, **dict.fromkeys(COUNTS, 0), **remarks}
        rows.append(row)
    for field in COUNTS:
        row[field] += int(getattr(played, field))
    row["date"] = time.strftime("%Y-%m-%d")
    text = ",\n".join(json.dumps(row) for row in rows)
    # Renamed into place: an interruption leaves the old file or the new one.
    whole = path.with_suffix(".new")
    whole.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    whole.replace(path)


def run(engine, *words):
    """What our engine prints when it is given these arguments."""
    program, arguments = match.resolve(engine)
    return subprocess.run([program, *arguments, *words], capture_output=True, text=True).stdout.strip()


def signature(engine):
    """The node count of our engine's bench, by which its play is known."""
    count = re.search(r"(\d+) nodes \d+ nps$", run(engine, "bench"))
    return int(count[1]) if count else match.die(f"{engine} bench: no node count")

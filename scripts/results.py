"""The results that strength.py and calibrate_elo.py collect, a few games at a time, in a small file
of the repository. The file is a JSON list. Each match has a line with its conditions and the wins,
draws and losses of our engine.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time

import match

COUNTS = ("wins", "draws", "losses")
# The number of games after which the results are written.
CHUNK = 20


def add_arguments(player):
    """Adds the arguments of `play` that both scripts have."""
    player.add_argument("--book", metavar="FILE", required=True, help=".epd or .pgn, also .zst or .gz")
    player.add_argument("--chunk", metavar="N", type=match.positive, default=CHUNK, help=f"games at a time (default: {CHUNK})")
    player.add_argument("--concurrency", metavar="N", type=match.positive, help="games at a time (default: one for each core, or for --threads cores)")
    player.add_argument("--engine", metavar="CMD", help="default: target/release/carrybit")


def find_programs(args):
    """Fills in our engine and the number of games at a time if none is given, and checks that fastchess can be run."""
    args.engine = args.engine or match.own_engine()
    args.concurrency = args.concurrency or max(1, match.CORES // getattr(args, "threads", 1))
    match.find_fastchess()


def read(path):
    """The rows of a file; none if it is absent."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def matching(rows, key):
    """The rows whose fields have the values in `key`."""
    return [row for row in rows if all(row.get(field) == value for field, value in key.items())]


def games(row):
    return sum(row[field] for field in COUNTS)


def score(row):
    """Our share of the points."""
    return (row["wins"] + row["draws"] / 2) / games(row)


def add(path, key, played):
    """Adds the counts of a match.Score to the row with this key, or to a new one."""
    rows = read(path)
    row = next(iter(matching(rows, key)), None)
    if row is None:
        row = {**key, **dict.fromkeys(COUNTS, 0)}
    else:
        rows.remove(row)
    # The last row is the newest.
    rows.append(row)
    for field in COUNTS:
        row[field] += int(getattr(played, field))
    row["date"] = time.strftime("%Y-%m-%d")
    text = ",\n".join(json.dumps(row) for row in rows)
    # An interruption leaves the old file or the new one.
    whole = path.with_name(path.name + ".new")
    whole.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    whole.replace(path)


def play(args, opponent, name, *options):
    """Plays some games against an opponent, with `options` of match.py, and returns the score.
    Exits if the match fails or a game was forfeited."""
    directory = tempfile.mkdtemp(prefix="carrybit-games-")
    played, code = match.play_match(match.parse_args([
        "--engine", args.engine, "--engine-name", "Carrybit", "--opponent", opponent, "--opponent-name", name,
        "--book", str(args.book), "--concurrency", str(args.concurrency), "--srand", str(time.time_ns() % 2**32),
        "--out", directory, "--quiet", *options,
    ]))  # fmt: skip
    if any(count.total() for count in match.count_forfeits(played.lines, played.names).values()):
        match.die("games were forfeited and do not count (is the machine busy?)", match.EXIT_FORFEIT)
    score = match.score(played.lines)
    if not score or code:
        sys.exit(code or match.EXIT_MATCH)
    shutil.rmtree(directory)
    return score


def run(engine, *words, text=None):
    """The output of an engine with these arguments and this input."""
    program, arguments = match.resolve(engine)
    command = [program, *arguments, *words]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False).stdout.strip()


def name_of(command, expected):
    """An opponent's own name, which includes its version. Exits if it does not begin with `expected`."""
    found = re.search(r"^id name (.*)$", run(command, text="uci\nquit\n"), re.MULTILINE)
    name = found[1].strip() if found else match.die(f"{command}: no answer to uci")
    return name if name.startswith(expected) else match.die(f"{command} is {name}, not {expected}")


def signature(engine):
    """The node count of our engine's bench, which identifies its play."""
    count = re.search(r"(\d+) nodes \d+ nps$", run(engine, "bench"))
    return int(count[1]) if count else match.die(f"{engine} bench: no node count")

#!/usr/bin/env python3
"""Play a match or an SPRT between two UCI engines with fastchess.

Usage:
  scripts/match.py --opponent CMD --book FILE [options]

Typical calls:
  # 200 games against another engine
  scripts/match.py --opponent "fruit" --opponent-options "OwnBook=false" \\
      --book UHO_4060_v4.epd.zst --tc 4+0.04 --games 200
  # losses on time: the summary has the forfeits, and the clocks left below them
  scripts/match.py --opponent stockfish --book UHO_4060_v4.epd.zst --tc 1+0.01 \\
      --hash 512 --games 500 --concurrency 2
  # SPRT of the working tree against an older build
  scripts/match.py --opponent ./carrybit-base --book UHO_4060_v4.epd.zst \\
      --tc 4+0.04 --sprt "0 5"
  # a gauntlet: a match against each of several engines (NAME=CMD or NAME=CMD:OPTIONS, or
  # @FILE with one of these in a line), and a table
  scripts/match.py --gauntlet "fruit=fruit:OwnBook=false" stockfish=stockfish \\
      --book UHO_4060_v4.epd.zst --games 200

fastchess is taken from the variable FASTCHESS or found on PATH. The engine
defaults to target/release/carrybit of this repository, built when absent.
Commands may have arguments, quoted as in a shell; so may option lists:
  --opponent-options "OwnBook=false 'Number of Threads=1'"

The games (games.pgn), the console output (output.txt), fastchess's warnings
(fastchess.log) and the printed summary (summary.txt) go to one directory. The
summary is short enough for a commit message. fastchess does not ponder;
cutechess-cli does.

Exit codes:
  0  the match was played and our engine forfeited no game
  1  our engine forfeited at least one game (time, illegal move, crash, stall)
  2  wrong usage, or a program or file is missing
  3  fastchess failed or the match was interrupted
"""

import argparse
import gzip
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import adjudication

ROOT = Path(__file__).resolve().parent.parent

# An SPRT normally ends at its bounds; this only keeps an undecided one finite.
SPRT_MAX_GAMES = 40_000

# By these moves a clock has come down to the level where it stays.
CLOCK_MOVES = range(40, 61)

# Players, comments, move numbers with their dots, and moves of a PGN file.
PGN_TOKEN = re.compile(
    r'^\[(White|Black) "(.*)"\]$|^\[.*\]$|\{([^}]*)\}|(\d+\.+)|([a-hKQRBNO][\w+#=/-]+)', re.MULTILINE
)
# The seconds left on the mover's clock, in a comment of fastchess.
CLOCK = re.compile(r"\btl=([\d.]+)s")

EXIT_FORFEIT = 1
EXIT_USAGE = 2
EXIT_MATCH = 3

# How a game is forfeited, and how fastchess words it.
FORFEITS = {"on time": "on time", "illegal move": "illegal", "disconnect/stall": "disconnect|stall"}


class Score(NamedTuple):
    """A result, in fastchess's figures."""

    games: str
    wins: str
    losses: str
    draws: str
    percent: str
    elo: str
    error: str


def die(message, code=EXIT_USAGE):
    """Ends the program with a message on stderr."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(code)


def write_whole(path, text):
    """Writes a file by renaming: an interruption leaves the old file or the new one."""
    whole = path.with_name(path.name + ".new")
    whole.write_text(text, encoding="utf-8")
    whole.replace(path)


def parse_args(words=None):
    """The options, checked and completed; `words` are those of the command line by default."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    opponents = parser.add_mutually_exclusive_group(required=True)
    opponents.add_argument("--opponent", metavar="CMD")
    opponents.add_argument("--gauntlet", metavar="OPPONENT", nargs="+", help="several: NAME=CMD[:OPTIONS] or @FILE")
    engines = parser.add_argument_group("engines")
    engines.add_argument("--opponent-options", metavar="LIST", default="", help='"Name=value ..." for theirs')
    engines.add_argument("--opponent-name", metavar="NAME", help="default: the program's file name")
    engines.add_argument("--opponent-depth", metavar="N", type=int, help="depth limit of theirs")
    engines.add_argument("--engine", metavar="CMD", help="our engine (default: target/release/carrybit)")
    engines.add_argument("--engine-options", metavar="LIST", default="", help='"Name=value ..." for ours')
    engines.add_argument("--engine-name", metavar="NAME", help="default: the program's file name")
    engines.add_argument("--hash", metavar="MIB", type=int, default=16, help="for both engines; 0 sends none (default: 16)")
    engines.add_argument("--patient", action="store_true", help="wait 100 s for an engine to start")

    games = parser.add_argument_group("games")
    games.add_argument("--book", metavar="FILE", help=".epd or .pgn, also .zst or .gz")
    games.add_argument("--variant", choices=["standard", "fischerandom"], default="standard")
    games.add_argument("--tc", help="[moves/]seconds[+increment], as 8+0.08 or 40/2 (default: 4+0.04)")
    games.add_argument("--movetime", metavar="MS", type=int, help="fixed time for each move")
    games.add_argument(
        "--nodes", metavar="N", type=int, help="node limit for each move; an engine without it (Fruit) never moves"
    )
    games.add_argument("--timemargin", metavar="MS", type=int, default=0, help="overrun forgiven (default: 0)")
    games.add_argument("--max-moves", metavar="N", type=int, help="longer games are drawn")
    games.add_argument(
        "--games", metavar="N", type=int, help="rounded up to pairs (default: 100; with --sprt an upper limit)"
    )
    games.add_argument("--concurrency", metavar="N", type=int, default=len(os.sched_getaffinity(0)))
    games.add_argument("--srand", metavar="N", type=int, help="seed of the book order")
    games.add_argument("--no-adjudication", action="store_true", help="play every game to its end")

    sprt = parser.add_argument_group("SPRT")
    sprt.add_argument("--sprt", metavar='"ELO0 ELO1"', help="stop by a sequential test")
    sprt.add_argument("--model", choices=["logistic", "normalized", "bayesian"], default="logistic")
    sprt.add_argument("--alpha", type=float, default=0.05)
    sprt.add_argument("--beta", type=float, default=0.05)

    output = parser.add_argument_group("output")
    output.add_argument("--out", metavar="DIR", help="default: a new directory under the temporary one")
    output.add_argument("--check-mate-pvs", action="store_true", help="warn about PVs that miss their claimed mate")
    output.add_argument("--engine-log", action="store_true", help="log the whole dialogue of the engines (large)")
    output.add_argument("--quiet", action="store_true", help="print the summary only")
    args = parser.parse_args(words)

    if args.tc and args.movetime:
        parser.error("--tc and --movetime exclude each other")
    if not (args.tc or args.movetime or args.nodes):
        args.tc = "4+0.04"
    if args.tc and not re.fullmatch(r"(\d+/)?[\d.:]+(\+[\d.]+)?", args.tc):
        parser.error(f"--tc {args.tc}: expected [moves/]seconds[+increment]")
    for name in ("movetime", "nodes", "games", "concurrency"):
        value = getattr(args, name)
        if value is not None and value < 1:
            parser.error(f"--{name} must be positive")
    if args.sprt:
        try:
            elo0, elo1 = (float(x) for x in args.sprt.replace(",", " ").split())
        except ValueError:
            parser.error(f'--sprt "{args.sprt}": expected "ELO0 ELO1"')
        if elo0 >= elo1:
            parser.error("--sprt: ELO0 must be below ELO1")
        args.sprt = (elo0, elo1)
    if args.variant == "fischerandom" and not args.book:
        parser.error("--variant fischerandom needs a --book")
    return args


def find_fastchess():
    wanted = os.environ.get("FASTCHESS", "fastchess")
    program = shutil.which(wanted)
    if not program:
        die(f"{wanted} not found: install fastchess or set FASTCHESS to its path")
    return program


def resolve(command):
    """Splits an engine command into an absolute program path and its arguments."""
    words = shlex.split(command)
    if not words:
        die("empty engine command")
    program = shutil.which(words[0])
    if not program:
        die(f"engine not found or not executable: {words[0]}")
    return os.path.abspath(program), words[1:]


def own_engine():
    """The release binary of this repository, built when it is absent."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    binary = target / "release" / "carrybit"
    if not binary.exists():
        if not shutil.which("cargo"):
            die(f"{binary} is absent and cargo was not found to build it")
        if subprocess.run(["cargo", "build", "--release", "--locked"], cwd=ROOT, check=False).returncode != 0:
            die("the build failed")
    return shlex.quote(str(binary))


def plain_book(book, directory):
    """The path of the book as a plain file, decompressed into `directory` if necessary."""
    path = Path(book)
    if not path.is_file():
        die(f"book not found: {book}")
    plain = path
    if path.suffix in (".zst", ".gz"):
        plain = Path(directory) / path.stem
    if plain.suffix not in (".epd", ".pgn"):
        die(f"book {book}: expected .epd or .pgn, perhaps with .zst or .gz")
    if path.suffix == ".gz":
        with gzip.open(path, "rb") as source, open(plain, "wb") as sink:
            shutil.copyfileobj(source, sink)
    elif path.suffix == ".zst":
        if not shutil.which("zstd"):
            die(f"zstd not found, needed for {book}")
        if subprocess.run(["zstd", "-dqf", str(path), "-o", str(plain)], check=False).returncode != 0:
            die(f"zstd could not decompress {book}")
    return plain


def engine_arguments(name, command, options):
    program, arguments = resolve(command)
    words = ["-engine", f"cmd={program}", f"name={name}"]
    if arguments:
        words.append("args=" + shlex.join(arguments))
    for option in shlex.split(options):
        if "=" not in option:
            die(f'engine option "{option}": expected Name=value')
        words.append("option." + option)
    return words


def fastchess_command(args, fastchess, names, book, directory):
    """The words of fastchess's command line."""
    games = args.games or (SPRT_MAX_GAMES if args.sprt else 100)
    command = [
        fastchess,
        *engine_arguments(names[0], args.engine, args.engine_options),
        *engine_arguments(names[1], args.opponent, args.opponent_options),
        *([f"depth={args.opponent_depth}"] if args.opponent_depth else []),
        "-each", f"timemargin={args.timemargin}",
        *([f"tc={args.tc}"] if args.tc else []),
        *([f"st={args.movetime / 1000}"] if args.movetime else []),
        *([f"nodes={args.nodes}"] if args.nodes else []),
        *([f"option.Hash={args.hash}"] if args.hash else []),
        "-variant", args.variant,
        "-rounds", str((games + 1) // 2), "-games", "2", "-repeat", "-recover",
        # A result after each pair, so that an interrupted match has an exact one.
        "-concurrency", str(args.concurrency), "-ratinginterval", "1",
        "-pgnout", f"file={directory}/games.pgn", "append=false", "nodes=true", "seldepth=true", "timeleft=true",
        "-log", f"file={directory}/fastchess.log", "append=false",
        *(["level=trace", "engine=true"] if args.engine_log else ["level=warn"]),
        "-config", f"outname={directory}/config.json",
    ]  # fmt: skip
    if book:
        command += ["-openings", f"file={book}", f"format={book.suffix[1:]}", "order=random"]
    if args.srand is not None:
        command += ["-srand", str(args.srand)]
    if args.max_moves:
        command += ["-maxmoves", str(args.max_moves)]
    if args.patient:
        command += [word for wait in ("startup", "ucinewgame", "ping") for word in (f"-{wait}-ms", "100000")]
    if not args.no_adjudication:
        command += adjudication.fastchess_options()
    if args.sprt:
        elo0, elo1 = args.sprt
        command += ["-sprt", f"elo0={elo0}", f"elo1={elo1}"]
        command += [f"alpha={args.alpha}", f"beta={args.beta}", f"model={args.model}"]
    if args.check_mate_pvs:
        command.append("-check-mate-pvs")
    return command


def play(command, directory, quiet):
    """Runs fastchess, keeps its console output in output.txt and returns its lines and exit status."""
    lines = []
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    # fastchess stops its engines and prints its results when it is interrupted.
    signal.signal(signal.SIGTERM, lambda *_: process.send_signal(signal.SIGINT))
    with open(Path(directory) / "output.txt", "w", encoding="utf-8") as copy:
        while True:
            try:
                # The terminal's Ctrl-C reaches fastchess by itself.
                line = process.stdout.readline()
            except KeyboardInterrupt:
                continue
            if not line:
                break
            lines.append(line.rstrip("\n"))
            copy.write(line)
            if not quiet and not line.startswith("Started game"):
                print(line, end="", flush=True)
    return lines, process.wait()


def count_forfeits(lines, names):
    """Counts per engine how games were lost without being played out, from the console output."""
    counts = {name: Counter() for name in names}
    pattern = re.compile(r"Finished game \d+ \((.+) vs (.+)\): \S+ \{(White|Black)(?:'s connection)? (.*)\}$")
    for line in lines:
        match = pattern.match(line)
        if not match:
            continue
        white, black, side, reason = match.groups()
        loser = white if side == "White" else black
        counts[loser].update(kind for kind, words in FORFEITS.items() if re.search(words, reason))
    return counts


def count_warnings(lines, name):
    """fastchess's warnings that contain the engine's name as a whole word."""
    pattern = re.compile(rf"^Warning.*(?<![\w.-]){re.escape(name)}(?![\w-])")
    return sum(1 for line in lines if pattern.search(line))


def clocks_left(pgn, names):
    """The seconds left on each engine's clock after its moves of CLOCK_MOVES, from the comments of the games."""
    left = {name: [] for name in names}
    players = {}
    number, is_white, mover = 0, True, None
    for header, name, comment, dots, move in PGN_TOKEN.findall(pgn):
        if header:
            players[header] = name
        elif dots:
            number, is_white = int(dots.rstrip(".")), dots.count(".") == 1
        elif move:
            mover = players.get("White" if is_white else "Black")
            is_white = not is_white
        elif (seconds := CLOCK.search(comment)) and number in CLOCK_MOVES and mover in left:
            left[mover].append(float(seconds[1]))
    return left


def clock_line(label, left):
    moves = f"moves {CLOCK_MOVES[0]} to {CLOCK_MOVES[-1]}"
    if not left:
        return f"{label}: no clock at {moves}"
    median, least = (1000 * value for value in (statistics.median(left), min(left)))
    return f"{label}: clock at {moves}: median {median:.0f} ms, least {least:.0f} ms, {len(left)} moves"


def last(lines, pattern):
    """The last match of `pattern` among the lines, or None."""
    matches = (re.search(pattern, line) for line in reversed(lines))
    return next((match for match in matches if match), None)


def score(lines):
    """The result in fastchess's last report, or None if there is none."""
    games = last(lines, r"^Games: (\d+), Wins: (\d+), Losses: (\d+), Draws: (\d+), Points: \S+ \(([\d.]+) %\)")
    elo = last(lines, r"^Elo: (\S+) \+/- ([^,\s]+)")
    return Score(*games.groups(), *elo.groups()) if games and elo else None


def summarize(args, names, lines, status, pgn):
    """The summary as text, and the process's exit status."""
    limit = ", ".join(
        text
        for text in (
            args.tc and f"tc {args.tc}",
            args.movetime and f"{args.movetime} ms/move",
            args.nodes and f"{args.nodes} nodes/move",
            args.hash and f"hash {args.hash}",
            args.timemargin and f"margin {args.timemargin} ms",
            args.variant != "standard" and args.variant,
            args.no_adjudication and "no adjudication",
        )
        if text
    )
    book = Path(args.book).name if args.book else "none"
    text = [f"{names[0]} vs {names[1]}, {limit}, book {book}"]

    result = score(lines)
    penta = last(lines, r"^Ptnml\(0-2\): (\[[^]]*\])")
    llr = last(lines, r"^LLR: (\S+) \([^)]*\) (\([^)]*\)) (\[[^]]*\])")
    verdict = last(lines, r"^SPRT .* completed - (H[01]) was accepted")
    if not result:
        return "\n".join([*text, "no result: fastchess finished no pair of games"]), EXIT_MATCH

    text.append(f"Games {result.games}, W {result.wins} L {result.losses} D {result.draws}, score {result.percent} %")
    text.append(f"Elo {result.elo} +/- {result.error}")
    if llr:
        ended = f"{verdict[1]} accepted" if verdict else "undecided"
        text.append(f"LLR {llr[1]} {llr[2]} for {llr[3]} {args.model}: {ended}")
    if penta:
        text.append(f"Ptnml(0-2) {penta[1]}")

    forfeits = count_forfeits(lines, names)
    for name in names:
        lost = ", ".join(f"{forfeits[name][kind]} {kind}" for kind in FORFEITS)
        text.append(f"{name}: forfeits {lost}; warnings {count_warnings(lines, name)}")
    if args.tc:
        text += [clock_line(name, left) for name, left in clocks_left(pgn, names).items()]

    if forfeits[names[0]].total():
        return "\n".join(text), EXIT_FORFEIT
    # fastchess also ends with 1 after an interruption.
    return "\n".join(text), EXIT_MATCH if status != 0 else 0


def play_match(args):
    """Plays a match and prints its summary. Returns its score, or None, and the exit status."""
    fastchess = find_fastchess()
    args.engine = args.engine or own_engine()
    names = [
        given or Path(resolve(command)[0]).name
        for given, command in ((args.engine_name, args.engine), (args.opponent_name, args.opponent))
    ]
    if names[0] == names[1]:
        names[1] += "-opponent"

    if args.out:
        os.makedirs(args.out, exist_ok=True)
    directory = os.path.abspath(args.out or tempfile.mkdtemp(prefix="carrybit-match-"))

    with tempfile.TemporaryDirectory(prefix="carrybit-book-") as scratch:
        book = plain_book(args.book, scratch).resolve() if args.book else None
        command = fastchess_command(args, fastchess, names, book, directory)
        lines, status = play(command, directory, args.quiet)

    games = Path(directory) / "games.pgn"
    pgn = games.read_text(encoding="utf-8", errors="replace") if games.exists() else ""
    summary, code = summarize(args, names, lines, status, pgn)
    (Path(directory) / "summary.txt").write_text(summary + "\n", encoding="utf-8")
    if code == EXIT_MATCH:
        tail = "\n".join(lines[-5:]) if args.quiet else ""
        print(f"match.py: fastchess ended with status {status}\n{tail}".rstrip(), file=sys.stderr)
    if not args.quiet:
        print()
    print(summary)
    print(f"files: {directory}", file=sys.stderr)
    return score(lines), code


def play_gauntlet(args):
    """Plays a match against each opponent and prints a table. Returns the worst exit status."""
    opponents = []
    for word in args.gauntlet:
        if word.startswith("@") and not Path(word[1:]).is_file():
            die(f"file of opponents not found: {word[1:]}")
        lines = Path(word[1:]).read_text(encoding="utf-8").splitlines() if word.startswith("@") else [word]
        opponents += [line for line in lines if line and not line.startswith("#")]
    # Before the first match, which may take hours.
    for opponent in opponents:
        if not re.match(r"[^=]+=[^:]+", opponent):
            die(f'opponent "{opponent}": expected NAME=CMD or NAME=CMD:OPTIONS')
    out = Path(args.out or tempfile.mkdtemp(prefix="carrybit-gauntlet-"))
    row = "{:<20} {:>6} {:>6} {:>6} {:>6} {:>8} {:>9} {:>9}"
    table = [row.format("opponent", "games", "W", "L", "D", "score %", "Elo", "+/-")]
    status = 0
    for opponent in opponents:
        args.opponent_name, _, command = opponent.partition("=")
        args.opponent, _, args.opponent_options = command.partition(":")
        args.out = out / args.opponent_name
        result, code = play_match(args)
        status = max(status, code)
        table.append(row.format(args.opponent_name, *(result or ["-"] * len(Score._fields))))
        print(flush=True)
    print("\n".join(table))
    return status


def main():
    args = parse_args()
    return play_gauntlet(args) if args.gauntlet else play_match(args)[1]


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Play a match or an SPRT between two UCI engines with fastchess.

Usage:
  scripts/match.py --opponent CMD --book FILE [options]

Typical calls:
  # 200 games against another engine
  scripts/match.py --opponent "fruit" --opponent-options "OwnBook=false" \\
      --book UHO_4060_v4.epd --tc 4+0.04 --games 200
  # look for losses on time: the summary has the forfeits and the time left on the clocks
  scripts/match.py --opponent stockfish --book UHO_4060_v4.epd --tc 1+0.01 \\
      --hash 512 --games 500 --concurrency 2
  # SPRT of the working tree against an older build
  scripts/match.py --opponent ./carrybit-base --book UHO_4060_v4.epd \\
      --tc 4+0.04 --sprt 0 5

fastchess is taken from the variable FASTCHESS or found on PATH. The engine
defaults to target/release/carrybit of this repository, built when absent.
Commands with arguments, and option lists, are quoted as in a shell:
  --opponent-options "OwnBook=false 'Number of Threads=1'"

The games (games.pgn), the console output (output.txt), fastchess's warnings
(fastchess.log) and the printed summary (summary.txt) go to one directory. The
summary is short enough for a commit message; its lines on the clocks need the Python
package chess. fastchess does not ponder; cutechess-cli does.

Exit codes:
  0  the match was played and our engine forfeited no game
  1  our engine forfeited at least one game (time, illegal move, crash, stall)
  2  wrong usage, or a program or file is missing
  3  fastchess failed or the match was interrupted
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, namedtuple
from pathlib import Path

try:
    import chess
    import chess.pgn
except ImportError:
    chess = None

ROOT = Path(__file__).resolve().parent.parent
# The release build of this repository.
RELEASE = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release" / "carrybit"
# The number of processors that this program may use.
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()

# An SPRT normally ends at its bounds; this only keeps an undecided one finite.
SPRT_MAX_GAMES = 40_000
# Adjudication. Won: both engines see one side ahead by 600 centipawns for three moves. Drawn,
# from move 40 on: both are within 10 centipawns for eight moves without capture or pawn move.
ADJUDICATION = [
    "-resign", "movecount=3", "score=600", "twosided=true", "-draw", "movenumber=40", "movecount=8", "score=10",
]  # fmt: skip

# By these moves, clocks with an increment have settled: a move takes about the increment.
CLOCK_MOVES = range(40, 61)
# The seconds left on the mover's clock, in a comment of fastchess.
CLOCK = re.compile(r"\btl=([\d.]+)s")

EXIT_FORFEIT, EXIT_USAGE, EXIT_MATCH = 1, 2, 3

# Kinds of forfeits, and patterns of the words that fastchess uses for them.
FORFEITS = {"on time": "on time", "illegal move": "illegal", "disconnect/stall": "disconnect|stall"}


# A result as fastchess prints it, in strings.
Score = namedtuple("Score", "games wins losses draws percent elo error")

# The result of a run of fastchess: names of the engines, lines of output, exit status and directory of files.
Played = namedtuple("Played", "names lines status directory")


def die(message, code=EXIT_USAGE):
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(code)


def positive(text):
    """An argparse type: a whole number above 0."""
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return int(text)


def parse_args(words=None):
    """Parses and checks `words`, by default the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    engines = parser.add_argument_group("engines")
    engines.add_argument("--opponent", metavar="CMD", required=True)
    engines.add_argument("--opponent-options", metavar="LIST", default="", help='"Name=value ..." for the opponent')
    engines.add_argument("--opponent-name", metavar="NAME", help="default: the program's file name")
    engines.add_argument("--opponent-depth", metavar="N", type=int, help="depth limit of the opponent")
    engines.add_argument("--engine", metavar="CMD", help="our engine (default: target/release/carrybit)")
    engines.add_argument("--engine-options", metavar="LIST", default="", help='"Name=value ..." for ours')
    engines.add_argument("--engine-name", metavar="NAME", help="default: the program's file name")
    engines.add_argument("--hash", metavar="MIB", type=int, default=16, help="for both engines; 0 sends none (default: 16)")
    engines.add_argument("--patient", action="store_true", help="wait 100 s for an engine to start")

    games = parser.add_argument_group("games")
    games.add_argument("--book", metavar="FILE", help=".epd or .pgn, also .zst or .gz")
    games.add_argument("--variant", choices=["standard", "fischerandom"], default="standard")
    time = games.add_mutually_exclusive_group()
    time.add_argument("--tc", help="[moves/]seconds[+increment], as 8+0.08 or 40/2 (default: 4+0.04)")
    time.add_argument("--movetime", metavar="MS", type=positive, help="fixed time for each move")
    games.add_argument(
        "--nodes", metavar="N", type=positive, help="node limit for each move; an engine that ignores it (Fruit) never moves"
    )
    games.add_argument("--timemargin", metavar="MS", type=int, default=0, help="overrun forgiven (default: 0)")
    games.add_argument("--max-moves", metavar="N", type=int, help="longer games are drawn")
    games.add_argument(
        "--games", metavar="N", type=positive, help="rounded up to pairs (default: 100; with --sprt an upper limit)"
    )
    games.add_argument("--concurrency", metavar="N", type=positive, default=CORES)
    games.add_argument("--srand", metavar="N", type=int, help="seed of the book order")
    games.add_argument("--no-adjudication", action="store_true", help="play every game to its end")
    games.add_argument("--sprt", metavar=("ELO0", "ELO1"), nargs=2, type=float, help="stop by a sequential test (logistic, 5 %%)")

    output = parser.add_argument_group("output")
    output.add_argument("--out", metavar="DIR", help="default: a new temporary directory")
    output.add_argument("--quiet", action="store_true", help="print the summary only")
    args = parser.parse_args(words)

    if not (args.tc or args.movetime or args.nodes):
        args.tc = "4+0.04"
    if args.variant == "fischerandom" and not args.book:
        parser.error("--variant fischerandom needs a --book")
    return args


def find_fastchess():
    wanted = os.environ.get("FASTCHESS", "fastchess")
    program = shutil.which(wanted)
    if not program:
        die(f"{wanted} not found: install fastchess or set FASTCHESS to its path")
    return program


def run_tool(*command):
    """Runs a program in the root of the repository; exits if it is missing or fails."""
    if not shutil.which(command[0]) or subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
        die(f"{command[0]} is missing or failed: {shlex.join(command)}")


def resolve(command):
    """Splits an engine command into an absolute program path and its arguments."""
    words = shlex.split(command)
    program = words and shutil.which(words[0])
    if not program:
        die(f"engine not found or not executable: {command}")
    return os.path.abspath(program), words[1:]


def own_engine():
    """The release build of these sources as a command."""
    run_tool("cargo", "build", "--release", "--locked")
    return shlex.quote(str(RELEASE))


def plain_book(book, directory):
    """The path of the book as a plain file, decompressed into `directory` if necessary."""
    path = Path(book)
    if not path.is_file():
        die(f"book not found: {book}")
    plain = Path(directory) / path.stem if path.suffix in (".zst", ".gz") else path
    if plain.suffix not in (".epd", ".pgn"):
        die(f"book {book}: expected .epd or .pgn, perhaps with .zst or .gz")
    if plain != path:
        run_tool("zstd", "-dqf", str(path.resolve()), "-o", str(plain))
    return plain


def read_lines(book):
    """The lines of a book or suite, also of a compressed one."""
    with tempfile.TemporaryDirectory(prefix="carrybit-book-") as scratch:
        return plain_book(book, scratch).read_text(encoding="utf-8").splitlines()


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
        # Report after each pair, so that the last report of an interrupted match is exact.
        "-concurrency", str(args.concurrency), "-ratinginterval", "1",
        "-pgnout", f"file={directory}/games.pgn", "append=false", "nodes=true", "seldepth=true", "timeleft=true",
        "-log", f"file={directory}/fastchess.log", "append=false", "level=warn",
        # Warn of lines that miss the mate that they claim.
        "-check-mate-pvs",
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
        command += ADJUDICATION
    if args.sprt:
        elo0, elo1 = args.sprt
        command += ["-sprt", f"elo0={elo0}", f"elo1={elo1}", "alpha=0.05", "beta=0.05", "model=logistic"]
    return command


def run_fastchess(command, directory, quiet):
    """Runs fastchess, saves its console output to output.txt and returns its lines and exit status."""
    lines = []
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    # fastchess stops its engines and prints its results when it is interrupted.
    terminate = signal.signal(signal.SIGTERM, lambda *_: process.send_signal(signal.SIGINT))
    with open(Path(directory) / "output.txt", "w", encoding="utf-8") as copy:
        # The terminal sends Ctrl-C to fastchess, too: read its output until it ends.
        interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            copy.write(line)
            if not quiet and not line.startswith("Started game"):
                print(line, end="", flush=True)
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, terminate)
    return lines, process.wait()


def count_forfeits(lines, names):
    """Counts the forfeited games of each engine by kind, from the console output."""
    counts = {name: Counter() for name in names}
    pattern = re.compile(r"Finished game \d+ \((.+) vs (.+)\): \S+ \{(White|Black)(?:'s connection)? (.*)\}$")
    for white, black, side, reason in (found.groups() for found in map(pattern.match, lines) if found):
        loser = white if side == "White" else black
        counts[loser].update(kind for kind, words in FORFEITS.items() if re.search(words, reason))
    return counts


def count_warnings(lines, name):
    """fastchess's warnings that contain the engine's name as a whole word."""
    pattern = re.compile(rf"^Warning.*(?<![\w.-]){re.escape(name)}(?![\w-])")
    return sum(pattern.search(line) is not None for line in lines)


def clocks_left(path, names):
    """The seconds left on each engine's clock after its moves of CLOCK_MOVES, from the comments of the games."""
    left = {name: [] for name in names}
    with open(path, encoding="utf-8", errors="replace") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            for ply, node in enumerate(game.mainline(), game.ply()):
                mover = game.headers["Black" if ply % 2 else "White"]
                seconds = CLOCK.search(node.comment)
                if seconds and ply // 2 + 1 in CLOCK_MOVES and mover in left:
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
    return next(filter(None, (re.search(pattern, line) for line in reversed(lines))), None)


def score(lines):
    """The score in fastchess's last report, or None."""
    games = last(lines, r"^Games: (\d+), Wins: (\d+), Losses: (\d+), Draws: (\d+), Points: \S+ \(([\d.]+) %\)")
    elo = last(lines, r"^Elo: (\S+) \+/- ([^,\s]+)")
    return Score(*games.groups(), *elo.groups()) if games and elo else None


def summarize(args, played):
    """The summary as text, and our exit status."""
    names, lines = played.names, played.lines
    conditions = (
        f"{names[0]} vs {names[1]}",
        args.tc and f"tc {args.tc}",
        args.movetime and f"{args.movetime} ms/move",
        args.nodes and f"{args.nodes} nodes/move",
        args.hash and f"hash {args.hash}",
        args.timemargin and f"margin {args.timemargin} ms",
        args.variant != "standard" and args.variant,
        args.no_adjudication and "no adjudication",
        f"book {Path(args.book).name if args.book else 'none'}",
    )
    text = [", ".join(filter(None, conditions))]
    result = score(lines)
    if not result:
        return "\n".join([*text, "no result: fastchess finished no pair of games"]), EXIT_MATCH
    text.append(f"Games {result.games}, W {result.wins} L {result.losses} D {result.draws}, score {result.percent} %")
    text.append(f"Elo {result.elo} +/- {result.error}")
    if llr := last(lines, r"^LLR: (\S+) \([^)]*\) (\([^)]*\)) (\[[^]]*\])"):
        verdict = last(lines, r"^SPRT .* completed - (H[01]) was accepted")
        ended = f"{verdict[1]} accepted" if verdict else "undecided"
        text.append(f"LLR {llr[1]} {llr[2]} for {llr[3]} logistic: {ended}")
    if penta := last(lines, r"^Ptnml\(0-2\): (\[[^]]*\])"):
        text.append(f"Ptnml(0-2) {penta[1]}")

    forfeits = count_forfeits(lines, names)
    for name in names:
        lost = ", ".join(f"{forfeits[name][kind]} {kind}" for kind in FORFEITS)
        text.append(f"{name}: forfeits {lost}; warnings {count_warnings(lines, name)}")
    if args.tc and chess:
        text += [clock_line(name, left) for name, left in clocks_left(played.directory / "games.pgn", names).items()]

    if forfeits[names[0]].total():
        return "\n".join(text), EXIT_FORFEIT
    # fastchess also ends with 1 after an interruption.
    return "\n".join(text), EXIT_MATCH if played.status != 0 else 0


def run_match(args):
    """Plays a match without a summary."""
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
        if any((Path(args.out) / name).exists() for name in ("games.pgn", "summary.txt")):
            die(f"{args.out} has a match: name another directory")
    directory = Path(args.out or tempfile.mkdtemp(prefix="carrybit-match-")).absolute()
    with tempfile.TemporaryDirectory(prefix="carrybit-book-") as scratch:
        book = plain_book(args.book, scratch).resolve() if args.book else None
        command = fastchess_command(args, fastchess, names, book, directory)
        return Played(names, *run_fastchess(command, directory, args.quiet), directory)


def play_match(args):
    """Plays a match and prints its summary. Returns the match and our exit status."""
    played = run_match(args)
    summary, code = summarize(args, played)
    (played.directory / "summary.txt").write_text(summary + "\n", encoding="utf-8")
    if code == EXIT_MATCH:
        tail = "\n".join(played.lines[-5:]) if args.quiet else ""
        print(f"match.py: fastchess ended with status {played.status}\n{tail}".rstrip(), file=sys.stderr)
    if not args.quiet:
        print()
    print(summary)
    print(f"files: {played.directory}", file=sys.stderr)
    return played, code


def main():
    return play_match(parse_args())[1]


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Play the ladder of opponents, and draw the README's picture of strength from the results.

Usage:
  scripts/strength.py play --book UHO_4060_v4.epd --games 200 [--opponents "Ethereal 12,Stockfish 15.1"]
  scripts/strength.py draw

play   plays until each installed opponent has --games games, and adds the results to
       docs/strength.json, a few games at a time. It can be interrupted at any time and
       then continues. Games count for one engine, identified by its version and the
       node count of its bench, and for one set of conditions: time control, hash,
       threads, book, time margin, processor.
draw   draws docs/images/strength.svg from the newest results, and prints them as a table.

docs/strength.md explains the scale. Both opponents are Debian packages: stockfish,
ethereal-chess. Needs fastchess (the variable FASTCHESS, or on PATH) and the
Python package matplotlib.

Exit codes: 0 done; 1 a game was forfeited: games since the last save do not count;
            2 wrong usage, or something is missing;
            3 a match failed or was interrupted
"""

import argparse
import math
import os
import platform
import re
import shutil
import sys
from collections import namedtuple
from pathlib import Path

import match
import results

RESULTS = match.ROOT / "docs" / "strength.json"
PICTURE = match.ROOT / "docs" / "images" / "strength.svg"


# The engines of the ladder, with the ratings that pin the scale. One that loses every game would say nothing.
Opponent = namedtuple("Opponent", "command elo")
LADDER = {"Stockfish 15.1": Opponent("stockfish", 3840), "Ethereal 12": Opponent("ethereal-chess", 3240)}


# Only the book's content matters.
BOOK_SUFFIX = re.compile(r"\.(zst|gz)$")

# The Elo of an engine with two standard errors; an error of 0 means that the number is given.
Standing = namedtuple("Standing", "name elo error label note")


def processor():
    model = platform.machine()
    if Path("/proc/cpuinfo").exists():
        found = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
        model = found[1] if found else model
    return f"{model}, {os.cpu_count()} logical cores"


def play(args):
    results.find_programs(args)
    wanted = [name.strip() for name in args.opponents.split(",")] if args.opponents else list(LADDER)
    if unknown := set(wanted) - set(LADDER):
        match.die(f"opponent {unknown.pop()}: expected {', '.join(LADDER)}")
    measured = {"timemargin_ms": args.timemargin, "processor": processor()}
    conditions = {"tc": args.tc, "hash": args.hash, "threads": args.threads, "book": BOOK_SUFFIX.sub("", Path(args.book).name)}
    ours = {"engine": results.run(args.engine, "--version"), "bench": results.signature(args.engine)}
    for name in wanted:
        if not shutil.which(LADDER[name].command):
            print(f"{name}: {LADDER[name].command} is not installed", file=sys.stderr)
            continue
        key = {**ours, "opponent": name, "opponent_version": results.name_of(LADDER[name].command, name), **conditions, **measured}
        while (missing := args.games - sum(map(results.games, results.matching(results.read(RESULTS), key)))) > 0:
            games = str(min(missing, args.chunk))
            score = results.play(
                args, LADDER[name].command, name, "--engine-options", f"Threads={args.threads}", "--tc", args.tc,
                "--hash", str(args.hash), "--games", games, "--timemargin", str(args.timemargin),
            )  # fmt: skip
            results.add(RESULTS, key, score)
    draw(args)


def difference(row):
    """Our lead in a match, and two standard errors. If one side scored no point, it is given
    a quarter of a point, because the lead would be infinite."""
    games, score = results.games(row), results.score(row)
    variance = score * (1 - score) - row["draws"] / games / 4
    inside = min(max(score, 0.25 / games), 1 - 0.25 / games)
    slope = 400 / math.log(10) / (inside * (1 - inside))
    error = 2 * slope * math.sqrt(max(variance, 0.25 / games) / games)
    return 400 * math.log10(inside / (1 - inside)), error


def newest(rows):
    """The results with the engine and the conditions of the last match."""
    fields = ("engine", "bench", "tc", "hash", "threads", "book", "timemargin_ms", "processor")
    last = rows[-1]
    return [row for row in rows if all(row[field] == last[field] for field in fields)]


def standings(rows):
    """All engines on the ladder, the strongest first."""
    pinned = [(LADDER[row["opponent"]].elo, *difference(row)) for row in rows]
    weights = [error**-2 for _, _, error in pinned]
    ours = sum(weight * (elo + ahead) for weight, (elo, ahead, _) in zip(weights, pinned, strict=True)) / sum(weights)
    # If the two results disagree by more than their errors, the common error grows.
    squares = (weight * (elo + ahead - ours) ** 2 for weight, (elo, ahead, _) in zip(weights, pinned, strict=True))
    inflation = math.sqrt(max(1.0, 4 * sum(squares) / max(len(pinned) - 1, 1)))
    error = inflation / math.sqrt(sum(weights))
    table = [Standing("Carrybit " + rows[0]["engine"].split()[1], ours, error, f"{ours:.0f} ± {error:.0f}", "")]
    for row in rows:
        note = f"Carrybit scores {100 * results.score(row):.1f} % of {results.games(row)} games"
        elo = LADDER[row["opponent"]].elo
        table.append(Standing(row["opponent"], elo, 0.0, f"{elo:.0f}, given", note))
    return sorted(table, key=lambda standing: -standing.elo)


def conditions_line(rows):
    row = rows[0]
    threads = "one thread" if row["threads"] == 1 else f"{row['threads']} threads"
    book = row["book"].split(".")[0]
    return f"{row['tc']} (seconds + increment), {threads}, Hash {row['hash']}, book {book}, {row['date']}"


def draw(_args):
    rows = newest(results.read(RESULTS) or match.die(f"{RESULTS} has no results: play first"))
    table = standings(rows)
    print("| Engine | Elo | |\n|---|---|---|")
    for standing in table:
        print(f"| {standing.name} | {standing.label} | {standing.note} |")
    print(f"\n{conditions_line(rows)}; {rows[0]['processor']}")
    draw_picture(table, rows)


def draw_picture(table, rows):
    """Draws a row for each engine, on white, which is readable on dark pages, too."""
    try:
        import matplotlib.pyplot
    except ImportError:
        match.die("the Python package matplotlib is missing: pip install matplotlib")
    # Text stays text, and equal data give equal files.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "strength", "font.family": "sans-serif"})
    figure, axis = matplotlib.pyplot.subplots(figsize=(8.6, 0.62 * len(table) + 1.3))
    for row, (name, elo, error, label, note) in enumerate(reversed(table)):
        color = "#266eb4" if name.startswith("Carrybit") else "#707070"
        marker = "o" if error else "D"
        axis.errorbar(elo, row, xerr=error or None, fmt=marker, color=color, markersize=8, capsize=4)
        above = {"xytext": (0, 10), "textcoords": "offset points"}
        axis.annotate(label, (elo, row), **above, ha="center", color=color, fontsize=9)
        axis.annotate(note, (1.01, row), xycoords=("axes fraction", "data"), va="center", fontsize=9, color="#404040")
    axis.set_yticks(range(len(table)), [standing.name for standing in reversed(table)])
    axis.set_ylim(-0.6, len(table) - 0.3)
    low, high = min(s.elo - s.error for s in table), max(s.elo + s.error for s in table)
    axis.set_xlim(low - 80, high + 80)
    axis.grid(axis="x", color="#e0e0e0")
    axis.set_axisbelow(True)
    axis.spines[["top", "right", "left"]].set_visible(False)
    axis.tick_params(axis="y", length=0)
    axis.set_xlabel(f"Elo, with two standard errors. {conditions_line(rows)}", fontsize=8.5)
    axis.set_title("How strong Carrybit is, where Ethereal 12 = 3240 and Stockfish 15.1 = 3840", fontsize=11)
    PICTURE.parent.mkdir(exist_ok=True)
    metadata = {"Date": None, "Title": "Strength of Carrybit"}
    figure.savefig(PICTURE, bbox_inches="tight", facecolor="white", metadata=metadata)
    print(f"drawn: {PICTURE}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    player = commands.add_parser("play", help="play what is missing, then draw")
    results.add_arguments(player)
    player.add_argument("--games", metavar="N", type=int, default=200, help="against each opponent (default: 200)")
    player.add_argument("--opponents", metavar="LIST", help=f'default: "{",".join(LADDER)}"')
    player.add_argument("--tc", metavar="TC", default="4+0.04", help="seconds+increment (default: 4+0.04)")
    player.add_argument("--hash", metavar="MIB", type=int, default=16)
    player.add_argument("--threads", metavar="N", type=int, default=1, help="of our engine (default: 1)")
    player.add_argument("--timemargin", metavar="MS", type=int, default=0, help="overrun forgiven (default: 0)")
    player.set_defaults(run=play)
    commands.add_parser("draw", help="draw the picture and print the table").set_defaults(run=draw)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Print the notices of all packages in the program: their licences as they come with them.

Usage:
  scripts/release/notices.py TRIPLE [FILE...]

TRIPLE is the compiler's name of what the program is built for. The FILEs are printed
behind the packages. Of a package's licences MIT is chosen where it may be. Where a
package brings no text along, its authors stand under ours, which is the common one.

Exit codes:
  0  done
  1  a package's licence is unknown here, and it brings no text along
  2  wrong usage, or something is missing
"""

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

EXIT_UNKNOWN = 1
EXIT_USAGE = 2

RULE = "-" * 78

# What a package calls its texts.
TEXT = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)

# Those that only matter to who chooses another licence than MIT.
OTHER_CHOICE = re.compile(r"apache|zlib|unlicense|copying", re.IGNORECASE)

# Texts of ours, by licence, for packages that have none.
OURS = {"MIT": "LICENSE-MIT", "Apache-2.0": "LICENSE-APACHE"}

# Licences that ask for no notice where there is no source.
SILENT = ("BSL-1.0", "Zlib")


def die(message, code=EXIT_USAGE):
    """Ends the program with a message on stderr."""
    print(f"notices.py: {message}", file=sys.stderr)
    sys.exit(code)


def packages_in(triple):
    """The packages that the program contains, itself aside, by name."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", triple]
    try:
        result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        die(f"cargo metadata: {error}")
    metadata = json.loads(result.stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}

    def is_in_program(dependency):
        # A macro runs in the compiler, and stays there.
        kinds = [kind for target in packages[dependency["pkg"]]["targets"] for kind in target["kind"]]
        return "proc-macro" not in kinds and any(kind["kind"] is None for kind in dependency["dep_kinds"])

    root = metadata["resolve"]["root"]
    reached, ahead = {root}, [root]
    while ahead:
        found = {dependency["pkg"] for dependency in nodes[ahead.pop()]["deps"] if is_in_program(dependency)}
        ahead.extend(found - reached)
        reached |= found
    return sorted((packages[package] for package in reached - {root}), key=lambda package: package["name"])


def choices(package):
    """The licences among which one may be chosen; if all must be kept, that is one choice."""
    return [choice.strip("() ") for choice in re.split(r" OR |/", package["license"] or "")]


def own_texts(package):
    """The texts that a package brings along, without those of licences that are not chosen."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and TEXT.match(path.name))
    if "MIT" in choices(package) and any("mit" in path.name.lower() for path in files):
        files = [path for path in files if not OTHER_CHOICE.search(path.name)]
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in files]


def common_text(package):
    """A text for a package without one."""
    for licence, name in OURS.items():
        if licence in choices(package):
            text = (ROOT / name).read_text(encoding="utf-8").strip()
            authors = ", ".join(package["authors"]) or f"the authors of {package['name']}"
            return re.sub(r"^Copyright \(c\).*$", f"Copyright (c) {authors}", text, flags=re.MULTILINE)
    if any(licence in choices(package) for licence in SILENT):
        return f"Its source: {package['repository']}"
    die(f"{package['name']} ({package['license']}) brings no text of its licence along", EXIT_UNKNOWN)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("triple", metavar="TRIPLE")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    args = parser.parse_args()
    users = defaultdict(list)
    for package in packages_in(args.triple):
        for text in own_texts(package) or [common_text(package)]:
            users[text].append(f"{package['name']} {package['version']} ({package['license']})")
    sys.stdout.reconfigure(encoding="utf-8")
    print("What others wrote and Carrybit contains, and its licences")
    for text, names in users.items():
        print("", RULE, *names, RULE, "", text, sep="\n")
    for path in args.files:
        try:
            print("", path.read_text(encoding="utf-8").strip(), sep="\n")
        except OSError as error:
            die(error)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Print the licence texts of all packages in one or more programs.

Usage:
  scripts/release/notices.py [--package NAME]... TRIPLE [FILE...]

TRIPLE is the target of the build. Each NAME is a package of this workspace (default: carrybit)
whose dependencies count. The FILEs are printed after the packages. If a package
offers MIT among its licences, MIT is chosen. A package without a licence text gets ours,
with its authors.

Exit codes:
  0  done
  1  a package has no licence text, and we have none for its licence
  2  wrong usage, no such package, or something is missing
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
# The names of licence files.
LICENCE_FILE = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)
# Licence files that do not apply if MIT is chosen.
OTHER_CHOICE = re.compile(r"apache|zlib|unlicense|copying", re.IGNORECASE)
# Our texts, by licence, for packages without one.
OURS = {"MIT": "LICENSE-MIT", "Apache-2.0": "LICENSE-APACHE"}
# Licences that require no notice in a binary.
SILENT = ("BSL-1.0", "Zlib")


def die(message, code=EXIT_USAGE):
    print(f"notices.py: {message}", file=sys.stderr)
    sys.exit(code)


def packages_in(names, triple):
    """The packages that these packages contain, except those of this workspace, sorted by name."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", triple]
    try:
        result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        die(f"cargo metadata: {error}")
    metadata = json.loads(result.stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}

    def is_in_program(dependency):
        # A macro runs in the compiler only.
        kinds = [kind for target in packages[dependency["pkg"]]["targets"] for kind in target["kind"]]
        return "proc-macro" not in kinds and any(kind["kind"] is None for kind in dependency["dep_kinds"])

    members = {packages[package]["name"]: package for package in metadata["workspace_members"]}
    for name in names:
        if name not in members:
            die(f"this workspace has no package {name}")
    ahead = [members[name] for name in names]
    reached = set(ahead)
    while ahead:
        found = {dependency["pkg"] for dependency in nodes[ahead.pop()]["deps"] if is_in_program(dependency)}
        ahead.extend(found - reached)
        reached |= found
    return sorted((packages[package] for package in reached - set(members.values())), key=lambda package: package["name"])


def choices(package):
    """The licences that a package offers; licences joined by AND are one choice."""
    return [choice.strip("() ") for choice in re.split(r" OR |/", package["license"] or "")]


def own_texts(package):
    """The texts in a package, except those of licences that are not chosen."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and LICENCE_FILE.match(path.name))
    if "MIT" in choices(package) and any("mit" in path.name.lower() for path in files):
        files = [path for path in files if not OTHER_CHOICE.search(path.name)]
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in files]


def common_text(package):
    for licence, name in OURS.items():
        if licence in choices(package):
            text = (ROOT / name).read_text(encoding="utf-8").strip()
            authors = ", ".join(package["authors"]) or f"the authors of {package['name']}"
            return re.sub(r"^Copyright \(c\).*$", f"Copyright (c) {authors}", text, flags=re.MULTILINE)
    if any(licence in choices(package) for licence in SILENT):
        return f"Its source: {package['repository']}"
    die(f"{package['name']} ({package['license']}) has no licence text", EXIT_UNKNOWN)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", action="append", metavar="NAME")
    parser.add_argument("triple", metavar="TRIPLE")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    args = parser.parse_args()
    users = defaultdict(list)
    for package in packages_in(args.package or ["carrybit"], args.triple):
        for text in own_texts(package) or [common_text(package)]:
            users[text].append(f"{package['name']} {package['version']} ({package['license']})")
    sys.stdout.reconfigure(encoding="utf-8")
    print("Third-party code in Carrybit, and its licences")
    for text, names in users.items():
        print("", RULE, *names, RULE, "", text, sep="\n")
    for path in args.files:
        try:
            print("", path.read_text(encoding="utf-8").strip(), sep="\n")
        except OSError as error:
            die(error)


if __name__ == "__main__":
    main()

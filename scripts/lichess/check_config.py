#!/usr/bin/env python3
"""Check a configuration of lichess-bot: its keys, its paths, and the start of the engine.

Usage:
  scripts/lichess/check_config.py LICHESS_BOT [ENGINE] [--config FILE]

LICHESS_BOT is a clone of https://github.com/lichess-bot-devs/lichess-bot; relative paths in
the configuration begin there. ENGINE replaces the engine in the configuration. The default
of FILE is the config.yml beside this script. Run it with a Python that has the packages of
lichess-bot's requirements.txt, such as venv/bin/python in LICHESS_BOT.

lichess-bot ignores unknown keys, so this script compares each key and its section with
config.yml.default and lichess-bot's default values. It checks that tablebases and books
exist. Then lichess-bot's own code reads the configuration, checks and starts the engine and
sets its options, as it does before it connects.

Exit codes:
  0  nothing is wrong
  1  something is wrong; there is a line about each problem
  2  wrong usage, or there is no such lichess-bot, file or package
"""

import argparse
import io
import logging
import os
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Sections whose keys the user chooses.
FREE_SECTIONS = {"uci_options", "xboard_options", "homemade_options", "engine_options", "go_commands", "book", "overrides"}
EXIT_WRONG = 1
EXIT_USAGE = 2


def key_paths(settings, above=()):
    """The path of each key of nested sections, as tuples of names."""
    for key, value in settings.items():
        path = (*above, str(key))
        yield path
        if isinstance(value, dict) and key not in FREE_SECTIONS:
            yield from key_paths(value, path)


def default_paths(text):
    """The path of each key in config.yml.default, and whether it is in a comment."""
    above = []
    for line in text.splitlines():
        match = re.match(r"( *)(#?)( *)(\w+):(?: |$)", line)
        if not match:
            continue
        before, comment, after, key = match.groups()
        # At the beginning of a line, the comment sign replaces a space. One key has a space more.
        indent = len(before) if comment and before else len(before + comment + after) // 2 * 2
        while above and above[-1][0] >= indent:
            above.pop()
        above.append((indent, key))
        yield tuple(name for _, name in above), bool(comment)


def known_paths(default, values):
    """The path of each key that lichess-bot knows, from the text of config.yml.default and from
    the default values of lichess-bot."""
    found = list(default_paths(default))
    known = {path for path, is_comment in found if not is_comment} | set(key_paths(values))
    # A comment does not show whether a key is in the section above or in none.
    names = {path[-1] for path in known}
    return known | {path for path, is_comment in found if is_comment and path[-1] not in names}


def unknown_keys(settings, known):
    """A line about each key that lichess-bot ignores."""
    for path in key_paths(settings):
        # The keys of an unknown section need no lines of their own.
        if path in known or (path[:-1] and path[:-1] not in known):
            continue
        places = sorted(".".join(other[:-1]) or "no section" for other in known if other[-1] == path[-1])
        hint = f" here; its place is {' or '.join(places)}" if places else ""
        yield f"{'.'.join(path)}: unknown to lichess-bot{hint}"


def lookup(settings, *path):
    """The value of a key, or None."""
    for key in path:
        settings = settings.get(key) if isinstance(settings, dict) else None
    return settings


def path_problems(settings, folder):
    """A line about each path of tablebases, networks and books that cannot be used."""
    working = folder / str(lookup(settings, "engine", "working_dir") or "")
    options = lookup(settings, "engine", "uci_options") or {}
    # In angle brackets, a value of these options is not a path: <empty>, <embedded>.
    values = [str(options.get(name) or "") for name in ("SyzygyPath", "EvalFile")]
    tables, network = ("" if value.startswith("<") else value for value in values)
    tables = re.split(";" if os.name == "nt" else "[;:]", tables)
    folders = [("engine.uci_options.SyzygyPath", working / path) for path in tables if path]
    for kind in ("syzygy", "gaviota"):
        section = lookup(settings, "engine", "lichess_bot_tbs", kind)
        if lookup(section, "enabled"):
            key = f"engine.lichess_bot_tbs.{kind}.paths"
            folders += [(key, folder / str(path)) for path in lookup(section, "paths") or []]
    for key, path in folders:
        if not path.is_dir():
            yield f"{key}: there is no folder {path}"
        elif "yzygy" in key and not any(path.glob("*.rtbw")):
            yield f"{key}: there is no file .rtbw in {path}"
    files = [("engine.uci_options.EvalFile", working / network)] if network else []
    if lookup(settings, "engine", "polyglot", "enabled"):
        for variant, books in (lookup(settings, "engine", "polyglot", "book") or {}).items():
            books = books if isinstance(books, list) else [books]
            files += [(f"engine.polyglot.book.{variant}", folder / str(book)) for book in books]
    for key, path in files:
        if not path.is_file():
            yield f"{key}: there is no file {path}"


def read_config(source, engine, copy):
    """Fills the path of the engine, if there is one, into a copy of the configuration and reads
    it with lichess-bot, which must be on sys.path."""
    import yaml
    from lib import config

    settings = yaml.safe_load(source.read_text(encoding="utf-8"))
    if engine:
        settings["engine"].update(dir=str(engine.parent), name=engine.name)
    copy.write_text(yaml.safe_dump(settings), encoding="utf-8")
    return config.load_config(str(copy))


def start_engine(source, engine):
    """Starts the engine with lichess-bot's code. Prints its remarks and returns its problems."""
    from lib import engine_wrapper

    found, log = [], io.StringIO()
    logging.getLogger().addHandler(logging.StreamHandler(log))
    logging.getLogger().setLevel(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        try:
            settings = read_config(source, engine, Path(folder) / "config.yml")
            with engine_wrapper.create_engine(settings) as wrapper:
                print(f"{wrapper.name()} starts with {source}")
        except Exception as error:  # lichess-bot raises plain Exceptions.
            found.append(str(error))
    for line in log.getvalue().splitlines():
        # lichess-bot logs the engine's info strings about options as unexpected.
        said = re.search(r"Unexpected engine output: '(info string .*)'", line)
        if said:
            print(said[1])
        else:
            found.append(line)
    return found


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lichess_bot", metavar="LICHESS_BOT", type=Path)
    parser.add_argument("engine", metavar="ENGINE", type=Path, nargs="?")
    parser.add_argument("--config", metavar="FILE", type=Path, default=HERE / "config.yml")
    args = parser.parse_args()
    for path in (args.lichess_bot / "lib" / "config.py", args.config):
        if not path.is_file():
            parser.error(f"there is no {path}")
    args.lichess_bot, args.config = args.lichess_bot.resolve(), args.config.resolve()
    args.engine = args.engine and args.engine.resolve()
    return args


def main():
    args = parse_args()
    # lichess-bot runs in its folder.
    os.chdir(args.lichess_bot)
    sys.path.insert(0, str(args.lichess_bot))
    try:
        import yaml
        from lib import config
    except ImportError as error:
        print(f"check_config.py: {error}; use the Python of lichess-bot's virtual environment", file=sys.stderr)
        return EXIT_USAGE
    try:
        settings = yaml.safe_load(args.config.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        print(f"check_config.py: {args.config}: {error}", file=sys.stderr)
        return EXIT_WRONG
    if not isinstance(settings, dict) or not isinstance(settings.get("engine"), dict):
        print(f"check_config.py: {args.config}: there is no section engine", file=sys.stderr)
        return EXIT_WRONG
    values = {}
    config.insert_default_values(values)
    known = known_paths(Path("config.yml.default").read_text(encoding="utf-8"), values)
    found = list(unknown_keys(settings, known)) + list(path_problems(settings, args.lichess_bot))
    found += start_engine(args.config, args.engine)
    for line in found:
        print(f"check_config.py: {line}", file=sys.stderr)
    return EXIT_WRONG if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Check a configuration of lichess-bot with lichess-bot's own code.

Usage:
  scripts/lichess/check_config.py LICHESS_BOT ENGINE [--config FILE]

LICHESS_BOT is a clone of https://github.com/lichess-bot-devs/lichess-bot, ENGINE the
program of Carrybit; the default of FILE is config.yml. Run it with a Python that has the
packages of lichess-bot's requirements.txt.

lichess-bot reads the configuration with the path of the engine filled in, starts the
engine and sets its options, as it does before it connects. lichess-bot ignores unknown
keys, so this script compares them with those of config.yml.default, comments included.

Exit code: 0 if nothing is wrong, or if LICHESS_BOT is missing (then the output says that
the check was skipped); 1 if something is wrong.
"""

import argparse
import io
import logging
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Sections whose keys the user chooses.
FREE_SECTIONS = {"uci_options", "go_commands", "book", "overrides"}


def keys(section):
    """All keys of a configuration and its sections."""
    for key, value in section.items():
        yield key
        if isinstance(value, dict) and key not in FREE_SECTIONS:
            yield from keys(value)


def read_config(source, engine, copy):
    """Fills the path of the engine into a copy of the configuration and reads it with
    lichess-bot, which must be on sys.path."""
    import yaml
    from lib import config

    settings = yaml.safe_load(source.read_text(encoding="utf-8"))
    settings["engine"].update(dir=str(engine.parent), name=engine.name)
    copy.write_text(yaml.safe_dump(settings), encoding="utf-8")
    return config.load_config(str(copy))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lichess_bot", metavar="LICHESS_BOT", type=Path)
    parser.add_argument("engine", metavar="ENGINE", type=Path)
    parser.add_argument("--config", metavar="FILE", type=Path, default=HERE / "config.yml")
    args = parser.parse_args()
    if not (args.lichess_bot / "lib" / "config.py").is_file():
        print(f"check_config.py: skipped: there is no lichess-bot in {args.lichess_bot}")
        return 0
    sys.path.insert(0, str(args.lichess_bot.resolve()))

    import yaml
    from lib import engine_wrapper

    default = (args.lichess_bot / "config.yml.default").read_text(encoding="utf-8")
    known = set(re.findall(r"^[# ]*(\w+):", default, re.MULTILINE))
    given = keys(yaml.safe_load(args.config.read_text(encoding="utf-8")))
    found = [f"unknown to lichess-bot: {key}" for key in given if key not in known]

    log = io.StringIO()
    logging.getLogger().addHandler(logging.StreamHandler(log))
    logging.getLogger().setLevel(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        try:
            settings = read_config(args.config, args.engine.resolve(), Path(folder) / "config.yml")
            with engine_wrapper.create_engine(settings) as engine:
                print(f"{engine.name()} starts with {args.config}")
        except Exception as error:  # lichess-bot raises plain Exceptions.
            found.append(str(error))
    for line in log.getvalue().splitlines():
        # lichess-bot logs the engine's info strings about options as unexpected.
        said = re.search(r"Unexpected engine output: '(info string .*)'", line)
        if said:
            print(said[1])
        else:
            found.append(line)
    for line in found:
        print(f"check_config.py: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

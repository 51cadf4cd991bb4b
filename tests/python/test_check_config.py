"""scripts/lichess/check_config.py finds keys in a wrong section and paths that cannot be used."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lichess"))

import check_config  # noqa: E402

# In the form of lichess-bot's config.yml.default.
DEFAULT = """
token: "x"                         # A token.

engine:                            # A comment: not a key.
  dir: "./engines/"                # NOTE: a folder.
# interpreter: "java"
  uci_options:
    Move Overhead: 100
#   go_commands:
#     nodes: 1
  online_moves:
    # max_depth: 10                # A key below online_moves.
    max_retries: 2
challenge:
  variants:
    - standard
#   - atomic
# min_rating: 0
#  only_bot: false
# pgn_directory: "games"           # A key of no section.
"""
VALUES = {"pgn_directory": None, "engine": {"working_dir": "", "online_moves": {"max_depth": 1}}}


class Keys(unittest.TestCase):
    def unknown(self, settings):
        known = check_config.known_paths(DEFAULT, VALUES)
        return list(check_config.unknown_keys(settings, known))

    def test_keys_in_their_sections_are_known(self):
        engine = {"dir": "", "interpreter": "", "working_dir": "", "online_moves": {"max_depth": 1, "max_retries": 1}}
        engine["uci_options"] = {"Any": 1, "go_commands": {"any": 1}}
        challenge = {"variants": [], "min_rating": 0, "only_bot": True}
        settings = {"token": "x", "engine": engine, "challenge": challenge, "pgn_directory": "games"}
        self.assertEqual(self.unknown(settings), [])

    def test_key_in_a_wrong_section_is_reported_with_its_place(self):
        place = "unknown to lichess-bot here; its place is"
        for settings, line in [
            ({"max_retries": 1}, f"max_retries: {place} engine.online_moves"),
            ({"engine": {"max_depth": 1}}, f"engine.max_depth: {place} engine.online_moves"),
            ({"engine": {"min_rating": 1}}, f"engine.min_rating: {place} challenge"),
            ({"engine": {"pgn_directory": ""}}, f"engine.pgn_directory: {place} no section"),
            ({"engine": {"token": ""}}, f"engine.token: {place} no section"),
            ({"engin": {"dir": "", "more": {"deep": 1}}}, "engin: unknown to lichess-bot"),
        ]:
            self.assertEqual(self.unknown(settings), [line])


class Paths(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "tables").mkdir()
        (self.folder / "tables" / "KQvK.rtbw").touch()
        (self.folder / "empty").mkdir()
        (self.folder / "book.bin").touch()

    def problems(self, **engine):
        found = check_config.path_problems({"engine": engine}, self.folder)
        return [line.replace(str(self.folder), "HERE") for line in found]

    def test_usable_paths_are_accepted(self):
        tables = f"tables{os.pathsep}{self.folder / 'tables'}"
        polyglot = {"enabled": True, "book": {"standard": ["book.bin"], "chess960": "book.bin"}}
        syzygy = {"enabled": True, "paths": ["tables"]}
        self.assertEqual(self.problems(uci_options={"SyzygyPath": "<empty>", "EvalFile": "<embedded>"}), [])
        options = {"uci_options": {"SyzygyPath": tables}, "lichess_bot_tbs": {"syzygy": syzygy}}
        self.assertEqual(self.problems(polyglot=polyglot, **options), [])
        unused = {"enabled": False, "paths": ["none"]}
        disabled = {"enabled": False, "book": {"standard": ["none"]}}
        self.assertEqual(self.problems(polyglot=disabled, lichess_bot_tbs={"gaviota": unused}), [])

    def test_unusable_path_is_reported_with_its_key(self):
        for section, line in [
            ({"uci_options": {"SyzygyPath": "none"}}, "engine.uci_options.SyzygyPath: there is no folder HERE/none"),
            ({"uci_options": {"SyzygyPath": "empty"}}, "engine.uci_options.SyzygyPath: there is no file .rtbw in HERE/empty"),
            ({"uci_options": {"EvalFile": "none"}}, "engine.uci_options.EvalFile: there is no file HERE/none"),
            (
                {"lichess_bot_tbs": {"gaviota": {"enabled": True, "paths": ["none"]}}},
                "engine.lichess_bot_tbs.gaviota.paths: there is no folder HERE/none",
            ),
            (
                {"polyglot": {"enabled": True, "book": {"standard": ["book.bin", "none"]}}},
                "engine.polyglot.book.standard: there is no file HERE/none",
            ),
        ]:
            self.assertEqual(self.problems(**section), [line])


if __name__ == "__main__":
    unittest.main()

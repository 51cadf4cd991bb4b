"""scripts/clock_use.py reads the clock times that fastchess and cutechess-cli write."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import clock_use  # noqa: E402

GAME = """[White "A"]
[Black "B"]
[Result "1-0"]
[TimeControl "{control}"]

1. e4 {{+0.31/14 1.5s}} e5 {{-0.20/12 0.5s, a word}} 2. Qh5 {{+0.10/9 0.500s}} Ke7 {{book}} 3. Qxe5# {{+M1/20 0.1s}} 1-0

"""


class Reading(unittest.TestCase):
    def read(self, control, wanted=None):
        with tempfile.NamedTemporaryFile("w", suffix=".pgn") as file:
            file.write(2 * GAME.format(control=control))
            file.flush()
            return clock_use.read_games([file.name], wanted)

    def test_times_are_found_in_comments(self):
        for comment, seconds in [("+0.34/14 0.123s", 0.123), ("-M3/9 2s, White mates", 2.0), ("book", None), ("", None)]:
            self.assertEqual(clock_use.move_seconds(comment), seconds, comment)

    def test_clocks_run_down_and_gain_increments(self):
        uses = self.read("10+1")
        self.assertEqual([len(row) for row in uses["A"]], [2, 2])
        self.assertEqual([len(row) for row in uses["B"]], [2])
        first, second = uses["A"][0][0], uses["A"][1][0]
        self.assertAlmostEqual(first.spent, 0.15)
        self.assertAlmostEqual(first.left, 0.95)
        self.assertAlmostEqual(second.left, 1.0)
        spent, left, least = clock_use.curves([row * clock_use.FEWEST_GAMES for row in uses["B"]], 80)
        self.assertAlmostEqual(spent[0], 5.0)
        self.assertAlmostEqual(left[0], 105.0)
        self.assertAlmostEqual(left[0], least[0])

    def test_only_wanted_players_and_plain_clocks_count(self):
        self.assertEqual(list(self.read("10", ["B"])), ["B"])
        for control in ["40/60", "-", "?", "0+1"]:
            self.assertEqual(dict(self.read(control)), {}, control)


if __name__ == "__main__":
    unittest.main()

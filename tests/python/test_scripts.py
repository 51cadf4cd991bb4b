"""The scripts compile with this Python, which may be older than the author's."""

import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Scripts(unittest.TestCase):
    def test_all_compile(self):
        scripts = [path for folder in ("scripts", "tests", "crates") for path in (ROOT / folder).rglob("*.py")]
        self.assertTrue(scripts)
        for path in scripts:
            with self.subTest(path=path):
                compile(path.read_text(encoding="utf-8"), str(path), "exec")

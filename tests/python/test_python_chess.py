"""python-chess, the library of lichess-bot and most tools in Python, plays and analyses with
the engine without logging a warning.

The environment variable CARRYBIT names the program. If CARRYBIT_TIMING is set, the moves must come
in time, which needs a processor that is not busy. `tests/python/run` prepares everything.
"""

import itertools
import logging
import os
import tempfile
import threading
import time
import unittest
from pathlib import Path

import chess
import chess.engine
import yaml
from chess.engine import Limit

ENGINE = os.environ["CARRYBIT"]
ROOT = Path(__file__).resolve().parent.parent.parent
SYZYGY = str(ROOT / "tests/data/syzygy")
LICHESS_CONFIG = ROOT / "scripts/lichess/config.yml"
IS_TIMED = "CARRYBIT_TIMING" in os.environ
# Only what hangs takes longer than this, in seconds.
TIMEOUT_S = 600
# The most that the machine may delay a search, in seconds.
DELAY_S = 2 if IS_TIMED else TIMEOUT_S
# Values to set instead of maxima that would need the whole machine.
MAXIMA = {"Hash": 64, "Threads": 4}
MIDDLEGAME = "r1bq1rk1/pp2bppp/2n2n2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 9"
MATE_IN_TWO = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"


class Log(logging.Handler):
    """Keeps the log of python-chess: each line of the dialogue, and warnings."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.lines = []
        self.warnings = []

    def emit(self, record):
        self.lines.append(record.getMessage())
        if record.levelno >= logging.WARNING:
            self.warnings.append(record.getMessage())

    def sent(self):
        return [line.split(": << ", 1)[1] for line in self.lines if ": << " in line]

    def received(self):
        return [line.split(": >> ", 1)[1] for line in self.lines if ": >> " in line]


class EngineTest(unittest.TestCase):
    """A test with a running engine, which must exit with code 0 afterwards, without a warning
    of python-chess."""

    def setUp(self):
        self.log = Log()
        logger = logging.getLogger("chess.engine")
        logger.setLevel(logging.DEBUG)
        logger.propagate = False
        logger.addHandler(self.log)
        self.addCleanup(logger.removeHandler, self.log)
        self.engine = chess.engine.SimpleEngine.popen_uci(ENGINE, timeout=TIMEOUT_S)
        self.addCleanup(self.engine.close)

    def tearDown(self):
        self.quit()
        self.assertEqual(self.log.warnings, [])

    def quit(self):
        if not self.engine.protocol.returncode.done():
            self.engine.quit()
        self.assertEqual(self.engine.protocol.returncode.result(), 0)

    def timed(self, board, limit, **arguments):
        """Returns the result of a search with its info, and the time it took."""
        began = time.monotonic()
        result = self.engine.play(board, limit, info=chess.engine.INFO_ALL, **arguments)
        taken = time.monotonic() - began
        self.assertIn(result.move, board.legal_moves)
        self.assertIn("score", result.info)
        return result, taken


class Options(EngineTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def values(self, option):
        """Values to set, the default at the end."""
        if option.type == "check":
            return [not option.default, option.default]
        if option.type == "spin":
            return [option.min, MAXIMA.get(option.name, option.max), option.default]
        if option.type == "button":
            return [None]
        return {
            "EvalFile": ["", option.default],
            "SyzygyPath": [SYZYGY, ""],
            "UCI_EngineAbout": ["another engine", option.default],
            "Debug Log File": [os.path.join(self.folder, "carrybit.log"), ""],
        }[option.name]

    def test_every_declared_option_can_be_set(self):
        for option in self.engine.options.values():
            if option.is_managed() or option.name == "UCI_Opponent":
                continue
            for value in self.values(option):
                with self.subTest(option=option.name, value=value):
                    self.engine.configure({option.name: value})
                    if value is not None:
                        self.assertEqual(self.engine.protocol.config[option.name], value)
                    self.engine.play(chess.Board(), Limit(depth=1))
        self.engine.send_opponent_information(opponent=chess.engine.Opponent("José", "GM", 2700, is_engine=False))
        self.engine.play(chess.Board(), Limit(depth=1), game="another")
        self.assertIn("setoption name UCI_Opponent value GM 2700 human José", self.log.sent())
        refused = [line for line in self.log.received() if "unknown option" in line or "unchanged" in line]
        self.assertEqual(refused, [])

    def test_lichess_bot_can_set_its_options(self):
        """Its default configuration and ours: a missing option or a value out of range would end
        every game."""
        theirs = {"Move Overhead": 100, "Threads": 4, "Hash": 512, "SyzygyPath": "./syzygy/", "UCI_ShowWDL": True}
        ours = yaml.safe_load(LICHESS_CONFIG.read_text(encoding="utf-8"))["engine"]["uci_options"]
        for options in (theirs, ours):
            self.engine.configure(options)
            self.timed(chess.Board(), Limit(time=0.1))

    def test_options_have_effect(self):
        board = chess.Board(MIDDLEGAME)
        self.assertNotIn("wdl", self.engine.analyse(board, Limit(depth=4)))
        info = self.engine.analyse(board, Limit(depth=4), options={"UCI_ShowWDL": True})
        self.assertEqual(sum(info["wdl"].relative), 1000)
        ending = chess.Board("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1")
        info = self.engine.analyse(ending, Limit(depth=4), options={"SyzygyPath": SYZYGY})
        self.assertGreater(info["tbhits"], 0)
        weak = {"UCI_LimitStrength": True, "UCI_Elo": 1000}
        result = self.engine.play(board, Limit(time=5), info=chess.engine.INFO_ALL, options=weak)
        self.assertLess(result.info["nodes"], 100_000)


class Limits(EngineTest):
    def test_single_limits(self):
        for limit in (Limit(time=0.3), Limit(time=0.001)):
            _, taken = self.timed(chess.Board(MIDDLEGAME), limit)
            self.assertLess(taken, limit.time + DELAY_S)
        result, _ = self.timed(chess.Board(MIDDLEGAME), Limit(depth=7))
        self.assertEqual(result.info["depth"], 7)
        for nodes in (1, 5000):
            result, _ = self.timed(chess.Board(MIDDLEGAME), Limit(nodes=nodes))
            self.assertLess(result.info["nodes"], nodes + 1000)
        result, _ = self.timed(chess.Board(MATE_IN_TWO), Limit(mate=2, time=TIMEOUT_S))
        self.assertEqual(result.info["score"].relative, chess.engine.Mate(2))
        self.assertEqual(result.move, chess.Move.from_uci("a1a6"))

    def test_clocks(self):
        white = chess.Board(MIDDLEGAME)
        black = white.copy()
        black.push_san("O-O")
        clocks = ((2, 0, None), (1, 0.1, None), (1, 0, 10), (0.5, 0, 1), (0.1, 5, None), (0, 0, None), (-3, 0, None))
        for board, own, other in ((white, "white", "black"), (black, "black", "white")):
            for clock, increment, moves in clocks:
                with self.subTest(own=own, clock=clock, increment=increment, moves=moves):
                    times = {f"{own}_clock": clock, f"{other}_clock": 1000}
                    gains = {f"{own}_inc": increment, f"{other}_inc": 0}
                    _, taken = self.timed(board, Limit(**times, **gains, remaining_moves=moves))
                    self.assertLess(taken, max(clock, 0) + DELAY_S)


class Analysis(EngineTest):
    def test_stream_of_reports(self):
        board = chess.Board(MIDDLEGAME)
        depths = []
        with self.engine.analysis(board, multipv=3) as analysis:
            for info in analysis:
                if "pv" not in info:
                    continue
                end = board.copy()
                for move in info["pv"]:
                    self.assertIn(move, end.legal_moves)
                    end.push(move)
                for key in ("depth", "seldepth", "multipv", "score", "nodes", "nps", "hashfull", "tbhits", "time"):
                    self.assertIn(key, info)
                # From three seconds on, the lines of an unfinished iteration are reported, too.
                if info["multipv"] == 1:
                    depths.append(info["depth"])
                if info["depth"] >= 10:
                    break
            analysis.stop()
            best = analysis.wait()
        self.assertEqual(depths, sorted(depths))
        self.assertIn(best.move, board.legal_moves)
        self.assertEqual(best.move, analysis.multipv[0]["pv"][0])

    def test_long_search(self):
        with self.engine.analysis(chess.Board()) as analysis:
            time.sleep(4.5)
        self.assertIn("pv", analysis.info)

    def test_ping_stops_it(self):
        analysis = self.engine.analysis(chess.Board())
        time.sleep(0.3)
        began = time.monotonic()
        self.engine.ping()
        self.assertLess(time.monotonic() - began, DELAY_S)
        self.assertIn(analysis.wait().move, chess.Board().legal_moves)
        self.engine.ping()

    def test_another_thread_stops_it(self):
        analysis = self.engine.analysis(chess.Board(MIDDLEGAME))
        threading.Timer(0.3, analysis.stop).start()
        self.assertGreater(sum(1 for _ in analysis), 0)

    def test_root_moves(self):
        board = chess.Board()
        moves = [board.parse_san("a3"), board.parse_san("Nh3")]
        lines = self.engine.analyse(board, Limit(depth=6), multipv=4, root_moves=moves)
        self.assertEqual({line["pv"][0] for line in lines}, set(moves))
        self.assertEqual(self.engine.play(board, Limit(depth=6), root_moves=moves[:1]).move, moves[0])

    def test_no_root_move(self):
        result = self.engine.play(chess.Board(), Limit(depth=3), root_moves=[])
        self.assertIn(result.move, chess.Board().legal_moves)

    def test_the_end_of_a_game(self):
        for fen, score in ((MATED, chess.engine.Mate(-0)), (STALEMATE, chess.engine.Cp(0))):
            board = chess.Board(fen)
            self.assertIsNone(self.engine.play(board, Limit(time=0.1)).move)
            self.assertEqual(self.engine.analyse(board, Limit(depth=5))["score"].relative, score)


class Pondering(EngineTest):
    LIMIT = Limit(white_clock=10, black_clock=10, white_inc=0.1, black_inc=0.1)

    def ponder(self, board):
        """Plays a move on the board. Returns the reply that the engine ponders on."""
        result = self.engine.play(board, self.LIMIT, ponder=True, game="ponder")
        board.push(result.move)
        self.assertIn(result.ponder, board.legal_moves)
        return result.ponder

    def test_hits_and_misses(self):
        for command, other in (("ponderhit", "stop"), ("stop", "ponderhit")):
            board = chess.Board()
            for _ in range(4):
                reply = self.ponder(board)
                misses = (move for move in board.legal_moves if move != reply)
                board.push(reply if command == "ponderhit" else next(misses))
            sent = self.log.sent()
            self.assertEqual((sent.count(command), sent.count(other)), (3, 0))
            self.engine.ping()
            self.log.lines.clear()

    def test_quit_while_pondering(self):
        self.ponder(chess.Board())
        self.quit()


class Chess960(EngineTest):
    def test_both_castlings_for_both_sides(self):
        """The engine castles, and accepts positions after castling."""
        fens = (
            "rk3r2/pppppppp/8/8/8/8/PPPPPPPP/RK3R2 w FAfa - 0 1",
            "1r4kr/pppppppp/8/8/8/8/PPPPPPPP/1R4KR w HBhb - 0 1",
        )
        for fen, white, black in itertools.product(fens, ("O-O", "O-O-O"), ("O-O", "O-O-O")):
            with self.subTest(fen=fen, white=white, black=black):
                board = chess.Board(fen, chess960=True)
                for san in (white, black):
                    move = board.parse_san(san)
                    self.assertEqual(self.engine.play(board, Limit(depth=3), root_moves=[move]).move, move)
                    board.push(move)
                self.assertIn(self.engine.play(board, Limit(depth=3)).move, board.legal_moves)

    def test_standard_castling(self):
        board = chess.Board(MIDDLEGAME)
        move = board.parse_san("O-O")
        self.assertEqual(self.engine.play(board, Limit(depth=3), root_moves=[move]).move, move)
        board.chess960 = True
        move = board.parse_san("O-O")
        self.assertEqual(move.uci(), "e1h1")
        self.assertEqual(self.engine.play(board, Limit(depth=3), root_moves=[move]).move, move)


class Session(EngineTest):
    def test_name_and_debug_mode(self):
        self.assertTrue(self.engine.id["name"].startswith("Carrybit "))
        self.assertIn("author", self.engine.id)
        self.engine.protocol.debug()
        self.engine.play(chess.Board(), Limit(depth=4))
        self.engine.protocol.debug(False)

    def test_quit_while_analysing(self):
        self.engine.analysis(chess.Board())
        time.sleep(0.2)
        self.quit()


if __name__ == "__main__":
    unittest.main()

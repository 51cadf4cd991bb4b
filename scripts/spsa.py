#!/usr/bin/env python3
"""Tune the search parameters by SPSA, with games at a fixed number of nodes.

Usage:
  cargo build --release --features spsa
  scripts/spsa.py --book UHO_4060_v4.epd --pairs 2000 --out DIR lmr_ futility_

The words at the end select parameters by prefix; without any, all are tuned. Each
worker has two engines and plays pairs of games between theta + c * delta and
theta - c * delta, from the same opening with both colours; after each pair the
parameters move a little towards the winner. Value, range and final step (c_end)
come from `carrybit params`, in OpenBench's SPSA format; the gain sequences are
OpenBench's, too.

DIR/state.json is written after every 50 pairs, together with a print of the current
values, so that the run can be stopped at any time and resumed.
Needs the Python package chess.
"""

import argparse
import json
import multiprocessing
import random
import subprocess
import sys
from pathlib import Path

try:
    import chess
except ImportError:
    sys.exit("spsa.py: the Python package chess is missing: pip install chess")

ROOT = Path(__file__).resolve().parent.parent

ALPHA, GAMMA = 0.602, 0.101
# The stability constant, as a share of all iterations.
A_SHARE = 0.1
# A game is won for the side that both engines see ahead by this many centipawns
# for this many plies in a row.
WIN_CP, WIN_PLIES = 500, 4
# After this ply it is drawn if both see no more than this for this many plies.
DRAW_PLY, DRAW_CP, DRAW_PLIES = 70, 10, 8
MAX_PLIES = 300
MATE_CP = 30_000
# Results between two prints of the state.
REPORT_EVERY = 50


class Engine:
    """A UCI engine as a child process."""

    def __init__(self, command, hash_mb):
        self.process = subprocess.Popen(
            [command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.send(f"setoption name Hash value {hash_mb}")

    def send(self, line):
        self.process.stdin.write(line + "\n")

    def ready(self):
        self.send("isready")
        while self.process.stdout.readline().strip() != "readyok":
            if self.process.poll() is not None:
                raise RuntimeError("the engine has died")

    def start_game(self, values):
        for name, value in values.items():
            self.send(f"setoption name {name} value {value}")
        self.send("ucinewgame")
        self.ready()

    def move(self, fen, moves, nodes):
        """The engine's move, and its score in centipawns from its own view."""
        self.send(f"position fen {fen} moves {' '.join(moves)}" if moves else f"position fen {fen}")
        self.send(f"go nodes {nodes}")
        last = ""
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the engine has died")
            if line.startswith("bestmove"):
                return line.split()[1], score_of(last)
            if " score " in line:
                last = line


def score_of(info):
    words = info.split()
    if "score" not in words:
        return 0
    kind, value = words[words.index("score") + 1 :][:2]
    if kind == "mate":
        return MATE_CP if int(value) > 0 else -MATE_CP
    return int(value)


def play(white, black, fen, nodes):
    """The result of a game from White's view: 1, 0.5 or 0."""
    board = chess.Board(fen)
    moves = []
    ahead = quiet = 0
    while len(moves) < MAX_PLIES:
        engine = white if board.turn == chess.WHITE else black
        mv, score = engine.move(fen, moves, nodes)
        if board.turn == chess.BLACK:
            score = -score
        moves.append(mv)
        board.push_uci(mv)
        sign = (score >= WIN_CP) - (score <= -WIN_CP)
        ahead = ahead + sign if sign * ahead >= 0 and sign else 0
        if abs(ahead) >= WIN_PLIES:
            return 1.0 if ahead > 0 else 0.0
        quiet = quiet + 1 if abs(score) <= DRAW_CP else 0
        if len(moves) >= DRAW_PLY and quiet >= DRAW_PLIES:
            return 0.5
        outcome = board.outcome(claim_draw=False)
        if outcome is None and (board.is_repetition(3) or board.halfmove_clock >= 100):
            return 0.5
        if outcome is not None:
            return {chess.WHITE: 1.0, chess.BLACK: 0.0, None: 0.5}[outcome.winner]
    return 0.5


def worker(engine, hash_mb, nodes, jobs, results):
    engines = [Engine(engine, hash_mb) for _ in range(2)]
    for number, plus, minus, flips, fen in iter(jobs.get, None):
        points = 0.0
        for plus_is_white in (True, False):
            engines[0].start_game(plus)
            engines[1].start_game(minus)
            if plus_is_white:
                points += play(engines[0], engines[1], fen, nodes)
            else:
                points += 1.0 - play(engines[1], engines[0], fen, nodes)
        results.put((number, flips, points - 1.0))
    for engine in engines:
        engine.send("quit")


def read_params(engine, prefixes):
    text = subprocess.run([engine, "params"], capture_output=True, text=True, check=True).stdout
    params = {}
    for line in text.splitlines():
        name, _, value, low, high, c_end, r_end = (word.strip() for word in line.split(","))
        if not prefixes or any(name.startswith(prefix) for prefix in prefixes):
            params[name] = {
                "value": float(value), "min": float(low), "max": float(high),
                "c_end": float(c_end), "r_end": float(r_end),
            }
    return params


class Spsa:
    """The parameters and how they move."""

    def __init__(self, params, pairs):
        self.params = params
        self.pairs = pairs
        self.theta = {name: param["value"] for name, param in params.items()}
        self.stability = A_SHARE * pairs

    def gains(self, name, k):
        """Perturbation and step size of a parameter at iteration k."""
        param = self.params[name]
        c = param["c_end"] * self.pairs**GAMMA / (k + 1) ** GAMMA
        a_end = param["r_end"] * param["c_end"] ** 2
        a = a_end * (self.stability + self.pairs) ** ALPHA / (self.stability + k + 1) ** ALPHA
        return c, a / c

    def within(self, name, value):
        return min(max(value, self.params[name]["min"]), self.params[name]["max"])

    def perturbed(self, k, flips, sign):
        """Whole numbers near theta, rounded at random."""
        values = {}
        for name, flip in flips.items():
            c, _ = self.gains(name, k)
            value = self.within(name, self.theta[name] + sign * flip * c)
            values[name] = int(value + random.random()) if value >= 0 else -int(-value + random.random())
        return values

    def learn(self, k, flips, result):
        for name, flip in flips.items():
            _, gain = self.gains(name, k)
            self.theta[name] = self.within(name, self.theta[name] + gain * result * flip)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", metavar="CMD", default=str(ROOT / "target/release/carrybit"))
    parser.add_argument("--book", metavar="EPD", required=True)
    parser.add_argument("--nodes", metavar="N", type=int, default=5000)
    parser.add_argument("--pairs", metavar="N", type=int, required=True, help="pairs of games in the whole run")
    parser.add_argument("--rate", metavar="R", type=float, help="r_end for all, larger for short runs (default: as listed)")
    parser.add_argument("--concurrency", metavar="N", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--hash", metavar="MIB", type=int, default=8)
    parser.add_argument("--out", metavar="DIR", required=True)
    parser.add_argument("prefixes", nargs="*")
    args = parser.parse_args()

    params = read_params(args.engine, args.prefixes)
    if not params:
        sys.exit("spsa.py: no parameter has such a prefix")
    if args.rate:
        for param in params.values():
            param["r_end"] = args.rate
    fens = [line.strip() for line in open(args.book, encoding="utf-8") if line.strip()]
    spsa = Spsa(params, args.pairs)
    state = Path(args.out) / "state.json"
    state.parent.mkdir(parents=True, exist_ok=True)
    done = 0
    if state.exists():
        saved = json.loads(state.read_text())
        done = saved["pairs"]
        spsa.theta.update(saved["theta"])

    jobs, results = multiprocessing.Queue(), multiprocessing.Queue()
    workers = [
        multiprocessing.Process(target=worker, args=(args.engine, args.hash, args.nodes, jobs, results), daemon=True)
        for _ in range(args.concurrency)
    ]
    for process in workers:
        process.start()

    def deal(k):
        flips = {name: random.choice((-1, 1)) for name in params}
        jobs.put((k, spsa.perturbed(k, flips, 1), spsa.perturbed(k, flips, -1), flips, random.choice(fens)))

    dealt = done
    for _ in range(min(args.concurrency, args.pairs - done)):
        deal(dealt)
        dealt += 1
    while done < args.pairs:
        k, flips, result = results.get()
        spsa.learn(k, flips, result)
        done += 1
        if dealt < args.pairs:
            deal(dealt)
            dealt += 1
        if done % REPORT_EVERY == 0 or done == args.pairs:
            state.write_text(json.dumps({"pairs": done, "theta": spsa.theta}, indent=1))
            print(f"{done}/{args.pairs} pairs", flush=True)
    for _ in workers:
        jobs.put(None)
    for name, param in params.items():
        print(f"{name:34} {param['value']:8.0f} -> {spsa.theta[name]:8.1f}")


if __name__ == "__main__":
    main()

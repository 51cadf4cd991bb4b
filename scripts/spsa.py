#!/usr/bin/env python3
"""Tune the search parameters by SPSA, with games at a fixed number of nodes.

Usage:
  cargo build --release --locked --features spsa
  scripts/spsa.py --book UHO_4060_v4.epd --pairs 2000 --out DIR lmr_ futility_

The words at the end select parameters by prefix; without any, all are tuned. Pairs of
games are played between theta + c * delta and theta - c * delta, from the same opening
with both colours; after each pair the parameters move a little towards the winner.
Value, range and final step (c_end) come from `carrybit params`, in OpenBench's SPSA
format; the gain sequences are OpenBench's, too.

DIR/state.json is written after every pair: stop the run at any time and resume it with
the same settings. With the same --seed and --concurrency 1 a run can be repeated.
Needs fastchess (the variable FASTCHESS, or on PATH).
"""

import argparse
import json
import random
from pathlib import Path

from match import die, write_whole
from pairs import Pair, add_arguments, pace_of, play_pairs, read_book, read_params

ALPHA, GAMMA = 0.602, 0.101
# A, the stability constant of SPSA, as a share of all iterations.
A_SHARE = 0.1
# Pairs between two lines of progress.
REPORT_EVERY = 50


class Spsa:
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

    def clamped(self, name, value):
        return min(max(value, self.params[name]["min"]), self.params[name]["max"])

    def perturbed(self, k, deltas, sign, dice):
        """Theta + sign * c * delta, rounded at random to whole numbers."""
        values = {}
        for name, delta in deltas.items():
            c, _ = self.gains(name, k)
            value = self.clamped(name, self.theta[name] + sign * delta * c)
            values[name] = int(value + dice.random()) if value >= 0 else -int(-value + dice.random())
        return values

    def update(self, k, deltas, result):
        """Moves theta towards the winner of pair k."""
        for name, delta in deltas.items():
            _, gain = self.gains(name, k)
            self.theta[name] = self.clamped(name, self.theta[name] + gain * result * delta)


def read_state(path, setup):
    """The state of an earlier run with these settings, or a new state."""
    if not path.exists():
        seed = random.getrandbits(32) if setup["seed"] is None else setup["seed"]
        return {"setup": {**setup, "seed": seed}, "played": [], "theta": {}}
    state = json.loads(path.read_text(encoding="utf-8"))
    earlier = state.get("setup", {})
    for name, value in setup.items():
        is_left_open = name == "seed" and value is None
        if not is_left_open and earlier.get(name) != value:
            die(f"{path} is from a run with another {name}: name another directory")
    return state


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, nodes=40_000, hash_mb=8)
    parser.add_argument("--rate", metavar="R", type=float, help="r_end for all, larger for short runs (default: as listed)")
    parser.add_argument("--seed", metavar="N", type=int, help="of openings and perturbations (default: random)")
    parser.add_argument("prefixes", nargs="*")
    args = parser.parse_args()

    params = read_params(args.engine, args.prefixes)
    if not params:
        die("no parameter has such a prefix")
    if args.rate:
        for param in params.values():
            param["r_end"] = args.rate
    fens = read_book(args.book)
    path = Path(args.out) / "state.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    setup = {"params": params, "pairs": args.pairs, "pace": pace_of(args), "openings": len(fens), "seed": args.seed}
    state = read_state(path, setup)
    spsa = Spsa(params, args.pairs)
    spsa.theta.update(state["theta"])

    played = set(state["played"])

    def deal():
        for k in range(args.pairs):
            if k in played:
                continue
            # Depends on k only, so that a resumed run plays the same pairs.
            dice = random.Random(f"{state['setup']['seed']} {k}")
            deltas = {name: dice.choice((-1, 1)) for name in params}
            plus, minus = (spsa.perturbed(k, deltas, sign, dice) for sign in (1, -1))
            yield Pair(plus, minus, dice.choice(fens), tag=(k, deltas))

    for (k, deltas), points in play_pairs(deal(), args):
        # OpenBench counts a pair from -2 to 2.
        spsa.update(k, deltas, 2 * points)
        played.add(k)
        write_whole(path, json.dumps({**state, "played": sorted(played), "theta": spsa.theta}))
        if len(played) % REPORT_EVERY == 0 or len(played) == args.pairs:
            print(f"{len(played)}/{args.pairs} pairs", flush=True)
    for name, param in params.items():
        print(f"{name:34} {param['value']:8.0f} -> {spsa.theta[name]:8.1f}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Tune the search parameters by SPSA, with games at a fixed number of nodes.

Usage:
  cargo build --release --locked --features spsa
  scripts/spsa.py --book UHO_4060_v4.epd --pairs 2000 --out DIR lmr_ futility_

The words at the end select parameters by prefix; without any, all are tuned. Each
worker has two engines and plays pairs of games between theta + c * delta and
theta - c * delta, from the same opening with both colours; after each pair the
parameters move a little towards the winner. Value, range and final step (c_end)
come from `carrybit params`, in OpenBench's SPSA format; the gain sequences are
OpenBench's, too.

DIR/state.json is written after every 50 pairs, together with a print of the current
values, so that the run can be stopped at any time and resumed.
Games end early by the rules of adjudication.py. Needs the Python package chess.
"""

import argparse
import json
import random
import sys
from pathlib import Path

from pairs import Pair, add_arguments, play_pairs, read_book, read_params

ALPHA, GAMMA = 0.602, 0.101
# The stability constant, as a share of all iterations.
A_SHARE = 0.1
# Pairs between two prints of the state.
REPORT_EVERY = 50


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
    add_arguments(parser, nodes=40_000, hash_mb=8)
    parser.add_argument("--rate", metavar="R", type=float, help="r_end for all, larger for short runs (default: as listed)")
    parser.add_argument("prefixes", nargs="*")
    args = parser.parse_args()

    params = read_params(args.engine, args.prefixes)
    if not params:
        sys.exit("spsa.py: no parameter has such a prefix")
    if args.rate:
        for param in params.values():
            param["r_end"] = args.rate
    fens = read_book(args.book)
    spsa = Spsa(params, args.pairs)
    state = Path(args.out) / "state.json"
    state.parent.mkdir(parents=True, exist_ok=True)
    done = 0
    if state.exists():
        saved = json.loads(state.read_text())
        done = saved["pairs"]
        spsa.theta.update(saved["theta"])

    def deal(first):
        for k in range(first, args.pairs):
            flips = {name: random.choice((-1, 1)) for name in params}
            plus, minus = (spsa.perturbed(k, flips, sign) for sign in (1, -1))
            yield Pair(plus, minus, random.choice(fens), tag=(k, flips))

    for done, ((k, flips), points) in enumerate(play_pairs(deal(done), args), done + 1):
        spsa.learn(k, flips, points)
        if done % REPORT_EVERY == 0 or done == args.pairs:
            state.write_text(json.dumps({"pairs": done, "theta": spsa.theta}, indent=1))
            print(f"{done}/{args.pairs} pairs", flush=True)
    for name, param in params.items():
        print(f"{name:34} {param['value']:8.0f} -> {spsa.theta[name]:8.1f}")


if __name__ == "__main__":
    main()

#!/usr/bin/env bash
# From zero to a network: plays games with the hand-crafted evaluation, trains a
# network on them, plays games with that network, trains the next one on those and
# the games before, and so on. Whatever is there already is kept or gone on with, so
# it may be killed at any moment and started again with the same arguments.
#
# Usage: workshop/generations.sh DIR [OPTION VALUE]...
#
# DIR gets gen0.vf, gen1.vf ... (games, with their settings beside them) and
# net0/, net1/ ... (net.nnue, losses.csv, losses.svg, summary.txt, games.svg).
#
#   --generations N   how many networks                        (3)
#   --positions N     positions to play for each of them       (8000000)
#   --seconds N       the same in seconds; then no two runs are alike
#   --nodes N         nodes for each move                      (400)
#   --epochs N        of each training                         (25)
#   --validation X    share of the games kept for validation   (0.02)
#   --wdl X           share of the results in the target       (0)
#   --seed N          of the first generation; the next has one more  (1)
#   --threads N       threads for games and training           (all)
#   --profile P       cargo profile; dev is for trying it out  (release)
#
# A network has as many neurons as this build of the engine (HIDDEN in
# src/eval/nnue/quantised.rs). To have it play: setoption name EvalFile value
# DIR/net2/net.nnue, or build with make EVALFILE=DIR/net2/net.nnue.
#
# Exit codes: 0 done; 2 wrong usage, or cargo is missing; otherwise that of the
#             step that failed.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

die() {
    echo "generations.sh: $1" >&2
    exit 2
}

usage() {
    sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

case ${1-} in
    -h | --help)
        usage
        exit 0
        ;;
    '' | -*) die 'it needs a folder for games and networks (see --help)' ;;
esac
dir=$1
shift

generations=3 positions=8000000 seconds='' nodes=400 epochs=25 validation=0.02 wdl=0 seed=1 threads='' profile=release
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || die "$1 needs a value (see --help)"
    case $1 in
        --generations | --positions | --seconds | --nodes | --epochs | --seed | --threads)
            [[ $2 =~ ^[0-9]{1,18}$ ]] || die "$1 needs a number, not $2"
            # A zero in front would make it octal.
            declare "${1#--}=$((10#$2))"
            ;;
        --validation | --wdl | --profile)
            declare "${1#--}=$2"
            ;;
        *) die "unknown option $1 (see --help)" ;;
    esac
    shift 2
done
command -v cargo >/dev/null || die 'cargo not found'

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
cd "$root"
limit=(--positions "$positions")
[ -z "$seconds" ] || limit=(--seconds "$seconds")
cargo build --locked --profile "$profile" -p carrybit-workshop
workshop=${CARGO_TARGET_DIR:-target}/${profile/#dev/debug}/workshop

evaluation=(--by-hand)
shards=()
for ((generation = 0; generation < generations; generation++)); do
    shard=$dir/gen$generation.vf
    net=$dir/net$generation
    if [ ! -e "$net/net.nnue" ]; then
        # A training that has begun wants the games that it began with.
        if [ ! -e "$net/checkpoint" ]; then
            echo "== generation $generation: games"
            "$workshop" play "$shard" "${limit[@]}" "${evaluation[@]}" \
                --nodes "$nodes" --seed "$((seed + generation))" ${threads:+--threads "$threads"}
            mkdir -p "$net"
            "$workshop" stats "$shard" --picture "$net/games.svg"
        fi
        # The games of the last two generations; older ones are of weaker play.
        shards=("${shards[@]: -1}" "$shard")
        echo "== generation $generation: training"
        "$workshop" train "${shards[@]}" --out "$net" --resume --validation "$validation" \
            --epochs "$epochs" --wdl "$wdl" ${threads:+--threads "$threads"}
    else
        shards=("$shard")
    fi
    evaluation=(--net "$net/net.nnue")
done

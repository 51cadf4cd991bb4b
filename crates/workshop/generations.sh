#!/usr/bin/env bash
# Makes networks from nothing. The first one is trained on random games, labelled with
# material; each later one is trained on games of its predecessor, whose evaluations are mixed
# into the labels (train --rescore). The script may be killed at any moment: with the same
# arguments, it continues where it stopped.
#
# Usage: crates/workshop/generations.sh DIR [OPTION VALUE]...
#
# It writes to DIR gen0.vf, gen1.vf ... (games, with their settings in gen0.vf.toml ...)
# and net0/, net1/ ... (net.nnue, losses.csv, summary.txt).
#
#   --generations N       number of networks                      (4)
#   --random-positions N  positions of random games, for net0     (1000000)
#   --positions N         positions of games for each later one   (8000000)
#   --seconds N           time limit of these games instead; not reproducible
#   --nodes N             nodes for each move                     (100)
#   --epochs N            of each training                        (8)
#   --validation X        share of the games kept for validation  (0.02)
#   --wdl X               share of the results in the target      (0)
#   --seed N              seed of generation 0; each later one adds 1  (1)
#   --threads N           threads for games and training          (all)
#
# The networks have the shape of this build of the engine. To play with one: setoption
# name EvalFile value DIR/net3/net.nnue, or make EVALFILE=DIR/net3/net.nnue.
#
# Environment: WORKSHOP is the path of a workshop program; if unset, cargo builds one.
#
# Exit codes: 0 success; 2 wrong usage, or cargo is missing; otherwise that of the failed
#             step.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

die() {
    echo "generations.sh: $1" >&2
    exit 2
}

case ${1-} in
    -h | --help)
        sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    '' | -*) die 'the first argument must be a folder for games and networks (see --help)' ;;
esac
dir=$1
shift

generations=4 random_positions=1000000 positions=8000000 seconds='' nodes=100
epochs=8 validation=0.02 wdl=0 seed=1 threads=''
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || die "$1 needs a value (see --help)"
    name=${1#--}
    case $1 in
        --generations | --random-positions | --positions | --seconds | --nodes | --epochs | --seed | --threads)
            [[ $2 =~ ^[0-9]{1,18}$ ]] || die "$1 needs a number, not $2"
            # 10# because a leading zero would mean octal.
            declare "${name//-/_}=$((10#$2))"
            ;;
        --validation | --wdl)
            [[ $2 =~ ^(0?\.[0-9]+|[01])$ ]] || die "$1 needs a share from 0 to 1, not $2"
            declare "$name=$2"
            ;;
        *) die "unknown option $1 (see --help)" ;;
    esac
    shift 2
done

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
workshop=${WORKSHOP:-}
if [ -z "$workshop" ]; then
    command -v cargo >/dev/null || die 'cargo not found'
    cargo build --locked --release --manifest-path "$root/Cargo.toml" -p carrybit-workshop
    workshop=${CARGO_TARGET_DIR:-$root/target}/release/workshop
fi
limit=(--positions "$positions")
[ -z "$seconds" ] || limit=(--seconds "$seconds")

shards=()
for ((generation = 0; generation < generations; generation++)); do
    shard=$dir/gen$generation.vf
    net=$dir/net$generation
    if [ "$generation" = 0 ]; then
        play=(--random --positions "$random_positions")
        # Material is exact: smoothing would only add errors.
        target=(--smoothing 0)
    else
        predecessor=$dir/net$((generation - 1))/net.nnue
        play=("${limit[@]}" --net "$predecessor" --nodes "$nodes")
        target=(--wdl "$wdl" --rescore "$predecessor")
    fi
    # The games of the last two generations; older ones are weaker.
    shards=(${shards[@]+"${shards[@]: -1}"} "$shard")
    if [ ! -e "$net/summary.txt" ]; then
        # A training that has begun resumes with the games it began with.
        if [ ! -e "$net/checkpoint" ]; then
            echo "== generation $generation: games"
            "$workshop" play "$shard" "${play[@]}" --seed "$((seed + generation))" \
                ${threads:+--threads "$threads"}
            "$workshop" stats "$shard"
        fi
        echo "== generation $generation: training"
        "$workshop" train "${shards[@]}" --out "$net" --resume --validation "$validation" \
            --epochs "$epochs" "${target[@]}" ${threads:+--threads "$threads"}
    fi
    # Only the first network is trained on random games.
    [ "$generation" != 0 ] || shards=()
done

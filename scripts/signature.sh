#!/usr/bin/env bash
# Compares the engine's bench node count with that of its history: the "Bench: N"
# line of the newest commit message that has one. The count changes if and only if the
# search or the evaluation does.
#
# Usage:
#   scripts/signature.sh            build, run bench, compare
#   scripts/signature.sh --print    build, run bench, print the node count only
#   scripts/signature.sh --claimed  print the history's count only; nothing is built
#
# Exit codes: 0 equal (or printed); 1 different; 2 wrong usage, cargo missing or
#             nothing to compare with (no reachable commit has a Bench line, as in
#             a shallow clone); 3 the build or bench failed.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

die() {
    echo "signature.sh: $1" >&2
    exit "${2-2}"
}

case ${1-} in
    '' | --print | --claimed) ;;
    -h | --help)
        sed -n '2,/^$/s/^# \{0,1\}//p' scripts/signature.sh
        exit 0
        ;;
    *) die "unknown argument $1 (see --help)" ;;
esac

if [ "${1-}" != --print ]; then
    command -v git >/dev/null || die 'git not found'
    expected=$(git log -1 --extended-regexp --grep='^Bench: [0-9]+$' --format=%B |
        sed -n 's/^Bench: \([0-9][0-9]*\)$/\1/p' | tail -n 1)
    if [ -z "$expected" ] && [ "$(git rev-parse --is-shallow-repository)" = true ]; then
        die 'this clone is shallow and none of its commits has a Bench line: fetch more history'
    fi
    [ -n "$expected" ] || die 'no commit message has a Bench line'
fi
if [ "${1-}" = --claimed ]; then
    echo "$expected"
    exit 0
fi

command -v cargo >/dev/null || die 'cargo not found'
cargo build --release --locked --quiet >&2 || die 'the build failed' 3
engine=${CARGO_TARGET_DIR:-target}/release/carrybit
output=$("$engine" bench) || die "$engine bench failed" 3
last=$(tail -n 1 <<<"$output")
[[ $last =~ ^([0-9]+)\ nodes\ [0-9]+\ nps$ ]] ||
    die "the last line of bench is not \"N nodes M nps\": $last" 3
nodes=${BASH_REMATCH[1]}

if [ "${1-}" = --print ]; then
    echo "$nodes"
elif [ "$nodes" = "$expected" ]; then
    echo "bench $nodes, as in the history"
else
    echo "signature.sh: bench counts $nodes nodes, the history claims $expected" >&2
    exit 1
fi

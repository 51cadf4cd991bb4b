#!/usr/bin/env bash
# Counts the move tree of every position in a perft suite, by the ignored test of
# tests/perft.rs, and compares the counts with the suite's.
#
# Usage:
#   scripts/perft.sh DIRECTORY [NODE_CAP]
#
#   DIRECTORY  has .epd or .epd.gz files, one position per line:
#              FEN ;D1 n ;D2 n ...
#   NODE_CAP   depths with a larger count are skipped (default: the test's)
#
# Exit codes: 0 all counts agree; 2 wrong usage or something is missing;
#             else that of cargo test.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

die() {
    echo "perft.sh: $1" >&2
    exit 2
}

case ${1-} in
    -h | --help)
        sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
        exit 0
        ;;
esac
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    die "expected DIRECTORY [NODE_CAP] (see --help)"
fi
directory=$1
cap=${2-}
[ -d "$directory" ] || die "directory not found: $directory"
[[ $cap =~ ^([1-9][0-9]*)?$ ]] || die "node cap must be a positive number, not \"$cap\""
command -v cargo >/dev/null || die "cargo not found"

shopt -s nullglob
files=("$directory"/*.epd "$directory"/*.epd.gz)
[ ${#files[@]} -gt 0 ] || die "no .epd or .epd.gz file in $directory"

CARRYBIT_PERFT_DIR=$(cd "$directory" && pwd)
export CARRYBIT_PERFT_DIR
[ -z "$cap" ] || export CARRYBIT_PERFT_CAP=$cap
cd "$root"
cargo test --release --locked --test perft -- --ignored --nocapture

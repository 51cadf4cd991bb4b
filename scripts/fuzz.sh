#!/usr/bin/env bash
# Fuzzes the parsers of untrusted input that have a target (docs/security.md lists them), one
# after the other, and prints the executions, the coverage and the finds of each.
#
# Usage: scripts/fuzz.sh [seconds for each] [target...]
#
# By default each target in fuzz/fuzz_targets runs for a minute. Needs a nightly toolchain,
# cargo-fuzz (cargo install cargo-fuzz --locked) and a C++ compiler. The corpus grows in
# fuzz/corpus. Finds go to fuzz/artifacts/TARGET. To keep one, copy it to fuzz/finds/TARGET:
# `cargo test` replays these. Exit code: 0 if nothing was found.

set -euo pipefail
cd "$(dirname "$0")/.."

case ${1-} in
    -h | --help)
        sed -n '2,/^$/s/^# \{0,1\}//p' scripts/fuzz.sh
        exit 0
        ;;
esac
seconds=${1:-60}
shift || true
[[ $seconds =~ ^[1-9][0-9]*$ ]] || {
    echo "fuzz.sh: $seconds is no number of seconds (see --help)" >&2
    exit 2
}
[ $# -gt 0 ] || set -- $(basename -s .rs fuzz/fuzz_targets/*.rs)

# Inputs that exceed one of these are finds.
slow_s=30
memory_mb=2048
# The longest input to try, in bytes.
length=9400

# cargo fuzz has no --locked: refuse an outdated lock file here.
cargo metadata --locked --format-version 1 --manifest-path fuzz/Cargo.toml >/dev/null

found=0
for target in "$@"; do
    corpus=fuzz/corpus/$target
    mkdir -p "$corpus"
    log=$(mktemp)
    status=0
    cargo +nightly fuzz run "$target" "$corpus" "fuzz/seeds/$target" -- \
        -max_total_time="$seconds" -timeout="$slow_s" -rss_limit_mb="$memory_mb" -max_len="$length" \
        -print_final_stats=1 2>"$log" || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    coverage=$(grep -o 'cov: [0-9]* ft: [0-9]* corp: [^ ]*' "$log" | tail -n 1 || true)
    if [ "$status" = 0 ]; then
        echo "$target: ${runs:-0} executions, ${coverage:-no coverage}, no finds"
        rm "$log"
    else
        found=1
        artifact=$(grep -o 'fuzz/artifacts/[^ ]*' "$log" | tail -n 1 || true)
        echo "$target: ${runs:-0} executions, ${coverage:-no coverage}, FOUND ${artifact:-nothing, it did not run}: see $log"
    fi
done
exit $found

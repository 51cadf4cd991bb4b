#!/usr/bin/env bash
# Builds the workshop for this processor, optimised by a profile of its own self-play: on one
# machine it played 1.4 times as many games, on another no more. Needs rustup component add
# llvm-tools.
#
# Usage: crates/workshop/pgo.sh PROGRAM
#
# It writes the program to the file PROGRAM, and its builds to target/pgo-workshop.

set -euo pipefail
[[ $# = 1 && $1 != -* ]] || { sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
program=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

builds=$(realpath -m "${CARGO_TARGET_DIR:-target}")/pgo-workshop
host=$(rustc -vV | sed -n 's/^host: //p')
built=$builds/$host/release/workshop
profdata=$(rustc --print target-libdir)/../bin/llvm-profdata
[ -x "$profdata" ] || { echo 'pgo.sh: llvm-tools is missing: rustup component add llvm-tools' >&2; exit 2; }

# With --target, the flags do not reach build scripts and macros. (U+001F separates two flags.)
build() {
    CARGO_ENCODED_RUSTFLAGS=-Ctarget-cpu=native$'\x1f'$1 \
        cargo build --release --locked -p carrybit-workshop --target "$host" --target-dir "$builds"
}

rm -rf "$builds/raw" "$builds"/profile.vf*
build "-Cprofile-generate=$builds/raw"
"$built" play "$builds/profile.vf" --games 400 --nodes 250 --threads 1
"$profdata" merge -o "$builds/play.profdata" "$builds/raw"
build "-Cprofile-use=$builds/play.profdata"
cp "$built" "$program"

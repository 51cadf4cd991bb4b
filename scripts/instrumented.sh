#!/usr/bin/env bash
# Runs the tests and the program under tools that find overflows, invalid memory accesses,
# data races, undefined behaviour and errors in rare orders of threads. A summary says what
# each step covered.
#
# Usage: scripts/instrumented.sh [step...]     (default: all steps)
#
#   overflow  overflow checks and debug assertions in the suites that depend on
#             vector instructions, at each level that this processor supports
#   asan      address and leak sanitizer over the suites that reach `unsafe` code
#   tsan      thread sanitizer over the suites with threads and the standard library
#   valgrind  memcheck of the program, without and with AVX2 (not AVX-512, which
#             valgrind lacks): bench, evaluation, perft, two threads, a new game,
#             tablebases
#   miri      undefined behaviour in the portable code: board, FEN, the line
#             reader, large pages, the transposition table, threads, counters
#   loom      the stop token in every order of events (tests/loom.rs)
#
# On two idle cores a step takes two to ten minutes, including the build. asan, tsan
# and miri need a nightly toolchain called $NIGHTLY (default: nightly); rustup adds
# missing components to it. valgrind must be installed.
#
# Exit codes: 0 nothing was found; 1 something was; 2 wrong usage; 3 nothing was
#             found, but a step could not be run.

set -uo pipefail
cd "$(dirname "$0")/.."

readonly STEPS=(overflow asan tsan valgrind miri loom)
readonly NIGHTLY=${NIGHTLY-nightly}
readonly TARGET=${CARGO_TARGET_DIR:-target}
# The builds of each instrument.
readonly INSTRUMENTED=$TARGET/instrumented
# The sanitizers' platform. With --target, their flags do not reach build scripts.
readonly PLATFORM=x86_64-unknown-linux-gnu
# Some tests request more memory than there is, which sanitizers treat as an error.
readonly MAY_FAIL=allocator_may_return_null=1

summary=()

# Step $1 covered $2 without finding anything, found something in $2, or cannot be run because of $2.
covered() { summary+=("$1: nothing found in $2"); }
found() { summary+=("$1: FOUND SOMETHING, see above: $2"); }
lacking() { summary+=("$1: NOT RUN: $2"); }

# Whether step $1 has a nightly toolchain with the components $2...
has_nightly() {
    local step=$1 component
    shift
    if ! cargo "+$NIGHTLY" --version >/dev/null 2>&1; then
        lacking "$step" "there is no toolchain $NIGHTLY (rustup toolchain install $NIGHTLY)"
        return 1
    fi
    for component in "$@"; do
        if ! rustup component list --installed --toolchain "$NIGHTLY" | grep -q "^$component" &&
            ! rustup component add "$component" --toolchain "$NIGHTLY"; then
            lacking "$step" "the toolchain $NIGHTLY lacks $component, which cannot be added"
            return 1
        fi
    done
}

# Runs $3... for step $1, which covers $2.
check() {
    local step=$1 parts=$2
    shift 2
    if "$@"; then covered "$step" "$parts"; else found "$step" "$parts"; fi
}

step_overflow() {
    local level
    cargo build --locked || { found overflow 'the program does not build'; return; }
    for level in scalar avx2 avx512; do
        if CARRYBIT_SIMD=$level "$TARGET/debug/carrybit" --version | grep -q "($level,"; then
            check overflow "the unit tests, board and engine at the level $level" \
                env CARRYBIT_SIMD=$level CARGO_PROFILE_DEV_OVERFLOW_CHECKS=true CARGO_PROFILE_DEV_DEBUG_ASSERTIONS=true \
                cargo test --locked --lib --test=board --test=engine
        else
            echo "overflow: this processor has no $level, which is not covered"
        fi
    done
}

step_asan() {
    has_nightly asan || return
    check asan 'the unit tests, board, engine' env RUSTFLAGS=-Zsanitizer=address ASAN_OPTIONS=$MAY_FAIL \
        cargo "+$NIGHTLY" test --locked --target "$PLATFORM" --target-dir "$INSTRUMENTED/asan" \
        --workspace --exclude peers --lib --test=board --test=engine
}

step_tsan() {
    has_nightly tsan rust-src || return
    # Skipped: 64 threads exceed their move time here, filling all memory takes minutes, and
    # tests with one thread have no races.
    local skipped=(any_number_of_threads_finds hash_beyond_the_memory nnue:: endings:: tablebase)
    tsan() {
        env RUSTFLAGS=-Zsanitizer=thread TSAN_OPTIONS=$MAY_FAIL:halt_on_error=1 \
            cargo "+$NIGHTLY" test --locked -Zbuild-std --target "$PLATFORM" --target-dir "$INSTRUMENTED/tsan" "$@"
    }
    check tsan 'engine and the standard library' tsan --test=engine -- "${skipped[@]/#/--skip=}"
    check tsan 'the dialogue' tsan --test=uci dialogue::
}

step_valgrind() {
    local level commands=(
        'bench 3' eval 'perft 3'
        'setoption name Threads value 2' 'setoption name Hash value 3' 'go nodes 5000' ucinewgame
        'setoption name SyzygyPath value tests/data/syzygy'
        'position fen 8/8/8/4k3/8/8/4P3/4K3 w - - 0 1' 'go depth 6'
    )
    command -v valgrind >/dev/null || { lacking valgrind 'valgrind is not installed'; return; }
    cargo build --locked || { found valgrind 'the program does not build'; return; }
    for level in scalar avx2; do
        check valgrind "bench 3, evaluation, perft 3, two threads, a new game, tablebases at the level $level" \
            env CARRYBIT_SIMD=$level valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite \
            --errors-for-leak-kinds=definite "$TARGET/debug/carrybit" "${commands[@]}" >/dev/null
    done
}

step_miri() {
    # Miri is slow: other tests, such as those with random games, would take hours.
    local parts=(
        uci::lines large_pages search::threads stored_entries_are_found
        fen::errors fen::castling_rights fen::counters
    )
    has_nightly miri miri rust-src || return
    # The tests read the clock and files, which Miri's isolation forbids. Miri does not optimise,
    # and warns of a profile that does.
    check miri "the tests of ${parts[*]}" env MIRIFLAGS=-Zmiri-disable-isolation CARGO_PROFILE_DEV_OPT_LEVEL=0 \
        cargo "+$NIGHTLY" miri test --locked -p carrybit -p carrybit-board --target-dir "$INSTRUMENTED/miri" --lib --test=board --test=engine \
        -- "${parts[@]}" --skip random
}

step_loom() {
    check loom 'every order of events between a search, its stop and its clock' \
        env RUSTFLAGS='--cfg loom' cargo test --locked --release --target-dir "$INSTRUMENTED/loom" --test loom
}

case ${1-} in
    -h | --help)
        sed -n '2,/^$/s/^# \{0,1\}//p' scripts/instrumented.sh
        exit 0
        ;;
esac
[ $# -gt 0 ] || set -- "${STEPS[@]}"
for step in "$@"; do
    if ! declare -F "step_$step" >/dev/null; then
        echo "instrumented.sh: there is no step $step (see --help)" >&2
        exit 2
    fi
done
if ! command -v cargo >/dev/null; then
    echo 'instrumented.sh: cargo not found' >&2
    exit 2
fi
for step in "$@"; do
    echo "== $step"
    begun=$SECONDS
    "step_$step"
    echo "== $step: $((SECONDS - begun)) seconds"
done
printf '%s\n' '' "${summary[@]}"
case ${summary[*]} in
    *': FOUND SOMETHING'*) exit 1 ;;
    *': NOT RUN'*) exit 3 ;;
esac

#!/usr/bin/env bash
# Runs the tests and the program under instruments that see what a test alone does
# not: overflows, stray memory accesses, data races, undefined behaviour, orders of
# events that hardly ever happen. Each step ends by saying what it covered.
#
# Usage: scripts/instrumented.sh [step...]     (all steps if none is named)
#
#   overflow  overflow checks and debug assertions in the suites that depend on
#             vector instructions, at each level that this processor supports
#   asan      address and leak sanitizer over the suites that reach `unsafe` code
#   tsan      thread sanitizer over the suites with threads, with the standard
#             library instrumented, too
#   valgrind  memcheck of the program, without and with AVX2 (it has no AVX-512):
#             bench, evaluation, perft, two threads, a new game, tablebases
#   miri      undefined behaviour in the portable code: board, FEN, scores, the
#             line reader, the transposition table, the threads' counters
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
# Where the builds of each kind go.
readonly TARGET=${CARGO_TARGET_DIR:-target}
readonly INSTRUMENTED=$TARGET/instrumented
# The sanitizers come for this platform. Named, it keeps them off build scripts.
readonly PLATFORM=x86_64-unknown-linux-gnu
# Tests ask for more memory than there is; to a sanitizer that is an error.
readonly MAY_FAIL=allocator_may_return_null=1

# What each step says at the end.
summary=()
is_found=false
is_lacking=false

# What step $1 covered without finding anything: $2.
covered() { summary+=("$1: nothing found in $2"); }

# Step $1 found something, in $2.
found() {
    summary+=("$1: FOUND SOMETHING, see above: $2")
    is_found=true
}

# Step $1 cannot be run, because of $2.
lacking() {
    summary+=("$1: NOT RUN: $2")
    is_lacking=true
}

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

# The debug build of the program, for step $1.
build() {
    cargo build --locked && return
    found "$1" 'the program does not build'
    return 1
}

step_overflow() {
    local level levels=()
    build overflow || return
    for level in scalar avx2 avx512; do
        if ! CARRYBIT_SIMD=$level "$TARGET/debug/carrybit" --version | grep -q "($level,"; then
            echo "overflow: this processor has no $level, which is not covered"
            continue
        fi
        if ! CARRYBIT_SIMD=$level CARGO_PROFILE_DEV_OVERFLOW_CHECKS=true CARGO_PROFILE_DEV_DEBUG_ASSERTIONS=true \
            cargo test --locked --lib --test=board --test=engine; then
            found overflow "a suite at the level $level"
            return
        fi
        levels+=("$level")
    done
    covered overflow "the unit tests, board and engine at the levels ${levels[*]}"
}

step_asan() {
    local suites=(simd board engine)
    has_nightly asan || return
    if RUSTFLAGS=-Zsanitizer=address ASAN_OPTIONS=$MAY_FAIL \
        cargo "+$NIGHTLY" test --locked --target "$PLATFORM" --target-dir "$INSTRUMENTED/asan" \
        --lib "${suites[@]/#/--test=}"; then
        covered asan "the unit tests, ${suites[*]}"
    else
        found asan 'a suite with the address sanitizer'
    fi
}

step_tsan() {
    local suites=(engine uci_dialogue)
    has_nightly tsan rust-src || return
    # Under this instrument sixty-four threads keep no time, to fill all memory takes minutes,
    # and tests with one thread have nothing to find.
    local skipped=(keep_the_time a_table_larger_than_any_memory nnue:: endings:: tablebase)
    if RUSTFLAGS=-Zsanitizer=thread TSAN_OPTIONS=$MAY_FAIL:halt_on_error=1 \
        cargo "+$NIGHTLY" test --locked -Zbuild-std --target "$PLATFORM" --target-dir "$INSTRUMENTED/tsan" \
        "${suites[@]/#/--test=}" \
        -- "${skipped[@]/#/--skip=}"; then
        covered tsan "${suites[*]}, the standard library included"
    else
        found tsan 'a suite with the thread sanitizer'
    fi
}

step_valgrind() {
    local level commands=(
        'bench 3' eval 'perft 3'
        'setoption name Threads value 2' 'setoption name Hash value 3' 'go nodes 5000' ucinewgame
        'setoption name SyzygyPath value tests/data/syzygy'
        'position fen 8/8/8/4k3/8/8/4P3/4K3 w - - 0 1' 'go depth 6'
    )
    if ! command -v valgrind >/dev/null; then
        lacking valgrind 'valgrind is not installed'
        return
    fi
    build valgrind || return
    for level in scalar avx2; do
        if ! CARRYBIT_SIMD=$level valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite \
            --errors-for-leak-kinds=definite "$TARGET/debug/carrybit" "${commands[@]}" >/dev/null; then
            found valgrind "the program at the level $level"
            return
        fi
    done
    covered valgrind 'bench 3, evaluation, perft 3, two threads, a new game, tablebases, at scalar and avx2'
}

step_miri() {
    # Random games and the like would take hours.
    local parts=(
        board:: uci::lines score:: sys::cpu:: large_pages search::threads search::counters
        the_table_gives_back fen::errors fen::rights fen::counters
    )
    has_nightly miri miri rust-src || return
    # Tests look at the clock and at files. (Miri does not optimise.)
    if MIRIFLAGS=-Zmiri-disable-isolation CARGO_PROFILE_DEV_OPT_LEVEL=0 \
        cargo "+$NIGHTLY" miri test --locked --target-dir "$INSTRUMENTED/miri" --lib --test=board --test=engine \
        -- "${parts[@]}" --skip random; then
        covered miri "the tests of ${parts[*]}"
    else
        found miri 'a test as interpreted by miri'
    fi
}

step_loom() {
    if RUSTFLAGS='--cfg loom' cargo test --locked --release --target-dir "$INSTRUMENTED/loom" --test loom; then
        covered loom 'every order of events between a search, its stop and its clock'
    else
        found loom 'an order of events'
    fi
}

case ${1-} in
    -h | --help)
        sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
esac
[ $# -gt 0 ] || set -- "${STEPS[@]}"
for step in "$@"; do
    if [[ " ${STEPS[*]} " != *" $step "* ]]; then
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
if $is_found; then exit 1; fi
if $is_lacking; then exit 3; fi

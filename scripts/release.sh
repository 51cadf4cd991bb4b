#!/usr/bin/env bash
# Makes the archives of a release from a clean checkout, after a test of each: a dialogue, the
# bench and an analysed game of the engine, the page's tests.
#
# Usage: scripts/release.sh [--uci-within MS] VERSION [TARGET...]
#
#   linux-x86-64    static (musl), for any Linux
#   linux-arm64     static (musl), for any Linux; tested with qemu-user on another processor
#   windows-x86-64  tested with Wine on another system
#   macos-arm64     made on macOS only
#   macos-x86-64    made on macOS only; tested with Rosetta on Apple's processors
#   npm             the npm package; tested in Node
#   page            the page as a folder for a static host; tested in Chromium
#
#   --uci-within MS  longest time from the start of a program for this system to
#                    `uciok` (default: 20)
#
# The default targets are those that this system can make: on Linux all but macOS's, on macOS
# its two, on Windows (in Git's bash) windows-x86-64.
#
# VERSION must be that of Cargo.toml, both Cargo.lock and, in web/,
# package.json and package-lock.json; CHANGELOG.md must have a section for it. The archives and
# SHA256SUMS are written to target/releases/VERSION, which is emptied first.
#
# Needs cargo, rustup, a C compiler (cc, as the linker of build scripts), Python 3, and git with
# the history that scripts/signature.sh reads; to build for Windows elsewhere,
# x86_64-w64-mingw32-gcc (Debian's package gcc-mingw-w64-x86-64); to run programs for other
# systems, qemu-aarch64 (qemu-user) and wine; for npm and page Node 20.16 with npm, which fetches
# packages, and for page Chromium (the variable CHROMIUM names the program).
#
# Exit codes: 0 all archives were made, and their programs passed; 1 a build or a test
#             failed; 2 wrong usage, or something is missing; 3 all archives were made,
#             but one could not be tested here.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

readonly TOOLS=scripts/release
readonly NEW_NODE='const [a, b] = process.versions.node.split(".").map(Number); process.exit(100 * a + b < 2016 ? 1 : 0)'
readonly BUILDS=${CARGO_TARGET_DIR:-target}

die() {
    echo "release.sh: $1" >&2
    exit "${2-2}"
}

# The path of the first of these commands that exists, if any does.
first_command() { command -v "$@" | sed -n 1p || true; }

# The compiler's triple for target $1; empty if there is no such target.
triple_of() {
    case $1 in
        linux-x86-64) echo x86_64-unknown-linux-musl ;;
        linux-arm64) echo aarch64-unknown-linux-musl ;;
        windows-x86-64) echo x86_64-pc-windows-gnu ;;
        macos-arm64) echo aarch64-apple-darwin ;;
        macos-x86-64) echo x86_64-apple-darwin ;;
        npm | page) echo wasm32-unknown-unknown ;;
    esac
}

own_targets() {
    case $(uname -s) in
        Linux) echo linux-x86-64 linux-arm64 windows-x86-64 npm page ;;
        Darwin) echo macos-arm64 macos-x86-64 ;;
        *_NT*) echo windows-x86-64 ;;
    esac
}

# The command that runs a program for target $1 here; `native` if none is needed, empty if it
# cannot be run.
runner_of() {
    case "$1 on $(uname -s) $(uname -m)" in
        'linux-x86-64 on Linux x86_64' | 'linux-arm64 on Linux aarch64' | \
            'windows-x86-64 on '*_NT*' x86_64' | \
            'macos-arm64 on Darwin arm64' | 'macos-x86-64 on Darwin x86_64') echo native ;;
        'linux-arm64 on Linux '*) first_command qemu-aarch64 qemu-aarch64-static ;;
        'windows-x86-64 on Linux x86_64') first_command wine wine64 ;;
        'macos-x86-64 on Darwin arm64') if arch -x86_64 true 2>/dev/null; then echo arch -x86_64; fi ;;
    esac
}

# A path as the compiler sees it.
own_path() { if command -v cygpath >/dev/null; then cygpath -w "$1"; else echo "$1"; fi; }

# Builds the engine for target $1, whose triple is $2.
build() {
    # Keeps paths of this machine out of the program. (U+001F separates two flags.)
    CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=$(own_path "${CARGO_HOME:-$HOME/.cargo}")=cargo"$'\x1f'"--remap-path-prefix=$(own_path "$root")=carrybit" \
        cargo rustc --release --locked --bins --target "$2" -- -C strip=symbols ||
        die "$1: the build failed" 1
}

# Makes a prefix for Wine, the command $1, in the build folder.
prepare_wine() {
    local random
    WINEPREFIX=$(cd "$BUILDS" && pwd)/wine
    export WINEPREFIX WINEDEBUG=-all
    "$1" cmd /c exit >/dev/null 2>&1 || die "$1 does not work here"
    # Rust programs get random numbers from this library, which Wine 8 lacks: ours forwards the
    # call.
    random=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
    if [ ! -e "$random" ]; then
        printf 'LIBRARY bcryptprimitives\nEXPORTS\n    ProcessPrng = advapi32.SystemFunction036\n' >"$WINEPREFIX/random.def"
        x86_64-w64-mingw32-gcc -shared -nostdlib -o "$random" "$WINEPREFIX/random.def" 2>/dev/null ||
            die "$1 lacks bcryptprimitives.dll, and it cannot be made"
    fi
}

# Tests the engine $2 for target $1, or adds the target to `untried`.
try() {
    local runner limit=() levels=()
    runner=$(runner_of "$1")
    # A level that the processor lacks is replaced by its best.
    case $1 in
        *-x86-64) levels=(--levels scalar avx2 avx512) ;;
        *-arm64) levels=(--levels scalar neon) ;;
    esac
    case $runner in
        '')
            echo "$1: NOT RUN: this system has no program to run it (see --help)"
            untried="$untried $1"
            return
            ;;
        native)
            runner=
            limit=(--uci-within "$uci_within")
            ;;
        *wine*) prepare_wine "$runner" ;;
    esac
    # A runner may have an argument, and then its path has no space.
    # shellcheck disable=SC2086
    "$python" "$TOOLS/try_program.py" --version "$version" --bench "$bench" --analyse ${limit[@]+"${limit[@]}"} ${levels[@]+"${levels[@]}"} -- $runner "$2" ||
        die "$1: the engine failed its test" 1
}

# Writes the licences of everything in the engine for the triple $1 to the folder $2.
write_notices() {
    local runtime=()
    case $1 in
        *-musl) runtime=("$TOOLS/musl.txt") ;;
        *-windows-gnu) runtime=("$TOOLS/mingw-w64.txt") ;;
    esac
    "$python" "$TOOLS/notices.py" "$1" ${runtime[@]+"${runtime[@]}"} >"$2/THIRD-PARTY.txt" ||
        die "no licence texts for $1" 1
    cp "$library_notices" "$2/RUST-STANDARD-LIBRARY.html"
}

# Builds and tests the engine for target $1 and puts it into its archive.
make_program() {
    local triple suffix='' form=tar.gz folder=$out/carrybit-$version-$1
    triple=$(triple_of "$1")
    case $1 in
        windows-*)
            suffix=.exe
            form=zip
            ;;
    esac
    local program=$BUILDS/$triple/release/carrybit$suffix
    build "$1" "$triple"
    try "$1" "$program"
    mkdir "$folder"
    cp -R "$program" README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE docs "$folder/"
    write_notices "$triple" "$folder"
    pack "$1" "$form"
}

# Prints the bench of the network of the page and the package.
web_bench() {
    CARRYBIT_EVALFILE=web/network.nnue scripts/signature.sh --print || die 'the native bench of web/network.nnue failed' 1
}

# Builds and tests the npm package and puts it into its archive.
make_npm() {
    local bench
    bench=$(web_bench)
    local folder=$out/carrybit-$version-npm packed=$out/carrybit-$version.tgz
    npm --prefix web ci --ignore-scripts --no-audit --no-fund --silent || die 'npm: npm failed' 1
    # Before it packs, npm builds the module and collects the licences.
    npm pack ./web --silent --pack-destination "$out" || die 'npm: the build failed' 1
    tar -xzf "$packed" -C "$out"
    rm "$packed"
    mv "$out/package" "$folder"
    "$python" "$TOOLS/try_program.py" --version "$version" --bench "$bench" -- node "$folder/cli.mjs" ||
        die 'npm: the package failed its test' 1
    pack npm tgz
}

# Builds and tests the page and puts it into its archive.
make_page() {
    local bench
    bench=$(web_bench)
    npm --prefix web ci --ignore-scripts --no-audit --no-fund --silent || die 'page: npm failed' 1
    web/build || die 'page: the build of the modules failed' 1
    npm --prefix web/page ci --ignore-scripts --no-audit --no-fund --silent || die 'page: npm failed' 1
    npm --prefix web/page run build --silent || die 'page: the build failed' 1
    if [ -z "$(first_command "${CHROMIUM:-chromium}")" ]; then
        echo 'page: NOT RUN: this system has no Chromium'
        untried="$untried page"
    else
        CARRYBIT_EVALFILE=web/network.nnue cargo build --release --locked --quiet ||
            die 'page: the build of the engine failed' 1
        CARRYBIT_BENCH=$bench CARRYBIT_PROGRAM=$(cd "$BUILDS" && pwd)/release/carrybit npm --prefix web/page test --silent ||
            die 'page: the page failed its test' 1
    fi
    cp -R web/page/dist "$out/carrybit-$version-page"
    pack page zip
}

# Packs the folder of target $1 in the form $2 and removes it.
pack() {
    local folder=$out/carrybit-$version-$1 form=$2
    "$python" "$TOOLS/archive.py" --time "$committed" "$folder" "$folder.$form" >>"$out/SHA256SUMS"
    rm -r "$folder"
    echo "$1: $folder.$form"
}

uci_within=20
version=
targets=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            sed -n '2,/^$/s/^# \{0,1\}//p' scripts/release.sh
            exit 0
            ;;
        --uci-within)
            [[ ${2-} =~ ^[1-9][0-9]*$ ]] || die '--uci-within needs a number of milliseconds'
            uci_within=$2
            shift
            ;;
        -*) die "unknown option $1 (see --help)" ;;
        *)
            if [ -z "$version" ]; then
                version=$1
            else
                [ -n "$(triple_of "$1")" ] || die "there is no target $1 (see --help)"
                targets+=("$1")
            fi
            ;;
    esac
    shift
done
[ -n "$version" ] || die 'which VERSION? (see --help)'
if [ ${#targets[@]} = 0 ]; then
    read -ra targets <<<"$(own_targets)"
    [ ${#targets[@]} -gt 0 ] || die "$(uname -s) has no default targets: name one"
fi

for command in cargo rustc rustup git; do
    command -v "$command" >/dev/null || die "$command not found"
done
case $(uname -s) in
    *_NT*) ;;
    *) command -v cc >/dev/null || die 'cc not found' ;;
esac
python=$(first_command python3 python)
[ -n "$python" ] || die 'python3 not found'
# The profile of Cargo.toml holds, not one of the environment.
unset "${!CARGO_PROFILE_RELEASE_@}"
library_notices=$(rustc --print sysroot)/share/doc/rust/COPYRIGHT-library.html
[ -f "$library_notices" ] || die "this toolchain lacks the standard library's notices, $library_notices"

grep -qxF "version = \"$version\"" Cargo.toml || die "Cargo.toml has another version than $version"
for file in Cargo.toml crates/*/Cargo.toml; do
    ! grep '^carrybit.*path = ' "$file" | grep -F '"=' | grep -qvF "\"=$version\"" || die "$file needs crates of another version"
done
for file in web/package.json web/package-lock.json; do
    grep -m 1 '"version"' "$file" | grep -qF "\"version\": \"$version\"," || die "$file has another version than $version"
done
for file in Cargo.lock fuzz/Cargo.lock; do
    grep -x -A 1 'name = "carrybit"' "$file" | grep -qxF "version = \"$version\"" || die "$file has another version than $version"
done
grep -qF "## $version - " CHANGELOG.md || die "CHANGELOG.md has no section about $version"
[ -z "$(git status --porcelain)" ] || die 'this checkout is not clean: git status says what to commit or to remove'
bench=$(scripts/signature.sh --claimed)
committed=$(git log -1 --format=%ct)

for target in "${targets[@]}"; do
    triple=$(triple_of "$target")
    rustup target list --installed | grep -qx "$triple" || rustup target add "$triple" ||
        die "$target: rustup has no standard library for $triple"
    case "$target on $(uname -s)" in
        macos-*' on Darwin' | *' on '*_NT*) ;;
        macos-*) die "$target is made on macOS only" ;;
        windows-*) command -v x86_64-w64-mingw32-gcc >/dev/null || die "$target: x86_64-w64-mingw32-gcc not found" ;;
        npm* | page*)
            for command in node npm python3; do
                command -v "$command" >/dev/null || die "$target: $command not found"
            done
            node -e "$NEW_NODE" || die "$target: node is older than 20.16"
            ;;
    esac
done

out=$BUILDS/releases/$version
rm -rf "$out"
mkdir -p "$out"
untried=
for target in "${targets[@]}"; do
    echo "== $target"
    case $target in
        npm | page) "make_$target" ;;
        *) make_program "$target" ;;
    esac
done
echo '== SHA-256'
cat "$out/SHA256SUMS"
if [ -n "$untried" ]; then
    echo "release.sh: not run:$untried" >&2
    exit 3
fi

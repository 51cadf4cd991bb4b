#!/usr/bin/env bash
# Plays our engine against several opponents, one match each, and prints a
# rating table. Each match is one run of scripts/match.py.
#
# Usage:
#   scripts/gauntlet.sh [--config FILE] [--out DIR] [match.py options] [--] [OPPONENT ...]
#
#   OPPONENT       NAME=CMD or NAME=CMD:OPTIONS, OPTIONS as in
#                  match.py --opponent-options:
#                    "fruit=/usr/games/fruit:OwnBook=false"
#   --config FILE  more opponents, one per line; blank lines and # comments are
#                  skipped
#   --out DIR      gets a directory for each opponent (default: a new directory
#                  under the temporary one)
#
# Every other option is passed on to match.py, for example
#   scripts/gauntlet.sh --book UHO_4060_v4.epd.zst --tc 4+0.04 --games 200 \
#       "fruit=fruit:OwnBook=false" "toga2=toga2:OwnBook=false"
#
# Exit codes: 0 all matches played and our engine forfeited no game;
#             1 our engine forfeited a game; 2 wrong usage or something is
#             missing; 3 a match failed or was interrupted.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
    sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

die() {
    echo "gauntlet.sh: $1" >&2
    exit 2
}

match_options=()
opponents=()
out=

while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --config)
            [ $# -ge 2 ] || die "--config needs a file"
            [ -f "$2" ] || die "config file not found: $2"
            while IFS= read -r line || [ -n "$line" ]; do
                case $line in
                    '' | '#'*) ;;
                    *) opponents+=("$line") ;;
                esac
            done <"$2"
            shift 2
            ;;
        --out)
            [ $# -ge 2 ] || die "--out needs a directory"
            out=$2
            shift 2
            ;;
        --opponent*)
            die "$1 is set by this script; give opponents as NAME=CMD:OPTIONS"
            ;;
        --)
            shift
            opponents+=("$@")
            break
            ;;
        --no-adjudication | --check-mate-pvs | --engine-log | --quiet | --*=*)
            match_options+=("$1")
            shift
            ;;
        --*)
            [ $# -ge 2 ] || die "$1 needs a value"
            match_options+=("$1" "$2")
            shift 2
            ;;
        *)
            opponents+=("$1")
            shift
            ;;
    esac
done

[ ${#opponents[@]} -gt 0 ] || die "no opponent given (see --help)"
for opponent in "${opponents[@]}"; do
    [[ $opponent =~ ^[^=]+=[^:]+ ]] || die "opponent \"$opponent\": expected NAME=CMD or NAME=CMD:OPTIONS"
done
command -v python3 >/dev/null || die "python3 not found"
if [ -z "$out" ]; then
    out=$(mktemp -d "${TMPDIR:-/tmp}/carrybit-gauntlet-XXXXXX")
fi

status=0
table=$(printf '%-20s %6s %6s %6s %6s %8s %9s %9s' opponent games W L D 'score %' Elo +/-)
for opponent in "${opponents[@]}"; do
    name=${opponent%%=*}
    command=${opponent#*=}
    options=
    if [[ $command == *:* ]]; then
        options=${command#*:}
        command=${command%%:*}
    fi

    code=0
    python3 "$here/match.py" "${match_options[@]}" --out "$out/$name" \
        --opponent "$command" --opponent-name "$name" --opponent-options "$options" || code=$?
    [ "$code" -ne 2 ] || exit 2
    [ "$code" -le "$status" ] || status=$code

    summary=$out/$name/summary.txt
    row=$(awk '/^Games/ { gsub(",", ""); games = $2; w = $4; l = $6; d = $8; score = $10 }
               /^Elo/ { elo = $2; error = $4 }
               END { if (games) print games, w, l, d, score, elo, error }' "$summary" 2>/dev/null || true)
    # shellcheck disable=SC2086  # the row is seven words
    table+=$'\n'$(printf '%-20s %6s %6s %6s %6s %8s %9s %9s' "$name" ${row:-- - - - - - -})
    echo
done

echo "$table"
exit "$status"

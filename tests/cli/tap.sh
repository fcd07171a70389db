# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of the command line share; sourced by t-*.sh. `run` runs the program, `check` judges
# what it did and prints TAP, `finish` the plan.
# shellcheck shell=bash disable=SC2034
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
BUILD=${BUILD:-build}
case $BUILD in /*) program=$BUILD/tailproof ;; *) program=$PWD/$BUILD/tailproof ;; esac
for tool in jq gojq; do command -v $tool >/dev/null || { echo "not ok 1 - $tool is missing (apt-get install $tool)"; exit 69; }; done
[ -x "$program" ] || { echo "not ok 1 - $program is not built"; exit 69; }
. tests/tap.sh
specs=$PWD/specs
unset NO_COLOR FORCE_COLOR
export TERM=xterm

# LIMIT is processor time, so that a busy machine fails nothing; HANG is for what waits for ever.
HANG=7200
run() {
  last="$*"
  (ulimit -t "${LIMIT:-240}" && exec timeout $HANG "$program" "$@") >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
}

# name, then expressions that must all be true
check() {
  local check_title=$1 expression
  shift
  count=$((count + 1))
  for expression in "$@"; do
    if ! eval "$expression"; then
      echo "not ok $count - $check_title"
      {
        printf 'false: %s\nran: tailproof %s\nexit: %s\n' "$expression" "$last" "$status"
        head -c 2000 "$scratch/out"
        head -c 2000 "$scratch/err"
      } | tr -d '\000' | sed 's/^/# /'
      return
    fi
  done
  echo "ok $count - $check_title"
}

# Waits for an expression to become true: for hours, since a busy machine fails nothing.
until_true() {
  local tries
  for ((tries = 0; tries < 144000; tries++)); do
    eval "$1" 2>/dev/null && return 0
    sleep 0.05
  done
  return 1
}

# Records or samples what goes on by itself: again, for longer, where a busy machine had no processor for it.
run_until() { # expression, options of the program
  local wanted=$1 seconds
  shift
  for seconds in 1 5 30 300; do
    run "$@" --seconds $seconds
    ! eval "$wanted" 2>/dev/null || return 0
  done
}

exits() { [ "$status" -eq "$1" ]; }
# Of what was printed, without a process: that is asked ten thousand times. A NUL counts as a space.
holds_text() { # file, text
  local text
  mapfile -d '' -t text <"$1" && [[ ${text[*]} == *"$2"* ]]
}
out() { holds_text "$scratch/out" "$1"; }
err() { holds_text "$scratch/err" "$1"; }
said() { # over the ends of lines
  local - text IFS=$' \n'
  set -f
  mapfile -d '' -t text <"$scratch/out"
  # shellcheck disable=SC2206
  text=(${text[*]})
  [[ " ${text[*]} " == *"$1"* ]]
}
quiet_out() { [ ! -s "$scratch/out" ]; }
quiet_err() { [ ! -s "$scratch/err" ]; }
# The lines of stdout that are JSON objects with a kind are all there are.
json_lines() {
  [ "$(gojq -c 'select(type == "object" and (.kind | type == "string"))' "$scratch/out" | wc -l)" -eq \
    "$(wc -l <"$scratch/out")" ]
}
# gojq starts in 5 ms of processor time and jq in 35, two thousand times.
jq() { gojq "$@"; }
# A jq filter over the array of all objects gives true.
json() { gojq -es "$1" "$scratch/out" >/dev/null; }
# Lines of stdin behind the first, in an order that means nothing. Seeds 1 to 9 give up to 100000 lines
# orders that are independent of each other: Fisher and Yates, with a part of its own of the minimal
# standard generator's cycle.
shuffled() {
  awk -v seed="$1" 'NR == 1 { print; next } { line[NR - 1] = $0 }
    END {
      x = 1
      for (i = 0; i < 100000 * seed; i++) x = x * 16807 % 2147483647
      for (i = NR - 1; i > 1; i--) {
        x = x * 16807 % 2147483647
        k = 1 + int(x / 2147483647 * i)
        kept = line[i]; line[i] = line[k]; line[k] = kept
      }
      for (i = 1; i < NR; i++) print line[i]
    }'
}
# Texts of an SVG file that overlap or leave its 1240 pixels, as boxes of 0.62 times their size for each character.
overlaps() {
  sed -nE '/ transform="rotate/d; s/.*<text [^>]*text-anchor="([a-z]+)" font-size="([0-9.]+)"[^>]* x="([0-9.-]+)" y="([0-9.-]+)"[^>]*>([^<]*)<.*/\1 \2 \3 \4 \5/p' "$1" |
    sed 's/&[a-z]*;/x/g' | awk '{
      size = $2; x = $3; y = $4; text = $0; for (i = 0; i < 4; i++) sub(/^[^ ]* /, "", text)
      w = 0.52 * size * length(text)
      left[NR] = $1 == "start" ? x : $1 == "middle" ? x - w / 2 : x - w
      right[NR] = left[NR] + w; top[NR] = y - 0.75 * size; bottom[NR] = y; said[NR] = text
    } END { for (i = 1; i <= NR; i++) { if (left[i] < 0 || right[i] > 1240) print "outside: " said[i]
      for (k = i + 1; k <= NR; k++)
        if (left[i] < right[k] && left[k] < right[i] && top[i] < bottom[k] && top[k] < bottom[i]) print said[i] " / " said[k] } }'
}

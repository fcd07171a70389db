#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A ring that hands a lock around, each node in another language, all of them on the C steps that are generated of
# specs/lock.tp:
#
#   examples/foreign/run.sh [--turns N] [LANGUAGE]...      languages: cpp, go, rust (default: these three)
#
# There is a node for each language named, and one may be named twice. Before the first token each node gets a packet
# that is no message and a token that is old. Exit codes: 0; 1: a node failed; 64: a wrong command line; 69: a compiler is
# missing; 70: something does not compile. Writes to $BUILD/examples/foreign alone.
set -u
cd "$(dirname "$0")/../.." || exit 70
BUILD=$(realpath "${BUILD:-build}")
here=examples/foreign place=$BUILD/examples/foreign turns=2
steps=$place/steps
[ "${1:-}" != --turns ] || { turns=${2:-}; shift $(($# < 2 ? 1 : 2)); }
[[ $turns =~ ^[1-9][0-9]{0,5}$ ]] || { echo "run.sh: --turns N: a whole number from 1 to 999999" >&2; exit 64; }
[ $# -gt 0 ] || set -- cpp go rust
[ $# -le 64 ] || { echo "run.sh: $# nodes: a ring has at most 64" >&2; exit 64; }
for language; do
  case $language in
  cpp) tool=${CXX:-g++} package=g++ ;;
  go) tool=go package=golang-go ;;
  rust) tool=rustc package=rustc ;;
  *) echo "run.sh: $language: the languages are cpp, go and rust" >&2; exit 64 ;;
  esac
  command -v "${tool%% *}" >/dev/null || { echo "run.sh: $language needs $tool (Debian: apt-get install $package)" >&2; exit 69; }
done

rm -rf "$steps" && mkdir -p "$place" || exit 70
"$BUILD/tailproof" generate specs/lock.tp --out "$steps" >/dev/null || exit 70
make -s -C "$steps" CC="${CC:-gcc}" CFLAGS=-O1 || exit 70

compile_cpp() { ${CXX:-g++} -std=c++17 -O1 -Wall -Wextra -Wpedantic -Werror -I"$steps" -o "$1" $here/cpp/node.cc "$steps/libsteps.a"; }
compile_go() {
  GO111MODULE=off GOFLAGS='' GOCACHE=${GOCACHE:-$place/go.cache} CGO_ENABLED=1 CGO_CFLAGS="-O1 -I$steps" CGO_LDFLAGS="$steps/libsteps.a" \
    go build -o "$1" $here/go/node.go
}
compile_rust() {
  ${CC:-gcc} -std=c11 -O1 -Wall -Wextra -Werror -I"$steps" -c -o "$place/layout.o" $here/rust/layout.c &&
    rustc --edition 2021 -O -D warnings -C link-arg="$place/layout.o" -L "native=$steps" -l static=steps -o "$1" $here/rust/node.rs
}
for language in $(printf '%s\n' "$@" | sort -u); do
  "compile_$language" "$place/$language" || { echo "run.sh: the node in $language does not compile" >&2; exit 70; }
done

# A pipe in front of each node; the script holds all of them open, so that no node waits for another one to begin.
run=$(mktemp -d "$place/run.XXXXXX") || exit 70
nodes=() pipes=()
trap '[ ${#nodes[@]} -eq 0 ] || kill "${nodes[@]}" 2>/dev/null; rm -rf "$run"' EXIT
trap 'exit 130' INT TERM
for ((i = 0; i < $#; i++)); do
  mkfifo "$run/to.$i" && exec {pipe}<>"$run/to.$i" || exit 70
  pipes+=("$pipe")
  # 36 bytes that are no message; and a token of hop 0, which no node takes: a field is 2^31 more than its value
  printf "%036d" 0 >&"$pipe"
  printf 'TM\x01\x00' >&"$pipe"
  printf '\x00\x00\x00\x80%.0s' 1 2 3 4 5 6 7 8 >&"$pipe"
done
for ((i = 0; i < $#; i++)); do
  language=${*:i+1:1}
  "$place/$language" $i $# "$turns" <"$run/to.$i" >"$run/to.$(((i + 1) % $#))" 2>"$run/said.$i" &
  nodes+=($!)
done
for ((ended = 0; ended < $#; ended++)); do
  wait -n || { failed=yes; break; } # what is left would wait for ever
done
cat "$run"/said.*
[ -z "${failed:-}" ] || exit 1

# The last token is in the pipe to the first node, behind what it never read.
last=$(dd bs=36 iflag=fullblock count=1 <&"${pipes[0]}" 2>/dev/null | od -An -tu4 -j4 -N4 --endian=little)
echo "the last token says $((last - 2147483648)): $(($# * turns)) hops"
[ $((last - 2147483648)) -eq $(($# * turns)) ]

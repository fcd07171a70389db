# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests that are scripts share; sourced from the root of the tree: a folder of their own that
# goes with them, and TAP, a line for each result. A result that is not ok shows what is in the files
# out, err and log of that folder. What tailproof has proved it keeps beside that folder, or where
# tests/run.sh says: nothing is reused that this script did not have proved.
# shellcheck shell=sh
scratch=$(mktemp -d) || exit 70
export XDG_CACHE_HOME=${TEST_CACHE:-$scratch.cache}
trap 'rm -rf "$scratch" "$scratch.cache"' EXIT
count=0

# Debian's own on every machine: another awk draws other numbers (rand), and the tests' data are made of them.
awk() { mawk "$@"; }

# STATUS NAME [TEXT]: the text, if there is one, tells why it is not ok.
report() {
  count=$((count + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $count - $2"
    return
  fi
  echo "not ok $count - $2"
  {
    [ -z "${3:-}" ] || echo "$3"
    for said in "$scratch/out" "$scratch/err" "$scratch/log"; do
      [ ! -s "$said" ] || { echo "${said##*/}:" && head -c 3000 "$said" && echo; }
    done
  } | tr -d '\000' | sed 's/^/# /'
}

# NAME COMMAND...: ok when the command succeeds.
check() {
  checked=$1
  shift
  "$@" >"$scratch/out" 2>&1
  report $? "$checked"
}

# COUNT: the first of so many ports in a row that nobody has now, below those that the system hands out to whoever asks for any.
free_ports() {
  while :; do
    ports_first=$(shuf -n 1 -i 20000-$((32000 - $1)))
    # shellcheck disable=SC2046
    ports_all=$(printf ':%04X |' $(seq "$ports_first" $((ports_first + $1 - 1))))
    grep -qE "${ports_all%|}" /proc/net/tcp /proc/net/udp /proc/net/tcp6 /proc/net/udp6 2>/dev/null || break
  done
  echo "$ports_first"
}

finish() { echo "1..$count"; }

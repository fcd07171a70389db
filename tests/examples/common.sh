#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of the examples share; sourced by t-*.sh. `result` judges the exit code before it
# and prints TAP.
# shellcheck shell=bash disable=SC2034
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 70
BUILD=${BUILD:-build}
tailproof=$BUILD/tailproof
. tests/tap.sh

result() { report "$@"; }

clean() { # nothing but the named entries is in the scratch directory
  [ "$(ls -A "$scratch" | grep -vx log | tr '\n' ' ')" = "$1" ]
}

children() { grep -lsx "PPid:[[:space:]]*$1" /proc/[0-9]*/status | cut -d/ -f3; }

children_wait() { # children_wait PID COUNT: until there are so many (or PID ends), and they have had time to begin
  while kill -0 "$1" 2>/dev/null; do
    [ "$(children "$1" | wc -l)" -ge "$2" ] && break
    sleep 0.05
  done
  sleep 0.2
}

# moves NAME: until a request or lap of the run is recorded, which goes on (or $pid ends)
moves() {
  until grep -qs '^total [1-9]' "$scratch/moved/round.tph" || ! kill -0 $pid 2>/dev/null; do
    rm -rf "$scratch/moved"
    sleep 0.05
    "$tailproof" import --out "$scratch/moved" "$scratch/$1".*/store >/dev/null 2>&1
  done
  rm -rf "$scratch/moved"
}

none_left() { # none_left PID...: none of them runs any more (an orphan's new parent may be slow to reap it)
  local pid
  for pid in "$@"; do
    ! grep -qs '^State:[[:space:]]*[RSDTtI]' "/proc/$pid/status" || return 1
  done
}

# wrong PROGRAM ARGUMENTS MESSAGE: exit code 64 and one line
wrong() {
  # shellcheck disable=SC2086
  "$1" $2 >"$scratch/log" 2>&1
  [ $? -eq 64 ] && [ "$(wc -l <"$scratch/log")" -eq 1 ] && grep -qF -e "$3" "$scratch/log" && clean ""
  result $? "$(basename "$1") $2"
}

strangers() { # strangers PID: bytes that are no message of the run, to every UDP socket of the process
  python3 - "$1" <<'END'
import os, re, socket, sys
inodes = set()
for fd in os.listdir(f"/proc/{sys.argv[1]}/fd"):
    found = re.match(r"socket:\[(\d+)\]", os.readlink(f"/proc/{sys.argv[1]}/fd/{fd}"))
    if found:
        inodes.add(found.group(1))
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for line in open("/proc/net/udp"):
    words = line.split()
    if words[9] in inodes:
        for size in 1, 8, 16, 24, 60, 124, 500:
            out.sendto(os.urandom(size), ("127.0.0.1", int(words[1].split(":")[1], 16)))
END
}

total() { sed -n 's/^total //p' "$1"; }

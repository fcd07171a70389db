#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints a protocol of that many stages in a row: each has a role, a message, a component, queueing and
# one timing invariant. `chain.sh STAGES`.
set -eu
stages=${1:?how many stages}
awk -v last="$((stages - 1))" 'BEGIN {
  print "protocol chain\ntiming standard\ndelay d\nqueueing Queuing\nexternal client"
  for (i = 0; i <= last; i++) printf "role stage%d\ncomponent Work%d\n", i, i
  for (i = 0; i <= last; i++) printf "message M%d : stage%d -> %s\n", i, i, i < last ? "stage" i + 1 : "client"
  print "state stage0 { begun : bool = false }"
  print "action stage0.Begin cost Work0 {\n  when not begun\n  begun := true\n  send M0\n}"
  for (i = 1; i <= last; i++) printf "action stage%d.Step on M%d cost Work%d { send M%d }\n", i, i - 1, i, i
  print "invariant fresh: not begun implies time(stage0) <= 0"
  time = "Work0 + d(M0)"
  for (i = 0; i <= last; i++) {
    printf "invariant time%d: sent M%d implies time(M%d) <= %s\n", i, i, i, time
    if (i < last) time = time " + Queuing(M" i ") + Work" i + 1 " + d(M" i + 1 ")"
  }
  printf "bound total: delivered M%d within %s\n", last, time
}'

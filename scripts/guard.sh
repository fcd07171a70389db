#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# guard.sh COMMAND [ARGUMENT]...: runs it, and leaves no process of it behind when it is interrupted (Ctrl-C, a closed
# terminal, kill). What it started is told by a mark in its environment, which servers keep that go into a session of
# their own, and by descent, for those that write over their environment. Exits as the command does, or with 128 + the
# number of the signal.
set -u
id=$$.$RANDOM$RANDOM
export TAILPROOF_GUARD="${TAILPROOF_GUARD:-}:$id:"

# "PID START", a line each: processes with the mark, those of the lines given, and descendants of either or of the job;
# neither this one and its helpers nor those that ended and are only kept for their parents.
running() { # lines of before
  {
    sed 's/^/known /' <<<"$1"
    grep -lsz "^TAILPROOF_GUARD=.*:$id:" /proc/[0-9]*/environ | cut -d/ -f3 | sed 's/^/marked /'
    cat /proc/[0-9]*/stat 2>/dev/null
  } | awk -v job="$job" -v self=$$ '
    $1 == "known" { before[$2] = $3; next }
    $1 == "marked" { of[$2] = 1; next }
    { pid = $1; sub(/^.*\) /, ""); if ($1 != "Z") { parent[pid] = $2; start[pid] = $20; all[++n] = pid } }
    END {
      of[job] = 1
      for (i = 1; i <= n; i++) if (before[all[i]] == start[all[i]]) of[all[i]] = 1
      for (more = 1; more;) {
        more = 0
        for (i = 1; i <= n; i++) if (!of[all[i]] && of[parent[all[i]]]) of[all[i]] = more = 1
      }
      for (i = 1; i <= n; i++)
        if (of[all[i]] && all[i] != self && (parent[all[i]] != self || all[i] == job)) print all[i], start[all[i]]
    }'
}

stop() { # signal, its number
  trap '' INT TERM HUP
  local found='' pids try
  for ((try = 0; try < 100; try++)); do
    found=$(running "$found")
    [ -n "$found" ] || break
    pids=$(cut -d' ' -f1 <<<"$found")
    # first as it was asked, then so that each can clean up, after two seconds without asking
    # shellcheck disable=SC2086
    case $try in
    0) kill -"$1" $pids 2>/dev/null ;;
    5) kill -TERM $pids 2>/dev/null ;;
    esac
    # shellcheck disable=SC2086
    [ "$try" -lt 10 ] || kill -KILL $pids 2>/dev/null
    # shellcheck disable=SC2086
    kill -CONT $pids 2>/dev/null
    sleep 0.2
  done
  exit $((128 + $2))
}

job=0
set -m # a job has a group of its own, and takes interrupts: commands behind & without that ignore them
"$@" &
job=$!
set +m # else `wait` returns when somebody stops it (kill -STOP), too, and the guard would leave it behind
trap 'stop INT 2' INT
trap 'stop TERM 15' TERM
trap 'stop HUP 1' HUP
wait "$job"

#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# An interrupted run of the tests leaves no process behind: not those that ignore the signal, that go into a session of
# their own, whose parents have ended, that write over their environment, or that stand still.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
root=$PWD

# A tree with the runner alone, and tests that never end.
tree=$scratch/tree
mkdir -p "$tree/tests/cli" "$tree/scripts"
cp tests/run.sh "$tree/tests/" && cp scripts/guard.sh "$tree/scripts/"
mark="sleep 9173$$"
cat >"$tree/tests/cli/t-server.sh" <<END
#!/bin/bash
setsid sh -c '$mark & $mark' &
(trap '' INT TERM HUP; $mark; $mark) &
(setsid sh -c '(trap "" TERM INT HUP; $mark; $mark) &' &)
env -i sh -c '$mark; true' &
$mark &
until tr "\\0" " " </proc/\$!/cmdline | grep -q "^sleep"; do sleep 0.05; done; kill -STOP \$!
touch "$scratch/started"
wait
END
server=$tree/tests/cli/t-server.sh
chmod +x "$server"
alive() { grep -lszx "[9]173$$" /proc/[0-9]*/cmdline | wc -l; }
eventually() { # expression: for hours, a busy machine fails nothing
  local tries
  for ((tries = 0; tries < 36000; tries++)); do
    eval "$1" && return 0
    sleep 0.1
  done
  return 1
}

interrupted() { # signal, exit code, command
  local signal=$1 wanted=$2 status
  shift 2
  rm -f "$scratch/started"
  (set -m; cd "$tree" && unset TAILPROOF_GUARD && exec "$@") >"$scratch/said" 2>&1 </dev/null &
  local runner=$!
  eventually '[ -e "$scratch/started" ] && [ "$(alive)" -ge 6 ]' || return 1
  kill -"$signal" "$runner"
  wait "$runner"
  status=$?
  [ "$status" -eq "$wanted" ] || { echo "exit $status"; cat "$scratch/said"; return 1; }
  [ "$(alive)" -eq 0 ] || { echo "$(alive) are left"; return 1; }
}
check "terminated: all are gone" interrupted TERM 143 tests/run.sh
check "hung up: all are gone" interrupted HUP 129 tests/run.sh
# The shell that starts it in the background would have it ignore interrupts.
check "interrupted: all are gone" interrupted INT 130 python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' tests/run.sh
# One guard in another: the outer one ends what the inner one started.
check "a guard in a guard" interrupted TERM 143 scripts/guard.sh scripts/guard.sh bash "$server"

ends() { # exit code of what it guards
  local status
  scripts/guard.sh bash -c 'exit 7'
  status=$?
  [ $status -eq 7 ] && [ "$(scripts/guard.sh echo said)" = said ]
}
check "otherwise it ends as the command does" ends
# Another program may have it stand still for a while, alone or with its guard, twice: the guard waits on.
stands_still() {
  local guard job status
  rm -f "$scratch/job" "$scratch/go"
  scripts/guard.sh bash -c 'echo $$ >"$1/job"; until [ -e "$1/go" ]; do sleep 0.05; done; exit 7' _ "$scratch" &
  guard=$!
  eventually '[ -s "$scratch/job" ]' && job=$(cat "$scratch/job") && kill -STOP "$job" || return 1
  [ "$1" = alone ] || { kill -STOP "$guard" && sleep 0.3 && kill -CONT "$guard"; }
  # or is gone, as that of a guard that ended
  eventually '[[ "$(cat "/proc/$job/stat" 2>/dev/null)" =~ ^$|\)\ T ]]' && sleep 0.3
  [ "$1" = alone ] || { kill -CONT "$job" && sleep 0.3 && kill -STOP "$job" && sleep 0.3; }
  touch "$scratch/go"
  kill -CONT "$job" 2>/dev/null
  wait "$guard"
  status=$?
  [ $status -eq 7 ] || { echo "exit $status"; return 1; }
}
check "and not when that is stopped for a while" stands_still alone
check "nor when both are, and it once more" stands_still both
guarded() { sed -n '/^test-all:/,/^$/p' Makefile | grep -q "scripts/guard.sh .*mutants"; }
check "make test-all is guarded behind the runner, too" guarded
cd "$root" && finish

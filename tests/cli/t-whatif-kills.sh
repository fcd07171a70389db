#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 of whatif, a poker, its guard, a service, the load or the janitor in the middle of an experiment: whoever it
# is, nothing goes on, stays stopped, or is left in the temporary folder, in /dev/shm or among the cgroups. The first two;
# with TEST_ALL twenty times, at random moments. SEED says which.
. "$(dirname "$0")/tap.sh"
RANDOM=${SEED:-20261129}
marker=kills-$$-$RANDOM
cd "$scratch" || exit 1
export TMPDIR=$scratch/temporary
mkdir "$TMPDIR"
mkfifo calls
cat >web.sh <<'END'
exec 3<>"$TAILPROOF_POKER_COUNT" 4<>calls
while :; do
  printf xxxxxxxxxx >&3
  printf '\n\n\n\n\n\n\n\n\n\n' >&4
  sleep 0.02
done
END
# It does not end by SIGTERM, and has a child.
cat >db.sh <<'END'
trap '' TERM
exec 3<>"$TAILPROOF_POKER_COUNT" 4<>calls
sleep 1000 &
while read -r call; do printf x >&3; done <&4
END
cat >load.sh <<'END'
while :; do sleep 0.5; done
END
cat >$marker.yaml <<END
entry: web
load: sh load.sh $marker
services:
  - {name: web, command: sh web.sh $marker, count_pipe: yes, workers: 1, work: 1ms}
  - {name: db, command: sh db.sh $marker, count_pipe: yes, workers: 1, work: 2ms}
targets: [web]
levels: [50]
batch: 10
warmup: 50ms
window: 500ms
repetitions: {least: 1000, most: 1000}
END
left() { pgrep -f "$marker" | grep -vx $$; }
pid_of() {
  case $1 in
    whatif) echo "$whatif" ;;
    poker) pgrep -f "poker --name db.*$marker" | while read -r pid; do grep -qx tailproof "/proc/$pid/comm" && echo "$pid"; done ;;
    guard) pgrep -f "poker --name db.*$marker" | while read -r pid; do grep -qx pause-guard "/proc/$pid/comm" && echo "$pid"; done ;;
    service) pgrep -f "^sh db.sh $marker" | head -n 1 ;;
    load) pgrep -f "^sh load.sh $marker" ;;
    janitor) pgrep -f "$marker" | while read -r pid; do grep -qx whatif-janitor "/proc/$pid/comm" && echo "$pid"; done ;;
  esac
}
here=$(sed -n 's/^0:://p' /proc/self/cgroup)
nothing_left() { # folders of pokers, pids of pokers
  local folder pid
  [ -z "$(left)" ] && [ -z "$(find "$TMPDIR" -mindepth 1)" ] || return 1
  for folder in $1; do [ ! -e "$folder" ] || return 1; done
  for pid in $2; do [ -z "$(find "/sys/fs/cgroup$here" -maxdepth 1 -name "tailproof-$pid-*" 2>/dev/null)" ] || return 1; done
}
kills=2
[ -z "${TEST_ALL:-}" ] || kills=20
victims=(whatif poker guard service load janitor)
for ((i = 0; i < kills; i++)); do
  victim=${victims[i % 6]}
  rm -f j.jsonl
  "$program" whatif throughput $marker.yaml --journal j.jsonl >out 2>err &
  whatif=$!
  until_true 'grep -qs "web 50 %" j.jsonl || ! kill -0 $whatif 2>/dev/null'
  sleep "0.$((RANDOM % 900 + 100))"
  pokers=$(pgrep -f "poker --name .*$marker" | tr '\n' ' ')
  folders=$(for pid in $(pgrep -f "^sh (web|db).sh $marker"); do tr '\0' '\n' <"/proc/$pid/environ" | sed -n 's/^TAILPROOF_POKER=//p'; done | sort -u)
  killed=$(pid_of $victim)
  kill -KILL $killed
  case $victim in
    guard | janitor) # the experiment goes on, and ends as ever
      sleep 0.2
      kill -INT $whatif ;;
  esac
  wait $whatif
  status=$? last="whatif throughput, kill -9 of $victim"
  check "kill -9 of $victim leaves nothing" '[ -n "$killed" ]' '[ -n "$folders" ]' 'until_true "nothing_left \"$folders\" \"$pokers\""'
  case $victim in
    poker) check "it is said whose poker it was" 'exits 69' 'grep -q "the poker of service db was killed by signal 9" err' ;;
    guard | janitor) check "the experiment was not ended by that" 'exits 130' ;;
  esac
  left | xargs -r kill -KILL 2>/dev/null
done
# A folder that nobody holds any more is removed by the next experiment, one that somebody holds is not.
mkdir "$TMPDIR/tailproof-whatif-AAAAAA" "$TMPDIR/tailproof-whatif-BBBBBB"
touch "$TMPDIR/tailproof-whatif-AAAAAA/"{lock,0.log} "$TMPDIR/tailproof-whatif-BBBBBB/lock"
exec 9<"$TMPDIR/tailproof-whatif-BBBBBB/lock"
flock 9
sed 's/command: sh web.sh/command: no-such-program/' $marker.yaml >$marker.none.yaml
run whatif throughput $marker.none.yaml
check "folders of killed experiments are removed by the next" 'exits 69' '[ "$(ls "$TMPDIR")" = tailproof-whatif-BBBBBB ]'
finish

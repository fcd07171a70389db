#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Three pokers whose services are paused nearly all the time. At random moments one of them, its guard, or
# who directs it is killed: every service runs again, and is not ended by it; the poker that is started
# next joins the others. KILLS=200 does it that often, and then within two seconds each; SEED.
. "$(dirname "$0")/tap.sh"
tools=${program%/*}/tests/tools
for tool in direct counted; do
  [ -x "$tools/$tool" ] || { echo "not ok 1 - $tools/$tool is not built"; exit 69; }
done
kills=${KILLS:-6} limit_ms=
[ -z "${KILLS:-}" ] || limit_ms=2000 # on a machine that has nothing else to do; a busy one fails nothing
RANDOM=${SEED:-20261121}
names=(a b c)
declare -A poker at
end_all() {
  local name
  for name in "${names[@]}"; do kill "${poker[$name]}"; done 2>/dev/null
  for name in "${names[@]}"; do wait "${poker[$name]}"; done 2>/dev/null
  kill -KILL $(cat ./*.pid) 2>/dev/null
  # what the killed pokers left, which the next one would remove after a minute
  xargs -r -a folders -d '\n' rm -rf
  rm -rf "$scratch"
}
trap end_all EXIT
cd "$scratch" || exit 1
last="poker, $kills kills, seed ${SEED:-20261121}" status=0
: >out
: >err

# The address stays, so that the others find it again.
start() { # name
  local name=$1 neighbours=() other
  for other in "${names[@]}"; do
    [ "$other" = "$name" ] || [ -z "${at[$other]:-}" ] || neighbours+=(--neighbour "${at[$other]}")
  done
  rm -f "$name.ready"
  : >"$name.beats"
  "$program" poker --name "$name" --listen "${at[$name]:-127.0.0.1:0}" --ready "$name.ready" "${neighbours[@]}" -- \
    sh -c 'echo $$ >"$0.pid" && echo "$TAILPROOF_POKER" >>folders && exec "$@"' "$name" "$tools/counted" 2 1000 100000000 beats >"$name.beats" 2>"$name.err" </dev/null &
  poker[$name]=$!
  until_true "[ -e $name.ready ] || ! kill -0 ${poker[$name]}"
  [ -e "$name.ready" ] && at[$name]=$(cat "$name.ready")
}
# Every service pauses for 5 to 15 ms after about 10 ms; in one epoch, the same for all.
epoch=0
set_all() {
  local name
  epoch=$((epoch + 1))
  for name in "${names[@]}"; do
    timeout 2h "$tools/direct" "${at[$name]}" - set $epoch 500 "$([ "$name" = a ] && echo 20 || echo 0)" 1000 15000 >set.out 2>&1 || cat set.out >>err
  done
}
beats() { wc -l <"$1.beats"; }
# Each service runs: its beats go on. The time it took goes to `worst`.
worst=0
all_beat() {
  local name before begin now
  begin=$(date +%s%3N)
  for name in "${names[@]}"; do
    before=$(beats "$name")
    until_true "[ \$(beats $name) -gt $before ]" || { echo "$name does not run" >>err; return 1; }
  done
  now=$(($(date +%s%3N) - begin))
  [ $now -le $worst ] || worst=$now
  [ -z "$limit_ms" ] || [ $now -le "$limit_ms" ]
}
alive() { kill -0 "$(cat "$1.pid")" 2>/dev/null; }
guard_of() { # name: of the poker's children the one that is not the service
  pgrep -P "${poker[$1]}" | grep -vx "$(cat "$1.pid")" | head -n 1
}

for name in "${names[@]}"; do start "$name"; done
set_all
for name in b c; do
  check "$name pauses with the others" "timeout 2h $tools/direct ${at[$name]} - until pauses 5 >out"
done
good=0
for ((kill = 1; kill <= kills; kill++)); do
  name=${names[RANDOM % 3]}
  sleep "0.0$((RANDOM % 9 + 1))"
  case $((RANDOM % 3)) in
    0) # the poker: its service has nobody any more, and is ended and started again afterwards
      kill -KILL "${poker[$name]}"
      wait "${poker[$name]}" 2>/dev/null
      all_beat && alive "$name" && good=$((good + 1))
      kill -KILL "$(cat "$name.pid")"
      start "$name"
      set_all
      ;;
    1)
      guard=$(guard_of "$name")
      [ -z "$guard" ] || kill -KILL "$guard"
      all_beat && alive "$name" && good=$((good + 1))
      ;;
    2) # who directs, in the middle of it
      "$tools/direct" "${at[$name]}" - set $((epoch + 1)) 500 "$([ "$name" = a ] && echo 20 || echo 0)" 1000 15000 sleep 60000 >/dev/null 2>&1 &
      director=$!
      sleep "0.0$((RANDOM % 9 + 1))"
      kill -KILL $director
      wait $director 2>/dev/null
      all_beat && alive "$name" && good=$((good + 1))
      epoch=$((epoch + 1))
      set_all
      ;;
  esac
done
echo "# the slowest to run again took $worst ms"
check "after each of $kills kills all services run" "[ $good -eq $kills ]"
set_all
for name in b c; do
  pauses=$(timeout 2h "$tools/direct" "${at[$name]}" - ask | tr ' ' '\n' | sed -n 's/^pauses=//p')
  check "and $name pauses with the others as before" "timeout 2h $tools/direct ${at[$name]} - until pauses $((pauses + 5)) >out"
done
for name in "${names[@]}"; do
  kill "${poker[$name]}"
  wait "${poker[$name]}"
  status=$?
  check "$name ends by a signal" 'exits 143' '! alive $name'
done
finish

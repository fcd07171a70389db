#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The agent that samples its host: the ring of files, what is kept when an objective is breached, what it shows, and
# configurations that are wrong.
. "$(dirname "$0")/tap.sh"
trap 'kill -KILL $(jobs -p) 2>/dev/null; rm -rf "$scratch"' EXIT
recorder=$PWD/$BUILD/tests/tools/recorder
case $BUILD in /*) recorder=$BUILD/tests/tools/recorder ;; esac
cd "$scratch" || exit 1

config() { # lines of `profile`, then `objective`
  printf 'node: a\nlisten: 127.0.0.1\nport: %s\npeers: []\nstore: ""\nmetrics:\n  port: 0\nprofile:\n' "${port:-29355}"
  printf '  %s\n' "$@"
}
wrong() { # what it says, lines
  local said=$1
  shift
  config "$@" >wrong.yaml
  run agent wrong.yaml
  check "$said" 'exits 65' "err \"$said\""
}
wrong 'profile, rate: \"0\" where' 'rate: 0'
wrong 'profile, minutes: \"1\" where' 'minutes: 1'
wrong 'profile, megabytes: \"0\" where' 'megabytes: 0'
wrong 'profile, budget_percent: \"200\" where a number from 0.01 to 100 is expected' 'budget_percent: 200'
wrong 'Unexpected key: rates' 'rates: 5'
wrong 'profile, objective, percentile: \"100\"' objective: '  store: s' '  series: get' '  within_ms: 5' '  percentile: 100'
wrong 'profile, objective, within_ms: \"0\"' objective: '  store: s' '  series: get' '  within_ms: 0'
wrong 'within_ms' objective: '  store: s' '  series: get'
config 'rate: 5' >plain.yaml
run agent plain.yaml --slo 'p99<5ms'
check "--slo without a histogram to watch" 'exits 65' 'err "plain.yaml: profile, objective is missing: give the store and the series that --slo is of"'
run agent plain.yaml --slo 'p99 5ms'
check "--slo that is none" 'exits 64' 'err "unusable objective"'

mkdir stores ring
touch ring/minute-120.tpp ring/minute-121.tpp # of a longer ring, kept before
"$recorder" --folder stores component get 2000000000 90000000 &
slow=$!
until_true 'ls stores/*.tps' >/dev/null
kill -STOP $slow
: >out # what is shown when something fails
ended() { # a process that ended and was not waited for is still there
  case $(ps -o stat= -p "$1") in '' | Z*) true ;; *) false ;; esac
}
for ((try = 0; try < 5; try++)); do # another port when this one is taken
  port=$((20000 + RANDOM % 10000))
  config 'rate: 199' 'seconds: 1' 'minutes: 2' 'folder: ring' 'budget_percent: 100' objective: '  store: stores' '  series: get' \
    '  within_ms: 3600000' >agent.yaml # nothing takes an hour: what is said beside the file counts
  "$program" agent agent.yaml --slo 'p99 <= 50ms' 2>err.txt </dev/null &
  agent=$!
  until_true 'grep -q "metrics: http" err.txt || ended $agent' >/dev/null
  ended $agent && grep -q "$port" err.txt || break
done
if ended $agent; then
  # the kernel lets nobody sample here: that is what it must say
  wait $agent
  status=$?
  check "the agent says what it lacks" 'exits 70' 'grep -qE "perf_event_paranoid|CAP_PERFMON" err.txt'
  finish
  exit
fi
until_true 'ls ring/minute-03.tpp || ended $agent' >/dev/null
check "files of a ring" '! ls ring/minute-12[01].tpp 2>/dev/null' '[ "$(ls ring/minute-*.tpp | wc -l)" -ge 3 ]' '! ls ring/breach-* 2>/dev/null'
until_true 'kill -CONT $slow; sleep 0.05; kill -STOP $slow; ls ring/breach-00-after.tpp 2>/dev/null || ended $agent' >/dev/null
check "a breach keeps the minutes around it" '[ -s ring/breach-00-before.tpp ] && [ -s ring/breach-00-at.tpp ]' \
  'grep -q "latencies of get were above the limit; the minutes around are kept as ring/breach-0" err.txt'
run profile simulate ring/breach-00-at.tpp
check "what was kept is a profile" 'said "Leaving out threads" || err "fewer than 4 windows"'
page=$(sed -n 's|.*http://\([^/]*\)/metrics.*|\1|p' err.txt)
exec 3<>"/dev/tcp/${page%:*}/${page##*:}"
printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3
sed '1,/^\r$/d' <&3 >page.txt
check "Prometheus sees it" 'promtool check metrics <page.txt' 'grep -qE "^tailproof_agent_profile_breaches_total\{node=\"a\"\} [1-9]" page.txt' \
  'grep -q "^tailproof_profile_function_share{function=" page.txt' 'grep -qE "^tailproof_agent_profile_rate\{node=\"a\"\} 199$" page.txt' \
  'awk -F "} " "/^tailproof_agent_profile_sample_cost/ { n = \$2 } END { exit !(n >= 5000 && n <= 200000) }" page.txt'
kill -TERM $agent
wait $agent
status=$?
check "it ends in order" 'exits 0' '[ "$(ls ring | grep -c "^minute-")" -le 120 ]'
kill -KILL $slow
wait $slow 2>/dev/null

finish

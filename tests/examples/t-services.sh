#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: the services of a graph call each other as the graph says, work as long as it says, live
# through being stopped, and end.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
services=$BUILD/examples/services/services
SERVICES_BASE=$(free_ports 10)
export SERVICES_BASE
graph=$scratch/graph
pids=()
trap 'kill -CONT "${pids[@]}" 2>/dev/null; kill -KILL "${pids[@]}" 2>/dev/null; rm -rf "$scratch"' EXIT

start() { # start SERVICE [OPTIONS]
  # shellcheck disable=SC2086
  "$services" serve $how --service "$1" --report "${@:2}" >>"$scratch/reports" 2>>"$scratch/log" &
  pids+=($!)
}

start_all() { # start_all HOW: what names the graph
  how=$1
  pids=()
  : >"$scratch/reports"
  : >"$scratch/log"
  # shellcheck disable=SC2086
  for name in $("$services" show $how | cut -d' ' -f1); do
    start "$name"
  done
}

end_all() { # all end by themselves when told to, with 0
  local pid bad=0
  kill -TERM "${pids[@]}"
  for pid in "${pids[@]}"; do
    wait "$pid" || bad=1
  done
  none_left "${pids[@]}" && [ $bad -eq 0 ]
}

ask() { # ask REQUESTS [OPTIONS]
  # shellcheck disable=SC2086
  timeout 2h "$services" load $how --warmup-ms 0 --users 16 --requests "$1" "${@:2}" >"$scratch/load" 2>>"$scratch/log"
}

answered() { grep -q "^load: $1 requests, 0 failed;" "$scratch/load"; }
requests() { sed -n "s/^$1: requests \([0-9]*\) failed 0 .*/\1/p" "$scratch/reports"; }
calls() { sed -n "s/^$1: .* calls.* $2=\([0-9]*\).*/\1/p" "$scratch/reports"; }
about() { # about COUNT TRIALS PERCENT: within six standard deviations of a binomial
  awk -v k="$1" -v n="$2" -v p="$3" 'BEGIN { p /= 100; d = k - n * p; exit !(k != "" && d * d <= 36 * n * p * (1 - p) + 1) }'
}

# one after the other, at once, ratios, choices, mixed requests
cat >"$graph" <<'G'
service a workers 4
  on read work 100us
    call b 2.5
    call c
  on write work 200us together   # a remark
    call b.slow 2
    choose c 30 d 50 none 20
service b workers 2
  on fast work 50us
  on slow work 100us
service c
  on main
service d
  on main work 20us
user a 60
user a.write 40
G
start_all "--graph $graph"
ask 2000 && answered 2000 && end_all
result $? "2000 requests are answered"
[ "$(requests a)" = 2000 ] && [ "$(calls a b)" = "$(requests b)" ] && [ "$(calls a c)" = "$(requests c)" ] &&
  [ "$(calls a d)" = "$(requests d)" ]
result $? "each call is a request at the other end"
# b: 2 or 3 of a read, 2 of a write; c: each read, 30 % of the writes; d: 50 % of them
about "$(($(requests b) - 4000))" 2000 30 && about "$(requests c)" 2000 72 && about "$(requests d)" 2000 20
result $? "ratios and choices are those of the graph"
awk '$1 == "a" { bad += $4 != 1 } $1 == "b" { bad += $4 != 2.3 } $1 == "c" { bad += $4 != 0.72 }
     $1 == "d" { bad += $4 != 0.2 } END { exit bad != 0 || NR != 4 }' <("$services" show --graph "$graph")
result $? "show says what is to be expected"

# a request that comes to one service twice
start_all "--family dynamic-cycle --times 12843 --workers 2"
ask 600 && answered 600 && end_all
result $? "a family of graphs runs"
about "$(($(requests service1) - 600))" 600 34 && [ "$(requests service2)" = "$(($(requests service1) - 600))" ] &&
  [ "$(($(requests service3) + $(requests service4)))" = 600 ]
result $? "a cycle: back in service 1 as often as service 2 is called"

# work takes its time: a lower bound, which no other load of the machine makes wrong
printf 'service a workers 4\n  on main work 4ms locked 4ms\nuser a\n' >"$graph"
start_all "--graph $graph"
ask 100 && answered 100 && end_all
[ "$(sed -n 's/.* in \([0-9.]*\) s: .*/\1/p' "$scratch/load" | awk '{ print ($1 > 0.38) }')" = 1 ]
result $? "work under the lock is done one after the other by 4 workers"

printf 'service a workers 2\n  on main work 2ms\n    call b 3\nservice b\n  on main work 100us\nuser a\n' >"$graph"
start_all "--graph $graph"
# shellcheck disable=SC2086
timeout 2h "$services" load $how --warmup-ms 0 --users 8 --requests 1200 >"$scratch/load" 2>>"$scratch/log" &
asking=$!
for _ in $(seq 20); do
  sleep 0.02
  kill -STOP "${pids[@]}"
  sleep 0.02
  kill -CONT "${pids[@]}"
done
wait $asking && answered 1200 && end_all
result $? "20 stops in the midst of it: nothing is lost"
[ "$(sed -n 's/^a: .* stops \([0-9]*\) .*/\1/p' "$scratch/reports")" -ge 20 ] &&
  [ "$(sed -n 's/^a: .* lost \([0-9]*\) us.*/\1/p' "$scratch/reports")" -ge 300000 ] && [ "$(requests b)" = 3600 ]
result $? "no work is done while it is stopped"

start_all "--graph $graph"
ask 10 && kill -KILL "${pids[1]}" && ! wait "${pids[1]}" 2>>"$scratch/log" && ask 20
grep -q '^load: 20 requests, 20 failed;' "$scratch/load" && start b && ask 1000 &&
  [ "$(sed -n 's/^load: 1000 requests, \([0-9]*\) failed.*/\1/p' "$scratch/load")" -lt 1000 ] && ask 10 && answered 10
result $? "requests fail while a service that they need is gone, and are answered when it is back"
printf 'garbage, and more than a frame of it' >"/dev/tcp/127.0.0.1/$SERVICES_BASE" && ask 10 && answered 10
result $? "a stranger who sends garbage disturbs nobody"
timeout 2h "$services" serve --graph "$graph" --service a >"$scratch/out" 2>&1
[ $? -eq 70 ] && [ "$(wc -l <"$scratch/out")" -eq 1 ] && grep -q 'SERVICES_BASE' "$scratch/out"
result $? "a port that is taken"
"$services" set --graph "$graph" --service a --faster 75 && ask 10 && answered 10
result $? "a service is made faster while it runs"
# shellcheck disable=SC2086
timeout --preserve-status -s INT 0.5 "$services" load $how --users 3 --each-second >"$scratch/load" 2>>"$scratch/log"
[ $? -eq 130 ] && grep -q '^load: [1-9][0-9]* requests, 0 failed;' "$scratch/load"
result $? "users that are interrupted say what they had"
gone=${pids[1]}
pids=("${pids[0]}" "${pids[2]}")
end_all && none_left "$gone"
result $? "none is left"

TAILPROOF_POKER=$scratch/none timeout 2h "$services" serve --graph "$graph" --service a >"$scratch/out" 2>&1
[ $? -eq 70 ] && [ "$(wc -l <"$scratch/out")" -eq 1 ]
result $? "a poker that is not there is said"

bad() { # bad MESSAGE GRAPH
  printf "$2" >"$graph" # with its line ends
  "$services" show --graph "$graph" >"$scratch/out" 2>&1
  [ $? -eq 65 ] && [ "$(wc -l <"$scratch/out")" -eq 1 ] && grep -qF -- "$1" "$scratch/out"
  result $? "$1"
}
bad ':1: service, on, call, choose or user is expected: serve' 'serve a\n'
bad ':3: no service is of that name: b' 'service a\n on main\n  call b\nuser a\n'
bad ':2: a time from 0us to 10s is expected' 'service a\n on main work 11s\nuser a\n'
bad ':2: more is locked than there is work' 'service a\n on main work 1us locked 2us\nuser a\n'
bad ':3: the service has an endpoint of that name already: x' 'service a\n on x\n on x\nuser a\n'
bad ':2: there is a service of that name already: a' 'service a\nservice a\nuser a\n'
bad ':3: all weights are 0' 'service a\n on x\n choose none 0\nuser a\n'
bad 'nothing says what users ask for' 'service a\n on x\n'
bad 'go round for ever' 'service a\n on x\n  call a\nuser a\n'
bad ':1: a call stands before' 'call a\n'
"$services" show --graph "$scratch/none" >"$scratch/out" 2>&1
[ $? -eq 66 ] && [ "$(wc -l <"$scratch/out")" -eq 1 ]
result $? "a graph that is not there"
for arguments in '' 'show' 'show --graph x --family y' 'show --family none' 'show --family chain-d2 --times 1' 'serve --family chain-d2 --times 4446' \
  'serve --family chain-d2 --times 4446 --service web' 'load --users 0' 'set --faster 100'; do
  # shellcheck disable=SC2086
  "$services" $arguments >"$scratch/out" 2>&1
  [ $? -eq 64 ] && [ "$(wc -l <"$scratch/out")" -eq 1 ]
  result $? "a wrong command line: services $arguments"
done
echo "1..$count"

#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Protocols on simulated machines: against queues of which every wait is known, from a seed, beside the
# bound and an observation; and a proved bound that an execution exceeds is an internal error.
. "$(dirname "$0")/tap.sh"
recorded=$PWD/examples/token_ring/recorded
cd "$scratch" || exit 1
export XDG_CACHE_HOME=$scratch/cache

percentile() { jq -r --arg p "$1" --arg key "$2" 'select(.kind == "simulated_percentile" and .p == $p) | .[$key]' out; }
summary() { jq -es "[.[] | select(.kind == \"simulation\")][0] | $1" out >/dev/null; }

# ---- one server, constant work, arrivals of a table: Lindley's recursion says how long each waits

cat >queue.tp <<'END2'
protocol queue

role client
role server

component Ask[int], Work[int]
timeout   Think
delay     d
queueing  Queuing

message Request(k: int) : client -> server over d
message Reply(k: int)   : server -> client over d

state client { asked : int = 0 }

action client.Ask on timeout Think cost Ask[asked] {
  asked := asked + 1
  send Request(asked)
}
action server.Do on Request(k) cost Work[k] { send Reply(k) }
action client.Take on Reply(k) { }

let since(k: int) = time(Request(k)) - d(Request(k))
invariant numbered: forall k in int. (sent Request(k) implies k <= client.asked) and
  (charged Ask[k] implies k < client.asked)
invariant replied: forall k in int. sent Reply(k) implies received Request(k) and
  time(Reply(k)) <= since(k) + d(Request(k)) + Queuing(Request(k)) + Work[k] + d(Reply(k))

bound reply: from sent Request(k) delivered Reply(k)
  within d(Request(k)) + Queuing(Request(k)) + Work[k] + d(Reply(k))
END2
awk 'BEGIN { srand(5); print "due_ns"; t = 0; for (i = 0; i < 400; i++) { printf "%d\n", t; t += int(-1500 * log(1 - rand())) } }' >due.csv
# 1000 ns of work; the first tenth does not count. The rank of a percentile is its share, rounded up.
lindley() { awk -v p="$1" 'NR > 1 { if (free < $1) free = $1; free += 1000; if (NR > 41) print free - $1 + 20 }' due.csv | sort -n |
  awk -v p="$1" '{ x[NR] = $1 } END { k = NR * p / 100; k = k > int(k) ? int(k) + 1 : k; print x[k] }'; }
stream() { run simulate queue.tp --always Ask=0ns --always Work=1us --always d=10ns "$@"; }
stream --arrivals due.csv --requests 400 --json
check "each request waits as long as Lindley's recursion says" 'exits 0' 'json_lines' \
  '[ "$(percentile 50 ns)" = "$(lindley 50)" ]' '[ "$(percentile 90 ns)" = "$(lindley 90)" ]' '[ "$(percentile 99 ns)" = "$(lindley 99)" ]' \
  '[ "$(lindley 50)" -gt 1020 ]' 'summary ".verdict == \"proved\" and .requests == 360 and .warmup == 40 and .unfinished == 0 and .outside == 0"'
check "the bound at the same times is attained" '[ "$(percentile 90 bound_same_times_ns)" = "$(percentile 90 ns)" ]'
stream --arrivals constant:900000/s --requests 200 --json
check "a constant server below its capacity: nobody waits" 'exits 0' '[ "$(percentile 99 ns)" = 1020 ]'
stream --arrivals constant:1250000/s --requests 100 --json
check "above it each waits 200 ns more than the one before" 'exits 0' '[ "$(percentile 50 ns)" = $((1020 + 200 * (10 + 44))) ]'
stream --arrivals poisson:700000/s --seed 3 --json && cp out first
stream --arrivals poisson:700000/s --seed 3 --json
check "the same seed, the same numbers" 'exits 0' 'cmp -s out first'
stream --arrivals poisson:700000/s --seed 4 --json
check "another seed, others" 'exits 0' '! cmp -s out first'
stream --arrivals poisson:700000/s
check "in words" 'exits 0' 'out "reply: simulated 900 requests in one execution behind 100 more, 0 never ended; the bound is proved"' \
  'said "a simulation proves nothing"' 'said "what the proof costs"'

# ---- a proxy that chooses a server for each request, any but the first; each is 50% too slow alone

cat >balance.tp <<'END2'
protocol balance
param n : int >= 1
role client
role proxy
role server[n]
component Work[int]
delay d
queueing Queuing
message Request(k: int)        : client -> proxy
message Ask(s: server, k: int) : proxy -> server s
message Reply(k: int)          : server -> client
state client { asked : int = 0 }
action client.Ask at any time { asked := asked + 1  send Request(asked) }
action proxy.Forward(s in server) on Request(k) { when s != first or n == 1  send Ask(s, k) }
action server x.Serve on Ask(x, k) cost Work[k] { send Reply(k) }
invariant past: forall k in int. sent Request(k) implies k <= client.asked
invariant asked: forall s in server, k in int. sent Ask(s, k) implies received Request(k)
invariant one: forall s in server, t in server, k in int. sent Ask(s, k) and sent Ask(t, k) implies s == t
invariant worked: forall k in int. charged Work[k] implies exists s in server. received Ask(s, k)
invariant done: forall k in int. sent Reply(k) implies exists s in server. received Ask(s, k)
invariant in_time: forall s in server, k in int. sent Ask(s, k) implies
  time(Ask(s, k)) <= time(Request(k)) + Queuing(Request(k)) + d(Ask(s, k))
bound reply: from sent Request(k) delivered Reply(k) within d(Request(k)) + Queuing(Request(k))
  + max s in server (d(Ask(s, k)) + Queuing(Ask(s, k))) + Work[k] + d(Reply(k))
END2
balance() { run simulate balance.tp --requests 500 --always Work=3ms --always d=0ms --arrivals constant:500/s --json "$@"; }
balance --set n=2
check "one server left to choose: each waits 1 ms more than the one before" 'exits 0' \
  '[ "$(percentile 50 ns)" = $((3000000 + 1000000 * (50 + 224))) ]'
balance --set n=4
check "three, drawn alike: they keep up" 'exits 0' '[ "$(percentile 50 ns)" -ge 3000000 ]' '[ "$(percentile 99 ns)" -lt 30000000 ]'

refuse() { # name, exit code, words, arguments
  local title=$1 code=$2 words=$3
  shift 3
  run simulate "$@"
  check "$title" 'exits $code' 'err "$words"' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]'
}
always=(--always Ask=0ns --always Work=1us --always d=10ns)
refuse "arrivals have to be said" 64 '--arrivals poisson:RATE' queue.tp "${always[@]}"
refuse "no rate" 64 'give a rate' queue.tp "${always[@]}" --arrivals poisson:fast
refuse "no table" 66 'none.csv' queue.tp "${always[@]}" --arrivals none.csv
refuse "nothing says how long a component takes" 64 '--always Work=TIME' queue.tp --arrivals constant:1/s --always Ask=0ns --always d=0ns
refuse "waiting is not to be said" 64 'what the machines make of it' queue.tp --arrivals constant:1/s --always Queuing=1ms
refuse "no such component" 64 'no such component' queue.tp --arrivals constant:1/s --always Cook=1ms
refuse "a time without a unit" 64 'with its unit' queue.tp --arrivals constant:1/s --always Work=1
refuse "a bound from time 0 has no arrivals" 64 'one request' "$specs/lock.tp" --bound full_circle --set n=2 --arrivals constant:1/s
refuse "a parameter is missing" 64 'n' "$specs/lock.tp" --bound full_circle --data "$recorded"
mkdir lacking && cp "$recorded"/Grant.tph "$recorded"/d.tph lacking
refuse "a measurement is missing" 66 'Accept' "$specs/lock.tp" --bound full_circle --set n=2 --data lacking

# ---- times from measurements; beside the bound as measured, and what was observed

run simulate "$specs/lock.tp" --bound full_circle --set n=4 --data "$recorded" --observed "$recorded/round.tph" --json
check "as measured" 'exits 0' 'json_lines' 'summary ".executions == 1000 and .why_no_bound == null"' \
  'json "[.[] | select(.kind == \"simulated_percentile\")] | length == 3 and all((.least_ns | tonumber) <= (.ns | tonumber) and (.ns | tonumber) <= (.most_ns | tonumber))"' \
  'json "[.[] | select(.kind == \"simulated_percentile\" and .p == \"90\")][0] | (.bound_ns | tonumber) > 100000 and (.observed_ns | tonumber) > 100000"'
run simulate "$specs/lock.tp" --bound full_circle --set n=4 --data "$recorded" --observed "$recorded/round.tph"
check "the table has all of them" 'exits 0' 'out "observed"' 'said "what the model costs"'
printf 'latency_ns\n100\ntimeout\n' >lacking/Accept.csv
run simulate "$specs/lock.tp" --bound full_circle --set n=1 --data lacking --requests 200 --json
check "what never ends is infinite" 'exits 0' 'summary ".unfinished > 60 and .unfinished < 140"' '[ "$(percentile 90 ns)" = infinite ]'
run simulate "$specs/periodic_load.tp" --set T=1ms --always Handle=800us --always d=50us --requests 300 --json
check "arrivals that the protocol itself makes" 'exits 0' '[ "$(percentile 99 ns)" = 850000 ]'
run simulate "$specs/periodic_load.tp" --set T=1ms --always Handle=1200us --always d=50us --requests 100
check "times that break an assumption are said" 'exits 0' 'said "1 of 1 executions have times that break the assumption Handle <= T"'

# shellcheck disable=SC2046
run simulate "$specs/two_phase_commit.tp" --bound reply --set n=1 --requests 100 --seed 2 --json \
  $(sed -E 's/#.*//; s/\[[^]]*\]//g' "$specs/two_phase_commit.tp" | sed -nE 's/^ *(component|delay|repeated) +//p' |
    tr ',' '\n' | awk 'NF { print "--always " $1 "=1us" }')
check "an execution of another course does not count" 'exits 0' 'summary ".otherwise > 10 and .requests > 10 and .requests + .otherwise == 100 and .unfinished == 0"'

# ---- a bound that is not proved, and one that only seems to be

cat >good.tp <<'END2'
protocol once

role client
role server

component Work
delay     d

message Request : client -> server
message Reply   : server -> client

state client { asked : bool = false }

action client.Ask {
  when not asked
  asked := true
  send Request
}
action server.Do on Request cost Work { send Reply }
action client.Take on Reply { }

invariant asked: sent Request iff client.asked
invariant idle:  (not client.asked implies time(client) <= 0) and (not received Request implies time(server) <= 0)
invariant once:  (received Request iff sent Reply) and (charged Work implies received Request)
invariant first: sent Request implies time(Request) <= d(Request)
invariant next:  sent Reply implies received Request and time(Reply) <= d(Request) + Work + d(Reply)

bound reply: delivered Reply within d(Request) + Work + d(Reply)
END2
sed 's/within d(Request) + Work + d(Reply)/within d(Request) + d(Reply)/' good.tp >bad.tp
once() { run simulate "$@" --always Work=5us --always d=1us --requests 20; }
once bad.tp
check "a bound that is refuted: its verdict, and how often it was exceeded" 'exits 1' 'out "the bound is refuted"' \
  'out "20 of 20 executions took longer than the bound, which is not proved."'
once good.tp
check "a bound that is proved" 'exits 0' 'out "7.000 us"'

# The verdict of the right file, kept as if it were that of the wrong one.
kept=$(grep -l "all bounds of $(wc -c <good.tp) bytes" cache/tailproof/*)
question=$(sed -n 2p "$kept" | sed "s/ of [0-9]* bytes [0-9a-f]*/ of $(wc -c <bad.tp) bytes $(sha256sum <bad.tp | cut -d' ' -f1)/")
{ printf '%s\n' "$question" && tail -n +3 "$kept"; } >body
name=$(printf %s "$question" | sha256sum | cut -d' ' -f1)
{ echo "tailproof kept answer 1 $(sha256sum <body | cut -d' ' -f1)" && cat body; } >"cache/tailproof/$name"
once bad.tp --seed 7
check "an execution that contradicts a proof is an internal error" 'exits 70' 'quiet_out' \
  'err "internal error: bound reply is proved, but a simulated execution takes 7000 ns where its own times allow 2000 ns"' 'err "--seed 7 --requests 1"'
once bad.tp --no-cache
check "proved anew it is refuted" 'exits 1'

# Twice as fast as the file allows: the sender waits, so that each request finds the server free.
bucket() { run simulate "$specs/token_bucket.tp" --set T=10ms --set B=1 --set D=0ns --always Handle=10ms --always d=0ns --requests 50 "$@"; }
bucket --arrivals constant:200/s
check "senders keep to the limit on arrivals" 'exits 0' 'out "p99  10.000 ms"' 'out "later than --arrivals says"'
bucket --arrivals constant:100/s
check "slower ones are not held back" 'exits 0' '! out "later than --arrivals says"'

# ---- messages that are lost: each lost copy costs 10 ms

copies() { run simulate "$specs/retransmission.tp" --set RTO=10ms --always d=1ms --always Deliver=1ms --requests 400 --json "$@"; }
copies --set k=2
check "nothing is lost unless it is said" 'exits 0' '[ "$(percentile 99 ns)" = 3000000 ]'
copies --set k=2 --lose Data=1
check "all that may be lost: the third copy comes" 'exits 0' '[ "$(percentile 50 ns)" = 23000000 ]' '[ "$(percentile 50 bound_same_times_ns)" = 23000000 ]'
copies --set k=5 --lose Data=0.3
check "a share of them: 7 in 10 at once, 91 in 100 behind one loss" 'exits 0' \
  '[ "$(percentile 50 ns)" = 3000000 ]' '[ "$(percentile 90 ns)" = 13000000 ]' '[ "$(percentile 99 ns)" -gt 13000000 ]'
copies --set k=2 --lose Ack=0.1
check "a message that is never lost" 'exits 64' 'err "--lose Ack: the protocol says of no such message that it may be lost (loses K)"'
copies --set k=2 --lose Date=0.1
check "an unknown message" 'exits 64' 'err "--lose Date: the protocol has no such message"'
copies --set k=2 --lose Data=10%
grep simulated "$scratch/out" >"$scratch/percent"
copies --set k=2 --lose Data=0.1
check "10% and 0.1 are the same share" 'exits 0' 'grep simulated "$scratch/out" | cmp -s - "$scratch/percent"'
for share in 10 -0.1 +0.1 0x1 101%; do
  copies --set k=2 --lose Data=$share
  check "$share: no share" 'exits 64' 'err "--lose Data=$share: give the share that is lost, from 0 to 1 (0.01 or 1%)"'
done

# ---- executions that stand still: what they show is for no bound, proved or not

cases=$(dirname "$specs")/tests/cases
again() { run simulate "$cases/unknown/stop_if_for_when.tp" --set P=200us --always Ring=1ms --always d=1ms --always "any time=1s" --requests 10 "$@"; }
again
check "a step that is taken again and again is named" 'exits 2' 'out "10 never ended; the bound is unknown"' \
  'out "10 of 10 executions stand still: c.Expire is the last of 5000 steps at 200000 ns"'
again --json
check "as JSON" 'exits 2' 'summary ".standing == 10 and .unfinished == 10 and .cut == 0"'
run simulate "$cases/unknown/stop_limited_relay_advanced.tp" --set T=300us --always d=100us --arrivals constant:10000/s --requests 50
check "so is one that may not send" 'exits 2' 'out "1 of 1 executions stand still: relay.Pass on Request(2) would have to send sooner than"'
cat >spin.tp <<'END2'
protocol spin
param P : time
role c
external user
delay d
message Out : c -> user
state c { late : bool = false  told : bool = false }
action c.Spin on timer P { late := true }
action c.Tell on timer 2*P { when not told  told := true  send Out }
invariant clock: not told implies time(c) <= P
bound out: sent Out within 2*P
END2
run simulate spin.tp --set P=1ms --always d=1ms --requests 10
check "in the standard model nothing has to be taken; but no end is no success" 'exits 2' \
  'out "10 never ended; the bound is proved"' 'out "executions stand still: c.Spin is the last of 5000 steps at 1000000 ns"'

finish

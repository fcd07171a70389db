#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Events from outside become requests: paired by thread, key and position in a log, written as stores, held against the
# protocol; and what cannot be paired is counted and never faster than it was.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1

cat >store.tp <<'END'
protocol store
timing eager

role client
role server

component Flush
delay     d
queueing  Queuing

message Put   : client -> server
message Reply : server -> client

state client { asked : bool = false }

action client.Ask {
  when not asked
  asked := true
  send Put
}
action server.Flush on Put cost Flush { send Reply }

bound put: delivered Reply within d(Put) + Queuing(Put) + Flush + d(Reply)
END

cat >probes.yaml <<'END'
probes:
  write: {syscall: write, read: {key: arg2}}
  read:  {syscall.exit: read}
  put:   {uprobe: "/bin/server:put", read: {key: arg1, lsn: arg2}}
  flush: {uprobe: "/bin/server:flush", read: {lsn: arg1}}
places:
  client: '^bench '
  server: '^server$'
queueing: Queuing
moments:
  asked:    {probe: write, at: client}
  called:   {probe: put, at: server, where: key == asked.key}
  flushed:  {probe: flush, at: server, where: lsn >= called.lsn, shared: yes}
  answered: {probe: read, at: client, where: thread == asked.thread}
request: {name: put, node: client, from: asked, to: answered}
steps:
  client.Ask:   {at: asked}
  server.Flush: {from: called, to: flushed, component: Flush}
messages:
  Put:   {from: client, to: server, sent: asked, arrived: called, delay: d}
  Reply: {from: server, to: client, sent: flushed, arrived: answered, delay: d}
END
printf '11 bench --clients 2\n22 server\n33 other\n' >processes

# Two clients side by side, whose puts one flush covers. Of every `lost`-th request the end is missing.
events() { # requests, lost
  awk -v n="$1" -v lost="$2" 'BEGIN {
    x = 1
    for (i = 1; i <= n; i++) {
      t = 1000000 * i; x = x * 16807 % 2147483647; a = x % 300000
      printf "%d write 11 101 key=%d\n%d write 11 102 key=%d\n", t, 2 * i, t + 1000, 2 * i + 1
      printf "%d put 22 22 key=%d lsn=%d\n%d put 22 23 key=%d lsn=%d\n", t + 20000, 2 * i + 1, 100 * i, t + 30000, 2 * i, 100 * i + 50
      printf "%d flush 22 24 lsn=%d\n", t + 200000 + a, 100 * i + 70
      printf "%d read 33 33\n", t + 210000 + a
      if (lost == 0 || i % lost != 0) printf "%d read 11 102\n", t + 230000 + a
      printf "%d read 11 101\n", t + 240000 + a
    }
  }'
}

events 500 0 >events
run record pair probes.yaml events --processes processes --out whole
check "all are paired" 'exits 0' 'out "1000 of 1000 requests paired (100.00 %)"'
cp out first
run pair probes.yaml events --processes processes --out old
check "under its old name, with a note" 'exits 0' 'cmp -s out first' 'err "tailproof: pair is record pair now; the old name goes with the next version"' \
  '[ "$(wc -l <err)" -eq 1 ]'
run pair --help
check "... which is not the name in its help" 'exits 0' 'out "usage: tailproof record pair "'
run replay store.tp whole
check "the run follows the protocol" 'exits 0' 'said "the run follows it: 1000 complete instances of 2 stores, 2000 steps, 2000 messages"'
sed '/client.Ask:/d' probes.yaml >late.yaml
run record pair late.yaml events --processes processes --out late
run replay store.tp late
check "all that do not follow it are counted, the first is named" 'exits 1' 'out "1000 of 1000 instances do not follow it"' 'out "instance 1,"'
run import --out components whole
check "the stores make a table" 'exits 0' 'said "joint.csv.gz: 1000 rows"'
run verify --infer --write store.tp
check "the bound is proved" 'exits 0' 'out "1 proved"'
run percentiles store.tp --bound put --joint components --observed request.put -p 50,90,99 --exchangeable
check "it is what was observed" 'exits 0' 'said "Each of the 1000 requests took no longer"'

# Lost ends: 50 of 1000. The next end in the thread is not theirs.
events 500 10 >gaps
run record pair probes.yaml gaps --processes processes --out endless
check "what is not paired is counted by reason" 'exits 0' 'out "950 of 1000 requests paired (95.00 %)"' \
  'out "50 requests (5.00 %) are not paired and count as endless"' \
  'out "49 not paired at moment answered: what it belongs to came again before it"' \
  'out "1 not paired at moment answered: no such event followed"'
run replay store.tp endless
check "what is endless is not claimed" 'exits 0' 'said "not claimed: 50 without an end"'
shares='50 of 1000 requests (5.00 %) could not be paired (1 at moment answered: no such event followed; 49 at moment answered: what it belongs to came again before it)'
check "replay states the share" "said '$shares: the requests count as infinite'"
run replay --json store.tp endless
check "also as JSON" 'json_lines' 'json "[.[] | select(.kind == \"replay\")][0].unpaired | length == 1 and (.[0] | startswith(\"50 of 1000 requests\"))"'
run import --out slow endless
check "import: the ledger has the share, the request is infinite, the table says so, too" 'exits 0' "said '$shares'" \
  'said "joint.csv.gz: 50 of 1000 requests"' 'grep -q "^9223372036854775807 50 0$" slow/put.tph' 'grep -q "^saturated 0$" slow/put.tph' 'grep -qE "^  put +1000 .* infinite +infinite" "$scratch/out"' 'grep -q "^saturated 0$" slow/Flush.tph' \
  'grep -q "^note 50 of 1000 requests (5.00 %) could not be paired" slow/Flush.tph' 'grep -q "^  unpaired 50 of 1000 requests" slow/ledger'
run percentiles store.tp --bound put --joint slow --observed request.put -p 90,99 --exchangeable
check "p99 of a run of which a twentieth never ended is infinite" 'grep -q "p99 *infinite\|p99 .* infinite" "$scratch/out"'

sed 's/to: answered}$/to: answered, unpaired: excluded}/' probes.yaml >excluded.yaml
run record pair excluded.yaml gaps --processes processes --out excluded
check "they can be left out, which is said" 'exits 0' 'out "left out: percentiles are those of the others"'
run import --out others excluded
check "then they have no row" 'exits 0' 'said "joint.csv.gz: 950 rows"'

run import --out others excluded
check "import states the share that has no row, for each series and the table" 'exits 0' \
  "said '$shares: nothing of them is counted, and percentiles are those of the others'" 'said "joint.csv.gz: 50 of 1000 requests"' \
  'grep -q "^saturated 0$" others/put.tph' 'grep -q "^note 50 of 1000 requests (5.00 %)" others/put.tph'
run percentiles store.tp --bound put --joint others --observed request.put -p 50 --exchangeable
check "percentiles of the table rest on it" 'said "joint.csv.gz: 50 of 1000 requests (5.00 %) could not be paired"'
run percentiles store.tp --bound put --data others -p 50
check "those of the series, too" 'said "50 of 1000 requests (5.00 %) could not be paired"'
run percentiles store.tp --bound put --joint excluded -p 50 --exchangeable
check "and those of the stores themselves" 'said "50 of 1000 requests (5.00 %) could not be paired"'
run replay store.tp excluded
check "replay of the others names those that are missing" 'exits 0' 'said "50 of 1000 requests (5.00 %) could not be paired"' \
  "said 'nothing of them is counted'"
run merge --out merged others
check "a merge keeps it" 'exits 0' 'said "joint.csv.gz: 50 of 1000 requests"' 'grep -q "^note 50 of 1000" merged/Flush.tph'
run import --by index --out parts excluded
check "so do series by index" 'exits 0' 'said "50 of 1000 requests"'
run import --out one excluded/*.tps
check "and stores that are named one by one" 'exits 0' 'said "50 of 1000 requests"'
run arrivals --message Put --every 1ms excluded
check "arrivals that may be missing" 'exits 2' 'said "50 of 1000 requests (5.00 %) could not be paired"'
run trace path --full excluded
check "traces of them" 'said "50 requests of stores could not be paired from events; at most their beginning is here"' \
  '! grep -q "are no traces" "$scratch/out"'
sed '/^lost/d' excluded/left_over >cut && cp -r excluded broken && cp cut broken/left_over
run import --out no broken
check "a damaged count of them is an error" 'exits 65' '[ ! -e no ]' '[ "$(wc -l <"$scratch/err")" -eq 1 ]' "err 'broken/left_over:'" "err 'or pair again'"
run import --out all whole
check "where all are paired, nothing is said" 'exits 0' '! grep -q "could not be paired" "$scratch/out"'

# --- requests that overlap on one connection ---

cat >stream.tp <<'END'
protocol stream
role client
role server
component Work
delay d
queueing Queuing
message Ask : client -> server
message Answer : server -> client
state client { asked : bool = false }
action client.Begin { when not asked  asked := true  send Ask }
action server.Work on Ask cost Work { send Answer }
invariant a: not asked implies time(client) <= 0
invariant b: not received Ask implies time(server) <= 0
invariant c: sent Ask implies time(Ask) <= d(Ask)
bound got: delivered Answer within d(Ask) + Work + d(Answer)
END
cat >stream.yaml <<'END'
probes:
  send: {socket.send: 7000, read: {local: local, remote: remote, ends: ends}}
  take: {socket.receive: 7000, read: {local: local, remote: remote, ends: ends}}
places: {client: 'bench', server: 'server'}
moments:
  asked:    {probe: send, at: client, where: remote == 7000}
  taken:    {probe: take, at: server, where: remote == asked.local and ends >= asked.ends}
  told:     {probe: send, at: server, where: remote == asked.local and thread == taken.thread}
  answered: {probe: take, at: client, where: local == asked.local and ends >= told.ends}
request: {name: got, node: client, from: asked, to: answered}
queueing: Queuing
steps:
  client.Begin: {at: asked}
  server.Work: {from: taken, to: told, component: Work}
messages:
  Ask: {from: client, to: server, sent: asked, arrived: taken, delay: d}
  Answer: {from: server, to: client, sent: told, arrived: answered, delay: d}
END
# 600 requests of 1 ms, one of 2.5 ms, every tenth followed by the next while it is under way; `pieces` of each answer; the last `dead` of
# them have none; calls that send last for `long`
stream() {
  awk -v pieces="$1" -v dead="$2" -v long="${3:-0}" 'BEGIN {
    for (i = 1; i <= 600; i++) {
      t += i % 10 == 1 ? 100000 : 3000000
      c = 1000 + 100 * i; s = 900000 + 100 * i; slow = i == 305 ? 1500000 : 0
      printf "%d send 11 11 local=40000 remote=7000 ends=%d begun=%d\n", t + 5000000 + long, c, t + 5000000
      if (i > 600 - dead) continue
      printf "%d take 22 22 local=7000 remote=40000 ends=%d\n", t + 5400000 + i, c
      for (p = pieces; p > 0; p--) {
        done = t + 5700000 + slow + 1000 * (pieces - p)
        printf "%d send 22 22 local=7000 remote=40000 ends=%d begun=%d\n", done + long, s - p + 1, done
      }
      printf "%d take 11 11 local=40000 remote=7000 ends=%d\n", t + 6000000 + slow + 2 * i, s
    }
  }' | sort -n
}
stream 1 0 >pipelined
run record pair stream.yaml pipelined --processes processes --out pipelined.out
check "requests that overlap are paired, and it is said that it was by their order" 'exits 0' 'out "600 of 600 requests paired (100.00 %)"' \
  'out "moments of requests that overlapped were paired in their order"'
run percentiles stream.tp --joint pipelined.out --observed request.got -p 95 --slo 'p95<2ms' --exchangeable
check "and what they took is what they took" 'exits 0' 'out "p95<2ms: met"' 'out "1.001 ms"'
stream 1 0 500000 >long
run record pair stream.yaml long --processes processes --out long.out
run percentiles stream.tp --joint long.out --observed request.got -p 95 --slo 'p95<2ms' --exchangeable
check "what is received before the call is done that sends it" 'exits 0' 'out "p95<2ms: met"' 'out "1.001 ms"' '! said "could not be paired"'
sed 's/ begun=.*//' long >unknown
run record pair stream.yaml unknown --processes processes --out unknown.out
check "an event is nobody's of which it is not known when its call began" 'exits 2' 'out "0 of 0 requests paired"' \
  'out "1200 events were left out, as it is not known when their calls began"'
sed 's/{probe: send,/{probe: send, when: done,/' stream.yaml >done.yaml
sed 's/ begun=.*//' pipelined >unknown
run record pair done.yaml unknown --processes processes --out done.out
check "unless it is to count from when it was done" 'exits 0' 'out "600 of 600 requests paired (100.00 %)"'
stream 2 0 >pieces
run record pair stream.yaml pieces --processes processes --out pieces.out
check "where answers come in pieces no order is made up" 'exits 0' 'out "may have ended, which their events do not tell"' \
  'out "not paired at moment told: what it belongs to came again before it"' 'grep -q "^doubtful " pieces.out/left_over'
run percentiles stream.tp --joint pieces.out --observed request.got -p 95 --slo 'p95<2ms' --slo 'p95<0.5ms' --exchangeable
check "what is not paired breaks no objective, what is does" 'exits 1' 'out "p95<2ms: NOT DECIDABLE"' 'out "p95<0.5ms: BROKEN"' \
  'said "requests could not be paired: p95 is 1.00"' \
  'said "as observed without them, and infinite if they never ended"'
run percentiles stream.tp --joint pieces.out --observed request.got -p 95 --slo 'p95<2ms' --exchangeable
check "which cannot be told" 'exits 2' '! out BROKEN'
run import --out pieces.in pieces.out
check "the table marks them" 'exits 0' '[ "$(zcat pieces.in/joint.csv.gz | grep -c ",unpaired\$")" -eq "$(sed -n "s/^unpaired //p" pieces.out/left_over)" ]' \
  '! zcat pieces.in/joint.csv.gz | grep -q inf'
run percentiles stream.tp --joint pieces.in --observed request.got -p 95 --slo 'p95<2ms' --exchangeable
check "and is read the same" 'exits 2' 'out "p95<2ms: NOT DECIDABLE"'
run percentiles stream.tp --joint pieces.in --observed pieces.in/got.tph -p 95 --slo 'p95<2ms' --exchangeable
check "so is the series alone" 'exits 2' 'out "p95<2ms: NOT DECIDABLE"' 'grep -q "^saturated 0$" pieces.in/got.tph'
zcat pieces.in/joint.csv.gz | sed 's/unpaired$/inf/' >before.csv
run percentiles stream.tp --joint before.csv --observed request.got -p 95 --slo 'p95<2ms' --exchangeable
check "a table of before has none of them" 'exits 1' 'out "p95<2ms: BROKEN"'
stream 1 60 >dead
run record pair stream.yaml dead --processes processes --out dead.out
check "requests that had no answer are known to have none, but one that had just begun" 'exits 0' 'out "540 of 600 requests paired"' \
  'out "1 of these may have ended"' 'grep -q "^doubtful 600-600" dead.out/left_over' '[ "$(grep -c doubtful dead.out/left_over)" -eq 1 ]'
run percentiles stream.tp --joint dead.out --observed request.got -p 95 --slo 'p95<2ms' --exchangeable
check "and these break an objective" 'exits 1' 'out "p95<2ms: BROKEN"'
{ cat dead; echo 'lost send 3'; } >lossy
run record pair stream.yaml lossy --processes processes --out lossy.out
check "but not where events were lost" 'exits 0' 'grep -q "^doubtful 541-600" lossy.out/left_over'

# --- a step that chooses ---

cat >balance.tp <<'END'
protocol balance
param n : int >= 1
role client
role proxy
role server[n]
component Forward
component Serve[server]
component Return
delay d
queueing Queuing
message Request : client -> proxy
message Ask(to: server) : proxy -> server to
message Tell(from: server) : server from -> proxy
message Reply : proxy -> client
state client { asked : bool = false }
action client.Begin { when not asked  asked := true  send Request }
action proxy.Forward(u in server) on Request cost Forward { send Ask(u) }
action server u.Serve on Ask(u) cost Serve[u] { send Tell(u) }
action proxy.Return on Tell(u) cost Return { send Reply }
bound page: delivered Reply within ?
END
cat >balance.yaml <<'END'
probes:
  send: {socket.send: 80, read: {local: local, remote: remote, ends: ends}}
  take: {socket.receive: 80, read: {local: local, remote: remote, ends: ends}}
places: {client: 'load', proxy: 'proxy', 'server[0]': 'one', 'server[1]': 'two'}
moments:
  asked:     {probe: send, at: client, where: remote == 80 and ends > 7}
  took:      {probe: take, at: proxy, where: remote == asked.local and ends > asked.ends - 1}
  passed:    {probe: send, at: proxy, where: thread == took.thread and local < 80 + 1}
  'got[u]':  {probe: take, at: 'server[u]', after: passed, where: remote == passed.remote and ends >= passed.ends, optional: yes}
  'told[u]': {probe: send, at: 'server[u]', where: 'thread == got[u].thread', optional: yes}
  back:      {probe: take, at: proxy, after: passed, where: local == passed.remote}
  answered:  {probe: take, at: client, where: local == asked.local}
request: {name: page, node: client, from: asked, to: answered}
queueing: Queuing
steps:
  client.Begin: {at: asked}
  proxy.Forward(u): {from: took, to: passed, component: Forward, chose: 'got[u]'}
  'server[u].Serve(u)': {from: 'got[u]', to: 'told[u]', component: Serve}
  proxy.Return(u): {at: back, component: Return, chose: 'got[u]'}
messages:
  Request: {from: client, to: proxy, sent: asked, arrived: took, delay: d}
  Ask(u): {from: proxy, to: 'server[u]', sent: passed, arrived: 'got[u]', delay: d, chose: 'got[u]'}
  Tell(u): {from: 'server[u]', to: proxy, sent: 'told[u]', arrived: back, delay: d, chose: 'got[u]'}
  Reply: {from: proxy, to: client, sent: back, arrived: answered, delay: d}
END
printf '11 load\n22 proxy\n30 one\n31 two\n' >balance.processes
# The server of each request by chance; of every `lost`-th nobody was seen to take it.
balance() {
  awk -v lost="$1" 'BEGIN { x = 7
    for (i = 1; i <= 200; i++) {
      x = x * 16807 % 2147483647; u = 30 + x % 2; t = 1000000 * i; p = 100 + i % 5; q = 200 + u
      printf "%d send 11 11 local=%d remote=80 ends=%d\n%d take 22 22 local=80 remote=%d ends=%d\n", t, p, 100 * i, t + 1000, p, 100 * i
      printf "%d send 22 22 local=80 remote=%d ends=%d\n", t + 2000, q, 100 * i
      if (lost && i % lost == 0) continue
      printf "%d take %d %d local=80 remote=%d ends=%d\n%d send %d %d local=80 remote=%d ends=%d\n", t + 3000, u, u, q, 100 * i, t + 4000, u, u, q, 50 * i
      printf "%d take 22 22 local=%d remote=80 ends=%d\n%d take 11 11 local=%d remote=80 ends=%d\n", t + 5000, q, 50 * i, t + 6000, p, 30 * i
    } }' | sed -E 's/^([0-9]+) send .*/& begun=\1/'
}
balance 0 >balanced
run record pair balance.yaml balanced --processes balance.processes --out balance
check "what a step chose is recorded, by any letter" 'exits 0' 'out "200 of 200 requests paired (100.00 %)"'
run verify --infer --write balance.tp
check "the bound of a load balancer is found" 'exits 0' 'out "1 proved"' 'grep -q "max s in server (d(Ask(s))" balance.tp'
run replay balance.tp balance --set n=2
check "and the run follows it" 'exits 0' 'said "the run follows it: 200 complete instances of 4 stores, 800 steps, 800 messages"' 'said "held 200 times; closest 6.000 us of 6.000 us"'
run import --out chosen balance
check "each server has its own" '[ "$(zcat chosen/joint.csv.gz | head -n 1 | grep -o "Serve[.][01]_ns" | sort -u | wc -l)" -eq 2 ]'
run percentiles balance.tp --set n=2 --joint balance --confidence 0 -p 90 --contributions 90 --json
without() { jq -r "select(.kind == \"contribution\" and .component == \"$1\") | .drop_ns" out; }
check "what is chosen counts as one component: each alone leaves the others" 'exits 0' '[ "$(without Serve)" = 1000 ]' \
  '[ "$(without Serve.0)" = 0 ]' '[ "$(without d.Tell)" = 1000 ]' '[ "$(without Forward)" = 1000 ]' '[ -z "$(without Queuing)" ]'
header() { zcat "$1/joint.csv.gz" | head -n 1 | tr , '\n'; }
check "a component of a step that chooses has no index" 'header chosen | grep -qx Forward_ns' 'header chosen | grep -qx Return_ns'
sed "s/component: Forward/parts: {'Forward[u]': {from: took, to: passed}}/; s/component: Return/component: 'Return[u]'/" balance.yaml >of_each.yaml
sed 's/^component \(Forward\|Return\)$/&[server]/; s/cost \(Forward\|Return\) /cost \1[u] /; /^\(invariant\|bound\)/,$d' balance.tp >of_each.tp
echo 'bound page: delivered Reply within 9*d(Request)' >>of_each.tp
run record pair of_each.yaml balanced --processes balance.processes --out of_each
run import --out of_each.series of_each
check "but where one is written" 'exits 0' 'header of_each.series | grep -qx Forward.1_ns' 'header of_each.series | grep -qx Return.0_ns'
run replay of_each.tp of_each --set n=2
check "which the run follows" 'exits 0' 'said "the run follows it: 200 complete instances"'
balance 10 >unseen
run record pair balance.yaml unseen --processes balance.processes --out unseen.out
check "a choice of nobody is no whole request" 'exits 0' 'out "180 of 200 requests paired (90.00 %)"'
# A server that took it and was not seen to answer; and another one has an event by chance, after its end.
awk '!(/ send 3[01] / && n++ % 2)' balanced >mute
run record pair balance.yaml mute --processes balance.processes --out mute.out
check "nor is one whose chosen member was not seen to do its part" 'exits 0' 'out "not paired at moment told: no such event followed"'
run replay balance.tp mute.out --set n=2
check "... and the others follow" 'exits 0' 'said "the run follows it"'
awk '{ print } $2 == "take" && $3 ~ /^3/ { $1 += 990; $3 = $4 = 61 - $3; sub(/ends=.*/, "ends=99999"); late = $0 } $2 == "take" && $3 == 11 && late { print late; late = "" }' \
  balanced | sort -n -s -k1,1 >chance
sed "s/component: Serve}/component: 'Serve[u]', chose: 'got[u]'}/" balance.yaml >theirs.yaml
run record pair theirs.yaml chance --processes balance.processes --out chance.out
run replay balance.tp chance.out --set n=2
check "what another member does later is not this request's" 'exits 0' 'said "the run follows it"'
sed 's/, chose: .got.u...$/}/' balance.yaml >all.yaml
run record pair all.yaml balanced --processes balance.processes --out all.out
run replay balance.tp all.out --set n=2
check "without chose a step is recorded of each, which is noticed" 'exits 1'
# mistakes, also by --dry-run
wrong() { # sed's expression, what is said
  sed "$1" balance.yaml >wrong.yaml
  run record --probes wrong.yaml --dry-run
  check "dry-run reads the whole file: $2" 'exits 65' 'quiet_out' "err 'wrong.yaml: line '" "err '$2'" '[ "$(wc -l <err)" -eq 1 ]'
}
wrong "s/chose: 'got.u.'/chose: passed/" 'chose names a moment of a family, such as got[r]'
wrong "s/component: Serve/component: 'Serve[u]', parts: {}/; s/'server.u..Serve(u)'/'server[0].Serve'/" 'no [r] or (r)'
wrong 's/Serve(u)/Serve(w)/' 'u and w both stand for the member here: write one of them'
wrong "s/'thread == got.u..thread'/thread == got.thread/" 'write it with the index of this one'
wrong 's/local < 80 + 1/local <> 80/' 'a name or a number is expected at'
wrong '/^messages/,$s/delay: d/dealy: d/' 'there is no key "dealy" here'
wrong '/^request/d' 'request: a section of 1 to 6 is needed'

run record pair --json probes.yaml gaps --processes processes --out again
check "as JSON" 'exits 0' 'json_lines' 'json ".[0] | .kind == \"pair\" and .requests == 1000 and .paired == 950"'

run record pair probes.yaml events --processes processes --out whole
check "a folder that is there is left alone" 'exits 64' 'err "whole: is there already"'
sed 's/key == asked.key/key = asked.key/' probes.yaml >bad.yaml
run record pair bad.yaml events --processes processes --out bad
check "a mistake is said with its line" 'exits 65' 'err "bad.yaml: line 12: where: "'
run record pair probes.yaml events --processes missing --out bad
check "a missing file" 'exits 66' 'err "missing: "'
run record pair probes.yaml events --out bad
check "processes must be told" 'exits 64' 'err "--processes"'
printf '5 write 44 44 key=1\n' >strangers
run record pair probes.yaml strangers --processes processes --out bad
check "events of no place pair nothing" 'exits 2' 'out "saw nothing of a process that is a place"' '[ ! -e bad ]'
# No request: why.
printf '5 write 33 33 key=1\n6 put 22 22 key=1 lsn=1\n' >elsewhere
run record pair probes.yaml elsewhere --processes processes --out bad
check "no process at the first place is said" 'exits 2' 'said "no request began: moment asked is the first of one, and of 1 events of its probe write none was of a process that is place client"'
printf '6 put 22 22 key=1 lsn=1\n' >unasked
run record pair probes.yaml unasked --processes processes --out bad
check "nor that its probe saw nothing" 'exits 2' 'said "and its probe write saw nothing while this was recorded"'
printf '5 write 11 11 key=1\n' >unlike
sed 's/at: client}/at: client, where: key == 7}/' probes.yaml >seven.yaml
run record pair seven.yaml unlike --processes processes --out bad
check "nor that none is as it is wanted" 'exits 2' 'said "of 1 events of its probe write at client none is as its \`where\` wants"'
finish

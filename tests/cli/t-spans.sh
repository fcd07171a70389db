#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces as the measurements of a protocol that was written by hand: which span is which occurrence.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
LIMIT=120

# OpenTelemetry's JSON, a request a line: web asks disk for a block 1 to 3 times, the client's and the server's span of
# each have one name; with `extra`, one request lacks the spans of disk, one has failed, and there is another kind.
requests() { # how many, extra (1), us that the clock of disk is ahead
  awk -v n="$1" -v extra="${2:-0}" -v ahead="${3:-0}" '
    function some(m) { x = x * 16807 % 2147483647; return 1 + x % m }
    function span(id, parent, service, name, kind, from, to, code) {
      printf "%s{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"%s\"}}]},\"scopeSpans\":[{\"spans\":[{", comma, service
      printf "\"traceId\":\"%032x\",\"spanId\":\"%016x\",\"parentSpanId\":\"%s\",\"name\":\"%s\",\"kind\":%d,", i, id, (parent ? sprintf("%016x", parent) : ""), name, kind
      printf "\"startTimeUnixNano\":\"%d000\",\"endTimeUnixNano\":\"%d000\",\"status\":{\"code\":%d}}]}]}", 1000000 * i + 137 + from, 1000000 * i + 137 + to, code
      comma = ","
    }
    BEGIN {
      x = 7919
      for (i = 1; i <= n; i++) {
        printf "{\"resourceSpans\":["
        comma = ""; now = some(400); rounds = 1 + i % 3
        for (k = 1; k <= rounds && !(extra && i == 2); k++) {
          at = now + some(300); end = at + some(2000)
          span(10 * k + 1, 10 * k, "disk", "READ", 2, at + ahead, end + ahead, 0)
          end += some(300)
          span(10 * k, 1, "web", "READ", 3, now, end, 0)
          now = end + some(100)
        }
        span(1, 0, "web", extra && i == 4 ? "ping" : "GET /", 2, 0, now, extra && i == 3 ? 2 : 0)
        print "]}"
      }
    }'
}
requests 400 >traces.json

cat >read.tp <<'END'
protocol read
param N : int >= 0
role web
role disk
external client
component Begin
component Read[int]
component Finish
delay net
message Ask : web -> disk
message Data : disk -> web
message Reply : web -> client
state web { begun : bool = false }
action web.Begin cost Begin { when not begun  begun := true  send Ask }
action disk.Read on Ask cost sum k in 1..N (Read[k]) { send Data }
action web.Finish on Data cost Finish { send Reply }
invariant first: (not begun implies time(web) <= 0) and (not received Ask implies time(disk) <= 0)
invariant idle: sent Ask and not received Data implies time(web) <= time(Ask)
invariant asked: sent Ask implies time(Ask) <= Begin + net(Ask)
invariant read: forall k in int. charged Read[k] implies received Ask
invariant data: sent Data implies time(Data) <= Begin + net(Ask) + sum k in 1..N (Read[k]) + net(Data)
bound reply: sent Reply within Begin + net(Ask) + sum k in 1..N (Read[k]) + net(Data) + Finish
END

cat >spans.yaml <<'END'
request: web/GET /
occurrences:
  Begin: before client web/READ [1]
  Read[k]: client web/READ [k]
  net(Ask): client web/READ [1] start -> server disk/READ [1] start
  Finish: own web/GET /
END
run percentiles read.tp --joint traces.json --spans spans.yaml --law net.Data=0ns --observed request --set N=3 -p 50,90
check "each request took no longer than its bound" 'exits 0' 'said "Each of the 400 requests took no longer"' \
  '[ "$(grep -cE "^  p[0-9]+ .*dominated$" out)" = 2 ]' 'said "clocks of both are taken to agree"'
run percentiles read.tp --joint traces.json --spans spans.yaml --law net=0ns --observed traces.json --set N=3 -p 50 --json
check "what was observed may be traces, too" 'exits 0' json_lines 'json "[.[] | select(.kind == \"percentile\")][0].dominates"'

# The sum of what the map names is the latency, exactly: rounds with what is before them, and the end.
sed -e 's/ Begin: .*/ Begin: before client web\/READ [1]/' -e '/net(Ask)/d' \
  -e 's/ Read\[k\]: .*/ Read[k]: [ "client web\/READ [k]" ]/' \
  -e 's/ Finish: .*/ Finish: "client web\/READ [last] end -> web\/GET \/ end"/' spans.yaml >exact.yaml
sed -i 's/ Read\[k\]: .*/ Read[k]:\n    - client web\/READ [k]/' exact.yaml
run percentiles read.tp --joint traces.json --spans exact.yaml --law net=0ns --observed request --set N=3 -p 50
check "what is missing is named" 'said "requests took longer than the bound"' 'said "Where the missing time is"'
printf '    - before client web/READ [k]\n' >part
sed -e '/- client web/r part' -e 's/ Begin: .*/ Begin: maybe web\/nothing/' exact.yaml >whole.yaml
run percentiles read.tp --joint traces.json --spans whole.yaml --law net=0ns --observed request --set N=3 -p 50
check "with the time before each round nothing is" 'exits 0' 'said "Each of the 400 requests took no longer"'

requests 400 1 >extra.json
run percentiles read.tp --joint extra.json --spans whole.yaml --law net=0ns --observed request --set N=3 -p 50 --select 'joint={status="ok"}'
check "requests of another kind are left out, and what lacks spans is not measured" 'said "399 of 400 recorded requests"' 'said "1 times are not measured, as their requests lack the spans"'
run percentiles read.tp --joint extra.json --spans whole.yaml --law net=0ns --observed extra.json --set N=3 -p 50
check "a request that failed has no latency" 'said "failed"'
sed '/^request/d' whole.yaml >any.yaml
run percentiles read.tp --joint extra.json --spans any.yaml --law net=0ns --set N=3 -p 50
check "of several kinds one has to be named" 'exits 64' 'err "holds requests web/GET / and web/ping"' 'err "request: SERVICE/OPERATION"'
requests 400 0 -2000 >early.json
run percentiles read.tp --joint early.json --spans spans.yaml --law net.Data=0ns --set N=3 -p 50
check "times between hosts whose clocks contradict each other are not measured" 'said "times between hosts are not measured"' 'said "infinite"'

refused() { # what, the mistake in the map, and what is said
  printf 'request: web/GET /\noccurrences:\n  %s\n' "$2" >wrong.yaml
  run percentiles read.tp --joint traces.json --spans wrong.yaml --set N=3 -p 50
  check "$1" 'exits 65' "err 'wrong.yaml:'" "err '$3'"
}
refused "which of several spans" 'Finish: disk/READ' 'say which is meant with [1]'
refused "whose span" 'Finish: web/READS' 'no request has a span web/READS'
refused "a span without a service" 'Finish: READ' 'write a span as SERVICE/OPERATION'
refused "a moment without its side" 'Finish: web/READ -> disk/READ end' 'their start or their end'
refused "k on one side" 'Read[k]: web/READ' 'k stands on both sides'
refused "a number that is none" 'Finish: web/READ [0]' 'in brackets'
refused "an empty list" 'Finish: []' 'is an empty list'
printf 'requests: web/GET /\n' >wrong.yaml
run percentiles read.tp --joint traces.json --spans wrong.yaml --set N=3 -p 50
check "an unknown key" 'exits 65' 'err "unknown key \"requests\""'
run percentiles read.tp --joint traces.json --spans none.yaml --set N=3 -p 50
check "a map that is not there" 'exits 65' 'err "none.yaml: cannot be read"'
finish

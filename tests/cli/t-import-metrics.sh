#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Histograms that others have measured: pages of metrics, differences of two, a Prometheus server, and
# what is said of answers that are none.
. "$(dirname "$0")/tap.sh"
command -v python3 >/dev/null || { echo "not ok 1 - python3 is missing (apt-get install python3)"; exit 69; }
here=$PWD
cd "$scratch" || exit 1

# How many observations lie in each bucket that has some, and beyond all: "3 5 +1".
counts() {
  awk '/^saturated / { beyond = $2 } /^end/ { on = 0 } on { printf "%s ", $2 } /^counts/ { on = 1 } END { print "+" beyond }' "made/$1.tph"
}
counted() { [ "$(counts "$1")" = "$2" ]; }

# --- pages in files ---
set_of() { # method, counts at or below 1 ms and 100 ms
  printf 'rpc_seconds_bucket{m="%s",le="+Inf"} %d\nrpc_seconds_bucket{m="%s",le="0.001"} %d\nrpc_seconds_bucket{m="%s",le="0.1"} %d\n' "$1" "$3" "$1" "$2" "$1" "$3"
}
{ set_of Put 0 20; set_of Get 20 20; } >two.prom
run import two.prom --out made
check "several label sets without a choice: an error that lists them" 'exits 65' '[ ! -e made ]' '[ "$(wc -l <"$scratch/err")" -eq 1 ]' \
  "err 'rpc_seconds has 2 label sets: {m=\"Get\"}, {m=\"Put\"}'" "err \"--select 'NAME=rpc_seconds{m=\\\"Get\\\"}'\""
run import two.prom --select 'two={m="Put"}' --out made
check "one is chosen" 'exits 0' 'counted two "20 +0"' "out '{m=\"Put\"} is counted'"
run import two.prom --select 'Put=rpc_seconds{m="Put"}' --select 'Get=rpc_seconds{m="Get"}' --out made
check "a page may be of several series" 'exits 0' 'counted Put "20 +0"' 'counted Get "20 +0"'
run import two.prom --select 'All=rpc_seconds{}' --out made
check "all are added up where that is asked for, which the ledger says" 'exits 0' 'counted All "20 20 +0"' "out '2 label sets are added up'"
{ set_of Put 3 25; set_of Get 21 40; } >later.prom
run import later.prom --since two.prom --select 'Put={m="Put"}' --out made
check "the metric need not be named where there is one" 'exits 0' 'counted Put "3 2 +0"'
run import later.prom --since two.prom --select 'Put={m="Del"}' --out other
check "a choice for what is not there" 'exits 65' 'err "no label set of rpc_seconds is selected"'
run import later.prom --since two.prom --select 'Put=rpc_seconds{m="Put"}' --select 'Get=rpc_seconds{m="Get"}' --out made
check "what was counted between two scrapes" 'exits 0' 'counted Put "3 2 +0"' 'counted Get "1 19 +0"' "said 'nothing is extrapolated'"
run import two.prom --since later.prom --select 'Put=rpc_seconds{m="Put"}' --out other
check "a program that was started anew in between" 'exits 65' 'err "started anew in between"' '[ ! -e other ]'
run import two.prom --select 'Put=nothing{}' --out other
check "a histogram that is not there" 'exits 65' 'err "no histogram \"nothing\"; there is rpc_seconds"'

# --- over the network ---
: >observations
python3 "$here/tests/cli/metrics_server.py" port observations </dev/null 2>server.log &
server=$!
until_true '[ -s port ]'
at=http://127.0.0.1:$(cat port)
awk 'BEGIN { for (i = 1; i <= 60; i++) print "Put", i / 1000; print "Get", 20; print "Get", 0.001 }' >observations
run import "$at/metrics" --select 'Put=rpc_seconds{method="Put"}' --select 'Get=rpc_seconds{method="Get"}' --out made
check "a page of an exporter: the counts of its raw observations" 'exits 0' 'counted Put "5 5 50 +0"' 'counted Get "1 +1"'
run import "$at/metrics" --out other
check "an address needs a name; what there is to choose from is listed as for a file" 'exits 65' \
  "err 'rpc_seconds has 2 label sets: {method=\"Get\"}, {method=\"Put\"}'" "err '--select'" '[ "$(wc -l <"$scratch/err")" -eq 1 ]'

# status, place in the address, words of the only line
refuses() {
  run import --prometheus "$at/bad/$2" --query 'Put=rpc_seconds_bucket{job="x"}' --timeout "${4:-60}" --out other
  check "an answer that is none: $2" "exits $1" '[ ! -e other ]' '[ "$(wc -l <"$scratch/err")" -eq 1 ]' "err '$3'"
}
refuses 65 html 'a page for people (HTML)'
refuses 65 500 'HTTP 500'
refuses 65 explained 'the server says bad_data: parse error: unexpected }'
refuses 65 cut 'the file is truncated'
refuses 65 short 'cannot be fetched'
refuses 65 redirect 'redirects (HTTP 302) to http://elsewhere.invalid/login; name the address that answers'
refuses 65 nan 'which is no count'
refuses 65 empty 'the answer is empty'
refuses 66 slow 'no whole answer in time' 0.2
run import --prometheus http://127.0.0.1:1 --query 'Put=x_bucket' --out other
check "nobody there" 'exits 66' 'err "cannot be fetched"'
last="import --prometheus $at/bad/endless"
(ulimit -v 1000000 && "$program" import --prometheus "$at/bad/endless" --query 'Put=x_bucket' --out other) >out.txt 2>"$scratch/err" </dev/null
status=$?
check "an answer without an end: memory is bounded" 'exits 65' "err 'larger than 32 MiB'"
last="import --prometheus $at/bad/million"
(ulimit -v 1000000 && "$program" import --prometheus "$at/bad/million" --query 'Put=x_bucket' --out other) >out.txt 2>"$scratch/err" </dev/null
status=$?
check "a million series" 'exits 65' "err 'ask for fewer series'"
window() { run import --prometheus "$at/bad/$1" --query 'Put=rpc_seconds_bucket' --from 2023-11-14T22:13:20Z --to 1700000020 --out other; }
window reset
check "a reset in the middle of a window, that the ends do not show" 'exits 65' 'err "found \"2\", which is less than before"'
window late
check "a series that begins within the window" 'exits 65' 'err "begins 10.000 s after the time asked for"'
for wrong in '--from yesterday' '--from 1700000020 --to 1700000000' '--step 1s' '--from 1 --to 1700000000 --step 1s' '--from -15x'; do
  # shellcheck disable=SC2086
  run import --prometheus "$at" --query Put=x $wrong --out other
  check "no window: $wrong" 'exits 64' '[ "$(wc -l <"$scratch/err")" -eq 1 ]'
done
run import --query Put=x --out other two.prom
check "a query without a server" 'exits 64' 'err "--prometheus"'

# --- a real server of the exporter ---
if [ -n "${TEST_ALL:-}" ]; then
  for port in $(seq 20000 40000 | shuf); do # a free one
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  real=http://127.0.0.1:$port
  printf 'global: {scrape_interval: 200ms, scrape_timeout: 200ms}\nscrape_configs: [{job_name: rpc, static_configs: [{targets: ["%s"]}]}]\n' "${at#http://}" >prometheus.yml
  prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb --web.listen-address="127.0.0.1:$port" >prometheus.log 2>&1 </dev/null &
  prometheus=$!
  total() { "$program" import --prometheus "$real" --query 'Put=rpc_seconds_bucket{method="Put"}' --out total --json 2>/dev/null | jq -es 'map(select(.kind == "series")) | length > 0' >/dev/null && awk '/^total/ { print $2 }' total/Put.tph; }
  until_true '[ "$(total)" = 60 ]'
  check "a real server: the counts since the start" '[ "$(total)" = 60 ]'
  from=$(date +%s.%3N)
  curl -sf "$at/metrics" >before.prom || python3 -c "import urllib.request as u; open('before.prom','wb').write(u.urlopen('$at/metrics').read())"
  awk 'BEGIN { for (i = 1; i <= 30; i++) { print "Put", i / 10; print "Get", i } }' >>observations
  until_true '[ "$(total)" = 90 ]'
  sleep 0.5 # the scrape that has all of one has all of the other
  to=$(date +%s.%3N)
  run import --prometheus "$real" --query 'Put=rpc_seconds_bucket{method="Put"}' --query 'Get=rpc_seconds_bucket' --select 'Get={method="Get"}' --from "$from" --to "$to" --out made
  check "a window of it: the raw observations of the window" 'exits 0' 'counted Put "1 9 15 5 +0"' 'counted Get "1 1 8 +20"'
  run import --prometheus "$real" --query 'Put=rate(rpc_seconds_bucket[5s])' --out other
  check "rates are refused" 'exits 65' 'err "a series without a name"'
  run import --prometheus "$real" --query 'Put=rpc_seconds_bucket{' --out other
  check "a query that is none: the server's own words" 'exits 65' 'err "the server says bad_data: "'
  run import "$real/federate?match[]=rpc_seconds_bucket" --select 'Put=rpc_seconds{method="Put"}' --out made
  check "/federate" 'exits 0' 'counted Put "5 5 51 9 15 5 +0"'
  run import "$at/metrics" --since before.prom --select 'Put=rpc_seconds{method="Put"}' --out made
  check "two scrapes of the exporter" 'exits 0' 'counted Put "1 9 15 5 +0"'
  kill -KILL $prometheus
  wait $prometheus 2>/dev/null
fi
kill -KILL $server
wait $server 2>/dev/null
finish

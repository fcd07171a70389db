#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Pages of metrics in protobuf that Google's library has encoded: what they count, what is said of
# damaged ones, and that a real Prometheus server reads the same of them.
. "$(dirname "$0")/tap.sh"
model() { /usr/bin/python3 "$here/tests/cli/metrics_protobuf.py" "$@"; }
/usr/bin/python3 -c 'import google.protobuf' 2>/dev/null || { echo "not ok 1 - python3-protobuf is missing (apt-get install python3-protobuf)"; exit 69; }
here=$PWD
cd "$scratch" || exit 1

# How many observations lie in each bucket that has some, and beyond all: "3 5 +1".
counts() {
  awk '/^saturated / { beyond = $2 } /^end/ { on = 0 } on { printf "%s ", $2 } /^counts/ { on = 1 } END { print "+" beyond }' "made/$1.tph"
}
counted() { [ "$(counts "$1")" = "$2" ]; }

# --- files ---
mkdir pages
model pages pages "$([ -n "${TEST_ALL:-}" ] && echo 1000000 || echo 20000)" || exit 1
reads() { # file, counts, title
  run import "pages/$1.pb" --out made
  check "$3" 'exits 0' "counted $1 '$2'"
}
reads good '1 1 1 2 1 +0' 'a native histogram'
reads floats '1 1 1 2 1 +0' 'one in floating point'
reads classic '3 2 1 +0' 'a classic one'
reads classic-floats '3 2 1 +0' 'a classic one in floating point'
reads beyond '1 +2' 'what is above the last bucket is infinite'
cp pages/good.pb Nameless
run import Nameless --out made
check "the content tells what it is" 'exits 0' 'counted Nameless "1 1 1 2 1 +0"'
mkdir data
for name in PrimaryRequest d Queuing BackupRequest PrimaryAck; do gzip -c pages/good.pb >data/$name.pb.gz; done
run percentiles "$specs/primary_backup.tp" --bound reply --set n=2 --data data -p 50 --full
check "a folder of measurements may hold them" 'exits 0' "said 'PrimaryRequest.pb.gz: the counts since the program started are one measurement'"

refuses() { # file, words of the only line
  run import "pages/$1.pb" --out other
  check "refused: $1" 'exits 65' '[ ! -e other ]' '[ "$(wc -l <"$scratch/err")" -eq 1 ]' "err 'pages/$1.pb: byte '" "err '$2'"
}
refuses cut 'is to have 187 bytes, but only 180 are left: the page is truncated'
refuses cut-length 'the page is damaged or truncated'
refuses length 'is to have 1099511627776 bytes'
refuses overlong 'no message of protocol buffers'
refuses group 'no message of protocol buffers'
refuses field-zero 'no message of protocol buffers'
refuses inner-cut 'byte 16: the bytes are no message of protocol buffers here'
refuses wrong-type 'field 1 holds a text or a message, where a whole number is expected'
refuses wrong-double 'field 2 holds a whole number, where a number in floating point is expected'
refuses wrong-span 'field 12 holds a whole number, where a text or a message is expected'
refuses wrong-family 'field 3 holds a text or a message'
refuses nan-count 'a count of nan'
refuses nan-bucket 'a count of nan'
refuses nan-sum 'the sum is NaN'
refuses nan-bound 'a bucket up to nan'
refuses nan-zero 'the zero threshold nan'
refuses nan-observed 'counts 7, but its buckets 6; observations that are no number are in none'
refuses rate 'rates and averages of a server are no counts'
refuses back 'a span of buckets that goes back by 1'
refuses span-long 'have 4000000000 buckets, but there are 4 counts'
refuses below-zero 'is not between 0 and 2^63-1'
refuses overflow 'is not between 0 and 2^63-1'
refuses too-many 'a count of 18446744073709551615'
refuses schema 'schema 9, where one from -4 to 8 is expected'
refuses custom 'schema -53'
refuses negative 'counts observations below 0'
refuses unordered 'a bucket up to 0.001 behind one up to 0.005'
refuses shrinks 'each bucket counts those before it, too'
refuses infinite 'counts 6, but its last bucket 9'
refuses no-histogram 'a metric of the histogram rpc_seconds has none'
refuses summary 'holds a summary and no histogram'
refuses gauge 'holds a gauge histogram'
refuses twice 'is on the page a second time'
refuses label 'where the name of a label is expected'
refuses zero-byte 'a text with a zero byte'
refuses many "00 label sets: {i=\"0000000\"}"

run import pages/restarted.pb --since pages/good.pb --out other
check "a restart shows by the time at which the histogram began" 'exits 65' 'err "began to count at another time"'
run import pages/good.pb --since pages/good.pb --out other
check "nothing in between" 'exits 65' 'err "nothing was counted in between"'

# --- an exporter ---
awk 'BEGIN { print "Put", 0; for (i = 1; i <= 60; i++) print "Put", i * i / 3000; print "Get", 20; print "Get", 0.5; print "Get", 1 }' >observations
/usr/bin/python3 "$here/tests/cli/metrics_protobuf.py" serve port observations </dev/null 2>server.log &
server=$!
until_true '[ -s port ]'
at=http://127.0.0.1:$(cat port)
fetch_page() { /usr/bin/python3 -c "import sys, urllib.request as u; sys.stdout.buffer.write(u.urlopen(u.Request('$at/metrics', headers={'Accept': '$1'})).read())"; }
puts="$(model counts observations Put) +0"
run import "$at/metrics" --select 'Put=rpc_seconds{method="Put"}' --select 'Get=rpc_seconds{method="Get"}' --out made
check "an exporter is asked for native histograms: the counts of its raw observations" 'exits 0' 'counted Put "$puts"' 'counted Get "1 1 1 +0"'
fetch_page application/vnd.google.protobuf >before.pb
fetch_page text/plain >before.prom
cp observations first
for i in 3 5 5 7; do echo "Put 0.0$i"; done | tee more >>observations
between="$(model counts more Put) +0"
run import "$at/metrics" --since before.pb --select 'Put=rpc_seconds{method="Put"}' --out made
check "what was counted since a page that was saved" 'exits 0' 'counted Put "$between"' "! said 'pass unnoticed'"
run import "$at/metrics" --since before.prom --select 'Put=rpc_seconds{method="Put"}' --out made
check "a page that was saved as text is compared to one in text" 'exits 0' 'counted Put "4 +0"' "said 'pass unnoticed'"
fetch_page application/vnd.google.protobuf >after.pb
run import after.pb --since before.prom --select 'Put=rpc_seconds{method="Put"}' --out other
check "two forms are not compared" 'exits 65' 'err "ask for both in one form"'
run import before.pb --since after.pb --select 'Put=rpc_seconds{method="Put"}' --out other
check "a page that counts less than the earlier one" 'exits 65' 'err "are smaller than before"'

# --- a real server reads the same ---
if [ -n "${TEST_ALL:-}" ]; then
  for port in $(seq 20000 40000 | shuf); do # a free one
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  real=http://127.0.0.1:$port
  printf 'global: {scrape_interval: 200ms, scrape_timeout: 200ms}\nscrape_configs: [{job_name: rpc, static_configs: [{targets: ["%s"]}]}]\n' "${at#http://}" >prometheus.yml
  prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb --web.listen-address="127.0.0.1:$port" --enable-feature=native-histograms >prometheus.log 2>&1 </dev/null &
  prometheus=$!
  rows() { sed -n '/^counts/,/^end/p' "$1"; }
  same() { [ "$(rows "page/$1.tph")" = "$(rows "made/$1.tph")" ] && [ "$(rows "made/$1.tph" | wc -l)" -gt 3 ]; }
  total() { "$program" import --prometheus "$real" --query 'Put=rpc_seconds{method="Put"}' --out total >/dev/null 2>&1 && awk '/^total/ { print $2 }' total/Put.tph; }
  until_true '[ "$(total)" = 65 ]'
  run import after.pb --select 'Put={method="Put"}' --select 'Get={method="Get"}' --out page
  run import --prometheus "$real" --query 'Put=rpc_seconds{method="Put"}' --query 'Get=rpc_seconds{method="Get"}' --out made
  check "the answer of a real server counts what the page does, bucket by bucket" 'exits 0' \
    'same Put' 'same Get'
  run import "$real/federate?match[]=rpc_seconds" --select 'Put=rpc_seconds{method="Put"}' --out made
  check "/federate in protobuf" 'exits 0' 'same Put'
  kill -KILL $prometheus
  wait $prometheus 2>/dev/null
fi
kill -KILL $server
wait $server 2>/dev/null
finish

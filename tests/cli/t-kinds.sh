#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A file with several kinds of requests is refused by every command that reads it, and --select
# chooses one. A request that failed is no fast one.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
mkdir data other
awk 'BEGIN { print "op,latency_ms"; for (i = 0; i < 2000; i++) print i % 20 ? "read," 1 + (i * 7919 % 997) / 1e4 : "write," 50 + i % 7 }' >data/A.csv
awk 'BEGIN { print "latency_ms"; for (i = 0; i < 2000; i++) print 1 + (i * 7919 % 997) / 1e4 }' >other/A.csv
protocol=$specs/lock.tp
bound=("$protocol" --bound full_circle --set n=2 -p 50 --law 'Accept=1ms' --law 'd=1ms')
cp data/A.csv data/Grant.csv && cp other/A.csv other/Grant.csv
several() {
  check "$1: several kinds" 'exits 65' "err '2 kinds of requests: {op=\"write\"}, {op=\"read\"}; choose one: --select '" '[ "$(wc -l <err)" -eq 1 ]'
}
run percentiles "${bound[@]}" --data data
several percentiles
run percentiles "${bound[@]}" --data data --select Grant=read --full
check "percentiles of one" 'exits 0' 'said "1900 of 2000 requests are chosen by --select read"'
run percentiles "${bound[@]}" --data data --select 'Grant={op="write"}'
check "of the other" 'exits 0' 'out "10"'
run percentiles "${bound[@]}" --data other --select Grnt=read
check "a name of nothing" 'exits 64' 'err "--select Grnt=read: no file of measurements that is read is called so"'
run percentiles "${bound[@]}" --data other --observed data/A.csv
several --observed
run percentiles "${bound[@]}" --data other --observed data/A.csv --select observed=write
check "--observed of one" 'exits 0 || exits 1'
run plan "${bound[@]}" --data data --budget 10s
several plan
run compare data/A.csv other/A.csv
several compare
run compare data/A.csv other/A.csv --select A=read --select B=read
check "nothing to choose in B" 'exits 65' 'err "there is nothing to choose"'
run compare data/A.csv other/A.csv --select A=read -p 50
check "compare of one kind" 'exits 0'
run compare data/A.csv other/A.csv --select C=read
check "compare: a name of nothing" 'exits 64' 'err "--select C=read: nothing that is compared is called so; there is A, B"'
run compare data data --select A=read --select Grant=read -p 50
check "compare of folders" 'exits 0'
run import --out all data/A.csv
several import
run import --out both --select Read=read --select Write=write data/A.csv
check "import of each" 'exits 0' 'out "both: 2 series"' 'out "  Read     1900"' 'out "  Write     100"'
run import --out mixed --select Read=read data/A.csv other/Grant.csv
check "beside a file of one kind" 'exits 0' 'out "mixed: 2 series"' 'out "  Grant    2000"'
{ echo instance,Grant.0_ms,Grant.1_ms,Accept.0_ms,Accept.1_ms,d.Transfer.1_ms,d.Transfer.2_ms,op; awk 'BEGIN { for (i = 1; i <= 500; i++) print i ",1,1,1,1,1,1," (i % 2 ? "read" : "write") }'; } >joint.csv
run percentiles "$protocol" --bound full_circle --set n=2 -p 50 --joint joint.csv
check "a joint table" 'exits 65' 'err "joint.csv:3:1: 2 kinds of requests"'
run percentiles "$protocol" --bound full_circle --set n=2 -p 50 --joint joint.csv --select joint=read
check "of which one is chosen" 'exits 0'

awk 'BEGIN { print "tier,latency_ms"; for (i = 0; i < 300; i++) print (i % 3 ? "a,1." i % 7 : "b,50") }' >tier.csv
run percentiles --data tier.csv -p 50 --slo 'p50<2ms'
check "a name that says nothing, values that do" 'exits 65' 'err "tells slow requests from fast ones"'
run percentiles --data tier.csv -p 50 --select 'tier={tier="b"}'
check "one of its values" 'exits 0' 'out "100 observations"'
{ echo instance,Grant.0_ms,Grant.1_ms,Accept.0_ms,Accept.1_ms,d.Transfer.1_ms,d.Transfer.2_ms,tier; awk 'BEGIN { for (i = 1; i <= 300; i++) print i ",1,1,1,1," (i % 4 ? "1,1,a" : "9,9,b") }'; } >joint.csv
run percentiles "$protocol" --bound full_circle --set n=2 -p 50 --joint joint.csv
check "of a joint table" 'exits 65' 'err "joint.csv:1:88: found \"tier\", a column of unknown meaning"'
run percentiles "$protocol" --bound full_circle --set n=2 -p 50 --joint joint.csv --select 'joint={}'
check "of which all were asked for" 'exits 0'

awk 'BEGIN { print "Grant.0_ms,Grant.1_ms,Accept.0_ms,Accept.1_ms,d.Transfer.1_ms,d.Transfer.2_ms"; for (k = 0; k < 2; k++) for (i = 1; i <= 150; i++) print 1 "," i % 7 "," 1 "," 2 "," 1 "," i * 7919 % 997 }' >joint.csv
run percentiles "$protocol" --bound full_circle --set n=2 -p 50 --joint joint.csv
check "a table that stands there twice" 'exits 65' 'err "joint.csv:1:1: each row stands in the table 2 times"'
sed -i '$d' joint.csv
run percentiles "$protocol" --bound full_circle --set n=2 -p 50 --joint joint.csv
check "all but a row of it" 'exits 0' 'said "joint.csv: 149 rows from row 1 on stand there again from row 151 on, and are taken as other requests"'

# ---- what failed

awk 'BEGIN { print "latency_ms,status"; for (i = 0; i < 2000; i++) print i % 5 < 3 ? "2,503" : 300 + i % 7 ",200" }' >data/Grant.csv
run percentiles "${bound[@]}" --data data --slo 'p50<100ms'
check "an outage does not meet an objective" '! exits 0' '! out "p50<100ms: met"'
finish

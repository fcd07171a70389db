#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Measurements that break what a protocol assumes: its bound says nothing of them, so no percentile
# is printed.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1

column() { # file, values in us...
  local file=$1
  shift
  { echo latency_us; printf '%s\n' "$@"; } >"$file"
}

mkdir data
seq 600 1299 | { echo latency_us; cat; } >data/Handle.csv
seq 80 140 | { echo latency_us; cat; } >data/d.csv
ask() { run percentiles "$specs/token_bucket.tp" --set B=4 --data data -p 50 "$@"; }

ask --set T=1500us --set D=150us
check "measurements that keep the assumptions" 'exits 0' 'quiet_err' 'out "p50"'
ask --set T=1299us --set D=140us
check "also when the longest attains them" 'exits 0' 'quiet_err'
ask --set T=1298us --set D=150us
check "one observation beyond the limit: no percentile" 'exits 2' quiet_out \
  'err "cannot tell: the measurements break \`assume Handle <= T\`; T is 1298 us; Handle takes up to 1.299 ms (data/Handle.csv)"'
ask --set T=1298us --set D=150us --json
check "the same for a program that reads" 'exits 2' quiet_out 'err "the measurements break"'
ask --set T=1500us --set D=139us
check "a component that only an assumption mentions" 'exits 2' quiet_out \
  'err "break \`assume d <= D\`; D is 139 us; d takes up to 140.000 us (data/d.csv)"'
mkdir broken
cp data/Handle.csv broken
echo latency_us >broken/d.csv
run percentiles "$specs/token_bucket.tp" --set B=4 --set T=1500us --set D=150us --data broken
check "its file must be one that can be read" 'exits 65' 'err "broken/d.csv"'
rm broken/d.csv
run percentiles "$specs/token_bucket.tp" --set B=4 --set T=1500us --set D=150us --data broken -p 50
check "or be absent: then the assumption is stated only" 'exits 0' 'out "d <= D (stated in the protocol)"'

# A bin counts with its upper edge, an observation without an end as longer than everything
mkdir bins
cp data/d.csv bins
printf '%s\n' '# TYPE Handle_seconds histogram' 'Handle_seconds_bucket{le="0.001"} 90' 'Handle_seconds_bucket{le="0.002"} 100' \
  'Handle_seconds_bucket{le="+Inf"} 100' 'Handle_seconds_sum 0.06' 'Handle_seconds_count 100' >bins/Handle.prom
bins() { run percentiles "$specs/token_bucket.tp" --set B=4 --set D=150us --data bins -p 50 "$@"; }
bins --set T=1999us
check "a bin's longest counts" 'exits 2' 'err "Handle takes up to 2.000 ms (bins/Handle.prom)"'
bins --set T=2ms
check "up to its edge" 'exits 0'
sed -i 's/\(+Inf.*\|count\) 100/\1 101/' bins/Handle.prom
bins --set T=1000s
check "what is beyond the last bin has no end" 'exits 2' 'err "Handle has no end in some observations"'

# Tables whose rows belong together
mkdir joint
cp data/d.csv joint
paste -d, <(seq 600 1299) <(seq 1 700) | { echo "Handle.0_us,Other_us"; cat; } >joint.csv
run percentiles "$specs/token_bucket.tp" --set B=4 --set T=1ms --set D=150us --data joint --joint joint.csv -p 50
check "a column of a table" 'exits 2' 'err "break \`assume Handle <= T\`"'

# Several assumptions that are met one by one
cat >many.tp <<'END'
protocol many
param n : int
param L : time
role a[n]
role s
external c
component B[a]
component A[a]
delay d
queueing Queuing
message M(from: a) : a from -> s
message Out(from: a) : s -> c
state a { begun : bool = false }
assume n >= 1
assume A <= B
assume B <= L
action a x.Begin cost B[x] { when not begun  begun := true  send M(x) }
action s.End on M(x) cost A[x] { send Out(x) }
invariant fresh: forall x in a. not x.begun implies time(x) <= 0
invariant asked: forall x in a. sent M(x) implies time(M(x)) <= B[x] + d(M(x))
bound out for all x in a: sent Out(x) within B[x] + d(M(x)) + Queuing(M(x)) + A[x]
END
cat >one.tp <<'END'
protocol one
param L : time
role a
external c
component B, A
delay d
message Out : a -> c
state a { begun : bool = false  done : bool = false }
assume A <= B
assume B <= L
action a.Begin cost B { when not begun  begun := true }
action a.End cost A { when begun and not done  done := true  send Out }
invariant fresh: not begun implies time(a) <= 0
invariant first: begun and not done implies time(a) <= B
bound out: sent Out within A + B
END
mkdir two
column two/A.csv 700
column two/B.csv 100 200
column two/d.csv 10
column two/Queuing.csv 0
two() { run percentiles many.tp --set n=2 --data two -p 50 "$@"; }
two --set L=1ms
check "B's bare name may be more than was measured: 700 us will do" 'exits 0'
two --set L=600us
check "assumptions that cannot be met together are named together" 'exits 2' \
  'err "break \`assume A <= B\` with \`assume B <= L\`; L is 600 us; B takes up to 200.000 us (two/B.csv); A takes up to 700.000 us (two/A.csv)"'
run percentiles one.tp --set L=1ms --data two -p 50
check "a single occurrence is its own bare name: each of its values counts" 'exits 2' \
  'err "break \`assume A <= B\`; B takes 100.000 us to 200.000 us (two/B.csv); A takes 700.000 us to 700.000 us (two/A.csv)"'
column two/A.csv 70 100
run percentiles one.tp --set L=1ms --data two -p 50
check "with its shortest too" 'exits 0'

# A bound that is not the same for every request has no law, whatever it would be of request 0.
sed 's/within D + Work(w, j - L, j)$/within D + Work(w, max(0, j - L), j)/' "$specs/bounded_queue.tp" >unlike.tp
cp data/Handle.csv data/lan.csv
run verify unlike.tp --bound reply
check "a bound that depends on the number of the request can be proved" 'exits 0' 'out "reply: proved"'
run percentiles unlike.tp --bound reply --set W=2 --set L=3 --set D=150us --data data
check "but has no percentiles" 'exits 65' quiet_out 'err "is not the same for every j"'
rm data/lan.csv

# Nor may the measurements of one request stand for all.
mkdir single
cp data/d.csv single
cp data/Handle.csv single/Handle.7.csv
single() { run percentiles "$specs/token_bucket.tp" --set B=4 --set T=1500us --set D=150us --data single -p 50 "$@"; }
single
check "a file of request 7 is no law of any request" 'exits 66' 'err "no measurements of Handle"'
mv single/Handle.7.csv single/Handle.0.csv
single
check "nor is one of request 0" 'exits 65' quiet_out \
  'err "single/Handle.0.csv is of one request (number 0), but the bound \"alarm\" is of any"'
cp data/Handle.csv single
single
check "nor beside others" 'exits 65'
rm single/Handle.0.csv
paste -d, <(seq 600 1299) <(seq 601 1300) | { echo "Handle.0_us,Handle.1_us"; cat; } >runs.csv
single --joint runs.csv
check "a table whose rows are runs has more than one request in a row" 'exits 65' \
  'err "runs.csv: column Handle.1 is of request number 1"'
single --joint none
check "without it" 'exits 0'

# Laws that --law writes: from the least to the most that they can be.
law() { run percentiles "$specs/token_bucket.tp" --set B=4 --set D=150us --data data -p 50 "$@"; }
law --set T=1500us --law 'Handle=mix(0.99 Handle, 0.01 2ms)'
check "a part of a mixture, however rare" 'exits 2' 'err "Handle takes up to 2.000 ms (--law Handle)"'
law --set T=1ms --law 'Handle=cap(Handle, 900us)'
check "a cap keeps the assumption that the measurements break" 'exits 0'
law --set T=1ms --law 'Handle=0.5*Handle + 300us'
check "sums and multiples" 'exits 0'
law --set T=1ms --law 'Handle=max(Handle, 2*Handle)'
check "the largest of two" 'exits 2' 'err "up to 2.598 ms"'
law --set T=1000s --law 'Handle=timeout(Handle, 700us)'
check "what may never end" 'exits 2' 'err "Handle has no end in some observations (--law Handle)"'
law --set T=1700us --law 'Handle=retry(Handle, 700us, 2, 300us, wait)'
check "a second attempt behind the first" 'exits 2' 'err "Handle takes up to 2.299 ms"'

# Everything that calculates with a bound
run plan "$specs/token_bucket.tp" -p 50 --budget 10s --set T=1ms --set B=4 --set D=150us --data data
check "plan does not plan with it" 'exits 2' 'err "the measurements break"'
cp -r data slow
run compare data slow --protocol "$specs/token_bucket.tp" --set T=1ms --set B=4 --set D=150us
check "compare compares nothing" 'err "the measurements break"'

finish

#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Units of measured files: a file that states none is refused by every command that reads it, never
# taken to be in ns; and what else would make a wrong number of a right file.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
protocol=$specs/primary_backup.tp
bound=("$protocol" --bound reply --set n=2 -p 50)
table() { # of values in ms, as wrk2 prints them
  printf '       Value     Percentile TotalCount 1/(1-Percentile)\n\n'
  printf '       1.250 0.500000000000       2000           2.00\n       8.750 1.000000000000       4000\n'
  printf '#[Mean    =        5.000, StdDeviation   =        0.500]\n#[Max     =        8.750, Total count    =         4000]\n'
}
# Eight observations that hdr-histogram-js 3.0.1 wrote, from 250 to 123456, in us.
log='1700000000.000,1.000,123.456,HISTFAAAADR4nJNpmSzMwMAgxMDAwMjAwMDMAAGMEPL/fxj/MzPTTW6Ws/xM0UxMB4WZTnsxAQC4DQho'
mkdir whole
seed=0
for name in PrimaryRequest Queuing BackupRequest PrimaryAck d; do
  awk 'BEGIN { print "latency_us"; for (x = 1; i++ < 4000;) { x = (x * 1103 + 12345) % 65537; print 100 + x / 1000 } }' |
    shuffled $((seed += 1)) >whole/$name.csv
done
cp -r whole unstated && rm unstated/d.csv && table >unstated/d.hgrm
asks() { # command, file
  check "$1: asks for the unit" 'exits 65' "err \"$2:1:1: \"" 'err "states no unit, and ns, us and ms are all in use; state the one it was recorded in: --unit NAME=us"' \
    '[ "$(wc -l <err)" -eq 1 ]'
}
run percentiles "${bound[@]}" --data unstated --slo 'p50<1ms'
asks percentiles unstated/d.hgrm
run plan "${bound[@]}" --data unstated --budget 10s
asks plan unstated/d.hgrm
run compare --protocol "${bound[@]}" whole unstated
asks "compare --protocol" unstated/d.hgrm
run compare whole/d.csv unstated/d.hgrm
asks "compare of files" unstated/d.hgrm
run compare unstated unstated
asks "compare of folders" unstated/d.hgrm
run percentiles "${bound[@]}" --data whole --observed unstated/d.hgrm
asks "--observed" unstated/d.hgrm
run import --out imported unstated/d.hgrm
asks import unstated/d.hgrm
run audit "$protocol" --data unstated
check "audit: asks for the unit" 'exits 65' 'err "unstated/d.hgrm:1:1: HdrHistogram'"'"'s percentile table states no unit"'
mkdir logs && printf '%s\n' "$log" >logs/d.hlog
run import --out imported logs/d.hlog
asks "a log" logs/d.hlog

run percentiles "${bound[@]}" --data unstated --unit d=ms --slo 'p50<1ms' --assume independent --exchangeable --json
check "stated, it is read in it" 'exits 1' 'json "[.[] | select(.kind == \"percentile\")][0] | (.lower_ns | tonumber) > 1250000"'
mv unstated/d.hgrm unstated/d.Ack.hgrm && cp unstated/d.Ack.hgrm unstated/d.Request.hgrm
run audit "$protocol" --data unstated --unit d.Ack=ms --unit d.Request=ms
check "audit takes the file's name, as percentiles does" 'exits 0' '! err "states no unit"'
cp whole/d.csv whole/d.Ack.csv
run audit "$protocol" --data whole --unit d.Ack=ms
check "and holds it against the file" 'exits 65' 'err "whole/d.Ack.csv:1:1: found \"latency_us\", but the unit is stated to be ms"'
rm whole/d.Ack.csv
mv unstated/d.Ack.hgrm unstated/d.hgrm
run import --out imported --unit d=ms unstated/d.hgrm
check "imported once, it states its own" 'exits 0' 'grep -qx "unit ns" imported/d.tph' 'grep -qx "total 4000" imported/d.tph' 'out "1.260 ms"'
run import --out js --unit d=us logs/d.hlog
check "a log of hdr-histogram-js, and its note" 'exits 0' 'grep -q "^total 8$" js/d.tph' 'out "2.001 ms   123.520 ms  123.520 ms"' \
  'grep -q "^note logs/d.hlog: nothing was shifted: the normalizing index offset 1 is what hdr-histogram-js always writes$" js/d.tph'
printf '%s\n%s\n' "$log" "$log" >logs/d.hlog
run import --out twice --unit d=us logs/d.hlog
check "an interval that stands there twice" 'exits 65' 'err "logs/d.hlog:2:1: this interval stands in the log a second time"' '[ ! -e twice ]'

# --- the unit that a warning names ---------------------------------------------------------------
for unit in us ms s; do
  rm -rf slow && cp -r whole slow
  awk -v "unit=$unit" 'BEGIN { print "latency_" unit; for (x = 1; i++ < 4000;) { x = (x * 1103 + 12345) % 65537; printf "%.0f\n", 5000000000 + x * 7 } }' >slow/d.csv
  run percentiles "${bound[@]}" --data slow
  check "implausible, and read in $unit" 'exits 0' "said 'warning: slow/d.csv: half of the observations are at least '" "said '; its unit is stated to be $unit: if that is wrong, correct it there'" 'quiet_err'
done

# --- rows that were left out ---------------------------------------------------------------------
cp -r whole packed
gzip -k packed/d.csv
{ cat packed/d.csv.gz; printf '9000000\n9000001\n' | gzip; } >packed/all.gz
{ cat packed/d.csv.gz; echo 9000000; } >packed/half.gz
rm packed/d.csv && mv packed/all.gz packed/d.csv.gz
run percentiles "${bound[@]}" --data packed --json
check "all members of a gzip file are read" 'exits 0' 'json "any(.[]; .kind == \"assumption\" and (.text | test(\"the 4002 observations in packed/d.csv.gz\")))"'
mv packed/half.gz packed/d.csv.gz
run percentiles "${bound[@]}" --data packed
check "what is no gzip behind them is an error" 'exits 65' 'err "packed/d.csv.gz: bytes that are no gzip stand behind the compressed ones; compress all of the file, or none"'

# --- time stamps -----------------------------------------------------------------------------------
mkdir stamped
{ echo 'node,timestamp_ms'; seq -f 'a,%.0f' 1700000000000 17 1700000068000; } >stamped/d.csv
run import --out stamps stamped/d.csv
check "a column of time stamps is no latency" 'exits 65' 'err "stamped/d.csv:1:6: found \"timestamp_ms\", a name that says when something was"' 'err "confirm its unit with --unit NAME=ms"'
run import --out stamps --unit d=ms stamped/d.csv
check "unless that is said" 'exits 0' 'grep -q "^total 4001$" stamps/d.tph'
finish

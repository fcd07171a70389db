#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Reports of load tools that Debian does not have, made from latencies that are known
# (tests/cli/load_tools.py): what is imported brackets each of them.
. "$(dirname "$0")/tap.sh"
command -v python3 >/dev/null || { echo "not ok 1 - python3 is missing (apt-get install python3)"; exit 69; }
tool=$PWD/tests/cli/load_tools.py
lock=$PWD/specs/lock.tp
cd "$scratch" || exit 1

make_report() { python3 "$tool" make "$1" "$2" >"$3" || exit 70; }
# type, seed, operation, report
brackets() {
  run import "$4" --select "Work=$3" --out made
  check "$1, $3: every latency lies in what is read of it" 'exits 0' 'quiet_err' \
    "python3 '$tool' check made/Work.tph $1 $2 $3 >&2" "said 'coordinated omission'"
}

for seed in 1 2; do
  make_report ycsb-hdr $seed hdr.hgrm
  make_report ycsb-histogram $seed ms.hgrm
  make_report ycsb-both $seed both.hgrm
  make_report ycsb-raw $seed raw.csv
  brackets ycsb-hdr $seed READ hdr.hgrm
  brackets ycsb-hdr $seed UPDATE hdr.hgrm
  brackets ycsb-histogram $seed READ ms.hgrm
  brackets ycsb-raw $seed READ raw.csv
  brackets ycsb-raw $seed UPDATE raw.csv
  brackets ycsb-both $seed HdrREAD both.hgrm
  brackets ycsb-both $seed BucketREAD both.hgrm
done
gzip -k hdr.hgrm
brackets ycsb-hdr 2 READ hdr.hgrm.gz

for seed in 1 2; do
  make_report memtier-json $seed both.json
  brackets memtier-json $seed Gets both.json
  brackets memtier-json $seed Sets both.json
  make_report memtier-log $seed Gets.hgrm
  run import Gets.hgrm --out made
  check "memtier-log: in us, and the name it was given is taken" 'exits 0' 'quiet_err' \
    "python3 '$tool' check made/Gets.tph memtier-log $seed Gets >&2" "said 'coordinated omission'"
done
run import both.json --out other
check "several commands without a choice: an error that lists them" 'exits 65' '[ ! -e other ]' \
  "err \"2 commands: Sets, Gets; choose one: --select 'NAME=Sets', or all of them: 'NAME=Totals'\""
run import both.json --select All=Totals --out all
check "all commands of a run, where that is asked for" 'exits 0' 'grep -q "^total 5542$" all/All.tph'
make_report memtier-runs 1 runs.json
run import runs.json --select Work=Gets --out other
check "several runs and their average" 'exits 65' '[ ! -e other ]' "err 'BEST RUN RESULTS, WORST RUN RESULTS; run memtier_benchmark without -x'"
head -c 3000 both.json >cut.json
run import cut.json --select Work=Gets --out other
check "a report that is cut off" 'exits 65' '[ ! -e other ]' '[ "$(wc -l <"$scratch/err")" -eq 1 ]'
printf '4         Threads\n50        Connections per thread\n\n\nALL STATS\n=====\nSET  0.255  50.00\n' >Work.txt
cp Work.txt Work.hgrm
run import Work.txt Work.hgrm --out other
check "what it prints is refused at once" 'exits 65' '[ ! -e other ]' "err 'no counts; run it with --json-out-file=OUT.json'"

run import hdr.hgrm --select Read=READ --select Update=UPDATE --out two
check "one run may be of several series" 'exits 0' '[ "$(ls two/*.tph | tr "\n" " ")" = "two/Read.tph two/Update.tph " ]'
run import hdr.hgrm --out other
check "several operations without a choice: an error that lists them" 'exits 65' '[ ! -e other ]' \
  '[ "$(wc -l <"$scratch/err")" -eq 1 ]' "err \"2 operations: READ, UPDATE; choose one\"" "err \"--select 'NAME=READ'\""
run import hdr.hgrm --select Read=SCAN --out other
check "an operation that is not there" 'exits 65' '[ ! -e other ]' "err 'no operation \"SCAN\"; there is READ, UPDATE'"
run import hdr.hgrm --select Read=READ-FAILED --out other
check "what failed is no operation" 'exits 65' "err 'no operation \"READ-FAILED\"'"
make_report ycsb-timeseries 1 series.hgrm
run import series.hgrm --select Read=READ --out other
check "a time series holds only averages" 'exits 65' '[ ! -e other ]' "err 'a time series holds only averages'"
printf 'latency_ns\n5\n' >Read.csv
run import Read.csv --select Read=READ --out other
check "a file with nothing to choose from" 'exits 65' '[ ! -e other ]' "err 'there is nothing to choose, as no column says what kind of request a row is of; leave it out'"

printf '{"count":1,"latencyDistribution":null,"details":[{"latency":9,"error":"","status":"OK"}]}' >calls.json
run import calls.json both.json --select Work=Gets --out other
check "nor in a report of ghz, which would be taken for the choice" 'exits 65' '[ ! -e other ]' \
  "err 'calls.json:1:1: --select Gets: there is nothing to choose in this JSON; leave it out'"
grep -v UPDATE hdr.hgrm >Work.hgrm

run compare Work.hgrm Work.hgrm
check "one operation needs no choice" 'exits 2' "said 'the operation READ is counted'"

# --- read where percentiles are asked for ---
mkdir data
cp Work.hgrm data/Grant.hgrm
python3 -c "
import json
run = json.load(open('both.json'))
run['ALL STATS']['Sets'] = {'Count': 0}
json.dump(run, open('data/Accept.json', 'w'))"
{ echo 'READ latency raw data: op, timestamp(ms), latency(us)'; awk 'BEGIN { for (i = 0; i < 500; i++) printf "READ,1700000000%03d,%d\n", i, 100 + i }'; } >data/d.csv
run percentiles "$lock" --bound full_circle --set n=2 --data data --observed data/d.csv -p 50 --full
check "of --data and --observed" "said 'Grant.hgrm: the operation READ is counted'" "said 'Accept.json: what is counted as \"Gets\" is counted'" \
  "said 'd.csv: the operation READ is counted'"
cp hdr.hgrm data/Grant.hgrm
run percentiles "$lock" --bound full_circle --set n=2 --data data -p 50
check "where nothing was chosen" 'exits 65' "err 'Grant.hgrm:1:1: 2 operations: READ, UPDATE; choose one: --select'"
finish

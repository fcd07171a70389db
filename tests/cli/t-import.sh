#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# import: stores and files of other tools become one series each; nothing lost goes unsaid, nothing is
# half written.
. "$(dirname "$0")/tap.sh"
case $BUILD in /*) tools=$BUILD/tests/tools ;; *) tools=$PWD/$BUILD/tests/tools ;; esac
recorder=$tools/recorder
[ -x "$recorder" ] || { echo "not ok 1 - $recorder is not built"; exit 69; }
cd "$scratch" || exit 70
# folder, then what the recorder is to do
make_store() { local folder=$1; shift; { "$recorder" --folder "$folder" "$@" >/dev/null; } 2>/dev/null; }
# counts of a series: the lines between "counts" and "end"
counts() { sed -n '/^counts$/,/^end$/p' "$1" | sed '1d;$d' | tr '\n' ';'; }

# --- stores ---
make_store run --node 'node[0]' component Grant 10 1500 component Grant 2 3001 message Request 5 2000000 request round 4 10
make_store run --node 'node[1]' component Grant 7 1500
run import --out parts run
check "a folder of stores, added up" 'exits 0' 'quiet_err' 'out "parts: 3 series of 2 stores and 0 files"' \
  '[ "$(ls parts | tr "\n" " ")" = "Grant.tph d.Request.tph ledger round.tph " ]' \
  '[ "$(counts parts/Grant.tph)" = "1500 17 1499;3002 2 3000;" ]' '[ "$(counts parts/d.Request.tph)" = "2000896 5 1999872;" ]' \
  'grep -q "^total 19$" parts/Grant.tph' '[ "$(grep -c "^from store node=node" parts/Grant.tph)" -eq 2 ]'
run compare parts/Grant.tph parts/Grant.tph
check "what it writes is read" 'exits 2' 'out "recorded by 2 processes with CLOCK_MONOTONIC"'
run import --json --out parts run
check "an import is replaced" 'exits 0' 'json_lines' 'json "[.[] | select(.kind == \"store\")] | length == 2"' \
  'json ".[-1] == {kind: \"imported\", folder: \"parts\", stores: 2, files: 0, series: 3}"' \
  'json "[.[] | select(.name == \"Grant\")][0] | .observations == \"19\" and .group == null and .max_ns == \"3002\""'
ledger=$(cat parts/ledger)
echo mine >parts/mine
run import --out parts run
check "not with other things in it" 'exits 64' 'err "parts/mine; name a new folder"' '[ "$(cat parts/mine)" = mine ]' '[ "$(cat parts/ledger)" = "$ledger" ]'
mkdir other && echo x >other/x.tph
run import --out other run
check "nor a folder of others" 'exits 64' 'err "other: is there already and holds what no import wrote"' '[ "$(ls other)" = x.tph ]'
run import --by node --out by run
check "--by node" 'exits 0' '[ "$(counts "by/node[0]/Grant.tph")" = "1500 10 1499;3002 2 3000;" ]' '[ "$(counts "by/node[1]/Grant.tph")" = "1500 7 1499;" ]' \
  '[ "$(counts by/Grant.tph)" = "1500 17 1499;3002 2 3000;" ]' 'out "node[1]/Grant"'
run import --by node --out by run/node\[1\]*
check "and replaced with its folders" 'exits 0' '[ "$(ls by | tr "\n" " ")" = "Grant.tph joint.csv.gz ledger node[1] " ]'

# --- by index ---
make_store indexed component Ack 3 100 1 component Ack 4 200 2 component Plain 1 5 message Request 2 50
run import --by index --out index indexed
check "--by index" 'exits 0' '[ "$(counts index/Ack.1.tph)" = "100 3 100;" ]' '[ "$(counts index/Ack.2.tph)" = "200 4 200;" ]' \
  '[ "$(counts index/Ack.tph)" = "100 3 99;200 4 199;" ]' '[ "$(counts index/d.Request.1.tph)" = "50 2 50;" ]' '[ ! -e index/Plain.1.tph ]'
make_store actions action node.Grant Work 3 100 1 action node.Take Work 2 100 1 component Work 1 100 2 action node.Idle "" 1 0
run import --by index --out actions.parts actions
check "two steps that cost one component" 'exits 0' '[ "$(counts actions.parts/Work.tph)" = "100 6 99;" ]' \
  '[ "$(counts actions.parts/Work.1.tph)" = "100 5 100;" ]' '[ "$(ls actions.parts | wc -l)" -eq 4 ]'
make_store over --log 4 component Ack 9 100 1
run import --out over.parts over
check "an overwritten log has its histograms" 'exits 0' 'grep -q "^total 9$" over.parts/Ack.tph'
run import --by index --out over.index over
check "but not by index" 'exits 65' 'err "6 of 9 records were overwritten; record with larger logs"' '[ ! -e over.index ]'

# --- what was lost ---
make_store lost component Grant 10 100 refused Grant 3 garbage Request 2 message Request 1 100 kill
run import --out lost.parts lost
check "what was refused is infinite" 'exits 0' 'grep -q "^saturated 3$" lost.parts/Grant.tph' 'grep -q "^saturated 3$" lost.parts/d.Request.tph' \
  'out "3 recordings of these processes were"' 'out "1 of 1 process did not close"' \
  'out "2 packets without a valid stamp arrived"' 'grep -q "^note 3 recordings" lost.parts/Grant.tph'
make_store foreign message Request 6 1000 foreign Request 4
run import --out foreign.parts foreign
check "delays between two clocks without a round trip are infinite" 'exits 0' 'grep -q "^saturated 4$" foreign.parts/d.Request.tph' 'out "4 messages came from another clock and have no round trip"'
run import --out arrived.parts lost
check "also in a series that nothing was recorded of" 'grep -q "^saturated 3$" lost.parts/Queuing.Request.tph' '[ ! -e lost.parts/rtt.Request.tph ]'
check "messages that did not arrive are said" 'out "2 of 3 messages sent did not arrive"' 'grep -q "^note 2 of 3 messages" arrived.parts/d.Request.tph'
make_store trips answered Ask 5 7000
run import --out trips.parts trips
check "round trips stand for delays, whole and from above only" 'exits 0' '[ "$(counts trips.parts/d.Ask.tph)" = "7000 5;" ]' '[ "$(counts trips.parts/d.Ask_answer.tph)" = "7000 5;" ]' \
  '[ "$(counts trips.parts/rtt.Ask.tph)" = "7000 5 6996;" ]' 'out "5 of these are round trips"'
make_store agent component d.b 3 7000 component rtt.b 3 9000
run import --out agent.parts agent
check "the network agent's delays are bounds from above only" 'exits 0' '[ "$(counts agent.parts/d.b.tph)" = "7000 3;" ]' '[ "$(counts agent.parts/rtt.b.tph)" = "9000 3 8992;" ]'
make_store old --log 4 foreign Request 9 refused Grant 1
run import --out old.parts old
check "more of them than the log has" 'exits 65' 'err "d.Request: messages came from another clock and no round trip was measured; how many is not known"' '[ ! -e old.parts ]'

# --- files of other tools ---
printf 'latency_ns\n5\n3001\n3003\ninf\n' >Send.csv
printf 'rtt_us\n3\n' >Trip.csv
run import --out tripped Trip.csv
check "round trips are nobody's without a bound: refused, not halved" 'exits 65' 'err "Trip.csv:1:1: found \"rtt_us\", a round trip"' 'err "latency_us"' '[ ! -e tripped/Trip.tph ]'
printf 'latency_us\n1.5\n' >d.csv
run import --out files Send.csv d.csv indexed
check "files, whose edges are kept" 'exits 0' 'out "5 series of 1 store and 2 files"' '[ "$(counts files/Send.tph)" = "5 1 5;3001 1 3001;3003 1 3003;" ]' \
  'grep -q "^saturated 1$" files/Send.tph' '[ "$(counts files/d.tph)" = "1500 1 1500;" ]' 'grep -q "^from file sha256=" files/d.tph'
run import --out files/../again files/Send.tph
check "its own files, unchanged" 'exits 0' 'cmp files/Send.tph again/Send.tph'
mkdir gone && printf '       Value     Percentile TotalCount 1/(1-Percentile)\n\n       1.000 0.500000000000          1           2.00\n       2.000 1.000000000000          2\n#[Mean    =        1.500, StdDeviation   =        0.500]\n#[Max     =        2.000, Total count    =            2]\n#[Buckets =            1, SubBuckets     =         2048]\n' >Work.hgrm
run import --unit Work=us --out units Work.hgrm
check "--unit" 'exits 0' '[ "$(sed -n "s/^total //p" units/Work.tph)" -eq 2 ]' 'grep -q "^2000 " units/Work.tph'
run import --unit Wrok=us --out units2 Send.csv
check "--unit of nothing" 'exits 64' 'err "--unit Wrok=us: no series is called so"' '[ ! -e units2 ]'

# --- mistakes ---
wrong() { # exit code, words, then arguments
  local code=$1 words=$2
  shift 2
  run import --out wrong "$@"
  check "import $*" "exits $code" "err \"\$words\"" 'quiet_out' '[ "$(grep -c . err)" -eq 1 ]' '[ ! -e wrong ]'
}
words=; mkdir empty
store=$(ls run/node\[0\]*)
head -c 80000 "$store" >cut.tps
head -c 100 "$store" >short.tps
head -c 200000 /dev/urandom >garbage.tps
patched() { cp "$store" "$1"; printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
patched version.tps 8 '\377'
patched damaged.tps 200 '\377\376'
printf 'x' >'bad name!.csv'
cp "$store" twice.tps
words="holds no store (.tps)"; wrong 66 "$words" empty
words="nowhere: cannot be opened: No such file or directory"; wrong 66 "$words" nowhere
words="cut.tps: was cut short or damaged"; wrong 65 "$words" cut.tps
words="short.tps: is too short"; wrong 65 "$words" short.tps
words="garbage.tps: is no store of recordings"; wrong 65 "$words" garbage.tps
words="version.tps: is a store of version 255, but this program reads version 1"; wrong 65 "$words" version.tps
words="damaged.tps: its header is damaged"; wrong 65 "$words" damaged.tps
words="is to be named after the component it measures"; wrong 65 "$words" 'bad name!.csv'
words="counts a recording that is counted already"; wrong 65 "$words" run twice.tps
words="unknown word \"nodes\"; give --by node, host or index"; wrong 64 "$words" --by nodes run
words="name a store, a folder of stores"; wrong 64 "$words"
"$recorder" --folder mixed request Grant 1 1
words="Grant is another kind of thing here"; wrong 65 "$words" run mixed
run import run
check "no folder to write" 'exits 64' 'err "name the folder to write with --out DIR"'
"$recorder" --folder hollow component Grant 0 0
words="hollow: nothing was recorded in it"; wrong 65 "$words" hollow

# A store that is still being written.
mkfifo ready
"$recorder" --folder alive component Grant 8 100 say ready pause >ready &
writing=$!
read -r _ <ready
run import --out alive.parts alive
check "a store being written" 'exits 0' 'grep -q "^total 8$" alive.parts/Grant.tph' 'out "not closed"'
kill $writing
wait $writing 2>/dev/null

# --- where it cannot write ---
run import --out no/such/parts run
check "no such folder" 'exits 70' 'err "no/such/parts: cannot be written"' 'err "with --out DIR"'
run import --out cut.tps run
check "a file in its place" 'exits 64' 'err "is there already and is no folder"' '[ -s cut.tps ]'
if mkdir full && mount -t tmpfs -o size=64k tmpfs full 2>/dev/null; then
  printf 'latency_ns\n' >Wide.csv
  seq -f %.0f 10000 6000 60000000 >>Wide.csv
  run import --out full/parts Wide.csv
  check "a full disk" 'exits 70' 'err "No space left on device; name a folder with room"' '[ -z "$(ls -A full)" ]'
  run import --out full/parts run
  run import --out full/parts Wide.csv
  check "a full disk keeps what was there" 'exits 70' '[ "$(ls full)" = parts ]' 'grep -q "^total 19$" full/parts/Grant.tph'
  umount full
else
  echo "# SKIP a full disk: mounting is not permitted here"
fi
if [ "$(id -u)" -ne 0 ] || { mkdir read-only && mount -t tmpfs -o ro tmpfs read-only 2>/dev/null; }; then
  mkdir -p read-only && chmod a-w read-only 2>/dev/null
  run import --out read-only/parts run
  check "a read-only folder" 'exits 70' 'err "read-only/parts: cannot be written"' '[ ! -e read-only/parts ]'
  umount read-only 2>/dev/null
else
  echo "# SKIP a read-only folder: mounting is not permitted here"
fi
finish

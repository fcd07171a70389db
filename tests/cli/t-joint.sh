#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The table of what belongs to one request: import and merge write it from the numbers of instances,
# replay from the protocol. No row is dropped for what it says, and what is not known is no number.
. "$(dirname "$0")/tap.sh"
case $BUILD in /*) tools=$BUILD/tests/tools ;; *) tools=$PWD/$BUILD/tests/tools ;; esac
for tool in recorder script_stores; do
  [ -x "$tools/$tool" ] || { echo "not ok 1 - $tools/$tool is not built"; exit 69; }
done
cd "$scratch" || exit 70

# folder, sed script: makes the stores of the file `script` as edited
make_stores() {
  rm -rf "$1"
  "$tools/script_stores" "$1" < <(sed -e "$2" script) 2>tool.err || echo "not ok - the stores were not made: $(cat tool.err)"
}
imported() { rm -rf parts; run import --out parts "$@"; }
# the columns of an instance, as "Work.1=5 d.Ack.1=100": of the table in $table
table=parts/joint.csv.gz
row() {
  zcat -f "$table" | awk -F, -v instance="$1" 'NR == 1 { split($0, names) }
    $1 == instance && NR > 1 { for (i = 2; i <= NF; i++) { sub(/_ns$/, "", names[i]); printf "%s%s=%s", i == 2 ? "" : " ", names[i], $i } print "" }'
}
rows() { zcat -f "$table" | sed 1d | wc -l; }

# ---- import

cat >script <<'END_OF_SCRIPT'
a component Begin 1 1000 1010
a send Ask 1 1010 2
b arrive Ask 1 1010 1110 2
b wait Ask 1 1110 1115 2
b component Work 1 1115 1120 2
b component Twice 1 1120 1121
b component Twice 1 1121 1122
a request round 1 1000 1120
a component Begin 2 2000 2020
a send Ask 2 2020 2
b arrive Ask 2 2020 2320 2
b wait Ask 2 2320 2320 2
b component Work 2 2320 2327 2
b component Rare 2 2327 2330
a request round 2 2000 2330
b component Tidy 0 5 6
b component Tidy 0 7 8
END_OF_SCRIPT
make_stores run ''
imported run
check "a row for each request, a column for each occurrence" 'exits 0' 'quiet_err' '[ "$(rows)" -eq 2 ]' \
  '[ "$(row 1)" = "Begin=10 Queuing.Ask.2=5 Rare=- Work.2=5 d.Ask.2=100 request.round=120" ]' \
  '[ "$(row 2)" = "Begin=20 Queuing.Ask.2=0 Rare=3 Work.2=7 d.Ask.2=300 request.round=330" ]' \
  'out "joint.csv.gz: 2 rows, one for each instance; 5 occurrences, 1 request"' \
  'out "several times in one instance, and so has"' 'out "own there: Twice"' 'out "without the number of an instance (0) is in no row"' \
  'grep -q "^joint joint.csv.gz rows 2 occurrences 5 requests 1$" parts/ledger' 'grep -q "^  note no columns for what happened" parts/ledger'
run import --json --out parts run
check "the same as JSON, over the first" 'exits 0' 'json_lines' \
  'json "[.[] | select(.kind == \"joint\")][0] | .rows == \"2\" and .occurrences == 5 and .requests == 1 and .unfinished == \"0\" and .why_not == null"'
cp -r parts whole

make_stores run '/request round 2/d'
imported run
check "a request that was not finished is infinite, and what it lacks is not known" 'exits 0' '[ "$(rows)" -eq 2 ]' \
  '[ "$(row 1)" = "Begin=10 Queuing.Ask.2=5 Rare=- Work.2=5 d.Ask.2=100 request.round=120" ]' \
  '[ "$(row 2)" = "Begin=20 Queuing.Ask.2=0 Rare=3 Work.2=7 d.Ask.2=300 request.round=inf" ]' 'out "instances without a recorded request: 1 of 2;"'
make_stores run '/request round 2/d; /Work 2/d'
imported run
check "not 0 and not absent" '[ "$(row 2)" = "Begin=20 Queuing.Ask.2=0 Rare=3 Work.2= d.Ask.2=300 request.round=inf" ]'
make_stores run 's/request round 2.*/request other 3 3000 3001/'
imported run
check "of several requests nobody knows which was under way" '[ "$(row 1 | grep -c "request.other=- request.round=120")" -eq 1 ]' \
  '[ "$(row 2 | grep -c "request.other= request.round=$")" -eq 1 ]' '[ "$(row 3 | grep -c "d.Ask.2=- request.other=1 request.round=-$")" -eq 1 ]'
make_stores run '/^b.* 2 .* 2$/d; /Rare/d'
imported run
check "a message that did not arrive takes for ever" '[ "$(row 2)" = "Begin=20 Queuing.Ask.2=- Work.2=- d.Ask.2=inf request.round=330" ]'
make_stores run '/^b.* 2 .* 2$/d; /Rare/d; s/^a send Ask .*/& 7/'
imported run
check "also when the sending says to whom" '[ "$(row 1)" = "Begin=10 Queuing.Ask.2=5 Work.2=5 d.Ask.2=100 request.round=120" ]' \
  '[ "$(row 2)" = "Begin=20 Queuing.Ask.2=- Work.2=- d.Ask.2=inf request.round=330" ]'
make_stores run '$a b killed'
imported run
check "a killed process: what its last instance lacks is not known" 'exits 0' '[ "$(row 1 | grep -c "Rare=-")" -eq 1 ]'
make_stores run '/Rare/s/2/1/; $a b killed'
imported run
check "as it may have happened" '[ "$(row 2)" = "Begin=20 Queuing.Ask.2=0 Rare= Work.2=7 d.Ask.2=300 request.round=330" ]'

make_stores run '1i b log 8'
imported run
check "overwritten: only instances that are whole" 'exits 0' '[ "$(rows)" -eq 1 ]' '[ -z "$(row 1)" ]' '[ "$(row 2 | grep -c "Work.2=7")" -eq 1 ]' \
  'out "instances of which logs overwrote records: 1;"'
make_stores run '1i b log 4'
imported run
check "none is" 'exits 0' '[ ! -e parts/joint.csv.gz ]' 'out "no joint.csv.gz: of every instance records may have been overwritten; record with larger logs"'

make_stores run ''
make_stores again ''
imported run again
check "two runs" 'exits 0' '[ ! -e parts/joint.csv.gz ]' 'out "no joint.csv.gz: an instance has request.round twice; are these stores of several runs?"'
make_stores run 's/^\([ab] [a-z]* [A-Za-z]*\) [12]/\1 0/'
imported run
check "no instances" 'exits 0' '[ ! -e parts/joint.csv.gz ]' 'out "no joint.csv.gz: nothing was recorded with the number of its instance"'
make_stores run '/send Ask/s/2$/&/; s/component Begin 1 .*/&\na component Begin 1 1 2/; s/component Work 2 .*/&\nb component Work 2 1 2 2/; /Rare/d; /arrive/d; /wait/d'
imported run
check "nothing once" 'exits 0' '[ ! -e parts/joint.csv.gz ]' 'out "no joint.csv.gz: nothing is recorded once in an instance"'
for i in $(seq 4100); do echo "a component Work 1 5 6 $i"; done >script.many
"$tools/script_stores" many <script.many
imported many
check "arguments that are no indices" 'exits 0' '[ ! -e parts/joint.csv.gz ]' 'out "more than 4096 different occurrences"'
"$tools/recorder" --folder refused component Grant 3 10 component Rare 1 10 refused Grant 1 >/dev/null 2>&1
imported refused
check "after a refused record nothing is taken for absent" '[ "$(row 0)" = "Grant=10 Rare=10" ]' '[ "$(row 2)" = "Grant=10 Rare=" ]' 'out "records that were refused or torn: 1;"'
make_stores run 's/arrive Ask 2 2020/foreign Ask 2/'
imported run
check "a delay between two clocks is not known" 'exits 0' '[ "$(row 1 | grep -c "d.Ask.2=100 ")" -eq 1 ]' \
  '[ "$(row 2)" = "Begin=20 Queuing.Ask.2=0 Rare=3 Work.2=7 d.Ask.2= request.round=330" ]'
make_stores run ''

# ---- merge

make_stores later 's/component Work 1 1115 1120/component Work 1 1115 1119/'
run import --out later.parts later
rm -rf both
run merge --out both whole later.parts
table=both/joint.csv.gz
check "imported folders: one below the other" 'exits 0' '[ "$(rows)" -eq 4 ]' '[ "$(row 1 | head -n 1 | grep -c "Work.2=5")" -eq 1 ]' \
  '[ "$(row 1 | tail -n 1 | grep -c "Work.2=4")" -eq 1 ]' 'out "joint.csv.gz: 4 rows"' '[ "$(zcat "$table" | grep -c instance)" -eq 1 ]'
check "with what was noted of each" 'out "whole: no columns for what happened several"' 'grep -q "^  note later.parts: what was recorded without" both/ledger'
rm -rf both.json
run merge --json --out both.json whole later.parts
check "as JSON" 'json "[.[] | select(.kind == \"joint\")][0] | .rows == \"4\" and .occurrences == 5 and .requests == 1 and .unfinished == \"0\" and .overwritten == null"'
make_stores other '/Rare/d'
run import --out other.parts other
run merge --out unequal whole other.parts
check "with other columns" 'exits 0' '[ ! -e unequal/joint.csv.gz ]' 'out "no joint.csv.gz: those that are merged have different columns"'
rm other.parts/joint.csv.gz
run merge --out without whole other.parts
check "one without" 'exits 0' '[ ! -e without/joint.csv.gz ]' 'out "no joint.csv.gz: not all of what is merged has one"'
gzip -dc later.parts/joint.csv.gz | sed 's/,5,/,five,/; s/,4,/,four,/' | gzip >bad.gz && cp bad.gz later.parts/joint.csv.gz
run merge --out bad whole later.parts
check "a damaged one" 'exits 65' 'err "later.parts/joint.csv.gz:"' 'err "where a number is expected"' '[ ! -e bad ]'
run compare whole both
check "the table is no component" '! out " joint "' '! err "joint"'

# ---- replay

cat >script <<'END_OF_SCRIPT'
node[0] action node.Grant 7 1000000 1010000
node[0] send Transfer 7 1010000 1 1
node[1] arrive Transfer 7 1010000 1110000 1
node[1] action node.Accept 7 1110000 1115000 1
node[1] action node.Grant 7 1115000 1125000
node[1] send Transfer 7 1125000 2 0
node[0] arrive Transfer 7 1125000 1235000 2
node[0] action node.Accept 7 1235000 1240000 2
node[0] request round 7 1000000 1240000
END_OF_SCRIPT
table=joint.csv
ring() { run replay "$specs/lock.tp" run --set n=2 --bound full_circle --out "$table" "$@"; }
make_stores run ''
ring
check "replay: by the names of the protocol" 'exits 0' 'quiet_err' '[ "$(rows)" -eq 1 ]' \
  '[ "$(row 7)" = "Accept.0=5000 Accept.1=5000 Grant.0=10000 Grant.1=10000 d.Transfer.1=100000 d.Transfer.2=110000 request.round=240000" ]'
table=joint.csv.gz
ring
check "compressed" 'exits 0' 'cmp joint.csv <(gzip -dc joint.csv.gz)'
table=none.csv
make_stores run 's/1110000 1115000/1110900 1115000/'
ring
check "not of a run that does not fit" 'exits 1' '[ ! -e none.csv ]' 'err "none.csv: is not written, since the run does not fit"'
make_stores run '$a node[1] elsewhere'
ring
check "not with several clocks" 'exits 65' '[ ! -e none.csv ]' 'err "--out: the stores have several clocks"'
table=unfinished.csv
sed -e 's/ 7 / 6 /' script >script.two
sed -e 7,9d script >>script.two
rm -rf run && "$tools/script_stores" run <script.two
ring
check "what is not finished has a row" '[ "$(row 6 | grep -c "request.round=240000")" -eq 1 ]' \
  '[ "$(row 7)" = "Accept.0=5000 Accept.1= Grant.0=10000 Grant.1=10000 d.Transfer.1=100000 d.Transfer.2=inf request.round=inf" ]'

cat >script <<'END_OF_SCRIPT'
primary action primary.Broadcast 1 1000 1010
primary send Request 1 1010 0
primary send Request 1 1010 1
backup[0] arrive Request 1 1010 1110 0
backup[1] arrive Request 1 1010 1200 1
backup[1] wait Request 1 1200 1200 1
backup[1] action backup.Handle 1 1200 1230 1
backup[1] send Ack 1 1230 1
END_OF_SCRIPT
make_stores run ''
run replay "$specs/primary_backup.tp" run --set n=2 --bound reply --out waiting.csv
table=waiting.csv
check "a wait that did not end is at least as long as was seen" 'exits 2' \
  '[ "$(row 1)" = "BackupRequest.1=30 PrimaryRequest=10 Queuing.Request.0=90..9223372036854775807 Queuing.Request.1=0 d.Ack.1=inf d.Request.0=100 d.Request.1=190" ]'

# ---- percentiles and plan read stores by themselves

cat >script <<'END_OF_SCRIPT'
node[0] action node.Grant 7 1000000 1010000
node[0] send Transfer 7 1010000 1 1
node[1] arrive Transfer 7 1010000 1110000 1
node[1] action node.Accept 7 1110000 1115000 1
node[1] action node.Grant 7 1115000 1125000
node[1] send Transfer 7 1125000 2 0
node[0] arrive Transfer 7 1125000 1235000 2
node[0] action node.Accept 7 1235000 1240000 2
node[0] request round 7 1000000 1240000
END_OF_SCRIPT
for instance in 8 9 10; do
  awk -v i=$instance '{ if ($2 == "action") { $4 = i; $5 += i * 1000000; $6 += i * 1000000 }
    else { $4 = i; for (k = 5; k <= 6 && k <= NF; k++) if ($k > 100) $k += i * 1000000 } print }' <(head -n 9 script) >>script.more
done
cat script.more >>script
make_stores run ''
table=rows.csv
ring
circle=(--bound full_circle --set n=2 --confidence 0 --observed request.round -p 50,75)
calculated() { jq -c 'select(.kind == "percentile" or .kind == "comparison")' out; }
run percentiles "$specs/lock.tp" "${circle[@]}" --joint rows.csv --json
calculated >of_table
run percentiles "$specs/lock.tp" "${circle[@]}" --joint run --json
check "a folder of stores is what replay writes of it" 'exits 0' '[ "$(rows)" -eq 4 ]' '[ -s of_table ]' 'cmp of_table <(calculated)' \
  'json "[.[] | select(.kind == \"percentile\")][0] | .observed_ns == \"240000\" and .dominates"' \
  'json "[.[] | select(.kind == \"assumption\") | .text] | any(contains(\"run: 4 complete instances, which follow the protocol\"))"'
run percentiles "$specs/lock.tp" "${circle[@]}" $(for store in run/*.tps; do echo --joint "$store"; done) --json
check "its stores one by one" 'exits 0' 'cmp of_table <(calculated)'
run percentiles "$specs/lock.tp" "${circle[@]}" --joint "$(ls run/*.tps | head -n 1)"
check "a run that lacks a store does not fit" 'exits 65' 'grep -qE "the run does not follow .*lock.tp: .*tps: writer [0-9]+, record [0-9]+: instance 7.*; see tailproof replay" err'
run plan "$specs/lock.tp" --bound full_circle --set n=2 --confidence 0.9 --joint run --budget 10s -p 50 --rate joint=100/s
cp err of_stores && cp out of_stores.out
run plan "$specs/lock.tp" --bound full_circle --set n=2 --confidence 0.9 --joint rows.csv --budget 10s -p 50 --rate joint=100/s
said() { grep -E "^  p50 at most|^  In all" "$1"; grep -oE "  4  .*" "$1"; }
check "plan too" 'exits 0' '[ "$(said out | wc -l)" -eq 3 ]' 'cmp <(said out) <(said of_stores.out)'
cp rows.csv run/joint.csv
sed -i 's/,239999..240001$/,250000/; s/,240000$/,250000/' run/joint.csv
run percentiles "$specs/lock.tp" "${circle[@]}" --joint run --json
check "a table among the stores is meant" 'exits 1' 'json "[.[] | select(.kind == \"percentile\")][0].observed_ns == \"250000\""'
make_stores run 's/1110000 1115000/1110900 1115000/'
run replay "$specs/lock.tp" run --set n=2 --bound full_circle
reason=$(tr -s '\n ' ' ' <out | grep -oE 'node.[0-9].\.[A-Za-z]* on [^ ]* starts 900 ns .* no component')
run percentiles "$specs/lock.tp" "${circle[@]}" --joint run
check "a run that does not fit gives no percentiles, for replay's reason" 'exits 65' 'quiet_out' '[ -n "$reason" ]' 'err "$reason; see tailproof replay"'
make_stores run '$a node[1] elsewhere'
run percentiles "$specs/lock.tp" "${circle[@]}" --joint run
check "nor do several clocks" 'exits 65' 'err "run: the stores have several clocks"'
mkdir -p nothing.tps
run percentiles "$specs/lock.tp" "${circle[@]}" --joint missing.tps
check "a store that is not there" 'exits 66' 'err "missing.tps"'

# --- the observation of the same requests ---------------------------------------------------------
recorded=$specs/../examples/primary_backup/recorded
for observed in request.reply "$recorded/reply.tph"; do
  run percentiles "$specs/primary_backup.tp" --bound reply --set n=2 --data "$recorded" --observed "$observed" -p 50
  check "a column, or a file beside the table: $(basename "$observed")" 'exits 0' 'out "Each of the 1000 requests took no longer"'
done
run percentiles "$specs/primary_backup.tp" --bound reply --set n=2 --data "$recorded" --joint none --observed request.reply -p 50
check "without the table there is no such column" 'exits 66'
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Measurements whose rows belong to one request each: the bound is evaluated for each row, against
# values worked out by hand.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1
hop=("$specs/lock.tp" --bound full_circle --set n=1 --set hops=0)
whole=("${hop[@]}" --confidence 0)
ends() { # of all percentiles, in ns: "lower..upper ..."
  jq -sr '[.[] | select(.kind == "percentile") | "\(.lower_ns)..\(.upper_ns)"] | join(" ")' out
}

# --- one table: sums ---------------------------------------------------------------------------------
# Rows: 1110; 1120; 1130..1180; 440, where nothing was sent; 650 or more, where Grant was not measured; without an end.
# So the lower ends are 440 650 1110 1120 1130 inf, the upper ones 440 1110 1120 1180 inf inf.
cat >table.csv <<'END'
instance,Grant.0_ns,d.Transfer.1_ns,Accept.0_ns,Other.0_ns,request.x_ns
1,100,1000,10,5,1110
2,200,900,20,5,1000
3,300,800..850,30,5,1300
4,400,-,40,5,440
5,,600,50,5,700
6,500,inf,60,5,inf
END
run percentiles "${whole[@]}" --joint table.csv -p 10,30,40,60,70 --json
check "numbers, ranges, cells that are absent, empty or without an end; a column that nothing asks for" 'exits 0' 'quiet_err' \
  '[ "$(ends)" = "440..440 650..1110 1110..1120 1120..1180 1130..infinite" ]' \
  'json "[.[] | select(.kind == \"percentile\")][0] | .lower_by == \"requests\" and .upper_by == \"requests\""'
check "nothing rests on independence" '! out "independence:"' 'out "the 6 rows of table.csv are the whole truth, whatever the dependence of their columns"'
gzip -k table.csv
run percentiles "${whole[@]}" --joint table.csv.gz -p 10,30,40,60,70 --json
check "compressed" 'exits 0' '[ "$(ends)" = "440..440 650..1110 1110..1120 1120..1180 1130..infinite" ]'
run percentiles "${whole[@]}" --joint table.csv --observed request.x -p 10,30,40,60
check "an observation as a column: request by request" 'exits 0' 'grep -qE "^  p30 .* 700 ns +dominated$" out' \
  'out "1 of the 6 requests took longer than the bound evaluated for them"' 'out "what was observed is column request.x of table.csv, of the same requests"'
run percentiles "${whole[@]}" --joint table.csv --observed request.x -p 10 --json
check "in JSON" 'json "[.[] | select(.kind == \"comparison\")][0].requests_above == 1"'
grep -v '^3' table.csv >kept.csv
run percentiles "${whole[@]}" --joint kept.csv --observed request.x -p 10
check "where each took no longer" 'exits 0' 'out "Each of the 5 requests took no longer than the bound evaluated for it."'
run percentiles "${whole[@]}" --joint table.csv -p 10 --contributions 30 --json
# without the delay rows take 110 220 330 440 560 and 50 or more; without Grant 1010 920 880..930 40 650; without Accept 1100 1100
# 1100..1150 400: the second upper end is 220, 650, 1100 of 1110
check "contributions, row by row" 'exits 0' \
  'json "[.[] | select(.kind == \"contribution\") | [.component, .without_ns, .drop_ns]] == [[\"d.Transfer.1\", \"220\", \"890\"], [\"Grant.0\", \"650\", \"460\"], [\"Accept.0\", \"1100\", \"10\"]]"'
run percentiles "${whole[@]}" --joint table.csv -p 10 --slo 'p30<=1us' --json
# row 2 takes 920 + 200 f, at most 1000 with f = 409 of 1024; row 1 takes 110 + 1000 f, at most 1000 with 911; Accept is not it
check "which component must improve, and how much" 'exits 2' \
  'json "[.[] | select(.kind == \"slo\")][0].improvements | map([.component, .by, .factor]) == [[\"Grant.0\", \"factor\", 0.399414], [\"d.Transfer.1\", \"factor\", 0.889648], [\"Accept.0\", \"never\", null]]"'

# --- maxima and order statistics ---------------------------------------------------------------------------------
# PrimaryRequest + max over backups of (there, handling, back): 10 + max(5, 7) and so on
cat >backups.csv <<'END'
PrimaryRequest_us,d.Request.0_us,BackupRequest.0_us,d.Ack.0_us,d.Request.1_us,BackupRequest.1_us,d.Ack.1_us
10,1,2,2,2,2,3
20,9,9,9,1,1,1
30,1,1,1,-,-,-
END
run percentiles "$specs/primary_backup.tp" --bound reply --set n=2 --confidence 0 --law Queuing=0ns --law PrimaryAck=0ns --joint backups.csv -p 33,66,99 --json
check "the slowest of two, one of which took no part: 17, 33, 47 us" 'exits 0' '[ "$(ends)" = "17000..17000 33000..33000 47000..47000" ]'

# the faster of two followers, then the reply: 6 of 6 and 15; 3 of 27 and 3; 6 or less where the other is not known
cat >followers.csv <<'END'
d.AppendEntries.0_ns,Persist.0_ns,d.Success.0_ns,d.AppendEntries.1_ns,Persist.1_ns,d.Success.1_ns,d.Reply_ns
1,2,3,5,5,5,4
9,9,9,1,1,1,17
2,2,2,,2,2,24
END
laws=()
for name in Append bus Sync Own Check Count Queuing; do laws+=(--law $name=0ns); done
run percentiles "$specs/raft.tp" --bound commit --set f=1 --confidence 0 "${laws[@]}" --joint followers.csv -p 33,66,99 --json
check "the first of two: 10, 20, 28 to 30 ns" 'exits 0' '[ "$(ends)" = "10..10 20..20 28..30" ]'

# --- partly joint ------------------------------------------------------------------------------------
cut -d, -f1,2,4 table.csv | sed 5,7d >part.csv
mkdir rest
printf 'latency_ns\n1000\n' >rest/d.csv
run percentiles "${whole[@]}" --joint part.csv --data rest -p 30,60,99 --json
check "the rest comes from --data: 110, 220, 330 and 1000 ns" 'exits 0' '[ "$(ends)" = "1110..1110 1220..1220 1330..1330" ]'
run percentiles "${whole[@]}" --joint part.csv -p 30
check "a column that is missing, and what to do" 'exits 66' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]' \
  'err "part.csv has no column for d.Transfer.1; name the folder of what is measured apart with --data DIR, or give a law with --law"'
run percentiles "${whole[@]}" --joint part.csv --joint table.csv -p 30
check "two tables with one column" 'exits 65' '[ "$(wc -l <err)" -eq 1 ]' 'err "Grant[0] has a column in part.csv and in table.csv; leave one of them out"'
printf 'latency_ns\n7\n' | tee rest/Grant.csv >rest/Accept.csv
cp part.csv rest/joint.csv
run percentiles "${whole[@]}" --data rest -p 30 --json
check "DIR/joint.csv that is not whole is not used, and that is said" 'exits 0' '[ "$(ends)" = "1014..1014" ]' \
  'err "warning: rest/joint.csv is not used, as it has no column for d(Transfer(1))"'
cp table.csv rest/joint.csv
run percentiles "${whole[@]}" --data rest -p 30 --json
check "DIR/joint.csv is read by itself" 'exits 0' '[ "$(ends)" = "650..1110" ]'
run percentiles "${whole[@]}" --data rest --joint none -p 30 --json
check "unless --joint none" 'exits 0' '[ "$(ends)" = "1014..1014" ]'

# --- plans and comparisons -----------------------------------------------------------------------------
{ echo Grant.0_ns,d.Transfer.1_ns,Accept.0_ns; paste -d, <(seq 1000) <(seq 1000) <(yes 0 | head -n 1000); } | shuffled 1 >fast.csv
awk -F, 'NR > 1 { $1 += 1000 } { print $1 "," $2 "," $3 }' fast.csv >slow.csv
run plan "${hop[@]}" --joint fast.csv -p 99.9 --budget 4000s --json
check "a plan measures requests: the table is one line" 'exits 0' \
  'json "[.[] | select(.kind == \"planned\")] | length == 1 and .[0].component == \"fast.csv\" and (.[0].then | tonumber) >= 4603"'
run compare fast.csv slow.csv --protocol "${hop[@]}" -p 50,90 --json
check "compare two tables: 1000 ns more are slower" 'exits 1' 'json "[.[] | select(.kind == \"compared\") | .verdict] == [\"slower\", \"slower\"]"' \
  'json "[.[] | select(.kind == \"compared\")][0] | (.a_lower_ns | tonumber) <= 1000 and (.a_upper_ns | tonumber) >= 1000 and (.b_upper_ns | tonumber) >= 2000"'
run compare fast.csv fast.csv --protocol "${hop[@]}" -p 50 --json
check "a table is not slower than itself" 'exits 0' 'json "[.[] | select(.kind == \"compared\") | .verdict] == [\"no difference shown\"]"'
finish

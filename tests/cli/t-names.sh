#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Names of files of measurements: all that are missing are told at once, and what nothing reads is
# said.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
protocol=$specs/primary_backup.tp
bound=(--bound reply --set n=3 -p 50)
measure() { # folder, names...
  local folder=$1 name
  shift
  mkdir -p "$folder"
  local seed=0
  for name; do
    shuffled $((seed = seed % 9 + 1)) <sample >"$folder/$name.csv"
  done
}
awk 'BEGIN { print "latency_ns"; for (x = 1; i++ < 1500;) { x = (x * 1103 + 12345) % 65537; print 100000 + x } }' >sample
measure whole PrimaryRequest d Queuing BackupRequest PrimaryAck

# --- missing -------------------------------------------------------------------------------------
mkdir empty
measure half PrimaryRequest PrimaryAck.0 PrimaryAck.2 Bakcup
: >half/backuprequest.hlog
all_missing() { # folder
  check "$1: all are told in one message, each with the names that would do" 'exits 66' 'quiet_out' \
    "err 'tailproof: 7 measurements are missing in empty; of each, one of these names will do, with one of .csv, .hgrm'" \
    '[ "$(grep -c "^tailproof: " err)" -eq 1 ]' '[ "$(wc -l <err)" -le 24 ]' \
    'grep -qx "  PrimaryRequest: PrimaryRequest" err' 'grep -qx "  BackupRequest\[0\] and 2 more: BackupRequest.0, BackupRequest" err' \
    'grep -qx "  d(Ack(0)) and 2 more: d.Ack.0, d.Ack, d" err' 'grep -qx "  Queuing(Request(0)) and 2 more: Queuing.Request.0, Queuing.Request, Queuing" err' \
    'grep -qx "the directory holds no measurement file" err'
}
run percentiles "$protocol" "${bound[@]}" --data empty
all_missing percentiles
run plan "$protocol" "${bound[@]}" --data empty --budget 1000s
all_missing plan
run compare --protocol "$protocol" "${bound[@]}" empty whole
all_missing "compare --protocol"
run percentiles "$protocol" "${bound[@]}" --data half
check "what is there is not missing, and what may be meant is named" 'exits 66' 'err "6 measurements are missing in half"' '! err "PrimaryRequest:"' \
  'grep -qx "  BackupRequest\[0\] and 2 more: BackupRequest.0, BackupRequest; is backuprequest.hlog meant to be BackupRequest.hlog?" err' \
  'grep -qx "  PrimaryAck\[1\]: PrimaryAck.1, PrimaryAck" err' 'grep -qx "there is Bakcup.csv, PrimaryAck.0.csv, PrimaryAck.2.csv, PrimaryRequest.csv, backuprequest.hlog" err'
run percentiles "$protocol" "${bound[@]}" --data empty --law 'PrimaryRequest=Hit + Miss' --law d=0ns --law Queuing=0ns --law BackupRequest=Hit
check "the files that laws are made of" 'exits 66' 'err "3 measurements are missing"' 'grep -qx "  Hit: Hit" err' 'grep -qx "  Miss: Miss" err' '! err "d("'
run percentiles "$protocol" "${bound[@]}" --data empty --law PrimaryRequest=1us --law d=0ns --law Queuing=0ns --law BackupRequest=1us --law PrimaryAck=1us
check "none is missing where all laws are written" 'exits 0'

# --- read by nothing -----------------------------------------------------------------------------
cp -r whole named
measure named BackupRequest.1 BackupRequest.2 BackupRequest.3 BackupRequest.04 BackupRequest.1.1 d.Request d.Ack.3 d.Akc Tidy.9 PrimaryRequest.0 Other.7
gzip named/d.Ack.3.csv
unread() { # what, how many warnings, what comes before the text
  check "$1: files that nothing reads, on stderr and in the ledger" 'exits 0' \
    'err "warning: named: BackupRequest.3.csv is read by nothing: BackupRequest has the indices 0 to 2 (nodes count from 0)"' \
    'err "warning: named: d.Ack.3.csv.gz is read by nothing: d(Ack) has the indices 0 to 2 (nodes count from 0)"' \
    'err "warning: named: d.Akc.csv is read by nothing: the protocol has no d(Akc)"' 'err "BackupRequest.04.csv is read by nothing: \"04\" is no index of BackupRequest"' \
    'err "BackupRequest.1.1.csv is read by nothing: BackupRequest has 1 index only"' 'err "PrimaryRequest.0.csv is read by nothing: PrimaryRequest has no index"' \
    "[ \"\$(grep -c 'read by nothing' err)\" -eq $2 ]" '! err "d.Request.csv is"' '! err "BackupRequest.2.csv is"' '! err Other' \
    "[ \"\$(jq -r 'select(.source == \"data\") | .text' out | grep -c '^$3named: .* read by nothing: ')\" -eq $2 ]"
}
run percentiles "$protocol" "${bound[@]}" --data named --json
unread percentiles 6 'warning: '
run compare --protocol "$protocol" "${bound[@]}" whole named --json
unread "compare --protocol" 6 'warning: '
run plan "$protocol" "${bound[@]}" --data named --json --budget 1000s
unread plan 6 'warning: '
run audit "$protocol" --set n=3 --data named --json
unread audit 7 ''
check "audit looks at all components" 'err "Tidy.9.csv is read by nothing: Tidy has the indices 0 to 2 (nodes count from 0)"'
run audit "$protocol" --data named
check "without --set, sizes are not judged, names are" 'exits 0' '! out "BackupRequest.3.csv"' 'said "the protocol has no d(Akc)"' 'said "PrimaryRequest has no index"' 'quiet_err'
run audit "$protocol" --set m=3 --data named
check "a parameter that is none" 'exits 64' 'err "has no parameter \"m\""'
measure many PrimaryRequest d Queuing PrimaryAck BackupRequest BackupRequest.{3,4,5,6,7,8}
run percentiles "$protocol" "${bound[@]}" --data many
check "files with one reason are said together" 'exits 0' 'quiet_err' \
  '[ "$(tr -s "\n " " " <out | grep -o "read by nothing" | wc -l)" -eq 1 ]' \
  'said "BackupRequest.3.csv, BackupRequest.4.csv, BackupRequest.5.csv, BackupRequest.6.csv and 2 more are read by nothing: BackupRequest has"'
run percentiles "$protocol" "${bound[@]}" --data whole
check "nothing is said of files that are named well" 'exits 0' 'quiet_err'
measure law PrimaryRequest d Queuing PrimaryAck BackupRequest BackupRequest.slow
run percentiles "$protocol" "${bound[@]}" --data law --law 'PrimaryRequest=BackupRequest.slow'
check "what --law reads is read" 'exits 0' '! said "read by nothing"'

# --- columns of a table -------------------------------------------------------------------------------
printf '%s\n%s\n' 'PrimaryRequest_ns,d.Request.0_ns,d.Ack.0_ns,BackupRequest.0_ns,PrimaryAck.0_ns,Queuing.Request.0_ns,Queuing.Ack.0_ns,BackupRequest.1_ns,d.Akc.0_ns,d.Reply_ns' \
  1,2,3,4,5,6,7,8,9,10 >rows.csv
run percentiles "$specs/primary_backup.tp" --bound reply --set n=1 --joint rows.csv --confidence 0 -p 50
check "columns that no occurrence can have are named, those of others are not" 'exits 0' \
  'said "warning: rows.csv: BackupRequest.1 is read by nothing: BackupRequest has the index 0 only (nodes count from 0)"' \
  'said "warning: rows.csv: d.Akc.0 is read by nothing: the protocol has no d(Akc)"' '! out "d.Reply"' 'quiet_err'
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Token buckets fitted to recorded arrivals: from tables and stores, and what a recording does not say.
. "$(dirname "$0")/tap.sh"

case $BUILD in /*) stores=$BUILD ;; *) stores=$PWD/$BUILD ;; esac
stores=$stores/tests/tools/script_stores
recorder=$(dirname "$stores")/recorder
[ -x "$stores" ] && [ -x "$recorder" ] || { echo "not ok 1 - $stores is not built"; exit 69; }
cd "$scratch" || exit 1

bucket() { jq -r --arg t "$1" 'select(.kind == "token_bucket" and .every_ns == $t) | .burst' out; }

# ---- a table: one arrival every 10 us, and ten at once after the third

{ echo due_us; echo 0; echo 10; for _ in 1 2 3 4 5 6 7 8 9 10; do echo 20; done; echo 30; echo 40; } >even.csv
run arrivals even.csv --every 10us --every 4us --every 1ns --burst 10 --burst 1 --burst 14 --json
check "the burst that all windows allow" 'exits 0' 'json_lines' '[ "$(bucket 10000)" = 10 ]' '[ "$(bucket 4000)" = 10 ]' '[ "$(bucket 1)" = 10 ]' \
  'json "[.[] | select(.kind == \"arrivals\")][0] | .arrivals == 14 and .span_ns == \"40000\" and .keeps_up_ns == \"3076\" and .complete"'
check "the largest time for a burst" 'json "[.[] | select(.kind == \"slowest_bucket\") | .every_ns] == [\"10000\", \"0\", \"infinite\"]"'
run arrivals even.csv --every 10001ns --json
check "one ns more takes one token more" 'exits 0' '[ "$(bucket 10001)" = 11 ]'
run arrivals even.csv
check "without a time: shares of the mean distance" 'exits 0' 'out "14 arrivals in 40.000 us, 325000/s"' 'out "3076 ns"' \
  'said "The largest T that keeps up is 3076 ns"' 'said "a fact of this recording"'
{ echo due_us; tail -n +2 even.csv | tac; } >back.csv
run arrivals back.csv --every 10us --json
check "rows in another order are the same arrivals" 'exits 0' '[ "$(bucket 10000)" = 10 ]' 'err "4 rows"'
{ echo due,route; awk 'BEGIN { for (i = 0; i < 5; i++) printf "%d.5,/\n", i }'; } >load.csv
run arrivals load.csv --column due --unit due=s --every 1s --json
check "a column whose unit is said" 'exits 0' '[ "$(bucket 1000000000)" = 1 ]'
gzip -k even.csv
run arrivals even.csv.gz --every 10us --json
check "a compressed table" 'exits 0' '[ "$(bucket 10000)" = 10 ]'

refuse() { # name, exit code, words, arguments
  local title=$1 code=$2 words=$3
  shift 3
  run arrivals "$@"
  check "$title" 'exits $code' 'err "$words"' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]'
}
refuse "a time without a unit" 64 'whole number of ns' even.csv --every 10
refuse "part of a ns" 64 'whole number of ns' even.csv --every 0.5ns
refuse "no burst" 64 '--burst 0' even.csv --burst 0
refuse "no file named" 64 'name a table of times'
refuse "no such table" 66 'none.csv' none.csv
refuse "no unit in the header" 65 'line 1: no column says its unit' load.csv
refuse "no such column" 65 'no column "x"' even.csv --column x
refuse "a table has no messages" 64 'leave out --message' even.csv --message M
refuse "two tables" 64 'one table' even.csv load.csv
printf 'a_ns\n5\nsoon\n' >bad.csv
refuse "a row without a time" 65 'line 3: "soon" is no time' bad.csv
printf 'a_ns\n5\n5\n' >once.csv
refuse "all at one time" 65 'at different times' once.csv

# ---- stores: two clients that ask, one server

{
  for k in 0 1 2 3; do
    echo "client[0] send Request $k $((1000000 + k * 100000)) 0 $k"
    echo "server arrive Request $k $((1000000 + k * 100000)) $((1050000 + k * 100000)) 0 $k"
  done
  for k in 0 1 2 3; do
    echo "client[1] send Request 1$k $((1010000 + k * 100000)) 1 $k"
    echo "server arrive Request 1$k $((1010000 + k * 100000)) $((1051000 + k * 100000)) 1 $k"
    echo "server send Reply 1$k $((1052000 + k * 100000)) 1 $k"
  done
} >script
"$stores" run <script
run arrivals run --message Request --every 100us --every 50us --json
check "when messages were sent, by whomever" 'exits 0' '[ "$(bucket 100000)" = 5 ]' '[ "$(bucket 50000)" = 2 ]' \
  'json "[.[] | select(.kind == \"arrivals\")][0] | .arrivals == 8 and .of == \"Request, when it was sent\" and .node == null"'
run arrivals run --message Request --by-node --every 100us --json
check "each node by itself" 'exits 0' \
  'json "[.[] | select(.kind == \"token_bucket\") | [.node, .burst]] == [[\"client[0]\", \"1\"], [\"client[1]\", \"1\"]]"'
run arrivals run --message Request --at delivered --by-node --every 100us --json
check "when they were delivered, to whom" 'exits 0' \
  'json "[.[] | select(.kind == \"token_bucket\") | [.node, .burst, .tolerance_ns]] == [[\"server\", \"5\", \"399000\"]]"'
run arrivals run/server*.tps --message Reply --every 100us
check "a store by its name" 'exits 0' 'out "Reply, when it was sent: 4 arrivals"'
refuse "which message?" 64 'there are Request, Reply' run
refuse "no such message" 64 '--message Ask' run --message Ask
refuse "it was not recorded when it was delivered" 65 '--at sent' run --message Reply --at delivered
refuse "a column of stores" 64 'is of tables' run --message Reply --column x
mkdir empty
refuse "a folder without stores" 66 'has no store' empty

# A log of few records keeps the last ones alone: what is older is left out of all stores.
{ echo "client[0] log 4"; cat script; } >small
"$stores" kept <small
run arrivals kept --message Request --every 100us --json
check "what was overwritten is said" 'exits 0' 'err "overwritten"' 'json "[.[] | select(.kind == \"arrivals\")][0].arrivals < 8"'
sed 's/^client\[0\] send Request 0 .*/&\nclient[0] killed/' script >cut
"$stores" cut_off <cut
run arrivals cut_off --message Request --every 100us
check "a store that was not closed" 'exits 0' 'said "did not close its store"'
sed 's/^client\[1\] send Request 10 .*/client[1] elsewhere\n&/' script >apart
"$stores" hosts <apart
refuse "clocks that cannot be compared" 65 'another host' hosts --message Request

# A record that the store refused may have been an arrival: the burst is no answer then.
"$recorder" --folder refused message Request 3 1000 message Request 2 500000 refused Grant 3 >/dev/null
run arrivals refused --message Request --at delivered --every 100us --json
check "records are missing: it cannot tell" 'exits 2' 'err "3 records were refused or cut off"' \
  'json "[.[] | select(.kind == \"arrivals\")][0] | .arrivals == 5 and (.complete | not)"'
run arrivals refused --message Request --at delivered --every 100us
check "the same in words" 'exits 2' 'said "Cannot tell: some records are missing"'

finish

#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs of `generate --loop` of nodes that hold messages for a pacer (`paced`): what they record follows the protocol, the
# messages leave when the bucket lets them, and `replay` sees it where a program lets one leave sooner.
. "$(dirname "$0")/../cli/tap.sh"
. "$(dirname "$0")/nodes.sh"

# A program wants four calls at once, and then one every period; the limiter of its client lets two of them go.
settings="T=100000000 A=4 B=2 L=60000000000 D=60000000000"
replayed=(--set T=100ms --set A=4 --set B=2 --set L=60s --set D=60s)
run generate "$specs/api_quota.tp" --out "$scratch/quota" --loop
build "$scratch/quota"
group "$scratch/quota" api_quota "$settings" app:7 client:7 server:7 user:7
run replay "$specs/api_quota.tp" "$scratch/store" "${replayed[@]}"
check "calls that wait for the limiter are an execution of the protocol" 'exits 0' 'said "1 complete instance of 4 stores"' \
  'out "bound called: held 7 times"' 'out "bound reply: held 7 times"'
run arrivals "$scratch/store" --message Wish --every 100ms --json
check "four are wanted at once" 'exits 0' 'out "\"burst\":\"4\""'
run arrivals "$scratch/store" --message Call --every 100ms --json
check "... two of them leave at once, the others one every period" 'exits 0' 'out "\"arrivals\":7"' 'out "\"burst\":\"2\""'

# The last of them have left when the client ends, which takes no step for them.
run import --out "$scratch/components" "$scratch/store"
check "all reach the server, with a delay that counts from when they leave" 'exits 0' \
  '[ "$(sed -n "s/^total //p" "$scratch/components/wan.Call.tph")" -eq 7 ]' \
  '[ "$(sed -n "s/^total //p" "$scratch/components/Answer.tph")" -eq 7 ]'

# A bucket with one token more than the protocol says.
sed -i 's/return tp_product(params->B - 1, params->T);/return tp_product(params->B, params->T);/' "$scratch/quota/api_quota_client_loop.c"
build "$scratch/quota"
group "$scratch/quota" api_quota "$settings" app:7 client:7 server:7 user:7
run replay "$specs/api_quota.tp" "$scratch/store" "${replayed[@]}"
check "replay sees one that leaves too soon" 'exits 1' 'out "before its pacer lets it (every T burst B)"'

# Killed while messages wait: what did not leave is not delivered, and no more than that.
sed -i 's/return tp_product(params->B, params->T);/return tp_product(params->B - 1, params->T);/' "$scratch/quota/api_quota_client_loop.c"
build "$scratch/quota"
start "$scratch/quota" api_quota "T=1000000000 A=4 B=1 L=60000000000 D=60000000000" app client server user
until_true '[ "$(occurrences Answer)" -ge 1 ]'
garbage
until_true '[ "$(occurrences refused)" -ge 3 ]'
kill9 1
stop 0 2 3
run replay "$specs/api_quota.tp" "$scratch/store" --set T=1s --set A=4 --set B=1 --set L=60s --set D=60s
check "a client that is killed with calls that wait follows the protocol up to then" 'exits 0' 'said "1 complete instance of 4 stores"'
run replay "$specs/api_quota.tp" "$scratch/store" --set T=2s --set A=4 --set B=1 --set L=60s --set D=60s
check "... and no slower one" 'exits 1'
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs of `generate --loop` whose steps charge several executions of repeated components, or a batch: each is recorded,
# also under kill -9 and garbage, and `replay` tells them apart. TEST_ALL=1: of more protocols.
. "$(dirname "$0")/../cli/tap.sh"
. "$(dirname "$0")/nodes.sh"

# Three executions in one step, two of them of one component; the program says where each ends.
cat >"$scratch/thrice.tp" <<'END'
protocol thrice
role asker
role server
external user
param Least : time
repeated Look, Copy
assume Look >= Least and Copy >= Least
delay d
message Ask : asker -> server
message Told : server -> user
state asker { asked : bool = false }
state server { told : bool = false }
action asker.Ask { when not asked  asked := true  send Ask }
action server.Tell on Ask cost Look + Copy + Look { told := true  send Told }
bound told: delivered Told within d(Ask) + 2*Look + Copy + d(Told)
END
run generate "$scratch/thrice.tp" --out "$scratch/thrice" --loop
build_working "$scratch/thrice" thrice_server
group "$scratch/thrice" thrice Least=2000000 asker:1 server:1 user:1
run replay "$scratch/thrice.tp" "$scratch/store" --set Least=2ms
check "executions of repeated components in one step are recorded one by one" 'exits 0' 'said "2 steps, 2 messages"' \
  'out "bound told: held 1 time"' '[ "$(occurrences Look)" = 2 ]' '[ "$(occurrences Copy)" = 1 ]'
run replay "$scratch/thrice.tp" "$scratch/store" --set Least=60s
check "... each as long as the program said: what assumes more does not hold" 'exits 1' 'out "assumption Look >= Least"'

# A step that records fewer executions than it charges.
sed -i 's/parts\[count++\] = (struct tp_part){.component = 1};/(void)0;/' "$scratch/thrice/thrice_server_loop.c"
build_working "$scratch/thrice" thrice_server
group "$scratch/thrice" thrice Least=2000000 asker:1 server:1 user:1
run replay "$scratch/thrice.tp" "$scratch/store" --set Least=0ms
check "... and one that is not recorded is missed" 'exits 1' 'said "charges 3 occurrences, but Copy has no record of its own"'

# A batch: the tick writes each record that is there.
run generate "$specs/flush_ticker.tp" --out "$scratch/flush" --loop
build_working "$scratch/flush" flush_ticker_flusher
start "$scratch/flush" flush_ticker "n=3 Period=200000000" 'writer[0]' 'writer[1]' 'writer[2]' flusher client
until_true '[ "$(occurrences Sync)" -ge 2 ]'
garbage
until_true '[ "$(occurrences refused)" -ge 4 ]'
kill9 1
stop 0 2 3 4
check "told to end, they close their stores" '[ $? -eq 0 ]'
run replay "$specs/flush_ticker.tp" "$scratch/store" --set n=3 --set Period=200ms
check "each member of a batch is recorded, under kill -9 and garbage" 'exits 0' 'said "1 complete instance of 5 stores"' \
  'out "bound durable: held 3 times"' '[ "$(occurrences Write)" = 3 ]'
check "... and takes the time that the program says" 'awk "/^[0-9]/ && \$1 < 2000000 { exit 1 }" "$scratch/components/Write.tph"'

sed 's/^role server/param k : int >= 1\n&/; s/cost Look + Copy + Look/cost sum i in 1..k (Look)/; s/2\*Look + Copy/k*Look/; s/ and Copy >= Least//' "$scratch/thrice.tp" >"$scratch/range.tp"
run generate "$scratch/range.tp" --out "$scratch/range" --loop
check "a batch of a range has no loop: it may be of any size" 'exits 65' 'err "this step costs a batch of a range"' '[ ! -e "$scratch/range" ]'

# ZooKeeper's leader sends one of two things, and gives up the processor as often as it likes.
if [ -n "${TEST_ALL:-}" ]; then
  records=2097152
  run generate "$specs/performal/zookeeper_fixed.tp" --out "$scratch/zookeeper" --loop
  build "$scratch/zookeeper"
  start "$scratch/zookeeper" zookeeper_fixed "f=1 log_epoch=-1 log_counter=-1" leader 'follower[0]' 'follower[1]'
  until_true '[ "$(occurrences ProcAck)" -ge 1 ]'
  kill9 2
  stop 0 1
  run replay "$specs/performal/zookeeper_fixed.tp" "$scratch/store" --set f=1 --set log_epoch=-1 --set log_counter=-1
  check "zookeeper_fixed: a run under kill -9 follows the protocol" 'exits 0' 'said "1 complete instance of 3 stores"'
fi
finish

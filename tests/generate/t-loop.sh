#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs of `generate --loop`: nodes that run, are killed and get garbage, and whose recorded runs `replay` accepts; and
# that it does not when a step is another one than the protocol's.
. "$(dirname "$0")/../cli/tap.sh"
. "$(dirname "$0")/nodes.sh"

# ring OPTIONS...: three nodes in the background, their numbers in `nodes`
ring() {
  local i
  nodes=()
  addresses 'node[0]' 'node[1]' 'node[2]' >"$scratch/peers"
  rm -rf "$scratch/store"
  for i in 0 1 2; do
    "$scratch/lock/lock_node" --node $i --peers "$scratch/peers" --set n=3 --out "$scratch/store" "$@" >"$scratch/said$i" 2>&1 &
    nodes+=($!)
  done
}

run generate "$specs/lock.tp" --out "$scratch/lock" --loop
check "--loop writes a program for a role" 'exits 0' 'out "lock_node_main.c"' \
  'make -s -C "$scratch/lock" CC="${CC:-gcc}" CFLAGS=-O0 >"$scratch/log" 2>&1' '[ -x "$scratch/lock/lock_node" ]'
[ -x "$scratch/lock/lock_node" ] || { cat "$scratch/log" >&2; finish; exit 1; }

ring --steps 8
wait "${nodes[@]}"
run replay "$specs/lock.tp" "$scratch/store" --set n=3
check "a run of three nodes follows the protocol" 'exits 0' 'said "the run follows it: 1 complete instance of 3 stores, 24 steps, 12 messages"' \
  'out "bound full_circle: held 1 time"' 'grep -q "^node\[0\]: 8 steps; packets refused 0" "$scratch/said0"'

# No room behind the header: 1 KB blocks, and the header's 2 MB are fewer than the log's.
(ulimit -f 3000; exec "$scratch/lock/lock_node" --node 0 --peers "$scratch/peers" --set n=3 --out "$scratch/full" --records 1048576) >"$scratch/out" 2>"$scratch/err"
check "a full disk is said in one sentence" '[ "$(wc -l <"$scratch/err")" -eq 1 ]' \
  'grep -qE "node.0.: the store .[^ ]*. cannot grow by [0-9]+ KB: File too large; what was recorded is kept$" "$scratch/err"'

# The ring stands still while it is watched: the log has place for what it does before.
ring --records 1048576
until_true '[ "$(ls "$scratch"/store 2>/dev/null | wc -l)" -eq 3 ]'
sleep 0.2
kill -STOP "${nodes[2]}"
until_true '[ "$(occurrences Accept)" -gt 10 ] || { kill -CONT "${nodes[2]}"; sleep 0.2; kill -STOP "${nodes[2]}"; false; }'
garbage
until_true '[ "$(occurrences refused)" -gt 2 ]'
kill -CONT "${nodes[2]}"
kill -9 "${nodes[1]}"
wait "${nodes[1]}" 2>/dev/null
kill "${nodes[0]}" "${nodes[2]}"
wait "${nodes[0]}" && wait "${nodes[2]}"
status=$?
check "told to end, a node closes its store" 'exits 0'
check "garbage is counted and recorded" 'grep -qE "packets refused [1-9]" "$scratch/said0"' '[ "$(occurrences refused)" -gt 2 ]'
run replay "$specs/lock.tp" "$scratch/store" --set n=3
check "a run under kill -9 and garbage follows the protocol" 'exits 0' 'said "the run follows it: 1 complete instance of 3 stores"'

# What replay is for: steps that are not the protocol's, although the program runs well.
sed -i 's/out->Transfer_epoch = self->epoch + 1;/out->Transfer_epoch = self->epoch + 2;/' "$scratch/lock/lock_node.c"
make -s -C "$scratch/lock" CC="${CC:-gcc}" CFLAGS=-O0 >"$scratch/log" 2>&1
ring --steps 8
wait "${nodes[@]}"
run replay "$specs/lock.tp" "$scratch/store" --set n=3
check "a wrong step is seen in its run" 'exits 1' 'grep -q "8 steps" "$scratch/said0"' 'out "node[0].Grant"'

# Sets of messages, a role with one node, an external that has no address, waits.
run generate "$specs/primary_backup.tp" --out "$scratch/pb" --loop
make -s -C "$scratch/pb" CC="${CC:-gcc}" CFLAGS=-O0 >"$scratch/log" 2>&1
addresses primary 'backup[0]' 'backup[1]' >"$scratch/peers"
rm -rf "$scratch/store"
"$scratch/pb/primary_backup_primary" --peers "$scratch/peers" --set n=2 --out "$scratch/store" --steps 3 >"$scratch/said" 2>&1 &
nodes=($!)
for i in 0 1; do
  "$scratch/pb/primary_backup_backup" --node $i --peers "$scratch/peers" --set n=2 --out "$scratch/store" --steps 2 >"$scratch/said$i" 2>&1 &
  nodes+=($!)
done
wait "${nodes[@]}"
run replay "$specs/primary_backup.tp" "$scratch/store" --set n=2
check "a primary and its backups follow theirs" 'exits 0' 'said "7 steps, 5 messages"' 'out "bound reply: held 1 time"'

addresses client primary 'backup[0]' 'backup[1]' >"$scratch/peers"
rm -rf "$scratch/store"
nodes=()
for one in client primary 'backup --node 0' 'backup --node 1'; do
  # shellcheck disable=SC2086
  "$scratch/pb/primary_backup_"$one --peers "$scratch/peers" --set n=2 --out "$scratch/store" >"$scratch/said" 2>&1 &
  nodes+=($!)
done
until_true '[ "$(occurrences PrimaryAck)" = 2 ]'
garbage
until_true '[ "$(occurrences refused)" -gt 3 ]'
kill -9 "${nodes[2]}"
wait "${nodes[2]}" 2>/dev/null
kill "${nodes[0]}" "${nodes[1]}" "${nodes[3]}"
wait "${nodes[0]}" && wait "${nodes[1]}" && wait "${nodes[3]}"
status=$?
check "told to end, they close their stores" 'exits 0'
run replay "$specs/primary_backup.tp" "$scratch/store" --set n=2
check "so do they under kill -9 and garbage, with a client whose program takes no step" 'exits 0' \
  'said "1 complete instance of 4 stores, 7 steps, 5 messages"'

# Two actions that are always enabled have their turns.
cat >"$scratch/turns.tp" <<'END'
protocol turns
role clock
external bell
repeated Tick
repeated Tock
delay d
message Sound(number: int) : clock -> bell
state clock { ticks : int = 0  tocks : int = 0 }
action clock.Tick cost Tick { ticks := ticks + 1 }
action clock.Tock cost Tock { tocks := tocks + 1  send Sound(tocks) }
END
run generate "$scratch/turns.tp" --out "$scratch/turns" --loop
make -s -C "$scratch/turns" CC="${CC:-gcc}" CFLAGS=-O0 >"$scratch/log" 2>&1
addresses clock >"$scratch/peers"
rm -rf "$scratch/store"
"$scratch/turns/turns_clock" --peers "$scratch/peers" --out "$scratch/store" --steps 8 >"$scratch/said" 2>&1
check "actions that are always enabled have their turns" 'exits 0' '[ "$(occurrences Tick)" = 4 ]' '[ "$(occurrences Tock)" = 4 ]'

# A cost of two components: the program says where the first one ends.
run generate "$specs/raft.tp" --out "$scratch/raft" --loop
build_working "$scratch/raft" raft_follower
group "$scratch/raft" raft f=1 client:1 leader:4 disk:1 'follower[0]:2' 'follower[1]:2'
run replay "$specs/raft.tp" "$scratch/store" --set f=1
check "a cost of two components is recorded as two" 'exits 0' 'said "9 steps, 7 messages"' 'out "bound commit: held 1 time"' \
  '[ "$(occurrences Check)" = 2 ]' '[ "$(occurrences Persist)" = 2 ]'
check "... the first up to where the program says, the last from there" \
  'for part in Check Persist; do awk "/^[0-9]/ && \$1 < 2000000 { exit 1 }" "$scratch/components/$part.tph" || exit 1; done'

# A cost under a condition: of four answers one is charged.
run generate "$specs/redis_wait.tp" --out "$scratch/redis" --loop
make -s -C "$scratch/redis" CC="${CC:-gcc}" CFLAGS=-O0 >"$scratch/log" 2>&1
group "$scratch/redis" redis_wait "n=4 k=2" client:2 primary:5 'replica[0]:1' 'replica[1]:1' 'replica[2]:1' 'replica[3]:1'
run replay "$specs/redis_wait.tp" "$scratch/store" --set n=4 --set k=2
check "a cost under a condition is recorded where it holds" 'exits 0' 'said "10 steps, 10 messages"' '[ "$(occurrences Finish)" = 1 ]'

# Timers and clock reads: every period, and where no answer comes.
run generate "$specs/periodic_load.tp" --out "$scratch/periodic" --loop
make -s -C "$scratch/periodic" CC="${CC:-gcc}" CFLAGS=-O0 >"$scratch/log" 2>&1
group "$scratch/periodic" periodic_load T=100000000 sensor:6 server:6 user:6
run replay "$specs/periodic_load.tp" "$scratch/store" --set T=100ms
check "a timer passes every period" 'exits 0' 'said "12 steps, 12 messages"' 'out "bound alarm: held 6 times"'
rm -rf "$scratch/store"
nodes=()
for one in sensor server user; do
  "$scratch/periodic/periodic_load_$one" --peers "$scratch/peers" --set T=100000000 --out "$scratch/store" >"$scratch/said" 2>&1 &
  nodes+=($!)
done
until_true '[ "$(occurrences Handle)" -ge 2 ]'
garbage
kill -9 "${nodes[1]}"
wait "${nodes[1]}" 2>/dev/null
sleep 0.3
kill "${nodes[0]}" "${nodes[2]}"
wait "${nodes[0]}" "${nodes[2]}"
run replay "$specs/periodic_load.tp" "$scratch/store" --set T=100ms
check "... also when who hears of it is killed, in the middle of a run" 'exits 0' 'said "1 complete instance of 3 stores"' 'out "bound alarm: held"'

run generate "$specs/semi_sync.tp" --out "$scratch/semi" --loop
make -s -C "$scratch/semi" CC="${CC:-gcc}" CFLAGS=-O0 >"$scratch/log" 2>&1
group "$scratch/semi" semi_sync "n=1 k=1 Timeout=30000000" client:1 source:2
run replay "$specs/semi_sync.tp" "$scratch/store" --set n=1 --set k=1 --set Timeout=30ms
check "a timer passes where no answer comes, so long after the clock was read" 'exits 0' 'said "2 steps, 2 messages"' 'out "bound commit: held 1 time"'
sed -i 's/self->deadline = /&-1000000 + /' "$scratch/semi/semi_sync_source.c"
make -s -C "$scratch/semi" CC="${CC:-gcc}" CFLAGS=-O0 >"$scratch/log" 2>&1
group "$scratch/semi" semi_sync "n=1 k=1 Timeout=30000000" client:1 source:2
run replay "$specs/semi_sync.tp" "$scratch/store" --set n=1 --set k=1 --set Timeout=30ms
check "one that passes too early is seen" 'exits 1' 'out "starts 1.000 ms before its timer"'

cat >"$scratch/late.tp" <<'END'
protocol late
param T : time
role a
role b
component Go
delay d
message Word : a -> b
state a { said : bool = false }
state b { heard : bool = false }
action a.Say on timer T cost Go { when not said  said := true  send Word }
action b.Hear on Word { heard := true }
bound heard: delivered Word within T + Go + d
END
run generate "$scratch/late.tp" --out "$scratch/late" --loop
build "$scratch/late"
group "$scratch/late" late T=30000000 a:1 b:1
run replay "$scratch/late.tp" "$scratch/store" --set T=30ms
check "a protocol that begins with a timer: the recording says when its time began" 'exits 0' 'said "2 steps, 1 message"' 'out "bound heard: held 1 time"'
run replay "$scratch/late.tp" "$scratch/store" --set T=31ms
check "... so that one that passes too early is seen" 'exits 1' 'out "starts 1.000 ms before its timer"'

grep -v -e '^message' -e '^bound' "$scratch/turns.tp" | sed 's/  send .* }/ }/' >"$scratch/silent.tp"
run generate "$scratch/silent.tp" --out "$scratch/silent" --loop
check "a protocol without messages has no loop" 'exits 65' 'err "a loop is for nodes that exchange messages"' '[ ! -e "$scratch/silent" ]'

number=0
for spec in "$specs"/*.tp "$specs"/performal/*.tp; do
  number=$((number + 1))
  [ -n "${TEST_ALL:-}" ] || [ $((number % 6)) = 0 ] || continue # a sample
  folder=$scratch/all.$(echo "${spec#"$specs"/}" | tr / _)
  # Two of those with nodes that rest are in t-loop-rest.
  [ -n "${TEST_ALL:-}" ] || ! grep -qE 'on timeout|at any time|^schedule' "$spec" || continue
  run generate "$spec" --out "$folder" --loop
  if [ "$status" -eq 0 ]; then
    make -s -C "$folder" CC="${CC:-gcc}" CFLAGS=-O0 >"$scratch/log" 2>&1
    check "${spec#"$specs"/}: its loops are programs without a warning" "[ $? -eq 0 ] || ! cat '$scratch/log' >&2"
  else
    check "${spec#"$specs"/}: has no loop, for a reason" 'exits 65' 'err "leave --loop away" || err "has no C"' '[ ! -e "$folder" ]'
  fi
done

# refused CODE WORDS ARGUMENTS...
refused() {
  local code=$1 words=$2
  shift 2
  last="lock_node $*"
  "$scratch/lock/lock_node" "$@" >"$scratch/out" 2>"$scratch/err"
  status=$?
  check "wrong: $words" "exits $code" "err '$words'" '[ "$(wc -l <"$scratch/err")" -eq 1 ]'
}
addresses 'node[0]' 'node[1]' 'node[2]' >"$scratch/peers"
refused 64 "say which node this is: --node I" --peers "$scratch/peers" --set n=3
refused 64 "say where the nodes are: --peers FILE" --node 0 --set n=3
refused 64 "which says: n >= 1; see --set" --node 0 --peers "$scratch/peers" --set n=0
refused 64 "--set m=3: no such option" --node 0 --peers "$scratch/peers" --set m=3
refused 64 "--steps: needs a value" --node 0 --steps
refused 66 "nowhere: No such file" --node 0 --peers "$scratch/nowhere" --set n=3
refused 65 "peers:3: the protocol with these parameters has no node node[2]" --node 0 --peers "$scratch/peers" --set n=2
refused 65 "has no address of node[3], which this node is" --node 3 --peers "$scratch/peers" --set n=4
echo "node[0] nonsense" >"$scratch/peers"
refused 65 "peers:1: nonsense is no address; write HOST:PORT" --node 0 --peers "$scratch/peers" --set n=3
finish

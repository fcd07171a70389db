#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where the missing time is: a put that a leader syncs, sends to a follower and applies, and protocols of it that are wrong.
. "$(dirname "$0")/tap.sh"

# WHAT: the leader's cost of a proposal, as the protocol has it
protocol() {
  cat <<END
protocol put
timing eager
role leader
role follower
external client
component Handle
component Sync
component Append
component Apply
delay d
queueing Queuing
message Entry : leader -> follower over d
message Stored : follower -> leader over d
message Done : leader -> client over d
state leader { asked : bool = false }
action leader.Propose cost $1 { when not asked  asked := true  send Entry }
action follower.Store on Entry cost Append { send Stored }
action leader.Commit on Stored cost Apply { send Done }
invariant order_1: not asked implies time(leader) <= 0
invariant order_2: pending Entry implies time(follower) <= time(Entry)
invariant order_4: not received Entry implies time(follower) <= 0
invariant order_6: pending Stored implies time(leader) <= time(Stored)
invariant order_9: sent Entry and not received Stored implies time(leader) <= time(Entry)
invariant stored_time: sent Stored implies time(Stored) <= $2 + d(Entry) + Append + d(Stored)
invariant entry_time: sent Entry implies time(Entry) <= $2 + d(Entry)
bound put: delivered Done within $2 + d(Entry) + Append + d(Stored) + Apply + d(Done)$3
END
}
protocol 'Handle + Sync' 'Handle + Sync' >"$scratch/right.tp"
protocol 'Handle' 'Handle' | sed '/^component Sync/d' >"$scratch/forgot.tp"
protocol 'Handle + Sync' 'Handle + Sync' ' + Sync' >"$scratch/twice.tp"

# ROWS SEED: disks have skewed latencies and share bursts; GAP is drawn anew and in no column. Stray is a column that
# nobody waits for. `put` is what the client saw.
table() {
  python3 - "$1" "$2" "${3:-0}" <<'END'
import random, sys
rows, seed, gap = (int(argument) for argument in sys.argv[1:])
rand = random.Random(seed).random
print("put_ns,Handle_ns,Sync_ns,d.Entry_ns,Append_ns,d.Stored_ns,Apply_ns,d.Done_ns,Stray_ns")
burst = False
for _ in range(rows):
    burst ^= rand() < 0.01
    slow = 5 if burst else 1
    disk = lambda least: int(slow * (least + 900000 * rand() * rand()))
    handle, sync, entry = int(20000 + 9000 * rand()), disk(300000), int(50000 + 20000 * rand())
    append, stored, apply = disk(300000), int(50000 + 20000 * rand()), int(9000 + 5000 * rand())
    done, stray = int(50000 + 20000 * rand()), disk(200000)
    parts = [handle, sync, entry, append, stored, apply, done]
    print(sum(parts) + int(gap * (0.2 + rand())), *parts, stray, sep=",")
END
}
table 2000 1 >"$scratch/put.csv"
table 2000 2 300000 >"$scratch/gap.csv"
table 60 3 >"$scratch/few.csv"
sed '1s/$/,Never_ns/; 2,$s/$/,0/' "$scratch/gap.csv" >"$scratch/never.csv"
cut -d, -f1,2,4- "$scratch/put.csv" >"$scratch/unmeasured.csv"
ask() { # PROTOCOL TABLE OPTION...
  local name=$1 data=$2
  shift 2
  run percentiles "$scratch/$name.tp" --joint "$scratch/$data.csv" --observed put -p 50,90,99 "$@"
}
missing() { json "[.[] | select(.kind == \"missing\")] | length == 1 and (.[0] | $1)"; }

ask right put --json
check 'a protocol that is right misses nothing' '[ "$status" -lt 64 ]' 'json "all(.[]; .kind != \"missing\")"'

ask forgot put --json
check 'a forgotten sync is named' \
  'missing ".what == \"missing\" and .requests == 2000 and .longer == 2000"' \
  'missing ".parts | map(.column) == [\"Sync\"]"' \
  'missing ".parts[0] | .cause and (.in_bound | not) and .share_lower > 0.95 and .share_lower <= .share and .share <= .share_upper"'
check 'at each percentile, with its size' \
  'missing ".percentiles | map(.p) == [\"50\", \"90\", \"99\"] and map(.requests) == [1000, 200, 20]"' \
  'missing ".percentiles | all(.parts_ns[0].mean_ns == .mean_ns and .rest_ns == 0) and .[0].mean_ns < .[2].mean_ns"'
ask forgot put
check 'in words' 'said "Where the missing time is (2000 of 2000 requests took longer than their bound): Sync was measured, but is in no term of the bound"' \
  'grep -qE "around p99 +20 +[0-9.]+ ms" "$scratch/out"'
ask forgot gap --json
check 'beside a gap that no column has' 'missing ".parts | map(.column) == [\"Sync\"] and .[0].cause and .[0].share < 0.95"' \
  'missing ".percentiles | all(.rest_ns > 150000)"'

ask right gap --json
check 'a gap that no column has is nobody'"'"'s' 'missing ".parts == [] and .longer == 2000"'
ask right gap
check 'and said to be' 'said "in no column of the table"' 'said "Stray was measured, but is in no term of the bound. Look whether requests wait for it"'
ask right gap --json
check 'a column that no term counts is told where none is named' 'missing ".unused | map(.column) == [\"Stray\"]"'
ask right never --json
check 'one that never took any time is not' 'missing ".unused | map(.column) == [\"Stray\"]"'
ask forgot put --json
check '... and there alone' 'missing ".unused == []"'
ask forgot unmeasured --json
check 'nor is a forgotten sync that nobody measured' 'missing ".parts | all(.cause | not)"'
ask forgot few --json
check 'few requests name nothing' 'missing ".parts == [] and .requests == 60"'
ask forgot few
check 'and say how many it takes' 'said "cannot tell: it takes 80 requests or more, and these are 60"'

ask twice put --json
check 'a sync that is counted twice is a surplus' 'missing ".what == \"surplus\" and .longer == 0"' \
  'missing ".parts | map(.column) == [\"Sync\"] and .[0].cause and .[0].in_bound"'
ask twice put
check 'in words' 'said "Sync is counted by the bound, but requests did not wait for it"'

# A sync beside the way to the follower and back: the leader waits for the slower of the two.
awk -F, -v OFS=, 'NR > 1 { way = $4 + $5 + $6; $1 = $2 + ($3 > way ? $3 : way) + $7 + $8 } 1' "$scratch/put.csv" >"$scratch/beside.csv"
ask forgot beside --json
check 'a sync forgotten beside a step that counts' 'missing ".longer > 200 and .longer < 1800 and .parts == []"' \
  'missing ".beside | map(.column) == [\"Sync\"] and (.[0].in_bound | not) and .[0].share_lower > 0"'
ask forgot beside
check 'in words' 'said "Sync was measured, but is in no term of the bound, and goes with how much longer those"' 'said "Look for a \`max\`"'
cut -d, -f1,2,4- "$scratch/beside.csv" >"$scratch/unmeasured.csv"
ask forgot unmeasured --json
check 'where nobody measured it nothing else is blamed' 'missing ".beside == []"'

# what did not happen takes no part, what never ended is left out
{ sed -n 1p "$scratch/put.csv"; sed 1d "$scratch/put.csv" | awk -F, -v OFS=, 'NR % 4 == 0 { $1 -= $3; $3 = "-" } NR == 100 { $1 = "inf" } 1'; } >"$scratch/some.csv"
ask forgot some --json
check 'a sync in some requests only' 'missing ".requests == 1999 and .longer == 1499 or .longer == 1500"' \
  'missing ".parts | map(.column) == [\"Sync\"] and .[0].cause"'

mkdir "$scratch/apart"
for column in 2 4 5 6 7 8; do
  name=$(head -1 "$scratch/put.csv" | cut -d, -f$column)
  { echo latency_ns && sed 1d "$scratch/put.csv" | cut -d, -f$column; } >"$scratch/apart/${name%_ns}.csv"
done
{ echo latency_ns && sed 1d "$scratch/put.csv" | cut -d, -f1; } >"$scratch/put-alone.csv"
run percentiles "$scratch/forgot.tp" --data "$scratch/apart" --joint none --observed "$scratch/put-alone.csv" -p 50 --json
check 'what was measured apart says nothing of where' '[ "$status" -lt 64 ]' 'json "all(.[]; .kind != \"missing\")"'
finish

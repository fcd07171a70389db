#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# In which order programs of `generate --loop` take messages: on FIFO channels as they were sent, and what is urgent first.
# `replay` accepts their runs, and not those of programs that know of no order.
. "$(dirname "$0")/../cli/tap.sh"
. "$(dirname "$0")/nodes.sh"

# The first of two messages cannot be taken yet when both are there.
cat >"$scratch/queue.tp" <<'END'
protocol queue
role client
role helper
role worker
external user
component Give, Help, Hear, Begin, End
delay d
message First  : client -> worker fifo
message Second : client -> worker fifo
message Hint   : client -> helper
message Open   : helper -> worker
message Over   : worker -> user
state client { gave : bool = false }
state worker { open : bool = false }
action client.Give cost Give { when not gave  gave := true  send First  send Second  send Hint }
action helper.Help on Hint cost Help { send Open }
action worker.Hear on Open cost Hear { open := true }
action worker.Begin on First cost Begin { when open }
action worker.End on Second cost End { send Over }
bound over: delivered Over within Give + Help + Hear + Begin + End + 3*d
END
queue() {
  group "$scratch/queue" queue "" client:1 helper:1 worker:3 user:1
  run replay "$scratch/queue.tp" "$scratch/store"
}
run generate "$scratch/queue.tp" --loop --out "$scratch/queue"
build "$scratch/queue"
queue
check "a FIFO message waits for the one before it" 'exits 0' 'said "5 steps, 5 messages"' 'out "bound over: held 1 time"'
sed -i 's/ .fifo = true,//; s/, .fifo = true//; s/.fifo = true/.taken = true/' "$scratch/queue/queue_worker_loop.c"
build "$scratch/queue"
queue
check "without that replay says what overtook" 'exits 1' 'out "Second"'

# One action sends them in one order, and another in the other.
sed 's/^action helper/action client.Again cost Give { when gave  send Second  send First }\n&/' "$scratch/queue.tp" >"$scratch/both.tp"
run generate "$scratch/both.tp" --loop --out "$scratch/both"
check "one order of sending for all actions, or no loop" 'exits 65' 'err "send them in the same order everywhere"' '[ ! -e "$scratch/both" ]'
run generate "$scratch/both.tp" --out "$scratch/both"
check "... of the steps alone the caller sends" 'exits 0'

# An order to stop comes while the worker has a job, and more of them wait: it works until the order has left.
cat >"$scratch/urgent.tp" <<'END'
protocol urgent
timing eager
role client
role boss
role worker
external user
component Give, Load[int], Work[int], Order, Halt
delay d
message Job(k: int) : client -> worker
message Given       : client -> boss
message Stop        : boss -> worker priority 7
message Idle        : worker -> user
state client { gave : bool = false }
state worker { worked : int = 0 }
action client.Give cost Give {
  when not gave
  gave := true
  send Job(1)
  send Job(2)
  send Job(3)
  send Job(4)
  send Given
}
action boss.Order on Given cost Order { send Stop }
action worker.Work on Job(k) cost Load[k] + Work[k] { worked := worked + 1 }
action worker.Stop on Stop cost Halt { send Idle }
bound idle: delivered Idle within Give + Order + Load[1] + Work[1] + Load[2] + Work[2] + Load[3] + Work[3] + Load[4] + Work[4] + Halt + 3*d
END
urgent() {
  rm -f "$scratch/go"
  WORK_UNTIL=$scratch/go start "$scratch/urgent" urgent "" client:1 boss:1 worker:"$1" user:1
  wait "${nodes[0]}" "${nodes[1]}"
  touch "$scratch/go"
  wait
  run replay "$scratch/urgent.tp" "$scratch/store"
}
run generate "$scratch/urgent.tp" --loop --out "$scratch/urgent"
build_working "$scratch/urgent" urgent_worker
urgent 2
check "what is urgent is taken before what came earlier" 'exits 0' 'said "the run follows it"' '[ "$(occurrences Halt)" = 1 ]'
sed -i 's/, .priority = 1//' "$scratch/urgent/urgent_worker_loop.c"
build_working "$scratch/urgent" urgent_worker
urgent 5
check "without that replay says what passed it by" 'exits 1' 'out "Stop"'
finish

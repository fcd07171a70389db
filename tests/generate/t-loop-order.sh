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

# build_network FOLDER PROGRAM: the same, and of what this program sends the first $LOSE messages are lost; with $SWAP the next
# one is overtaken by the one behind it
build_network() {
  cat >"$scratch/network.c" <<'END'
#define _GNU_SOURCE /* program_invocation_short_name */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tp_socket.h"

struct tp_port __real_tp_socket_port(struct tp_socket *);
static struct tp_port real;
static uint8_t held[TP_PACKET];
static int count;

static bool send_some(void *context, int32_t to, const uint8_t *bytes, size_t size) {
  const int lost = atoi(getenv("LOSE")), number = size == TP_PACKET ? count++ : -1;
  if (0 <= number && number < lost)
    return true;
  if (number == lost && getenv("SWAP") != NULL) {
    memcpy(held, bytes, size);
    return true;
  }
  const bool sent = real.send(context, to, bytes, size);
  return number == lost + 1 && getenv("SWAP") != NULL ? real.send(context, to, held, TP_PACKET) : sent;
}

struct tp_port __wrap_tp_socket_port(struct tp_socket *socket) {
  struct tp_port port = real = __real_tp_socket_port(socket);
  if (strcmp(program_invocation_short_name, PROGRAM) == 0)
    port.send = send_some;
  return port;
}
END
  build "$1"
  (cd "$1" && ${CC:-gcc} -c -I. "-I$root/measure" -DPROGRAM="\"$2\"" "$scratch/network.c" -o network.o && rm "$2" && ar rs libsteps.a network.o 2>/dev/null &&
    make -s CC="${CC:-gcc}" CFLAGS=-O0 LDFLAGS="${LDFLAGS:-} -Wl,--wrap=tp_socket_port") >>"$scratch/log" 2>&1
}
run generate "$scratch/queue.tp" --loop --out "$scratch/swapped"
build_network "$scratch/swapped" queue_client
LOSE=0 SWAP=1 group "$scratch/swapped" queue "" client:1 helper:1 worker:3 user:1
run replay "$scratch/queue.tp" "$scratch/store"
check "so it does where the network changed their order" 'exits 0' 'said "5 steps, 5 messages"' 'out "bound over: held 1 time"'

# Two copies are lost.
run generate "$specs/retransmission.tp" --loop --out "$scratch/again"
build_network "$scratch/again" retransmission_sender
settings="k=2 RTO=20000000"
LOSE=2 start "$scratch/again" retransmission "$settings" sender receiver:1 app:1
wait "${nodes[1]}" "${nodes[2]}"
stop 0
run replay "$specs/retransmission.tp" "$scratch/store" --set k=2 --set RTO=20ms
check "a copy behind two that were lost is taken" 'exits 0' 'out "bound read: held 1 time"'
run replay "$specs/retransmission.tp" "$scratch/store" --set k=1 --set RTO=20ms
check "... not where the protocol lets only one be lost" 'exits 1' 'out "Data"'

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

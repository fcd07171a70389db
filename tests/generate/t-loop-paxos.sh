#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Multi-Paxos on generated steps: a leader, its followers and a client run the programs of `generate --loop`, a follower is
# killed before it can answer, and `replay` accepts what was recorded, but not of a leader that decides too soon.
. "$(dirname "$0")/../cli/tap.sh"
. "$(dirname "$0")/nodes.sh"

# The slots besides the path of a request take 1 ms. Node DIES (numbered through all roles) dies of SIGKILL in the step that
# takes the proposal, so before its answer has left.
cat >"$scratch/work.c" <<'END'
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "multi_paxos_replica_step.h"
#include "tp_socket.h"

const char *__real_tp_loop_open(struct tp_loop *, const struct tp_role *, void *, int32_t, uint64_t, const struct tp_port *,
                                struct tailproof_store *);
struct tp_port __real_tp_socket_port(struct tp_socket *);
static struct tp_loop *opened;

const char *__wrap_tp_loop_open(struct tp_loop *loop, const struct tp_role *role, void *node, int32_t self, uint64_t run,
                                const struct tp_port *port, struct tailproof_store *store) {
  opened = loop;
  return __real_tp_loop_open(loop, role, node, self, run, port, store);
}

static bool work(void *context, int32_t action) {
  const char *dies = getenv("DIES");
  (void)context;
  if (action == replica_did_OnPropose && dies != NULL && atoi(dies) == opened->self)
    raise(SIGKILL);
  if (action == replica_did_Loop)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  return true;
}

struct tp_port __wrap_tp_socket_port(struct tp_socket *socket) {
  struct tp_port port = __real_tp_socket_port(socket);
  port.work = work;
  return port;
}
END
# programs: builds those of $scratch/paxos, the replica's with the work above
programs() {
  build "$scratch/paxos"
  (cd "$scratch/paxos" && ${CC:-gcc} -c -I. "-I$root/measure" "$scratch/work.c" -o work.o && rm multi_paxos_replica &&
    ar rs libsteps.a work.o 2>/dev/null && make -s CC="${CC:-gcc}" CFLAGS=-O0 multi_paxos_replica \
    LDFLAGS="${LDFLAGS:-} -Wl,--wrap=tp_loop_open,--wrap=tp_socket_port") >>"$scratch/log" 2>&1 || cat "$scratch/log" >&2
}
cluster=(client 'replica[0]' 'replica[1]' 'replica[2]')

run generate "$specs/multi_paxos.tp" --out "$scratch/paxos" --loop
programs
start "$scratch/paxos" multi_paxos f=1 "${cluster[@]}"
until_true '[ "$(occurrences Execute)" -ge 1 ]'
stop
check "told to end, they close their stores" '[ $? -eq 0 ]'
run replay "$specs/multi_paxos.tp" "$scratch/store" --set f=1
check "a request to three replicas follows the protocol, and its bounds hold" 'exits 0' \
  'said "1 complete instance of 4 stores"' 'out "bound reply: held 1 time"' 'out "bound reply_max: held 1 time"'

DIES=3 start "$scratch/paxos" multi_paxos f=1 "${cluster[@]}"
until_true '[ "$(occurrences Execute)" -ge 1 ]'
wait "${nodes[3]}"
died=$?
garbage
until_true '[ "$(occurrences refused)" -ge 3 ]'
stop 0 1 2
run replay "$specs/multi_paxos.tp" "$scratch/store" --set f=1
check "a follower is killed before it answers, garbage comes: the other two decide" 'exits 0' '[ $died -eq 137 ]' \
  'said "1 complete instance of 4 stores"' 'out "bound reply: held 1 time"' '[ "$(occurrences TakePropose)" = 2 ]'

# The first answer is enough for this leader.
sed -i 's/== params->f + 1/== params->f/' "$scratch/paxos/multi_paxos_replica.c"
programs
start "$scratch/paxos" multi_paxos f=1 "${cluster[@]}"
until_true '[ "$(occurrences Execute)" -ge 1 ]'
stop
run replay "$specs/multi_paxos.tp" "$scratch/store" --set f=1
check "replay sees a leader that decides with one answer too few" 'exits 1' 'said "StayInView"'
finish

# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Nodes that run programs of `generate --loop`, for the tests beside; after tap.sh.
root=$PWD
case $BUILD in /*) build=$BUILD ;; *) build=$root/$BUILD ;; esac
export MEASURE_CFLAGS="-I$root/measure" MEASURE_LIBS="$build/libtailproof-measure.a"
[ -z "${SANITIZED:-}" ] || export LDFLAGS="-fsanitize=address,undefined"
trap 'kill -9 $(jobs -p) 2>/dev/null; rm -rf "$scratch"' EXIT

# addresses NAME...: a line for each node with a port that is free
addresses() {
  python3 - "$@" <<'END'
import socket, sys
held = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in sys.argv[1:]]
for name, one in zip(sys.argv[1:], held):
    one.bind(("127.0.0.1", 0))
    print(f"{name} 127.0.0.1:{one.getsockname()[1]}")
END
}

# To each of the nodes, bytes that are no message of the run.
garbage() {
  python3 - "$scratch/peers" <<'END'
import os, random, socket, sys
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for line in open(sys.argv[1]):
    host, port = line.split()[1].split(":")
    for k in range(40):
        size = random.choice([1, 24, 119, 120, 121, 500])
        out.sendto(b"TL\2\0"[:size] + os.urandom(size - 4) if k % 2 and size > 4 else os.urandom(size), (host, int(port)))
END
}

# How many occurrences the stores have of a component, also while they are written.
occurrences() {
  rm -rf "$scratch/components"
  "$program" import --out "$scratch/components" "$scratch/store" >/dev/null 2>&1
  sed -n 's/^total //p' "$scratch/components/$1.tph" 2>/dev/null || echo 0
}

# start FOLDER PROTOCOL SETTING NODE[:STEPS]...: each of the nodes in the background, their numbers in `nodes`; with its number of
# steps, or until it is told to end. `records`: as many are kept.
start() {
  local folder=$1 protocol=$2 setting=$3 one node role
  shift 3
  addresses "${@%%:[0-9]*}" >"$scratch/peers"
  rm -rf "$scratch/store"
  nodes=()
  for one; do
    node=${one%%:[0-9]*} role=${one%%[:[]*}
    # shellcheck disable=SC2046
    "$folder/${protocol}_$role" $([ "$node" = "$role" ] || echo --node "$(echo "${node##*[}" | tr -dc 0-9)") --peers "$scratch/peers" \
      $([ -z "$setting" ] || printf -- '--set %s ' $setting) --records "${records:-16384}" --out "$scratch/store" $([ "$node" = "$one" ] || echo --steps "${one##*:}") \
      >"$scratch/said.$node" 2>&1 &
    nodes+=($!)
  done
}

# group ...: the same, until all have ended
group() {
  start "$@"
  wait "${nodes[@]}"
}

# build FOLDER: the programs that were generated there
build() {
  make -s -C "$1" CC="${CC:-gcc}" CFLAGS=-O0 >"$scratch/log" 2>&1 || cat "$scratch/log" >&2
}

# stop [INDEX...]: tells the nodes to end (all of those started), and waits; the exit code of the last one
stop() {
  local index
  [ $# -ne 0 ] || set -- "${!nodes[@]}"
  for index; do kill "${nodes[$index]}"; done
  for index; do wait "${nodes[$index]}"; done
}

# kill9 INDEX: ends the node at once
kill9() {
  kill -9 "${nodes[$1]}"
  wait "${nodes[$1]}" 2>/dev/null
}

# build_working FOLDER PROGRAM: the same, and in this program each of several parts of a step takes 2 ms;
# longer, until the file $WORK_UNTIL is there
build_working() {
cat >"$scratch/work.c" <<'END'
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

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
  (void)context, (void)action;
  const char *until = getenv("WORK_UNTIL");
  for (int32_t i = 0; opened->taken.part_count >= 2 && i < opened->taken.part_count; i++) {
    do
      nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    while (until != NULL && access(until, F_OK) != 0);
    tp_loop_part(opened);
  }
  return true;
}

struct tp_port __wrap_tp_socket_port(struct tp_socket *socket) {
  struct tp_port port = __real_tp_socket_port(socket);
  port.work = work;
  return port;
}
END
  build "$1"
  (cd "$1" && ${CC:-gcc} -c -I. "-I$root/measure" "$scratch/work.c" -o work.o && rm "$2" && ar rs libsteps.a work.o 2>/dev/null &&
    make -s CC="${CC:-gcc}" CFLAGS=-O0 LDFLAGS="${LDFLAGS:-} -Wl,--wrap=tp_loop_open,--wrap=tp_socket_port") >>"$scratch/log" 2>&1
}

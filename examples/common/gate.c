/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/common/gate.h"

#include "examples/common/complain.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

void *shared_memory(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED)
    return memory;
  complain("%zu bytes of shared memory: %s", bytes, strerror(errno));
  return NULL;
}

void gate_pass(struct gate *gate) {
  struct timespec pause = {.tv_nsec = 500000};
  atomic_fetch_add(&gate->ready, 1);
  while (atomic_load(&gate->ready) < gate->expected)
    nanosleep(&pause, NULL);
}

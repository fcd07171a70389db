/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files that somebody cuts short while they are in memory. The kernel answers a write behind their end with SIGBUS, and the
 * program that records is not to die of it: what is missing becomes memory of its own, which nobody reads. Other programs'
 * handlers, set before, get every SIGBUS that is not of such a file.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "measure/record/inside.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANGES = 4096 }; /* one for each writer and late histogram; those beyond are not guarded */

/* Written with the stores' lock held, read by the handler at any time: `base` is 0 while `end` changes. */
static struct guarded { atomic_uintptr_t base, end; } ranges[RANGES];
static atomic_uint used; /* ranges behind it were never used */
static struct sigaction before;
static bool watching;

/* Only system calls, and none that may be called twice with harm. */
static bool replace(uintptr_t address) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (unsigned i = 0; i < atomic_load(&used); i++) {
    uintptr_t base = atomic_load(&ranges[i].base), end = atomic_load(&ranges[i].end);
    if (base == 0 || address < base || address >= end)
      continue;
    void *from = (void *)(address / page * page); /* NOLINT: from here on the file has no more */
    return mmap(from, end - (uintptr_t)from, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  }
  return false;
}

/* As if this library had set nothing. */
static void hand_on(int signal, siginfo_t *about, void *context) {
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(signal, about, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else if (before.sa_handler == SIG_DFL || about->si_code > 0) {
    /* the access happens again, or the signal is sent again, and ends the program */
    struct sigaction end = {.sa_handler = SIG_DFL};
    sigaction(SIGBUS, &end, NULL);
    if (about->si_code <= 0)
      raise(SIGBUS);
  }
}

static void on_bus_error(int signal, siginfo_t *about, void *context) {
  int kept = errno;
  if (about->si_code != BUS_ADRERR || !replace((uintptr_t)about->si_addr))
    hand_on(signal, about, context);
  errno = kept;
}

static void watch(void) {
  if (watching)
    return;

  struct sigaction ours = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&ours.sa_mask);
  watching = sigaction(SIGBUS, &ours, &before) == 0;
}

void cut_guard(const struct mapping *mapping) {
  watch();
  unsigned i = 0;
  while (i < atomic_load(&used) && atomic_load(&ranges[i].base) != 0)
    i++;
  if (i == RANGES)
    return;
  atomic_store(&ranges[i].end, (uintptr_t)mapping->base + mapping->size);
  atomic_store(&ranges[i].base, (uintptr_t)mapping->base);
  if (i == atomic_load(&used))
    atomic_store(&used, i + 1);
}

/* With the last one the handler goes, too, if it is still this one: the library may be unloaded. */
void cut_release(const struct mapping *mapping) {
  bool left = false;
  for (unsigned i = 0; i < atomic_load(&used); i++) {
    if (atomic_load(&ranges[i].base) == (uintptr_t)mapping->base)
      atomic_store(&ranges[i].base, 0);
    left = left || atomic_load(&ranges[i].base) != 0;
  }
  struct sigaction now;
  if (watching && !left && sigaction(SIGBUS, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
      now.sa_sigaction == on_bus_error)
    watching = sigaction(SIGBUS, &before, NULL) != 0;
}

bool cut_happened(int descriptor, uint64_t size) {
  struct stat about;
  return fstat(descriptor, &about) == 0 && (uint64_t)about.st_size < size;
}

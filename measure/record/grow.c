/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Growing the file. Its blocks are allocated before they are mapped, so that a full disk is an
 * error here and never a SIGBUS at a later recording.
 */
#include "measure/record/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older kernels answer EINVAL */
#endif

/* posix_fallocate without SIGXFSZ, which a limit on the size of files sends before EFBIG: the
 * program that records is not to die of it. */
static int allocate(int descriptor, uint64_t offset, uint64_t bytes) {
  sigset_t too_large, before, pending;
  sigemptyset(&too_large);
  sigaddset(&too_large, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &too_large, &before);
  sigpending(&pending);
  int was_pending = sigismember(&pending, SIGXFSZ);
  int error;
  do
    error = posix_fallocate(descriptor, (off_t)offset, (off_t)bytes);
  while (error == EINTR);
  struct timespec at_once = {0, 0};
  if (error == EFBIG && !was_pending)
    while (sigtimedwait(&too_large, NULL, &at_once) < 0 && errno == EINTR)
      ;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}

/* Makes the pages present and writable now, so that the first recordings do not wait for faults.
 * Bytes before `fresh` belong to what is recorded already. */
static int prefault(void *base, size_t size, size_t fresh, size_t page) {
  if (madvise(base, size, MADV_POPULATE_WRITE) == 0)
    return 0;
  if (errno != EINVAL)
    return errno == EFAULT ? ENOSPC : errno;
  for (size_t at = fresh; at < size; at += page) {
    volatile unsigned char *byte = (unsigned char *)base + at;
    *byte = 0; /* which it is */
  }
  return 0;
}

int grow(int descriptor, uint64_t *size, uint64_t bytes, struct mapping *mapping) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE); /* may be larger than FORMAT_PAGE */
  uint64_t from = *size / page * page;
  int error = allocate(descriptor, *size, bytes);
  if (error != 0)
    goto shrink;
  mapping->size = *size + bytes - from;
  mapping->base = mmap(NULL, mapping->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                       descriptor, (off_t)from);
  if (mapping->base == MAP_FAILED) {
    error = errno;
    goto shrink;
  }
  error = prefault(mapping->base, mapping->size, *size - from, page);
  if (error != 0) {
    munmap(mapping->base, mapping->size);
    goto shrink;
  }
  mapping->at = (unsigned char *)mapping->base + (*size - from);
  mapping->next = NULL;
  cut_guard(mapping);
  *size += bytes;
  return 0;
shrink: /* what could be allocated of it would be taken for a segment that was cut off */
  if (ftruncate(descriptor, (off_t)*size) != 0 && error == 0)
    error = errno;
  return error;
}

void unmap(struct mapping *mapping) {
  cut_release(mapping);
  munmap(mapping->base, mapping->size);
}

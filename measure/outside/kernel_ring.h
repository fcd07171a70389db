/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ring that programs in the kernel leave records in (the kernel's
 * Documentation/bpf/ringbuf.rst), read without waiting. libbpf's reader does not say whether it
 * stopped at the end or before a record that is still being written, which one must know to put
 * records in order of time.
 */
#ifndef MEASURE_OUTSIDE_KERNEL_RING_H
#define MEASURE_OUTSIDE_KERNEL_RING_H

#include <stdbool.h>
#include <stddef.h>

struct kernel_ring {
  unsigned long *consumer;
  const unsigned long *producer;
  const unsigned char *bytes;
  size_t size, page;
};

/* Maps the ring of a map of `size` bytes. False with errno. */
bool kernel_ring_map(struct kernel_ring *ring, int map, size_t size);
void kernel_ring_unmap(struct kernel_ring *ring);

/* Hands over the records that are there. Whether it came to where the ring ended when this was
 * called: all records whose space was taken before are then handed over. */
bool kernel_ring_take(struct kernel_ring *ring,
                      void (*take)(void *context, const void *bytes, size_t size), void *context);

#endif

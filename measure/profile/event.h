/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One record of the kernel's ring of samples (perf_event_open(2), "MMAP layout"), decoded. Bytes of
 * any content are safe: what does not fit its record is refused.
 *
 * Samples have the fields EVENT_SAMPLE_TYPE, and every other record ends in the trailer of
 * sample_id_all: process, thread and time.
 */
#ifndef MEASURE_PROFILE_EVENT_H
#define MEASURE_PROFILE_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The fields of a sample; those from REGS_USER on only where the machine's registers are known. */
#define EVENT_SAMPLE_TYPE                                                                          \
  (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define EVENT_STACK_TYPE (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

enum { EVENT_REGISTERS = 3 }; /* frame pointer, stack pointer, program counter */

enum event_kind {
  EVENT_SAMPLE,
  EVENT_MAP,     /* a file, or something else that can be executed, is now in the address space */
  EVENT_COMMAND, /* a thread has a new name; by exec, the process has a new program */
  EVENT_FORK,    /* a process or thread, of another */
  EVENT_EXIT,
  EVENT_LOST,     /* the ring had no space for so many records */
  EVENT_SWITCH,   /* a thread, that of the record, leaves its processor or is back */
  EVENT_THROTTLE, /* the kernel stopped sampling for a while */
  EVENT_OTHER,
};

/* Pointers are into the record. */
struct ring_event {
  enum event_kind kind;
  uint32_t process, thread;
  uint32_t parent_process, parent_thread; /* EVENT_FORK */
  uint64_t time;                          /* ns, CLOCK_MONOTONIC */
  /* EVENT_SAMPLE */
  uint64_t period;
  const uint64_t *chain; /* addresses, with PERF_CONTEXT_ marks between */
  size_t chain_count;
  bool has_registers;
  uint64_t registers[EVENT_REGISTERS];
  const unsigned char *stack; /* a copy of what the stack pointer points to */
  size_t stack_size;
  /* EVENT_MAP */
  uint64_t address, length, offset, inode;
  uint32_t major, minor; /* of the device */
  bool executable;
  const char *name;    /* of a file or a thread; ends in a NUL */
  bool exec;           /* EVENT_COMMAND */
  uint64_t lost;       /* EVENT_LOST */
  bool out, preempted; /* EVENT_SWITCH: it leaves; although it could go on */
};

/* Decodes a record of `size` bytes, aligned to 8. `stacks`: whether samples have EVENT_STACK_TYPE.
 * False where the bytes are no record. */
bool event_decode(struct ring_event *event, const unsigned char *bytes, size_t size, bool stacks);

/* When a record was written, in ns of CLOCK_MONOTONIC; 0 where it is too short to say. */
uint64_t event_time(const unsigned char *bytes, size_t size);

#endif

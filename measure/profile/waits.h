/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waits of threads, put together from what the kernel's scheduler says: a thread leaves its
 * processor, with its stack, and comes back. What is in between is a wait. A thread that leaves
 * although it could go on was preempted, and waits for a processor; any other is blocked, until it
 * is woken and then has a processor again.
 *
 * Nothing is guessed: a wait in whose time records were lost is none, since the thread may have run
 * meanwhile. One that goes on when the recording begins has no stack and is only counted; one that
 * goes on when it ends is cut there.
 */
#ifndef MEASURE_PROFILE_WAITS_H
#define MEASURE_PROFILE_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "measure/profile/tpp_format.h"

enum waiting_state { WAITING_RUNS, WAITING_LEAVES /* its stack is known */, WAITING_AWAY };

struct blocked_thread {
  uint32_t process, thread;
  enum waiting_state state;
  bool preempted, has_stack;
  uint64_t since; /* ns, of WAITING_AWAY */
  uint32_t node;  /* of the file: the program's own calls */
  uint64_t place; /* where in the kernel it waits; 0: not known */
  size_t queued;  /* one more than the record of the queue that it leaves by; 0: none */
};

/* Between these, in ns, records are missing. */
struct waits_loss {
  uint64_t from, to;
};

struct waits {
  VECTOR(struct blocked_thread) list; /* by thread */
  VECTOR(struct waits_loss) losses;
  uint64_t start; /* ns: of the recording */
  struct tpp_waits counts;
};

struct blocked_time {
  struct blocked_thread of;
  uint64_t end; /* ns */
};

/* Keeps waits of `least` ns and more; shorter ones are counted. */
void waits_init(struct waits *waits, uint64_t start, uint64_t least);
void waits_clear(struct waits *waits);

/* The thread's entry, or NULL; valid until another thread is added. */
struct blocked_thread *waits_find(const struct waits *waits, uint32_t thread);

/* A thread is about to leave its processor: from here. */
void waits_stack(struct waits *waits, uint32_t process, uint32_t thread, uint32_t node,
                 uint64_t place);
void waits_leave(struct waits *waits, uint32_t process, uint32_t thread, uint64_t time,
                 bool preempted);
/* It is back. True where that ends a wait that is to be kept. */
bool waits_return(struct waits *waits, uint32_t process, uint32_t thread, uint64_t time,
                  struct blocked_time *wait);
/* A new thread waits for its first processor; one that ended waits no more. */
void waits_begin(struct waits *waits, uint32_t process, uint32_t thread, uint64_t time);
void waits_end(struct waits *waits, uint32_t thread);

/* Records from one moment to another are missing. */
void waits_lost(struct waits *waits, uint64_t from, uint64_t to);
/* Losses before a moment no longer matter, as no wait is open since then. */
void waits_forget(struct waits *waits);

/* The recording ends at `time`: the next wait that goes on, from *next on, which begins at 0. */
bool waits_cut(struct waits *waits, size_t *next, uint64_t time, struct blocked_time *wait);

#endif

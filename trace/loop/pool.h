/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Work that waits for a thread of Node.js's pool, because other work than files holds most of them.
 *
 * Example. Four threads, all of them deriving keys for 100 ms, when a file is asked for: it is not
 * read before the first of them is done.
 *
 * A process has one pool for all its loops, which takes what is asked for in that order: files,
 * keys, names of hosts, and pieces that streams compress. So as long as as many of those that were
 * asked for before are not done as there are threads, none is free; and those of them that were
 * asked for first are what the threads do. Names of hosts are looked up by half of the threads at
 * most (libuv's UV__WORK_SLOW_IO), so more of them count as half; and a name waits for one of that
 * half while names have all of it, whatever the other threads do. When work was done is known
 * as an interval (the pool wakes the loop once for several); its early end counts, so that waiting
 * is never told too long. Work of which the log does not say when it was asked for is left out,
 * which makes it shorter, too: what native addons ask for, and files that are watched. Where that
 * contradicts the log, because files are not read by the pool or it is larger than the recorder was
 * told, nothing is said.
 */
#ifndef TRACE_LOOP_POOL_H
#define TRACE_LOOP_POOL_H

#include <stdint.h>

struct event_log; /* trace/event/log.h */

/* By row; all NULL where no work but that of files was done by a pool of known size. `until` is 0
 * where a row is no work of the pool, found a thread, or waited for files. */
struct loop_pool {
  int64_t *until;    /* ns: at least so long it waited */
  uint32_t *behind;  /* of the kind of other work that most threads did when it was asked for, the
                        row that was done last */
  uint32_t *stretch; /* one number for all that wait while the pool is never free */
  uint32_t stretches;
};

void loop_pool_make(struct loop_pool *pool, const struct event_log *log);

/* How long the row waited for a thread from a time on, ns; 0: it did not. */
int64_t loop_pool_wait(const struct loop_pool *pool, uint32_t row, int64_t since);
void loop_pool_clear(struct loop_pool *pool);

#endif

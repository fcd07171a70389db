/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files that wait for a thread of Node.js's pool, because other work holds most of them.
 *
 * Example. Four threads, all of them deriving keys for 100 ms, when a file is asked for: it is not
 * read before the first of them is done.
 *
 * A process has one pool for all its loops, which takes what is asked for in that order. So as long
 * as as many of those that were asked for before are not done as there are threads, none is free;
 * and those of them that were asked for first are what the threads do. When work was done is known
 * as an interval (the pool wakes the loop once for several); its early end counts, so that waiting
 * is never told too long. Work of which the log does not say when it was asked for is left out,
 * which makes it shorter, too. Where that contradicts the log, because files are not read by the
 * pool or it is larger than the recorder was told, nothing is said.
 */
#ifndef TRACE_LOOP_POOL_H
#define TRACE_LOOP_POOL_H

#include <stdint.h>

struct event_log; /* trace/event/log.h */

/* By row; all NULL where no work but that of files was done by a pool of known size. `until` is 0
 * where a row is no file, found a thread, or waited for other files. */
struct loop_pool {
  int64_t *until;    /* ns: at least so long it waited */
  uint32_t *behind;  /* the row of other work that was done last of what stood before it */
  uint32_t *stretch; /* one number for all that wait while the pool is never free */
  uint32_t stretches;
};

void loop_pool_make(struct loop_pool *pool, const struct event_log *log);

/* How long the row waited for a thread from a time on, ns; 0: it did not. */
int64_t loop_pool_wait(const struct loop_pool *pool, uint32_t row, int64_t since);
void loop_pool_clear(struct loop_pool *pool);

#endif

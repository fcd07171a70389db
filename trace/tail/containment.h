/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which call of a table contains which. The columns of a table are inclusive: what a call waited
 * for is in its own column and in its caller's. When a callee is slow, all its callers look slow.
 *
 * Where nobody says who calls whom it is inferred from the rest, the requests that are not slow: a
 * caller's time is its own, which is at least 0, and shares, each at most 1, of its callees' times;
 * they are fitted by least squares. A share is no larger than the rows allow: a request in which a
 * callee took long and the caller did not is a counter-example. Nor does a caller become faster
 * where its callees become slower.
 *
 * Then each call's weight in the latency is fitted: 1 where it is waited for, which is presumed,
 * and 0 where nothing waits for it, however much it varies.
 *
 * This is an estimate by a linear model: calls that run at the same time share what they hide of
 * each other.
 */
#ifndef TRACE_TAIL_CONTAINMENT_H
#define TRACE_TAIL_CONTAINMENT_H

#include <stdbool.h>

#include "trace/tail/causes.h"
#include "trace/tail/table.h"

struct containment {
  size_t count;   /* calls */
  double *shares; /* shares[a * count + b]: how much of b's time is within a's; 0 .. 1 */
  double *weight; /* by call: of its own time, in the latency; 0 .. 1 */
};

/* A caller and its callee, as columns. */
struct call_pair {
  size_t caller, callee;
};
typedef VECTOR(struct call_pair) call_pairs;

/* Reads lines "caller;callee" of names of columns; blank lines and those that begin with # say
 * nothing. STATUS_DATA or STATUS_NO_INPUT after one line to the asker. */
enum status call_pairs_read(call_pairs *pairs, const char *path, const struct call_table *table,
                            const struct asker *asker);

/* `pairs`: who calls whom; NULL: it is to be inferred. There are requests on both sides. */
void containment_find(struct containment *containment, const struct call_table *table,
                      const enum tail_side *sides, const call_pairs *pairs);
void containment_clear(struct containment *containment);

/* A cause for each call, its own time, and one for what no call accounts for. `causes` is not
 * initialised. */
void containment_causes(struct tail_causes *causes, const struct call_table *table,
                        const struct containment *containment, const enum tail_side *sides);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The shape of flows that differ only in how often calls are repeated one after the other. Example:
 * requests that ask `auth`, then `item` once for each of 1 to 100 things, then `pay` are a hundred
 * flows of one shape: auth, the loop over item, pay.
 *
 * A shape is a flow whose loops are one round each; all else of it is what each of its flows has.
 * A request of such a flow has, of each activity in a loop, one duration for each round, and may
 * have none. A flow without loops is its own shape.
 */
#ifndef TRACE_GRAPH_SHAPE_H
#define TRACE_GRAPH_SHAPE_H

#include "trace/graph/graph.h"

/* Calls of one name that a caller makes one after the other, each when the one before has ended.
 * What comes before the loop is what its first round waits for; what comes after it waits for the
 * last. */
struct shape_loop {
  uint32_t call, last;  /* positions of the shape: one round is call .. last */
  uint32_t least, most; /* rounds that requests have */
  bool whole; /* what is below differs by round, or is no row: it is left out, and is the call's */
};

struct flow_shape {
  const struct request_flow *flow; /* `own`, or a flow that is its own shape */
  struct request_flow own;         /* calls, activities, waits and orders; without requests */
  VECTOR(struct shape_loop) loops; /* in the order of their calls; none is within another */
};

/* The loop that a position of the shape is in, or NULL. */
const struct shape_loop *shape_loop_of(const struct flow_shape *shape, uint32_t position);

/* Empties it: `own` and the loops. */
void flow_shape_clear(struct flow_shape *shape);

/* Where the calls of a flow are in a shape. */
struct shape_fit {
  const struct request_flow *flow;
  size_t number;               /* of the flow in its graph, where that is known */
  VECTOR(uint32_t) at;         /* by position of the shape: the flow's; of a loop's: SPAN_NONE */
  VECTOR(uint32_t) round_from; /* by loop, and one more: its first round in `rounds` */
  VECTOR(uint32_t) rounds;     /* the positions in the flow of each round's call, in turn */
};

/* Whether the flow makes the shape's calls, each loop any number of times, none included. Whether
 * it waits as the shape does is not asked. The fit is to be cleared in any case; flow and shape
 * need the names of one store. */
bool shape_fit_make(struct shape_fit *fit, const struct flow_shape *shape,
                    const struct request_flow *flow);
void shape_fit_clear(struct shape_fit *fit);

/* How often the request makes the round of a loop. */
static inline uint32_t shape_rounds(const struct shape_fit *fit, size_t loop) {
  return fit->round_from.data[loop + 1] - fit->round_from.data[loop];
}

/* The flow's position of a shape's call; of a loop's that of the round, counted from 0. */
uint32_t shape_position(const struct shape_fit *fit, const struct flow_shape *shape,
                        uint32_t position, uint32_t round);

/* How long each activity of a shape took in one request. All zeros to begin with. */
struct shape_times {
  VECTOR(size_t) from; /* by activity, and one more: its first round in `rounds` */
  VECTOR(int64_t)
  rounds;               /* ns: of each round; exactly one without a loop. Negative where it was
                             done before what it waits for in the shape; never so in a family */
  VECTOR(int64_t) done; /* by activity: when it was done, of a loop's the last round's */
};

/* From when the activities of the flow ended (flow_finish). The last activity is done at the
 * latency, and at each the latest of what it waits for, plus its rounds. */
void shape_times_make(struct shape_times *times, const struct flow_shape *shape,
                      const struct shape_fit *fit, const int64_t *finish);
void shape_times_clear(struct shape_times *times);

/* All rounds of an activity together. */
int64_t shape_sum(const struct shape_times *times, uint32_t activity);

#endif

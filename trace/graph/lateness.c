/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a caller waits for a call that ends after it in some requests (making.h). The share of
 * the requests in which it does decides. A flow with many requests says that itself. One with few
 * does not: there all flows count in which the caller of this name makes a call of this name.
 */
#include <stdlib.h>

#include "trace/graph/making.h"

enum { RARELY = 100, MANY = 100 }; /* in one of so many requests; requests of a flow */

struct late_call {
  uint64_t caller, call; /* names: service and operation */
  uint32_t ordinal;
  uint64_t late, requests;
};

struct late_calls {
  VECTOR(struct late_call) calls;
};

struct late_calls *late_calls_new(void) {
  return mem_alloc(1, sizeof(struct late_calls));
}

void late_calls_free(struct late_calls *calls) {
  vector_clear(&calls->calls);
  mem_free(calls);
}

static uint64_t name_of(const struct flow_call *call) {
  return (uint64_t)call->service << 32 | call->operation;
}

static struct late_call key_of(const struct request_flow *flow, uint32_t p) {
  const struct flow_call *call = &flow->calls.data[p];
  return (struct late_call){.caller = name_of(&flow->calls.data[call->parent]),
                            .call = name_of(call),
                            .ordinal = call->ordinal};
}

static int compare(const void *a, const void *b) {
  const struct late_call *x = a, *y = b;
  if (x->caller != y->caller)
    return x->caller < y->caller ? -1 : 1;
  if (x->call != y->call)
    return x->call < y->call ? -1 : 1;
  return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

void late_calls_add(struct late_calls *calls, const struct flow_making *making) {
  for (uint32_t p = 1; p < making->flow->calls.count; p++) {
    struct late_call call = key_of(making->flow, p);
    call.late = making->outlived[p];
    call.requests = making->requests;
    vector_push(&calls->calls, call);
  }
}

void late_calls_settle(struct late_calls *calls) {
  size_t kept = 0;
  struct late_call *all = calls->calls.data;
  if (calls->calls.count > 1)
    qsort(all, calls->calls.count, sizeof *all, compare);
  for (size_t i = 0; i < calls->calls.count; i++) {
    if (kept == 0 || compare(&all[kept - 1], &all[i]) != 0) {
      all[kept++] = all[i];
      continue;
    }
    all[kept - 1].late += all[i].late;
    all[kept - 1].requests += all[i].requests;
  }
  calls->calls.count = kept;
}

/* What is known of calls like p: of the flow if it has many requests, else of all flows. */
static struct late_call like(const struct flow_making *making, const struct late_calls *calls,
                             uint32_t p) {
  struct late_call own = key_of(making->flow, p);
  own.late = making->outlived[p];
  own.requests = making->requests;
  if (making->requests >= MANY || calls->calls.count == 0)
    return own;
  const struct late_call *all =
      bsearch(&own, calls->calls.data, calls->calls.count, sizeof own, compare);
  return all == NULL ? own : *all;
}

/* A client has given up where it has failed, and waited elsewhere: only if it always gave up it
 * never waits. */
static bool is_apart(const struct flow_making *making, uint32_t p, const struct late_call *seen) {
  if (making_answers(making->flow, p))
    return seen->late == seen->requests;
  return seen->late >= seen->requests - seen->late;
}

void making_apart(struct flow_making *making, const struct late_calls *calls) {
  struct request_flow *flow = making->flow;
  flow->apart = making->beside;
  flow->late = 0;
  for (uint32_t p = 1; p < flow->calls.count; p++) {
    struct late_call seen = like(making, calls, p);
    bool apart = making->follows[p] || is_apart(making, p, &seen);
    flow->calls.data[p].apart = apart;
    making->doubted[p] = !apart && seen.late > seen.requests / RARELY;
    flow->apart += apart ? making->requests : 0;
    flow->late += apart ? 0 : making->outlived[p];
  }
}

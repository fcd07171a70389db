/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests and what their latency consists of: for each request a part of its latency for each
 * cause, so that the parts add up to the latency, exactly; and what the latency would have been if
 * a cause had taken another time. Tables of calls (trace/tail/containment.h) and graphs of traces
 * make such causes; everything said of a slow tail is computed from them.
 */
#ifndef TRACE_TAIL_CAUSES_H
#define TRACE_TAIL_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

/* Which of two groups a request is in. */
enum tail_side { TAIL_REST, TAIL_SLOW, TAIL_NEITHER };

enum cause_kind {
  CAUSE_WORK,    /* own work of a call */
  CAUSE_NETWORK, /* on the way to a call's server and back */
  CAUSE_QUEUE,   /* a message, before it is consumed */
  CAUSE_OTHER,   /* what no call of a table accounts for: no cause, but a part of the latency */
};

/* Where causes are. */
struct tail_service {
  char *name; /* "cart" */
  bool way;   /* not in it, but on the way to it and back: what its callers' calls of it take that
                 no span of it says */
};

/* Of a cause that is of no service, as those of tables are. */
#define TAIL_NO_SERVICE UINT32_MAX

struct tail_cause {
  char *name; /* "cart/get" */
  enum cause_kind kind;
  uint32_t service; /* index, or TAIL_NO_SERVICE */
  int64_t *parts;   /* ns, by request: what it adds to the latency */
  int64_t usual;    /* ns: the median of the parts of the rest */
};

struct tail_causes;

/* The latency of a request, in ns, if ... ; `context` is that of the causes. */
struct tail_replay {
  void *context;
  /* ... the causes of the set had taken their usual time, where that is less than what they took.
   */
  int64_t (*without)(const struct tail_causes *causes, size_t request, const uint32_t *set,
                     size_t count);
  /* ... they had taken as long as in another request. */
  int64_t (*with)(const struct tail_causes *causes, size_t request, const uint32_t *set,
                  size_t count, size_t other);
  void (*settle)(const struct tail_causes *causes, const enum tail_side *sides); /* or NULL */
  void (*clear)(void *context);                                                  /* or NULL */
};

/* Owns everything but the context, which tail_replay.clear frees. */
struct tail_causes {
  size_t requests;
  int64_t *latency; /* ns, by request */
  VECTOR(struct tail_cause) causes;
  VECTOR(struct tail_service) services; /* none: causes are of no service */
  struct tail_replay replay;
};

/* All zero parts; replay by adding and taking away parts. */
void tail_causes_init(struct tail_causes *causes, size_t requests);
void tail_causes_clear(struct tail_causes *causes);

/* A further cause, with a copy of the name, parts that are 0 and no service. */
struct tail_cause *tail_causes_add(struct tail_causes *causes, const char *name,
                                   enum cause_kind kind);

/* The replay of causes that simply add up. */
int64_t tail_parts_without(const struct tail_causes *causes, size_t request, const uint32_t *set,
                           size_t count);
int64_t tail_parts_with(const struct tail_causes *causes, size_t request, const uint32_t *set,
                        size_t count, size_t other);

/* The causes of a service, freed by the caller; by request, the sum of their parts, too. */
uint32_t *tail_service_causes(size_t *count, const struct tail_causes *causes, uint32_t service);
int64_t *tail_service_parts(const struct tail_causes *causes, uint32_t service);

/* Sets what is usual: the lower medians of the requests of the rest. */
void tail_causes_settle(struct tail_causes *causes, const enum tail_side *sides);

/* The lower median, of at least one value; it changes their order. */
int64_t tail_median(int64_t *values, size_t count);

/* Behind a cause's name: " (network)", or "". */
static inline const char *tail_cause_where(enum cause_kind kind) {
  return kind == CAUSE_NETWORK ? " (network)" : kind == CAUSE_QUEUE ? " (in the queue)" : "";
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recorded requests as columns of spans. A span is one call as its server or its client saw it: who
 * did what, from when to when, called by which other span. All readers of traces make these
 * columns, and everything that is said of requests is computed from them.
 *
 * Within a request a span comes before those it calls, and everything below a span stands directly
 * behind it (preorder); the calls of one span are in the order of their start, then of their end,
 * then of their id. So the spans below row r are the rows r + 1 .. r + below[r].
 */
#ifndef TRACE_SPAN_STORE_H
#define TRACE_SPAN_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/vector.h"
#include "trace/span/names.h"

#define SPAN_NONE UINT32_MAX

/* Times are -SPAN_TIME_MAX .. SPAN_TIME_MAX ns (the years 1824 to 2116), so that differences of
 * them always fit. */
#define SPAN_TIME_MAX (((int64_t)1 << 62) - 1)

enum span_kind {
  SPAN_UNKNOWN,
  SPAN_INTERNAL,
  SPAN_SERVER,
  SPAN_CLIENT,
  SPAN_PRODUCER,
  SPAN_CONSUMER,
};

enum span_status { SPAN_UNSET, SPAN_OK, SPAN_ERROR };

/* What a reader or a correction has to say of a span. */
enum span_mark {
  SPAN_FOLLOWS = 1,     /* FOLLOWS_FROM its parent, which therefore does not wait for it */
  SPAN_ORPHAN = 2,      /* names a parent that the recording lacks; it is then a root */
  SPAN_MOVED = 4,       /* the clock of its host was put right (trace/span/skew.h) */
  SPAN_SKEWED = 8,      /* its times contradict causality, and no shift of clocks mends that */
  SPAN_UNFINISHED = 16, /* no end was recorded; the end is the latest moment of its request */
  SPAN_IN_TURN = 32, /* it began because the call of its caller before it had ended, and the caller
                        waits for it: who recorded it knows that */
  SPAN_CUT = 64, /* its start was cut to a whole millisecond, and its end counts from there: it lies
                    up to one too early as a whole */
  SPAN_TIED = 128, /* its times count from its caller's, which is cut: both are too early alike */
};

#define SPAN_CUT_NS 1000000 /* by so much a span that is cut is too early, at most */

struct span_tag {
  uint32_t key, value; /* names */
};

struct span_link {
  uint32_t from, to; /* rows: `from` says that it has to do with `to`, which is no parent */
};

/* A link to a span of another trace, as "TRACE/SPAN". */
struct foreign_link {
  uint32_t from;   /* row */
  struct slice to; /* the store owns it */
};

struct request {
  struct slice id;  /* the trace id as the file has it; the store owns it */
  uint32_t first;   /* row of its root: of several without a parent the longest */
  uint32_t count;   /* rows; the root's own tree first, then those of other roots */
  size_t tag_first; /* of span_store.tags ... */
  size_t link_first, link_count;
};

/* What is known of more requests than those in the store, which are then a sample of them
 * (trace/fold/open.h). `take` corrects what was counted of a flow. */
struct flow_making; /* trace/graph/making.h */
struct span_census {
  uint64_t requests;                         /* all */
  void (*clear)(struct span_census *census); /* frees it, too */
  void (*take)(struct span_census *census, struct flow_making *making);
};

struct span_store {
  struct span_names names;
  VECTOR(int64_t) start, end;                    /* ns on one clock; start <= end */
  VECTOR(uint32_t) parent;                       /* row, or SPAN_NONE */
  VECTOR(uint32_t) below;                        /* how many rows behind it are below it */
  VECTOR(uint32_t) service, operation, instance; /* names; 0: not said */
  VECTOR(uint8_t) kind, status, mark; /* enum span_kind, enum span_status, enum span_mark or-ed */
  VECTOR(size_t) tag_end;             /* the tags of row r: tags[tag_end[r - 1] .. tag_end[r]) */
  VECTOR(struct span_tag) tags;
  VECTOR(struct span_link) links;
  VECTOR(struct foreign_link) foreign; /* if it keeps them */
  bool keeps_foreign;                  /* set before reading */
  VECTOR(size_t) id_end; /* the id of row r as written: ids[id_end[r - 1] .. id_end[r]) */
  VECTOR(char) ids;
  VECTOR(struct request) requests;
  struct arena texts;         /* of the requests' ids */
  struct span_census *census; /* owned; NULL: these are all requests */
};

void span_store_init(struct span_store *store);
void span_store_clear(struct span_store *store);

/* Forgets all requests and keeps the names: for reading one request after the other. */
void span_store_forget(struct span_store *store);

/* By whose clock a span was recorded: its instance's, else its service's. SPAN_NONE: not known. */
static inline uint32_t span_host(uint32_t service, uint32_t instance) {
  if (instance != 0)
    return 2 * instance;
  return service == 0 ? SPAN_NONE : 2 * service + 1;
}

/* The id of a row, as the file has it. */
struct slice span_store_id(const struct span_store *store, uint32_t row);

/* How long the request's root took, in ns. */
int64_t span_store_latency(const struct span_store *store, const struct request *request);

#endif

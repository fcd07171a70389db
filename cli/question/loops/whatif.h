/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `whatif latency` about event logs: what percentiles would the requests have if
 * something were different (trace/loop/changes.h)? The recorded loop is replayed with the changes;
 * where the log leaves open when callbacks became ready, twice: as early and as late as may be.
 * Where waits overlap what a change removes, each of these twice again: with the waits as recorded,
 * and as others of their kind (trace/loop/contention.h). The estimate is what the waits support.
 */
#ifndef CLI_QUESTION_LOOPS_WHATIF_H
#define CLI_QUESTION_LOOPS_WHATIF_H

#include "base/ledger.h"
#include "cli/question/loops/quantiles.h"
#include "cli/question/loops/threads.h"
#include "trace/loop/chain.h"
#include "trace/loop/after.h"
#include "trace/loop/changes.h"
#include "trace/loop/contention.h"

struct loops_whatif_request {
  const struct asker *asker;
  const char *const *paths; /* of event logs */
  size_t path_count;
  const char *const *changes;
  size_t change_count;
  const char *const *observed; /* event logs of the same after it was really changed; or none */
  size_t observed_count;
  const char *route; /* only requests of this one; * stands for anything; NULL: all */
  const char *skip; /* "2s": requests that arrive earlier in a recording are not counted; or NULL */
  const char *percentiles;
  struct rational confidence;
};

/* Early, late; and from LOOPS_OTHERS on early and late with waits as others of their kind. Beside
 * these, where a callback is removed, LOOPS_LIGHTER: without any full collection, as they may all
 * collect what it leaves; the intervals hold that as well. Where work of a thread pool is changed,
 * LOOPS_LAWLESS: early, what has no law beside it takes less, and LOOPS_ORPHANED: early, without
 * what removed callbacks ask a pool for; these decide whether a percentile is told (threads.h). */
enum {
  LOOPS_OTHERS = 2,
  LOOPS_READINGS = 4,
  LOOPS_LIGHTER = LOOPS_READINGS,
  LOOPS_LAWLESS,
  LOOPS_ORPHANED,
  LOOPS_ALL
};

struct loops_whatif {
  const struct loops_whatif_request *request;
  enum status status;
  bool found;
  struct event_log log;
  struct event_chains chains;
  wanted_list wanted;
  int64_t skip;           /* ns */
  VECTOR(int64_t) before; /* ns, in the order of arrival, of the routes asked about */
  VECTOR(int64_t)
  after[LOOPS_ALL];                  /* ns, the same; one choice of rare pauses after the other */
  VECTOR(int64_t) seen;              /* ns, of the observed */
  size_t readings;                   /* 1: early and late say the same */
  bool contended;                    /* those from LOOPS_OTHERS on are there */
  struct loop_contention contention; /* early; without `io` */
  struct loop_after following;       /* early; without `own` */
  struct {
    uint64_t collections; /* of the full heap, that a change removes */
    uint64_t delayed;     /* requests asked about that were under way meanwhile */
  } garbage;
  struct loop_quantile *was, *is[LOOPS_ALL], *observed; /* by wanted */
  VECTOR(struct loop_affected) affected;                /* by change */
  struct loops_threads threads;
  uint64_t full;  /* collections that are not removed, though a callback is; else 0 */
  uint64_t never; /* requests that would not be answered any more; then nothing is found */
  struct ledger ledger;
};

/* STATUS_REFUTED where an observed percentile is outside of what was predicted, with its interval;
 * STATUS_UNKNOWN where one is not told.
 * The answer is initialised in any case. */
enum status loops_whatif_ask(struct loops_whatif *answer,
                             const struct loops_whatif_request *request);
void loops_whatif_clear(struct loops_whatif *answer);

/* How many readings there are, and the first of two (early, late) that is estimated by; which is
 * LOOPS_READINGS if nobody can tell. */
size_t loops_reading_count(const struct loops_whatif *answer);
size_t loops_estimate(const struct loops_whatif *answer);

/* Whether the intervals of what is predicted, of all readings, and of what was observed have
 * nothing in common. */
bool loops_missed(const struct loops_whatif *answer, size_t percentile);

#endif

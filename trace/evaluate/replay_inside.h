/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One request again, for the files of trace/evaluate that replay (replay.h).
 */
#ifndef TRACE_EVALUATE_REPLAY_INSIDE_H
#define TRACE_EVALUATE_REPLAY_INSIDE_H

#include "base/random.h"
#include "trace/evaluate/replay.h"

struct replaying {
  const struct replay_wish *request;
  struct replayed *replayed;
  struct random random;
  const struct flow_variant *variant;
  int64_t *finish;         /* of the request as it was recorded; where anything is drawn */
  const struct edit *edit; /* that draws */
  struct editing editing;
};

/* `replayed` says whether anything is drawn. Must not move until replaying_clear. */
void replaying_init(struct replaying *r, const struct replay_wish *request,
                    struct replayed *replayed);
void replaying_clear(struct replaying *r);

/* The flow whose requests come next. */
void replaying_variant(struct replaying *r, const struct flow_variant *variant);

/* The durations of request i of the flow under the scenario: the next draws. How long a call keeps
 * its server beyond itself does not change. */
void replaying_redo(struct replaying *r, int64_t *durations, size_t i);

/* LATENCY_NEVER where it is longer than all that is known. */
int64_t replaying_latency(const struct replaying *r, int64_t ns);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The law of the latency, from the law of each activity and the expressions of the flows
 * (formula.h): what recorded requests say when only the law of each activity is taken from them and
 * not how activities depend on each other.
 *
 * Requests of different flows are a mixture; flows with few requests are not worth a law of their
 * own. They are `others`: with the samples as the whole truth they take as long as they took in the
 * replay, and else anything.
 */
#ifndef TRACE_EVALUATE_MIXTURE_H
#define TRACE_EVALUATE_MIXTURE_H

#include "dist/statistics/band.h"
#include "dist/survival/survival.h"
#include "trace/evaluate/replay.h"
#include "trace/evaluate/scenario.h"

enum { MIXTURE_FLOWS_MAX = 32, MIXTURE_REQUESTS_MIN = 20 };

struct formula;

struct mixture_wish {
  const struct scenario *scenario;
  const struct variants *variants;
  const struct span_store *store;
  const struct replayed *replayed;
};

struct mixture {
  const struct mixture_wish *wish;
  struct grid grid;
  VECTOR(struct formula *) formulas; /* of the first flows of the graph */
  uint64_t requests, others;         /* all, and those of other flows */
  size_t leaves;                     /* samples that share the chance of error */
  const char *why_not;               /* as formula.h; NULL: there is a law */
};

/* `wish` and what it names outlive it. Initialised in any case. */
void mixture_init(struct mixture *mixture, const struct mixture_wish *wish);
void mixture_clear(struct mixture *mixture);

/* A bound of the law, on the side of *law, which this initialises; cleared by the caller. alpha, in
 * units of SURVIVAL_ONE, is the chance that the requests mislead about it; 0: they are the whole
 * truth. `any`: activities may depend on each other in any way, else they are independent. Adds to
 * the ledger. */
void mixture_law(struct survival *law, const struct mixture *mixture, enum survival_side side,
                 uint64_t alpha, bool any, struct ledger *ledger);

#endif

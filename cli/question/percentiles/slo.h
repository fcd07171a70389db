/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Service-level objectives, "p99.9<50ms", held against the interval of a percentile.
 */
#ifndef CLI_QUESTION_PERCENTILES_SLO_H
#define CLI_QUESTION_PERCENTILES_SLO_H

#include <stdbool.h>

#include "base/ledger.h"
#include "base/text.h"
#include "cli/question/percentiles/percentile_list.h"

struct slo {
  const char *text;
  char *owned, *origin; /* of a file: the text, and what it is of; or NULL */
  struct wanted percentile;
  bool strict; /* < rather than <= */
  struct rational limit_ns;
};
typedef VECTOR(struct slo) slo_list;

enum slo_state {
  SLO_MET,                   /* exit 0: the percentile is certainly within the limit */
  SLO_BROKEN,                /* 1: it is certainly not */
  SLO_UNDECIDED,             /* 2: both are possible, with these samples */
  SLO_MET_IF_INDEPENDENT,    /* 3: within it, if what was measured apart is independent */
  SLO_BROKEN_IF_INDEPENDENT, /* 3: beyond it, if so */
  SLO_MET_IF_DRAWS,          /* 3: within it, if observations whose order is not known are
                              * independent draws */
  SLO_BROKEN_IF_DRAWS,       /* 3: beyond it, if so */
  SLO_MET_IN_RUN,    /* 4: within it, but the level wanders more slowly than the run lasts */
  SLO_BROKEN_IN_RUN, /* 4: beyond it, in this run; of others nothing is known */
};

/* Appends one. STATUS_USAGE, after the asker was told, for anything but p PERCENTILE < or <= TIME.
 */
enum status slo_read(slo_list *list, const char *text, const struct asker *asker);
/* The same of an objective of a file; takes both texts. false: it is none, and nothing is added. */
bool slo_take(slo_list *list, struct text *text, struct text *origin);
void slo_clear(slo_list *list);

/* A line for each that is of a file. */
void slo_note_origins(const slo_list *list, struct ledger *ledger);

/* Whether a percentile of this value is within the limit. */
bool slo_allows(const struct slo *slo, uint64_t ns);

/* Of a percentile between two values, which may be infinite. */
enum slo_state slo_judge(const struct slo *slo, bool lower_finite, uint64_t lower_ns,
                         bool upper_finite, uint64_t upper_ns);

/* Within the limit, or beyond it, if only on a condition. */
bool slo_is_met(enum slo_state state);
bool slo_is_broken(enum slo_state state);

/* "met", "broken", "undecided", "met if independent", "broken if independent", "met if the draws
 * are independent", "broken if the draws are independent", "met in this run", "broken in this run" */
const char *slo_state_name(enum slo_state state);
enum status slo_status(enum slo_state state);

#endif

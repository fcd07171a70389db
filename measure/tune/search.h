/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which setting makes a percentile smallest, of a server whose every run comes out differently?
 *
 *   1. Sizes of the young generation are compared in blocks: each block runs the server as it is
 *      and every size that is left once, in an order that is drawn. After two blocks the worse half
 *      is dropped, and so on until one is left (successive halving; Jamieson and Talwalkar, AISTATS
 *      2016). What a size is worth is the median over blocks of its metric against that of the
 *      server as it is in the same block, so that what disturbs a whole block cancels.
 *   2. Variants of that one (of a size from the start, with other old generations) likewise.
 *   3. The best is held against the server as it is in fresh pairs of runs (dist/statistics/
 *      paired.h). Only these tell whether there is a difference and how large: the choice before
 *      favours whoever was lucky, and its runs are not used again.
 *
 * It knows nothing of servers: a function measures, which in tests is a simulated one.
 */
#ifndef MEASURE_TUNE_SEARCH_H
#define MEASURE_TUNE_SEARCH_H

#include "dist/statistics/paired.h"
#include "measure/tune/heap.h"

struct tune_measured {
  double metric; /* above 0, finite */
  double memory; /* bytes, or 0 where it is not known */
};

enum tune_outcome {
  TUNE_MEASURED,
  TUNE_UNUSABLE, /* the server does not run with this setting; it is dropped */
  TUNE_STOPPED,  /* give up */
};

enum tune_phase { TUNE_SIZES, TUNE_VARIANTS, TUNE_PAIRS };

struct tune_step {
  enum tune_phase phase;
  const struct heap_setting *setting; /* all 0: the server as it is */
  size_t done, most;                  /* runs until now, and in all at most */
};

struct tune_request {
  const uint32_t *sizes; /* MB of semi-spaces to try; at least one */
  size_t size_count;
  const uint32_t *olds; /* MB of old generations to try with the best size */
  size_t old_count;
  bool has_min; /* whether --min-semi-space-size may be set */
  size_t pairs; /* at most, TUNE_PAIRS_LEAST to PAIRED_MAX */
  double alpha;
  uint64_t seed;
  enum tune_outcome (*measure)(void *context, const struct tune_step *step,
                               struct tune_measured *measured);
  void *context;
};

enum { TUNE_PAIRS_LEAST = 8, TUNE_PAIRS_STEP = 4 };

struct tune_tried {
  struct heap_setting setting;
  VECTOR(double) ratios; /* logarithms, by block: its metric over that of the server as it is */
  VECTOR(double) memory; /* by block */
  bool unusable;
  bool dropped; /* after its last block */
};

enum tune_verdict {
  TUNE_BETTER,   /* the interval of the gain is below 1 */
  TUNE_NO_GAIN,  /* the pairs were used up, or the best looked no better than the server as it is */
  TUNE_NOTHING,  /* no setting was usable */
  TUNE_GIVEN_UP, /* the measuring function said so */
};

struct tune_answer {
  enum tune_verdict verdict;
  VECTOR(struct tune_tried) tried;            /* in the order of the request, then variants */
  size_t best;                                /* index; with verdicts BETTER and NO_GAIN */
  VECTOR(double) pairs;                       /* logarithms of ratios of the best */
  VECTOR(double) metrics_as_is, metrics_best; /* of the pairs */
  VECTOR(double) memory_as_is, memory_best;
  bool has_ratio;               /* whether there was a look; then: */
  struct paired_interval ratio; /* metric of the best over that of the server as it is; not log */
  size_t runs;
};

void tune_search(struct tune_answer *answer, const struct tune_request *request);
void tune_answer_clear(struct tune_answer *answer);

/* The median of values, which it puts in order; 0 of none. */
double tune_median(double *values, size_t count);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is known of the law of a bound's value, under one assumption on dependence: by convolution
 * of bands (dist/evaluate) and by draws of the value itself (draws.h). Where both are possible they
 * share the chance of error, and the better one counts, point by point: each has half of it where
 * one file feeds several occurrences, as draws then use each observation for one of them only; else
 * the draws use everything, and have 15/16. Where the convolution cannot give a finite percentile
 * whatever the observations are, they have all of it.
 *
 * Confidence is point-wise for a percentile that is asked for, and holds at all points together for
 * a curve.
 */
#ifndef CLI_QUESTION_PERCENTILES_ESTIMATE_H
#define CLI_QUESTION_PERCENTILES_ESTIMATE_H

#include "base/status.h"
#include "cli/question/percentiles/dependence.h"
#include "cli/question/percentiles/endless.h"
#include "dist/survival/survival.h"

struct calculation;
struct draws_change;
struct rational;

enum estimate_way { WAY_CONVOLUTION, WAY_DRAWS, WAY_REQUESTS };

struct estimate {
  enum dependence dependence;
  bool by_convolution, by_draws;
  uint64_t chance; /* of error, in all, at each end; 0: the samples are the whole truth */
  uint64_t convolution_chance;  /* of it: what the convolution has, where the draws have the rest */
  struct survival convolved[2]; /* by side; the upper one with modelled tails, if there are any */
  struct survival proved;       /* then: the upper one without them; else without an array */
  struct survival truth;        /* see endless_evaluate; without an array while all is finite */
  struct survival bound[2];     /* both ways together, as a curve */
};

struct interval {
  bool lower_finite, upper_finite;
  uint64_t lower_ns, upper_ns;
  enum estimate_way lower_way, upper_way;
  bool model_based; /* the upper end rests on a modelled tail */
  bool settled;     /* both ends are; false: no confidence can be promised, as observations drift */
  bool upper_settled, lower_settled;
};

/* Evaluates. Not STATUS_OK: after one line on stderr. Cleared by the caller in any case. */
enum status estimate_make(struct estimate *estimate, struct calculation *calculation,
                          enum dependence dependence);
void estimate_clear(struct estimate *estimate);

/* The percentile, point by point. `modelled`: with modelled tails, where there are any. */
struct interval estimate_at(const struct estimate *estimate, const struct calculation *calculation,
                            const struct rational *share, bool modelled);

/* The upper end if one entry's latencies were `change` of what they are; false: infinite, or not
 * STATUS_OK. */
bool estimate_try(uint64_t *ns, const struct estimate *estimate, struct calculation *calculation,
                  const struct rational *share, const struct draws_change *change,
                  enum status *status);

/* What a number of observations of each entry would make of the upper end, were they like those
 * there are. `samples`: by entry of the laws. `unseen`: an upper limit of the chance of infinity.
 */
struct predicted {
  bool finite;
  uint64_t ns;
  double unseen;
};
enum status estimate_predict(struct predicted *predicted, const struct estimate *estimate,
                             struct calculation *calculation, const struct rational *share,
                             const uint64_t *samples);

/* How well these samples know what is predicted: a prediction reads a quantile of them, and that of
 * their law lies between. False where there are no draws to tell by. */
bool estimate_spread(struct interval *spread, const struct estimate *estimate,
                     const struct calculation *calculation, uint64_t predicted_ns);

/* Independent observations of each component (of rows, by request) that it takes for a finite upper
 * end; 0: no number is known. */
uint64_t estimate_needed(const struct estimate *estimate, const struct calculation *calculation,
                         const struct rational *share);

/* Why an infinite upper end stays so with any number of samples. */
enum endless estimate_endless(const struct estimate *estimate,
                              const struct calculation *calculation, const struct rational *share);

/* How many parts of the measurements are combined as if they were independent of each other: 1 or
 * less means that nothing rests on independence. */
size_t estimate_parts(const struct estimate *estimate, const struct calculation *calculation);

#endif

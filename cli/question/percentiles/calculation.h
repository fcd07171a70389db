/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the commands that calculate with measured components share: a bound of a protocol with its
 * parameters replaced, the laws of its occurrences, and evaluations of it.
 */
#ifndef CLI_QUESTION_PERCENTILES_CALCULATION_H
#define CLI_QUESTION_PERCENTILES_CALCULATION_H

#include "cli/question/law/draws.h"
#include "cli/question/law/grid_choice.h"
#include "cli/question/law/laws.h"
#include "cli/question/law/request.h"
#include "cli/question/law/together.h"
#include "cli/question/percentiles/dependence.h"
#include "cli/question/verify/protocol.h"
#include "dist/evaluate/evaluate.h"
#include "base/ledger.h"

struct verification;

struct calculation {
  const struct calculation_request *request;
  struct protocol protocol;
  const struct bound *bound;
  struct expression_table table;
  const struct expression *expression;
  const struct expression *reduced; /* the same for the convolution: see reduce.h */
  struct joint *stream;             /* of --stream, with the bound for each row; the laws own it */
  struct laws laws;
  struct draws draws; /* of the bound's value */
  struct together together;
  struct grid_choice grid;
  struct ledger ledger;       /* what the result rests on; evaluations add to it */
  struct verification *proof; /* of the bound, once it was tried; NULL before; owned */
  struct text message;
};

/* Reads protocol, parameters and measurements. `request` must outlive the calculation, which is
 * initialised in any case; on failure the asker knows why. */
enum status calculation_init(struct calculation *calculation,
                             const struct calculation_request *request);
void calculation_clear(struct calculation *calculation);

/* Proves the bound, and adds the proof's assumptions to the ledger. STATUS_OK only when it is
 * proved: no bound that is not gives percentiles. */
enum status calculation_prove(struct calculation *calculation);

/* Makes the bands of what is measured with this chance of error in all, unless they are made. */
enum status calculation_make_bands(struct calculation *calculation, uint64_t chance);

/* Evaluates into *result, which this initialises on the calculation's grid. *result is cleared by
 * the caller, also after a failure. */
enum status calculation_evaluate(struct survival *result, struct calculation *calculation,
                                 enum survival_side side, enum dependence dependence);

/* The same for a what-if: nothing is added to the ledger. */
enum status calculation_try(struct survival *result, struct calculation *calculation,
                            enum survival_side side, enum dependence dependence);

/* Observations of each component that it takes for bands, each with this chance of error, to give a
 * finite percentile; 0: no number is known. */
uint64_t calculation_samples_needed(const struct calculation *calculation,
                                    enum dependence dependence, const struct rational *share,
                                    uint64_t alpha);

/* The least number of observations of any measured component: as there are, or of `samples`, by
 * entry of the laws. */
uint64_t calculation_fewest(const struct calculation *calculation, const uint64_t *samples);

/* Whether the values of the bound are only taken for independent draws, as nobody knows the order
 * of what was measured. */
bool calculation_assumes_draws(const struct calculation *calculation);

/* Whether what was measured is of one run whose level wanders (serial.h). */
bool calculation_wanders(const struct calculation *calculation);

/* How many parts of the measurements are taken as independent of each other: tables, groups of
 * --together, and every other occurrence; a law that is composed of several draws is one more, in
 * whatever group it is. */
size_t calculation_parts(const struct calculation *calculation);

#endif

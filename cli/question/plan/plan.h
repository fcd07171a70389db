/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `plan`: which component is to be measured how many times more for a percentile?
 */
#ifndef CLI_QUESTION_PLAN_PLAN_H
#define CLI_QUESTION_PLAN_PLAN_H

#include "cli/question/percentiles/calculation.h"
#include "cli/question/percentiles/estimate.h"
#include "cli/question/percentiles/percentile_list.h"
#include "dist/statistics/plan.h"

struct plan_request {
  struct calculation_request of;
  const char *percentile;                /* one: "99.9" */
  const char *budget, *minimum, *factor; /* "600s"; "1000", "2" or NULL */
  settings rates;                        /* by component: "200/s" */
};

/* The answer. */
struct planning {
  const struct plan_request *request;
  enum status status; /* the exit code: STATUS_UNKNOWN when it is not reached */
  bool has_calculation;
  bool found; /* whether there is a plan, of a bound that is proved */
  struct calculation calculation;
  wanted_list wanted;       /* the percentile */
  struct estimate estimate; /* with the samples there are */
  struct sampling_plan plan;
  struct plan_component *components;
  VECTOR(size_t) entries; /* by component: of the laws; of a table its first column */
  bool has_spread;        /* then: */
  struct interval spread; /* in which the prediction is, as far as the samples know their tail */
};

/* `request` must outlive the answer, which is initialised in any case. */
enum status plan_ask(struct planning *planning, const struct plan_request *request);
void plan_clear_answer(struct planning *planning);

#endif

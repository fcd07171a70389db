/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `compare` of one bound with the measurements of two folders, or two tables.
 */
#include <string.h>

#include "cli/question/compare/compare_inside.h"
#include "cli/question/percentiles/estimate.h"

/* How the bound of one folder, or table, is evaluated: each end of each percentile has its share of
 * what is not confidence. */
static struct calculation_request request_of(const struct compare *compare, const char *path) {
  struct calculation_request request = compare->request->of;
  struct rational one, rest;
  request.compared = true;
  request.joint = (texts){0};
  request.runs = (texts){0};
  if (compare_is_folder(path))
    request.data = path;
  else
    vector_push(&request.joint, path);
  rational_init(&one);
  rational_init(&rest);
  rational_set_integer(&one, 1);
  rational_set_fraction(&rest, 1, COMPARE_ENDS * (int64_t)compare->wanted.count);
  rational_init(&request.confidence);
  rational_sub(&request.confidence, &one, &compare->request->of.confidence);
  rational_mul(&request.confidence, &request.confidence, &rest);
  rational_sub(&request.confidence, &one, &request.confidence);
  rational_clear(&one);
  rational_clear(&rest);
  return request;
}

void compare_clear_proof(struct compare_proof *proof) {
  calculation_clear(&proof->calculation);
  rational_clear(&proof->request.confidence);
  vector_clear(&proof->request.joint);
}

typedef VECTOR(struct range) range_list;

static void find_ranges(range_list *ranges, bool *settled, const struct compare *compare,
                        const struct calculation *calculation, const struct estimate *estimate) {
  for (size_t i = 0; i < compare->wanted.count; i++) {
    struct interval at = estimate_at(estimate, calculation, &compare->wanted.data[i].share, false);
    *settled &= at.settled;
    vector_push(ranges, (struct range){.lower_finite = at.lower_finite,
                                       .upper_finite = at.upper_finite,
                                       .lower_ns = at.lower_ns,
                                       .upper_ns = at.upper_ns});
  }
}

/* The bound's percentiles with the measurements of a folder; proved first where `proof` is given,
 * which then is the calculation with the verdict. */
static enum status evaluate(range_list *ranges, struct compared_curve *curve, bool *settled,
                            bool *assumed, bool *wanders, struct compare *compare, const char *path,
                            struct compare_proof *proof) {
  struct compare_proof own = {.request = request_of(compare, path)};
  struct compare_proof *at = proof != NULL ? proof : &own;
  if (proof != NULL)
    *proof = own;
  struct calculation *calculation = &at->calculation;
  struct estimate estimate = {0};
  enum status status = calculation_init(calculation, &at->request);
  if (status == STATUS_OK) {
    laws_warn(&calculation->laws, NULL, &calculation->ledger);
    status = estimate_make(&estimate, calculation, DEPENDENCE_INDEPENDENT);
  }
  if (status == STATUS_OK && proof != NULL)
    status = calculation_prove(calculation);
  *assumed |= status == STATUS_OK && calculation_assumes_draws(calculation);
  *wanders |= status == STATUS_OK && calculation_wanders(calculation);
  if (status == STATUS_OK)
    find_ranges(ranges, settled, compare, calculation, &estimate);
  if (status == STATUS_OK && compare->request->keep) {
    memcpy(curve->sides, estimate.bound, sizeof curve->sides);
    memset(estimate.bound, 0, sizeof estimate.bound);
  }
  for (size_t i = 0; i < calculation->ledger.count; i++)
    ledger_copy(&compare->ledger, &calculation->ledger.lines[i]);
  estimate_clear(&estimate);
  if (proof == NULL)
    compare_clear_proof(&own);
  return status;
}

enum status compare_bounds(struct compare *compare) {
  const char *const *paths = compare->request->paths;
  range_list a = {0}, b = {0};
  bool settled = true, assumed = false, wanders = false;
  struct subject *subject = compare_add_subject(compare, NULL);
  enum status status =
      evaluate(&a, &subject->curves[0], &settled, &assumed, &wanders, compare, paths[0], NULL);
  if (status == STATUS_OK)
    status = evaluate(&b, &subject->curves[1], &settled, &assumed, &wanders, compare, paths[1],
                      compare->proof = mem_alloc(1, sizeof *compare->proof));
  if (status == STATUS_OK) {
    subject->unsettled = !settled;
    subject->assumes_draws = assumed;
    subject->wanders = wanders;
    for (size_t i = 0; i < a.count; i++)
      compare_add(compare, subject, i, &a.data[i], &b.data[i]);
  }
  compare_add_confidence(compare);
  vector_clear(&a);
  vector_clear(&b);
  return status;
}

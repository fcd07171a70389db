/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/compare/compare.h"

#include <math.h>

/* Whether y > margin * x, exactly. */
static bool exceeds(const struct rational *margin, uint64_t y_ns, uint64_t x_ns) {
  struct rational x, y;
  rational_init(&x);
  rational_init(&y);
  rational_set_integer(&x, (int64_t)x_ns);
  rational_set_integer(&y, (int64_t)y_ns);
  rational_mul(&x, &x, margin);
  bool more = rational_compare(&y, &x) > 0;
  rational_clear(&x);
  rational_clear(&y);
  return more;
}

/* Without a margin the margin is 1. */
static bool is_slower(const struct compare *compare, const struct range *a, const struct range *b) {
  return a->upper_finite &&
         (!b->lower_finite || exceeds(&compare->margin, b->lower_ns, a->upper_ns));
}

static enum compared_verdict judge(const struct compare *compare, const struct range *a,
                                   const struct range *b) {
  if (is_slower(compare, a, b))
    return COMPARED_SLOWER;
  if (compare->has_margin) {
    bool within = !a->lower_finite ||
                  (b->upper_finite && !exceeds(&compare->margin, b->upper_ns, a->lower_ns));
    return within ? COMPARED_WITHIN : COMPARED_UNDECIDED;
  }
  if (b->upper_finite && (!a->lower_finite || b->upper_ns < a->lower_ns))
    return COMPARED_FASTER;
  /* where A may be infinite, no B would be found slower */
  return a->upper_finite ? COMPARED_NO_DIFFERENCE : COMPARED_UNDECIDED;
}

void compare_add(struct compare *compare, struct subject *subject, size_t wanted,
                 const struct range *a, const struct range *b) {
  struct compared row = {.wanted = wanted, .a = *a, .b = *b, .verdict = COMPARED_UNDECIDED};
  if (!subject->unsettled)
    row.verdict = judge(compare, a, b);
  vector_push(&subject->rows, row);
}

static enum status status_of(const struct compare *compare, const struct subject *subject) {
  enum status status = STATUS_OK;
  if (!compare->has_margin && subject->has_samples && !subject->unsettled &&
      subject->b_slower.found)
    status = STATUS_REFUTED;
  if (!subject->unsettled && subject->tendency.tested) {
    enum compared_verdict verdict = subject->tendency.verdict;
    status = verdict == COMPARED_SLOWER      ? STATUS_REFUTED
             : verdict == COMPARED_UNDECIDED ? status_worst(status, STATUS_UNKNOWN)
                                             : status;
  }
  for (size_t i = 0; i < subject->edges.count; i++)
    if (subject->edges.data[i].verdict == COMPARED_SLOWER)
      status = STATUS_REFUTED;
  for (size_t i = 0; i < subject->rows.count; i++) {
    enum compared_verdict verdict = subject->rows.data[i].verdict;
    if (verdict == COMPARED_SLOWER)
      status = status_worst(status, STATUS_REFUTED);
    if (verdict == COMPARED_UNDECIDED)
      status = status_worst(status, STATUS_UNKNOWN);
  }
  return status;
}

enum status compare_status(const struct compare *compare) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < compare->subjects.count; i++) {
    const struct subject *subject = &compare->subjects.data[i];
    enum status found = status_of(compare, subject);
    enum status only = subject->assumes_draws ? STATUS_CONDITIONAL
                       : subject->wanders     ? STATUS_OF_RUN
                                              : found;
    status = status_worst(status, found == STATUS_UNKNOWN ? found : only);
  }
  return status;
}

bool compare_is_conditional(const struct compare *compare) {
  return compare_status(compare) == STATUS_CONDITIONAL;
}

enum status compare_status_of_draws(const struct compare *compare) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < compare->subjects.count; i++)
    status = status_worst(status, status_of(compare, &compare->subjects.data[i]));
  return status;
}

const char *compared_name(enum compared_verdict verdict) {
  static const char *const names[] = {
      [COMPARED_SLOWER] = "slower",
      [COMPARED_FASTER] = "faster",
      [COMPARED_NO_DIFFERENCE] = "no difference shown",
      [COMPARED_WITHIN] = "within the margin",
      [COMPARED_UNDECIDED] = "not decidable",
  };
  return names[verdict];
}

double range_ratio_least(const struct range *a, const struct range *b) {
  if (!a->upper_finite)
    return 0;
  if (!b->lower_finite)
    return INFINITY;
  if (b->lower_ns == 0)
    return 0;
  return nextafter((double)b->lower_ns * (1 - 0x1p-50) / (double)a->upper_ns, 0);
}

double range_ratio_most(const struct range *a, const struct range *b) {
  if (!b->upper_finite || (a->lower_finite && a->lower_ns == 0))
    return INFINITY;
  if (!a->lower_finite)
    return 0;
  return nextafter((double)b->upper_ns * (1 + 0x1p-50) / (double)a->lower_ns, INFINITY);
}

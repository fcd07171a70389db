/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/missing.h"

#include <math.h>
#include <stdint.h>

#include "base/memory.h"
#include "dist/statistics/chance.h"
#include "dist/survival/survival.h"

/* Student's t with MISSING_BLOCKS - 1 degrees of freedom exceeds it in 0.5 % of cases. */
static const double STUDENT = 2.861;

static const double MISSING_LEAST = 0.05;

/* One search. */
struct search {
  const double *const *series;
  size_t series_count, rows;
  double *left;                 /* of the difference */
  double whole[MISSING_BLOCKS]; /* sums of changes of the difference, by stretch */
};

/* From an even row to the one behind it; the jump from one pair to the next does not count, so that
 * each row counts once. */
static double change(const double *numbers, size_t pair) {
  return numbers[2 * pair + 1] - numbers[2 * pair];
}

static size_t block_of(size_t pair, size_t pairs) {
  return pair * MISSING_BLOCKS / pairs;
}

/* Whether both change the same way more often than not, but for a chance of 1 % in all series. */
static bool goes_with(const struct search *s, const double *x) {
  uint64_t both = 0, against = 0;
  for (size_t i = 0; i < s->rows / 2; i++) {
    double a = change(s->left, i), b = change(x, i);
    both += a != 0 && b != 0;
    against += (a < 0 && b > 0) || (a > 0 && b < 0);
  }
  return against < both &&
         chance_upper(against, both, SURVIVAL_ONE / 100 / s->series_count) < SURVIVAL_ONE / 2;
}

static double sum(const double *blocks) {
  double total = 0;
  for (size_t b = 0; b < MISSING_BLOCKS; b++)
    total += blocks[b];
  return total;
}

/* The share taken / of and its interval, by leaving out each stretch in turn. */
static void jackknife(double *share, double *reach, const double *taken, const double *of) {
  double all_taken = sum(taken), all = sum(of), squares = 0;
  *share = all > 0 ? all_taken / all : 0;
  for (size_t b = 0; b < MISSING_BLOCKS; b++) {
    double rest = all - of[b];
    double without = rest > 0 ? (all_taken - taken[b]) / rest : 0;
    squares += (without - *share) * (without - *share);
  }
  *reach = STUDENT * sqrt(squares * (MISSING_BLOCKS - 1) / MISSING_BLOCKS);
}

/* What the difference loses without the series. */
static struct missing_part weigh(const struct search *s, size_t which) {
  double taken[MISSING_BLOCKS] = {0}, left[MISSING_BLOCKS] = {0};
  size_t pairs = s->rows / 2;
  for (size_t i = 0; i < pairs; i++) {
    double before = fabs(change(s->left, i));
    left[block_of(i, pairs)] += before;
    taken[block_of(i, pairs)] += before - fabs(change(s->left, i) - change(s->series[which], i));
  }
  struct missing_part part = {.series = which};
  double share, reach;
  jackknife(&part.share, &reach, taken, s->whole);
  part.share_lower = part.share - reach;
  part.share_upper = part.share + reach;
  jackknife(&share, &reach, taken, left);
  part.is_cause = share - reach >= 0.5;
  return part;
}

static bool find_largest(struct missing_part *largest, const struct search *s) {
  bool found = false;
  for (size_t k = 0; k < s->series_count; k++) {
    struct missing_part part = weigh(s, k);
    if (part.share_lower <= MISSING_LEAST || (found && part.share <= largest->share) ||
        !goes_with(s, s->series[k]))
      continue;
    *largest = part;
    found = true;
  }
  return found;
}

size_t missing_find(struct missing_part *parts, double *difference, const double *const *series,
                    size_t series_count, size_t rows) {
  struct search s = {
      .series = series, .series_count = series_count, .rows = rows, .left = difference};
  size_t found = 0;
  for (size_t i = 0; i < rows / 2; i++)
    s.whole[block_of(i, rows / 2)] += fabs(change(difference, i));
  while (rows >= MISSING_ROWS_LEAST && found < MISSING_PARTS && find_largest(&parts[found], &s)) {
    const double *x = series[parts[found].series];
    for (size_t i = 0; i < rows; i++)
      difference[i] -= x[i];
    found++;
  }
  return found;
}

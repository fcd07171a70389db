/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dist/statistics/special.h"

enum { SHORTEST = 8 }; /* values of a block, where it has both sides */

struct placed {
  int64_t value;
  size_t place;
};

static int by_value(const void *x, const void *y) {
  int64_t a = ((const struct placed *)x)->value, b = ((const struct placed *)y)->value;
  return (a > b) - (a < b);
}

/* Twice the ranks 1 .. count of the values, those of ties their mean; returns the sum of t^3 - t
 * over ties. */
static double rank(uint64_t *twice, const int64_t *values, size_t count) {
  struct placed *sorted = mem_alloc(count, sizeof *sorted);
  double ties = 0;
  for (size_t i = 0; i < count; i++)
    sorted[i] = (struct placed){values[i], i};
  qsort(sorted, count, sizeof *sorted, by_value);
  for (size_t from = 0, to; from < count; from = to) {
    for (to = from + 1; to < count && sorted[to].value == sorted[from].value; to++)
      ;
    double alike = (double)(to - from);
    ties += alike * alike * alike - alike;
    for (size_t i = from; i < to; i++)
      twice[sorted[i].place] = from + to + 1;
  }
  mem_free(sorted);
  return ties;
}

/* --- within blocks ---------------------------------------------------------------------------- */

/* What the ranks of side b say in one block: 0 on average if the sides do not differ. */
struct stratum {
  bool both; /* sides are in it */
  double excess, variance;
};

static struct stratum stratum_of(const int64_t *values, const bool *of_b, size_t count,
                                 uint64_t *ranks) {
  struct stratum s = {0};
  double n = (double)count, b = 0, ties = rank(ranks, values, count);
  for (size_t i = 0; i < count; i++)
    if (of_b[i]) {
      s.excess += (double)ranks[i] / 2 - (n + 1) / 2;
      b++;
    }
  s.both = b > 0 && b < n;
  s.excess /= n + 1;
  s.variance = n < 2 ? 0 : b * (n - b) * (n + 1 - ties / (n * (n - 1))) / 12 / ((n + 1) * (n + 1));
  return s;
}

/* Consecutive blocks as stretches with as many blocks each: Student's t of their sums. */
static double probability_of_stretches(const struct stratum *strata, size_t count, double side) {
  size_t stretches = count < BLOCKS_MOST ? count : BLOCKS_MOST;
  double sums[BLOCKS_MOST] = {0}, mean = 0, squares = 0;
  for (size_t i = 0; i < count; i++)
    sums[i * stretches / count] += side * strata[i].excess;
  for (size_t i = 0; i < stretches; i++)
    mean += sums[i] / (double)stretches;
  for (size_t i = 0; i < stretches; i++)
    squares += (sums[i] - mean) * (sums[i] - mean);
  if (squares <= 0)
    return mean > 0 ? 0 : 1;
  double freedom = (double)stretches - 1;
  return special_student_above(mean / sqrt(squares / freedom / (double)stretches), freedom);
}

static enum rank_verdict judge_strata(const struct stratum *strata, size_t count, double alpha) {
  double sum = 0, variance = 0;
  for (size_t i = 0; i < count; i++) {
    sum += strata[i].excess;
    variance += strata[i].variance;
  }
  double side = sum < 0 ? -1 : 1;
  if (variance <= 0 || erfc(fabs(sum) / sqrt(2 * variance)) > alpha ||
      probability_of_stretches(strata, count, side) > alpha / 2)
    return RANK_UNDECIDED;
  return sum > 0 ? RANK_B_SLOWER : RANK_A_SLOWER;
}

/* As many values as have one of the rarer side on average. */
static size_t length_of(size_t count, size_t b) {
  size_t rarer = b < count - b ? b : count - b;
  size_t length = (count + rarer - 1) / rarer;
  return length < SHORTEST ? SHORTEST : length;
}

/* The blocks that have both sides; their number is returned. */
static size_t find_strata(struct stratum *strata, const int64_t *values, const bool *of_b,
                          size_t count, size_t length) {
  uint64_t *ranks = mem_alloc(count, sizeof *ranks);
  size_t blocks = count / length, kept = 0;
  for (size_t i = 0; i < blocks; i++) {
    size_t from = i * count / blocks, to = (i + 1) * count / blocks;
    struct stratum s = stratum_of(values + from, of_b + from, to - from, ranks);
    if (s.both)
      strata[kept++] = s;
  }
  mem_free(ranks);
  return kept;
}

/* --- apart ------------------------------------------------------------------------------------ */

struct halves {
  size_t blocks; /* of each side, first those of a */
  int64_t means[2 * BLOCKS_APART_MOST];
  uint64_t ranks[2 * BLOCKS_APART_MOST]; /* twice the ranks of the means */
};

/* The mean ranks of blocks of one side, in thousandths. */
static void add_blocks(struct halves *halves, const uint64_t *ranks, const bool *of_b, size_t count,
                       bool b, size_t size) {
  double sums[BLOCKS_APART_MOST] = {0}, counts[BLOCKS_APART_MOST] = {0};
  int64_t *means = halves->means + (b ? halves->blocks : 0);
  for (size_t i = 0, seen = 0; i < count; i++)
    if (of_b[i] == b) {
      size_t block = seen++ * halves->blocks / size;
      sums[block] += (double)ranks[i];
      counts[block]++;
    }
  for (size_t i = 0; i < halves->blocks; i++)
    means[i] = (int64_t)llround(1000 * sums[i] / counts[i]);
}

/* Four times as long as what the neighbours of a are worth one of. */
static size_t blocks_of(const uint64_t *ranks, const bool *of_b, size_t count, size_t b) {
  size_t size = 0;
  double *of_a = mem_alloc(count - b, sizeof *of_a);
  for (size_t i = 0; i < count; i++)
    if (!of_b[i])
      of_a[size++] = (double)ranks[i];
  double blocks = (double)size / serial_of(of_a, size).inflation / 4;
  mem_free(of_a);
  double most = fmin(fmin((double)b, (double)size) / 2, BLOCKS_APART_MOST);
  return (size_t)fmax(BLOCKS_APART_LEAST, fmin(blocks, most));
}

/* Of all choices of half the ranks, the part whose sum is at least that of b's, or at most. */
static double probability_of_ranks(const struct halves *halves, bool least) {
  size_t all = 2 * halves->blocks, sums = all * (all + 1) + 1, sum = 0;
  double *ways = mem_alloc((halves->blocks + 1) * sums, sizeof *ways), in = 0, out = 0;
  ways[0] = 1;
  for (size_t i = 0; i < all; i++) {
    uint64_t rank = halves->ranks[i];
    sum += i < halves->blocks ? 0 : rank;
    for (size_t chosen = i < halves->blocks ? i + 1 : halves->blocks; chosen > 0; chosen--) {
      double *with = ways + chosen * sums, *without = with - sums;
      for (size_t s = sums; s-- > rank;)
        with[s] += without[s - rank];
    }
  }
  const double *chosen = ways + halves->blocks * sums;
  for (size_t s = 0; s < sums; s++)
    *((least ? s >= sum : s <= sum) ? &in : &out) += chosen[s];
  mem_free(ways);
  return in / (in + out);
}

/* How many standard deviations b's ranks are above what they are on average. */
static double standing_of(const struct halves *halves) {
  double n = (double)halves->blocks, sum = 0;
  for (size_t i = 0; i < halves->blocks; i++)
    sum += (double)halves->ranks[halves->blocks + i] / 2;
  return (sum - n * (2 * n + 1) / 2) / sqrt(n * n * (2 * n + 1) / 12);
}

/* Ranks that are about what they are on average are not asked further. */
static enum rank_verdict judge_apart(const int64_t *values, const bool *of_b, size_t count,
                                     size_t b, double alpha) {
  uint64_t *ranks = mem_alloc(count, sizeof *ranks);
  rank(ranks, values, count);
  struct halves halves = {.blocks = blocks_of(ranks, of_b, count, b)};
  add_blocks(&halves, ranks, of_b, count, false, count - b);
  add_blocks(&halves, ranks, of_b, count, true, b);
  mem_free(ranks);
  rank(halves.ranks, halves.means, 2 * halves.blocks);
  double standing = standing_of(&halves);
  if (fabs(standing) < 0.5 || probability_of_ranks(&halves, standing > 0) > alpha / 2)
    return RANK_UNDECIDED;
  return standing > 0 ? RANK_B_SLOWER : RANK_A_SLOWER;
}

struct blocks_test blocks_test(const int64_t *values, const bool *of_b, size_t count,
                               double alpha) {
  struct blocks_test test = {RANK_UNDECIDED, false};
  size_t b = 0;
  for (size_t i = 0; i < count; i++)
    b += of_b[i];
  if (b < RANK_TEST_LEAST || count - b < RANK_TEST_LEAST)
    return test;
  size_t length = length_of(count, b);
  struct stratum *strata = mem_alloc(count / length + 1, sizeof *strata);
  size_t kept = find_strata(strata, values, of_b, count, length);
  test.apart = kept < BLOCKS_LEAST;
  test.verdict =
      test.apart ? judge_apart(values, of_b, count, b, alpha) : judge_strata(strata, kept, alpha);
  mem_free(strata);
  return test;
}

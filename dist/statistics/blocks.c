/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "dist/statistics/special.h"

/* Values of a block, where it has both sides: as many as this, if that leaves twice BLOCKS_LEAST. */
enum { SHORTEST = 8 };

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

/* As many values as have one of the rarer side in every second block. It depends on the sides alone, so that
 * no value has a part in the choice between the two tests. */
static size_t length_of(size_t count, size_t b) {
  size_t rarer = b < count - b ? b : count - b;
  size_t length = (count + 2 * rarer - 1) / (2 * rarer), shortest = count / (2 * BLOCKS_LEAST);
  shortest = shortest < SHORTEST ? shortest : SHORTEST;
  return length < shortest ? shortest : length;
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

/* Blocks of neighbours of one side: their mean ranks. */
struct row_of_blocks {
  size_t count;
  double means[BLOCKS_APART_MOST];
  double mean, variance, freedom; /* of their mean */
};

/* Twice the ranks of one side, in its order. */
static double *ranks_of(const uint64_t *ranks, const bool *of_b, size_t count, bool b,
                        size_t *size) {
  double *of_side = mem_alloc(count, sizeof *of_side);
  *size = 0;
  for (size_t i = 0; i < count; i++)
    if (of_b[i] == b)
      of_side[(*size)++] = (double)ranks[i];
  return of_side;
}

/* What drifts in its side is a difference of the sides, and no noise: without it, by the squares of
 * the differences of neighbours (von Neumann, Annals of Mathematical Statistics 12, 1941), which
 * are worth two thirds of as many squares about the mean. */
static void spread_by_neighbours(struct row_of_blocks *row) {
  double squares = 0, n = (double)row->count;
  for (size_t i = 1; i < row->count; i++)
    squares += (row->means[i] - row->means[i - 1]) * (row->means[i] - row->means[i - 1]);
  row->freedom = 2 * (n - 1) / 3;
  row->variance = squares / 2 / (n - 1) / n;
}

static void spread_about_mean(struct row_of_blocks *row) {
  double squares = 0, n = (double)row->count;
  for (size_t i = 0; i < row->count; i++)
    squares += (row->means[i] - row->mean) * (row->means[i] - row->mean);
  row->freedom = n - 1;
  row->variance = squares / (n - 1) / n;
}

/* `length`: values of a block, if that leaves enough blocks. */
static void make_row(struct row_of_blocks *row, const double *ranks, size_t size, double length,
                     bool alternate) {
  double most = fmin((double)size, BLOCKS_APART_MOST);
  *row = (struct row_of_blocks){
      .count = (size_t)fmax(BLOCKS_APART_LEAST, fmin(floor((double)size / length), most))};
  for (size_t i = 0; i < row->count; i++) {
    size_t from = i * size / row->count, to = (i + 1) * size / row->count;
    for (size_t v = from; v < to; v++)
      row->means[i] += ranks[v] / (double)(to - from);
    row->mean += row->means[i] / (double)row->count;
  }
  (alternate ? spread_about_mean : spread_by_neighbours)(row);
}

/* Four times as long as what neighbours are worth one of, where no difference of the sides is in
 * it. */
static double length_for(const double *ranks, size_t size) {
  double inflation = serial_of(ranks, size).inflation;
  return inflation <= 1 ? 1 : 4 * inflation;
}

/* How often sides take turns. */
static size_t turns_of(const bool *of_b, size_t count) {
  size_t turns = 0;
  for (size_t i = 1; i < count; i++)
    turns += of_b[i] != of_b[i - 1];
  return turns;
}

/* The least that a mean of this many blocks can be known to: half of one of them the other way
 * round. `step` is that of ranks doubled. */
static double floor_of(const struct row_of_blocks *row, double step) {
  double n = (double)row->count, half = step / 2 / n;
  return fmax(row->variance, half * half / n);
}

static enum rank_verdict judge_rows(const struct row_of_blocks *a, const struct row_of_blocks *b,
                                    size_t count, double alpha) {
  double x = floor_of(a, (double)count), y = floor_of(b, (double)count);
  double freedom = (x + y) * (x + y) / (x * x / a->freedom + y * y / b->freedom);
  double t = (b->mean - a->mean) / sqrt(x + y);
  if (special_student_above(fabs(t), freedom) > alpha / 2)
    return RANK_UNDECIDED;
  return t > 0 ? RANK_B_SLOWER : RANK_A_SLOWER;
}

static enum rank_verdict judge_apart(const int64_t *values, const bool *of_b, size_t count,
                                     double alpha, bool alternate) {
  uint64_t *ranks = mem_alloc(count, sizeof *ranks);
  rank(ranks, values, count);
  size_t sizes[2];
  double *sides[2] = {ranks_of(ranks, of_b, count, false, &sizes[0]),
                      ranks_of(ranks, of_b, count, true, &sizes[1])};
  double length = length_for(sides[0], sizes[0]);
  struct row_of_blocks rows[2];
  for (size_t b = 0; b < 2; b++) {
    make_row(&rows[b], sides[b], sizes[b], length, alternate);
    mem_free(sides[b]);
  }
  mem_free(ranks);
  return judge_rows(&rows[0], &rows[1], count, alpha);
}

/* --- apart: means ----------------------------------------------------------------------------- */

/* Draws without replacement are stopped at this many: the least chance that is told is one of so
 * many. */
enum { DRAWS_MOST = 100000, DRAWS_LEAST = 1000 };

/* Means that are so few standard deviations apart are not asked further. */
static const double APART_LEAST = 1.5;

/* The means of blocks of both sides, first those of a; the number of each side is returned. */
static double *means_of(const int64_t *values, const bool *of_b, size_t count, size_t length,
                        size_t kept[2]) {
  double *means = mem_alloc(count / length + 1, sizeof *means);
  size_t at = 0;
  for (size_t side = 0; side < 2; side++) {
    size_t seen = 0, size = 0;
    for (size_t i = 0; i < count; i++)
      size += of_b[i] == side;
    size_t left_out = size % length;
    for (size_t i = 0; i < count; i++)
      if (of_b[i] == side && seen++ >= left_out)
        means[at + (seen - 1 - left_out) / length] += (double)values[i] / (double)length;
    kept[side] = size / length;
    at += kept[side];
  }
  return means;
}

/* How many standard deviations, over all choices of as many blocks, the sum of b's is away from
 * what it is on average. */
static double distance_of(const double *means, const size_t kept[2]) {
  size_t all = kept[0] + kept[1];
  double n = (double)all, b = (double)kept[1], mean = 0, squares = 0, sum = 0;
  for (size_t i = 0; i < all; i++)
    mean += means[i] / n;
  for (size_t i = 0; i < all; i++) {
    squares += (means[i] - mean) * (means[i] - mean);
    sum += i >= kept[0] ? means[i] - mean : 0;
  }
  return squares <= 0 ? 0 : sum / sqrt(squares / (n - 1) * b * (n - b) / n);
}

/* Whether at most the part alpha of random choices of b's blocks has a sum as far out: with the one
 * that was seen among them (Phipson and Smyth, Statistical Applications in Genetics and Molecular
 * Biology 9, 2010). */
static bool is_rare(double *means, const size_t kept[2], double side, double alpha) {
  size_t all = kept[0] + kept[1], as_far = 1;
  double draws = fmax(DRAWS_LEAST, fmin(20 / alpha, DRAWS_MOST)), sum = 0;
  struct random random = {all};
  for (size_t i = kept[0]; i < all; i++)
    sum += side * means[i];
  double slack = 1e-12 * fabs(sum);
  for (size_t draw = 0; draw < (size_t)draws; draw++) {
    double drawn = 0;
    for (size_t i = 0; i < kept[1]; i++) {
      size_t other = i + (size_t)random_below(&random, all - i);
      double swapped = means[i];
      means[i] = means[other];
      means[other] = swapped;
      drawn += side * means[i];
    }
    as_far += drawn >= sum - slack;
    if ((double)as_far > alpha * (draws + 1))
      return false;
  }
  return true;
}

/* Long against the dependence in either side, so that an incident is in few blocks. */
static size_t length_of_means(const int64_t *values, const bool *of_b, size_t count) {
  uint64_t *ranks = mem_alloc(count, sizeof *ranks);
  double longer = 1;
  size_t rarer = count;
  rank(ranks, values, count);
  for (size_t side = 0; side < 2; side++) {
    size_t size;
    double *of_side = ranks_of(ranks, of_b, count, side == 1, &size);
    longer = fmax(longer, length_for(of_side, size));
    rarer = size < rarer ? size : rarer;
    mem_free(of_side);
  }
  mem_free(ranks);
  size_t shortest = (count + BLOCKS_MEANS_MOST - 1) / BLOCKS_MEANS_MOST;
  size_t longest = rarer / BLOCKS_APART_LEAST, length = (size_t)ceil(longer);
  length = length < shortest ? shortest : length;
  return length > longest ? longest : length;
}

static enum rank_verdict judge_means(const int64_t *values, const bool *of_b, size_t count,
                                     double alpha) {
  size_t kept[2], length = length_of_means(values, of_b, count);
  double *means = means_of(values, of_b, count, length, kept);
  double distance = distance_of(means, kept), side = distance < 0 ? -1 : 1;
  bool rare = fabs(distance) >= APART_LEAST && is_rare(means, kept, side, alpha / 2);
  mem_free(means);
  return !rare ? RANK_UNDECIDED : side > 0 ? RANK_B_SLOWER : RANK_A_SLOWER;
}

/* --- both ------------------------------------------------------------------------------------- */

static bool are_enough(const bool *of_b, size_t count, size_t *b) {
  *b = 0;
  for (size_t i = 0; i < count; i++)
    *b += of_b[i];
  return *b >= RANK_TEST_LEAST && count - *b >= RANK_TEST_LEAST;
}

/* Blocks that have both sides. */
static size_t count_mixed(const bool *of_b, size_t count, size_t length) {
  size_t blocks = count / length, mixed = 0;
  for (size_t i = 0; i < blocks; i++) {
    size_t from = i * count / blocks, to = (i + 1) * count / blocks, b = 0;
    for (size_t v = from; v < to; v++)
      b += of_b[v];
    mixed += b > 0 && b < to - from;
  }
  return mixed;
}

enum blocks_place blocks_place_of(const bool *of_b, size_t count) {
  size_t b;
  if (!are_enough(of_b, count, &b) || count_mixed(of_b, count, length_of(count, b)) >= BLOCKS_LEAST)
    return BLOCKS_WITHIN;
  return turns_of(of_b, count) < BLOCKS_TURNS ? BLOCKS_APART : BLOCKS_IN_TURNS;
}

static enum rank_verdict judge_within(const int64_t *values, const bool *of_b, size_t count,
                                      size_t b, double alpha) {
  size_t length = length_of(count, b);
  struct stratum *strata = mem_alloc(count / length + 1, sizeof *strata);
  size_t kept = find_strata(strata, values, of_b, count, length);
  enum rank_verdict verdict = judge_strata(strata, kept, alpha);
  mem_free(strata);
  return verdict;
}

enum rank_verdict blocks_test(const int64_t *values, const bool *of_b, size_t count, double alpha) {
  size_t b;
  if (!are_enough(of_b, count, &b))
    return RANK_UNDECIDED;
  enum blocks_place place = blocks_place_of(of_b, count);
  return place == BLOCKS_WITHIN ? judge_within(values, of_b, count, b, alpha)
                                : judge_apart(values, of_b, count, alpha, place == BLOCKS_IN_TURNS);
}

enum rank_verdict blocks_means_test(const int64_t *values, const bool *of_b, size_t count,
                                    double alpha) {
  size_t b;
  return are_enough(of_b, count, &b) ? judge_means(values, of_b, count, alpha) : RANK_UNDECIDED;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/spectrum.h"

#include <math.h>

#include "dist/statistics/special.h"

/* Fewer are chosen where the spectrum falls soon, and then they are too many by about twice. */
enum { STEEP = 32 };

size_t spectrum_cell_length(size_t n) {
  return n == 0 ? 1 : (n + SPECTRUM_CELLS - 1) / SPECTRUM_CELLS;
}

size_t spectrum_cell_count(size_t n) {
  return n / spectrum_cell_length(n);
}

/* Cells that are taken together, so that the processor need not wait for one after the other. */
enum { LANES = 8 };

/* Adds value cos(j angle) of each lane for j = 1, 2, ...; by the recurrence of Chebyshev. */
static void add_waves(double sums[][LANES], size_t count, const double value[LANES],
                      const double angle[LANES]) {
  double twice[LANES], before[LANES], here[LANES];
  for (size_t lane = 0; lane < LANES; lane++) {
    twice[lane] = 2 * cos(angle[lane]);
    before[lane] = value[lane];
    here[lane] = value[lane] * twice[lane] / 2;
  }
  for (size_t j = 0; j < count; j++)
    for (size_t lane = 0; lane < LANES; lane++) {
      sums[j][lane] += here[lane];
      double next = twice[lane] * here[lane] - before[lane];
      before[lane] = here[lane];
      here[lane] = next;
    }
}

/* By lane, sums[j] = sum over the cells c of cells[c] cos((j + 1) pi (c + 1/2) / cell_count). */
static void transform(double sums[][LANES], size_t count, const double *cells, size_t cell_count) {
  double step = acos(-1) / (double)cell_count, value[LANES], angle[LANES] = {0};
  size_t lane = 0;
  for (size_t c = 0; c < cell_count; c++) {
    if (cells[c] == 0)
      continue;
    value[lane] = cells[c];
    angle[lane++] = step * ((double)c + 0.5);
    if (lane == LANES) {
      add_waves(sums, count, value, angle);
      lane = 0;
    }
  }
  if (lane == 0)
    return;
  for (; lane < LANES; lane++)
    value[lane] = 0;
  add_waves(sums, count, value, angle);
}

static double square_of_sum(const double lanes[LANES]) {
  double sum = 0;
  for (size_t lane = 0; lane < LANES; lane++)
    sum += lanes[lane];
  return sum * sum;
}

void spectrum_init(struct spectrum *spectrum, const double *cells, size_t n, double variance) {
  spectrum_init_up_to(spectrum, cells, n, variance, n / 8);
}

void spectrum_init_up_to(struct spectrum *spectrum, const double *cells, size_t n, double variance,
                         size_t count) {
  if (count > SPECTRUM_MOST)
    count = SPECTRUM_MOST;
  *spectrum = (struct spectrum){.count = variance > 0 ? count : 0};
  if (spectrum->count == 0)
    return;
  double sums[SPECTRUM_MOST][LANES] = {0};
  transform(sums, count, cells, spectrum_cell_count(n));
  for (size_t j = 0; j < count; j++)
    spectrum->ordinates[j] = 2 * square_of_sum(sums[j]) / ((double)n * variance);
}

static double sum_of(const struct spectrum *spectrum, size_t from, size_t to) {
  double sum = 0;
  for (size_t j = from; j < to; j++)
    sum += spectrum->ordinates[j];
  return sum;
}

double spectrum_mean(const struct spectrum *spectrum, size_t count) {
  if (count > spectrum->count)
    count = spectrum->count;
  return count == 0 ? 1 : sum_of(spectrum, 0, count) / (double)count;
}

/* Whether the mean of `count` ordinates is not below that of fewer beyond the noise. */
static bool is_level(const struct spectrum *spectrum, size_t count, double mean) {
  for (size_t few = SPECTRUM_NARROWEST; few < count; few *= 2)
    if (mean < spectrum_mean(spectrum, few) * (1 - sqrt(2 / (double)few)))
      return false;
  return true;
}

/* How many of the lowest are averaged. */
static size_t choose(const struct spectrum *spectrum) {
  size_t chosen = SPECTRUM_NARROWEST;
  for (size_t b = chosen; b <= spectrum->count; b *= 2) {
    if (!is_level(spectrum, b, spectrum_mean(spectrum, b)))
      break;
    chosen = b;
  }
  return chosen;
}

static double widened(const struct spectrum *spectrum, size_t count) {
  const double normal = 2.5758293035489004; /* exceeded with chance 1/200 */
  double widening = special_student_quantile_above(0.005, (double)count) / normal;
  return spectrum_mean(spectrum, count) * widening * widening;
}

double spectrum_inflation(const struct spectrum *spectrum) {
  return spectrum->count == 0 ? 1 : fmax(1, widened(spectrum, choose(spectrum)));
}

double spectrum_inflation_safe(const struct spectrum *spectrum) {
  size_t chosen = choose(spectrum);
  bool steep = chosen > SPECTRUM_NARROWEST && chosen <= STEEP;
  double half = steep ? widened(spectrum, chosen / 2) : 1;
  return fmax(half, spectrum_inflation(spectrum));
}

double spectrum_long_run(const struct spectrum *spectrum, size_t *freedom) {
  size_t chosen = choose(spectrum), half = chosen / 2;
  bool steep = chosen > SPECTRUM_NARROWEST && chosen <= STEEP;
  bool fewer = steep && spectrum_mean(spectrum, half) > spectrum_mean(spectrum, chosen);
  *freedom = spectrum->count == 0 ? 0 : fewer ? half : chosen;
  return *freedom == 0 ? 1 : fmax(1, spectrum_mean(spectrum, *freedom));
}

static bool is_raised(const struct spectrum *spectrum, size_t count, double level) {
  if (count > spectrum->count)
    count = spectrum->count;
  return special_chi_square_above(sum_of(spectrum, 0, count), (double)count) < level;
}

bool spectrum_is_raised(const struct spectrum *spectrum, double level) {
  if (spectrum->count == 0)
    return false;
  return is_raised(spectrum, 8, level) || is_raised(spectrum, 64, level);
}

bool spectrum_drifts(const struct spectrum *spectrum, double level) {
  enum { FROM = 2, TO = 12 };
  if (spectrum->count < TO)
    return false;
  double usual = sum_of(spectrum, FROM, TO) / (TO - FROM);
  double limit = special_student_quantile_above(level / 2, TO - FROM);
  return spectrum->ordinates[0] > usual * limit * limit;
}

/* The score of a rise as j^-0.8 among the lowest `count`: about normal where there is none. */
static double rise_of(const struct spectrum *spectrum, size_t count) {
  static const double power = -0.8;
  double mean = 0, weights = 0, score = 0, square = 0;
  for (size_t j = 0; j < count; j++) {
    mean += spectrum->ordinates[j] / (double)count;
    weights += pow((double)(j + 1), power) / (double)count;
  }
  for (size_t j = 0; j < count; j++) {
    double weight = pow((double)(j + 1), power) - weights;
    score += (spectrum->ordinates[j] - mean) * weight;
    square += weight * weight;
  }
  return mean > 0 ? score / (mean * sqrt(2 * square)) : 0;
}

bool spectrum_rises(const struct spectrum *spectrum, size_t count) {
  static const double critical = 3.2, critical_low = 1;
  enum { ORDINATES_LEAST = 16, PART = 4 };
  if (count > spectrum->count)
    count = spectrum->count;
  if (count < ORDINATES_LEAST || rise_of(spectrum, count) <= critical)
    return false;
  size_t low = count / PART;
  return low < ORDINATES_LEAST || rise_of(spectrum, low) > critical_low;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "base/memory.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, RADIX_WORTHWHILE = 4096, FIRST_CAPACITY = 64 };

void sample_init(struct sample *sample) {
  *sample = (struct sample){0};
}

void sample_clear(struct sample *sample) {
  mem_free(sample->bins);
  mem_free(sample->series);
  mem_free(sample->series_lower);
  sample_windows_free(sample->windows);
  evidence_clear(&sample->evidence);
  sample_init(sample);
}

void sample_windows_free(struct sample_windows *windows) {
  if (windows == NULL)
    return;
  mem_free(windows->edges_ns);
  mem_free(windows->totals);
  mem_free(windows->within);
  mem_free(windows);
}

uint64_t sample_window_within(const struct sample_windows *windows, size_t window, uint64_t ns) {
  size_t low = 0, high = windows->edge_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (windows->edges_ns[middle] <= ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? 0 : windows->within[window * windows->edge_count + low - 1];
}

static int compare_bins(const void *a, const void *b) {
  const struct sample_bin *x = a, *y = b;
  return (x->upper_ns > y->upper_ns) - (x->upper_ns < y->upper_ns);
}

static bool is_sorted(const struct sample_bin *bins, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (bins[i - 1].upper_ns > bins[i].upper_ns)
      return false;
  return true;
}

/* One stable counting pass of a least-significant-digit radix sort. */
static void radix_pass(struct sample_bin *to, const struct sample_bin *from, size_t count,
                       unsigned shift) {
  size_t starts[DIGITS] = {0};
  for (size_t i = 0; i < count; i++)
    starts[(from[i].upper_ns >> shift) % DIGITS]++;
  for (size_t digit = 0, start = 0; digit < DIGITS; digit++) {
    size_t here = starts[digit];
    starts[digit] = start;
    start += here;
  }
  for (size_t i = 0; i < count; i++)
    to[starts[(from[i].upper_ns >> shift) % DIGITS]++] = from[i];
}

static void sort_radix(struct sample *sample) {
  uint64_t greatest = 0;
  for (size_t i = 0; i < sample->count; i++)
    if (sample->bins[i].upper_ns > greatest)
      greatest = sample->bins[i].upper_ns;
  struct sample_bin *other = mem_alloc(sample->capacity, sizeof *other);
  for (unsigned shift = 0; shift < 64 && greatest >> shift != 0; shift += DIGIT_BITS) {
    radix_pass(other, sample->bins, sample->count, shift);
    struct sample_bin *swapped = sample->bins;
    sample->bins = other;
    other = swapped;
  }
  mem_free(other);
}

static void sort_and_merge(struct sample *sample) {
  if (sample->count == 0)
    return;
  if (!is_sorted(sample->bins, sample->count)) {
    if (sample->count < RADIX_WORTHWHILE)
      qsort(sample->bins, sample->count, sizeof *sample->bins, compare_bins);
    else
      sort_radix(sample);
  }
  size_t kept = 0;
  for (size_t i = 1; i < sample->count; i++) {
    struct sample_bin *bin = &sample->bins[kept];
    if (sample->bins[i].upper_ns == bin->upper_ns) {
      bin->count += sample->bins[i].count;
      if (sample->bins[i].lower_ns < bin->lower_ns)
        bin->lower_ns = sample->bins[i].lower_ns;
    } else
      sample->bins[++kept] = sample->bins[i];
  }
  sample->count = kept + 1;
}

/* Merging first keeps the memory in proportion to the number of different values: a day of
 * intervals, each a histogram over the same buckets, needs no more than one of them. */
static void make_room(struct sample *sample) {
  sort_and_merge(sample);
  if (sample->count > sample->capacity / 2 || sample->capacity == 0) {
    sample->capacity = sample->capacity == 0 ? FIRST_CAPACITY : 2 * sample->capacity;
    sample->bins = mem_resize(sample->bins, sample->capacity, sizeof *sample->bins);
  }
}

bool sample_add(struct sample *sample, uint64_t upper_ns, uint64_t count) {
  return sample_add_range(sample, 0, upper_ns, count);
}

bool sample_add_range(struct sample *sample, uint64_t lower_ns, uint64_t upper_ns, uint64_t count) {
  invariant(lower_ns <= upper_ns && upper_ns <= SAMPLE_NS_MAX);
  if (count > SAMPLE_TOTAL_MAX - sample->total)
    return false;
  if (count == 0)
    return true;
  if (sample->count == sample->capacity)
    make_room(sample);
  sample->bins[sample->count++] = (struct sample_bin){lower_ns, upper_ns, count};
  sample->total += count;
  sample->real += count;
  return true;
}

void sample_add_to_series(struct sample *sample, uint64_t value_ns) {
  sample_add_range_to_series(sample, value_ns, value_ns);
}

static void drop_series(struct sample *sample) {
  mem_free(sample->series);
  mem_free(sample->series_lower);
  sample->series = sample->series_lower = NULL;
  sample->series_capacity = 0;
  sample->series_count = SAMPLE_SERIES_MAX + 1; /* too long; sample_finish says 0 */
}

void sample_add_range_to_series(struct sample *sample, uint64_t lower_ns, uint64_t upper_ns) {
  invariant(lower_ns <= upper_ns);
  if (sample->series_count > SAMPLE_SERIES_MAX)
    return;
  if (sample->series_count == SAMPLE_SERIES_MAX) {
    drop_series(sample);
    return;
  }
  size_t capacity = sample->series_capacity;
  if (sample->series_count == capacity) {
    sample->series_capacity = capacity = capacity == 0 ? FIRST_CAPACITY : 2 * capacity;
    sample->series = mem_resize(sample->series, capacity, sizeof *sample->series);
    sample->series_lower = mem_resize(sample->series_lower, capacity, sizeof *sample->series_lower);
  }
  sample->series_lower[sample->series_count] = lower_ns;
  sample->series[sample->series_count++] = upper_ns;
}

bool sample_add_beyond(struct sample *sample, uint64_t count) {
  return sample_add_beyond_from(sample, 0, count);
}

bool sample_add_beyond_from(struct sample *sample, uint64_t least_ns, uint64_t count) {
  if (count > SAMPLE_TOTAL_MAX - sample->total)
    return false;
  if (count != 0 && (sample->beyond == 0 || least_ns < sample->beyond_least_ns))
    sample->beyond_least_ns = least_ns;
  sample->beyond += count;
  sample->total += count;
  sample->real += count;
  return true;
}

bool sample_add_all(struct sample *sample, const struct sample *other) {
  bool good = sample_add_beyond_from(sample, other->beyond_least_ns, other->beyond);
  for (size_t i = 0; i < other->count && good; i++)
    good = sample_add_range(sample, other->bins[i].lower_ns, other->bins[i].upper_ns,
                            other->bins[i].count);
  if (good)
    evidence_merge(&sample->evidence, &other->evidence);
  return good;
}

void sample_finish(struct sample *sample) {
  sort_and_merge(sample);
  if (sample->series == NULL)
    sample->series_count = 0;
  if (sample->count < sample->capacity) {
    sample->capacity = sample->count == 0 ? 1 : sample->count;
    sample->bins = mem_resize(sample->bins, sample->capacity, sizeof *sample->bins);
  }
}

bool sample_has_order(const struct sample *sample) {
  return sample->series_count != 0 || sample->evidence.order != NULL ||
         (sample->windows != NULL && sample->windows->count >= SAMPLE_WINDOWS_LEAST);
}

bool sample_is_valid(const struct sample *sample) {
  uint64_t sum = sample->beyond;
  if (sum > SAMPLE_TOTAL_MAX || (sample->count != 0 && sample->bins == NULL))
    return false;
  for (size_t i = 0; i < sample->count; i++) {
    const struct sample_bin *bin = &sample->bins[i];
    if (bin->count == 0 || bin->upper_ns > SAMPLE_NS_MAX || bin->lower_ns > bin->upper_ns ||
        bin->count > SAMPLE_TOTAL_MAX - sum)
      return false;
    if (i != 0 && bin->upper_ns <= bin[-1].upper_ns)
      return false;
    sum += bin->count;
  }
  return sum > 0 && sum == sample->total && sample->real <= sample->total;
}

bool sample_quantile(uint64_t *x_ns, const struct sample *sample, const struct rational *p) {
  struct rational rank;
  rational_init(&rank);
  rational_set_integer(&rank, (int64_t)sample->total);
  rational_mul(&rank, &rank, p);
  int64_t needed = 0;
  bool fits = rational_ceil(&needed, &rank);
  rational_clear(&rank);
  if (!fits || needed < 0 || (uint64_t)needed > sample->total)
    bug("a quantile is asked for outside 0 to 1");
  if ((uint64_t)needed > sample->total - sample->beyond)
    return false;
  uint64_t seen = 0, x = 0;
  for (size_t i = 0; seen < (uint64_t)needed; i++) {
    seen += sample->bins[i].count;
    x = sample->bins[i].upper_ns;
  }
  if (x == SAMPLE_NS_MAX)
    return false;
  *x_ns = x;
  return true;
}

uint64_t sample_count_above(const struct sample *sample, uint64_t x_ns) {
  uint64_t above = sample->beyond;
  for (size_t i = sample->count; i-- != 0 && sample->bins[i].upper_ns > x_ns;)
    above += sample->bins[i].count;
  return above;
}

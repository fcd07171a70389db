/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold/histogram.h"

#include "base/memory.h"

void fold_histogram_init(struct fold_histogram *histogram, unsigned bits) {
  *histogram = (struct fold_histogram){.bits = bits};
}

void fold_histogram_clear(struct fold_histogram *histogram) {
  for (size_t i = 0; i < FOLD_OCTAVES; i++)
    mem_free(histogram->octaves[i]);
  *histogram = (struct fold_histogram){.bits = histogram->bits};
}

static size_t octave_size(const struct fold_histogram *histogram, size_t octave) {
  size_t half = (size_t)1 << histogram->bits;
  return octave == 0 ? 2 * half + 1 : half;
}

static uint64_t *count_at(struct fold_histogram *histogram, size_t octave, size_t index) {
  if (histogram->octaves[octave] == NULL)
    histogram->octaves[octave] =
        mem_alloc(octave_size(histogram, octave), sizeof **histogram->octaves);
  return &histogram->octaves[octave][index];
}

/* Octave o >= 1 has the values in (2^(bits + o), 2^(bits + o + 1)], in steps of 2^o. */
static void place_of(const struct fold_histogram *histogram, uint64_t value, size_t *octave,
                     size_t *index) {
  uint64_t half = (uint64_t)1 << histogram->bits;
  *octave = 0;
  *index = (size_t)value;
  if (value <= 2 * half)
    return;
  uint64_t below = value - 1;
  *octave = (size_t)(63 - __builtin_clzll(below)) - histogram->bits;
  *index = (size_t)((below >> *octave) - half);
}

static bool add_to(uint64_t *count, uint64_t more) {
  uint64_t sum;
  if (__builtin_add_overflow(*count, more, &sum))
    return false;
  *count = sum;
  return true;
}

bool fold_histogram_add(struct fold_histogram *histogram, int64_t value, uint64_t count) {
  size_t octave, index;
  place_of(histogram, (uint64_t)value, &octave, &index);
  return add_to(count_at(histogram, octave, index), count);
}

bool fold_histogram_merge(struct fold_histogram *histogram, const struct fold_histogram *other) {
  for (size_t octave = 0; octave < FOLD_OCTAVES; octave++) {
    if (other->octaves[octave] == NULL)
      continue;
    for (size_t i = 0; i < octave_size(other, octave); i++)
      if (!add_to(count_at(histogram, octave, i), other->octaves[octave][i]))
        return false;
  }
  return true;
}

static void set_edges(struct fold_bin *bin, const struct fold_histogram *histogram) {
  uint64_t half = (uint64_t)1 << histogram->bits;
  if (bin->octave == 0) {
    bin->lower = bin->upper = (int64_t)bin->index;
    return;
  }
  uint64_t before = (bin->index + half) << bin->octave; /* the upper edge of the bin below */
  bin->lower = (int64_t)(before + 1);
  bin->upper = (int64_t)(before - 1 + ((uint64_t)1 << bin->octave)); /* one less: no overflow */
  bin->upper += bin->upper < INT64_MAX;
}

bool fold_histogram_next(struct fold_bin *bin, const struct fold_histogram *histogram) {
  if (bin->count != 0)
    bin->index++;
  for (; bin->octave < FOLD_OCTAVES; bin->octave++, bin->index = 0) {
    const uint64_t *counts = histogram->octaves[bin->octave];
    size_t size = counts == NULL ? 0 : octave_size(histogram, bin->octave);
    while (bin->index < size && counts[bin->index] == 0)
      bin->index++;
    if (bin->index < size) {
      bin->count = counts[bin->index];
      set_edges(bin, histogram);
      return true;
    }
  }
  return false;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/ordered.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int compare_places(const void *a, const void *b) {
  const struct ordered_place *x = a, *y = b;
  if (x->value != y->value)
    return x->value < y->value ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

void ordered_init(struct ordered *ordered, const uint64_t *series, size_t count) {
  *ordered = (struct ordered){.count = count,
                              .places = mem_alloc(count, sizeof *ordered->places),
                              .cells = mem_alloc(spectrum_cell_count(count), sizeof(double)),
                              .marks = mem_alloc(count, 1)};
  for (size_t i = 0; i < count; i++)
    ordered->places[i] = (struct ordered_place){series[i], i};
  qsort(ordered->places, count, sizeof *ordered->places, compare_places);
}

void ordered_clear(struct ordered *ordered) {
  mem_free(ordered->places);
  mem_free(ordered->cells);
  mem_free(ordered->marks);
  *ordered = (struct ordered){0};
}

size_t ordered_above(const struct ordered *ordered, size_t index) {
  size_t i = index;
  while (i < ordered->count && ordered->places[i].value == ordered->places[index].value)
    i++;
  return i;
}

size_t ordered_from(const struct ordered *ordered, size_t index) {
  size_t i = index;
  while (i > 0 && ordered->places[i - 1].value == ordered->places[index].value)
    i--;
  return i;
}

void ordered_spectrum(struct spectrum *spectrum, struct ordered *ordered, size_t from, size_t to) {
  size_t length = spectrum_cell_length(ordered->count);
  size_t cells = spectrum_cell_count(ordered->count);
  memset(ordered->cells, 0, cells * sizeof *ordered->cells);
  for (size_t i = from; i < to; i++) {
    size_t cell = ordered->places[i].at / length;
    if (cell < cells)
      ordered->cells[cell]++;
  }
  double share = (double)(to - from) / (double)ordered->count;
  spectrum_init(spectrum, ordered->cells, ordered->count, share * (1 - share));
}

size_t ordered_neighbours(struct ordered *ordered, size_t from, size_t to) {
  size_t pairs = 0;
  for (size_t i = from; i < to; i++)
    ordered->marks[ordered->places[i].at] = 1;
  for (size_t i = from; i < to; i++)
    pairs += ordered->places[i].at + 1 < ordered->count &&
             ordered->marks[ordered->places[i].at + 1] != 0;
  for (size_t i = from; i < to; i++)
    ordered->marks[ordered->places[i].at] = 0;
  return pairs;
}

void ordered_ranks(const struct ordered *ordered, double *ranks) {
  for (size_t i = 0, next; i < ordered->count; i = next) {
    next = ordered_above(ordered, i);
    double rank = (double)(i + next) / (2 * (double)ordered->count);
    for (size_t k = i; k < next; k++)
      ranks[ordered->places[k].at] = rank;
  }
}

static size_t divisor_of(size_t a, size_t b) {
  while (b != 0) {
    size_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

size_t ordered_copies(const struct ordered *ordered) {
  size_t values = 0, divisor = 0;
  for (size_t i = 0, next; i < ordered->count && divisor != 1; i = next, values++) {
    next = ordered_above(ordered, i);
    divisor = divisor_of(next - i, divisor);
  }
  return values >= ORDERED_COPIES_LEAST && divisor > 1 && divisor <= ORDERED_COPIES_MOST ? divisor
                                                                                         : 1;
}

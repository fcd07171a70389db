/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/adversary.h"

#include <stdlib.h>

#include "base/memory.h"
#include "dist/survival/wide.h"

#define SWEEPS_MAX 100

struct row {
  uint64_t others; /* the sum of all copies but one */
  size_t index;
};

struct arrangement {
  size_t copies, rows;
  uint64_t *columns; /* of each copy, its values of the rows */
  uint64_t *slices;  /* of each copy, the same values from the least on */
  uint64_t *sums;
  struct row *order;
};

/* The greatest value each of so many can have without an overflow of their sum; to count a slice
 * with less than its least value is right as well. */
static uint64_t value_max(size_t copies) {
  return INT64_MAX / copies;
}

/* From the top: slice r holds the chances to be exceeded from r to less than r + 1 times
 * tail / rows, so its least value is the first point whose tail is less than the latter. */
static void fill_slices(struct arrangement *a, size_t copy, const struct survival *law,
                        uint64_t tail) {
  for (size_t r = 0; r < a->rows; r++) {
    uint64_t end = (uint64_t)(((uint128)tail * (r + 1) + a->rows - 1) / a->rows);
    uint64_t value = value_max(a->copies), found;
    if (survival_quantile(&found, law, end - 1) && found < value)
      value = found;
    a->slices[copy * a->rows + a->rows - 1 - r] = value;
    a->columns[copy * a->rows + r] = value;
    a->sums[r] += value;
  }
}

static int compare_rows(const void *x, const void *y) {
  const struct row *a = x, *b = y;
  if (a->others != b->others)
    return a->others < b->others ? 1 : -1;
  return a->index < b->index ? -1 : a->index > b->index;
}

static void rearrange(struct arrangement *a, size_t copy) {
  uint64_t *column = a->columns + copy * a->rows;
  for (size_t r = 0; r < a->rows; r++)
    a->order[r] = (struct row){a->sums[r] - column[r], r};
  qsort(a->order, a->rows, sizeof *a->order, compare_rows);
  for (size_t r = 0; r < a->rows; r++) {
    size_t index = a->order[r].index;
    column[index] = a->slices[copy * a->rows + r];
    a->sums[index] = a->order[r].others + column[index];
  }
}

static uint64_t least_sum(const struct arrangement *a) {
  uint64_t least = a->sums[0];
  for (size_t r = 1; r < a->rows; r++)
    least = a->sums[r] < least ? a->sums[r] : least;
  return least;
}

static size_t count_copies(const struct copies *parts, size_t part_count) {
  uint64_t copies = 0;
  for (size_t i = 0; i < part_count; i++) {
    if (parts[i].count > ADVERSARY_COPIES_MAX - copies)
      bug("too many copies to rearrange");
    copies += parts[i].count;
  }
  return (size_t)copies;
}

uint64_t adversary_sum(const struct copies *parts, size_t part_count, uint64_t tail, size_t rows) {
  struct arrangement a = {.copies = count_copies(parts, part_count), .rows = rows};
  if (a.copies == 0 || rows == 0 || tail == 0)
    bug("nothing to rearrange");
  a.columns = mem_alloc(a.copies * rows, sizeof *a.columns);
  a.slices = mem_alloc(a.copies * rows, sizeof *a.slices);
  a.sums = mem_alloc(rows, sizeof *a.sums);
  a.order = mem_alloc(rows, sizeof *a.order);
  size_t copy = 0;
  for (size_t i = 0; i < part_count; i++)
    for (uint64_t j = 0; j < parts[i].count; j++)
      fill_slices(&a, copy++, parts[i].survival, tail);
  uint64_t best = least_sum(&a);
  for (size_t sweep = 0; sweep < SWEEPS_MAX; sweep++) {
    for (size_t i = 0; i < a.copies; i++)
      rearrange(&a, i);
    uint64_t least = least_sum(&a);
    if (least <= best)
      break;
    best = least;
  }
  mem_free(a.order);
  mem_free(a.sums);
  mem_free(a.slices);
  mem_free(a.columns);
  return best;
}

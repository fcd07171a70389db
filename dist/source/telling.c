/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/telling.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { ROWS_MOST = 1 << 16, ROWS_LEAST = 8 };

/* How far from 1/2 the chance to be slower has to be, and in how many standard deviations. */
#define FAR 0.25
#define SURE 5

size_t telling_column(struct kind_telling *telling) {
  return telling->count == TELLING_COLUMNS ? SIZE_MAX : telling->count++;
}

void telling_cell(struct kind_telling *telling, size_t column, struct slice cell) {
  struct telling_values *values = &telling->columns[column];
  size_t i = 0;
  if (values->count > TELLING_VALUES)
    return;
  while (i < values->count && !slice_same(values->all[i], cell))
    i++;
  if (i == values->count) {
    values->count++;
    if (i == TELLING_VALUES)
      return;
    values->all[i] = cell;
  }
  telling->row.values[column] = (unsigned char)i;
}

void telling_time(struct kind_telling *telling, uint64_t ns) {
  if (telling->step == 0)
    telling->step = 1;
  if (telling->seen++ % telling->step != 0)
    return;
  telling->row.ns = ns;
  vector_push(&telling->rows, telling->row);
  if (telling->rows.count < ROWS_MOST)
    return;
  for (size_t i = 0; 2 * i < telling->rows.count; i++)
    telling->rows.data[i] = telling->rows.data[2 * i];
  telling->rows.count = (telling->rows.count + 1) / 2;
  telling->step *= 2;
}

static int by_time(const void *a, const void *b) {
  const struct telling_row *x = a, *y = b;
  return (x->ns > y->ns) - (x->ns < y->ns);
}

/* Of rows by time: for each value of the column how many have it, and the sum of their ranks, ties
 * in the middle. */
struct ranks {
  uint64_t counts[TELLING_VALUES];
  double sums[TELLING_VALUES];
};

static void rank(struct ranks *ranks, const struct kind_telling *telling, size_t column) {
  size_t count = telling->rows.count;
  const struct telling_row *rows = telling->rows.data;
  *ranks = (struct ranks){0};
  for (size_t from = 0, to; from < count; from = to) {
    for (to = from; to < count && rows[to].ns == rows[from].ns; to++)
      ;
    double middle = ((double)from + (double)to + 1) / 2;
    for (size_t i = from; i < to; i++) {
      ranks->counts[rows[i].values[column]]++;
      ranks->sums[rows[i].values[column]] += middle;
    }
  }
}

/* By how many standard deviations the rows with the value differ; 0 where they do not tell. */
static double tells(const struct ranks *ranks, size_t value, size_t count) {
  double with = (double)ranks->counts[value], without = (double)(count - ranks->counts[value]);
  if (with < ROWS_LEAST || without < ROWS_LEAST)
    return 0;
  double chance = (ranks->sums[value] / with - (with + 1) / 2) / without;
  double sigma = sqrt((double)(count + 1) / (12 * with * without));
  double far = fabs(chance - 0.5);
  return far >= FAR && far >= SURE * sigma ? far / sigma : 0;
}

static uint64_t median_of(const struct kind_telling *telling, size_t column, size_t value,
                          bool with, uint64_t count) {
  uint64_t passed = 0;
  for (size_t i = 0; i < telling->rows.count; i++) {
    bool has = telling->rows.data[i].values[column] == value;
    if (has == with && 2 * ++passed >= count)
      return telling->rows.data[i].ns;
  }
  return 0;
}

static void describe(struct telling_found *found, const struct kind_telling *telling, size_t column,
                     size_t value, const struct ranks *ranks) {
  const struct telling_values *values = &telling->columns[column];
  size_t usual = 0;
  for (size_t i = 1; i < values->count; i++)
    usual = ranks->counts[i] > ranks->counts[usual] ? i : usual;
  *found = (struct telling_found){.column = column,
                                  .value = values->all[value],
                                  .usual = values->all[usual],
                                  .rows = ranks->counts[value],
                                  .others = telling->rows.count - ranks->counts[value]};
  found->median_ns = median_of(telling, column, value, true, found->rows);
  found->other_median_ns = median_of(telling, column, value, false, found->others);
}

bool telling_find(struct telling_found *found, struct kind_telling *telling) {
  double most = 0;
  struct ranks ranks;
  if (telling->rows.count == 0)
    return false;
  qsort(telling->rows.data, telling->rows.count, sizeof *telling->rows.data, by_time);
  for (size_t column = 0; column < telling->count; column++) {
    size_t values = telling->columns[column].count;
    if (values < 2 || values > TELLING_VALUES)
      continue;
    rank(&ranks, telling, column);
    for (size_t value = 0; value < values; value++) {
      double far = tells(&ranks, value, telling->rows.count);
      if (far <= most)
        continue;
      most = far;
      describe(found, telling, column, value, &ranks);
    }
  }
  return most != 0;
}

void telling_clear(struct kind_telling *telling) {
  vector_clear(&telling->rows);
}

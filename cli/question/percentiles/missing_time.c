/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/missing_time.h"

#include <stdlib.h>

#include "cli/question/percentiles/percentiles.h"
#include "dist/source/joint.h"

/* The bounds of all requests together are far above where they are this many times what the
 * requests took. */
static const double FAR_ABOVE = 1.25;

enum { REQUESTS_LEAST = 10 }; /* around a percentile */

/* The requests with finite times, in the order of the rows. */
struct rows {
  VECTOR(size_t) row;
  double *observed, *difference; /* observed - bound, or bound - observed of a surplus */
  bool *longer;                  /* took longer than its bound */
};

/* The columns that may be parts, as series. */
struct suspects {
  VECTOR(struct missing_column) names;
  VECTOR(const double *) series; /* owned */
};

static bool is_used(const struct laws *laws, size_t table, size_t column) {
  bool used = false;
  for (size_t i = 0; i < laws->entries.count; i++)
    used |= laws->entries.data[i]->is_used && laws->entries.data[i]->table == table &&
            laws->entries.data[i]->column == column;
  return used;
}

/* What did not happen, was not measured or did not end takes no part. */
static const double *series_of(const struct joint_column *column, const struct rows *rows) {
  double *series = mem_alloc(rows->row.count, sizeof *series);
  for (size_t i = 0; i < rows->row.count; i++) {
    const struct joint_cell *cell = &column->cells[rows->row.data[i]];
    bool known = cell->lower_ns <= cell->upper_ns && cell->upper_ns < SAMPLE_NS_MAX;
    series[i] = known ? (double)cell->upper_ns : 0;
  }
  return series;
}

/* Of missing time, each column but the observed one: one that the bound counts may be counted too
 * few times. Of a surplus, those that it counts. */
static void add_suspects(struct suspects *to, const struct percentiles *run,
                         const struct rows *rows, enum missing_kind kind) {
  const struct laws *laws = &run->calculation.laws;
  size_t table = run->calculation.draws.table;
  const struct joint *joint = laws->tables.data[table];
  size_t observed = joint_find_observed(joint, run->request->of.observed);
  for (size_t c = 0; c < joint->columns.count; c++) {
    struct missing_column name = {.name = joint->columns.data[c].name,
                                  .in_bound = is_used(laws, table, c)};
    if (c == observed || (kind == MISSING_SURPLUS && !name.in_bound))
      continue;
    vector_push(&to->names, name);
    vector_push(&to->series, series_of(&joint->columns.data[c], rows));
  }
}

static void clear_suspects(struct suspects *suspects) {
  for (size_t i = 0; i < suspects->series.count; i++)
    mem_free((void *)(uintptr_t)suspects->series.data[i]);
  vector_clear(&suspects->series);
  vector_clear(&suspects->names);
}

/* --- the difference -----------------------------------------------------------------------------
 */

static enum missing_kind read_rows(struct rows *rows, size_t *longer,
                                   const struct percentiles *run) {
  const struct sample *bound = &run->calculation.draws.values, *seen = &run->observed;
  double bounds = 0, took = 0;
  rows->observed = mem_alloc(seen->series_count, sizeof *rows->observed);
  rows->difference = mem_alloc(seen->series_count, sizeof *rows->difference);
  rows->longer = mem_alloc(seen->series_count, sizeof *rows->longer);
  for (size_t i = 0; i < seen->series_count; i++) {
    if (seen->series[i] >= SAMPLE_NS_MAX || bound->series[i] >= SAMPLE_NS_MAX)
      continue;
    size_t at = rows->row.count;
    vector_push(&rows->row, i);
    rows->observed[at] = (double)seen->series[i];
    rows->difference[at] = (double)seen->series[i] - (double)bound->series[i];
    rows->longer[at] = seen->series_lower[i] > bound->series[i];
    *longer += rows->longer[at];
    took += (double)seen->series[i];
    bounds += (double)bound->series[i];
  }
  enum missing_kind kind = *longer != 0                ? MISSING_TIME
                           : bounds > FAR_ABOVE * took ? MISSING_SURPLUS
                                                       : MISSING_NOT;
  for (size_t i = 0; i < rows->row.count && kind == MISSING_SURPLUS; i++)
    rows->difference[i] = -rows->difference[i];
  return kind;
}

/* --- around a percentile ------------------------------------------------------------------------
 */

struct ranked {
  double observed;
  size_t index;
};

static int by_observed(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  return (x->observed > y->observed) - (x->observed < y->observed);
}

static struct ranked *rank(const struct rows *rows) {
  struct ranked *ranked = mem_alloc(rows->row.count, sizeof *ranked);
  for (size_t i = 0; i < rows->row.count; i++)
    ranked[i] = (struct ranked){rows->observed[i], i};
  qsort(ranked, rows->row.count, sizeof *ranked, by_observed);
  return ranked;
}

/* `whole` is the difference before anything was taken from it, rows->difference what is left. */
static struct missing_at look_at(size_t wanted, double share, const struct ranked *ranked,
                                 const struct rows *rows, const double *whole,
                                 const struct missing_time *missing,
                                 const struct suspects *suspects) {
  double reach = (share < 0.5 ? share : 1 - share) / 2, count = (double)rows->row.count;
  size_t from = (size_t)((share - reach) * count), to = (size_t)((share + reach) * count);
  struct missing_at at = {.wanted = wanted, .requests = to - from};
  if (at.requests < REQUESTS_LEAST) {
    at.requests = 0;
    return at;
  }
  double of = (double)at.requests;
  for (size_t r = from; r < to; r++) {
    size_t i = ranked[r].index;
    at.total_ns += whole[i] / of;
    at.rest_ns += rows->difference[i] / of;
    for (size_t p = 0; p < missing->parts.count; p++)
      at.part_ns[p] += suspects->series.data[missing->parts.data[p].part.series][i] / of;
  }
  return at;
}

static void find_parts(struct missing_time *missing, const struct percentiles *run,
                       struct rows *rows, const double *whole) {
  struct suspects suspects = {0};
  struct missing_part parts[MISSING_PARTS];
  add_suspects(&suspects, run, rows, missing->kind);
  size_t found = missing_find(parts, rows->difference, suspects.series.data, suspects.series.count,
                              rows->row.count);
  for (size_t p = 0; p < found; p++) {
    struct missing_column column = suspects.names.data[parts[p].series];
    column.part = parts[p];
    vector_push(&missing->parts, column);
  }
  struct ranked *ranked = rank(rows);
  for (size_t w = 0; w < run->wanted.count; w++)
    vector_push(&missing->at, look_at(w, share_double(&run->wanted.data[w].share), ranked, rows,
                                      whole, missing, &suspects));
  mem_free(ranked);
  clear_suspects(&suspects);
}

/* --- beside another step ------------------------------------------------------------------------
 */

/* The rows that took longer, as rows of their own. */
static void take_longer(struct rows *to, const struct rows *rows, const double *whole) {
  size_t count = rows->row.count;
  to->difference = mem_alloc(count + 1, sizeof *to->difference);
  for (size_t i = 0; i < count; i++)
    if (rows->longer[i]) {
      to->difference[to->row.count] = whole[i];
      vector_push(&to->row, rows->row.data[i]);
    }
}

static bool is_named(const struct missing_time *missing) {
  for (size_t i = 0; i < missing->parts.count; i++)
    if (!missing->parts.data[i].in_bound)
      return true;
  return false;
}

/* A step that the bound forgot beside one that it counts delays those requests alone for which it
 * was the slower of the two. */
static void find_beside(struct missing_time *missing, const struct percentiles *run,
                        const struct rows *rows, const double *whole) {
  struct rows longer = {0};
  struct suspects all = {0};
  VECTOR(const double *) series = {0};
  VECTOR(size_t) names = {0};
  struct missing_part parts[MISSING_PARTS];
  take_longer(&longer, rows, whole);
  add_suspects(&all, run, &longer, MISSING_TIME);
  for (size_t i = 0; i < all.names.count; i++)
    if (!all.names.data[i].in_bound) {
      vector_push(&series, all.series.data[i]);
      vector_push(&names, i);
    }
  size_t found =
      missing_find(parts, longer.difference, series.data, series.count, longer.row.count);
  for (size_t p = 0; p < found; p++) {
    struct missing_column column = all.names.data[names.data[parts[p].series]];
    column.part = parts[p];
    vector_push(&missing->beside, column);
  }
  vector_clear(&series);
  vector_clear(&names);
  clear_suspects(&all);
  mem_free(longer.difference);
  vector_clear(&longer.row);
}

static bool is_ever_more_than_nothing(const double *series, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (series[i] > 0)
      return true;
  return false;
}

static void find_unused(struct missing_time *missing, const struct percentiles *run,
                        const struct rows *rows) {
  struct suspects all = {0};
  add_suspects(&all, run, rows, MISSING_TIME);
  for (size_t i = 0; i < all.names.count; i++)
    if (!all.names.data[i].in_bound &&
        is_ever_more_than_nothing(all.series.data[i], rows->row.count))
      vector_push(&missing->unused, all.names.data[i].name);
  clear_suspects(&all);
}

void missing_time_find(struct missing_time *missing, const struct percentiles *run) {
  *missing = (struct missing_time){0};
  if (!run->is_paired)
    return;
  struct rows rows = {0};
  missing->kind = read_rows(&rows, &missing->longer, run);
  missing->requests = rows.row.count;
  double *whole = mem_alloc(rows.row.count + 1, sizeof *whole);
  for (size_t i = 0; i < rows.row.count; i++)
    whole[i] = rows.difference[i];
  if (missing->kind != MISSING_NOT)
    find_parts(missing, run, &rows, whole);
  if (missing->kind == MISSING_TIME && missing->longer < rows.row.count && !is_named(missing))
    find_beside(missing, run, &rows, whole);
  if (missing->kind == MISSING_TIME && missing->parts.count + missing->beside.count == 0)
    find_unused(missing, run, &rows);
  mem_free(whole);
  mem_free(rows.longer);
  mem_free(rows.observed);
  mem_free(rows.difference);
  vector_clear(&rows.row);
}

void missing_time_clear(struct missing_time *missing) {
  vector_clear(&missing->parts);
  vector_clear(&missing->beside);
  vector_clear(&missing->unused);
  vector_clear(&missing->at);
}

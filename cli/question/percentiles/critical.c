/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/critical.h"

#include <math.h>
#include <stdlib.h>

#include "dist/evaluate/compose_draw.h"
#include "dist/source/joint.h"

enum { WORK_MAX = 1 << 20 };

struct walk {
  const double *ns;
  size_t work;
  bool failed;
  struct critical *chain;
};

static double number(const struct rational *value) {
  struct text text;
  text_init(&text);
  rational_print_short(&text, value);
  char *rest;
  double result = strtod(text_get(&text), &rest);
  if (*rest == '/')
    result /= strtod(rest + 1, NULL);
  text_clear(&text);
  return result;
}

/* --- values ----------------------------------------------------------------------------------- */

static double value_of(struct walk *w, const struct expression *e);

/* Parts that happen, in rising order; the rest is not counted. */
static int rising(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* NAN where no part happens, or not enough. */
static double rank_of(struct walk *w, const struct expression *e) {
  double *values = mem_alloc(e->count, sizeof *values);
  size_t present = 0;
  for (size_t i = 0; i < e->count; i++) {
    double value = value_of(w, e->parts[i]);
    if (!isnan(value))
      values[present++] = value;
  }
  qsort(values, present, sizeof *values, rising);
  size_t rank = e->kind == EXPRESSION_MAX   ? present
                : e->kind == EXPRESSION_MIN ? 1
                                            : (size_t)e->rank;
  double result = rank == 0 || rank > present ? NAN : values[rank - 1];
  mem_free(values);
  return result;
}

static double sum_of(struct walk *w, const struct expression *e) {
  double sum = e->count == 0 ? 0 : NAN;
  for (size_t i = 0; i < e->count; i++) {
    double value = value_of(w, e->parts[i]);
    if (!isnan(value))
      sum = isnan(sum) ? value : sum + value;
  }
  return sum;
}

static double value_of(struct walk *w, const struct expression *e) {
  w->failed |= ++w->work > WORK_MAX || e->kind == EXPRESSION_BARE;
  if (w->failed)
    return NAN;
  switch (e->kind) {
  case EXPRESSION_CONSTANT:
    return number(&e->value);
  case EXPRESSION_OCCURRENCE:
    return w->ns[e->occurrence->id];
  case EXPRESSION_SCALE:
    return number(&e->value) * value_of(w, e->parts[0]);
  case EXPRESSION_ADD:
    return sum_of(w, e);
  default:
    return rank_of(w, e);
  }
}

/* --- the way ---------------------------------------------------------------------------------- */

static void add(struct walk *w, const char *label, double ns) {
  if (!isnan(ns) && ns > 0)
    vector_push(&w->chain->links, (struct critical_link){label, ns});
}

static void follow(struct walk *w, const struct expression *e, double factor) {
  double value = value_of(w, e);
  if (w->failed || isnan(value))
    return;
  switch (e->kind) {
  case EXPRESSION_CONSTANT:
    add(w, NULL, factor * value);
    return;
  case EXPRESSION_OCCURRENCE:
    add(w, e->occurrence->label, factor * value);
    return;
  case EXPRESSION_SCALE:
    follow(w, e->parts[0], factor * number(&e->value));
    return;
  case EXPRESSION_ADD:
    for (size_t i = 0; i < e->count; i++)
      follow(w, e->parts[i], factor);
    return;
  default:
    for (size_t i = 0; i < e->count; i++)
      if (value_of(w, e->parts[i]) == value) {
        follow(w, e->parts[i], factor);
        return;
      }
  }
}

bool critical_walk(struct critical *chain, const struct expression *expression, const double *ns) {
  struct walk w = {.ns = ns, .chain = chain};
  chain->total_ns = value_of(&w, expression);
  follow(&w, expression, 1);
  if (w.failed)
    chain->links.count = 0;
  return chain->links.count != 0;
}

/* --- times ------------------------------------------------------------------------------------ */

/* The first row whose bound is the percentile of all rows; false: it is infinite. */
static bool find_row(size_t *row, const struct draws *draws, const struct rational *share) {
  uint64_t ns = 0;
  if (!sample_quantile(&ns, &draws->values, share))
    return false;
  for (*row = 0; *row < draws->values.series_count; ++*row)
    if (draws->values.series[*row] >= ns && draws->values.series[*row] < SAMPLE_NS_MAX &&
        draws->values.series_lower[*row] <= ns)
      return true;
  return false;
}

static double in_row(const struct laws *laws, const struct law_entry *entry, size_t row) {
  const struct joint_cell *cell =
      &laws->tables.data[entry->table]->columns.data[entry->column].cells[row];
  return cell->lower_ns > cell->upper_ns ? NAN : (double)cell->upper_ns;
}

static double median_of(const struct law_entry *entry) {
  struct rational half;
  uint64_t ns = 0;
  rational_init(&half);
  rational_set_fraction(&half, 1, 2);
  if (entry->compose == NULL)
    sample_quantile(&ns, &entry->sample, &half);
  else if (entry->band[SIDE_UPPER].tail != NULL)
    survival_quantile(&ns, &entry->band[SIDE_UPPER], SURVIVAL_ONE / 2);
  rational_clear(&half);
  return (double)ns;
}

static double time_of(const struct laws *laws, const struct law_entry *entry,
                      const struct critical *chain) {
  if (entry->compose != NULL && compose_draw_choices(entry->compose) == 0)
    return (double)compose_draw(entry->compose, &(struct compose_draws){0}).upper_ns;
  return chain->of_request ? in_row(laws, entry, chain->row - 1) : median_of(entry);
}

bool critical_find(struct critical *chain, const struct calculation *calculation,
                   const struct rational *share) {
  const struct laws *laws = &calculation->laws;
  size_t count = laws->by_occurrence.count, row = 0;
  *chain = (struct critical){0};
  chain->of_request = calculation->draws.by_request && find_row(&row, &calculation->draws, share);
  chain->row = chain->of_request ? row + 1 : 0;
  double *ns = mem_alloc(count, sizeof *ns);
  for (size_t i = 0; i < count; i++)
    ns[i] = time_of(laws, laws->entries.data[laws->by_occurrence.data[i]], chain);
  bool found = critical_walk(chain, calculation->expression, ns);
  mem_free(ns);
  return found;
}

void critical_clear(struct critical *chain) {
  vector_clear(&chain->links);
}

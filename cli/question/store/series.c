/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/store/series.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "measure/core/ticks.h"
#include "dist/source/tph.h"
#include "dist/statistics/distance.h"

bool lines_have(const lines *list, const char *line) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->data[i], line) == 0)
      return true;
  return false;
}

void lines_add(lines *list, const char *line) {
  if (!lines_have(list, line))
    vector_push(list, mem_copy_text(line, strlen(line)));
}

void lines_clear(lines *list) {
  for (size_t i = 0; i < list->count; i++)
    mem_free(list->data[i]);
  vector_clear(list);
}

void series_init(struct series *series, const char *name) {
  *series = (struct series){.name = mem_copy_text(name, strlen(name))};
  sample_init(&series->sample);
}

void series_clear(struct series *series) {
  mem_free(series->name);
  mem_free(series->group);
  sample_clear(&series->sample);
  lines_clear(&series->notes);
}

bool series_add_range(struct series *series, uint64_t lower_ns, uint64_t upper_ns, uint64_t count) {
  if (upper_ns > HISTOGRAM_VALUE_MAX_NS)
    return sample_add_beyond(&series->sample, count);
  return sample_add_range(&series->sample, lower_ns,
                          histogram_upper_edge_ns(histogram_bucket(upper_ns)), count);
}

bool series_add_kept(struct series *series, uint64_t lower_ns, uint64_t upper_ns, uint64_t count) {
  if (upper_ns > HISTOGRAM_VALUE_MAX_NS)
    return sample_add_beyond(&series->sample, count);
  return sample_add_range(&series->sample, lower_ns, upper_ns, count);
}

/* A value in a bucket is above the edge before, less one that was rounded up: the ticks it came
 * from took at least edge / up * down. */
bool series_add_histogram(struct series *series, const struct histogram *histogram,
                          uint64_t rate_up, uint64_t rate_down) {
  uint64_t ratio =
      rate_down >= rate_up ? TICKS_RATE_ONE : rate_down * (uint64_t)TICKS_RATE_ONE / rate_up;
  bool good = sample_add_beyond(&series->sample, histogram->saturated);
  for (size_t i = 0; i < HISTOGRAM_BUCKETS && good; i++) {
    if (histogram->counts[i] == 0)
      continue;
    uint64_t lower = i == 0 ? 0 : ticks_to_ns_down(histogram_upper_edge_ns(i - 1), ratio);
    good =
        sample_add_range(&series->sample, lower, histogram_upper_edge_ns(i), histogram->counts[i]);
  }
  return good;
}

/* --- the table --- */

static bool same_text(const char *a, const char *b) {
  return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

struct series *series_table_find(struct series_table *table, const char *name, const char *group) {
  for (size_t i = 0; i < table->rows.count; i++)
    if (strcmp(table->rows.data[i].name, name) == 0 && same_text(table->rows.data[i].group, group))
      return &table->rows.data[i];
  return NULL;
}

static bool add_sample(struct sample *to, const struct sample *from) {
  bool good = sample_add_beyond(to, from->beyond);
  for (size_t i = 0; i < from->count && good; i++)
    good =
        sample_add_range(to, from->bins[i].lower_ns, from->bins[i].upper_ns, from->bins[i].count);
  return good;
}

static void add_stores(struct series_stores *to, const struct series_stores *from) {
  to->count += from->count;
  to->open += from->open;
  to->missing += from->missing;
  to->bad_stamps += from->bad_stamps;
  to->counter |= from->counter;
  to->monotonic |= from->monotonic;
  if (to->resolution_ns < from->resolution_ns)
    to->resolution_ns = from->resolution_ns;
  if (to->cost_ps < from->cost_ps)
    to->cost_ps = from->cost_ps;
}

/* Why the two are not of one law, or of one observation each. */
static enum status check_alike(const struct series *row, const struct series *part,
                               const char *path, struct text *message) {
  if (row->kind != part->kind && row->kind != 0 && part->kind != 0) {
    text_format(message,
                "%s: %s is another kind of thing here than elsewhere (a component, a message, a "
                "request); give different things different names",
                path, part->name);
    return STATUS_DATA;
  }
  if (row->steps != part->steps && row->steps != 0 && part->steps != 0) {
    text_format(message,
                "%s: %s has %" PRIu64 " buckets a doubling, but %" PRIu64
                " elsewhere; only histograms of one shape are added up",
                path, part->name, part->steps, row->steps);
    return STATUS_DATA;
  }
  const struct evidence_texts *sources = &part->sample.evidence.sources;
  for (size_t i = 0; i < sources->list.count; i++)
    if (evidence_has_text(&row->sample.evidence.sources, sources->list.data[i])) {
      text_format(message,
                  "%s: counts a recording that is counted already (%s); name each recording once",
                  path, sources->list.data[i]);
      return STATUS_DATA;
    }
  return STATUS_OK;
}

static void copy_sample(struct sample *to, const struct sample *from) {
  sample_init(to);
  add_sample(to, from);
  sample_finish(to);
}

/* Whether chance explains how the two differ, once in 1000 times, if each is worth what it is said
 * to be (Smirnov 1948). */
static bool is_one_law(const struct sample *a, const struct sample *b) {
  struct sample x, y;
  copy_sample(&x, a);
  copy_sample(&y, b);
  double n = (double)a->evidence.order->all.upper, m = (double)b->evidence.order->all.upper;
  double largest = distance_of(&x, &y).largest;
  sample_clear(&x);
  sample_clear(&y);
  return largest * sqrt(n * m / (n + m)) < sqrt(log(2 / 0.001) / 2);
}

/* Before the part's observations are added. */
static void add_evidence(struct sample *to, const struct sample *from) {
  bool differs =
      to->evidence.order != NULL && from->evidence.order != NULL && !is_one_law(to, from);
  evidence_merge(&to->evidence, &from->evidence);
  if (differs)
    order_unsettle(to->evidence.order);
}

static enum status add_to(struct series_table *table, const struct series *part, const char *group,
                          const char *path, struct text *message) {
  struct series *row = series_table_find(table, part->name, group);
  if (row == NULL) {
    struct series made;
    series_init(&made, part->name);
    made.group = group == NULL ? NULL : mem_copy_text(group, strlen(group));
    vector_push(&table->rows, made);
    row = &table->rows.data[table->rows.count - 1];
  }
  enum status status = check_alike(row, part, path, message);
  if (status != STATUS_OK)
    return status;
  add_evidence(&row->sample, &part->sample);
  if (!add_sample(&row->sample, &part->sample)) {
    text_format(message, "%s: %s would count more than 2^63-1 observations", path, part->name);
    return STATUS_DATA;
  }
  row->kind = row->kind == 0 ? part->kind : row->kind;
  row->steps = row->steps == 0 ? part->steps : row->steps;
  add_stores(&row->stores, &part->stores);
  for (size_t i = 0; i < part->notes.count; i++)
    lines_add(&row->notes, part->notes.data[i]);
  return STATUS_OK;
}

enum status series_table_add(struct series_table *table, struct series *part, const char *group,
                             const char *path, struct text *message) {
  struct evidence *evidence = &part->sample.evidence;
  if (part->sample.total != 0 && evidence->parts == 0)
    evidence_set_unknown(evidence, 0);
  evidence->draws = part->sample.real;
  enum status status = add_to(table, part, NULL, path, message);
  if (status == STATUS_OK && group != NULL)
    status = add_to(table, part, group, path, message);
  return status;
}

void series_table_clear(struct series_table *table) {
  for (size_t i = 0; i < table->rows.count; i++)
    series_clear(&table->rows.data[i]);
  vector_clear(&table->rows);
}

/* --- what a series rests on --- */

__attribute__((format(printf, 2, 3))) static void note(struct series *series, const char *format,
                                                       ...) {
  struct text line;
  text_init(&line);
  va_list arguments;
  va_start(arguments, format);
  text_format_list(&line, format, arguments);
  va_end(arguments);
  lines_add(&series->notes, text_get(&line));
  text_clear(&line);
}

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

static void note_stores(struct series *series) {
  const struct series_stores *s = &series->stores;
  if (s->count == 0)
    return;
  note(series,
       "recorded by %" PRIu64 " process%s with %s (steps of %" PRIu64 " ns or less, %" PRIu64
       ".%" PRIu64 " ns a reading or less)",
       s->count, s->count == 1 ? "" : "es",
       s->counter && s->monotonic ? "the time stamp counter or CLOCK_MONOTONIC"
       : s->counter               ? "the calibrated time stamp counter"
                                  : "CLOCK_MONOTONIC",
       s->resolution_ns, s->cost_ps / 1000, s->cost_ps % 1000 / 100);
  if (s->open != 0)
    note(series,
         "%" PRIu64 " of %" PRIu64 " process%s did not close the store: what was under way when it "
         "ended, or was read, is not counted",
         s->open, s->count, s->count == 1 ? "" : "es");
  if (s->missing != 0)
    note(series,
         "%" PRIu64 " recording%s of these processes %s refused or cut off; of which component is "
         "not known, so each has them as infinite",
         s->missing, plural(s->missing), s->missing == 1 ? "was" : "were");
  if (s->bad_stamps != 0)
    note(series,
         "%" PRIu64 " packet%s without a valid stamp arrived at these processes and %s taken as no "
         "messages of the protocol",
         s->bad_stamps, plural(s->bad_stamps), s->bad_stamps == 1 ? "is" : "are");
}

static int compare_series(const void *a, const void *b) {
  const struct series *x = a, *y = b;
  if (!same_text(x->group, y->group))
    return x->group == NULL ? -1 : y->group == NULL ? 1 : strcmp(x->group, y->group);
  return strcmp(x->name, y->name);
}

void series_table_finish(struct series_table *table) {
  if (table->rows.count != 0)
    qsort(table->rows.data, table->rows.count, sizeof *table->rows.data, compare_series);
  for (size_t i = 0; i < table->rows.count; i++) {
    sample_finish(&table->rows.data[i].sample);
    note_stores(&table->rows.data[i]);
  }
}

void series_print(struct text *text, const struct series *series) {
  const struct tph_about about = {.sub_buckets = HISTOGRAM_SUB_BUCKETS,
                                  .notes = {series->notes.data, series->notes.count, 0}};
  tph_print(text, series->name, &series->sample, &about);
}

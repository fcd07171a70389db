/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a page of metrics, and perhaps an earlier one, to a sample: which of its label sets count,
 * and what was counted between the two.
 *
 * Several label sets are several things that were measured; together they are faster than the
 * slowest. So they are only added up where that was asked for.
 *
 * Counters start at 0 with their process. Where one is smaller than before, its process was started
 * anew in between, and what it had counted since the page before is not known: that is refused,
 * where Prometheus' increase() passes over it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "dist/source/metrics.h"

enum { SETS_SHOWN = 8 };

struct pages {
  const struct reader *reader;
  const struct label_choice *selection;
  struct metric_page later, earlier;
  bool difference; /* there is an earlier page */
};

static enum status fail_sets(const struct pages *pages) {
  const struct metric_page *metrics = &pages->later;
  struct text list;
  text_init(&list);
  for (size_t i = 0; i < metrics->all.count && i < SETS_SHOWN; i++)
    text_format(&list, "%s{%.200s}", i == 0 ? "" : ", ", metrics->all.data[i].labels);
  if (metrics->all.count > SETS_SHOWN)
    text_format(&list, " and %zu others", metrics->all.count - SETS_SHOWN);
  enum status status =
      reader_fail(pages->reader, metrics->all.data[0].at,
                  "%.64s has %zu label sets: %s; choose one: --select "
                  "'NAME=%.64s{%.200s}'; or add all of them up: --select 'NAME=%.64s{}'",
                  metrics->name, metrics->all.count, list.data, metrics->name,
                  metrics->all.data[0].labels, metrics->name);
  text_clear(&list);
  return status;
}

static enum status check_sets(struct pages *pages) {
  struct metric_page *metrics = &pages->later;
  if (metrics->all.count == 0)
    return reader_fail(pages->reader, pages->reader->bytes,
                       "no label set of %.64s is selected; correct --select, or leave it out to "
                       "have them listed",
                       metrics->name);
  return metrics->all.count > 1 && pages->selection == NULL ? fail_sets(pages) : STATUS_OK;
}

static enum status fail_reset(const struct pages *pages,
                              const struct metrics_histogram *histogram) {
  return reader_fail(pages->reader, histogram->at,
                     "the counters of %.64s{%.200s} are smaller than before: the program was "
                     "started anew in between, and what it had counted is lost; choose times on "
                     "one side of that",
                     pages->later.name, histogram->labels);
}

static enum status fail_anew(const struct pages *pages, const struct metrics_histogram *histogram) {
  return reader_fail(pages->reader, histogram->at,
                     "%.64s{%.200s} began to count at another time than on the page before: the "
                     "program was started anew in between, and what it had counted is lost; choose "
                     "times on one side of that",
                     pages->later.name, histogram->labels);
}

static void copy_buckets(metrics_buckets *to, const metrics_buckets *from) {
  for (size_t i = 0; i < from->count; i++)
    vector_push(to, from->data[i]);
}

/* What was counted since the earlier page, of which the last counts must not be above. */
static enum status subtract_earlier(const struct pages *pages, struct metrics_histogram *histogram,
                                    const struct metrics_histogram *earlier) {
  if (histogram->created != 0 && earlier->created != 0 && histogram->created != earlier->created)
    return fail_anew(pages, histogram);
  metrics_buckets copy = {0};
  copy_buckets(&copy, &histogram->last);
  bool good = metrics_subtract(&copy, &earlier->last);
  vector_clear(&copy);
  good = good && metrics_subtract(&histogram->last,
                                  pages->earlier.window ? &earlier->first : &earlier->last);
  return good ? STATUS_OK : fail_reset(pages, histogram);
}

static enum status fail_partner(const struct pages *pages,
                                const struct metrics_histogram *histogram, const char *which) {
  return reader_fail(pages->reader, pages->reader->bytes,
                     "%.64s{%.200s} is on the %s page alone: its program was started or ended in "
                     "between; choose times at which it runs, or select another",
                     pages->later.name, histogram->labels, which);
}

static enum status make_differences(struct pages *pages) {
  struct metric_page *later = &pages->later, *earlier = &pages->earlier;
  size_t at = 0;
  enum status status = STATUS_OK;
  for (size_t i = 0; i < later->all.count && status == STATUS_OK; i++) {
    struct metrics_histogram *histogram = &later->all.data[i];
    if (!pages->difference) {
      if (later->window && !metrics_subtract(&histogram->last, &histogram->first))
        return fail_reset(pages, histogram);
      continue;
    }
    int order =
        at == earlier->all.count ? 1 : strcmp(earlier->all.data[at].labels, histogram->labels);
    if (order != 0)
      return order > 0 ? fail_partner(pages, histogram, "later")
                       : fail_partner(pages, &earlier->all.data[at], "earlier");
    status = subtract_earlier(pages, histogram, &earlier->all.data[at++]);
  }
  if (status == STATUS_OK && at < earlier->all.count)
    return fail_partner(pages, &earlier->all.data[at], "earlier");
  return status;
}

static enum status add_all(struct sample *out, const struct pages *pages) {
  for (size_t i = 0; i < pages->later.all.count; i++) {
    const struct metrics_histogram *histogram = &pages->later.all.data[i];
    for (size_t k = 0; k < histogram->last.count; k++) {
      const struct metrics_bucket *bucket = &histogram->last.data[k];
      bool added = bucket->upper_ns == METRICS_INFINITE
                       ? sample_add_beyond_from(out, bucket->lower_ns, bucket->count)
                       : sample_add_range(out, bucket->lower_ns, bucket->upper_ns, bucket->count);
      if (!added)
        return reader_fail_total(pages->reader, histogram->at);
    }
  }
  if (out->count == 0 && out->beyond != 0)
    return reader_fail(pages->reader, pages->later.all.data[0].at,
                       "every observation is in le=\"+Inf\" only (a native histogram written as "
                       "text loses its buckets); save the page as protobuf, or have the program "
                       "expose classic buckets (le)");
  if (out->total == 0 && (pages->difference || pages->later.window))
    return reader_fail(pages->reader, pages->later.all.data[0].at,
                       "nothing was counted in between; choose times that are further apart");
  return STATUS_OK;
}

/* Whether a restart between the pages would show in any case. */
static bool all_created(const struct metric_page *metrics) {
  bool all = true;
  for (size_t i = 0; i < metrics->all.count; i++)
    all = all && metrics->all.data[i].created != 0;
  return all;
}

static void note_assumptions(const struct sample *out, const struct pages *pages) {
  const struct reader *reader = pages->reader;
  const struct metric_page *later = &pages->later;
  if (pages->difference || later->window)
    source_notes_add(reader->notes,
                     "%s: what the counters grew by between two scrapes, the last ones at or "
                     "before the two times; nothing is extrapolated%s",
                     reader->path,
                     all_created(later) && all_created(&pages->earlier)
                         ? ""
                         : ". A process that was started anew and overtook its old counts before "
                           "it was looked at again would pass unnoticed");
  else
    source_notes_add(reader->notes,
                     "%s: the counts since the program started are one measurement%s", reader->path,
                     later->end_mark ? "" : ", and the file is whole (it has no \"# EOF\")");
  if (later->all.count > 1)
    source_notes_add(reader->notes, "%s: %zu label sets are added up, as --select asks for",
                     reader->path, later->all.count);
  else if (pages->selection != NULL)
    source_notes_add(reader->notes, "%s: only %.64s{%.200s} is counted", reader->path, later->name,
                     later->all.data[0].labels);
  if (out->beyond != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64
                     " observations are above the last finite le and taken as infinite",
                     reader->path, out->beyond, out->total);
}

static bool starts_json(const struct reader *reader) {
  const char *at = reader->bytes;
  while (at < reader->end && strchr(" \t\r\n", *at) != NULL && *at != '\0')
    at++;
  return at < reader->end && (*at == '{' || *at == '[');
}

static enum status parse_answer(struct metric_page *metrics, const struct reader *reader,
                                const struct label_choice *selection) {
  struct json json;
  enum status status = json_document(&json, reader);
  if (status == STATUS_OK)
    status = metrics_parse_answer(metrics, reader, &json, selection);
  json_clear(&json);
  return status;
}

static int compare_histograms(const void *a, const void *b) {
  const struct metrics_histogram *x = a, *y = b;
  return strcmp(x->labels, y->labels);
}

/* By label set, each of which a page is to have once. */
static enum status sort(struct metric_page *metrics, const struct reader *reader) {
  struct metrics_histogram *all = metrics->all.data;
  if (metrics->all.count > 1)
    qsort(all, metrics->all.count, sizeof *all, compare_histograms);
  for (size_t i = 1; i < metrics->all.count; i++)
    if (strcmp(all[i - 1].labels, all[i].labels) == 0)
      return reader_fail(reader, all[i - 1].at > all[i].at ? all[i - 1].at : all[i].at,
                         "%.64s{%.200s} is on the page a second time; keep one page to a file",
                         metrics->name, all[i].labels);
  return STATUS_OK;
}

static enum status parse(struct metric_page *metrics, const struct reader *reader,
                         const struct label_choice *selection) {
  enum status status = reader->binary        ? metrics_parse_protobuf(metrics, reader, selection)
                       : otlp_is(reader)     ? metrics_parse_otlp(metrics, reader, selection)
                       : starts_json(reader) ? parse_answer(metrics, reader, selection)
                                             : metrics_parse_text(metrics, reader, selection);
  return status == STATUS_OK ? sort(metrics, reader) : status;
}

static enum status parse_earlier(struct pages *pages) {
  const struct source_page *since = pages->reader->since;
  struct reader reader = *pages->reader;
  reader.path = since->name;
  reader.bytes = since->bytes;
  reader.end = since->bytes + since->length;
  reader.time_ms = since->time_ms;
  reader_skip_mark(&reader);
  reader.binary = protobuf_is(&reader);
  enum status status = reader.binary ? STATUS_OK : reader_require_text(&reader);
  if (status == STATUS_OK && reader.binary != pages->reader->binary)
    status = reader_fail(&reader, reader.bytes,
                         "one of the two pages is in protobuf and the other is not, and their "
                         "buckets have other edges; ask for both in one form");
  if (status == STATUS_OK)
    status = parse(&pages->earlier, &reader, pages->selection);
  if (status == STATUS_OK && strcmp(pages->earlier.name, pages->later.name) != 0)
    status = reader_fail(&reader, reader.bytes,
                         "the histogram is %.64s, but that of the other page is %.64s; choose with "
                         "--select 'NAME=%.64s{}'",
                         pages->earlier.name, pages->later.name, pages->later.name);
  return status;
}

/* Buckets of Prometheus and of OTLP are (a, b]. */
static void keep_sets(struct sample *out, const struct metric_page *metrics) {
  struct text set;
  out->evidence.edges = EDGES_OPEN_BELOW;
  for (size_t i = 0; i < metrics->all.count; i++) {
    text_init(&set);
    text_format(&set, "%s{%s}", metrics->name, metrics->all.data[i].labels);
    reader_blank(&set, 0);
    evidence_add_kind(&out->evidence, set.data, set.length);
    text_clear(&set);
  }
  out->evidence.kinds.known = true;
}

static enum status read_pages(struct sample *out, struct pages *pages) {
  enum status status = parse(&pages->later, pages->reader, pages->selection);
  pages->difference = pages->reader->since != NULL;
  if (status == STATUS_OK && pages->difference)
    status = parse_earlier(pages);
  if (status == STATUS_OK)
    status = check_sets(pages);
  if (status == STATUS_OK)
    status = make_differences(pages);
  if (status == STATUS_OK)
    status = add_all(out, pages);
  if (status != STATUS_OK)
    return status;
  out->evidence.unit = unit_name(pages->later.exponent);
  keep_sets(out, &pages->later);
  out->windows = pages->later.window     ? metrics_windows(&pages->later)
                 : pages->earlier.window ? metrics_windows(&pages->earlier)
                                         : NULL;
  note_assumptions(out, pages);
  return STATUS_OK;
}

enum status prometheus_read(struct sample *out, const struct reader *reader) {
  struct label_choice selection = {0};
  struct pages pages = {.reader = reader};
  if (reader->select != NULL) {
    if (!selection_parse(&selection, reader->select))
      return reader_fail(reader, reader->bytes,
                         "--select %.200s is no choice of label sets, such as "
                         "rpc_seconds{method=\"Put\"}",
                         reader->select);
    pages.selection = &selection;
  }
  enum status status = read_pages(out, &pages);
  metrics_clear(&pages.later);
  metrics_clear(&pages.earlier);
  selection_clear(&selection);
  return status;
}

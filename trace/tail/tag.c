/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/tail/tag.h"

#include <stdlib.h>

#include "dist/statistics/holm.h"
#include "dist/statistics/special.h"

static int compare(uint32_t a, uint32_t b) {
  return (a > b) - (a < b);
}

static int by_tag(const void *a, const void *b) {
  const struct tail_mark *x = a, *y = b;
  int order = compare(x->key, y->key);
  if (order == 0)
    order = compare(x->value, y->value);
  return order != 0 ? order : compare(x->request, y->request);
}

/* The end of the marks of one value. */
static size_t end_of(const tail_marks *marks, size_t from) {
  size_t end = from;
  while (end < marks->count && marks->data[end].key == marks->data[from].key &&
         marks->data[end].value == marks->data[from].value)
    end++;
  return end;
}

static struct tag_finding count_value(const tail_marks *marks, size_t from, size_t end,
                                      const struct tail_split *split) {
  struct tag_finding finding = {.key = marks->data[from].key, .value = marks->data[from].value};
  for (size_t i = from; i < end; i++) {
    uint32_t request = marks->data[i].request;
    if (i != from && request == marks->data[i - 1].request)
      continue;
    finding.slow += split->sides[request] == TAIL_SLOW;
    finding.rest += split->sides[request] == TAIL_REST;
  }
  finding.by_chance = special_hypergeometric_from(finding.slow, split->slow, split->rest,
                                                  finding.slow + finding.rest);
  return finding;
}

/* All values of one key, and the place of the next one. */
static size_t try_key(struct tag_report *report, const tail_marks *marks, size_t from,
                      const struct tail_split *split) {
  uint32_t key = marks->data[from].key;
  size_t first = report->findings.count, once = 0, end = from;
  while (end < marks->count && marks->data[end].key == key) {
    size_t next = end_of(marks, end);
    struct tag_finding finding = count_value(marks, end, next, split);
    size_t all = finding.slow + finding.rest;
    once += all == 1;
    if (all != 0)
      vector_push(&report->findings, finding);
    end = next;
  }
  size_t values = report->findings.count - first;
  if (values < 2 || 2 * once >= values) /* says nothing, or names requests */
    report->findings.count = first;
  return end;
}

static int by_chance(const void *a, const void *b) {
  const struct tag_finding *x = a, *y = b;
  if (x->by_chance != y->by_chance)
    return x->by_chance > y->by_chance ? 1 : -1;
  int order = compare(x->key, y->key);
  return order != 0 ? order : compare(x->value, y->value);
}

void tag_report_make(struct tag_report *report, tail_marks *marks, const struct tail_split *split,
                     double level) {
  *report = (struct tag_report){0};
  if (marks->count == 0)
    return;
  qsort(marks->data, marks->count, sizeof *marks->data, by_tag);
  for (size_t at = 0; at < marks->count;)
    at = try_key(report, marks, at, split);
  report->tried = report->findings.count;
  if (report->tried == 0)
    return;
  qsort(report->findings.data, report->tried, sizeof *report->findings.data, by_chance);
  struct holm holm = {.left = report->tried};
  size_t kept = 0;
  for (; kept < report->tried; kept++) {
    struct tag_finding *finding = &report->findings.data[kept];
    finding->corrected = holm_next(&holm, finding->by_chance);
    if (finding->corrected > level)
      break;
  }
  report->findings.count = kept;
}

void tag_report_clear(struct tag_report *report) {
  vector_clear(&report->findings);
  *report = (struct tag_report){0};
}

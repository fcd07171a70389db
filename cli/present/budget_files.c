/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/budget_files.h"

#include <ctype.h>

#include "cli/question/budget/budget.h"
#include "cli/question/budget/budget_file.h"

/* Letters, digits and `other` in lower case; anything else becomes `other`. */
static void print_plain(struct text *text, const char *name, char other) {
  for (; *name != '\0'; name++)
    text_format(text, "%c", isalnum((unsigned char)*name) ? tolower((unsigned char)*name) : other);
}

/* In double quotes, as YAML and PromQL both read it. */
static void print_quoted(struct text *text, const char *value) {
  text_append(text, "\"");
  for (; *value != '\0'; value++)
    text_format(text, *value == '"' || *value == '\\' ? "\\%c" : "%c", *value);
  text_append(text, "\"");
}

static void print_metric(struct text *text, const struct budget_part *part,
                         const settings *metrics) {
  const char *metric = settings_find(metrics, part->name);
  if (metric != NULL) {
    text_append(text, metric);
    return;
  }
  print_plain(text, part->name, '_');
  text_append(text, "_seconds");
}

/* "0.028": the bucket that counts what kept the promise. */
static void print_edge(struct text *text, const struct budget_part *part) {
  decimal_print(text, part->promise.limit_ns, 9);
}

static void print_promise(struct text *text, const struct budget_part *part) {
  promise_print(text, &part->promise);
}

/* The share of requests that took longer, over a window. */
static void print_ratio(struct text *text, const struct budget_part *part, const settings *metrics,
                        const char *window) {
  text_append(text, "1 - sum(rate(");
  print_metric(text, part, metrics);
  text_append(text, "_bucket{le=\"");
  print_edge(text, part);
  text_format(text, "\"}[%s])) / sum(rate(", window);
  print_metric(text, part, metrics);
  text_format(text, "_count[%s]))", window);
}

static void print_record(struct text *text, const struct budget_part *part, const settings *metrics,
                         const char *window) {
  text_format(text,
              "      - record: tailproof:promise_misses:ratio_rate%s\n        expr: >-\n          ",
              window);
  print_ratio(text, part, metrics, window);
  text_append(text, "\n        labels: {part: ");
  print_quoted(text, part->name);
  text_append(text, "}\n");
}

static void print_alert(struct text *text, const struct budget *b, const struct budget_part *part) {
  text_append(text, "      - alert: PromiseBroken\n        expr: >-\n");
  static const char *const windows[] = {"1h", "5m"};
  for (size_t i = 0; i < 2; i++) {
    text_format(text,
                "          %stailproof:promise_misses:ratio_rate%s{part=", i == 0 ? "" : "and ",
                windows[i]);
    print_quoted(text, part->name);
    text_append(text, "} > ");
    decimal_print(text, part->promise.miss, 18);
    text_append(text, "\n");
  }
  text_append(text, "        labels: {part: ");
  print_quoted(text, part->name);
  text_append(text, "}\n        annotations:\n          summary: ");
  struct text summary;
  text_init(&summary);
  text_format(&summary, "%s breaks its promise, ", part->name);
  print_promise(&summary, part);
  text_format(&summary, ", on which %s rests", b->slos.data[0].text);
  print_quoted(text, text_get(&summary));
  text_clear(&summary);
  text_append(text, "\n");
}

void budget_rules_print(struct text *text, const struct budget *b, const settings *metrics) {
  text_format(text,
              "# Promises of the parts of %s for %s as rules of Prometheus. Each needs a "
              "bucket whose edge\n# is its limit:\n",
              b->calculation.bound->name, b->slos.data[0].text);
  for (size_t g = 0; g < b->parts.count; g++) {
    const struct budget_part *part = &b->parts.data[g];
    text_append(text, "#   ");
    print_metric(text, part, metrics);
    text_append(text, "_bucket{le=\"");
    print_edge(text, part);
    text_format(text, "\"}%s\n",
                part->is_edge ? ", which there was" : ": add it, where it is not there yet");
  }
  text_append(text, "groups:\n  - name: tailproof-promises\n    rules:\n");
  for (size_t g = 0; g < b->parts.count; g++) {
    const struct budget_part *part = &b->parts.data[g];
    print_record(text, part, metrics, "5m");
    print_record(text, part, metrics, "1h");
    print_alert(text, b, part);
  }
}

static void print_counter(struct text *text, const struct budget_part *part,
                          const settings *metrics, bool good) {
  text_format(text,
              "        %s:\n          metricSource:\n            type: Prometheus\n            "
              "spec:\n              query: 'sum(rate(",
              good ? "good" : "total");
  print_metric(text, part, metrics);
  if (good) {
    text_append(text, "_bucket{le=\"");
    print_edge(text, part);
    text_append(text, "\"}[5m]))'\n");
  } else {
    text_append(text, "_count[5m]))'\n");
  }
}

void budget_openslo_print(struct text *text, const struct budget *b, const settings *metrics) {
  for (size_t g = 0; g < b->parts.count; g++) {
    const struct budget_part *part = &b->parts.data[g];
    text_append(text, g == 0 ? "" : "---\n");
    text_append(text, "apiVersion: openslo/v1\nkind: SLO\nmetadata:\n  name: ");
    print_plain(text, b->calculation.bound->name, '-');
    text_append(text, "-");
    print_plain(text, part->name, '-');
    text_append(text, "\nspec:\n  description: ");
    struct text about;
    text_init(&about);
    print_promise(&about, part);
    text_format(&about, " of each %s, on which %s rests", part->name, b->slos.data[0].text);
    print_quoted(text, text_get(&about));
    text_clear(&about);
    text_append(text, "\n  service: ");
    print_quoted(text, part->name);
    text_append(text, "\n  indicator:\n    metadata:\n      name: ");
    print_plain(text, part->name, '-');
    text_append(text, "-latency\n    spec:\n      ratioMetric:\n        counter: true\n");
    print_counter(text, part, metrics, true);
    print_counter(text, part, metrics, false);
    text_append(text,
                "  timeWindow:\n    - duration: 28d\n      isRolling: true\n  budgetingMethod: "
                "Occurrences\n  objectives:\n    - displayName: ");
    print_quoted(text, part->name);
    text_append(text, "\n      target: ");
    decimal_print(text, SURVIVAL_ONE - part->promise.miss, 18);
    text_append(text, "\n");
  }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/budget_files.h"

#include <ctype.h>

#include "cli/question/budget/budget.h"
#include "cli/question/budget/budget_file.h"

/* A promise of a part, one of several perhaps. */
struct promised {
  const struct budget *b;
  const struct budget_part *part;
  const struct promise *promise;
  const settings *metrics;
};

typedef void promised_printer(struct text *text, const struct promised *of);

static void for_each(struct text *text, const struct budget *b, const settings *metrics,
                     promised_printer *print) {
  for (size_t g = 0; g < b->parts.count; g++) {
    const struct budget_part *part = &b->parts.data[g];
    if (part->promise.miss >= SURVIVAL_ONE) /* nothing is needed of it */
      continue;
    print(text, &(struct promised){b, part, &part->promise, metrics});
    for (size_t i = 0; i < part->also.count; i++)
      print(text, &(struct promised){b, part, &part->also.data[i], metrics});
  }
}

/* Letters and digits in lower case; anything else becomes `other`. */
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

static void print_metric(struct text *text, const struct promised *of) {
  const char *metric = settings_find(of->metrics, of->part->name);
  if (metric != NULL) {
    text_append(text, metric);
    return;
  }
  text_append(text, isdigit((unsigned char)of->part->name[0]) ? "_" : "");
  print_plain(text, of->part->name, '_');
  text_append(text, "_seconds");
}

/* pay_seconds_bucket{le="0.028"}: it counts what kept the promise. */
static void print_bucket(struct text *text, const struct promised *of) {
  print_metric(text, of);
  text_append(text, "_bucket{le=\"");
  decimal_print(text, of->promise->limit_ns, 9);
  text_append(text, "\"}");
}

/* part: "Pay", promise: "p99.5<=28ms" */
static void print_labels(struct text *text, const struct promised *of, const char *equals) {
  struct text promise;
  text_init(&promise);
  promise_print(&promise, of->promise);
  text_format(text, "part%s", equals);
  print_quoted(text, of->part->name);
  text_format(text, "%spromise%s", equals[0] == '=' ? "," : ", ", equals);
  print_quoted(text, text_get(&promise));
  text_clear(&promise);
}

/* --- Prometheus ------------------------------------------------------------------------------- */

static const char *const windows[] = {"1h", "5m"};

static void print_need(struct text *text, const struct promised *of) {
  bool there = of->part->is_edge && of->promise == &of->part->promise;
  text_append(text, "#   ");
  print_bucket(text, of);
  text_append(text, there ? ", which there was\n" : ": add it, where it is not there yet\n");
}

/* The share of requests that took longer, over a window. */
static void print_record(struct text *text, const struct promised *of, const char *window) {
  text_format(text,
              "      - record: tailproof:promise_misses:ratio_rate%s\n        expr: >-\n          "
              "1 - sum(rate(",
              window);
  print_bucket(text, of);
  text_format(text, "[%s])) / sum(rate(", window);
  print_metric(text, of);
  text_format(text, "_count[%s]))\n        labels: {", window);
  print_labels(text, of, ": ");
  text_append(text, "}\n");
}

static void print_alert(struct text *text, const struct promised *of) {
  text_append(text, "      - alert: PromiseBroken\n        expr: >-\n");
  for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
    text_format(text, "          %stailproof:promise_misses:ratio_rate%s{", i == 0 ? "" : "and ",
                windows[i]);
    print_labels(text, of, "=");
    text_append(text, "} > ");
    decimal_print(text, of->promise->miss, 18);
    text_append(text, "\n");
  }
  text_append(text, "        labels: {");
  print_labels(text, of, ": ");
  text_append(text, "}\n        annotations:\n          summary: ");
  struct text summary;
  text_init(&summary);
  text_format(&summary, "%s breaks its promise, ", of->part->name);
  promise_print(&summary, of->promise);
  text_format(&summary, ", on which %s rests", of->b->slos.data[0].text);
  print_quoted(text, text_get(&summary));
  text_clear(&summary);
  text_append(text, "\n");
}

static void print_rules(struct text *text, const struct promised *of) {
  for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
    print_record(text, of, windows[i]);
  print_alert(text, of);
}

void budget_rules_print(struct text *text, const struct budget *b, const settings *metrics) {
  text_format(text,
              "# Promises of the parts of %s for %s as rules of Prometheus. Each needs a bucket "
              "whose edge\n# is its limit:\n",
              b->calculation.bound->name, b->slos.data[0].text);
  for_each(text, b, metrics, print_need);
  text_append(text, "groups:\n  - name: tailproof-promises\n    rules:\n");
  for_each(text, b, metrics, print_rules);
}

/* --- OpenSLO ---------------------------------------------------------------------------------- */

static void print_counter(struct text *text, const struct promised *of, bool good) {
  text_format(text,
              "        %s:\n          metricSource:\n            type: Prometheus\n            "
              "spec:\n              query: 'sum(rate(",
              good ? "good" : "total");
  if (good) {
    print_bucket(text, of);
  } else {
    print_metric(text, of);
    text_append(text, "_count");
  }
  text_append(text, "[5m]))'\n");
}

/* pay-28ms: several promises of a part differ in it. */
static void print_name(struct text *text, const struct promised *of) {
  print_plain(text, of->part->name, '-');
  if (of->part->also.count == 0)
    return;
  struct text promise;
  text_init(&promise);
  promise_print(&promise, of->promise);
  text_append(text, "-");
  print_plain(text, text_get(&promise), '-');
  text_clear(&promise);
}

static void print_objective(struct text *text, const struct promised *of) {
  struct text about;
  text_append(text, text->length == 0 ? "" : "---\n");
  text_append(text, "apiVersion: openslo/v1\nkind: SLO\nmetadata:\n  name: ");
  print_plain(text, of->b->calculation.bound->name, '-');
  text_append(text, "-");
  print_name(text, of);
  text_append(text, "\nspec:\n  description: ");
  text_init(&about);
  promise_print(&about, of->promise);
  text_format(&about, " of each %s, on which %s rests", of->part->name, of->b->slos.data[0].text);
  print_quoted(text, text_get(&about));
  text_clear(&about);
  text_append(text, "\n  service: ");
  print_quoted(text, of->part->name);
  text_append(text, "\n  indicator:\n    metadata:\n      name: ");
  print_name(text, of);
  text_append(text, "-latency\n    spec:\n      ratioMetric:\n        counter: true\n");
  print_counter(text, of, true);
  print_counter(text, of, false);
  text_append(text, "  timeWindow:\n    - duration: 28d\n      isRolling: true\n  budgetingMethod: "
                    "Occurrences\n  objectives:\n    - displayName: ");
  print_quoted(text, of->part->name);
  text_append(text, "\n      target: ");
  decimal_print(text, SURVIVAL_ONE - of->promise->miss, 18);
  text_append(text, "\n");
}

void budget_openslo_print(struct text *text, const struct budget *b, const settings *metrics) {
  for_each(text, b, metrics, print_objective);
}

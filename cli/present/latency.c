/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/latency.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/jsonl.h"
#include "show/table.h"
#include "show/wrapped.h"
#include "cli/question/latency/latency.h"
#include "trace/evaluate/queue.h"

enum rounding { ROUND_NEAREST, ROUND_UP, ROUND_DOWN };

static void append(struct text *text, uint64_t ns, enum rounding rounding) {
  if (ns == LATENCY_INFINITE)
    text_append(text, "infinite");
  else if (rounding == ROUND_UP)
    duration_print_upper(text, ns);
  else if (rounding == ROUND_DOWN)
    duration_print_lower(text, ns);
  else
    duration_print_nearest(text, (int64_t)ns);
}

void latency_append(struct text *text, uint64_t ns) {
  append(text, ns, ROUND_NEAREST);
}

void latency_append_between(struct text *text, uint64_t lower_ns, uint64_t upper_ns) {
  struct text lower, upper;
  text_init(&lower);
  text_init(&upper);
  append(&lower, lower_ns, ROUND_DOWN);
  append(&upper, upper_ns, ROUND_UP);
  const char *unit = strchr(text_get(&lower), ' '), *other = strchr(text_get(&upper), ' ');
  if (strcmp(lower.data, upper.data) != 0) {
    size_t length = unit != NULL && other != NULL && strcmp(unit, other) == 0
                        ? (size_t)(unit - lower.data)
                        : lower.length;
    text_append_bytes(text, lower.data, length);
    text_append(text, " to ");
  }
  text_append(text, upper.data);
  text_clear(&lower);
  text_clear(&upper);
}

/* --- the table -------------------------------------------------------------------------------- */

static bool is_sure(const struct latency_answer *answer) {
  return rational_sign(&answer->request->confidence) == 0;
}

static bool has_law(const struct latency_answer *answer, enum dependence_wish other) {
  return answer->no_law == NULL && answer->request->dependence != other;
}

/* Both values where undecided orders make two of one. */
static void take_value(struct table *table, const struct latency_answer *answer,
                       const struct latency_percentile *p) {
  struct text cell;
  text_init(&cell);
  uint64_t a = p->after[0].value_ns, b = p->after[answer->readings - 1].value_ns;
  append(&cell, a < b ? a : b, ROUND_NEAREST);
  if (a != b) {
    text_append(&cell, " or ");
    append(&cell, a < b ? b : a, ROUND_NEAREST);
  }
  table_take(table, &cell);
}

static void take_interval(struct table *table, const struct latency_answer *answer,
                          const struct latency_percentile *p) {
  const struct latency_range *a = &p->after[0], *b = &p->after[answer->readings - 1];
  struct text cell;
  text_init(&cell);
  if (p->settled)
    latency_append_between(&cell, a->lower_ns < b->lower_ns ? a->lower_ns : b->lower_ns,
                           a->upper_ns > b->upper_ns ? a->upper_ns : b->upper_ns);
  else
    text_append(&cell, "cannot tell");
  table_take(table, &cell);
}

static void take_law(struct table *table, const struct latency_bounds *bounds) {
  struct text cell;
  text_init(&cell);
  latency_append_between(&cell, bounds->least_ns, bounds->most_ns);
  table_take(table, &cell);
}

static void take_ns(struct table *table, uint64_t ns) {
  struct text cell;
  text_init(&cell);
  append(&cell, ns, ROUND_NEAREST);
  table_take(table, &cell);
}

static double error_of(const struct latency_percentile *p) {
  return p->observed.value_ns == 0
             ? 0
             : (double)p->after[0].value_ns / (double)p->observed.value_ns - 1;
}

void latency_table(struct table *table, const struct latency_answer *answer) {
  char title[60];
  table_init(table);
  table_column(table, TABLE_LEFT, "");
  table_column(table, TABLE_RIGHT, "recorded");
  table_column(table, TABLE_RIGHT, "replayed");
  snprintf(title, sizeof title, "at %.9g %%", 100 * rational_double(&answer->request->confidence));
  if (!is_sure(answer))
    table_column(table, TABLE_RIGHT, title);
  if (has_law(answer, WISH_UNKNOWN))
    table_column(table, TABLE_RIGHT, "law, independent");
  if (has_law(answer, WISH_INDEPENDENT))
    table_column(table, TABLE_RIGHT, "law, any dependence");
  for (size_t i = 0; i < answer->percentiles.count; i++) {
    const struct latency_percentile *p = &answer->percentiles.data[i];
    table_cell(table, "p%s", p->wanted->text);
    take_ns(table, p->before.value_ns);
    take_value(table, answer, p);
    if (!is_sure(answer))
      take_interval(table, answer, p);
    if (has_law(answer, WISH_UNKNOWN))
      take_law(table, &p->independent);
    if (has_law(answer, WISH_INDEPENDENT))
      take_law(table, &p->any);
  }
}

static void print_table(const struct latency_answer *answer) {
  struct table table;
  latency_table(&table, answer);
  table_print(stdout, &table, 2);
  table_clear(&table);
}

/* What was predicted against what came of it. */
static void print_observed(const struct latency_answer *answer) {
  if (answer->observed.requests.count == 0)
    return;
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  table_column(&table, TABLE_RIGHT, "observed");
  if (!is_sure(answer))
    table_column(&table, TABLE_RIGHT, "between");
  table_column(&table, TABLE_RIGHT, "prediction is off by");
  table_column(&table, TABLE_LEFT, "");
  for (size_t i = 0; i < answer->percentiles.count; i++) {
    const struct latency_percentile *p = &answer->percentiles.data[i];
    table_cell(&table, "p%s", p->wanted->text);
    take_ns(&table, p->observed.value_ns);
    struct text cell;
    text_init(&cell);
    latency_append_between(&cell, p->observed.lower_ns, p->observed.upper_ns);
    if (!is_sure(answer))
      table_take(&table, &cell);
    text_clear(&cell);
    table_cell(&table, "%+.1f %%", 100 * error_of(p));
    table_cell(&table, "%s", latency_missed(answer, p) ? "not as predicted" : "");
  }
  table_print(stdout, &table, 2);
  table_clear(&table);
  wrapped_format(
      2, 2,
      "The share of requests up to a latency is off by at most %.1f %%, by %.1f %% at half "
      "of all latencies.",
      100 * answer->distance.largest, 100 * answer->distance.median);
}

/* --- remarks ---------------------------------------------------------------------------------- */

static void print_changes(const struct latency_answer *answer) {
  wrapped_format(0, 2, "%zu %s of %zu %s.", answer->store.requests.count,
                 answer->store.requests.count == 1 ? "request" : "requests", answer->flows,
                 answer->flows == 1 ? "flow" : "flows");
  const struct scenario *scenario = &answer->scenario;
  for (size_t i = 0; i < scenario->changes.count; i++)
    wrapped_format(2, 4, "%s   (%" PRIu64 " %s)", scenario->changes.data[i].text,
                   scenario->of.data[i].calls, scenario->of.data[i].calls == 1 ? "call" : "calls");
  putchar('\n');
}

static void print_queues(const struct latency_answer *answer) {
  const struct replayed *replayed = &answer->replayed[0];
  for (size_t i = 0; i < replayed->use.count; i++) {
    const struct queue_use *use = &replayed->use.data[i];
    if (answer->scenario.changes.data[i].kind != CHANGE_LIMIT)
      continue;
    struct text wait;
    text_init(&wait);
    duration_print_nearest(&wait,
                           use->waited == 0 ? 0 : (int64_t)(use->waited_ns / (double)use->waited));
    wrapped_format(2, 2,
                   "%s: %" PRIu64 " of %" PRIu64 " calls wait, for %s on average; up to %" PRIu64
                   " are there at once.",
                   answer->scenario.changes.data[i].text, use->waited, use->calls, text_get(&wait),
                   use->most);
    text_clear(&wait);
  }
}

enum { UNDECIDED_SHOWN = 3 };

static void print_undecided(const struct latency_answer *answer) {
  if (answer->readings < 2)
    return;
  wrapped_format(2, 2, "Two numbers stand where the traces leave open what waits for what:");
  for (size_t i = 0; i < answer->undecided.count && i < UNDECIDED_SHOWN; i++) {
    const struct undecided_order *order = &answer->undecided.data[i];
    struct text why;
    text_init(&why);
    if (order->refuted > 0)
      text_format(&why, "%" PRIu64 " of %" PRIu64 " requests speak against it", order->refuted,
                  order->held + order->refuted);
    else if (order->needed == ORDER_NEVER)
      text_append(&why, "no number of requests like these decides it");
    else
      text_format(&why, "about %" PRIu64 " more requests would decide it", order->needed);
    wrapped_format(4, 6, "%s%s waits for %s, or not: %s", order->is_end ? "the end of " : "",
                   order->after, order->before, text_get(&why));
    text_clear(&why);
  }
  if (answer->undecided.count > UNDECIDED_SHOWN)
    wrapped_format(4, 6, "and %zu more (--json has all)",
                   answer->undecided.count - UNDECIDED_SHOWN);
}

void latency_difference_say(struct text *text, const struct latency_answer *answer) {
  size_t before = text->length;
  for (size_t i = 0; i < answer->percentiles.count; i++)
    if (latency_differs(answer, &answer->percentiles.data[i]))
      text_format(text, "%sp%s", text->length == before ? "" : ", ",
                  answer->percentiles.data[i].wanted->text);
  if (text->length == before)
    return;
  text_append(text, ": replay and law differ. The law takes activities for independent");
  if (answer->pair[0] != NULL)
    text_format(text, ", but %s and %s are %s in the same requests (rank correlation %.2f).",
                answer->pair[0], answer->pair[1], answer->correlation > 0 ? "slow" : "not slow",
                answer->correlation);
  else
    text_append(text, "; no two of them are seen to depend on each other, but three or more may.");
  text_append(text, " Trust the replay.");
}

static void print_difference(const struct latency_answer *answer) {
  struct text text;
  text_init(&text);
  latency_difference_say(&text, answer);
  if (text.length != 0)
    wrapped_format(2, 2, "%s", text.data);
  text_clear(&text);
}

/* The requests that the first percentile without an upper limit takes, and of the last one. */
static void print_needs(const struct latency_answer *answer) {
  const struct latency_percentile *first = NULL, *last = NULL;
  for (size_t i = 0; i < answer->percentiles.count; i++)
    if (answer->percentiles.data[i].needed != 0) {
      last = &answer->percentiles.data[i];
      first = first == NULL ? last : first;
    }
  if (first != NULL && first != last)
    wrapped_format(
        2, 2, "An upper limit of p%s takes %" PRIu64 " independent requests, of p%s %" PRIu64 ".",
        first->wanted->text, first->needed, last->wanted->text, last->needed);
  else if (first != NULL)
    wrapped_format(2, 2, "An upper limit of p%s takes %" PRIu64 " independent requests.",
                   first->wanted->text, first->needed);
  if (answer->no_law != NULL)
    wrapped_format(2, 2, "There is no law to compare the replay with: %s.", answer->no_law);
}

/* Whether there is anything to say below the table. */
static bool has_remarks(const struct latency_answer *answer) {
  bool any = answer->observed.requests.count != 0 || answer->replayed[0].use.count != 0 ||
             answer->readings > 1 || answer->no_law != NULL;
  for (size_t i = 0; i < answer->percentiles.count; i++)
    any = any || latency_differs(answer, &answer->percentiles.data[i]) ||
          answer->percentiles.data[i].needed != 0;
  return any;
}

void latency_print_text(const struct latency_answer *answer) {
  print_changes(answer);
  print_table(answer);
  if (has_remarks(answer))
    putchar('\n');
  print_observed(answer);
  print_queues(answer);
  print_undecided(answer);
  print_difference(answer);
  print_needs(answer);
  latency_confirmed_print_text(answer);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void add_ns(struct jsonl *line, const char *key, uint64_t ns) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, ns);
  jsonl_text(line, key, ns == LATENCY_INFINITE ? "infinite" : digits);
}

void latency_add_range(struct jsonl *line, const char *key, const struct latency_range *range) {
  struct jsonl *inside = jsonl_inside(line, key);
  add_ns(inside, "ns", range->value_ns);
  add_ns(inside, "lower_ns", range->lower_ns);
  add_ns(inside, "upper_ns", range->upper_ns);
}

static void add_bounds(struct jsonl *line, const char *key, const struct latency_bounds *bounds) {
  struct jsonl *inside = jsonl_inside(line, key);
  add_ns(inside, "least_ns", bounds->least_ns);
  add_ns(inside, "most_ns", bounds->most_ns);
  add_ns(inside, "lower_ns", bounds->lower_ns);
  add_ns(inside, "upper_ns", bounds->upper_ns);
}

static void print_percentile_json(const struct latency_answer *answer,
                                  const struct latency_percentile *p) {
  struct jsonl *line = jsonl_new("predicted");
  jsonl_text(line, "p", p->wanted->text);
  latency_add_range(line, "recorded", &p->before);
  latency_add_range(line, "replayed", &p->after[0]);
  if (answer->readings == 2)
    latency_add_range(line, "replayed_if_free", &p->after[1]);
  if (has_law(answer, WISH_UNKNOWN))
    add_bounds(line, "independent", &p->independent);
  if (has_law(answer, WISH_INDEPENDENT))
    add_bounds(line, "any", &p->any);
  if (answer->observed.requests.count != 0) {
    latency_add_range(line, "observed", &p->observed);
    jsonl_number(line, "error", error_of(p));
    jsonl_flag(line, "missed", latency_missed(answer, p));
  }
  jsonl_flag(line, "settled", p->settled);
  jsonl_flag(line, "law_differs", latency_differs(answer, p));
  if (p->needed != 0)
    jsonl_integer(line, "needed", (int64_t)p->needed);
  jsonl_print(line);
}

static void print_changes_json(const struct latency_answer *answer) {
  const struct scenario *scenario = &answer->scenario;
  for (size_t i = 0; i < scenario->changes.count; i++) {
    struct jsonl *line = jsonl_new("change");
    jsonl_text(line, "change", scenario->changes.data[i].text);
    jsonl_integer(line, "calls", (int64_t)scenario->of.data[i].calls);
    if (scenario->changes.data[i].kind == CHANGE_LIMIT && answer->replayed[0].use.count != 0) {
      const struct queue_use *use = &answer->replayed[0].use.data[i];
      jsonl_integer(line, "waited", (int64_t)use->waited);
      jsonl_integer(line, "most", (int64_t)use->most);
    }
    jsonl_print(line);
  }
}

void latency_print_json(const struct latency_answer *answer) {
  print_changes_json(answer);
  latency_confirmed_print_json(answer);
  for (size_t i = 0; i < answer->percentiles.count; i++)
    print_percentile_json(answer, &answer->percentiles.data[i]);
  for (size_t i = 0; i < answer->undecided.count; i++) {
    struct jsonl *line = jsonl_new("undecided");
    jsonl_text(line, "before", answer->undecided.data[i].before);
    jsonl_text(line, "after", answer->undecided.data[i].after);
    jsonl_flag(line, "is_end", answer->undecided.data[i].is_end);
    jsonl_integer(line, "held", (int64_t)answer->undecided.data[i].held);
    jsonl_integer(line, "refuted", (int64_t)answer->undecided.data[i].refuted);
    if (answer->undecided.data[i].needed != ORDER_NEVER)
      jsonl_integer(line, "needed", (int64_t)answer->undecided.data[i].needed);
    jsonl_print(line);
  }
  struct jsonl *line = jsonl_new("latency");
  jsonl_integer(line, "requests", (int64_t)answer->store.requests.count);
  jsonl_integer(line, "flows", (int64_t)answer->flows);
  jsonl_integer(line, "repetitions", (int64_t)answer->replayed[0].repetitions);
  jsonl_number(line, "confidence", rational_double(&answer->request->confidence));
  jsonl_text(line, "no_law", answer->no_law);
  if (answer->observed.requests.count != 0) {
    jsonl_number(line, "largest_difference", answer->distance.largest);
    jsonl_number(line, "median_difference", answer->distance.median);
  }
  if (answer->pair[0] != NULL) {
    struct jsonl *pair = jsonl_list(line, "dependent");
    jsonl_item_text(pair, answer->pair[0]);
    jsonl_item_text(pair, answer->pair[1]);
    jsonl_number(line, "correlation", answer->correlation);
  }
  jsonl_print(line);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What people read of the answer of `whatif latency` (latency.h).
 */
#include "cli/present/latency.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "cli/question/latency/latency.h"
#include "cli/question/latency/ranges.h"
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

bool latency_has_law(const struct latency_answer *answer, enum dependence_wish other) {
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
  struct latency_range range = predicted_range(answer, p);
  struct text cell;
  text_init(&cell);
  if (p->settled)
    latency_append_between(&cell, range.lower_ns, range.upper_ns);
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

double latency_error(const struct latency_percentile *p) {
  return p->observed.value_ns == 0
             ? 0
             : (double)p->after[0].value_ns / (double)p->observed.value_ns - 1;
}

static void make_table(struct table *table, const struct latency_answer *answer) {
  char title[60];
  table_init(table);
  table_column(table, TABLE_LEFT, "");
  table_column(table, TABLE_RIGHT, "recorded");
  table_column(table, TABLE_RIGHT, "replayed");
  snprintf(title, sizeof title, "at %.9g %%", 100 * rational_double(&answer->request->confidence));
  if (!is_sure(answer))
    table_column(table, TABLE_RIGHT, title);
  if (latency_has_law(answer, WISH_UNKNOWN))
    table_column(table, TABLE_RIGHT, "law, independent");
  if (latency_has_law(answer, WISH_INDEPENDENT))
    table_column(table, TABLE_RIGHT, "law, any dependence");
  for (size_t i = 0; i < answer->percentiles.count; i++) {
    const struct latency_percentile *p = &answer->percentiles.data[i];
    table_cell(table, "p%s", p->wanted->text);
    take_ns(table, p->before.value_ns);
    take_value(table, answer, p);
    if (!is_sure(answer))
      take_interval(table, answer, p);
    if (latency_has_law(answer, WISH_UNKNOWN))
      take_law(table, &p->independent);
    if (latency_has_law(answer, WISH_INDEPENDENT))
      take_law(table, &p->any);
  }
}

/* What was predicted against what came of it. */
static void say_observed(struct document *document, const struct latency_answer *answer) {
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
    table_cell(&table, "%+.1f %%", 100 * latency_error(p));
    table_cell(&table, "%s", latency_missed(answer, p) ? "not as predicted" : "");
  }
  document_grid(document, LINES_CLOSE, 2, &table);
  document_say(
      document, LINES_CLOSE,
      "The share of requests up to a latency is off by at most %.1f %%, by %.1f %% at half "
      "of all latencies.",
      100 * answer->distance.largest, 100 * answer->distance.median);
}

/* --- remarks ---------------------------------------------------------------------------------- */

static void say_changes(struct document *document, const struct latency_answer *answer) {
  const struct scenario *scenario = &answer->scenario;
  struct text text;
  text_init(&text);
  text_format(&text, "%zu %s of %zu %s.", answer->store.requests.count,
              answer->store.requests.count == 1 ? "request" : "requests", answer->flows,
              answer->flows == 1 ? "flow" : "flows");
  document_item(document, LINES_CLOSE, 0, &text);
  for (size_t i = 0; i < scenario->changes.count; i++) {
    text_format(&text, "%s   (%" PRIu64 " %s)", scenario->changes.data[i].text,
                scenario->of.data[i].calls, scenario->of.data[i].calls == 1 ? "call" : "calls");
    document_item(document, LINES_CLOSE, 2, &text);
  }
  document_show(document, SHOWN_PAGES);
  if (scenario->changes.count == 0)
    text_append(&text, "no change");
  document_item(document, LINES_CLOSE, 2, &text);
  document_show(document, SHOWN_ALWAYS);
}

static void say_queues(struct document *document, const struct latency_answer *answer) {
  const struct replayed *replayed = &answer->replayed[0];
  size_t count = answer->scenario.changes.count;
  for (size_t i = 0; i < count && replayed->use.count != 0; i++) {
    const struct queue_use *use = &replayed->use.data[i];
    if (answer->scenario.changes.data[i].kind != CHANGE_LIMIT)
      continue;
    struct text wait;
    text_init(&wait);
    duration_print_nearest(&wait,
                           use->waited == 0 ? 0 : (int64_t)(use->waited_ns / (double)use->waited));
    document_say(document, LINES_CLOSE,
                 "%s: %" PRIu64 " of %" PRIu64 " calls wait, for %s on average; up to %" PRIu64
                 " are there at once.",
                 answer->scenario.changes.data[i].text, use->waited, use->calls, text_get(&wait),
                 use->most);
    text_clear(&wait);
  }
}

enum { UNDECIDED_SHOWN = 3 };

static void say_undecided(struct document *document, const struct latency_answer *answer) {
  struct text line;
  if (answer->readings < 2)
    return;
  text_init(&line);
  document_say(document, LINES_CLOSE,
               "Two numbers stand where the traces leave open what waits for what:");
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
    if (order->kind == ORDER_FEEDS)
      text_format(&line,
                  "%s feeds %s, which runs beside it, or not: no number of requests like these "
                  "decides it",
                  order->before, order->after);
    else if (order->kind == ORDER_POOL)
      text_format(&line, "the calls from %s to %s share a pool, or not", order->before,
                  order->after);
    else
      text_format(&line, "%s%s waits for %s, or not: %s", order->is_end ? "the end of " : "",
                  order->after, order->before, text_get(&why));
    document_item(document, LINES_CLOSE, 4, &line);
    text_clear(&why);
  }
  if (answer->undecided.count > UNDECIDED_SHOWN)
    text_format(&line, "and %zu more (--json has all)", answer->undecided.count - UNDECIDED_SHOWN);
  document_item(document, LINES_CLOSE, 4, &line);
}

static void append_difference(struct text *text, const struct latency_answer *answer) {
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

static void say_difference(struct document *document, const struct latency_answer *answer) {
  struct text text;
  text_init(&text);
  append_difference(&text, answer);
  document_take(document, LINES_CLOSE, 2, &text);
}

/* The requests that the first percentile without an upper limit takes, and of the last one. */
static void say_needs(struct document *document, const struct latency_answer *answer) {
  const struct latency_percentile *first = NULL, *last = NULL;
  for (size_t i = 0; i < answer->percentiles.count; i++)
    if (answer->percentiles.data[i].needed != 0) {
      last = &answer->percentiles.data[i];
      first = first == NULL ? last : first;
    }
  if (first != NULL && first != last)
    document_say(document, LINES_CLOSE,
                 "An upper limit of p%s takes %" PRIu64 " independent requests, of p%s %" PRIu64
                 ".",
                 first->wanted->text, first->needed, last->wanted->text, last->needed);
  else if (first != NULL)
    document_say(document, LINES_CLOSE,
                 "An upper limit of p%s takes %" PRIu64 " independent requests.",
                 first->wanted->text, first->needed);
  if (answer->no_law != NULL)
    document_say(document, LINES_CLOSE, "There is no law to compare the replay with: %s.",
                 answer->no_law);
}

/* Below the table, apart from it. */
static void say_remarks(struct document *document, const struct latency_answer *answer) {
  size_t before = document->blocks.count;
  say_observed(document, answer);
  say_queues(document, answer);
  latency_say_queues(document, answer);
  latency_say_arrivals(document, answer);
  say_undecided(document, answer);
  say_difference(document, answer);
  say_needs(document, answer);
  if (document->blocks.count > before)
    document->blocks.data[before].lines = LINES_APART;
}

void latency_document(struct document *document, const struct latency_answer *answer,
                      const struct document_page *page) {
  struct table table;
  document_init(document, "whatif latency", latency_kinds);
  document_title(document, "What if requests were different");
  say_changes(document, answer);
  latency_put_changes(document, answer);
  document_made(document, page);
  document_figures(document, page, answer, 0);
  document_section(document, "percentiles", "Percentiles");
  make_table(&table, answer);
  document_grid(document, LINES_APART, 2, &table);
  say_remarks(document, answer);
  latency_confirmed_document(document, answer);
  latency_put(document, answer);
  document_ledger(document, &answer->ledger);
}

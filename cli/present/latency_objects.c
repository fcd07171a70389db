/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What programs read of the answer of `whatif latency` (latency.h): its objects and their kinds.
 */
#include <stdio.h>

#include "cli/present/latency.h"
#include "cli/question/latency/latency.h"
#include "cli/question/latency/ranges.h"
#include "trace/evaluate/queue.h"

static const struct object_key change_keys[] = {
    KEY("change", TEXT, .marks = MARK_NAMES),
    KEY("calls", COUNT, .note = "that it means"),
    KEY("waited", COUNT, .marks = MARK_MAYBE, .note = "of a limit: calls"),
    KEY("most", COUNT, .marks = MARK_MAYBE, .note = "that were there at once"),
    {0}};
const struct object_kind latency_change_kind = {"change", "of `whatif latency`", change_keys};

#define KEYS_OF_BOUNDS(key)                                                                        \
  KEY(key ".least_ns", NS, .marks = MARK_MAYBE | MARK_DIGITS | MARK_LOWER),                        \
      KEY(key ".most_ns", NS, .marks = MARK_MAYBE | MARK_DIGITS | MARK_UPPER,                      \
          .note = "the samples as the whole truth"),                                               \
      KEY(key ".lower_ns", NS, .marks = MARK_MAYBE | MARK_DIGITS | MARK_LOWER),                    \
      KEY(key ".upper_ns", NS, .marks = MARK_MAYBE | MARK_DIGITS | MARK_UPPER)

static const struct object_key predicted_keys[] = {
    KEY("p", TEXT, .marks = MARK_NAMES),
    KEYS_OF_RANGE("recorded", 0),
    KEYS_OF_RANGE("replayed", 0),
    KEYS_OF_RANGE("replayed_if_free", MARK_MAYBE),
    KEY("between.lower_ns", NS, .marks = MARK_DIGITS | MARK_LOWER),
    KEY("between.upper_ns", NS, .marks = MARK_MAYBE | MARK_DIGITS | MARK_UPPER,
        .note = "of all readings"),
    KEYS_OF_RANGE("replayed_if_first", MARK_MAYBE),
    KEYS_OF_RANGE("replayed_if_last", MARK_MAYBE),
    KEYS_OF_BOUNDS("independent"),
    KEYS_OF_BOUNDS("any"),
    KEYS_OF_RANGE("observed", MARK_MAYBE),
    KEY("error", NUMBER, .marks = MARK_MAYBE),
    KEY("missed", FLAG, .marks = MARK_MAYBE, .note = "these with `--observed`"),
    KEY("settled", FLAG, .marks = MARK_NAMES, .note = "no drift"),
    KEY("law_differs", FLAG),
    KEY("needed", COUNT, .marks = MARK_MAYBE, .note = "requests for an upper limit"),
    {0}};
static const struct object_kind predicted_kind = {"predicted", "of `whatif latency` about traces",
                                                  predicted_keys};

static const struct object_key undecided_keys[] = {
    KEY("before", TEXT, .marks = MARK_NAMES),
    KEY("after", TEXT, .marks = MARK_NAMES),
    KEY("is_end", FLAG, .marks = MARK_NAMES, .note = "`after` is the caller, and its end is meant"),
    KEY("of", TEXT, .words = "wait|stream|pool", .note = "what is open"),
    KEY("held", COUNT),
    KEY("refuted", COUNT, .note = "requests that agree, and that speak against it"),
    KEY("needed", COUNT, .marks = MARK_MAYBE,
        .note = "how many more would decide it; not there: no number"),
    {0}};
static const struct object_kind undecided_kind = {"undecided", "of `whatif latency`",
                                                  undecided_keys};

static const struct object_key latency_keys[] = {
    KEY("requests", COUNT),
    KEY("flows", COUNT),
    KEY("repetitions", COUNT),
    KEY("confidence", NUMBER),
    KEY("no_law", TEXT, .marks = MARK_NULL, .note = "why; null: there is one"),
    KEY("largest_difference", SHARE, .marks = MARK_MAYBE),
    KEY("median_difference", SHARE, .marks = MARK_MAYBE,
        .note = "of the shares up to a latency, with `--observed`"),
    KEY("dependent", TEXTS, .marks = MARK_MAYBE, .note = "two calls"),
    KEY("correlation", NUMBER, .marks = MARK_MAYBE, .note = "both where replay and law differ"),
    {0}};
static const struct object_kind latency_kind = {"latency", "of `whatif latency` about traces",
                                                latency_keys};

const struct object_kind *const latency_kinds[] = {
    &latency_kind,          &latency_change_kind, &predicted_kind,
    &undecided_kind,        &latency_queue_kind,  &confirmed_kind,
    &latency_measured_kind, &assumption_kind,     NULL};

static void put_ns(struct objects *objects, const char *key, const char *end, uint64_t ns) {
  char name[48];
  snprintf(name, sizeof name, "%s.%s", key, end);
  object_time(objects, name, ns != LATENCY_INFINITE, ns);
}

void latency_put_range(struct objects *objects, const char *key,
                       const struct latency_range *range) {
  put_ns(objects, key, "ns", range->value_ns);
  put_ns(objects, key, "lower_ns", range->lower_ns);
  put_ns(objects, key, "upper_ns", range->upper_ns);
}

static void put_bounds(struct objects *objects, const char *key,
                       const struct latency_bounds *bounds) {
  put_ns(objects, key, "least_ns", bounds->least_ns);
  put_ns(objects, key, "most_ns", bounds->most_ns);
  put_ns(objects, key, "lower_ns", bounds->lower_ns);
  put_ns(objects, key, "upper_ns", bounds->upper_ns);
}

static void put_predicted(struct document *document, const struct latency_answer *answer) {
  struct objects *predicted = document_objects(document, &predicted_kind);
  for (size_t i = 0; i < answer->percentiles.count; i++) {
    const struct latency_percentile *p = &answer->percentiles.data[i];
    objects_add(predicted);
    object_text(predicted, "p", p->wanted->text);
    latency_put_range(predicted, "recorded", &p->before);
    latency_put_range(predicted, "replayed", &p->after[0]);
    if (answer->readings == 2)
      latency_put_range(predicted, "replayed_if_free", &p->after[1]);
    struct latency_range between = predicted_range(answer, p);
    put_ns(predicted, "between", "lower_ns", between.lower_ns);
    put_ns(predicted, "between", "upper_ns", between.upper_ns);
    if (answer->queues.count != 0) {
      latency_put_range(predicted, "replayed_if_first", &p->arrived[LATENCY_FIRST]);
      latency_put_range(predicted, "replayed_if_last", &p->arrived[LATENCY_LAST]);
    }
    if (latency_has_law(answer, WISH_UNKNOWN))
      put_bounds(predicted, "independent", &p->independent);
    if (latency_has_law(answer, WISH_INDEPENDENT))
      put_bounds(predicted, "any", &p->any);
    if (answer->observed.requests.count != 0) {
      latency_put_range(predicted, "observed", &p->observed);
      object_number(predicted, "error", latency_error(p));
      object_flag(predicted, "missed", latency_missed(answer, p));
    }
    object_flag(predicted, "settled", p->settled);
    object_flag(predicted, "law_differs", latency_differs(answer, p));
    if (p->needed != 0)
      object_count(predicted, "needed", p->needed);
  }
}

void latency_put_changes(struct document *document, const struct latency_answer *answer) {
  const struct scenario *scenario = &answer->scenario;
  struct objects *changes = document_objects(document, &latency_change_kind);
  for (size_t i = 0; i < scenario->changes.count; i++) {
    objects_add(changes);
    object_text(changes, "change", scenario->changes.data[i].text);
    object_count(changes, "calls", scenario->of.data[i].calls);
    if (scenario->changes.data[i].kind == CHANGE_LIMIT && answer->replayed[0].use.count != 0) {
      const struct queue_use *use = &answer->replayed[0].use.data[i];
      object_count(changes, "waited", use->waited);
      object_count(changes, "most", use->most);
    }
  }
}

static void put_undecided(struct document *document, const struct latency_answer *answer) {
  static const char *const kinds[] = {"wait", "stream", "pool"};
  struct objects *undecided = document_objects(document, &undecided_kind);
  for (size_t i = 0; i < answer->undecided.count; i++) {
    const struct undecided_order *order = &answer->undecided.data[i];
    objects_add(undecided);
    object_text(undecided, "before", order->before);
    object_text(undecided, "after", order->after);
    object_flag(undecided, "is_end", order->is_end);
    object_text(undecided, "of", kinds[order->kind]);
    object_count(undecided, "held", order->held);
    object_count(undecided, "refuted", order->refuted);
    if (order->needed != ORDER_NEVER)
      object_count(undecided, "needed", order->needed);
  }
}

static void put_latency(struct document *document, const struct latency_answer *answer) {
  struct objects *latency = document_objects(document, &latency_kind);
  objects_add(latency);
  object_count(latency, "requests", answer->store.requests.count);
  object_count(latency, "flows", answer->flows);
  object_count(latency, "repetitions", answer->replayed[0].repetitions);
  object_number(latency, "confidence", rational_double(&answer->request->confidence));
  object_text(latency, "no_law", answer->no_law);
  if (answer->observed.requests.count != 0) {
    object_number(latency, "largest_difference", answer->distance.largest);
    object_number(latency, "median_difference", answer->distance.median);
  }
  if (answer->pair[0] != NULL) {
    object_item(latency, "dependent", answer->pair[0]);
    object_item(latency, "dependent", answer->pair[1]);
    object_number(latency, "correlation", answer->correlation);
  }
}

void latency_put(struct document *document, const struct latency_answer *answer) {
  put_predicted(document, answer);
  put_undecided(document, answer);
  latency_put_queues(document, answer);
  put_latency(document, answer);
}

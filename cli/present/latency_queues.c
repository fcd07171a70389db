/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Queues in which recorded requests stood, in the answer of `whatif latency` (latency.h).
 */
#include <inttypes.h>

#include "base/duration.h"
#include "cli/present/latency.h"
#include "cli/question/latency/latency.h"

static const struct object_key queue_keys[] = {
    KEY("service", TEXT, .marks = MARK_NAMES),
    KEY("operation", TEXT, .marks = MARK_NAMES | MARK_NULL, .note = "null: all of the service"),
    KEY("servers", COUNT, .note = "calls at once, of all requests together"),
    KEY("calls", COUNT),
    KEY("waited", COUNT),
    KEY("waited_ns", NS, .marks = MARK_DIGITS, .note = "of these together, as is likely"),
    KEY("by_chance", NUMBER),
    {0}};
const struct object_kind latency_queue_kind = {"queue", "in which requests stood", queue_keys};

void latency_put_queues(struct document *document, const struct latency_answer *answer) {
  struct objects *queues = document_objects(document, &latency_queue_kind);
  for (size_t q = 0; q < answer->queues.count; q++) {
    const struct hidden_queue *queue = &answer->queues.data[q];
    const struct span_names *names = &answer->store.names;
    objects_add(queues);
    object_text(queues, "service", names_text(names, queue->service));
    object_text(queues, "operation",
                queue->operation == 0 ? NULL : names_text(names, queue->operation));
    object_count(queues, "servers", queue->servers);
    object_count(queues, "calls", queue->calls);
    object_count(queues, "waited", queue->waited);
    object_ns(queues, "waited_ns", (int64_t)queue->waited_ns);
    object_number(queues, "by_chance", queue->by_chance);
  }
}

/* Queues in which the requests stood already (trace/evaluate/waiting.h). */
void latency_say_queues(struct document *document, const struct latency_answer *answer) {
  for (size_t q = 0; q < answer->queues.count; q++) {
    const struct hidden_queue *queue = &answer->queues.data[q];
    struct text name, wait;
    text_init(&name);
    text_init(&wait);
    waiting_name(&name, queue, &answer->store.names);
    duration_print_nearest(
        &wait, queue->waited == 0 ? 0 : (int64_t)(queue->waited_ns / (double)queue->waited));
    document_say(document, LINES_CLOSE,
                 "%s: never more than %" PRIu64 " %s at once, which chance explains with "
                 "probability %.2g. So %" PRIu64 " of %" PRIu64 " calls waited when they were "
                 "recorded, for about %s; with the change they wait anew.",
                 text_get(&name), queue->servers, queue->servers == 1 ? "call" : "calls",
                 queue->by_chance, queue->waited, queue->calls, text_get(&wait));
    text_clear(&name);
    text_clear(&wait);
  }
}

/* What is open of when calls came to the queues. */
void latency_say_arrivals(struct document *document, const struct latency_answer *answer) {
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < answer->percentiles.count && answer->queues.count != 0; i++) {
    const struct latency_percentile *p = &answer->percentiles.data[i];
    const struct latency_range *first = &p->arrived[LATENCY_FIRST];
    const struct latency_range *last = &p->arrived[LATENCY_LAST];
    if (first->value_ns == p->after[0].value_ns && last->value_ns == p->after[0].value_ns)
      continue;
    text_append(&text, text.length == 0 ? "When calls came there is not recorded. They are taken "
                                          "to come like those that did not wait; if all came as "
                                          "soon as they could, or as late: "
                                        : "; ");
    text_format(&text, "p%s ", p->wanted->text);
    latency_append(&text, first->value_ns);
    text_append(&text, " or ");
    latency_append(&text, last->value_ns);
  }
  text_append(&text, text.length == 0 ? "" : ".");
  document_take(document, LINES_CLOSE, 2, &text);
}

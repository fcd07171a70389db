/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is said of queues (waiting.h) where they are not replayed.
 */
#include <inttypes.h>

#include "base/duration.h"
#include "trace/evaluate/waiting.h"

void waiting_name(struct text *text, const struct hidden_queue *queue,
                  const struct span_names *names) {
  text_append(text, names_text(names, queue->service));
  if (queue->operation != 0)
    text_format(text, "/%s", names_text(names, queue->operation));
}

static void note_queue(struct ledger *ledger, const struct hidden_queue *queue,
                       const struct span_names *names) {
  struct text name, mean;
  text_init(&name);
  text_init(&mean);
  waiting_name(&name, queue, names);
  duration_print_nearest(
      &mean, queue->waited == 0 ? 0 : (int64_t)(queue->waited_ns / (double)queue->waited));
  ledger_note(ledger, LEDGER_DATA,
              "%s never served more than %" PRIu64 " %s at once, which chance explains with "
              "probability %.2g: %" PRIu64 " of %" PRIu64 " waited for other calls, "
              "about %s on average, which counts as own work of their callers, or as network",
              text_get(&name), queue->servers, queue->servers == 1 ? "call" : "calls",
              queue->by_chance, queue->waited, queue->calls, text_get(&mean));
  text_clear(&name);
  text_clear(&mean);
}

void waiting_note(struct ledger *ledger, const struct request_graph *graph,
                  const struct span_store *store, double level) {
  struct queue_waiting waiting;
  waiting_find(&waiting, graph, store, level);
  waiting_take(&waiting, graph, ARRIVES_LIKELY);
  for (size_t q = 0; q < waiting.queues.count; q++)
    note_queue(ledger, &waiting.queues.data[q], &store->names);
  if (waiting.sampled)
    ledger_add(ledger, LEDGER_DATA,
               "a summary has not all requests: whether they waited for each other is not looked "
               "for");
  waiting_clear(&waiting);
}

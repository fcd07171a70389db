/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/notes.h"

void graph_note_late(struct ledger *ledger, const struct request_graph *graph) {
  uint64_t late = 0;
  for (size_t f = 0; f < graph->flows.count; f++)
    late += graph->flows.data[f]->late;
  if (late > 0)
    ledger_note(ledger, LEDGER_DATA,
                "%llu spans end after their caller and are waited for elsewhere: they count to its "
                "end, or not at all where most of them comes after it",
                (unsigned long long)late);
}

void graph_note(struct ledger *ledger, const struct request_graph *graph) {
  ledger_add(ledger, LEDGER_DATA,
             "what a call waited for is learned from when calls ran: a common cause that delays "
             "two calls in the same requests is not told from a wait, and calls side by side feed "
             "each other, or share a pool, only where their times say so");
  uint64_t clipped = 0, apart = 0, unasked = 0;
  bool cut = false;
  int64_t resolution = 0;
  for (size_t f = 0; f < graph->flows.count; f++) {
    if (graph->flows.data[f]->resolution > resolution)
      resolution = graph->flows.data[f]->resolution;
    clipped += graph->flows.data[f]->clipped;
    apart += graph->flows.data[f]->apart;
    cut = cut || graph->flows.data[f]->cut;
    unasked += graph->flows.data[f]->unasked;
  }
  if (resolution > 0)
    ledger_add(ledger, LEDGER_DATA,
               "times are recorded in whole %s, so that an overlap of one may be a matter of "
               "rounding, and refutes no order",
               resolution == 1000 ? "microseconds" : "milliseconds");
  if (apart > 0)
    ledger_note(ledger, LEDGER_DATA,
                "nobody waited for %llu spans: they follow from their caller, or calls like them "
                "end after it in half of the requests or more, or they stand beside the root",
                (unsigned long long)apart);
  graph_note_late(ledger, graph);
  if (graph->alike > 0)
    ledger_note(ledger, LEDGER_DATA,
                "%llu orders of calls are decided by several kinds of requests together: calls of "
                "one name by a caller of one name are taken to be made alike",
                (unsigned long long)graph->alike);
  if (cut)
    ledger_add(ledger, LEDGER_DATA,
               "some processes start spans at whole milliseconds only, and end them at any time: "
               "their starts are cut, so that an overlap of up to one refutes no order");
  if (clipped > 0)
    ledger_note(ledger, LEDGER_DATA,
                "%llu spans start before their caller and count from its start",
                (unsigned long long)clipped);
  if (unasked > 0)
    ledger_note(ledger, LEDGER_DATA,
                "some span has more than 256 calls; of these each was held against those only that "
                "ended last before it");
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was recorded, as the drafted probe file's probes would have seen it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "measure/talk/names.h"
#include "measure/talk/exchange.h"

static int by_end(const void *a, const void *b) {
  const struct talk_event *one = a, *other = b;
  return one->done_ns < other->done_ns ? -1 : one->done_ns > other->done_ns;
}

static void append_event(struct text *text, const struct talk_event *event, uint16_t port) {
  text_format(text, "%" PRIu64 " %s_", event->done_ns, event->sends ? "sent" : "received");
  if (port == 0)
    text_append(text, "tcp");
  else
    text_format(text, "%u", port);
  text_format(text,
              " %" PRIu32 " %" PRIu32 " local=%u remote=%u begins=%" PRIu64 " ends=%" PRIu64
              " bytes=%" PRIu64,
              event->process, event->thread, event->local, event->remote, event->begins,
              event->ends, (event->ends - event->begins) >> 32);
  if (event->sends)
    text_format(text, " begun=%" PRIu64, event->time_ns);
  text_append(text, "\n");
}

/* Whether a call before this one has the same probes. */
static bool is_probed_before(const struct talk_shape *shape, size_t call) {
  for (size_t i = 0; i < call; i++)
    if (shape->calls[i].port == shape->calls[call].port)
      return true;
  return false;
}

/* Since when the first process of a part is traced. */
static uint64_t met(const struct talk_part *part, const struct talk_table *table) {
  uint64_t since_ns = part->processes.count == 0 ? 0 : UINT64_MAX;
  for (size_t i = 0; i < part->processes.count; i++) {
    const struct talk_process *one = talk_table_process(table, part->processes.data[i]);
    if (one == NULL || one->since_ns < since_ns)
      since_ns = one == NULL ? 0 : one->since_ns;
  }
  return since_ns;
}

/* Since when all that the draft names are traced: each is met by what it does, and not before. */
static uint64_t all_met(const struct talk_draft *draft, const struct talk_table *table) {
  uint64_t begin_ns = 0;
  for (size_t c = 0; c < draft->shape->count; c++)
    for (unsigned m = 0; m <= draft->shape->calls[c].members; m++) {
      long part = m == 0 ? draft->shape->client : draft->shape->calls[c].part[m - 1];
      uint64_t since_ns = part == TALK_NONE ? 0 : met(&draft->parts->list.data[part], table);
      begin_ns = since_ns > begin_ns ? since_ns : begin_ns;
    }
  return begin_ns;
}

void draft_events(struct text *text, const struct talk_draft *draft, const struct talk *talk) {
  const struct talk_shape *shape = draft->shape;
  struct talk_event *events = mem_alloc(talk->events.count + 1, sizeof *events);
  for (size_t i = 0; i < talk->events.count; i++)
    events[i] = talk->events.data[i];
  qsort(events, talk->events.count, sizeof *events, by_end);
  uint64_t begin_ns = all_met(draft, &talk->table);
  text_format(text, "start %" PRIu64 "\n", begin_ns < talk->begin_ns ? talk->begin_ns : begin_ns);
  for (size_t i = 0; i < talk->table.processes.count; i++)
    text_format(text, "process %" PRIu32 " %s\n", talk->table.processes.data[i].id,
                talk->table.processes.data[i].command);
  for (size_t i = 0; i < talk->events.count; i++)
    for (size_t k = 0; k < shape->count; k++) {
      uint16_t port = shape->calls[k].port;
      if (!is_probed_before(shape, k) && events[i].done_ns >= begin_ns &&
          (port == 0 || events[i].local == port || events[i].remote == port))
        append_event(text, &events[i], port);
    }
  text_format(text, "end %" PRIu64 "\n", talk->end_ns);
  mem_free(events);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/talk/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/talk/part.h"

#define FIELDS                                                                                     \
  {"local", OUTSIDE_UNSIGNED}, {"remote", OUTSIDE_UNSIGNED}, {"begins", OUTSIDE_UNSIGNED}, {       \
    "ends", OUTSIDE_UNSIGNED                                                                       \
  }
enum { FIELD_BEGUN = 4, FIELDS_ALL = 15 /* but that */ };
const struct outside_probe talk_probes[TALK_PROBE_COUNT] = {
    [TALK_SEND] = {.name = "send",
                   .field_count = 5,
                   .field = {FIELDS, {"begun", OUTSIDE_UNSIGNED}}},
    [TALK_RECEIVE] = {.name = "receive", .field_count = 4, .field = {FIELDS}}};

bool talk_take(void *context, const struct outside_event *event) {
  struct talk *talk = context;
  bool begun = event->probe == TALK_SEND && outside_has(event, FIELD_BEGUN) &&
               event->field[FIELD_BEGUN] <= event->time_ns;
  if ((event->fields & FIELDS_ALL) == FIELDS_ALL)
    vector_push(&talk->events,
                (struct talk_event){.time_ns = begun ? event->field[FIELD_BEGUN] : event->time_ns,
                                    .done_ns = event->time_ns,
                                    .local = (uint16_t)event->field[0],
                                    .remote = (uint16_t)event->field[1],
                                    .begins = event->field[2],
                                    .ends = event->field[3],
                                    .process = event->pid,
                                    .thread = event->tid,
                                    .sends = event->probe == TALK_SEND});
  return true;
}

void talk_take_process(void *context, uint32_t process, const char *command) {
  struct talk *talk = context;
  struct talk_process *known = talk_table_process(&talk->table, process);
  if (known == NULL) {
    vector_push(&talk->table.processes, (struct talk_process){.id = process});
    known = &talk->table.processes.data[talk->table.processes.count - 1];
  }
  mem_free(known->command);
  known->command = mem_copy_text(command, strlen(command));
}

static bool is_ephemeral(uint16_t port) {
  return port >= 32768; /* Linux: net.ipv4.ip_local_port_range */
}

uint16_t talk_asked_port(const struct talk_table *table, uint16_t local, uint16_t remote,
                         uint32_t process) {
  bool here = talk_table_listens(table, local, 0), there = talk_table_listens(table, remote, 0);
  if (here && there)
    return talk_table_listens(table, local, process) ? local : remote;
  if (here || there)
    return here ? local : remote;
  if (is_ephemeral(local) != is_ephemeral(remote))
    return is_ephemeral(local) ? remote : local;
  return local < remote ? local : remote;
}

/* --- the exchanges of one end --- */

static int by_end(const void *a, const void *b) {
  const struct talk_event *one = a, *other = b;
  if (one->process != other->process)
    return one->process < other->process ? -1 : 1;
  if (one->local != other->local)
    return one->local < other->local ? -1 : 1;
  if (one->remote != other->remote)
    return one->remote < other->remote ? -1 : 1;
  return one->time_ns < other->time_ns ? -1 : one->time_ns > other->time_ns;
}

static uint64_t bytes_of(const struct talk_event *event) {
  return (event->ends - event->begins) >> 32;
}

static void begin(struct talk_exchange *exchange, const struct talk_event *event) {
  exchange->begin_ns = event->time_ns;
  exchange->begin_thread = event->thread;
  exchange->first = bytes_of(event);
  exchange->least = UINT64_MAX;
}

/* Takes the next event of this end; true: it begins another exchange, of which it is the first. */
static bool take(struct talk_exchange *exchange, const struct talk_event *event) {
  bool asking = event->sends == exchange->asks;
  if (asking && exchange->told != 0)
    return true;
  if (!asking && exchange->asked == 0)
    return false; /* of a question before the recording, or it is told unasked */
  if (!asking) {
    exchange->tell_ns = exchange->told == 0 ? event->time_ns : exchange->tell_ns;
    exchange->told_ns = event->time_ns;
    exchange->told_thread = event->thread;
    exchange->told++;
    return false;
  }
  uint64_t bytes = bytes_of(event);
  if (exchange->asked == 0) {
    begin(exchange, event);
  } else {
    exchange->least = bytes < exchange->least ? bytes : exchange->least;
    exchange->most = bytes > exchange->most ? bytes : exchange->most;
  }
  exchange->asked_ns = event->time_ns;
  exchange->asked_end = event->ends;
  exchange->asked_thread = event->thread;
  exchange->asked++;
  return false;
}

static bool is_same_end(const struct talk_event *one, const struct talk_event *other) {
  return one->process == other->process && one->local == other->local &&
         one->remote == other->remote;
}

static void add_end(struct talk *talk, size_t from, size_t to) {
  const struct talk_event *first = &talk->events.data[from];
  uint16_t port = talk_asked_port(&talk->table, first->local, first->remote, first->process);
  const struct talk_exchange empty = {.process = first->process,
                                      .asks = first->remote == port,
                                      .port = port,
                                      .other = first->remote == port ? first->local : first->remote,
                                      .twin = TALK_NONE,
                                      .part = TALK_NONE};
  struct talk_exchange exchange = empty;
  for (size_t i = from; i < to; i++) {
    if (!take(&exchange, &talk->events.data[i]))
      continue;
    vector_push(&talk->exchanges, exchange);
    exchange = empty;
    take(&exchange, &talk->events.data[i]);
  }
  vector_push(&talk->exchanges, exchange); /* also of an end at which nothing was asked */
}

/* --- the other end's --- */

static const struct talk *sorted; /* of the comparison below */

static int by_question(const void *a, const void *b) {
  const struct talk_exchange *one = &sorted->exchanges.data[*(const size_t *)a];
  const struct talk_exchange *other = &sorted->exchanges.data[*(const size_t *)b];
  if (one->port != other->port)
    return one->port < other->port ? -1 : 1;
  if (one->other != other->other)
    return one->other < other->other ? -1 : 1;
  if (one->asked_end != other->asked_end)
    return one->asked_end < other->asked_end ? -1 : 1;
  return one->asks < other->asks ? -1 : one->asks > other->asks;
}

static void join_ends(struct talk *talk) {
  size_t count = talk->exchanges.count, *order = mem_alloc(count + 1, sizeof *order);
  for (size_t i = 0; i < count; i++)
    order[i] = i;
  sorted = talk;
  qsort(order, count, sizeof *order, by_question);
  for (size_t i = 0; i + 1 < count; i++) {
    struct talk_exchange *one = &talk->exchanges.data[order[i]];
    struct talk_exchange *other = &talk->exchanges.data[order[i + 1]];
    if (one->port == other->port && one->other == other->other &&
        one->asked_end == other->asked_end && one->asks != other->asks) {
      one->twin = (long)order[i + 1];
      other->twin = (long)order[i];
    }
  }
  mem_free(order);
}

/* --- requests that overlap --- */

static int by_start(const void *a, const void *b) {
  const struct talk_exchange *one = a, *other = b;
  if (one->process != other->process)
    return one->process < other->process ? -1 : 1;
  if (one->asks != other->asks)
    return one->asks < other->asks ? -1 : 1;
  return one->begin_ns < other->begin_ns ? -1 : one->begin_ns > other->begin_ns;
}

/* Until when a request is under way at the one that tells. */
static uint64_t until(const struct talk *talk, const struct talk_exchange *exchange) {
  return exchange->told == 0 ? talk->end_ns : exchange->tell_ns;
}

/* Of one request, which begins before those behind it in the list. */
static void find_overlaps(struct talk *talk, size_t number) {
  enum { NEAR = 64 };
  struct talk_exchange *list = talk->exchanges.data, *own = &list[number];
  for (size_t k = number + 1; k < talk->exchanges.count && k < number + NEAR; k++) {
    if (list[k].asks || list[k].process != own->process || list[k].begin_ns > until(talk, own))
      return;
    own->alone = list[k].alone = false;
    if (list[k].begin_thread == own->begin_thread)
      own->alone_here = list[k].alone_here = false;
  }
}

static void find_alone(struct talk *talk) {
  struct talk_exchange *list = talk->exchanges.data;
  for (size_t i = 0; i < talk->exchanges.count; i++)
    list[i].alone = list[i].alone_here = list[i].told != 0;
  for (size_t i = 0; i < talk->exchanges.count; i++)
    if (!list[i].asks && list[i].asked != 0)
      find_overlaps(talk, i);
}

void talk_join(struct talk *talk) {
  if (talk->events.count == 0)
    return;
  for (size_t i = 0; i < talk->events.count; i++)
    if (talk->events.data[i].time_ns > talk->end_ns)
      talk->end_ns = talk->events.data[i].time_ns;
  qsort(talk->events.data, talk->events.count, sizeof *talk->events.data, by_end);
  for (size_t from = 0, to; from < talk->events.count; from = to) {
    for (to = from + 1;
         to < talk->events.count && is_same_end(&talk->events.data[from], &talk->events.data[to]);)
      to++;
    add_end(talk, from, to);
  }
  if (talk->exchanges.count == 0)
    return;
  qsort(talk->exchanges.data, talk->exchanges.count, sizeof *talk->exchanges.data, by_start);
  find_alone(talk);
  join_ends(talk);
}

void talk_clear(struct talk *talk) {
  talk_table_clear(&talk->table);
  vector_clear(&talk->events);
  vector_clear(&talk->exchanges);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/pair.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/outside/pair_search.h"

enum { EVERY = 1 << 16 };

struct pairing *pairing_new(const struct outside_mapping *mapping,
                            const struct outside_probe *probes, uint32_t probe_count,
                            struct pair_processes processes) {
  struct pairing *pairing = mem_alloc(1, sizeof *pairing);
  *pairing = (struct pairing){.mapping = mapping,
                              .probes = probes,
                              .probe_count = probe_count,
                              .processes = processes,
                              .every = EVERY,
                              .row = (size_t)mapping->moment_count * mapping->members};
  pairing->rows.cells = pairing->row;
  pairing->seen = mem_alloc(probe_count, sizeof *pairing->seen);
  for (uint32_t i = 0; i < probe_count; i++)
    pairing->seen[i] = (struct pair_seen){.events = 0};
  for (uint32_t i = 0; i < mapping->moment_count; i++)
    if (mapping->moments[i].kind == MAPPING_EVENT)
      pairing->seen[mapping->moments[i].probe].wanted[mapping->moments[i].begun] = true;
  return pairing;
}

void pairing_free(struct pairing *pairing) {
  for (uint32_t i = 0; i < pairing->probe_count; i++)
    for (int begun = 0; begun < 2; begun++)
      vector_clear(&pairing->seen[i].list[begun]);
  vector_clear(&pairing->known);
  vector_clear(&pairing->fixed);
  vector_clear(&pairing->shorts);
  pair_rows_clear(&pairing->rows);
  mem_free(pairing->seen);
  mem_free(pairing->time_ns);
  mem_free(pairing->event);
  mem_free(pairing->requests);
  mem_free(pairing);
}

/* --- events --- */

static uint32_t place_of(struct pairing *pairing, uint32_t pid) {
  for (size_t i = 0; i < pairing->known.count; i++)
    if (pairing->known.data[i].pid == pid)
      return pairing->known.data[i].place;
  const char *command = pairing->processes.command(pairing->processes.context, pid);
  struct placed_process process = {
      pid, command == NULL ? MAPPING_NONE : mapping_place_of(pairing->mapping, command)};
  vector_push(&pairing->known, process);
  return process.place;
}

/* Puts it where it belongs by time: calls that began earlier may be done later. */
static void insert(seen_list *list, const struct sighting *seen) {
  size_t at = list->count;
  vector_push(list, *seen);
  while (at > 0 && list->data[at - 1].time_ns > seen->time_ns)
    at--;
  memmove(list->data + at + 1, list->data + at, (list->count - 1 - at) * sizeof *list->data);
  list->data[at] = *seen;
}

/* By when its call began. Where that is not known, or is said after what it may belong to was
 * settled, it is nobody's. */
static void take_begun(struct pairing *pairing, const struct outside_event *event,
                       struct sighting *seen) {
  uint32_t field = pairing->probes[event->probe].begun - 1;
  uint64_t begun = event->field[field];
  if (!outside_has(event, field) || begun > event->time_ns || begun < pairing->gone_ns) {
    pairing->uncertain++;
    return;
  }
  seen->time_ns = begun;
  insert(&pairing->seen[event->probe].list[1], seen);
}

bool pairing_take(void *context, const struct outside_event *event) {
  struct pairing *pairing = context;
  const struct outside_probe *probe = &pairing->probes[event->probe];
  struct pair_seen *all = &pairing->seen[event->probe];
  struct sighting seen = {.time_ns = event->time_ns,
                          .number = pairing->number++,
                          .pid = event->pid,
                          .tid = event->tid,
                          .place = place_of(pairing, event->pid),
                          .fields = (uint16_t)event->fields};
  for (uint32_t i = 0; i < probe->field_count; i++) {
    seen.field[i] = event->field[i];
    if (probe->field[i].kind == OUTSIDE_TEXTS && outside_has(event, i)) {
      uint32_t length;
      const uint8_t *text = outside_text(event, i, &length);
      seen.field[i] = condition_hash(text, length);
    }
  }
  pairing->newest_ns = event->time_ns;
  all->events++;
  all->elsewhere += seen.place == MAPPING_NONE;
  const struct mapping_moment *first = &pairing->mapping->moments[0];
  pairing->at_first += event->probe == first->probe && search_in_place(pairing, first, &seen, 0);
  if (all->wanted[0])
    insert(&all->list[0], &seen);
  if (all->wanted[1])
    take_begun(pairing, event, &seen);
  if (++pairing->fresh >= pairing->every)
    settle_round(pairing, false);
  return true;
}

void pairing_settle_every(struct pairing *pairing, size_t events) {
  pairing->every = events;
}

int pairing_end(struct pairing *pairing) {
  settle_round(pairing, true);
  pair_rows_end(&pairing->rows);
  return pairing->rows.cause;
}

/* --- what was found --- */

size_t pairing_count(const struct pairing *pairing) {
  return pairing->rows.count;
}

struct pair_request pairing_request(const struct pairing *pairing, size_t request) {
  return pair_rows_request(&pairing->rows, request);
}

uint64_t pairing_moment(const struct pairing *pairing, size_t request, uint32_t moment,
                        uint32_t member) {
  bool family = pairing->mapping->moments[moment].name.of_member;
  return pair_rows_time(&pairing->rows, request,
                        (size_t)moment * pairing->mapping->members + (family ? member : 0));
}

uint32_t pairing_chosen(const struct pairing *pairing, size_t request, uint32_t moment) {
  uint32_t chosen = MAPPING_NONE;
  uint64_t first = PAIR_MISSING;
  for (uint32_t m = 0; m < pairing->mapping->members; m++) {
    uint64_t time = pairing_moment(pairing, request, moment, m);
    if (time < first) {
      first = time;
      chosen = m;
    }
  }
  return chosen;
}

uint64_t pairing_lacking(const struct pairing *pairing, uint32_t moment, enum pair_reason reason) {
  return pairing->lacking[moment][reason];
}

uint64_t pairing_ordered(const struct pairing *pairing) {
  return pairing->ordered;
}

uint64_t pairing_uncertain(const struct pairing *pairing) {
  return pairing->uncertain;
}

uint64_t pairing_at_first(const struct pairing *pairing) {
  return pairing->at_first;
}

uint64_t pairing_events(const struct pairing *pairing, uint32_t probe) {
  return pairing->seen[probe].events;
}

uint64_t pairing_elsewhere(const struct pairing *pairing, uint32_t probe) {
  return pairing->seen[probe].elsewhere;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/pair.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/outside/pair_search.h"

struct pairing *pairing_new(const struct outside_mapping *mapping,
                            const struct outside_probe *probes, uint32_t probe_count,
                            struct pair_processes processes) {
  struct pairing *pairing = mem_alloc(1, sizeof *pairing);
  *pairing = (struct pairing){.mapping = mapping,
                              .probes = probes,
                              .probe_count = probe_count,
                              .processes = processes,
                              .row = (size_t)mapping->moment_count * mapping->members};
  pairing->seen = mem_alloc(probe_count, sizeof *pairing->seen);
  pairing->elsewhere = mem_alloc(probe_count, sizeof *pairing->elsewhere);
  for (uint32_t i = 0; i < probe_count; i++) {
    pairing->seen[i] = (seen_list){0};
    pairing->elsewhere[i] = 0;
  }
  return pairing;
}

void pairing_free(struct pairing *pairing) {
  for (uint32_t i = 0; i < pairing->probe_count; i++)
    vector_clear(&pairing->seen[i]);
  vector_clear(&pairing->known);
  mem_free(pairing->seen);
  mem_free(pairing->elsewhere);
  mem_free(pairing->time_ns);
  mem_free(pairing->event);
  mem_free(pairing->requests);
  mem_free(pairing);
}

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

bool pairing_take(void *context, const struct outside_event *event) {
  struct pairing *pairing = context;
  const struct outside_probe *probe = &pairing->probes[event->probe];
  struct sighting seen = {.time_ns = event->time_ns,
                          .pid = event->pid,
                          .tid = event->tid,
                          .place = place_of(pairing, event->pid),
                          .fields = event->fields};
  for (uint32_t i = 0; i < probe->field_count; i++) {
    seen.field[i] = event->field[i];
    if (probe->field[i].kind == OUTSIDE_TEXTS && outside_has(event, i)) {
      uint32_t length;
      const uint8_t *text = outside_text(event, i, &length);
      seen.field[i] = condition_hash(text, length);
    }
  }
  pairing->elsewhere[event->probe] += seen.place == MAPPING_NONE;
  vector_push(&pairing->seen[event->probe], seen);
  return true;
}

/* The first event that fits a moment; why there is none. */
static enum pair_reason find_event(const struct pair_search *search,
                                   const struct mapping_moment *moment, uint32_t member,
                                   const struct sighting **event) {
  const struct pairing *pairing = search->pairing;
  const seen_list *list = &pairing->seen[moment->probe];
  size_t members = pairing->mapping->members;
  uint32_t after = search_member(search, moment->after, member);
  uint64_t from = search->time_ns[moment->after * members + after];
  const struct sighting *behind = search->event[moment->after * members + after];
  for (size_t i = search_first_from(list, from); i < list->count; i++) {
    const struct sighting *seen = &list->data[i];
    if (seen->time_ns - from > pairing->mapping->within_ns)
      return PAIR_LATE;
    if ((behind >= list->data && behind < list->data + list->count && seen <= behind) ||
        !search_in_place(pairing, moment, seen, member) ||
        !search_holds(search, &moment->where, seen, member))
      continue;
    *event = seen;
    return PAIR_WHOLE;
  }
  return PAIR_NEVER;
}

static int by_time(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return a < b ? -1 : a > b;
}

/* The latest, the earliest or the k-th of other moments. What is missing is later than all else. */
static uint64_t derive(const struct pair_search *search, const struct mapping_moment *moment,
                       uint32_t member) {
  const struct outside_mapping *mapping = search->pairing->mapping;
  uint64_t times[MAPPING_PARTS * MAPPING_MEMBERS];
  size_t count = 0;
  for (uint32_t i = 0; i < moment->of_count; i++) {
    bool family = mapping->moments[moment->of[i]].name.of_member;
    for (uint32_t m = 0; m < (family ? mapping->members : 1); m++)
      if (!family || !moment->name.of_member || m == member)
        times[count++] = search->time_ns[moment->of[i] * mapping->members + m];
  }
  if (count == 0)
    return PAIR_MISSING;
  qsort(times, count, sizeof *times, by_time);
  size_t rank = moment->kind == MAPPING_EARLIEST ? 1
                : moment->kind == MAPPING_LATEST ? count
                                                 : moment->rank;
  return rank > count ? PAIR_MISSING : times[rank - 1];
}

/* One moment, for one member. */
static enum pair_reason find(const struct pair_search *search, uint32_t number, uint32_t member) {
  const struct outside_mapping *mapping = search->pairing->mapping;
  const struct mapping_moment *moment = &mapping->moments[number];
  size_t cell = (size_t)number * mapping->members + member;
  search->time_ns[cell] = PAIR_MISSING;
  search->event[cell] = NULL;
  if (moment->kind != MAPPING_EVENT) {
    search->time_ns[cell] = derive(search, moment, member);
    return search->time_ns[cell] == PAIR_MISSING ? PAIR_NEVER : PAIR_WHOLE;
  }
  if (search->time_ns[(size_t)moment->after * mapping->members +
                      search_member(search, moment->after, member)] == PAIR_MISSING)
    return PAIR_NEVER;
  const struct sighting *event = NULL;
  enum pair_reason reason = find_event(search, moment, member, &event);
  if (reason == PAIR_WHOLE) {
    search->event[cell] = event;
    search->time_ns[cell] = event->time_ns;
  }
  return reason;
}

/* One moment of all requests, for one member. */
static void find_each(struct pairing *pairing, uint32_t number, uint32_t member,
                      enum pair_reason *reasons) {
  const struct mapping_moment *moment = &pairing->mapping->moments[number];
  for (size_t i = 0; i < pairing->count; i++) {
    struct pair_search search = search_of(pairing, i);
    reasons[i] = find(&search, number, member);
  }
  if (moment->kind == MAPPING_EVENT && !moment->shared)
    rivals_settle(pairing, number, member, reasons);
  for (size_t i = 0; i < pairing->count; i++)
    if (reasons[i] != PAIR_WHOLE && pairing->requests[i].reason == PAIR_WHOLE && !moment->optional)
      pairing->requests[i] = (struct pair_request){reasons[i], number, false};
}

static void find_all(struct pairing *pairing) {
  const struct outside_mapping *mapping = pairing->mapping;
  enum pair_reason *reasons = mem_alloc(pairing->count + 1, sizeof *reasons);
  for (uint32_t i = 1; i < mapping->moment_count; i++) {
    bool family = mapping->moments[i].name.of_member;
    for (uint32_t member = 0; member < (family ? mapping->members : 1); member++)
      find_each(pairing, i, member, reasons);
  }
  mem_free(reasons);
}

static bool backwards(const struct pair_search *search, uint32_t from, uint32_t to,
                      uint32_t member) {
  size_t members = search->pairing->mapping->members;
  uint64_t begin = search->time_ns[from * members + search_member(search, from, member)];
  uint64_t end = search->time_ns[to * members + search_member(search, to, member)];
  return begin != PAIR_MISSING && end != PAIR_MISSING && begin > end;
}

static bool nobody_chosen(const struct pair_search *search, uint32_t moment) {
  size_t members = search->pairing->mapping->members;
  for (uint32_t m = 0; moment != MAPPING_NONE && m < members; m++)
    if (search->time_ns[moment * members + m] != PAIR_MISSING)
      return false;
  return moment != MAPPING_NONE;
}

/* Steps and messages that would end before they begin, and choices of nobody. */
static struct pair_request check(const struct pair_search *search) {
  const struct outside_mapping *mapping = search->pairing->mapping;
  for (uint32_t i = 0; i < mapping->step_count; i++)
    if (nobody_chosen(search, mapping->steps[i].chose))
      return (struct pair_request){PAIR_NEVER, mapping->steps[i].chose, true};
  for (uint32_t i = 0; i < mapping->message_count; i++)
    if (nobody_chosen(search, mapping->messages[i].chose))
      return (struct pair_request){PAIR_NEVER, mapping->messages[i].chose, true};
  for (uint32_t member = 0; member < mapping->members; member++) {
    for (uint32_t i = 0; i < mapping->step_count; i++)
      if (backwards(search, mapping->steps[i].time.from, mapping->steps[i].time.to, member))
        return (struct pair_request){PAIR_BACKWARDS, i, true};
    for (uint32_t i = 0; i < mapping->message_count; i++) {
      const struct mapping_message *message = &mapping->messages[i];
      if (backwards(search, message->sent, message->arrived, member) ||
          backwards(search, message->arrived, message->taken, member))
        return (struct pair_request){PAIR_BACKWARDS, mapping->step_count + i, true};
    }
  }
  return (struct pair_request){PAIR_WHOLE, 0, false};
}

/* Which events a moment has in requests, of the events of its probe; owned. */
static bool *find_taken(const struct pairing *pairing, uint32_t number) {
  const struct mapping_moment *moment = &pairing->mapping->moments[number];
  const seen_list *list = &pairing->seen[moment->probe];
  size_t members = moment->name.of_member ? pairing->mapping->members : 1;
  bool *taken = mem_alloc(list->count + 1, sizeof *taken);
  memset(taken, 0, (list->count + 1) * sizeof *taken);
  for (size_t i = 0; i < pairing->count * members && !moment->shared; i++) {
    size_t cell = number * pairing->mapping->members + i % members;
    const struct sighting *event = pairing->event[i / members * pairing->row + cell];
    if (event != NULL)
      taken[event - list->data] = true;
  }
  return taken;
}

/* Whether an event of a moment came at all that may be this request's, and is no other one's. */
static bool may_have_come(const struct pair_search *search, uint32_t number, const bool *taken) {
  const struct pairing *pairing = search->pairing;
  const struct mapping_moment *moment = &pairing->mapping->moments[number];
  const seen_list *list = &pairing->seen[moment->probe];
  bool may = false;
  for (size_t i = search_first_from(list, search->time_ns[0]); i < list->count && !may; i++) {
    if (list->data[i].time_ns - search->time_ns[0] > pairing->mapping->within_ns)
      break;
    for (uint32_t m = 0; m < (moment->name.of_member ? pairing->mapping->members : 1); m++)
      may |= !taken[i] && search_in_place(pairing, moment, &list->data[i], m) &&
             search_may_hold(search, &moment->where, &list->data[i], m);
  }
  return may;
}

/* How long the recording went on after a request began. */
static uint64_t watched_ns(const struct pairing *pairing, const struct pair_search *search) {
  uint64_t last = search->time_ns[0];
  for (uint32_t i = 0; i < pairing->probe_count; i++) {
    const seen_list *list = &pairing->seen[i];
    if (list->count != 0 && list->data[list->count - 1].time_ns > last)
      last = list->data[list->count - 1].time_ns;
  }
  return last - search->time_ns[0];
}

/* How long the slowest request took that is whole. */
static uint64_t slowest_ns(struct pairing *pairing) {
  uint64_t slowest = 0;
  for (size_t i = 0; i < pairing->count; i++) {
    struct pair_search search = search_of(pairing, i);
    uint64_t end = search.time_ns[(size_t)pairing->mapping->time.to * pairing->mapping->members];
    if (pairing->requests[i].reason == PAIR_WHOLE && end != PAIR_MISSING &&
        end - search.time_ns[0] > slowest)
      slowest = end - search.time_ns[0];
  }
  return slowest;
}

/* Those that are not paired, and may have ended: all but those of which no event of the last moment
 * fits what is known of them, though others that took as long were seen to end. Of a last moment
 * that is chosen among others that is not asked. */
static void find_doubtful(struct pairing *pairing) {
  uint64_t slowest = slowest_ns(pairing);
  uint32_t last = pairing->mapping->time.to;
  bool is_event = pairing->mapping->moments[last].kind == MAPPING_EVENT;
  bool *taken = is_event ? find_taken(pairing, last) : NULL;
  for (size_t i = 0; i < pairing->count; i++) {
    struct pair_search search = search_of(pairing, i);
    struct pair_request *request = &pairing->requests[i];
    if (request->reason == PAIR_WHOLE)
      continue;
    request->doubtful = request->reason == PAIR_AGAIN || request->reason == PAIR_BACKWARDS ||
                        !is_event || watched_ns(pairing, &search) <= slowest ||
                        may_have_come(&search, last, taken);
  }
  mem_free(taken);
}

/* The events that requests begin with. */
static void begin_all(struct pairing *pairing) {
  const struct mapping_moment *first = &pairing->mapping->moments[0];
  const seen_list *list = &pairing->seen[first->probe];
  for (size_t i = 0; i < list->count; i++) {
    struct pair_search search = search_of(pairing, pairing->count);
    search.event[0] = &list->data[i];
    search.time_ns[0] = list->data[i].time_ns;
    if (!search_in_place(pairing, first, &list->data[i], 0) ||
        !search_holds(&search, &first->where, &list->data[i], 0))
      continue;
    pairing->requests[pairing->count++] = (struct pair_request){PAIR_WHOLE, 0, false};
  }
}

void pairing_end(struct pairing *pairing) {
  size_t most = pairing->seen[pairing->mapping->moments[0].probe].count;
  size_t cells = (most + 1) * pairing->row;
  pairing->time_ns = mem_alloc(cells, sizeof *pairing->time_ns);
  pairing->event = mem_alloc(cells, sizeof *pairing->event);
  pairing->requests = mem_alloc(most + 1, sizeof *pairing->requests);
  for (size_t i = 0; i < cells; i++) {
    pairing->time_ns[i] = PAIR_MISSING;
    pairing->event[i] = NULL;
  }
  begin_all(pairing);
  find_all(pairing);
  for (size_t i = 0; i < pairing->count; i++) {
    struct pair_search search = search_of(pairing, i);
    if (pairing->requests[i].reason == PAIR_WHOLE)
      pairing->requests[i] = check(&search);
    pairing->lacking[pairing->requests[i].moment][pairing->requests[i].reason]++;
  }
  find_doubtful(pairing);
}

size_t pairing_count(const struct pairing *pairing) {
  return pairing->count;
}

struct pair_request pairing_request(const struct pairing *pairing, size_t request) {
  return pairing->requests[request];
}

uint64_t pairing_moment(const struct pairing *pairing, size_t request, uint32_t moment,
                        uint32_t member) {
  bool family = pairing->mapping->moments[moment].name.of_member;
  return pairing->time_ns[request * pairing->row + moment * pairing->mapping->members +
                          (family ? member : 0)];
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

uint64_t pairing_events(const struct pairing *pairing, uint32_t probe) {
  return pairing->seen[probe].count;
}

uint64_t pairing_elsewhere(const struct pairing *pairing, uint32_t probe) {
  return pairing->elsewhere[probe];
}

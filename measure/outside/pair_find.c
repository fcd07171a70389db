/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which events each request of the window has, moment by moment (measure/outside/pair.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/outside/pair_search.h"

/* The first event that fits a moment; why there is none. Later than what a mapping allows is also
 * what did not come while the recording went on for longer than that. */
static enum pair_reason find_event(const struct pair_search *search,
                                   const struct mapping_moment *moment, uint32_t member,
                                   const struct sighting **event) {
  const struct pairing *pairing = search->pairing;
  const seen_list *list = search_list(pairing, moment);
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
  return pairing->newest_ns > from && pairing->newest_ns - from > pairing->mapping->within_ns
             ? PAIR_LATE
             : PAIR_NEVER;
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

/* Whether what was found of a moment may change by events that are still to come. */
static bool is_open(const struct pair_search *search, uint32_t number, uint32_t member,
                    enum pair_reason reason) {
  const struct pairing *pairing = search->pairing;
  const struct mapping_moment *moment = &pairing->mapping->moments[number];
  size_t members = pairing->mapping->members;
  if (pairing->sure_ns == UINT64_MAX || moment->kind != MAPPING_EVENT)
    return false;
  if (reason == PAIR_WHOLE)
    return search->time_ns[(size_t)number * members + member] > pairing->sure_ns;
  uint64_t from =
      search
          ->time_ns[(size_t)moment->after * members + search_member(search, moment->after, member)];
  return from != PAIR_MISSING &&
         (from > pairing->sure_ns || pairing->sure_ns - from <= pairing->mapping->within_ns);
}

/* What is a request's by the order of those before it, that were settled in an earlier round. */
static void take_fixed(struct pairing *pairing, uint32_t number, uint32_t member,
                       enum pair_reason *reasons) {
  const seen_list *list = search_list(pairing, &pairing->mapping->moments[number]);
  for (size_t i = 0; i < pairing->fixed.count; i++) {
    const struct pair_fixed *fixed = &pairing->fixed.data[i];
    if (fixed->head != SIZE_MAX || fixed->moment != number || fixed->member != member ||
        fixed->request >= pairing->count)
      continue;
    struct pair_search search = search_of(pairing, fixed->request);
    size_t cell = (size_t)number * pairing->mapping->members + member;
    size_t at = search_first_from(list, fixed->time_ns);
    while (list->data[at].number != fixed->number)
      at++;
    search.event[cell] = &list->data[at];
    search.time_ns[cell] = fixed->time_ns;
    reasons[fixed->request] = PAIR_WHOLE;
  }
}

/* One moment of all requests, for one member. */
static void find_each(struct pairing *pairing, uint32_t number, uint32_t member,
                      enum pair_reason *reasons) {
  const struct mapping_moment *moment = &pairing->mapping->moments[number];
  for (size_t i = 0; i < pairing->count; i++) {
    struct pair_search search = search_of(pairing, i);
    reasons[i] = find(&search, number, member);
    if (i < pairing->sure && is_open(&search, number, member, reasons[i]))
      pairing->sure = i;
  }
  if (moment->kind == MAPPING_EVENT && !moment->shared) {
    take_fixed(pairing, number, member, reasons);
    rivals_settle(pairing, number, member, reasons);
  }
  for (size_t i = 0; i < pairing->count; i++)
    if (reasons[i] != PAIR_WHOLE && pairing->requests[i].reason == PAIR_WHOLE && !moment->optional)
      pairing->requests[i] = (struct pair_request){reasons[i], number, false};
}

/* The events that requests begin with. */
static void begin_all(struct pairing *pairing) {
  const struct mapping_moment *first = &pairing->mapping->moments[0];
  const seen_list *list = search_list(pairing, first);
  pairing->count = 0;
  for (size_t i = 0; i < list->count && list->data[i].time_ns <= pairing->sure_ns; i++) {
    struct pair_search search = search_of(pairing, pairing->count);
    search.event[0] = &list->data[i];
    search.time_ns[0] = list->data[i].time_ns;
    if (list->data[i].first || !search_in_place(pairing, first, &list->data[i], 0) ||
        !search_holds(&search, &first->where, &list->data[i], 0))
      continue;
    pairing->requests[pairing->count++] = (struct pair_request){PAIR_WHOLE, 0, false};
  }
}

static void make_room(struct pairing *pairing) {
  size_t most = search_list(pairing, &pairing->mapping->moments[0])->count + 1;
  size_t cells = most * pairing->row;
  mem_free(pairing->time_ns);
  mem_free(pairing->event);
  mem_free(pairing->requests);
  pairing->time_ns = mem_alloc(cells, sizeof *pairing->time_ns);
  pairing->event = mem_alloc(cells, sizeof *pairing->event);
  pairing->requests = mem_alloc(most, sizeof *pairing->requests);
  for (size_t i = 0; i < cells; i++) {
    pairing->time_ns[i] = PAIR_MISSING;
    pairing->event[i] = NULL;
  }
}

void find_all(struct pairing *pairing) {
  const struct outside_mapping *mapping = pairing->mapping;
  make_room(pairing);
  begin_all(pairing);
  pairing->sure = pairing->count;
  for (size_t i = 0; i < pairing->fixed.count; i++) { /* its request is another one now */
    struct pair_fixed *fixed = &pairing->fixed.data[i];
    fixed->request =
        fixed->begins_ns == 0 ? 0 : search_requests_until(pairing, fixed->begins_ns - 1);
    while (fixed->request < pairing->count &&
           pairing->event[fixed->request * pairing->row]->number != fixed->begins)
      fixed->request++;
  }
  enum pair_reason *reasons = mem_alloc(pairing->count + 1, sizeof *reasons);
  for (uint32_t i = 1; i < mapping->moment_count; i++) {
    bool family = mapping->moments[i].name.of_member;
    for (uint32_t member = 0; member < (family ? mapping->members : 1); member++)
      find_each(pairing, i, member, reasons);
  }
  mem_free(reasons);
}

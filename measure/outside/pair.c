/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/pair.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

/* An event as far as conditions ask; of a text its hash. */
struct sighting {
  uint64_t time_ns;
  uint32_t pid, tid;
  uint32_t place; /* or MAPPING_NONE */
  uint32_t fields;
  uint64_t field[OUTSIDE_FIELDS];
};

typedef VECTOR(struct sighting) seen_list;

struct placed_process {
  uint32_t pid, place;
};

struct pairing {
  const struct outside_mapping *mapping;
  const struct outside_probe *probes;
  struct pair_processes processes;
  VECTOR(struct placed_process) known;
  uint32_t probe_count;
  seen_list *seen; /* by probe, by time */
  uint64_t *elsewhere;
  size_t row; /* cells of a request: moments times members */
  size_t count;
  uint64_t *time_ns;             /* [request][moment][member] */
  const struct sighting **event; /* the same; NULL of derived moments */
  struct pair_request *requests;
  uint64_t lacking[MAPPING_MOMENTS + 2 * MAPPING_STEPS][PAIR_REASONS];
};

/* One request while its moments are looked for. */
struct search {
  struct pairing *pairing;
  uint64_t *time_ns;
  const struct sighting **event;
};

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

/* The value of a field; false: it could not be read. */
static bool value_of(uint64_t *value, const struct sighting *seen, uint32_t field) {
  if (field == CONDITION_THREAD || field == CONDITION_PROCESS) {
    *value = field == CONDITION_THREAD ? seen->tid : seen->pid;
    return true;
  }
  *value = seen->field[field];
  return (seen->fields >> field & 1) != 0;
}

static const struct sighting *found(const struct search *search, uint32_t moment, uint32_t member) {
  return search->event[moment * search->pairing->mapping->members + member];
}

static uint32_t member_in(const struct search *search, uint32_t moment, uint32_t member) {
  return search->pairing->mapping->moments[moment].name.of_member ? member : 0;
}

static bool sum_of(uint64_t *sum, const struct search *search, const struct condition_sum *terms,
                   const struct sighting *seen, uint32_t member) {
  *sum = 0;
  for (size_t i = 0; i < terms->count; i++) {
    const struct condition_item *item = &terms->items[i];
    uint64_t value = item->member ? member : item->number;
    const struct sighting *of = seen;
    if (item->named && item->moment_id != MAPPING_NONE)
      of = found(search, item->moment_id, member_in(search, item->moment_id, member));
    if (item->named && (of == NULL || !value_of(&value, of, item->field_id)))
      return false;
    *sum += item->negative ? -value : value;
  }
  return true;
}

static bool holds(const struct search *search, const struct condition *where,
                  const struct sighting *seen, uint32_t member) {
  for (size_t i = 0; i < where->count; i++) {
    uint64_t left, right;
    if (!sum_of(&left, search, &where->comparisons[i].left, seen, member) ||
        !sum_of(&right, search, &where->comparisons[i].right, seen, member) ||
        !condition_holds(where->comparisons[i].order, left, right))
      return false;
  }
  return true;
}

static bool in_place(const struct pairing *pairing, const struct mapping_moment *moment,
                     const struct sighting *seen, uint32_t member) {
  if (!moment->placed)
    return true;
  if (seen->place == MAPPING_NONE)
    return false;
  const struct mapping_name *place = &pairing->mapping->places[seen->place].name;
  int32_t index = moment->place.of_member ? (int32_t)member : moment->place.index;
  return place->index == index && strcmp(place->text, moment->place.text) == 0;
}

/* The first event of a probe that is not before `time_ns`. */
static size_t first_from(const seen_list *list, uint64_t time_ns) {
  size_t low = 0, high = list->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (list->data[middle].time_ns < time_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* A comparison "field == MOMENT.field": what ties an event to that moment's. */
static const struct condition_item *tie_of(const struct condition_comparison *comparison) {
  bool plain = comparison->order == CONDITION_EQUAL && comparison->left.count == 1 &&
               comparison->right.count == 1;
  const struct condition_item *right = &comparison->right.items[0];
  return plain && right->named && right->moment_id != MAPPING_NONE ? right : NULL;
}

/* Whether `at` has all values of the moment's event that the condition asks for. */
static bool is_tied(const struct condition *where, uint32_t moment, const struct sighting *first,
                    const struct sighting *at) {
  for (size_t i = 0; i < where->count; i++) {
    const struct condition_item *tie = tie_of(&where->comparisons[i]);
    uint64_t wanted, value;
    if (tie != NULL && tie->moment_id == moment &&
        (!value_of(&wanted, first, tie->field_id) || !value_of(&value, at, tie->field_id) ||
         value != wanted))
      return false;
  }
  return at->place == first->place;
}

/* Whether a moment came again, as far as the condition asks for it, before `seen`. */
static bool came_again(const struct search *search, const struct condition *where, uint32_t number,
                       const struct sighting *seen, uint32_t member) {
  const struct mapping_moment *moment = &search->pairing->mapping->moments[number];
  const seen_list *list = &search->pairing->seen[moment->probe];
  const struct sighting *first = found(search, number, member_in(search, number, member));
  if (first == NULL)
    return false;
  for (const struct sighting *at = first + 1;
       at < list->data + list->count && at->time_ns < seen->time_ns; at++)
    if (at != seen && is_tied(where, number, first, at) &&
        holds(search, &moment->where, at, member))
      return true;
  return false;
}

static bool is_theirs(const struct search *search, const struct mapping_moment *moment,
                      const struct sighting *seen, uint32_t member) {
  for (size_t i = 0; i < moment->where.count && !moment->shared; i++) {
    const struct condition_item *tie = tie_of(&moment->where.comparisons[i]);
    if (tie != NULL && search->pairing->mapping->moments[tie->moment_id].probe != moment->probe &&
        came_again(search, &moment->where, tie->moment_id, seen, member))
      return true;
  }
  return false;
}

/* The event of a moment; why there is none. */
static enum pair_reason find_event(const struct search *search, const struct mapping_moment *moment,
                                   uint32_t member, const struct sighting **event) {
  const struct pairing *pairing = search->pairing;
  const seen_list *list = &pairing->seen[moment->probe];
  size_t members = pairing->mapping->members;
  uint32_t after = member_in(search, moment->after, member);
  uint64_t from = search->time_ns[moment->after * members + after];
  const struct sighting *behind = search->event[moment->after * members + after];
  for (size_t i = first_from(list, from); i < list->count; i++) {
    const struct sighting *seen = &list->data[i];
    if (seen->time_ns - from > pairing->mapping->within_ns)
      return PAIR_LATE;
    if ((behind >= list->data && behind < list->data + list->count && seen <= behind) ||
        !in_place(pairing, moment, seen, member) || !holds(search, &moment->where, seen, member))
      continue;
    *event = seen;
    return is_theirs(search, moment, seen, member) ? PAIR_AGAIN : PAIR_WHOLE;
  }
  return PAIR_NEVER;
}

static int by_time(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return a < b ? -1 : a > b;
}

/* The latest, the earliest or the k-th of other moments. What is missing is later than all else. */
static uint64_t derive(const struct search *search, const struct mapping_moment *moment,
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
static enum pair_reason find(const struct search *search, uint32_t number, uint32_t member) {
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
                      member_in(search, moment->after, member)] == PAIR_MISSING)
    return PAIR_NEVER;
  const struct sighting *event = NULL;
  enum pair_reason reason = find_event(search, moment, member, &event);
  if (reason == PAIR_WHOLE) {
    search->event[cell] = event;
    search->time_ns[cell] = event->time_ns;
  }
  return reason;
}

static struct pair_request find_all(const struct search *search) {
  const struct outside_mapping *mapping = search->pairing->mapping;
  struct pair_request request = {PAIR_WHOLE, 0};
  for (uint32_t i = 1; i < mapping->moment_count; i++) {
    bool family = mapping->moments[i].name.of_member;
    for (uint32_t member = 0; member < (family ? mapping->members : 1); member++) {
      enum pair_reason reason = find(search, i, member);
      if (reason != PAIR_WHOLE && request.reason == PAIR_WHOLE && !mapping->moments[i].optional)
        request = (struct pair_request){reason, i};
    }
  }
  return request;
}

static bool backwards(const struct search *search, uint32_t from, uint32_t to, uint32_t member) {
  size_t members = search->pairing->mapping->members;
  uint64_t begin = search->time_ns[from * members + member_in(search, from, member)];
  uint64_t end = search->time_ns[to * members + member_in(search, to, member)];
  return begin != PAIR_MISSING && end != PAIR_MISSING && begin > end;
}

/* Steps and messages that would end before they begin. */
static struct pair_request check(const struct search *search) {
  const struct outside_mapping *mapping = search->pairing->mapping;
  for (uint32_t member = 0; member < mapping->members; member++) {
    for (uint32_t i = 0; i < mapping->step_count; i++)
      if (backwards(search, mapping->steps[i].time.from, mapping->steps[i].time.to, member))
        return (struct pair_request){PAIR_BACKWARDS, i};
    for (uint32_t i = 0; i < mapping->message_count; i++) {
      const struct mapping_message *message = &mapping->messages[i];
      if (backwards(search, message->sent, message->arrived, member) ||
          backwards(search, message->arrived, message->taken, member))
        return (struct pair_request){PAIR_BACKWARDS, mapping->step_count + i};
    }
  }
  return (struct pair_request){PAIR_WHOLE, 0};
}

void pairing_end(struct pairing *pairing) {
  const struct mapping_moment *first = &pairing->mapping->moments[0];
  const seen_list *list = &pairing->seen[first->probe];
  pairing->time_ns = mem_alloc(list->count * pairing->row + 1, sizeof *pairing->time_ns);
  pairing->event = mem_alloc(list->count * pairing->row + 1, sizeof *pairing->event);
  pairing->requests = mem_alloc(list->count + 1, sizeof *pairing->requests);
  for (size_t i = 0; i < list->count; i++) {
    size_t row = pairing->count * pairing->row;
    struct search search = {pairing, pairing->time_ns + row, pairing->event + row};
    search.event[0] = &list->data[i];
    search.time_ns[0] = list->data[i].time_ns;
    if (!in_place(pairing, first, &list->data[i], 0) ||
        !holds(&search, &first->where, &list->data[i], 0))
      continue;
    struct pair_request request = find_all(&search);
    if (request.reason == PAIR_WHOLE)
      request = check(&search);
    pairing->lacking[request.moment][request.reason]++;
    pairing->requests[pairing->count++] = request;
  }
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

uint64_t pairing_lacking(const struct pairing *pairing, uint32_t moment, enum pair_reason reason) {
  return pairing->lacking[moment][reason];
}

uint64_t pairing_events(const struct pairing *pairing, uint32_t probe) {
  return pairing->seen[probe].count;
}

uint64_t pairing_elsewhere(const struct pairing *pairing, uint32_t probe) {
  return pairing->elsewhere[probe];
}

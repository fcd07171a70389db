/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/pair_search.h"

#include <string.h>

struct pair_search search_of(struct pairing *pairing, size_t request) {
  size_t row = request * pairing->row;
  return (struct pair_search){pairing, pairing->time_ns + row, pairing->event + row};
}

const seen_list *search_list(const struct pairing *pairing, const struct mapping_moment *moment) {
  return &pairing->seen[moment->probe].list[moment->begun];
}

size_t search_requests_until(const struct pairing *pairing, uint64_t time_ns) {
  size_t low = 0, high = pairing->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (pairing->time_ns[middle * pairing->row] <= time_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool search_value(uint64_t *value, const struct sighting *seen, uint32_t field) {
  if (field == CONDITION_THREAD || field == CONDITION_PROCESS) {
    *value = field == CONDITION_THREAD ? seen->tid : seen->pid;
    return true;
  }
  *value = seen->field[field];
  return (seen->fields >> field & 1) != 0;
}

const struct sighting *search_found(const struct pair_search *search, uint32_t moment,
                                    uint32_t member) {
  return search->event[moment * search->pairing->mapping->members + member];
}

uint32_t search_member(const struct pair_search *search, uint32_t moment, uint32_t member) {
  return search->pairing->mapping->moments[moment].name.of_member ? member : 0;
}

bool search_sum(uint64_t *sum, const struct pair_search *search, const struct condition_sum *terms,
                const struct sighting *seen, uint32_t member) {
  *sum = 0;
  for (size_t i = 0; i < terms->count; i++) {
    const struct condition_item *item = &terms->items[i];
    uint64_t value = item->member ? member : item->number;
    const struct sighting *of = seen;
    if (item->named && item->moment_id != MAPPING_NONE)
      of = search_found(search, item->moment_id, search_member(search, item->moment_id, member));
    if (item->named && (of == NULL || !search_value(&value, of, item->field_id)))
      return false;
    *sum += item->negative ? -value : value;
  }
  return true;
}

bool search_holds(const struct pair_search *search, const struct condition *where,
                  const struct sighting *seen, uint32_t member) {
  for (size_t i = 0; i < where->count; i++) {
    uint64_t left, right;
    if (!search_sum(&left, search, &where->comparisons[i].left, seen, member) ||
        !search_sum(&right, search, &where->comparisons[i].right, seen, member) ||
        !condition_holds(where->comparisons[i].order, left, right))
      return false;
  }
  return true;
}

bool search_may_hold(const struct pair_search *search, const struct condition *where,
                     const struct sighting *seen, uint32_t member) {
  for (size_t i = 0; i < where->count; i++) {
    uint64_t left, right;
    if (search_sum(&left, search, &where->comparisons[i].left, seen, member) &&
        search_sum(&right, search, &where->comparisons[i].right, seen, member) &&
        !condition_holds(where->comparisons[i].order, left, right))
      return false;
  }
  return true;
}

bool search_in_place(const struct pairing *pairing, const struct mapping_moment *moment,
                     const struct sighting *seen, uint32_t member) {
  if (!moment->placed)
    return true;
  if (seen->place == MAPPING_NONE)
    return false;
  const struct mapping_name *place = &pairing->mapping->places[seen->place].name;
  int32_t index = moment->place.of_member ? (int32_t)member : moment->place.index;
  return place->index == index && strcmp(place->text, moment->place.text) == 0;
}

size_t search_first_from(const seen_list *list, uint64_t time_ns) {
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

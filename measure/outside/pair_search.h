/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the two halves of pairing share: one looks for each request's events (pair.c), the other
 * settles which request an event belongs to that several ask for (pair_rivals.c).
 */
#ifndef MEASURE_OUTSIDE_PAIR_SEARCH_H
#define MEASURE_OUTSIDE_PAIR_SEARCH_H

#include "base/vector.h"
#include "measure/outside/pair.h"

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
  uint64_t ordered; /* requests that overlapped and were paired in their order */
  uint64_t lacking[MAPPING_MOMENTS + 2 * MAPPING_STEPS][PAIR_REASONS];
};

/* One request while its moments are looked for. */
struct pair_search {
  struct pairing *pairing;
  uint64_t *time_ns;
  const struct sighting **event;
};

/* The request of this number. */
struct pair_search search_of(struct pairing *pairing, size_t request);

/* The event of a moment; NULL. And which member's a moment is, where one of a family asks. */
const struct sighting *search_found(const struct pair_search *search, uint32_t moment,
                                    uint32_t member);
uint32_t search_member(const struct pair_search *search, uint32_t moment, uint32_t member);

/* The value of a field; false: it could not be read. */
bool search_value(uint64_t *value, const struct sighting *seen, uint32_t field);
bool search_sum(uint64_t *sum, const struct pair_search *search, const struct condition_sum *terms,
                const struct sighting *seen, uint32_t member);

/* Whether it may hold: what it compares with moments that are missing is not known. */
bool search_may_hold(const struct pair_search *search, const struct condition *where,
                     const struct sighting *seen, uint32_t member);

/* Whether a condition holds for an event, and whether it is at a moment's place. */
bool search_holds(const struct pair_search *search, const struct condition *where,
                  const struct sighting *seen, uint32_t member);
bool search_in_place(const struct pairing *pairing, const struct mapping_moment *moment,
                     const struct sighting *seen, uint32_t member);

/* The first event of a probe that is not before `time_ns`. */
size_t search_first_from(const seen_list *list, uint64_t time_ns);

/* A moment's first events are known, of each request; `reasons` has one for each. Those that an
 * event does not belong to lose it (PAIR_AGAIN). */
void rivals_settle(struct pairing *pairing, uint32_t moment, uint32_t member,
                   enum pair_reason *reasons);

#endif

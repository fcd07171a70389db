/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of pairing share: events as they come (pair.c), each request's events (pair_find.c),
 * which request an event belongs to that several ask for (pair_rivals.c), and requests that are
 * settled (pair_settle.c).
 *
 * Events and requests are held in a *window*. A request is *settled* when nothing that may still come
 * can change what was found of it; it is written to a file then, and let go with the events before
 * the first request that is not.
 */
#ifndef MEASURE_OUTSIDE_PAIR_SEARCH_H
#define MEASURE_OUTSIDE_PAIR_SEARCH_H

#include "base/vector.h"
#include "measure/outside/pair.h"
#include "measure/outside/pair_rows.h"

/* An event as far as conditions ask; of a text its hash. */
struct sighting {
  uint64_t time_ns; /* of a call when it began, or when it was done */
  uint64_t number;  /* tells it from all others */
  uint32_t pid, tid;
  uint32_t place; /* or MAPPING_NONE */
  uint16_t fields;
  bool first; /* it is the first of a request that is settled */
  bool taken; /* it is the last of one */
  uint64_t field[OUTSIDE_FIELDS];
};

typedef VECTOR(struct sighting) seen_list;

struct placed_process {
  uint32_t pid, place;
};

/* Of each probe. */
struct pair_seen {
  seen_list list[2]; /* by when calls were done, and by when they began; by time */
  bool wanted[2];    /* whether a moment asks for it */
  uint64_t events, elsewhere;
};

/* An event that is a request's by order, as it is of one that came before. */
struct pair_fixed {
  size_t head, request;       /* numbers in the window */
  uint64_t begins_ns, begins; /* the request's first event */
  uint32_t moment, member;
  uint64_t time_ns, number; /* the event */
};

/* One that is not paired: it may have ended if it was not watched for as long as the slowest. */
struct pair_short {
  size_t number;
  uint64_t time_ns;
};

struct pairing {
  const struct outside_mapping *mapping;
  const struct outside_probe *probes;
  struct pair_processes processes;
  VECTOR(struct placed_process) known;
  uint32_t probe_count;
  struct pair_seen *seen;
  size_t row; /* cells of a request: moments times members */

  uint64_t number, newest_ns; /* of events so far */
  uint64_t gone_ns;           /* events before this were let go */
  uint64_t at_first;          /* events of the first moment's probe at its place */
  uint64_t uncertain;         /* nobody's, as it is not known in time when their calls began */
  size_t fresh, every;        /* events since the last round, and at least to the next */

  /* The window. */
  uint64_t sure_ns; /* all events up to here are there */
  size_t count;     /* requests that began until then */
  size_t sure; /* of these from the first on: as many as cannot change, in the moments so far */
  uint64_t *time_ns;             /* [request][moment][member] */
  const struct sighting **event; /* the same; NULL of derived moments */
  struct pair_request *requests;
  VECTOR(struct pair_fixed) fixed; /* in earlier rounds, and then in this one */

  struct pair_rows rows; /* of settled requests */
  uint64_t slowest_ns;   /* of those that are whole */
  VECTOR(struct pair_short) shorts;
  uint64_t ordered; /* moments of requests that overlapped and were paired in their order */
  uint64_t lacking[MAPPING_MOMENTS + 2 * MAPPING_STEPS][PAIR_REASONS];
};

/* One request of the window while its moments are looked for. */
struct pair_search {
  struct pairing *pairing;
  uint64_t *time_ns;
  const struct sighting **event;
};

/* The request of this number in the window. */
struct pair_search search_of(struct pairing *pairing, size_t request);

/* The events that a moment is one of. */
const seen_list *search_list(const struct pairing *pairing, const struct mapping_moment *moment);

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

/* How many requests of the window began until then. */
size_t search_requests_until(const struct pairing *pairing, uint64_t time_ns);

/* Begins the requests of the window, and looks for their moments, of which pairing->sure is then
 * how many are sure. */
void find_all(struct pairing *pairing);

/* A moment's first events are known, of each request; `reasons` has one for each. Those that an
 * event does not belong to lose it (PAIR_AGAIN). Lowers pairing->sure. */
void rivals_settle(struct pairing *pairing, uint32_t moment, uint32_t member,
                   enum pair_reason *reasons);

/* Settles what can be; all, at the end. */
void settle_round(struct pairing *pairing, bool last);

#endif

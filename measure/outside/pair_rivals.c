/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which request an event belongs to that several ask for (measure/outside/pair.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/outside/pair_search.h"

/* One moment of one member while its rivals are settled. */
struct contest {
  struct pairing *pairing;
  const struct mapping_moment *moment;
  uint32_t number, member;
  const struct sighting **first; /* of each request the first event that fits, or NULL */
  bool *settled;                 /* by request: it has the one that is its own by order */
  uint64_t reach_ns;             /* up to here it was looked for the last answer */
};

static size_t cell_of(const struct contest *contest, uint32_t moment) {
  const struct outside_mapping *mapping = contest->pairing->mapping;
  bool family = mapping->moments[moment].name.of_member;
  return (size_t)moment * mapping->members + (family ? contest->member : 0);
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
        (!search_value(&wanted, first, tie->field_id) || !search_value(&value, at, tie->field_id) ||
         value != wanted))
      return false;
  }
  return at->place == first->place;
}

static bool is_of_thread(const struct condition_item *tie) {
  return tie->field_id == CONDITION_THREAD || tie->field_id == CONDITION_PROCESS;
}

/* Whether no comparison ties events by anything but threads. */
static bool is_by_thread(const struct condition *where) {
  for (size_t i = 0; i < where->count; i++) {
    const struct condition_item *tie = tie_of(&where->comparisons[i]);
    if (tie != NULL && !is_of_thread(tie))
      return false;
  }
  return true;
}

/* --- what both may have --- */

/* Whether the condition asks for a position that both have reached, the other's being later in the
 * same stream: less than 16 MB of one of a socket, whose positions are in the upper half. */
static bool share_position(const struct contest *contest, const struct pair_search *one,
                           const struct pair_search *other, const struct sighting *seen) {
  static const uint64_t apart = (uint64_t)1 << 56;
  const struct condition *where = &contest->moment->where;
  for (size_t i = 0; i < where->count; i++) {
    const struct condition_comparison *at = &where->comparisons[i];
    uint64_t mine, theirs;
    bool reached = at->order == CONDITION_LEAST || at->order == CONDITION_MORE;
    if (reached && at->right.count != 0 && at->right.items[0].named &&
        search_sum(&mine, one, &at->right, seen, contest->member) &&
        search_sum(&theirs, other, &at->right, seen, contest->member) && theirs - mine < apart)
      return true;
  }
  return false;
}

static const struct sighting *before(const struct contest *contest,
                                     const struct pair_search *search) {
  return search->event[cell_of(contest, contest->moment->after)];
}

static uint64_t since(const struct contest *contest, const struct pair_search *search) {
  return search->time_ns[cell_of(contest, contest->moment->after)];
}

/* --- those that ask --- */

/* Whether the event fits one that is no request of its own, or lacks what comes before: as this
 * request, with its event put in the place of the tied one. */
static bool fits_instead(const struct contest *contest, const struct pair_search *search,
                         uint32_t tied, const struct sighting *at, const struct sighting *seen) {
  size_t cell = cell_of(contest, tied);
  const struct sighting *own = search->event[cell];
  search->event[cell] = at;
  bool fits = search_holds(search, &contest->moment->where, seen, contest->member);
  search->event[cell] = own;
  return fits;
}

/* The next request, from number `from` on, whose tied event this is; the count: none. */
static size_t request_with(const struct contest *contest, uint32_t tied, const struct sighting *at,
                           size_t from) {
  const struct pairing *pairing = contest->pairing;
  size_t cell = cell_of(contest, tied);
  for (size_t q = from; q < pairing->count && pairing->time_ns[q * pairing->row] <= at->time_ns;
       q++)
    if (pairing->event[q * pairing->row + cell] == at)
      return q;
  return pairing->count;
}

/* Whether the event is not this request's alone: another one, whose tied event came later, asks for
 * it as well, and both cannot have it. */
static bool is_rival(const struct contest *contest, size_t request, uint32_t tied,
                     const struct sighting *at, const struct sighting *seen) {
  struct pairing *pairing = contest->pairing;
  struct pair_search search = search_of(pairing, request);
  size_t q = request_with(contest, tied, at, request + 1);
  if (q == pairing->count)
    return fits_instead(contest, &search, tied, at, seen);
  for (; q < pairing->count; q = request_with(contest, tied, at, q + 1)) {
    struct pair_search other = search_of(pairing, q);
    if (since(contest, &other) == PAIR_MISSING) {
      /* nothing came that it could go on with; or it is not known what */
      if (pairing->requests[q].reason == PAIR_AGAIN &&
          fits_instead(contest, &search, tied, at, seen))
        return true;
      continue;
    }
    bool batch =
        before(contest, &other) != NULL && before(contest, &other) == before(contest, &search);
    if (contest->first[q] == seen && !contest->settled[q] && !batch &&
        (is_by_thread(&contest->moment->where) || !share_position(contest, &search, &other, seen)))
      return true;
  }
  return false;
}

/* Whether a later request asks for the event, too; *tied is the moment whose event came again. */
static bool has_rival(const struct contest *contest, size_t request, const struct sighting *seen,
                      uint32_t *tied) {
  struct pair_search search = search_of(contest->pairing, request);
  const struct condition *where = &contest->moment->where;
  for (size_t i = 0; i < where->count; i++) {
    const struct condition_item *tie = tie_of(&where->comparisons[i]);
    if (tie == NULL)
      continue;
    const struct mapping_moment *moment = &contest->pairing->mapping->moments[tie->moment_id];
    const struct sighting *own = search.event[cell_of(contest, tie->moment_id)];
    if (moment->probe == contest->moment->probe || own == NULL)
      continue;
    const seen_list *list = search_list(contest->pairing, moment);
    *tied = tie->moment_id;
    for (const struct sighting *at = own + 1;
         at < list->data + list->count && at->time_ns < seen->time_ns; at++)
      if (at != seen && is_tied(where, tie->moment_id, own, at) &&
          search_holds(&search, &moment->where, at, contest->member) &&
          is_rival(contest, request, tie->moment_id, at, seen))
        return true;
  }
  return false;
}

/* --- in order --- */

enum { ORDERED_MOST = 4096 };

struct rival_turn {
  size_t request;
  const struct sighting *event;
};

typedef VECTOR(struct rival_turn) ordered_list;

/* The next request of the same tie that has what comes before this moment; the count: none. */
static size_t next_of(const struct contest *contest, size_t request, uint32_t tied) {
  const struct pairing *pairing = contest->pairing;
  size_t cell = cell_of(contest, tied);
  const struct sighting *own = pairing->event[request * pairing->row + cell];
  for (size_t q = request + 1; q < pairing->count; q++) {
    const struct sighting *at = pairing->event[q * pairing->row + cell];
    struct pair_search search = search_of(contest->pairing, q);
    if (at != NULL && since(contest, &search) != PAIR_MISSING &&
        is_tied(&contest->moment->where, tied, own, at))
      return q;
  }
  return pairing->count;
}

/* The next event behind another that fits a request; NULL. */
static const struct sighting *next_event(const struct contest *contest, size_t request,
                                         const struct sighting *behind) {
  const seen_list *list = search_list(contest->pairing, contest->moment);
  struct pair_search search = search_of(contest->pairing, request);
  for (const struct sighting *at = behind + 1; at < list->data + list->count; at++) {
    if (at->time_ns - behind->time_ns > contest->pairing->mapping->within_ns)
      return NULL;
    if (search_in_place(contest->pairing, contest->moment, at, contest->member) &&
        search_holds(&search, &contest->moment->where, at, contest->member))
      return at;
  }
  return NULL;
}

/* Gives each of the requests that overlap the event of its place in the order. False where there
 * are not as many events as requests, before another one is taken up: some answer is lost then, or
 * is in two pieces, or one with another. */
static bool put_in_order(struct contest *contest, ordered_list *list, size_t request,
                         uint32_t tied) {
  struct pairing *pairing = contest->pairing;
  list->count = 0;
  vector_push(list, (struct rival_turn){request, contest->first[request]});
  while (list->count < ORDERED_MOST) {
    struct rival_turn last = list->data[list->count - 1];
    size_t q = next_of(contest, last.request, tied);
    uint64_t taken = PAIR_MISSING;
    if (q < pairing->count) {
      struct pair_search search = search_of(pairing, q);
      taken = since(contest, &search);
    }
    const struct sighting *next = next_event(contest, last.request, last.event);
    contest->reach_ns =
        next != NULL ? next->time_ns : last.event->time_ns + pairing->mapping->within_ns;
    if (taken > last.event->time_ns)
      return list->count > 1 && (next == NULL || next->time_ns >= taken);
    if (contest->settled[q])
      return false;
    next = next_event(contest, q, last.event);
    contest->reach_ns =
        next != NULL ? next->time_ns : last.event->time_ns + pairing->mapping->within_ns;
    if (next == NULL)
      return false;
    vector_push(list, (struct rival_turn){q, next});
  }
  return false;
}

static void take_order(const struct contest *contest, const ordered_list *list) {
  struct pairing *pairing = contest->pairing;
  size_t cell = cell_of(contest, contest->number);
  for (size_t i = 0; i < list->count; i++) {
    size_t request = list->data[i].request;
    const struct sighting *event = list->data[i].event;
    struct pair_search search = search_of(pairing, request);
    search.event[cell] = event;
    search.time_ns[cell] = event->time_ns;
    contest->settled[request] = true;
    struct pair_fixed fixed = {.head = list->data[0].request,
                               .request = request,
                               .begins_ns = search.time_ns[0],
                               .begins = search.event[0]->number,
                               .moment = contest->number,
                               .member = contest->member,
                               .time_ns = event->time_ns,
                               .number = event->number};
    vector_push(&pairing->fixed, fixed);
  }
}

/* --- all --- */

static void contest_init(struct contest *contest) {
  struct pairing *pairing = contest->pairing;
  size_t cell = cell_of(contest, contest->number);
  contest->first = mem_alloc(pairing->count + 1, sizeof *contest->first);
  contest->settled = mem_alloc(pairing->count + 1, sizeof *contest->settled);
  for (size_t i = 0; i < pairing->count; i++) {
    contest->first[i] = pairing->event[i * pairing->row + cell];
    contest->settled[i] = false;
  }
  for (size_t i = 0; i < pairing->fixed.count; i++) {
    const struct pair_fixed *fixed = &pairing->fixed.data[i];
    if (fixed->moment == contest->number && fixed->member == contest->member)
      contest->settled[fixed->request] = true;
  }
}

/* Whether all that decides about an event up to there is known: events, and of the requests that
 * began by then what comes before this moment. */
static bool is_known(const struct contest *contest, uint64_t until_ns) {
  const struct pairing *pairing = contest->pairing;
  return pairing->sure_ns == UINT64_MAX ||
         (until_ns <= pairing->sure_ns &&
          search_requests_until(pairing, until_ns) <= pairing->sure);
}

/* Of one request that is not settled and has a first event. False: it is not known yet. */
static bool settle_one(struct contest *contest, ordered_list *list, size_t request,
                       enum pair_reason *reason) {
  struct pairing *pairing = contest->pairing;
  struct pair_search search = search_of(pairing, request);
  size_t cell = cell_of(contest, contest->number);
  uint32_t tied;
  if (!is_known(contest, contest->first[request]->time_ns))
    return false;
  if (!has_rival(contest, request, contest->first[request], &tied))
    return true;
  if (!is_by_thread(&contest->moment->where)) {
    bool ordered = put_in_order(contest, list, request, tied);
    if (!is_known(contest, contest->reach_ns))
      return false;
    if (ordered) {
      take_order(contest, list);
      return true;
    }
  }
  search.event[cell] = NULL;
  search.time_ns[cell] = PAIR_MISSING;
  *reason = PAIR_AGAIN;
  return true;
}

void rivals_settle(struct pairing *pairing, uint32_t moment, uint32_t member,
                   enum pair_reason *reasons) {
  struct contest contest = {.pairing = pairing,
                            .moment = &pairing->mapping->moments[moment],
                            .number = moment,
                            .member = member};
  ordered_list list = {0};
  contest_init(&contest);
  size_t i = 0;
  while (i < pairing->sure && (contest.first[i] == NULL || contest.settled[i] ||
                               settle_one(&contest, &list, i, &reasons[i])))
    i++;
  pairing->sure = i;
  vector_clear(&list);
  mem_free(contest.first);
  mem_free(contest.settled);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests of the window that nothing can change any more (measure/outside/pair_search.h).
 */
#include <string.h>

#include "base/memory.h"
#include "measure/outside/pair_search.h"

static bool backwards(const struct pair_search *search, uint32_t from, uint32_t to,
                      uint32_t member) {
  size_t members = search->pairing->mapping->members;
  uint64_t begin = search->time_ns[from * members + search_member(search, from, member)];
  uint64_t end = search->time_ns[to * members + search_member(search, to, member)];
  return begin != PAIR_MISSING && end != PAIR_MISSING && begin > end;
}

/* The member that has a moment first; MAPPING_NONE: no one. */
static uint32_t first_member(const struct pair_search *search, uint32_t moment) {
  uint32_t members = search->pairing->mapping->members, first = MAPPING_NONE;
  uint64_t time_ns = PAIR_MISSING;
  for (uint32_t m = 0; m < members; m++)
    if (search->time_ns[(size_t)moment * members + m] < time_ns) {
      time_ns = search->time_ns[(size_t)moment * members + m];
      first = m;
    }
  return first;
}

static bool lacks(const struct pair_search *search, uint32_t moment, uint32_t member) {
  size_t members = search->pairing->mapping->members;
  return search->time_ns[moment * members + search_member(search, moment, member)] == PAIR_MISSING;
}

/* Of what only the chosen one does, that it is chosen, and did it, from one moment to another. */
static bool is_done(struct pair_request *request, const struct pair_search *search, uint32_t chose,
                    uint32_t from, uint32_t to) {
  if (chose == MAPPING_NONE)
    return true;
  uint32_t member = first_member(search, chose);
  uint32_t missing = member == MAPPING_NONE        ? chose
                     : lacks(search, from, member) ? from
                     : lacks(search, to, member)   ? to
                                                   : MAPPING_NONE;
  *request = (struct pair_request){PAIR_NEVER, missing, true};
  return missing == MAPPING_NONE;
}

/* Whether a member does it: of a choice only the chosen one. */
static bool is_whose(const struct pair_search *search, uint32_t chose, uint32_t member) {
  return chose == MAPPING_NONE || first_member(search, chose) == member;
}

/* Choices of nobody, or of one that was not seen to do its part. */
static bool check_choices(struct pair_request *request, const struct pair_search *search) {
  const struct outside_mapping *mapping = search->pairing->mapping;
  for (uint32_t i = 0; i < mapping->step_count; i++) {
    const struct mapping_step *step = &mapping->steps[i];
    if (!is_done(request, search, step->chose, step->time.from, step->time.to))
      return false;
  }
  for (uint32_t i = 0; i < mapping->message_count; i++) {
    const struct mapping_message *message = &mapping->messages[i];
    if (!is_done(request, search, message->chose, message->sent, message->arrived))
      return false;
  }
  return true;
}

/* Steps and messages that would end before they begin, and choices. */
static struct pair_request check(const struct pair_search *search) {
  const struct outside_mapping *mapping = search->pairing->mapping;
  struct pair_request request;
  if (!check_choices(&request, search))
    return request;
  for (uint32_t member = 0; member < mapping->members; member++) {
    for (uint32_t i = 0; i < mapping->step_count; i++)
      if (is_whose(search, mapping->steps[i].chose, member) &&
          backwards(search, mapping->steps[i].time.from, mapping->steps[i].time.to, member))
        return (struct pair_request){PAIR_BACKWARDS, i, true};
    for (uint32_t i = 0; i < mapping->message_count; i++) {
      const struct mapping_message *message = &mapping->messages[i];
      if (is_whose(search, message->chose, member) &&
          (backwards(search, message->sent, message->arrived, member) ||
           backwards(search, message->arrived, message->taken, member)))
        return (struct pair_request){PAIR_BACKWARDS, mapping->step_count + i, true};
    }
  }
  return (struct pair_request){PAIR_WHOLE, 0, false};
}

/* Which events the last moment has in requests, of the events of its list; owned. */
static bool *find_taken(const struct pairing *pairing, uint32_t number) {
  const struct mapping_moment *moment = &pairing->mapping->moments[number];
  const seen_list *list = search_list(pairing, moment);
  size_t members = moment->name.of_member ? pairing->mapping->members : 1;
  bool *taken = mem_alloc(list->count + 1, sizeof *taken);
  for (size_t i = 0; i < list->count; i++)
    taken[i] = list->data[i].taken;
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
  const seen_list *list = search_list(pairing, moment);
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

/* One that is not paired may have ended, except when no event of the last moment fits what is known
 * of it, though others that took as long were seen to end. Of a last moment that is chosen among
 * others that is not asked. False: it cannot be told yet. */
static bool find_doubt(struct pairing *pairing, size_t request, const bool *taken) {
  struct pair_search search = search_of(pairing, request);
  struct pair_request *found = &pairing->requests[request];
  uint32_t last = pairing->mapping->time.to;
  uint64_t until = search.time_ns[0] + pairing->mapping->within_ns;
  if (found->reason == PAIR_AGAIN || found->reason == PAIR_BACKWARDS || taken == NULL) {
    found->doubtful = true;
    return true;
  }
  bool known =
      pairing->sure_ns == UINT64_MAX ||
      (until <= pairing->sure_ns && search_requests_until(pairing, until) <= pairing->sure);
  if (!known)
    return false;
  found->doubtful = may_have_come(&search, last, taken);
  return true;
}

/* --- one request --- */

/* Its events are not those of later ones. */
static void mark(struct pairing *pairing, const struct pair_search *search) {
  const struct outside_mapping *mapping = pairing->mapping;
  const struct mapping_moment *last = &mapping->moments[mapping->time.to];
  ((struct sighting *)(uintptr_t)search->event[0])->first = true;
  for (uint32_t m = 0; m < mapping->members && !last->shared; m++) {
    const struct sighting *event = search->event[(size_t)mapping->time.to * mapping->members + m];
    if (event != NULL)
      ((struct sighting *)(uintptr_t)event)->taken = true;
  }
}

static void settle(struct pairing *pairing, size_t request) {
  struct pair_search search = search_of(pairing, request);
  struct pair_request *found = &pairing->requests[request];
  uint64_t end = search.time_ns[(size_t)pairing->mapping->time.to * pairing->mapping->members];
  pairing->lacking[found->moment][found->reason]++;
  if (found->reason == PAIR_WHOLE && end != PAIR_MISSING &&
      end - search.time_ns[0] > pairing->slowest_ns)
    pairing->slowest_ns = end - search.time_ns[0];
  if (found->reason != PAIR_WHOLE && !found->doubtful)
    vector_push(&pairing->shorts, (struct pair_short){pairing->rows.count, search.time_ns[0]});
  pair_rows_add(&pairing->rows, *found, search.time_ns);
  mark(pairing, &search);
}

/* --- a round --- */

/* How many of the requests can be settled, from the first on; they are. */
static size_t settle_first(struct pairing *pairing) {
  uint32_t last = pairing->mapping->time.to;
  bool is_event = pairing->mapping->moments[last].kind == MAPPING_EVENT;
  bool *taken = is_event ? find_taken(pairing, last) : NULL;
  size_t done = 0;
  for (; done < pairing->sure; done++) {
    struct pair_search search = search_of(pairing, done);
    if (pairing->requests[done].reason == PAIR_WHOLE)
      pairing->requests[done] = check(&search);
    if (pairing->requests[done].reason != PAIR_WHOLE && !find_doubt(pairing, done, taken))
      break;
    settle(pairing, done);
  }
  mem_free(taken);
  return done;
}

/* What is by order, of requests that are not settled after one that is, stays as it is. */
static void keep_fixed(struct pairing *pairing, size_t done) {
  size_t kept = 0;
  for (size_t i = 0; i < pairing->fixed.count; i++) {
    struct pair_fixed fixed = pairing->fixed.data[i];
    bool now = fixed.head != SIZE_MAX && fixed.head < done;
    pairing->ordered += now;
    if (fixed.request < done || fixed.request >= pairing->count || (fixed.head != SIZE_MAX && !now))
      continue;
    fixed.head = SIZE_MAX;
    pairing->fixed.data[kept++] = fixed;
  }
  pairing->fixed.count = kept;
}

static size_t let_go(struct pairing *pairing) {
  size_t kept = 0;
  for (uint32_t i = 0; i < pairing->probe_count; i++)
    for (int begun = 0; begun < 2; begun++) {
      seen_list *list = &pairing->seen[i].list[begun];
      size_t first = search_first_from(list, pairing->gone_ns);
      list->count -= first;
      if (first != 0)
        memmove(list->data, list->data + first, list->count * sizeof *list->data);
      kept += list->count;
    }
  return kept;
}

/* Those that were watched for longer than any request can take are sure to have had no end. */
static void keep_shorts(struct pairing *pairing) {
  uint64_t most = pairing->mapping->within_ns * pairing->mapping->moment_count;
  size_t kept = 0;
  for (size_t i = 0; i < pairing->shorts.count; i++)
    if (pairing->newest_ns - pairing->shorts.data[i].time_ns <= most)
      pairing->shorts.data[kept++] = pairing->shorts.data[i];
  pairing->shorts.count = kept;
}

static void settle_shorts(struct pairing *pairing) {
  for (size_t i = 0; i < pairing->shorts.count; i++)
    if (pairing->newest_ns - pairing->shorts.data[i].time_ns <= pairing->slowest_ns)
      pair_rows_doubt(&pairing->rows, pairing->shorts.data[i].number);
}

/* Calls may be done later than they began: it is waited for those as for all that follows. */
static uint64_t sure_until(const struct pairing *pairing) {
  uint64_t within = pairing->mapping->within_ns;
  bool begun = false;
  for (uint32_t i = 0; i < pairing->probe_count; i++)
    begun |= pairing->seen[i].wanted[1];
  /* several events may have the newest time */
  uint64_t behind = begun ? within : 1;
  return pairing->newest_ns < behind ? 0 : pairing->newest_ns - behind;
}

void settle_round(struct pairing *pairing, bool last) {
  enum { AGAIN = 1 << 16 };
  bool by_default = pairing->every >= AGAIN;
  pairing->sure_ns = last ? UINT64_MAX : sure_until(pairing);
  find_all(pairing);
  size_t done = settle_first(pairing);
  keep_fixed(pairing, done);
  uint64_t gone = done < pairing->count ? pairing->time_ns[done * pairing->row] : pairing->sure_ns;
  if (gone > pairing->gone_ns)
    pairing->gone_ns = gone;
  keep_shorts(pairing);
  size_t kept = let_go(pairing);
  pairing->fresh = 0;
  if (by_default)
    pairing->every = kept > AGAIN ? kept : AGAIN;
  if (last)
    settle_shorts(pairing);
}

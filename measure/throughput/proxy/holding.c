/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/proxy/holding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEN_LEAST = 5 };              /* requests, for their median or mean */
enum { CLOSED_TIMES = 2 };            /* the time of a request */
static const double clear_most = 1.4; /* times the workers, found so, that are clear */
static const double noise = 0.04;     /* by so much workers may seem fewer */
static const double hop_most = 0.25;  /* of the time of a request */
static const double alike = 1.06;     /* times of requests, of which none waits for another */

void holding_init(struct holding *holding) {
  memset(holding, 0, sizeof *holding);
  hold_init(&holding->clock);
  holding->workers = HOLDING_ALL;
  holding->own_ns = HOLDING_NEVER;
}

void holding_clear(struct holding *holding) {
  vector_clear(&holding->requests);
}

/* --- what is learnt ------------------------------------------------------------------------------
 */

static uint32_t place(uint32_t inside) {
  return inside < HOLDING_INSIDE ? inside : HOLDING_INSIDE;
}

/* The number of requests in the service is another from now on. */
static void count_inside(struct holding *holding, int change, uint64_t now_ns) {
  if (holding->counting)
    holding->times_ns[place(holding->inside)] += now_ns - holding->since_ns;
  holding->since_ns = now_ns;
  holding->inside = (uint32_t)((int64_t)holding->inside + change);
}

static void learn(struct holding *holding, const struct holding_request *request, uint64_t now_ns) {
  if (holding->counting)
    holding->ended[place(holding->inside)]++;
  if (request->alone)
    holding->alone_ns[holding->alone_count++ % HOLDING_ALONE] = now_ns - request->began_ns;
}

static int compare(const void *a, const void *b) {
  const uint64_t *one = a, *other = b;
  return *one < *other ? -1 : *one > *other;
}

uint64_t holding_alone_ns(const struct holding *holding) {
  uint64_t sorted[HOLDING_ALONE];
  size_t count = holding->alone_count < HOLDING_ALONE ? holding->alone_count : HOLDING_ALONE;
  if (count < SEEN_LEAST)
    return 0;
  memcpy(sorted, holding->alone_ns, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare);
  return sorted[count / 2];
}

/* What so many workers have worked at most, while there was more than one request. */
static double worked_ns(const struct holding *holding, double workers) {
  double sum = 0;
  for (uint32_t n = 2; n <= HOLDING_INSIDE; n++)
    sum += (double)holding->times_ns[n] * fmin(n, workers);
  return sum;
}

/* How many workers have worked so much in the cycle; HOLDING_ALL: none had to wait. */
static double workers_for(const struct holding *holding, double all_ns) {
  double low = 0, high = HOLDING_INSIDE;
  if (worked_ns(holding, high) <= alike * all_ns)
    return HOLDING_ALL;
  for (int i = 0; i < 40; i++) {
    double middle = (low + high) / 2;
    *(worked_ns(holding, middle) < all_ns ? &low : &high) = middle;
  }
  return high;
}

/* Requests that left others behind. */
static double count_ended(const struct holding *holding) {
  double count = 0;
  for (uint32_t n = 2; n <= HOLDING_INSIDE; n++)
    count += (double)holding->ended[n];
  return count;
}

/* What a request that is alone takes longer than workers have one when all have. */
static double find_hop(const struct holding *holding, uint32_t workers) {
  double times_ns = 0, ended = 0, alone_ns = (double)holding_alone_ns(holding);
  for (uint32_t n = workers + 1; n <= HOLDING_INSIDE && workers < HOLDING_INSIDE; n++) {
    times_ns += (double)holding->times_ns[n];
    ended += (double)holding->ended[n];
  }
  double each_ns = ended >= SEEN_LEAST * (double)workers ? workers * times_ns / ended : alone_ns;
  return fmin(fmax(alone_ns - each_ns, 0), alone_ns * hop_most);
}

static void forget_cycle(struct holding *holding) {
  memset(holding->times_ns, 0, sizeof holding->times_ns);
  memset(holding->ended, 0, sizeof holding->ended);
}

static int compare_real(const void *a, const void *b) {
  const double *one = a, *other = b;
  return *one < *other ? -1 : *one > *other;
}

static double median(const double values[HOLDING_CYCLES]) {
  double sorted[HOLDING_CYCLES];
  memcpy(sorted, values, sizeof sorted);
  qsort(sorted, HOLDING_CYCLES, sizeof *sorted, compare_real);
  return sorted[HOLDING_CYCLES / 2];
}

/* Workers are whole, and seem more by what a request that is alone is on its way. */
static double whole_of(double found) {
  if (found >= HOLDING_ALL)
    return HOLDING_ALL;
  return floor(found * (1 + noise));
}

/* What the latest cycles have in common. */
static void conclude(struct holding *holding) {
  double found = median(holding->found), whole = whole_of(found);
  bool good = found >= HOLDING_ALL || (whole > 0 && found / whole <= clear_most);
  holding->learnt = good ? (uint32_t)whole : 0;
  holding->hop_ns = good ? (uint64_t)median(holding->hops_ns) : 0;
}

/* Nobody is in the service. */
static void end_cycle(struct holding *holding) {
  double count = count_ended(holding);
  double all_ns = count >= SEEN_LEAST ? (double)holding_alone_ns(holding) * count : 0;
  if (all_ns > 0) {
    double found = workers_for(holding, all_ns), whole = fmax(whole_of(found), 1);
    holding->found[holding->cycles % HOLDING_CYCLES] = found;
    holding->hops_ns[holding->cycles % HOLDING_CYCLES] = find_hop(holding, (uint32_t)whole);
    conclude(holding);
  }
  holding->draining = holding->counting = false;
  holding->cycles++;
  forget_cycle(holding);
}

uint32_t holding_workers(const struct holding *holding) {
  return holding->learnt;
}

/* --- the clock and its workers -------------------------------------------------------------------
 */

void holding_set(struct holding *holding, enum holding_mode mode, uint32_t workers, uint64_t own_ns,
                 bool keeps, uint64_t now_ns) {
  count_inside(holding, 0, now_ns);
  if (holding->mode == HOLDING_ONE && mode == HOLDING_LEARN) {
    forget_cycle(holding);
    holding->counting = true;
  }
  holding->mode = mode;
  holding->draining = mode == HOLDING_ONE;
  holding->workers = workers != 0 ? workers : HOLDING_ALL;
  holding->own_ns = own_ns != 0 ? own_ns : HOLDING_NEVER;
  if (keeps)
    return;
  forget_cycle(holding);
  holding->alone_count = holding->cycles = 0;
  holding->hop_ns = holding->learnt = 0;
  memset(holding->found, 0, sizeof holding->found);
  memset(holding->hops_ns, 0, sizeof holding->hops_ns);
}

bool holding_pause(struct holding *holding, uint64_t now_ns, uint64_t ns) {
  return hold_pause(&holding->clock, now_ns, ns) == 1;
}

static struct holding_request *find(struct holding *holding, const void *who, uint64_t began_ns) {
  for (size_t i = 0; i < holding->requests.count; i++) {
    struct holding_request *request = &holding->requests.data[i];
    if (request->who == who && !request->answered &&
        (began_ns == HOLDING_NEVER || request->began_ns == began_ns))
      return request;
  }
  return NULL;
}

/* Workers of the service take up what waits in it, in order. */
static void take_up(struct holding *holding, uint64_t now_ns) {
  uint32_t busy = 0;
  for (size_t i = 0; i < holding->requests.count && busy < holding->workers; i++) {
    struct holding_request *request = &holding->requests.data[i];
    if (request->answered)
      continue;
    busy++;
    if (request->started_ns != 0)
      continue;
    request->started_ns =
        now_ns > request->began_ns + holding->hop_ns ? now_ns : request->began_ns + holding->hop_ns;
    request->paused_ns = hold_paused(&holding->clock, now_ns);
  }
}

static void take_name(struct holding_request *request, const struct holding_request *of) {
  request->who = of->who;
  request->began_ns = of->began_ns;
  request->arrived = of->arrived;
  request->alone = of->alone;
}

/* A request is answered that no worker was thought to have: the service has taken it before one that
 * came earlier, as those that come at the same moment are taken in any order. It changes places with
 * the first, or the time for which one worker had both would count twice. */
static struct holding_request *overtake(struct holding *holding, struct holding_request *request) {
  struct holding_request *first = holding->requests.data;
  while (first->answered)
    first++;
  struct holding_request name = *first;
  take_name(first, request);
  take_name(request, &name);
  return first;
}

static void find_end(const struct holding *holding, struct holding_request *request) {
  if (request->has_worker && request->answered)
    request->end = hold_end(request->arrived + holding->hop_ns, request->freed, request->work_ns);
}

/* On the clock, workers take requests, in order; one of them was free at `freed`. */
static void give_workers(struct holding *holding, uint64_t freed) {
  for (size_t i = 0; i < holding->requests.count && i < holding->workers; i++) {
    struct holding_request *request = &holding->requests.data[i];
    if (request->has_worker)
      continue;
    request->has_worker = true;
    request->freed = freed;
    find_end(holding, request);
  }
}

static void drop(struct holding *holding, const struct holding_request *request, uint64_t freed) {
  struct holding_request *data = holding->requests.data;
  size_t index = (size_t)(request - data);
  memmove(&data[index], &data[index + 1], (holding->requests.count - index - 1) * sizeof *data);
  holding->requests.count--;
  give_workers(holding, freed);
}

bool holding_is_full(const struct holding *holding, uint64_t now_ns) {
  return (holding->mode == HOLDING_ONE && (holding->inside != 0 || now_ns < holding->closed_ns)) ||
         (holding->mode == HOLDING_ON && holding->own_ns != HOLDING_NEVER &&
          holding->requests.count >= holding->workers);
}

bool holding_has(const struct holding *holding, const void *who) {
  for (size_t i = 0; i < holding->requests.count; i++)
    if (holding->requests.data[i].who == who && !holding->requests.data[i].answered)
      return true;
  return false;
}

void holding_begin(struct holding *holding, void *who, uint64_t now_ns) {
  if (holding->mode == HOLDING_OFF)
    return;
  uint64_t arrived = hold_time(&holding->clock, now_ns);
  count_inside(holding, 1, now_ns);
  vector_push(&holding->requests, (struct holding_request){.who = who,
                                                           .began_ns = now_ns,
                                                           .arrived = arrived,
                                                           .alone = holding->inside == 1});
  take_up(holding, now_ns);
  give_workers(holding, arrived);
}

/* What it takes on the clock. While it waits for others, these stand themselves. */
static uint64_t work_of(const struct holding *holding, const struct holding_request *request,
                        uint64_t now_ns) {
  uint64_t took_ns = now_ns > request->started_ns ? now_ns - request->started_ns : 0;
  uint64_t paused_ns = hold_paused(&holding->clock, now_ns) - request->paused_ns;
  return took_ns - paused_ns + hold_share(paused_ns, holding->own_ns, took_ns);
}

bool holding_answer(struct holding *holding, const void *who, uint64_t began_ns, uint64_t now_ns) {
  struct holding_request *request = find(holding, who, began_ns);
  if (request == NULL)
    return false;
  count_inside(holding, 0, now_ns);
  learn(holding, request, now_ns);
  holding->inside--;
  holding->counting =
      holding->counting && (holding->inside > 1 || count_ended(holding) < SEEN_LEAST);
  if (request->alone)
    holding->closed_ns = now_ns + CLOSED_TIMES * (now_ns - request->began_ns);
  bool held = holding->mode == HOLDING_ON;
  if (held) {
    if (request->started_ns == 0)
      request = overtake(holding, request);
    request->work_ns = work_of(holding, request, now_ns);
    request->answered = true;
    find_end(holding, request);
  } else {
    drop(holding, request, hold_time(&holding->clock, now_ns));
  }
  take_up(holding, now_ns);
  if (holding->draining && holding->inside == 0)
    end_cycle(holding);
  return held;
}

void holding_forget(struct holding *holding, const void *who, uint64_t began_ns, uint64_t now_ns) {
  for (size_t i = 0; i < holding->requests.count;) {
    struct holding_request *request = &holding->requests.data[i];
    if (request->who != who || (began_ns != HOLDING_NEVER && request->began_ns != began_ns)) {
      i++;
      continue;
    }
    if (!request->answered)
      count_inside(holding, -1, now_ns);
    drop(holding, request, hold_time(&holding->clock, now_ns));
    take_up(holding, now_ns);
    if (began_ns != HOLDING_NEVER)
      return;
  }
}

bool holding_next(struct holding *holding, uint64_t now_ns, struct holding_request *due,
                  uint64_t *next_ns) {
  const struct holding_request *first = NULL;
  for (size_t i = 0; i < holding->requests.count; i++) {
    const struct holding_request *request = &holding->requests.data[i];
    if (request->has_worker && request->answered && (first == NULL || request->end < first->end))
      first = request;
  }
  *next_ns = HOLDING_NEVER;
  if (first == NULL)
    return false;
  if (first->end > hold_time(&holding->clock, now_ns)) {
    *next_ns = hold_moment(&holding->clock, first->end);
    return false;
  }
  *due = *first;
  drop(holding, first, due->end);
  return true;
}

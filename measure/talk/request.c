/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/talk/request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/talk/exchange.h"

/* --- one request --- */

/* The first exchange of a process as an asking one from a time on; they are sorted so. */
static size_t first_asking(const struct talk *talk, uint32_t process, uint64_t time_ns) {
  size_t low = 0, high = talk->exchanges.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct talk_exchange *at = &talk->exchanges.data[middle];
    bool before = at->process != process ? at->process < process
                  : !at->asks            ? true
                                         : at->begin_ns < time_ns;
    if (before)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Stages are numbered in the order of their beginnings; within one the order is that of services.
 */
static int by_stage(const void *a, const void *b) {
  const struct request_call *one = a, *other = b;
  if (one->stage != other->stage)
    return one->stage < other->stage ? -1 : 1;
  if (one->service != other->service)
    return one->service < other->service ? -1 : 1;
  return one->begin_ns < other->begin_ns ? -1 : one->begin_ns > other->begin_ns;
}

static void set_stages(struct request_shape *request) {
  unsigned stage = 0;
  uint64_t until = 0;
  for (size_t i = 0; i < request->count; i++) {
    struct request_call *call = &request->calls[i];
    stage += i != 0 && call->begin_ns >= until;
    until = call->told_ns > until ? call->told_ns : until;
    call->stage = stage;
  }
  if (request->count != 0)
    qsort(request->calls, request->count, sizeof *request->calls, by_stage);
}

static void set_threads(struct request_shape *request, uint32_t thread) {
  for (size_t i = 0; i < request->count; i++) {
    struct request_call *call = &request->calls[i];
    uint32_t before = thread;
    for (size_t k = 0; k < i; k++)
      if (request->calls[k].stage + 1 == call->stage) {
        before = request->calls[k].told_thread;
        break;
      }
    call->by_thread = call->begin_thread == before;
  }
}

/* What is asked and told between a request's arrival and the beginning of its answer. False: more
 * than a shape has. */
static bool read_request(struct request_shape *request, const struct talk *talk,
                         const struct talk_parts *parts, const struct talk_exchange *of) {
  request->count = 0;
  for (size_t i = first_asking(talk, of->process, of->begin_ns); i < talk->exchanges.count; i++) {
    const struct talk_exchange *at = &talk->exchanges.data[i];
    if (at->process != of->process || at->begin_ns > of->tell_ns)
      break;
    long part = talk_part_asked(parts, talk, at);
    bool awaited = at->told != 0 && at->tell_ns <= of->tell_ns;
    if (!awaited || part == TALK_NONE || (!of->alone && at->begin_thread != of->asked_thread))
      continue;
    if (request->count == SHAPE_CALLS)
      return false;
    request->calls[request->count++] =
        (struct request_call){.service = parts->list.data[part].service,
                              .part = part,
                              .port = at->port,
                              .begin_ns = at->begin_ns,
                              .told_ns = at->told_ns < of->tell_ns ? at->told_ns : of->tell_ns,
                              .passed_on = at->told_ns > of->tell_ns,
                              .begin_thread = at->begin_thread,
                              .told_thread = at->told_thread};
  }
  set_stages(request);
  set_threads(request, of->asked_thread);
  return true;
}

/* --- what most have in common --- */

struct kind {
  struct request_shape shape;
  uint64_t requests, by_thread[SHAPE_CALLS], passed_on[SHAPE_CALLS];
};

typedef VECTOR(struct kind) kind_list;

static bool is_alike(const struct request_shape *one, const struct request_shape *other) {
  bool alike = one->count == other->count;
  for (size_t i = 0; alike && i < one->count; i++)
    alike = one->calls[i].service == other->calls[i].service &&
            one->calls[i].stage == other->calls[i].stage;
  return alike;
}

static void count_kind(kind_list *kinds, const struct request_shape *request) {
  struct kind *kind = NULL;
  for (size_t i = 0; i < kinds->count && kind == NULL; i++)
    if (is_alike(&kinds->data[i].shape, request))
      kind = &kinds->data[i];
  if (kind == NULL) {
    vector_push(kinds, (struct kind){.shape = *request});
    kind = &kinds->data[kinds->count - 1];
  }
  kind->requests++;
  for (size_t i = 0; i < request->count; i++) {
    kind->by_thread[i] += request->calls[i].by_thread;
    kind->passed_on[i] += request->calls[i].passed_on;
  }
}

static bool is_request_of(const struct shape_call *call, const struct talk_parts *parts,
                          const struct talk_exchange *exchange) {
  return !exchange->asks && exchange->told != 0 && exchange->part != TALK_NONE &&
         parts->list.data[exchange->part].service == call->service &&
         (call->port == 0 || exchange->port == call->port);
}

enum { KINDS_MOST = 256, ENOUGH = 20 };

/* `alone`: of requests that are alone in their process, else in their thread. */
static uint64_t gather(kind_list *kinds, const struct shape_call *call, const struct talk *talk,
                       const struct talk_parts *parts, bool alone) {
  uint64_t count = 0;
  kinds->count = 0;
  for (size_t i = 0; i < talk->exchanges.count; i++) {
    const struct talk_exchange *exchange = &talk->exchanges.data[i];
    struct request_shape request;
    if (!is_request_of(call, parts, exchange) || !(alone ? exchange->alone : exchange->alone_here))
      continue;
    count++;
    if (kinds->count < KINDS_MOST && read_request(&request, talk, parts, exchange))
      count_kind(kinds, &request);
  }
  return count;
}

static const struct kind *most_frequent(const kind_list *kinds) {
  const struct kind *most = NULL;
  for (size_t i = 0; i < kinds->count; i++)
    if (most == NULL || kinds->data[i].requests > most->requests)
      most = &kinds->data[i];
  return most;
}

static bool has_parallel(const struct request_shape *request) {
  for (size_t i = 1; i < request->count; i++)
    if (request->calls[i].stage == request->calls[i - 1].stage)
      return true;
  return false;
}

static void note_order(struct talk_shape *shape, const struct request_shape *usual,
                       const char *name, uint64_t requests) {
  if (usual->count < 2)
    return;
  if (has_parallel(usual))
    shape_note(shape, true,
               "calls of %s that overlapped in its requests are drafted side by side, and waited "
               "for before it goes on",
               name);
  if (usual->calls[usual->count - 1].stage != 0)
    shape_note(shape, true,
               "%s makes calls one after the other: none began before the one before was answered, "
               "in %" PRIu64 " requests; that it waits for the answer is a guess",
               name, requests);
}

/* Whether the thread took another request between taking this one and asking for it. */
static bool is_in_batch(const struct talk *talk, size_t number) {
  enum { NEAR = 64 };
  const struct talk_exchange *own = &talk->exchanges.data[number];
  size_t first = first_asking(talk, own->process, own->asked_ns), most = first + NEAR;
  uint64_t begin_ns = 0;
  for (size_t i = first; i < talk->exchanges.count && i < most && begin_ns == 0; i++)
    if (talk->exchanges.data[i].process == own->process &&
        talk->exchanges.data[i].begin_thread == own->asked_thread)
      begin_ns = talk->exchanges.data[i].begin_ns;
  for (size_t i = number + 1; i < talk->exchanges.count && i < number + NEAR; i++) {
    const struct talk_exchange *other = &talk->exchanges.data[i];
    if (other->process != own->process || other->asks || other->begin_ns >= begin_ns)
      break;
    if (other->begin_thread == own->asked_thread)
      return true;
  }
  return false;
}

static void note_batches(struct talk_shape *shape, const struct shape_call *call, const char *name,
                         const struct talk *talk, const struct talk_parts *parts) {
  uint64_t batches = 0, all = 0;
  for (size_t i = 0; i < talk->exchanges.count; i++)
    if (is_request_of(call, parts, &talk->exchanges.data[i])) {
      all++;
      batches += is_in_batch(talk, i);
    }
  if (batches != 0)
    shape_note(
        shape, true,
        "in %.1f %% of its requests %s took another one in the same thread before it asked for "
        "the first: which call belongs to which is then by order alone. Put less load on it, "
        "or compare what is in the messages",
        100 * (double)batches / (double)all, name);
}

bool request_usual(struct request_shape *usual, struct talk_shape *shape,
                   const struct shape_call *call, const char *name, const struct talk *talk,
                   const struct talk_parts *parts) {
  kind_list kinds = {0};
  uint64_t count = gather(&kinds, call, talk, parts, true);
  if (count < ENOUGH)
    count = gather(&kinds, call, talk, parts, false);
  const struct kind *most = most_frequent(&kinds);
  double share = most == NULL ? 0 : (double)most->requests / (double)count;
  bool found = count >= ENOUGH && share >= 0.95;
  if (found) {
    *usual = most->shape;
    for (size_t i = 0; i < usual->count; i++) {
      usual->calls[i].by_thread = (double)most->by_thread[i] >= 0.995 * (double)most->requests;
      usual->calls[i].passed_on = (double)most->passed_on[i] >= 0.01 * (double)most->requests;
    }
    note_order(shape, usual, name, most->requests);
    if (usual->count != 0)
      note_batches(shape, call, name, talk, parts);
    if (share < 1)
      shape_note(shape, true, "%.1f %% of the requests to %s make other calls than those drafted",
                 100 * (1 - share), name);
  } else if (count < ENOUGH) {
    shape_note(
        shape, false,
        "what %s asks while it answers: fewer than %d of its requests were alone in their "
        "thread; its calls are part of its own work. Draft again with fewer requests at once",
        name, ENOUGH);
  } else {
    shape_note(shape, false,
               "what %s asks while it answers: it differs from request to request (the most "
               "frequent of %zu kinds is %.0f %%); its calls are part of its own work",
               name, kinds.count, 100 * share);
  }
  vector_clear(&kinds);
  return found;
}

/* --- families that are none --- */

bool request_split(const struct talk_shape *shape, const struct talk *talk,
                   struct talk_parts *parts) {
  for (size_t c = 0; c < shape->count; c++) {
    uint64_t requests[2 * TALK_PARTS] = {0}, several[2 * TALK_PARTS] = {0};
    for (size_t i = 0; i < talk->exchanges.count; i++) {
      struct request_shape request;
      const struct talk_exchange *exchange = &talk->exchanges.data[i];
      if (!is_request_of(&shape->calls[c], parts, exchange) || !exchange->alone ||
          !read_request(&request, talk, parts, exchange))
        continue;
      for (size_t a = 0; a < request.count; a++) {
        requests[request.calls[a].service]++;
        for (size_t b = 0; b < a; b++)
          if (request.calls[a].service == request.calls[b].service &&
              request.calls[a].part != request.calls[b].part) {
            several[request.calls[a].service]++;
            break;
          }
      }
    }
    for (size_t s = 0; s < parts->services && s < (size_t)2 * TALK_PARTS; s++)
      if (several[s] * 20 > requests[s]) {
        talk_parts_split(parts, (long)s);
        return true;
      }
  }
  return false;
}

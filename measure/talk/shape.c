/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/talk/shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "measure/talk/request.h"
#include "measure/talk/exchange.h"

void shape_note(struct talk_shape *shape, bool guess, const char *format, ...) {
  struct text text = {0};
  va_list arguments;
  va_start(arguments, format);
  text_format_list(&text, format, arguments);
  va_end(arguments);
  bool known = shape->notes.count == SHAPE_NOTES;
  for (size_t i = 0; i < shape->notes.count && !known; i++)
    known = strcmp(shape->notes.data[i].text, text_get(&text)) == 0;
  if (known)
    text_clear(&text);
  else
    vector_push(&shape->notes, (struct shape_note){guess, text_take(&text)});
}

/* --- the first call --- */

struct door {
  long service;
  uint16_t port;
  uint64_t requests;
  bool wanted, inner; /* the user named it or who asks it; a server that was named asks it */
};

typedef VECTOR(struct door) door_list;

static struct door *door_of(door_list *doors, long service, uint16_t port) {
  for (size_t i = 0; i < doors->count; i++)
    if (doors->data[i].service == service && doors->data[i].port == port)
      return &doors->data[i];
  vector_push(doors, (struct door){.service = service, .port = port});
  return &doors->data[doors->count - 1];
}

static void count_door(door_list *doors, const struct talk *talk, const struct talk_parts *parts,
                       const struct talk_exchange *exchange) {
  bool remote = exchange->asks && exchange->twin == TALK_NONE;
  if ((exchange->asks && !remote) || exchange->told == 0)
    return;
  long part = remote ? talk_part_asked(parts, talk, exchange) : exchange->part;
  if (part == TALK_NONE)
    return;
  long asker = remote                        ? exchange->part
               : exchange->twin == TALK_NONE ? TALK_NONE
                                             : talk->exchanges.data[exchange->twin].part;
  const struct talk_part *own = &parts->list.data[part];
  const struct talk_part *from = asker == TALK_NONE ? NULL : &parts->list.data[asker];
  struct door *door = door_of(doors, own->service, exchange->port);
  door->requests++;
  door->wanted = door->wanted || own->asked || (from != NULL && from->asked && !from->serves);
  door->inner = door->inner || (from != NULL && from->asked && from->serves && from != own);
}

static bool find_first(struct door *first, const struct talk *talk,
                       const struct talk_parts *parts) {
  door_list doors = {0};
  for (size_t i = 0; i < talk->exchanges.count; i++)
    count_door(&doors, talk, parts, &talk->exchanges.data[i]);
  *first = (struct door){.service = TALK_NONE};
  for (int inner = 0; inner < 2 && first->requests == 0; inner++)
    for (size_t i = 0; i < doors.count; i++)
      if (doors.data[i].wanted && (inner != 0 || !doors.data[i].inner) &&
          doors.data[i].requests > first->requests)
        *first = doors.data[i];
  vector_clear(&doors);
  return first->requests != 0;
}

/* --- what a call is like --- */

static void add_member(struct shape_call *call, long part, uint16_t port) {
  for (unsigned i = 0; i < call->members; i++)
    if (call->part[i] == part)
      return;
  if (call->members == SHAPE_MEMBERS)
    return;
  call->port = call->members == 0 || call->port == port ? port : 0;
  call->low = call->members == 0 || port < call->low ? port : call->low;
  call->high = port > call->high ? port : call->high;
  call->part[call->members++] = part;
}

static void find_members(struct shape_call *call, const struct talk_parts *parts, uint16_t port) {
  for (size_t i = 0; i < parts->list.count; i++)
    if (parts->list.data[i].service == call->service)
      add_member(call, (long)i, parts->list.data[i].port == 0 ? port : parts->list.data[i].port);
  if (call->members == 1) /* one that may listen at several ports */
    call->port = call->low = call->high = port;
  call->chosen = call->members > 1;
}

enum { PIECES = 8 };

/* The number that at least `share` of all have, or 0. */
static unsigned usual(const uint64_t *counts, double share) {
  uint64_t all = 0;
  unsigned most = 0;
  for (unsigned i = 0; i < PIECES; i++) {
    all += counts[i];
    most = counts[i] > counts[most] ? i : most;
  }
  return all != 0 && (double)counts[most] >= share * (double)all ? most : 0;
}

static void count_piece(uint64_t *counts, uint32_t pieces) {
  counts[pieces < PIECES ? pieces : PIECES - 1]++;
}

static bool is_of(const struct shape_call *call, const struct talk_parts *parts,
                  const struct talk_exchange *exchange) {
  return !exchange->asks && exchange->part != TALK_NONE &&
         parts->list.data[exchange->part].service == call->service &&
         (call->port == 0 || exchange->port == call->port);
}

static void find_pieces(struct talk_shape *shape, struct shape_call *call, const struct talk *talk,
                        const struct talk_parts *parts) {
  uint64_t told[PIECES] = {0};
  for (size_t i = 0; i < talk->exchanges.count; i++) {
    const struct talk_exchange *exchange = &talk->exchanges.data[i];
    if (!is_of(call, parts, exchange) || exchange->told == 0)
      continue;
    call->told_here = true;
    count_piece(told, exchange->told);
  }
  for (unsigned i = 0; i < call->members; i++)
    call->told_here = call->told_here && parts->list.data[call->part[i]].pattern != NULL;
  if (!call->told_here && call->chosen) { /* which one it was is not seen */
    call->chosen = false;
    call->members = 1;
  }
  enum { MOST = 3 };
  unsigned pieces = usual(told, 0.99);
  call->tells = pieces == 0 || pieces > MOST || call->chosen ? 1 : pieces;
  if (call->told_here && call->tells != pieces)
    shape_note(
        shape, true,
        "answers of port %u come in several pieces: a question counts as answered by the first "
        "of them",
        call->low);
}

/* --- the tree --- */

static bool add_call(struct talk_shape *shape, const struct shape_call *call) {
  if (shape->count == SHAPE_CALLS)
    return false;
  shape->calls[shape->count++] = *call;
  return true;
}

static bool is_within_choice(const struct talk_shape *shape, size_t call) {
  for (long at = (long)call; at != TALK_NONE; at = shape->calls[at].caller)
    if (shape->calls[at].chosen)
      return true;
  return false;
}

static unsigned depth_of(const struct talk_shape *shape, size_t call) {
  unsigned depth = 0;
  for (long at = (long)call; at != TALK_NONE; at = shape->calls[at].caller)
    depth++;
  return depth;
}

static const char *name_of(const struct talk_parts *parts, const struct shape_call *call) {
  const char *name = parts->list.data[call->part[0]].program;
  return *name == '\0' ? "one of another host" : name;
}

/* Whether the calls of `at` have a choice already. */
static bool chooses(const struct talk_shape *shape, size_t at) {
  for (size_t i = 0; i < shape->count; i++)
    if (shape->calls[i].caller == (long)at && shape->calls[i].chosen)
      return true;
  return false;
}

/* Whether it asks side by side where the draft has no role for that: a service that is asked several
 * times, or a member of a family. */
static bool gathers_twice(const struct talk_shape *shape, size_t at,
                          const struct request_shape *made) {
  bool again = is_within_choice(shape, at), parallel = false;
  for (size_t i = 0; i < shape->count; i++)
    again = again || (i != at && shape->calls[i].service == shape->calls[at].service);
  for (size_t i = 1; i < made->count; i++)
    parallel = parallel || made->calls[i].stage == made->calls[i - 1].stage;
  return again && parallel;
}

/* The calls that requests of `at` make, as its usual request has them. False: not followed. */
static bool add_calls(struct talk_shape *shape, size_t at, const struct talk *talk,
                      const struct talk_parts *parts, const struct request_shape *usual_one) {
  size_t before = shape->count;
  if (gathers_twice(shape, at, usual_one)) {
    shape_note(
        shape, false,
        "calls side by side of %s, which is asked several times or is chosen, are part of its "
        "own work",
        name_of(parts, &shape->calls[at]));
    return false;
  }
  for (size_t i = 0; i < usual_one->count; i++) {
    const struct request_call *made = &usual_one->calls[i];
    struct shape_call call = {.caller = (long)at,
                              .service = made->service,
                              .stage = made->stage,
                              .asked_here = true,
                              .by_thread = made->by_thread};
    find_members(&call, parts, made->port);
    if (call.chosen && (is_within_choice(shape, at) || chooses(shape, at))) {
      shape->count = before;
      shape_note(shape, false,
                 "two choices in one request are not drafted: what %s asks is part of its own work",
                 name_of(parts, &shape->calls[at]));
      return false;
    }
    find_pieces(shape, &call, talk, parts);
    if (made->passed_on)
      call.tells = 1;
    if (!add_call(shape, &call)) {
      shape->count = before;
      shape_note(shape, false, "requests make more than %d calls: those of %s are part of its work",
                 SHAPE_CALLS, name_of(parts, &shape->calls[at]));
      return false;
    }
  }
  return true;
}

static void follow(struct talk_shape *shape, const struct talk *talk,
                   const struct talk_parts *parts) {
  for (size_t at = 0; at < shape->count; at++) {
    struct shape_call *call = &shape->calls[at];
    struct request_shape usual_one;
    if (!call->told_here || depth_of(shape, at) > SHAPE_DEPTH)
      continue;
    const char *name = name_of(parts, call);
    if (!request_usual(&usual_one, shape, call, name, talk, parts))
      continue;
    size_t first = shape->count;
    call->followed = add_calls(shape, at, talk, parts, &usual_one) && shape->count > first;
  }
}

/* --- the questions of the first call --- */

static bool sizes_differ(struct shape_call *call, uint64_t least, uint64_t most) {
  return call->first_most < least || call->first_least > most;
}

static const char overlapping[] =
    "the questions on one connection come in pieces of no fixed number, or before the one before "
    "is answered (HTTP/2, a stream, many requests at once): which answer belongs to which is not "
    "to be seen from sockets. Draft again with fewer requests at once (one a connection), or write "
    "moments that compare what is in the messages (docs/outside.md)";

/* Which event begins a request; else why that is not known. */
static const char *find_begin(struct talk_shape *shape, const struct talk *talk,
                              const struct talk_parts *parts) {
  struct shape_call *call = &shape->calls[0];
  uint64_t counts[PIECES] = {0}, least = UINT64_MAX, most = 0, overlaps = 0, all = 0;
  call->first_least = UINT64_MAX;
  for (size_t i = 0; i < talk->exchanges.count; i++) {
    const struct talk_exchange *exchange = &talk->exchanges.data[i];
    bool remote = call->told_here ? !is_of(call, parts, exchange)
                                  : !exchange->asks || exchange->port != call->port;
    if (remote || exchange->told == 0)
      continue;
    if (call->asked_here && call->told_here) {
      if (exchange->twin == TALK_NONE)
        continue;
      exchange = &talk->exchanges.data[exchange->twin];
    }
    count_piece(counts, exchange->asked);
    all++;
    overlaps += exchange->asked > 1;
    call->first_least = exchange->first < call->first_least ? exchange->first : call->first_least;
    call->first_most = exchange->first > call->first_most ? exchange->first : call->first_most;
    least = exchange->least < least ? exchange->least : least;
    most = exchange->most > most ? exchange->most : most;
  }
  call->asks = usual(counts, 0.9);
  if (call->asks == 1 && overlaps != 0)
    shape_note(shape, true,
               "%.1f %% of the questions came before the one before was answered, or in two "
               "pieces; those are not paired where their order does not tell",
               100 * (double)overlaps / (double)all);
  if (call->asks == 0 || (call->asks > 1 && !sizes_differ(call, least, most)))
    return overlapping;
  return NULL;
}

/* The end that asks of a request of the first call: *asking, or NULL where it was not seen. False:
 * it is none. */
static bool find_asking(const struct talk_exchange **asking, const struct shape_call *first,
                        const struct talk *talk, const struct talk_parts *parts,
                        const struct talk_exchange *exchange) {
  *asking = exchange;
  if (!first->told_here)
    return exchange->asks && exchange->port == first->port;
  *asking = exchange->twin == TALK_NONE ? NULL : &talk->exchanges.data[exchange->twin];
  return is_of(first, parts, exchange);
}

/* Since when there is a client: it is not met before its first request was seen at the server. */
static uint64_t first_asked(const struct shape_call *first, const struct talk *talk,
                            const struct talk_parts *parts) {
  uint64_t begin_ns = UINT64_MAX;
  const struct talk_exchange *asking;
  for (size_t i = 0; i < talk->exchanges.count; i++)
    if (find_asking(&asking, first, talk, parts, &talk->exchanges.data[i]) && asking != NULL &&
        asking->begin_ns < begin_ns)
      begin_ns = asking->begin_ns;
  return begin_ns;
}

static void find_client(struct talk_shape *shape, const struct talk *talk,
                        const struct talk_parts *parts) {
  struct shape_call *first = &shape->calls[0];
  uint64_t best = 0, met = 0, all = 0, counts[TALK_PARTS] = {0};
  uint64_t from_ns = first_asked(first, talk, parts);
  const struct talk_exchange *asking;
  for (size_t i = 0; i < talk->exchanges.count; i++) {
    if (!find_asking(&asking, first, talk, parts, &talk->exchanges.data[i]))
      continue;
    shape->requests++;
    if (talk->exchanges.data[i].begin_ns < from_ns)
      continue;
    all++;
    met += asking != NULL && asking->part != TALK_NONE;
    if (asking != NULL && asking->part != TALK_NONE && ++counts[asking->part] > best) {
      best = counts[asking->part];
      shape->client = asking->part;
    }
  }
  const char *pattern = shape->client == TALK_NONE ? NULL : parts->list.data[shape->client].pattern;
  first->asked_here = pattern != NULL && best * 10 >= 9 * all;
  if (first->asked_here && best != met)
    shape_note(shape, true, "%" PRIu64 " of %" PRIu64 " requests came from others than %s",
               met - best, met, parts->list.data[shape->client].program);
  if (first->asked_here)
    return;
  shape->client = TALK_NONE;
  shape_note(
      shape, true,
      "those who ask port %u are on other hosts, or were gone at once: a request begins when "
      "it is received, and what the network to the client takes is not in it",
      first->low);
}

/* --- all --- */

static bool learn(struct talk_shape *shape, struct talk *talk, struct talk_parts *parts) {
  struct door door;
  if (!find_first(&door, talk, parts)) {
    shape->count = 0;
    shape->stopped = "no process that was named was asked anything over TCP, nor asked, while this "
                     "was recorded; put load on it, or record for longer with --seconds";
    return false;
  }
  struct shape_call first = {.caller = TALK_NONE, .service = door.service, .by_thread = true};
  find_members(&first, parts, door.port);
  if (first.members > 1) { /* the client's choice is none that a protocol makes */
    talk_parts_split(parts, first.service);
    return true;
  }
  shape->count = 0;
  find_pieces(shape, &first, talk, parts);
  add_call(shape, &first);
  find_client(shape, talk, parts);
  shape->stopped = find_begin(shape, talk, parts);
  if (shape->stopped == NULL)
    follow(shape, talk, parts);
  return request_split(shape, talk, parts);
}

void shape_learn(struct talk_shape *shape, struct talk *talk, struct talk_parts *parts) {
  *shape = (struct talk_shape){.client = TALK_NONE};
  while (learn(shape, talk, parts))
    shape_clear(shape);
}

void shape_clear(struct talk_shape *shape) {
  for (size_t i = 0; i < shape->notes.count; i++)
    mem_free(shape->notes.data[i].text);
  vector_clear(&shape->notes);
  *shape = (struct talk_shape){.client = TALK_NONE};
}

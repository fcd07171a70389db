/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/waits.h"

#include <string.h>

void waits_init(struct waits *waits, uint64_t start, uint64_t least) {
  *waits = (struct waits){.start = start, .counts = {.least = least}};
}

void waits_clear(struct waits *waits) {
  vector_clear(&waits->list);
  vector_clear(&waits->losses);
}

static size_t place_of(const struct waits *waits, uint32_t thread) {
  size_t low = 0, high = waits->list.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (waits->list.data[middle].thread < thread)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct blocked_thread *waits_find(const struct waits *waits, uint32_t thread) {
  size_t at = place_of(waits, thread);
  return at < waits->list.count && waits->list.data[at].thread == thread ? &waits->list.data[at]
                                                                         : NULL;
}

/* The thread's entry; a new one where there is none: *made. */
static struct blocked_thread *need(struct waits *waits, uint32_t process, uint32_t thread,
                                   bool *made) {
  size_t at = place_of(waits, thread);
  struct blocked_thread fresh = {.process = process, .thread = thread};
  *made = at == waits->list.count || waits->list.data[at].thread != thread;
  if (*made) {
    vector_push(&waits->list, fresh);
    struct blocked_thread *place = &waits->list.data[at];
    memmove(place + 1, place, (waits->list.count - at - 1) * sizeof fresh);
    *place = fresh;
  }
  return &waits->list.data[at];
}

void waits_stack(struct waits *waits, uint32_t process, uint32_t thread, uint32_t node,
                 uint64_t place) {
  bool made;
  struct blocked_thread *waiting = need(waits, process, thread, &made);
  waiting->state = WAITING_LEAVES;
  waiting->has_stack = true;
  waiting->node = node;
  waiting->place = place;
}

void waits_leave(struct waits *waits, uint32_t process, uint32_t thread, uint64_t time,
                 bool preempted) {
  bool made;
  struct blocked_thread *waiting = need(waits, process, thread, &made);
  waiting->has_stack = waiting->state == WAITING_LEAVES && waiting->has_stack;
  waiting->state = WAITING_AWAY;
  waiting->preempted = preempted;
  waiting->since = time;
}

static bool is_doubtful(const struct waits *waits, uint64_t from, uint64_t to) {
  for (size_t i = 0; i < waits->losses.count; i++)
    if (waits->losses.data[i].from < to && waits->losses.data[i].to > from)
      return true;
  return false;
}

/* Counts a wait that is over; whether it is to be kept. */
static bool settle(struct waits *waits, const struct blocked_thread *waiting, uint64_t time) {
  struct tpp_waits *counts = &waits->counts;
  uint64_t length = time > waiting->since ? time - waiting->since : 0;
  if (is_doubtful(waits, waiting->since, time)) {
    counts->doubtful++;
    return false;
  }
  if (length < counts->least) {
    counts->brief++;
    counts->brief_ns += length;
    return false;
  }
  return length != 0;
}

bool waits_return(struct waits *waits, uint32_t process, uint32_t thread, uint64_t time,
                  struct blocked_time *wait) {
  bool made, kept = false;
  struct blocked_thread *waiting = need(waits, process, thread, &made);
  if (made) {
    waits->counts.begun++;
    waits->counts.begun_ns += time > waits->start ? time - waits->start : 0;
  } else if (waiting->state == WAITING_AWAY) {
    *wait = (struct blocked_time){*waiting, time};
    kept = settle(waits, waiting, time);
  } else {
    waits->counts.doubtful++;
  }
  waiting->state = WAITING_RUNS;
  waiting->has_stack = false;
  return kept;
}

void waits_begin(struct waits *waits, uint32_t process, uint32_t thread, uint64_t time) {
  bool made;
  struct blocked_thread *waiting = need(waits, process, thread, &made);
  *waiting = (struct blocked_thread){.process = process,
                                     .thread = thread,
                                     .state = WAITING_AWAY,
                                     .preempted = true,
                                     .has_stack = true,
                                     .since = time};
}

void waits_end(struct waits *waits, uint32_t thread) {
  struct blocked_thread *place = waits_find(waits, thread);
  if (place == NULL)
    return;
  size_t at = (size_t)(place - waits->list.data);
  waits->list.count--;
  memmove(place, place + 1, (waits->list.count - at) * sizeof *place);
}

void waits_lost(struct waits *waits, uint64_t from, uint64_t to) {
  vector_push(&waits->losses, (struct waits_loss){from, to});
}

void waits_forget(struct waits *waits) {
  uint64_t oldest = UINT64_MAX;
  size_t kept = 0;
  if (waits->losses.count == 0)
    return;
  for (size_t i = 0; i < waits->list.count; i++)
    if (waits->list.data[i].state == WAITING_AWAY && waits->list.data[i].since < oldest)
      oldest = waits->list.data[i].since;
  for (size_t i = 0; i < waits->losses.count; i++)
    if (waits->losses.data[i].to > oldest)
      waits->losses.data[kept++] = waits->losses.data[i];
  waits->losses.count = oldest == UINT64_MAX ? waits->losses.count : kept;
}

bool waits_cut(struct waits *waits, size_t *next, uint64_t time, struct blocked_time *wait) {
  while (*next < waits->list.count) {
    const struct blocked_thread *waiting = &waits->list.data[(*next)++];
    if (waiting->state != WAITING_AWAY || !settle(waits, waiting, time))
      continue;
    *wait = (struct blocked_time){*waiting, time};
    waits->counts.cut++;
    waits->counts.cut_ns += time - waiting->since;
    return true;
  }
  return false;
}

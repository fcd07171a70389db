/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of the simulator share.
 */
#ifndef TESTS_THROUGHPUT_INSIDE_H
#define TESTS_THROUGHPUT_INSIDE_H

#include "tests/throughput/simulator.h"

#include "examples/common/random.h"
#include "measure/throughput/core/round.h"

enum event_kind {
  EVENT_CALL,    /* what: a frame */
  EVENT_REPLY,   /* what: the frame of the caller */
  EVENT_DONE,    /* what: service, number: slot and its serial */
  EVENT_WAKE,    /* what: a service that has begun its batch */
  EVENT_ROUND,   /* what: a service, number: the round that it hears of */
  EVENT_STOPPED, /* what: a service, likewise the others */
  EVENT_TIMER,   /* its pause is to end */
  EVENT_CONTINUED,
};

struct event {
  int64_t at;
  uint64_t order; /* of two at the same time the one that was scheduled first */
  uint64_t number;
  int32_t what;
  enum event_kind kind;
};

/* Events in the order of their times: those of one constant delay (messages) in a line, the rest in
 * a binary heap. */
struct agenda {
  struct event *heap, *line;
  uint64_t used, room;            /* of the heap */
  uint64_t head, tail, line_room; /* of the line; line_room is a power of two */
  uint64_t order;
};

void agenda_free(struct agenda *agenda);
void agenda_add(struct agenda *agenda, struct event event);
/* Not before the last one that was appended. */
void agenda_append(struct agenda *agenda, struct event event);
/* False when there is none. */
bool agenda_next(struct agenda *agenda, struct event *event);

/* A queue of frames (or of anything that is a number). */
struct line {
  int32_t *items;
  uint32_t head, tail, room; /* room: 0 or a power of two */
};

void line_push(struct line *line, int32_t item);
int32_t line_pop(struct line *line);
static inline bool line_empty(const struct line *line) {
  return line->head == line->tail;
}
static inline int32_t line_first(const struct line *line) {
  return line->items[line->head & (line->room - 1)];
}

/* A call that is being served. */
struct frame {
  int32_t parent; /* the frame of the caller; -1: a client's */
  int16_t way, edge, pending;
  int64_t arrived;
};

/* One worker at work. */
struct slot {
  int32_t frame;             /* -1: idle */
  bool locked;               /* holds the lock */
  bool halted;               /* waits for a processor, after a pause */
  uint32_t serial;           /* of its latest EVENT_DONE; others are void */
  int64_t began, ends, left; /* left: when halted */
  double rest;               /* work after the locked part */
};

struct running {
  const struct sim_service *set;
  struct slot slots[SIM_WORKERS];
  int busy, halted; /* slots at work or halted; of those halted */
  bool lock_held, stopped;
  struct line waiting, inbox; /* frames; frame * 2 + (1 for a reply) */
  uint64_t begun, busy_ns;
};

struct poker {
  struct pause_ledger ledger;
  struct round_state round;
  enum pause_state state;
  bool again;       /* a round was accepted during a pause */
  uint64_t counted; /* requests up to the last round */
  uint64_t wake_at;
  uint64_t asked_ns, pauses;
  uint64_t paused_in; /* the round in which it last began a pause */
  int64_t since;      /* when it was stopped */
  uint64_t stopped_ns;
  int neighbours[GRAPH_SERVICES], neighbour_count;
};

struct sim {
  const struct sim_setting *set;
  struct sim_result *result;
  struct agenda agenda;
  struct random random;
  int64_t now;
  struct frame *frames;
  struct line free_frames;
  int32_t frames_used, frames_room;
  struct running services[GRAPH_SERVICES];
  struct poker pokers[GRAPH_SERVICES];
  int idle[GRAPH_SERVICES];                                         /* processors of each machine */
  int on[GRAPH_SERVICES][GRAPH_SERVICES], on_count[GRAPH_SERVICES]; /* services of each machine */
  enum { SIM_WARMING, SIM_MEASURING, SIM_OVER } phase;
  int64_t window_began;
  uint64_t round_number;
};

/* In [0, 1). */
double sim_draw(struct sim *sim);

/* work.c */
void work_arrive(struct sim *sim, int32_t frame);
void work_reply(struct sim *sim, int32_t frame);
void work_done(struct sim *sim, int service, uint64_t number);
void work_stop(struct sim *sim, int service);
void work_continue(struct sim *sim, int service);
void work_request(struct sim *sim); /* a client sends its next one */

/* pokers.c */
void poker_meet(struct sim *sim);
void poker_begun(struct sim *sim, int service); /* one more request was */
void poker_wake(struct sim *sim, int service);
void poker_hear(struct sim *sim, int service, uint64_t number);
void poker_stopped(struct sim *sim, int service);
void poker_timer(struct sim *sim, int service);
void poker_continued(struct sim *sim, int service);

/* simulator.c: a window may begin or end now */
void sim_boundary(struct sim *sim);

#endif

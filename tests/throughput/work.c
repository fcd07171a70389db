/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls, and the work that they need.
 */
#include "tests/throughput/inside.h"

#include <stdio.h>
#include <stdlib.h>

static int service_of(const struct sim *sim, int32_t frame) {
  return sim->set->graph->way[sim->frames[frame].way].service;
}

static int32_t frame_new(struct sim *sim) {
  if (!line_empty(&sim->free_frames))
    return line_pop(&sim->free_frames);
  if (sim->frames_used == sim->frames_room) {
    sim->frames_room = sim->frames_room == 0 ? 1024 : 2 * sim->frames_room;
    sim->frames = realloc(sim->frames, (size_t)sim->frames_room * sizeof *sim->frames);
    if (sim->frames == NULL) {
      fputs("simulator: out of memory\n", stderr);
      abort();
    }
  }
  return sim->frames_used++;
}

static void send(struct sim *sim, enum event_kind kind, int32_t frame) {
  agenda_append(
      &sim->agenda,
      (struct event){.at = sim->now + (int64_t)sim->set->message_ns, .kind = kind, .what = frame});
}

static void call(struct sim *sim, int32_t parent, int way) {
  int32_t frame = frame_new(sim);
  sim->frames[frame] = (struct frame){.parent = parent, .way = (int16_t)way};
  send(sim, EVENT_CALL, frame);
}

void work_request(struct sim *sim) {
  call(sim, -1, 0);
}

/* ---- work */

static void slot_run(struct sim *sim, int service, struct slot *slot, int64_t ns) {
  slot->began = sim->now;
  slot->ends = sim->now + ns;
  slot->serial++;
  uint64_t index = (uint64_t)(slot - sim->services[service].slots);
  agenda_add(&sim->agenda, (struct event){.at = slot->ends,
                                          .kind = EVENT_DONE,
                                          .what = service,
                                          .number = index << 32 | slot->serial});
}

static struct slot *slot_idle(struct running *running) {
  struct slot *slot = running->slots;
  while (slot->frame >= 0)
    slot++;
  return slot;
}

static void slot_begin(struct sim *sim, int service) {
  struct running *running = &sim->services[service];
  const struct sim_service *set = running->set;
  struct slot *slot = slot_idle(running);
  slot->frame = line_pop(&running->waiting);
  running->busy++;
  double factor = 1;
  if (sim->set->noise > 0)
    factor += sim->set->noise * (2 * sim_draw(sim) - 1);
  slot->locked = set->locked_ns > 0;
  running->lock_held |= slot->locked;
  slot->rest = slot->locked ? (set->work_ns - set->locked_ns) * factor : 0;
  slot_run(sim, service, slot,
           (int64_t)((slot->locked ? set->locked_ns : set->work_ns) * factor + 0.5));
  running->begun++;
  poker_begun(sim, service);
}

static void slot_resume(struct sim *sim, int service) {
  struct running *running = &sim->services[service];
  struct slot *slot = running->slots;
  while (!slot->halted)
    slot++;
  slot->halted = false;
  running->halted--;
  slot_run(sim, service, slot, slot->left);
}

/* Whether the service has something for a processor; *since: how long it has waited for one. */
static bool wants(const struct sim *sim, const struct running *running, int64_t *since) {
  if (running->stopped)
    return false;
  if (running->halted > 0)
    return *since = -1, true;
  if (line_empty(&running->waiting) || running->busy == running->set->workers ||
      (running->lock_held && running->set->locked_ns > 0))
    return false;
  *since = sim->frames[line_first(&running->waiting)].arrived;
  return true;
}

/* Gives idle processors to who waited longest. */
static void dispatch(struct sim *sim, int machine) {
  while (sim->idle[machine] > 0) {
    int best = -1;
    int64_t longest = 0;
    for (int i = 0; i < sim->on_count[machine]; i++) {
      int64_t since;
      if (wants(sim, &sim->services[sim->on[machine][i]], &since) &&
          (best < 0 || since < longest)) {
        best = sim->on[machine][i];
        longest = since;
      }
    }
    if (best < 0)
      return;
    sim->idle[machine]--;
    if (sim->services[best].halted > 0)
      slot_resume(sim, best);
    else
      slot_begin(sim, best);
  }
}

/* ---- calls */

static void reply(struct sim *sim, int32_t frame) {
  int32_t parent = sim->frames[frame].parent;
  line_push(&sim->free_frames, frame);
  if (parent < 0)
    work_request(sim);
  else
    send(sim, EVENT_REPLY, parent);
}

/* Draws for one choice, at frame.edge: the way that is called, -1 for none; moves on. */
static int choose(struct sim *sim, int32_t frame) {
  const struct graph *graph = sim->set->graph;
  struct frame *f = &sim->frames[frame];
  const struct graph_way *way = &graph->way[f->way];
  int choice = graph->edges[way->first + f->edge].choice, to = -1;
  const struct graph_edge *edge = &graph->edges[way->first + f->edge];
  double draw = edge->to_percent == 100 ? 0 : 100 * sim_draw(sim);
  for (; f->edge < way->edges && edge->choice == choice; f->edge++, edge++)
    if (draw >= edge->from_percent && draw < edge->to_percent)
      to = edge->to;
  return to;
}

/* Makes the calls of a frame, all or the next; answers when there are no more. */
static void advance(struct sim *sim, int32_t frame) {
  int edges = sim->set->graph->way[sim->frames[frame].way].edges;
  while (sim->frames[frame].edge < edges) {
    int to = choose(sim, frame);
    if (to < 0)
      continue;
    sim->frames[frame].pending++;
    call(sim, frame, to);
    if (!sim->set->at_once)
      return;
  }
  if (sim->frames[frame].pending == 0)
    reply(sim, frame);
}

void work_arrive(struct sim *sim, int32_t frame) {
  struct running *running = &sim->services[service_of(sim, frame)];
  if (running->stopped) {
    line_push(&running->inbox, 2 * frame);
    return;
  }
  sim->frames[frame].arrived = sim->now;
  line_push(&running->waiting, frame);
  dispatch(sim, running->set->machine);
}

void work_reply(struct sim *sim, int32_t frame) {
  struct running *running = &sim->services[service_of(sim, frame)];
  if (running->stopped) {
    line_push(&running->inbox, 2 * frame + 1);
    return;
  }
  if (--sim->frames[frame].pending == 0)
    advance(sim, frame);
}

void work_done(struct sim *sim, int service, uint64_t number) {
  struct running *running = &sim->services[service];
  struct slot *slot = &running->slots[number >> 32];
  if (slot->serial != (uint32_t)number)
    return;
  running->busy_ns += (uint64_t)(sim->now - slot->began);
  if (slot->locked) {
    slot->locked = false;
    running->lock_held = false;
    if (slot->rest >= 1) {
      slot_run(sim, service, slot, (int64_t)slot->rest);
      dispatch(sim, running->set->machine);
      return;
    }
  }
  int32_t frame = slot->frame;
  slot->frame = -1;
  running->busy--;
  sim->idle[running->set->machine]++;
  advance(sim, frame);
  dispatch(sim, running->set->machine);
}

void work_stop(struct sim *sim, int service) {
  struct running *running = &sim->services[service];
  running->stopped = true;
  for (int i = 0; i < running->set->workers; i++) {
    struct slot *slot = &running->slots[i];
    if (slot->frame < 0 || slot->halted)
      continue;
    running->busy_ns += (uint64_t)(sim->now - slot->began);
    slot->left = slot->ends - sim->now;
    slot->halted = true;
    slot->serial++;
    running->halted++;
    sim->idle[running->set->machine]++;
  }
  dispatch(sim, running->set->machine);
}

void work_continue(struct sim *sim, int service) {
  struct running *running = &sim->services[service];
  running->stopped = false;
  for (int i = 0; i < running->set->workers && running->set->waits; i++) {
    struct slot *slot = &running->slots[i];
    if (slot->halted)
      slot->left = slot->ends > sim->now ? slot->ends - sim->now : 0;
  }
  while (!line_empty(&running->inbox)) {
    int32_t item = line_pop(&running->inbox);
    if (item % 2 == 0)
      work_arrive(sim, item / 2);
    else
      work_reply(sim, item / 2);
  }
  dispatch(sim, running->set->machine);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/multi_paxos/trace.h"

#include "examples/common/complain.h"

#include <stdio.h>

static const char *const slot_names[SLOTS] = {
    "ProcessPacket",   "MaybeEnterNewView", "MaybeEnterPhase2", "MaybePropose",
    "TruncateLog",     "MaybeDecide",       "MaybeExecute",     "CheckViewTimeout",
    "CheckSuspicions", "MaybeSendHeartbeat"};

static const char *const message_names[MESSAGES] = {"Request", "Propose", "Accepted", "Reply"};

/* The actions of specs/multi_paxos.tp; and, of those in which a replica has something to do, the
 * component. The others cost an idle slot. */
static const struct {
  const char *action, *component;
} action_names[ACTIONS] = {
    [ACTION_LOOP] = {"replica.Loop", NULL},
    [ACTION_ON_REQUEST] = {"replica.OnRequest", "TakeRequest"},
    [ACTION_ENTER_NEW_VIEW] = {"replica.EnterNewView", NULL},
    [ACTION_ENTER_PHASE_2] = {"replica.EnterPhase2", NULL},
    [ACTION_PROPOSE] = {"replica.Propose", "ProposeAll"},
    [ACTION_ON_PROPOSE] = {"replica.OnPropose", "TakePropose"},
    [ACTION_ON_ACCEPTED] = {"replica.OnAccepted", "Count"},
    [ACTION_STAY_IN_VIEW] = {"replica.StayInView", NULL},
    [ACTION_STAY_IN_PHASE_2] = {"replica.StayInPhase2", NULL},
    [ACTION_PROPOSE_NOTHING] = {"replica.ProposeNothing", NULL},
    [ACTION_TRUNCATE_LOG] = {"replica.TruncateLog", NULL},
    [ACTION_DECIDE] = {"replica.Decide", "Decide"},
    [ACTION_EXECUTE] = {"replica.Execute", "Execute"},
    [ACTION_ASK] = {"client.Ask", NULL},
};

/* A replica's slots; the client's one request. */
static void names_of_loop(struct trace *trace, bool client) {
  struct tailproof_store *store = trace->loop_store;
  for (int i = 0; i < SLOTS; i++)
    trace->slots[i] = client ? -1 : tailproof_component(store, slot_names[i]);
  for (int i = 0; i < ACTIONS; i++)
    trace->costs[i] = client || action_names[i].component == NULL
                          ? -1
                          : tailproof_component(store, action_names[i].component);
  trace->timeout = client ? -1 : tailproof_component(store, "T0");
  trace->delay = tailproof_component(store, "d");
  trace->queueing = client ? -1 : tailproof_component(store, "Queuing");
  trace->fail_over = client ? tailproof_request(store, "fail_over") : -1;
}

static void names_of_path(struct trace *trace, bool client) {
  struct tailproof_store *store = trace->path_store;
  /* The law of d is that of all messages, which the loop records: one network delays them all. */
  for (int i = 0; i < MESSAGES; i++)
    trace->messages[i] = tailproof_message(store, message_names[i], "delay", "Queuing");
  for (int i = 0; i < ACTIONS; i++)
    trace->actions[i] =
        (i == ACTION_ASK) == client ? tailproof_action(store, action_names[i].action, NULL) : -1;
  trace->request = client ? tailproof_request(store, "reply") : -1;
}

static bool store_open(struct tailproof_store **store, struct tailproof_writer **writer,
                       const char *folder, const char *node, uint32_t records) {
  const struct tailproof_options options = {.folder = folder, .node = node, .log_records = records};
  if (tailproof_open(store, &options) == 0)
    return true;
  complain("%s", tailproof_error());
  *writer = NULL;
  return false;
}

bool trace_open(struct trace *trace, const struct trace_options *options, size_t node,
                bool client) {
  char name[32];
  *trace = (struct trace){.node = node, .next = ACTION_NONE, .request = -1};
  snprintf(name, sizeof name, client ? "client" : "replica[%zu]", node);
  if (!store_open(&trace->loop_store, &trace->loop, options->loop_folder, name, 4096))
    return false;
  if (options->path_folder != NULL &&
      !store_open(&trace->path_store, &trace->path, options->path_folder, name, options->records))
    return false;
  names_of_loop(trace, client);
  if (trace->path_store != NULL)
    names_of_path(trace, client);
  trace->loop = tailproof_writer_open(trace->loop_store);
  if (trace->path_store != NULL)
    trace->path = tailproof_writer_open(trace->path_store);
  if (trace->loop != NULL && (trace->path_store == NULL || trace->path != NULL))
    return true;
  complain("%s", tailproof_error());
  return false;
}

bool trace_close(struct trace *trace) {
  bool good = tailproof_close(trace->loop_store) == 0 && tailproof_close(trace->path_store) == 0;
  if (!good)
    complain("%s", tailproof_error());
  return good;
}

static void record(struct tailproof_writer *writer, int name, uint64_t start, uint64_t end) {
  const struct tailproof_event event = {.name = name, .start = start, .end = end};
  tailproof_record(writer, &event);
}

/* ---- the path
 * ------------------------------------------------------------------------------------ */

static void step(struct trace *trace, enum action action, uint32_t instance, uint64_t start,
                 uint64_t end, const struct tailproof_event *fields) {
  struct tailproof_event event = {0};
  if (fields != NULL)
    event = *fields;
  event.name = trace->actions[action];
  event.instance = instance;
  event.start = start;
  event.end = end;
  tailproof_record(trace->path, &event);
  trace->latest[instance % TRACE_REQUESTS].instance = instance;
  trace->latest[instance % TRACE_REQUESTS].end = end;
}

/* A packet as a message of the protocol file, with its fields; false when it is none of them. 2b
 * are told to all replicas; the file speaks of what the leader hears. */
static bool as_message(const struct trace *trace, const struct packet *packet, size_t from,
                       size_t to, struct tailproof_event *event) {
  enum message message = MESSAGES;
  *event = (struct tailproof_event){.instance = (uint32_t)packet->request.number};
  if (packet->kind == PACKET_REQUEST)
    message = MESSAGE_REQUEST;
  if (packet->kind == PACKET_REPLY)
    message = MESSAGE_REPLY;
  if (packet->kind == PACKET_PROPOSE) {
    message = MESSAGE_PROPOSE;
    event->count = 1;
    event->arguments[0] = (int32_t)to;
  }
  if (packet->kind == PACKET_ACCEPTED && to == 0) {
    message = MESSAGE_ACCEPTED;
    event->count = 1;
    event->arguments[0] = (int32_t)from;
  }
  if (trace->path == NULL || message == MESSAGES)
    return false;
  event->name = trace->messages[message];
  return true;
}

void trace_send(struct trace *trace, struct packet *packet, size_t to) {
  struct tailproof_event event;
  if (!as_message(trace, packet, trace->node, to, &event))
    return;
  if (packet->kind == PACKET_REQUEST || packet->kind == PACKET_ACCEPTED) /* to one of a family */
    event.arguments[event.count++] = (int32_t)to;
  tailproof_send_at(trace->path, &event, packet->sent, packet->stamp);
}

/* The wait and, from the request's beginning or the latest step for it, what else the loop did. */
static void path_taken(struct trace *trace, const struct packet *packet, size_t from,
                       uint64_t arrived, uint64_t taken) {
  struct tailproof_event event;
  uint32_t instance = (uint32_t)packet->request.number;
  if (!as_message(trace, packet, from, trace->node, &event))
    return;
  event.end = arrived;
  tailproof_arrive(trace->path, &event, packet->stamp);
  event.start = arrived;
  event.end = taken;
  tailproof_dequeue_at(trace->path, &event);
  bool known = trace->latest[instance % TRACE_REQUESTS].instance == instance;
  step(trace, ACTION_LOOP, instance,
       known ? trace->latest[instance % TRACE_REQUESTS].end : packet->asked, taken, NULL);
}

void trace_taken(struct trace *trace, const struct packet *packet, size_t from, uint64_t arrived,
                 uint64_t taken) {
  record(trace->loop, trace->delay, packet->sent, arrived);
  record(trace->loop, trace->queueing, arrived, taken);
  path_taken(trace, packet, from, arrived, taken);
}

static enum action action_of(const struct packet *packet) {
  return packet->kind == PACKET_REQUEST    ? ACTION_ON_REQUEST
         : packet->kind == PACKET_PROPOSE  ? ACTION_ON_PROPOSE
         : packet->kind == PACKET_ACCEPTED ? ACTION_ON_ACCEPTED
                                           : ACTION_NONE;
}

void trace_done(struct trace *trace, const struct packet *packet, size_t from, uint64_t taken,
                uint64_t end, bool quorum_completed) {
  struct tailproof_event fields;
  enum action action = action_of(packet);
  if (action != ACTION_NONE)
    record(trace->loop, trace->costs[action], taken, end);
  if (!as_message(trace, packet, from, trace->node, &fields))
    return;
  step(trace, action, fields.instance, taken, end, &fields);
  if (action == ACTION_ON_REQUEST)
    trace->next = ACTION_ENTER_NEW_VIEW;
  if (action == ACTION_ON_ACCEPTED && quorum_completed)
    trace->next = ACTION_STAY_IN_VIEW;
  trace->instance = fields.instance;
}

/* ---- slots
 * --------------------------------------------------------------------------------------- */

static enum action action_in(enum slot slot) {
  return slot == SLOT_PROPOSE   ? ACTION_PROPOSE
         : slot == SLOT_DECIDE  ? ACTION_DECIDE
         : slot == SLOT_EXECUTE ? ACTION_EXECUTE
                                : ACTION_NONE;
}

void trace_slot(struct trace *trace, enum slot slot, bool busy, uint64_t start, uint64_t end) {
  enum action done = busy ? action_in(slot) : ACTION_NONE, next = trace->next;
  record(trace->loop, trace->slots[slot], start, end);
  if (done != ACTION_NONE)
    record(trace->loop, trace->costs[done], start, end);
  if (slot == SLOT_PROCESS_PACKET || next == ACTION_NONE)
    return;
  bool last = next == ACTION_PROPOSE || next == ACTION_EXECUTE;
  trace->next = last ? ACTION_NONE : next + 1;
  /* A replica that did something else than the protocol file says is not to seem to follow it. */
  if ((last || next == ACTION_DECIDE) != busy)
    trace->next = ACTION_NONE;
  else
    step(trace, next, trace->instance, start, end, NULL);
}

void trace_timeout(struct trace *trace, uint64_t start, uint64_t end) {
  record(trace->loop, trace->timeout, start, end);
}

/* ---- the client
 * ---------------------------------------------------------------------------------- */

void trace_asked(struct trace *trace, const struct packet *packet) {
  if (trace->path != NULL)
    step(trace, ACTION_ASK, (uint32_t)packet->request.number, packet->asked, packet->sent, NULL);
}

void trace_answered(struct trace *trace, const struct packet *packet, uint64_t asked,
                    uint64_t arrived, bool failed_over) {
  struct tailproof_event event;
  record(trace->loop, trace->delay, packet->sent, arrived);
  if (failed_over)
    record(trace->loop, trace->fail_over, asked, arrived);
  if (!as_message(trace, packet, 0, trace->node, &event))
    return;
  event.end = arrived;
  tailproof_arrive(trace->path, &event, packet->stamp);
  event = (struct tailproof_event){
      .name = trace->request, .instance = event.instance, .start = asked, .end = arrived};
  tailproof_record(trace->path, &event);
}

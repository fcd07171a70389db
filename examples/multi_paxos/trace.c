/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/multi_paxos/trace.h"

#include "examples/common/complain.h"

#include <stdio.h>

static const char *const slot_names[SLOTS] = {
    "ProcessPacket",   "MaybeEnterNewView", "MaybeEnterPhase2", "MaybePropose",
    "TruncateLog",     "MaybeDecide",       "MaybeExecute",     "CheckViewTimeout",
    "CheckSuspicions", "MaybeSendHeartbeat"};

static const char *const deed_names[DEEDS] = {"TakeRequest", "TakePropose", "Count",
                                              "ProposeAll",  "Decide",      "Execute"};

/* A replica's slots; the client's one request. */
static void names_register(struct trace *trace, bool client) {
  struct tailproof_store *store = trace->store;
  for (int i = 0; i < SLOTS; i++)
    trace->slots[i] = client ? -1 : tailproof_component(store, slot_names[i]);
  for (int i = 0; i < DEEDS; i++)
    trace->deeds[i] = client ? -1 : tailproof_component(store, deed_names[i]);
  trace->timeout = client ? -1 : tailproof_component(store, "T0");
  trace->delay = tailproof_component(store, "d");
  trace->queueing = client ? -1 : tailproof_component(store, "Queuing");
  trace->fail_over = client ? tailproof_request(store, "fail_over") : -1;
}

bool trace_open(struct trace *trace, const struct trace_options *options, size_t node,
                bool client) {
  char name[32];
  *trace = (struct trace){0};
  snprintf(name, sizeof name, client ? "client" : "replica[%zu]", node);
  const struct tailproof_options store = {
      .folder = options->loop_folder, .node = name, .log_records = 4096};
  if (tailproof_open(&trace->store, &store) == 0) {
    names_register(trace, client);
    trace->loop = tailproof_writer_open(trace->store);
  }
  if (trace->loop != NULL)
    return path_open(&trace->path, &options->path, node);
  complain("%s", tailproof_error());
  return false;
}

bool trace_close(struct trace *trace) {
  if (tailproof_close(trace->store) == 0)
    return path_close(trace->path);
  complain("%s", tailproof_error());
  return false;
}

static void record(struct tailproof_writer *writer, int name, uint64_t start, uint64_t end) {
  const struct tailproof_event event = {.name = name, .start = start, .end = end};
  tailproof_record(writer, &event);
}

void trace_send(struct trace *trace, struct packet *packet, size_t to) {
  path_sent(trace->path, packet, to);
}

void trace_taken(struct trace *trace, const struct packet *packet, size_t from, uint64_t arrived,
                 uint64_t taken) {
  record(trace->loop, trace->delay, packet->sent, arrived);
  record(trace->loop, trace->queueing, arrived, taken);
  path_taken(trace->path, packet, from, arrived, taken);
}

void trace_done(struct trace *trace, const struct packet *packet, size_t from, uint64_t taken,
                uint64_t end) {
  const enum deed deed = packet->kind == PACKET_REQUEST    ? DEED_TAKE_REQUEST
                         : packet->kind == PACKET_PROPOSE  ? DEED_TAKE_PROPOSE
                         : packet->kind == PACKET_ACCEPTED ? DEED_COUNT
                                                           : DEEDS;
  if (deed != DEEDS)
    record(trace->loop, trace->deeds[deed], taken, end);
  path_done(trace->path, packet, from, taken, end);
}

void trace_slot(struct trace *trace, enum slot slot, bool busy, uint64_t start, uint64_t end) {
  const enum deed deed = slot == SLOT_PROPOSE   ? DEED_PROPOSE_ALL
                         : slot == SLOT_DECIDE  ? DEED_DECIDE
                         : slot == SLOT_EXECUTE ? DEED_EXECUTE
                                                : DEEDS;
  record(trace->loop, trace->slots[slot], start, end);
  if (busy && deed != DEEDS)
    record(trace->loop, trace->deeds[deed], start, end);
  if (slot != SLOT_PROCESS_PACKET)
    path_slot(trace->path, busy, start, end);
}

void trace_timeout(struct trace *trace, uint64_t start, uint64_t end) {
  record(trace->loop, trace->timeout, start, end);
}

void trace_asked(struct trace *trace, const struct packet *packet) {
  path_asked(trace->path, packet);
}

void trace_answered(struct trace *trace, const struct packet *packet, uint64_t asked,
                    uint64_t arrived, bool failed_over) {
  record(trace->loop, trace->delay, packet->sent, arrived);
  if (failed_over)
    record(trace->loop, trace->fail_over, asked, arrived);
  path_answered(trace->path, packet, asked, arrived);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/redis/trace.h"

#include "examples/common/complain.h"

#include <stdio.h>

static bool node_open(struct trace_node *node, const char *folder, const char *name,
                      uint32_t records) {
  struct tailproof_options options = {.folder = folder, .node = name, .log_records = records};
  *node = (struct trace_node){.ask = -1,
                              .set = -1,
                              .apply = -1,
                              .collect = -1,
                              .finish = -1,
                              .request = -1,
                              .write = -1,
                              .ack = -1,
                              .reply = -1,
                              .round = -1};
  if (tailproof_open(&node->store, &options) == 0)
    return true;
  complain("%s", tailproof_error());
  return false;
}

static bool node_ready(struct trace_node *node) {
  node->writer = tailproof_writer_open(node->store);
  if (node->writer == NULL)
    complain("%s", tailproof_error());
  return node->writer != NULL;
}

static bool client_open(struct trace_node *node, const char *folder, uint32_t records) {
  if (!node_open(node, folder, "client", records))
    return false;
  node->ask = tailproof_action(node->store, "client.Ask", NULL);
  node->request = tailproof_message(node->store, "Request", "d", "Queuing");
  node->reply = tailproof_message(node->store, "Reply", "d", NULL);
  node->round = tailproof_request(node->store, "round");
  return node_ready(node);
}

static bool primary_open(struct trace_node *node, const char *folder, uint32_t records) {
  if (!node_open(node, folder, "primary", records))
    return false;
  node->set = tailproof_action(node->store, "primary.Set", "Set");
  /* Only the step that completes the count costs Finish: recorded apart (trace_occurrence). */
  node->collect = tailproof_action(node->store, "primary.Collect", NULL);
  node->finish = tailproof_component(node->store, "Finish");
  node->request = tailproof_message(node->store, "Request", "d", "Queuing");
  node->write = tailproof_message(node->store, "Write", "d", "Queuing");
  node->ack = tailproof_message(node->store, "Ack", "d", "Queuing");
  node->reply = tailproof_message(node->store, "Reply", "d", NULL);
  return node_ready(node);
}

static bool replica_open(struct trace_node *node, const char *folder, size_t replica,
                         uint32_t records) {
  char name[32];
  snprintf(name, sizeof name, "replica[%zu]", replica);
  if (!node_open(node, folder, name, records))
    return false;
  node->apply = tailproof_action(node->store, "replica.Apply", "Apply");
  node->write = tailproof_message(node->store, "Write", "d", "Queuing");
  node->ack = tailproof_message(node->store, "Ack", "d", "Queuing");
  return node_ready(node);
}

bool trace_open(struct trace *trace, const char *folder, size_t replicas, uint64_t requests) {
  uint64_t needed = requests * (8 + 5 * replicas) + 16;
  uint32_t records = 1024;
  while (records < needed && records < 1u << 24)
    records *= 2;
  *trace = (struct trace){.replicas = replicas};
  if (!client_open(&trace->client, folder, records) ||
      !primary_open(&trace->primary, folder, records))
    return false;
  for (size_t i = 0; i < replicas; i++)
    if (!replica_open(&trace->replica[i], folder, i, records))
      return false;
  return true;
}

bool trace_close(struct trace *trace) {
  bool good = tailproof_close(trace->client.store) == 0;
  good = tailproof_close(trace->primary.store) == 0 && good;
  for (size_t i = 0; i < trace->replicas; i++)
    good = tailproof_close(trace->replica[i].store) == 0 && good;
  if (!good)
    complain("%s", tailproof_error());
  return good;
}

static struct tailproof_event event_at(int name, struct trace_place place) {
  struct tailproof_event event = {.name = name, .instance = place.instance};
  if (place.replica >= 0) {
    event.count = 1;
    event.arguments[0] = place.replica;
  }
  return event;
}

void trace_step(struct trace_node *node, int action, struct trace_place place, uint64_t start,
                uint64_t end) {
  struct tailproof_event event = event_at(action, place);
  event.start = start;
  event.end = end;
  tailproof_record(node->writer, &event);
}

void trace_occurrence(struct trace_node *node, int component, struct trace_place place,
                      uint64_t start, uint64_t end) {
  trace_step(node, component, (struct trace_place){place.instance, -1}, start, end);
}

void trace_send(struct trace_node *from, int message, struct trace_place place, uint64_t sent,
                struct trace_message *carried) {
  struct tailproof_event event = event_at(message, place);
  tailproof_send_at(from->writer, &event, sent, carried->stamp);
}

void trace_arrive(struct trace_node *to, int message, struct trace_place place, uint64_t arrived,
                  uint64_t taken, const struct trace_message *carried) {
  struct tailproof_event event = event_at(message, place);
  event.end = arrived;
  tailproof_arrive(to->writer, &event, carried->stamp);
  if (taken == 0)
    return;
  event.start = arrived;
  event.end = taken;
  tailproof_dequeue_at(to->writer, &event);
}

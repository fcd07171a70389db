/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/multi_paxos/path.h"

#include "examples/common/complain.h"
#include "multi_paxos_client_loop.h"
#include "multi_paxos_replica_loop.h"

#include <stdio.h>
#include <stdlib.h>

/* A request at this node. */
struct passage {
  uint32_t instance; /* the number of the request; 0: none */
  uint64_t end;      /* of the node's latest step for it; 0: there was none */
  union {
    struct replica_node replica;
    struct client_node client;
  } node;
};

struct path {
  struct tailproof_store *store;
  struct tailproof_writer *writer;
  const struct tp_role *role;
  struct multi_paxos_params params;
  int32_t node; /* replica */
  int actions[TP_NAMES], messages[TP_NAMES], request;
  struct passage *next; /* whose step comes in the next slot; NULL: of none */
  struct passage passages[PATH_REQUESTS];
};

static bool is_client(const struct path *path) {
  return path->role == &multi_paxos_client_role;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* The names are those of the file. The law of d is that of all messages, which the loop records:
 * one network delays them all. */
static void names_register(struct path *path) {
  const struct tp_role *role = path->role;
  for (int32_t i = 0; i < role->action_count; i++)
    path->actions[i] = tailproof_action(path->store, role->actions[i].name, NULL);
  for (int32_t i = 0; i < role->kind_count; i++)
    path->messages[i] =
        tailproof_message(path->store, role->kinds[i].name, "delay", role->queueing);
  path->request = is_client(path) ? tailproof_request(path->store, "reply") : -1;
}

bool path_open(struct path **opened, const struct path_options *options, size_t node) {
  *opened = NULL;
  if (options->folder == NULL)
    return true;
  struct path *path = calloc(1, sizeof *path);
  if (path == NULL) {
    complain("node %zu: out of memory", node);
    return false;
  }
  path->params.f = options->failures;
  path->node = (int32_t)node;
  const bool replica = path->node < MULTI_PAXOS_REPLICA_COUNT(&path->params);
  path->role = replica ? &multi_paxos_replica_role : &multi_paxos_client_role;
  char name[32];
  snprintf(name, sizeof name, replica ? "replica[%zu]" : "client", node);
  const struct tailproof_options store = {
      .folder = options->folder, .node = name, .log_records = options->records};
  if (tailproof_open(&path->store, &store) == 0) {
    names_register(path);
    path->writer = tailproof_writer_open(path->store);
  }
  if (path->writer == NULL) {
    complain("%s", tailproof_error());
    free(path);
    return false;
  }
  *opened = path;
  return true;
}

bool path_close(struct path *path) {
  if (path == NULL)
    return true;
  bool good = tailproof_close(path->store) == 0;
  if (!good)
    complain("%s", tailproof_error());
  free(path);
  return good;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* The request's execution of the file, which begins when the node first hears of it. */
static struct passage *passage_of(struct path *path, const struct packet *packet) {
  const uint32_t instance = (uint32_t)packet->request.number;
  struct passage *passage = &path->passages[instance % PATH_REQUESTS];
  if (passage->instance == instance)
    return passage;
  if (path->next == passage)
    path->next = NULL;
  *passage = (struct passage){.instance = instance};
  if (is_client(path)) {
    passage->node.client.params = path->params;
  } else {
    passage->node.replica.params = path->params;
    passage->node.replica.i = path->node;
  }
  path->role->begin(&passage->node);
  return passage;
}

static struct tailproof_event message_event(const struct path *path, const struct passage *passage,
                                            const struct tp_message *message) {
  struct tailproof_event event = {
      .name = path->messages[message->kind],
      .instance = passage->instance,
      .count = (uint32_t)multi_paxos_replica_role.kinds[message->kind].fields};
  event.arguments[0] = message->field[0];
  return event;
}

static void record_step(struct path *path, struct passage *passage, int32_t action,
                        const struct tp_message *taken, uint64_t start, uint64_t end) {
  struct tailproof_event event = {0};
  if (taken != NULL)
    event = message_event(path, passage, taken);
  event.name = path->actions[action];
  event.instance = passage->instance;
  event.start = start;
  event.end = end;
  tailproof_record(path->writer, &event);
  passage->end = end;
}

/* A packet as a message of the file; false when it is none. 2b are told to all replicas; the file
 * speaks of what the leader hears. */
static bool as_message(const struct path *path, const struct packet *packet, size_t from, size_t to,
                       struct tp_message *message) {
  *message = (struct tp_message){0};
  if (path == NULL || packet->request.number == 0)
    return false;
  switch (packet->kind) {
  case PACKET_REQUEST:
    message->kind = multi_paxos_Request;
    return true;
  case PACKET_PROPOSE:
    message->kind = multi_paxos_Propose;
    message->field[0] = (int32_t)to;
    return true;
  case PACKET_ACCEPTED:
    message->kind = multi_paxos_Accepted;
    message->field[0] = (int32_t)from;
    return to == 0;
  case PACKET_REPLY:
    message->kind = multi_paxos_Reply;
    return true;
  default:
    return false;
  }
}

void path_asked(struct path *path, const struct packet *packet) {
  if (path == NULL)
    return;
  struct passage *passage = passage_of(path, packet);
  struct client_node *client = &passage->node.client;
  if (client_Ask(&client->self, &client->params, &client->out) == TP_DONE)
    record_step(path, passage, client_did_Ask, NULL, packet->asked, packet->sent);
}

/* From the request's beginning or the node's latest step for it, it was in other slots: one Loop.
 */
void path_taken(struct path *path, const struct packet *packet, size_t from, uint64_t arrived,
                uint64_t taken) {
  struct tp_message message;
  if (!as_message(path, packet, from, (size_t)(path == NULL ? 0 : path->node), &message))
    return;
  struct passage *passage = passage_of(path, packet);
  struct replica_node *replica = &passage->node.replica;
  struct tailproof_event event = message_event(path, passage, &message);
  event.end = arrived;
  tailproof_arrive(path->writer, &event, packet->stamp);
  event.start = arrived;
  event.end = taken;
  tailproof_dequeue_at(path->writer, &event);
  const uint64_t free = passage->end != 0 ? passage->end : packet->asked;
  if (replica_Loop(&replica->self, &replica->params, replica->i, &replica->out) == TP_DONE)
    record_step(path, passage, replica_did_Loop, NULL, free, taken);
}

void path_done(struct path *path, const struct packet *packet, size_t from, uint64_t taken,
               uint64_t end) {
  struct tp_message message;
  struct tp_taken step = {0};
  if (!as_message(path, packet, from, (size_t)(path == NULL ? 0 : path->node), &message))
    return;
  struct passage *passage = passage_of(path, packet);
  if (path->role->take(&passage->node, &message, 0, &step) != TP_DONE)
    return;
  record_step(path, passage, step.action, &message, taken, end);
  if (passage->node.replica.self.slot != 0)
    path->next = passage;
}

/* The steps in which a replica has something to do. */
static bool is_busy(int32_t action) {
  return action == replica_did_Propose || action == replica_did_Decide ||
         action == replica_did_Execute;
}

void path_slot(struct path *path, bool busy, uint64_t start, uint64_t end) {
  if (path == NULL || path->next == NULL)
    return;
  struct passage *passage = path->next;
  struct tp_taken step = {0};
  if (path->role->act(&passage->node, 0, &step) != TP_DONE || is_busy(step.action) != busy) {
    path->next = NULL; /* the replica did something else than the file says: no more is recorded */
    return;
  }
  record_step(path, passage, step.action, NULL, start, end);
  if (passage->node.replica.self.slot == 0)
    path->next = NULL;
}

/* --- messages --------------------------------------------------------------------------------- */

/* Whether the latest step for the request sends it. */
static bool is_sent(const struct path *path, const struct passage *passage,
                    const struct tp_message *message, int32_t to) {
  const struct replica_sends *out = &passage->node.replica.out;
  if (is_client(path))
    return message->kind == multi_paxos_Request && passage->node.client.out.Request &&
           passage->node.client.out.Request_to == to;
  return (message->kind == multi_paxos_Propose && tp_set_has(out->Propose, to)) ||
         (message->kind == multi_paxos_Accepted && out->Accepted && out->Accepted_to == to) ||
         (message->kind == multi_paxos_Reply && out->Reply);
}

void path_sent(struct path *path, struct packet *packet, size_t to) {
  struct tp_message message;
  if (!as_message(path, packet, (size_t)(path == NULL ? 0 : path->node), to, &message))
    return;
  const struct passage *passage = passage_of(path, packet);
  if (!is_sent(path, passage, &message, (int32_t)to))
    return;
  struct tailproof_event event = message_event(path, passage, &message);
  if (multi_paxos_replica_role.kinds[message.kind].names_receiver)
    event.arguments[event.count++] = (int32_t)to;
  tailproof_send_at(path->writer, &event, packet->sent, packet->stamp);
}

void path_answered(struct path *path, const struct packet *packet, uint64_t asked,
                   uint64_t arrived) {
  struct tp_message message;
  if (!as_message(path, packet, 0, (size_t)(path == NULL ? 0 : path->node), &message))
    return;
  const struct passage *passage = passage_of(path, packet);
  struct tailproof_event event = message_event(path, passage, &message);
  event.end = arrived;
  tailproof_arrive(path->writer, &event, packet->stamp);
  event = (struct tailproof_event){
      .name = path->request, .instance = passage->instance, .start = asked, .end = arrived};
  tailproof_record(path->writer, &event);
}

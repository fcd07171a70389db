/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The client's process: asks one request after another and checks every answer against its own
 * copy of the state machine, so that a request which was lost or executed twice shows.
 */
#include "examples/common/complain.h"
#include "examples/common/endpoint.h"
#include "examples/common/moment.h"
#include "examples/multi_paxos/node.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* The leader is killed at some moment while the request is on its way to it or in its hands. */
enum { GIVE_UP_S = 5, KILL_WITHIN_NS = 600000 };

struct client {
  const struct node *node;
  struct endpoint endpoint;
  struct trace trace;
  struct random random;
  size_t replicas;
  uint32_t view; /* as the latest reply said */
  uint64_t number;
  int64_t values[MACHINE_KEYS];
  int64_t expected;
};

static bool send_to(struct client *client, struct packet *packet, size_t to) {
  trace_send(&client->trace, packet, to);
  return endpoint_send(&client->endpoint, to, packet, packet_bytes(packet));
}

static bool send_to_all(struct client *client, struct packet *packet) {
  for (size_t to = 0; to < client->replicas; to++)
    if (!send_to(client, packet, to))
      return false;
  return true;
}

/* Waits for a packet of this kind (of a reply: to the latest request) until the deadline. */
static enum endpoint_result wait_for(struct client *client, enum packet_kind kind,
                                     struct packet *packet, uint64_t *arrived,
                                     uint64_t deadline_ns) {
  for (;;) {
    struct datagram datagram;
    enum endpoint_result result = endpoint_take(&client->endpoint, &datagram, deadline_ns);
    if (result != ENDPOINT_MESSAGE)
      return result;
    if (datagram.bytes != offsetof(struct packet, told))
      continue;
    memset(packet, 0, sizeof *packet);
    memcpy(packet, datagram.data, datagram.bytes);
    *arrived = datagram.arrived;
    if (packet->kind == kind && (kind != PACKET_REPLY || packet->request.number == client->number))
      return ENDPOINT_MESSAGE;
  }
}

/* The next request; to the leader alone, or to all. */
static bool ask(struct client *client, struct packet *packet, bool to_all) {
  *packet = (struct packet){.kind = PACKET_REQUEST};
  packet->request.number = ++client->number;
  packet->request.key = (uint32_t)random_upto(&client->random, MACHINE_KEYS - 1);
  packet->request.amount = (int32_t)random_upto(&client->random, 1000) - 500;
  client->values[packet->request.key] += packet->request.amount;
  client->expected = client->values[packet->request.key];
  packet->asked = tailproof_now(client->trace.loop);
  packet->sent = packet->asked;
  trace_asked(&client->trace, packet);
  return to_all ? send_to_all(client, packet)
                : send_to(client, packet, client->view % client->replicas);
}

/* Waits for the reply, asking all again and again where the leader may be gone. */
static bool await_reply(struct client *client, struct packet *request, bool failed_over) {
  uint64_t arrived, give_up_ns = moment_ns() + GIVE_UP_S * 1000000000ull;
  for (;;) {
    struct packet reply;
    uint64_t retry_ns = moment_ns() + client->node->settings->retry_ms * 1000000;
    bool retries = client->node->settings->kills > 0 && retry_ns < give_up_ns;
    enum endpoint_result result =
        wait_for(client, PACKET_REPLY, &reply, &arrived, retries ? retry_ns : give_up_ns);
    if (result == ENDPOINT_MESSAGE && reply.value != client->expected) {
      complain("request %" PRIu64 " was answered %" PRId64 " instead of %" PRId64, client->number,
               reply.value, client->expected);
      return false;
    }
    if (result == ENDPOINT_MESSAGE) {
      failed_over = failed_over && reply.view != client->view;
      trace_answered(&client->trace, &reply, request->asked, arrived, failed_over);
      if (failed_over)
        client->node->shared->fail_over_ns =
            tailproof_ns_up(client->trace.loop, arrived - request->asked);
      client->view = reply.view;
      client->node->shared->answered = client->number;
      return true;
    }
    if (result == ENDPOINT_FAILED || result == ENDPOINT_STOPPED)
      return false;
    if (!retries) {
      complain("no reply to request %" PRIu64 " for %d s: a message was lost; nothing is written",
               client->number, GIVE_UP_S);
      return false;
    }
    request->sent = tailproof_now(client->trace.loop);
    if (!send_to_all(client, request))
      return false;
  }
}

static bool pause_for(struct client *client, uint64_t ns) {
  return endpoint_work(&client->endpoint, moment_ns() + ns, WORK_SLEEP);
}

static bool requests_run(struct client *client, uint64_t count) {
  struct packet request;
  for (uint64_t i = 0; i < count && !process_stopping(); i++)
    if (!ask(client, &request, false) || !await_reply(client, &request, false) ||
        !pause_for(client, random_upto(&client->random, client->node->settings->think_us * 1000)))
      return false;
  return true;
}

/* A request during which its leader is killed. What the leader had proposed by then the others may
 * decide and execute without it; then any of them answers when the client asks again. */
static bool request_with_kill(struct client *client) {
  const struct process *leader = &client->node->processes->list[client->view % client->replicas];
  struct packet request;
  uint64_t epoch_ns = client->node->settings->epoch_ms * 1000000;
  /* at any moment of the replicas' epochs */
  if (!pause_for(client, random_upto(&client->random, epoch_ns)) || !ask(client, &request, true) ||
      !pause_for(client, random_upto(&client->random, KILL_WITHIN_NS)))
    return false;
  if (kill(leader->pid, SIGKILL) != 0) {
    complain("killing %s failed", leader->name);
    return false;
  }
  return await_reply(client, &request, true);
}

static bool run(struct client *client) {
  const struct settings *settings = client->node->settings;
  bool good;
  if (settings->kills == 0)
    good = requests_run(client, settings->requests);
  else
    good = requests_run(client, REQUESTS_BEFORE_KILL) && request_with_kill(client) &&
           requests_run(client, REQUESTS_AFTER_KILL);
  /* what the last request's reply did not need is still on its way */
  return good && pause_for(client, 4 * settings->heartbeat_ms * 1000000);
}

int client_run(void *context) {
  const struct node *node = context;
  struct client client = {.node = node, .replicas = 2 * node->settings->failures + 1};
  client.random = random_seeded(node->network->options.seed, 3000);
  if (!trace_open(&client.trace, node->trace, node->index, true))
    return EXIT_FAILED;
  endpoint_init(&client.endpoint, node->network, node->index, client.trace.loop);
  gate_pass(&node->shared->gate);
  bool good = run(&client);
  return trace_close(&client.trace) && good ? EXIT_SUCCESS : EXIT_FAILED;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* ppoll */
#include "examples/redis/session.h"

#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/common/process.h"
#include "examples/common/random.h"
#include "examples/redis/link.h"
#include "examples/redis/servers.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Requests before the first that is recorded: the offsets of all replicas are known after them. */
enum { WARM_UP = 5 };

/* What has become of one replica's part of the request. Times are ticks. */
struct part {
  uint64_t write_arrived, answered, ack_arrived;
  bool collected;
  struct trace_message write, ack;
};

struct session {
  const struct session_options *options;
  struct random random;
  struct trace trace;
  int client; /* the connection to the primary */
  struct stream replies;
  struct link links[REPLICAS_MAX];
  bool recording;
  uint32_t instance;
  uint64_t asked, request_arrived, set_end, last_collected, replied, reply_arrived; /* 0: not yet */
  uint64_t request_due_ns, reply_due_ns, deadline_ns;
  uint64_t pause_end_ns; /* the next request begins then */
  size_t parts_collected;
  struct trace_message request, reply;
  struct part parts[REPLICAS_MAX];
};

static uint64_t ticks(const struct session *session) {
  return tailproof_now(session->trace.client.writer);
}

static uint64_t due(struct session *session) {
  const struct session_options *options = session->options;
  uint64_t delay_us = options->delay_us;
  if (!session->recording)
    return 0;
  return moment_ns() + 1000 * delay_us +
         (options->spread_us == 0
              ? 0
              : random_exponential(&session->random, 1000 * options->spread_us));
}

static struct trace_place place(const struct session *session, int replica) {
  return (struct trace_place){session->instance, replica};
}

/* ---- what happens ---------------------------------------------------------------------------- */

static void request_begin(struct session *session) {
  struct trace_node *client = &session->trace.client;
  session->set_end = session->last_collected = session->replied = session->reply_arrived = 0;
  session->parts_collected = 0;
  session->reply_due_ns = MOMENT_NEVER;
  memset(session->parts, 0, sizeof session->parts);
  stream_init(&session->replies);
  for (size_t i = 0; i < session->options->replicas; i++)
    link_expect(&session->links[i]);
  session->asked = ticks(session);
  session->request_due_ns = due(session);
  session->deadline_ns = moment_ns() + session->options->timeout_s * UINT64_C(1000000000);
  if (session->recording) {
    trace_step(client, client->ask, place(session, -1), session->asked, session->asked);
    trace_send(client, client->request, place(session, -1), session->asked, &session->request);
  }
}

static bool request_deliver(struct session *session) {
  char text[256];
  int size =
      snprintf(text, sizeof text,
               "*3\r\n$3\r\nSET\r\n$8\r\nmeasured\r\n$10\r\n%010" PRIu32 "\r\n"
               "*3\r\n$4\r\nWAIT\r\n$1\r\n%d\r\n$1\r\n0\r\n",
               session->instance,
               (int)(session->recording ? session->options->acks : session->options->replicas));
  session->request_due_ns = MOMENT_NEVER;
  session->request_arrived = ticks(session);
  if (send(session->client, text, (size_t)size, MSG_NOSIGNAL) != size) {
    complain("sending to the primary: %s", strerror(errno));
    return false;
  }
  return true;
}

static void write_left(struct session *session, size_t replica) {
  struct trace_node *primary = &session->trace.primary;
  if (session->set_end == 0) {
    session->set_end = ticks(session);
    if (session->recording) {
      trace_arrive(primary, primary->request, place(session, -1), session->request_arrived,
                   session->request_arrived, &session->request);
      trace_step(primary, primary->set, place(session, -1), session->request_arrived,
                 session->set_end);
      for (size_t i = 0; i < session->options->replicas; i++)
        trace_send(primary, primary->write, place(session, (int)i), session->set_end,
                   &session->parts[i].write);
    }
  }
  session->links[replica].down.due_ns = due(session);
}

static void write_deliver(struct session *session, size_t replica) {
  struct part *part = &session->parts[replica];
  part->write_arrived = ticks(session);
}

static void ack_left(struct session *session, size_t replica) {
  struct part *part = &session->parts[replica];
  struct trace_node *node = &session->trace.replica[replica];
  struct trace_place here = place(session, (int)replica);
  part->answered = ticks(session);
  session->links[replica].up.due_ns = due(session);
  if (!session->recording)
    return;
  trace_arrive(node, node->write, here, part->write_arrived, part->write_arrived, &part->write);
  trace_step(node, node->apply, here, part->write_arrived, part->answered);
  trace_send(node, node->ack, here, part->answered, &part->ack);
}

/* The primary takes an answer that has arrived, at `start`, and is done with it at `end`. */
static void collect(struct session *session, size_t replica, uint64_t start, uint64_t end) {
  struct trace_node *primary = &session->trace.primary;
  struct part *part = &session->parts[replica];
  struct trace_place here = place(session, (int)replica);
  part->collected = true;
  session->parts_collected++;
  session->last_collected = end;
  if (!session->recording)
    return;
  trace_arrive(primary, primary->ack, here, part->ack_arrived, start, &part->ack);
  trace_step(primary, primary->collect, here, start, end);
}

/* Answers before the one that completes the count, and after the reply, take no time that is seen
 * from outside. The completing one is collected when the reply leaves. */
static void ack_deliver(struct session *session, size_t replica) {
  struct part *part = &session->parts[replica];
  part->ack_arrived = ticks(session);
  if (session->replied != 0 || session->parts_collected + 1 < session->options->acks)
    collect(session, replica, part->ack_arrived, part->ack_arrived);
}

/* The reply has left the primary: the earliest answer that is not collected has completed the
 * count, those after it were taken when it was done. */
static bool reply_left(struct session *session) {
  struct trace_node *primary = &session->trace.primary;
  size_t completing = REPLICAS_MAX;
  session->replied = ticks(session);
  for (size_t i = 0; i < session->options->replicas; i++)
    if (session->parts[i].ack_arrived != 0 && !session->parts[i].collected &&
        (completing == REPLICAS_MAX ||
         session->parts[i].ack_arrived < session->parts[completing].ack_arrived))
      completing = i;
  if (session->recording && completing == REPLICAS_MAX) {
    complain("request %" PRIu32 ": the primary replied before enough answers had reached it; the "
             "protocol file does not describe this server",
             session->instance);
    return false;
  }
  session->reply_due_ns = due(session);
  if (!session->recording)
    return true;
  uint64_t start = session->parts[completing].ack_arrived;
  trace_occurrence(primary, primary->finish, place(session, -1), start, session->replied);
  collect(session, completing, start, session->replied);
  trace_send(primary, primary->reply, place(session, -1), session->replied, &session->reply);
  for (size_t i = 0; i < session->options->replicas; i++)
    if (session->parts[i].ack_arrived != 0 && !session->parts[i].collected)
      collect(session, i, session->replied, session->replied);
  return true;
}

static void reply_deliver(struct session *session) {
  struct trace_node *client = &session->trace.client;
  session->reply_due_ns = MOMENT_NEVER;
  session->reply_arrived = ticks(session);
  if (!session->recording)
    return;
  trace_arrive(client, client->reply, place(session, -1), session->reply_arrived, 0,
               &session->reply);
  trace_step(client, client->round, place(session, -1), session->asked, session->reply_arrived);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static bool request_over(const struct session *session) {
  for (size_t i = 0; i < session->options->replicas; i++)
    if (session->links[i].open || session->parts[i].ack_arrived == 0 ||
        (session->recording && !session->parts[i].collected))
      return false;
  return session->reply_arrived != 0;
}

/* Does what is due. False after a complaint. */
static bool release_due(struct session *session) {
  uint64_t now = moment_ns();
  if (session->request_due_ns <= now && !request_deliver(session))
    return false;
  for (size_t i = 0; i < session->options->replicas; i++) {
    struct link *link = &session->links[i];
    if (link->down.due_ns <= now) {
      write_deliver(session, i);
      if (!pipeline_release(&link->down))
        return false;
    }
    if (link->up.due_ns <= now) {
      ack_deliver(session, i);
      if (!pipeline_release(&link->up))
        return false;
    }
  }
  if (session->reply_due_ns <= now)
    reply_deliver(session);
  return true;
}

static uint64_t next_due(const struct session *session) {
  uint64_t next = session->deadline_ns;
  if (session->pause_end_ns > moment_ns() && session->pause_end_ns < next)
    next = session->pause_end_ns;
  if (session->request_due_ns < next)
    next = session->request_due_ns;
  if (session->reply_due_ns < next)
    next = session->reply_due_ns;
  for (size_t i = 0; i < session->options->replicas; i++) {
    if (session->links[i].down.due_ns < next)
      next = session->links[i].down.due_ns;
    if (session->links[i].up.due_ns < next)
      next = session->links[i].up.due_ns;
  }
  return next;
}

static bool replies_take(struct session *session) {
  char bytes[4096];
  ssize_t size = recv(session->client, bytes, sizeof bytes, 0);
  if (size <= 0) {
    complain("the primary closed the connection of its client");
    return false;
  }
  for (ssize_t i = 0; i < size; i++) {
    enum stream_event event = stream_feed(&session->replies, bytes[i]);
    if (event == STREAM_ERROR) {
      complain("the primary replies %s", session->replies.line);
      return false;
    }
    if (event == STREAM_NUMBER && !reply_left(session))
      return false;
  }
  return true;
}

static bool link_take(struct session *session, size_t replica, bool from_primary) {
  struct link *link = &session->links[replica];
  switch (from_primary ? link_take_down(link) : link_take_up(link)) {
  case LINK_NOTHING:
    return true;
  case LINK_WRITE:
    write_left(session, replica);
    return true;
  case LINK_ACK:
    ack_left(session, replica);
    return true;
  case LINK_STRAY:
    if (!session->recording) { /* an answer of its own was taken for the one to an earlier write */
      link->offset = link->up.stream.value;
      link->open = false;
      ack_left(session, replica);
      return true;
    }
    complain("replica %zu answers %" PRIu64 ", which fits no write", replica,
             link->up.stream.value);
    return false;
  case LINK_FAILED:
    break;
  }
  return false;
}

/* Waits for what comes next and takes it. False after a complaint or when told to stop. */
static bool session_step(struct session *session) {
  struct pollfd polled[1 + 2 * REPLICAS_MAX];
  size_t replicas = session->options->replicas;
  polled[0] = (struct pollfd){.fd = session->client, .events = POLLIN};
  for (size_t i = 0; i < replicas; i++) {
    polled[1 + 2 * i] = (struct pollfd){.fd = session->links[i].down.from, .events = POLLIN};
    polled[2 + 2 * i] = (struct pollfd){.fd = session->links[i].up.from, .events = POLLIN};
  }
  struct timespec left = moment_left(next_due(session));
  int ready = ppoll(polled, 1 + 2 * replicas, &left, process_waiting_mask());
  if (process_stopping())
    return false;
  if (ready < 0 && errno != EINTR) {
    complain("waiting for the Redis servers: %s", strerror(errno));
    return false;
  }
  for (size_t i = 0; ready > 0 && i < 1 + 2 * replicas; i++)
    if (polled[i].revents != 0 &&
        !(i == 0 ? replies_take(session) : link_take(session, (i - 1) / 2, i % 2 == 1)))
      return false;
  if (moment_ns() >= session->deadline_ns) {
    complain("request %" PRIu32 ": no reply within %" PRIu64 " s (--timeout)", session->instance,
             session->options->timeout_s);
    return false;
  }
  return release_due(session);
}

/* ---- from the start to the end --------------------------------------------------------------- */

static bool links_open(struct session *session) {
  for (size_t i = 0; i < session->options->replicas; i++) {
    struct pollfd polled = {.fd = session->options->listeners[i], .events = POLLIN};
    int replica = -1, primary = -1;
    if (poll(&polled, 1, 20000) == 1)
      replica = accept(session->options->listeners[i], NULL, NULL);
    if (replica < 0) {
      complain("replica %zu does not connect to its primary", i);
      return false;
    }
    primary = server_connect(session->options->primary_port, "primary", 10);
    if (primary < 0)
      return false;
    link_init(&session->links[i], i, replica, primary);
  }
  return true;
}

/* Bytes pass at once until all replicas have the primary's data and say so. */
static bool replicas_follow(struct session *session) {
  session->deadline_ns = moment_ns() + UINT64_C(30000000000);
  session->request_due_ns = session->reply_due_ns = MOMENT_NEVER;
  stream_init(&session->replies);
  if (!request_deliver(session))
    return false;
  while (session->replied == 0)
    if (!session_step(session))
      return false;
  return true;
}

/* What the servers tell each other meanwhile passes. */
static bool pause_run(struct session *session) {
  uint64_t mean_ns = session->options->pause_us * 1000;
  if (mean_ns == 0)
    return true;
  session->pause_end_ns = moment_ns() + random_exponential(&session->random, mean_ns);
  session->deadline_ns = MOMENT_NEVER;
  while (moment_ns() < session->pause_end_ns)
    if (!session_step(session))
      return false;
  return true;
}

static bool requests_run(struct session *session) {
  for (uint64_t i = 0; i < WARM_UP + session->options->requests; i++) {
    session->recording = i >= WARM_UP;
    session->instance = (uint32_t)(session->recording ? i - WARM_UP : i);
    for (size_t j = 0; j < session->options->replicas; j++)
      session->links[j].known = i >= WARM_UP / 2;
    if (session->recording && !pause_run(session))
      return false;
    request_begin(session);
    while (!request_over(session))
      if (!session_step(session))
        return false;
  }
  return true;
}

int session_run(void *context) {
  const struct session_options *options = context;
  struct session *session = calloc(1, sizeof *session);
  bool good = false;
  if (session == NULL) {
    complain("out of memory");
    return EXIT_FAILED;
  }
  session->options = options;
  session->random = random_seeded(options->seed, 1);
  session->client = server_connect(options->primary_port, "primary", 10);
  if (session->client >= 0 && links_open(session) &&
      trace_open(&session->trace, options->store, (size_t)options->replicas, options->requests))
    good = replicas_follow(session) && requests_run(session);
  good = trace_close(&session->trace) && good;
  free(session);
  return good ? EXIT_SUCCESS : EXIT_FAILED;
}

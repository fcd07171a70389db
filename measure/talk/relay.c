/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/talk/relay.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/talk/exchange.h"
#include "measure/talk/names.h"

/* --- learning --- */

static int by_thread(const void *a, const void *b) {
  const struct talk_event *one = a, *other = b;
  if (one->process != other->process)
    return one->process < other->process ? -1 : 1;
  if (one->thread != other->thread)
    return one->thread < other->thread ? -1 : 1;
  return one->time_ns < other->time_ns ? -1 : one->time_ns > other->time_ns;
}

static bool is_asked(const struct talk *talk, uint32_t process) {
  const struct talk_process *found = talk_table_process(&talk->table, process);
  return found != NULL && found->asked;
}

/* The part of whoever holds the other end of a connection to the broker's port; TALK_NONE. */
static long other_end(const struct talk *talk, const struct talk_parts *parts, uint16_t port,
                      uint16_t other) {
  for (size_t i = 0; i < talk->events.count; i++) {
    const struct talk_event *event = &talk->events.data[i];
    if (event->local == other && event->remote == port)
      return talk_part_of(parts, event->process);
  }
  return TALK_NONE;
}

/* How many messages a thread sends to others of the port behind a taken one, until it takes more. */
static unsigned passed_on(const struct talk_event *events, size_t count, size_t at, size_t *last) {
  unsigned passed = 0;
  for (size_t i = at + 1; i < count && events[i].thread == events[at].thread &&
                          events[i].process == events[at].process && events[i].sends;
       i++)
    if (events[i].local == events[at].local && events[i].remote != events[at].remote) {
      passed++;
      *last = i;
    }
  return passed;
}

/* Whether a message is taken in pieces, of which another one follows. */
static bool goes_on(const struct talk_event *event, const struct talk_event *next) {
  return !next->sends && next->process == event->process && next->thread == event->thread &&
         next->local == event->local && next->remote == event->remote;
}

static void count_message(struct talk_relay *relay, const struct talk *talk,
                          const struct talk_parts *parts, const struct talk_event *events,
                          size_t count, size_t at) {
  size_t to = 0;
  if (passed_on(events, count, at, &to) != 1)
    return;
  if (relay->passed == 0) {
    relay->port = events[at].local;
    relay->broker = talk_part_of(parts, events[at].process);
    relay->sender = other_end(talk, parts, relay->port, events[at].remote);
    relay->receiver = other_end(talk, parts, relay->port, events[to].remote);
  }
  relay->passed += events[at].local == relay->port;
}

static bool has_pattern(const struct talk_parts *parts, long part) {
  return part != TALK_NONE && parts->list.data[part].pattern != NULL;
}

static const char *judge(const struct talk_relay *relay, const struct talk_parts *parts) {
  enum { ENOUGH = 20 };
  if (relay->messages == 0)
    return "no process that was named was asked anything over TCP, nor asked, while this was "
           "recorded; put load on it, or record for longer with --seconds";
  if (relay->messages < ENOUGH || (double)relay->passed < 0.95 * (double)relay->messages)
    return "what was sent to the processes that were named was not answered on its connection, nor "
           "passed on to one other: sockets do not tell when a request ends (a broker with several "
           "receivers, a stream). Write moments that compare what is in the messages "
           "(docs/outside.md)";
  if (!has_pattern(parts, relay->sender) || !has_pattern(parts, relay->broker) ||
      !has_pattern(parts, relay->receiver) || relay->sender == relay->receiver)
    return "messages are passed on, but by command lines sender, broker and receiver cannot be "
           "told "
           "apart, or they are on other hosts";
  return NULL;
}

void relay_learn(struct talk_relay *relay, const struct talk *talk,
                 const struct talk_parts *parts) {
  *relay = (struct talk_relay){.sender = TALK_NONE, .broker = TALK_NONE, .receiver = TALK_NONE};
  size_t count = talk->events.count;
  struct talk_event *events = mem_alloc(count + 1, sizeof *events);
  for (size_t i = 0; i < count; i++)
    events[i] = talk->events.data[i];
  qsort(events, count, sizeof *events, by_thread);
  for (size_t i = 0; i < count; i++) {
    if (events[i].sends || (i + 1 < count && goes_on(&events[i], &events[i + 1])) ||
        !is_asked(talk, events[i].process) || !talk_table_listens(&talk->table, events[i].local, 0))
      continue;
    relay->messages++;
    count_message(relay, talk, parts, events, count, i);
  }
  mem_free(events);
  relay->stopped = judge(relay, parts);
  if (relay->stopped == NULL)
    talk_role_name(relay->name, parts->list.data[relay->broker].program, relay->port);
}

/* --- writing --- */

void relay_probes(struct text *text, const struct talk_relay *relay, const struct talk_parts *parts,
                  const char *origin) {
  const char *name = relay->name;
  unsigned port = relay->port;
  text_format(text,
              "# A draft, %s. Edit it as you like; docs/outside.md says what stands here.\n#\n"
              "# guess: %s passes each message on in the thread that took it, to one receiver.\n\n"
              "probes:\n"
              "  sent_%u: {socket.send: %u, read: {local: local, remote: remote, begins: begins, "
              "ends: ends, bytes: "
              "bytes}}\n"
              "  received_%u: {socket.receive: %u, read: {local: local, remote: remote, begins: "
              "begins, ends: ends, "
              "bytes: bytes}}\n\nplaces:\n",
              origin, name, port, port, port, port);
  talk_pattern_append(text, "sender", parts->list.data[relay->sender].pattern);
  talk_pattern_append(text, name, parts->list.data[relay->broker].pattern);
  talk_pattern_append(text, "receiver", parts->list.data[relay->receiver].pattern);
  text_format(
      text,
      "\nmoments:\n"
      "  asked: {probe: sent_%u, at: sender, where: 'remote == %u'}\n"
      "  took: {probe: received_%u, at: %s, where: 'remote == asked.local and ends >= "
      "asked.ends'}\n"
      "  passed: {probe: sent_%u, at: %s, where: 'thread == took.thread and remote != "
      "took.remote'}\n"
      "  got: {probe: received_%u, at: receiver, where: 'local == passed.remote and ends >= "
      "passed.ends'}\n\n"
      "request: {name: request, node: receiver, from: asked, to: got}\nqueueing: Queuing\n\n"
      "steps:\n  sender.Begin: {at: asked}\n"
      "  %s.Pass: {from: took, to: passed, component: Pass_%s}\n\n"
      "messages:\n"
      "  Request: {from: sender, to: %s, sent: asked, arrived: took, delay: d}\n"
      "  Reply: {from: %s, to: receiver, sent: passed, arrived: got, delay: d}\n",
      port, port, port, name, port, name, port, name, name, name, name);
}

void relay_protocol(struct text *text, const struct talk_relay *relay, const char *origin) {
  const char *name = relay->name;
  text_format(
      text,
      "# A draft of how %s passes a message on, %s.\n\n"
      "protocol %s\n\nrole sender, %s\nexternal receiver\n\ncomponent Pass_%s\ndelay     d\n"
      "queueing  Queuing\n\n"
      "message Request : sender -> %s\nmessage Reply : %s -> receiver\n\n"
      "state sender { asked : bool = false }\n\n"
      "action sender.Begin { when not asked  asked := true  send Request }\n"
      "action %s.Pass on Request cost Pass_%s { send Reply }\n\n"
      "bound request: delivered Reply within ?\n",
      name, origin, name, name, name, name, name, name, name);
}

void relay_events(struct text *text, const struct talk_relay *relay, const struct talk_parts *parts,
                  const struct talk *talk) {
  const struct shape_call call = {
      .port = relay->port, .members = 3, .part = {relay->sender, relay->broker, relay->receiver}};
  struct talk_shape shape = {.count = 1, .client = relay->sender};
  shape.calls[0] = call;
  const struct talk_draft draft = {.shape = &shape, .parts = parts};
  draft_events(text, &draft, talk);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tp_loop.h"

#include <string.h>

#include "tp_clock.h"
#include "tp_hold.h"
#include "tp_order.h"
#include "tp_packet.h"
#include "tp_record.h"

enum { OWN_STEPS = 16 };

int32_t tp_loop_number(const struct tp_role *role, const void *node, int32_t of, int32_t index) {
  int32_t number = index;
  if (of < 0 || of >= role->role_count || index < 0 || index >= role->count(node, of))
    return -1;
  for (int32_t i = 0; i < of; i++)
    number += role->count(node, i);
  return number;
}

/* --- opening ---------------------------------------------------------------------------------- */

const char *tp_loop_open(struct tp_loop *loop, const struct tp_role *role, void *node, int32_t self,
                         uint64_t run, const struct tp_port *port, struct tailproof_store *store) {
  int64_t peers = 0;
  memset(loop, 0, sizeof *loop);
  for (int32_t i = 0; i < role->role_count; i++)
    peers += role->count(node, i);
  if (peers > TP_PEERS)
    return "the protocol has more nodes than a loop can tell apart (TP_PEERS)";
  if (role->action_count > TP_NAMES || role->kind_count > TP_NAMES ||
      role->component_count > TP_NAMES)
    return "the protocol has more actions, messages or components than a loop has place for "
           "(TP_NAMES)";
  loop->role = role;
  loop->node = node;
  loop->port = port;
  loop->self = self;
  loop->peers = (int32_t)peers;
  loop->digest = tp_packet_digest(role, node, run);
  return store == NULL ? NULL : tp_record_names(loop, store);
}

void tp_loop_begin_at(struct tp_loop *loop, uint32_t instance, uint64_t began) {
  tp_loop_begin(loop, instance);
  loop->began = began;
  loop->started = true;
}

void tp_loop_begin(struct tp_loop *loop, uint32_t instance) {
  loop->role->begin(loop->node);
  loop->instance = instance;
  loop->free = 0;
  loop->began = tp_clock_now(loop);
  loop->started = false;
  loop->waiting_count = loop->held_count = 0;
  loop->own = OWN_STEPS;
  tp_order_begin(loop);
}

/* --- sending ---------------------------------------------------------------------------------- */

static void leave(struct tp_loop *loop) {
  for (int32_t i = 0; i < loop->leaving_count; i++) {
    struct tp_leaving *leaving = &loop->leaving[i];
    if (!tp_packet_send(loop, leaving->to, leaving->packet, TP_PACKET))
      loop->broken = true;
  }
  loop->leaving_count = 0;
}

void tp_loop_send(struct tp_loop *loop, const struct tp_message *m, int32_t index) {
  const struct tp_kind *kind = &loop->role->kinds[m->kind];
  const int32_t to = tp_loop_number(loop->role, loop->node, kind->receiver, index);
  const uint64_t at = tp_hold_until(loop, m->kind);
  if (at > loop->last.end) {
    tp_hold(loop, m, to, index, at);
    return;
  }
  if (loop->leaving_count == TP_OUT)
    leave(loop);
  struct tp_leaving *leaving = &loop->leaving[loop->leaving_count++];
  leaving->to = to;
  const uint32_t number = ++loop->sequence;
  tp_packet_put(leaving->packet, loop, TP_WITH_MESSAGE, leaving->to, number,
                tp_order_sent(loop, kind, leaving->to, number));
  tp_message_encode(leaving->packet + TP_HEAD, m);
  tp_record_sent(loop, m, index, at, leaving->packet + TP_HEAD + TP_BYTES);
}

/* --- a step ----------------------------------------------------------------------------------- */

void tp_loop_part(struct tp_loop *loop) {
  if (loop->part + 1 < loop->taken.part_count)
    loop->part_ends[loop->part++] = tp_clock_now(loop);
}

/* Bytes that the port has, or that come so soon; how many, as the port says. */
static int port_receive(struct tp_loop *loop, struct tp_bytes *bytes, int64_t wait_ns) {
  bytes->arrived = 0;
  bytes->size = loop->port->receive(loop->port->context, bytes->bytes, sizeof bytes->bytes,
                                    &bytes->arrived, wait_ns);
  loop->broken = loop->broken || bytes->size < 0;
  if (bytes->arrived == 0)
    bytes->arrived = tp_clock_now(loop);
  return bytes->size;
}

/* When the step starts, which a message starts that came, or that the program let happen, then. */
static uint64_t start_of(const struct tp_loop *loop, bool message, uint64_t then) {
  uint64_t start = loop->free != 0 ? loop->free : message ? 0 : loop->began;
  if (message && loop->role->queueing != NULL && !loop->role->advanced && loop->busy > start)
    start = loop->busy;
  return then > start ? then : start;
}

/* Reads what is there before the step ends, where the next message is to be the most urgent one. */
static void read_ahead(struct tp_loop *loop) {
  int size = loop->role->priorities != 0;
  while (size > 0 && loop->ahead_count < TP_AHEAD) {
    struct tp_bytes *bytes = &loop->ahead[loop->ahead_count];
    size = port_receive(loop, bytes, 0);
    loop->ahead_count += size > 0;
  }
}

/* The step is taken: it works, ends, and is recorded; then its messages leave. `since`: when its
 * message came, or the program let it happen. */
static void finish(struct tp_loop *loop, const struct tp_waiting *taken, uint64_t since) {
  const struct tp_role *role = loop->role;
  const int32_t action = loop->taken.action;
  const uint64_t start = start_of(loop, taken != NULL, since);
  loop->part = 0;
  if (loop->port->work != NULL && !loop->port->work(loop->port->context, action))
    loop->broken = true;
  read_ahead(loop);
  bool charged = role->actions[action].component != NULL || loop->taken.part_count != 0;
  uint64_t end = charged ? tp_clock_now(loop) : start;
  if (loop->free == 0 && role->dated)
    tp_record_beginning(loop);
  loop->last = (struct tp_step){action, start, end, 0, 0};
  loop->free = loop->busy = end;
  if (role->pass != NULL)
    role->pass(loop->node, tp_clock_passed(loop, end));
  loop->counts.steps++;
  tp_hold_let_go(loop, end);
  if (role->drain != NULL)
    role->drain(loop->node, loop);
  tp_record_step(loop, taken);
  leave(loop);
}

/* --- receiving -------------------------------------------------------------------------------- */

static void refuse(struct tp_loop *loop, uint64_t arrived) {
  loop->counts.refused++;
  tp_record_refused(loop, arrived);
}

/* Whether the node in the head may send the message to this one. */
static bool is_between(const struct tp_loop *loop, const struct tp_message *m, int32_t from) {
  const struct tp_role *role = loop->role;
  const struct tp_kind *kind = &role->kinds[m->kind];
  int32_t first = tp_loop_number(role, loop->node, kind->sender, 0), index = from - first;
  return kind->receiver == role->role && index >= 0 &&
         index < role->count(loop->node, kind->sender) &&
         (kind->sender_field < 0 || m->field[kind->sender_field] == index) &&
         (kind->receiver_field < 0 || tp_loop_number(role, loop->node, role->role,
                                                     m->field[kind->receiver_field]) == loop->self);
}

/* The instance began when another node says. What is of another clock can be any number; then it
 * began at the latest now. */
static void adopt_beginning(struct tp_loop *loop, uint64_t began, uint64_t arrived) {
  const uint64_t minutes = UINT64_C(1) << 40;
  loop->began = began <= arrived && arrived - began < minutes ? began : arrived;
  loop->started = true;
}

/* A message that no action takes has come. */
static void deliver(struct tp_loop *loop, const struct tp_waiting *delivered) {
  const uint64_t arrived = delivered->arrived;
  loop->last = (struct tp_step){-1, arrived, arrived, arrived, arrived};
  loop->counts.delivered++;
  tp_record_delivered(loop, delivered);
}

static void accept_message(struct tp_loop *loop, const struct tp_head *head, const uint8_t *packet,
                           uint64_t arrived) {
  struct tp_waiting waiting = {
      .from = head->from, .number = head->number, .before = head->before, .arrived = arrived};
  if (!tp_message_decode(&waiting.message, packet + TP_HEAD, TP_BYTES) ||
      !loop->role->valid(loop->node, &waiting.message) ||
      !is_between(loop, &waiting.message, head->from)) {
    refuse(loop, arrived);
    return;
  }
  if (!tp_packet_is_first(&loop->seen[head->from], head->number)) {
    loop->counts.repeated++;
    return;
  }
  if (head->instance < loop->instance) {
    loop->counts.late++;
    return;
  }
  if (head->instance > loop->instance)
    tp_loop_begin(loop, head->instance);
  if (!loop->started && loop->free == 0)
    adopt_beginning(loop, head->began, arrived);
  memcpy(waiting.stamp, packet + TP_HEAD + TP_BYTES, sizeof waiting.stamp);
  if (!loop->role->kinds[waiting.message.kind].taken) {
    deliver(loop, &waiting);
    return;
  }
  if (tp_order_is_lost(loop, &waiting)) {
    loop->counts.late++;
    return;
  }
  if (loop->waiting_count == TP_WAITING) {
    loop->counts.full++;
    return;
  }
  loop->waiting[loop->waiting_count++] = waiting;
  loop->look = true;
}

/* The first of the bytes that were read ahead. */
static int next_ahead(struct tp_loop *loop, struct tp_bytes *bytes) {
  *bytes = loop->ahead[0];
  loop->ahead_count--;
  memmove(&loop->ahead[0], &loop->ahead[1], (size_t)loop->ahead_count * sizeof *bytes);
  return bytes->size;
}

/* Waits for one packet. False: none came. */
static bool receive(struct tp_loop *loop, int64_t wait_ns) {
  struct tp_bytes bytes;
  const uint64_t asked = loop->role->rests == NULL ? 0 : tp_clock_now(loop);
  struct tp_head head;
  int size =
      loop->ahead_count != 0 ? next_ahead(loop, &bytes) : port_receive(loop, &bytes, wait_ns);
  uint8_t *packet = bytes.bytes;
  const uint64_t arrived = bytes.arrived;
  loop->heard = size > 0 ? arrived : asked;
  if (size <= 0)
    return false;
  if (!tp_packet_get(&head, loop, packet, (size_t)size)) {
    refuse(loop, arrived);
    return true;
  }
  loop->met[head.from] = true;
  if (head.what == TP_WITH_MESSAGE) {
    accept_message(loop, &head, packet, arrived);
  } else if (head.what == TP_GREETING) {
    tp_packet_put(packet, loop, loop->started ? TP_STARTED : TP_GREETED, head.from, 0, 0);
    loop->broken |= !tp_packet_send(loop, head.from, packet, TP_HEAD);
  } else if (head.what == TP_STARTED && head.instance == loop->instance && !loop->started) {
    adopt_beginning(loop, head.began, arrived);
  }
  return true;
}

static bool has_address(const struct tp_loop *loop, int32_t node) {
  return loop->port->knows == NULL || loop->port->knows(loop->port->context, node);
}

/* A node that the start waits for: one of which nothing was heard, or the first, which starts; -1:
 * there is none. */
static int32_t missing(const struct tp_loop *loop) {
  int32_t first = -1;
  for (int32_t i = 0; i < loop->peers; i++) {
    if (!has_address(loop, i))
      continue;
    if (i != loop->self && !loop->met[i])
      return i;
    if (first < 0)
      first = i;
  }
  return first < 0 || first == loop->self || loop->started ? -1 : first;
}

static void greet(struct tp_loop *loop) {
  uint8_t packet[TP_HEAD];
  for (int32_t i = 0; i < loop->peers; i++) {
    if (i == loop->self || !has_address(loop, i) || (loop->met[i] && i != missing(loop)))
      continue;
    tp_packet_put(packet, loop, TP_GREETING, i, 0, 0);
    loop->broken |= !tp_packet_send(loop, i, packet, TP_HEAD);
  }
}

int32_t tp_loop_meet(struct tp_loop *loop, int64_t wait_ns) {
  const int64_t again_ns = 20000000;
  for (; missing(loop) >= 0 && wait_ns > 0 && !loop->broken; wait_ns -= again_ns) {
    greet(loop);
    while (!loop->broken && missing(loop) >= 0 && receive(loop, again_ns))
      ;
  }
  if (loop->broken)
    return -2;
  if (!loop->started && missing(loop) < 0) {
    loop->began = tp_clock_now(loop);
    loop->started = true;
  }
  return missing(loop);
}

/* --- stepping --------------------------------------------------------------------------------- */

/* A step with message number i of those that wait, if it can be taken: it is not held, came up to
 * `last`, and some action is enabled. */
static enum tp_verdict take_one(struct tp_loop *loop, int32_t i, uint64_t last) {
  const uint64_t arrived = tp_order_arrived(loop, &loop->waiting[i]);
  if (arrived > last || tp_order_is_held(loop, &loop->waiting[i]))
    return TP_DISABLED;
  const int64_t now = loop->role->timed ? tp_clock_passed(loop, start_of(loop, true, arrived)) : 0;
  enum tp_verdict verdict =
      loop->role->take(loop->node, &loop->waiting[i].message, now, &loop->taken);
  if (verdict != TP_DONE)
    return verdict;
  struct tp_waiting taken = loop->waiting[i];
  taken.arrived = arrived;
  loop->waiting_count--;
  memmove(&loop->waiting[i], &loop->waiting[i + 1],
          (size_t)(loop->waiting_count - i) * sizeof taken);
  tp_order_taken(loop, &taken);
  finish(loop, &taken, taken.arrived);
  return TP_DONE;
}

/* The same with the first message of this priority, or a higher one. */
static enum tp_verdict take_first(struct tp_loop *loop, int32_t priority, uint64_t last) {
  enum tp_verdict verdict = TP_DISABLED;
  for (int32_t i = 0; i < loop->waiting_count && verdict == TP_DISABLED; i++)
    if (loop->role->kinds[loop->waiting[i].message.kind].priority >= priority)
      verdict = take_one(loop, i, last);
  return verdict;
}

/* Takes a message that came up to `last`: of those that were there when the node became free one of
 * the highest priority, else the first that came. */
static enum tp_verdict take(struct tp_loop *loop, uint64_t last) {
  const uint64_t free = start_of(loop, true, 0);
  enum tp_verdict verdict = TP_DISABLED;
  loop->listen = loop->ahead_count != 0;
  if (loop->listen)
    return verdict;
  for (int32_t p = loop->role->priorities; p > 0 && verdict == TP_DISABLED; p--)
    verdict = take_first(loop, p, free < last ? free : last);
  return verdict == TP_DISABLED ? take_first(loop, 0, last) : verdict;
}

/* Whether the program lets the node take a step that no message starts, and since when. */
static bool is_ready(const struct tp_loop *loop, uint64_t *since) {
  const struct tp_port *port = loop->port;
  *since = 0;
  return port->ready == NULL || loop->role->scheduled || port->ready(port->context, since);
}

/* A step of the node's own that starts at `since`, or when the node is free after that. */
static enum tp_verdict act(struct tp_loop *loop, uint64_t since) {
  const int64_t now = loop->role->timed ? tp_clock_passed(loop, start_of(loop, false, since)) : 0;
  enum tp_verdict verdict = loop->role->act(loop->node, now, &loop->taken);
  if (verdict == TP_DONE)
    finish(loop, NULL, since);
  return verdict;
}

/* A step of a node that has rested until then, once all messages are known that came before. */
static enum tp_verdict wake(struct tp_loop *loop, uint64_t rest) {
  loop->listen = loop->heard < rest;
  if (loop->listen)
    return TP_DISABLED;
  enum tp_verdict verdict =
      loop->role->wake(loop->node, tp_clock_free(loop), tp_clock_passed(loop, rest), &loop->taken);
  if (verdict == TP_DONE)
    finish(loop, NULL, rest);
  return verdict;
}

/* A step that no message starts, of those enabled the earliest. The program lets it happen since
 * `since`, the next timer passes at `timer`, and the node has rested until `rest` (ticks;
 * UINT64_MAX: not yet). */
static enum tp_verdict act_first(struct tp_loop *loop, uint64_t since, uint64_t timer,
                                 uint64_t rest) {
  enum tp_verdict verdict = loop->role->act == NULL ? TP_DISABLED : act(loop, since);
  if (verdict == TP_DISABLED && rest < timer)
    verdict = wake(loop, rest);
  else if (verdict == TP_DISABLED && timer != UINT64_MAX)
    verdict = act(loop, timer);
  loop->own -= verdict == TP_DONE;
  return verdict;
}

/* When the next timer passes, in ns since the beginning; INT64_MAX: none does. */
static int64_t next_timer(const struct tp_loop *loop) {
  return loop->role->due == NULL ? INT64_MAX : loop->role->due(loop->node);
}

/* The same of when the node has rested. */
static int64_t next_rest(const struct tp_loop *loop) {
  return loop->role->rests == NULL ? INT64_MAX : loop->role->rests(loop->node, tp_clock_free(loop));
}

/* Steps are taken in the order of their starts: a message that came after a timer had passed, or
 * the node had rested, is taken after the action that starts then. */
static enum tp_verdict step(struct tp_loop *loop) {
  uint64_t since;
  const bool ready = is_ready(loop, &since);
  uint64_t timer = UINT64_MAX, rest = UINT64_MAX;
  if (ready && loop->role->due != NULL)
    timer = tp_clock_tick(loop, next_timer(loop), since);
  if (ready && loop->role->rests != NULL)
    rest = tp_clock_tick(loop, next_rest(loop), since);
  const uint64_t due = timer < rest ? timer : rest;
  const uint64_t last = due != UINT64_MAX && due < loop->free ? loop->free : due;
  loop->taken.part_count = 0;
  loop->listen = false;
  enum tp_verdict verdict = loop->look ? take(loop, last) : TP_DISABLED;
  loop->look = loop->look && (due != UINT64_MAX || loop->listen);
  if (verdict == TP_DISABLED && ready && loop->own != 0 && !loop->listen)
    verdict = act_first(loop, since, timer, rest);
  if (verdict == TP_DONE)
    loop->look = loop->waiting_count != 0;
  return verdict;
}

/* So much of the waiting that the next timer does not pass unseen, nor the end of a rest. */
static int64_t wait_for(const struct tp_loop *loop, int64_t wait_ns) {
  const int64_t due[] = {next_timer(loop), next_rest(loop)};
  int64_t wait = wait_ns;
  if (due[0] == INT64_MAX && due[1] == INT64_MAX)
    return tp_hold_wait(loop, wait_ns);
  const int64_t now = tp_clock_passed(loop, tp_clock_now(loop));
  for (size_t i = 0; i < sizeof due / sizeof due[0]; i++)
    if (due[i] > now && due[i] - now < wait)
      wait = due[i] - now;
  return tp_hold_wait(loop, wait);
}

enum tp_turn tp_loop_turn(struct tp_loop *loop, int64_t wait_ns) {
  for (;;) {
    if (loop->held_count != 0)
      tp_hold_let_go(loop, tp_clock_now(loop));
    enum tp_verdict verdict = step(loop);
    if (loop->broken)
      return TP_BROKEN;
    if (verdict != TP_DISABLED)
      return verdict == TP_DONE ? TP_STEPPED : TP_STUCK;
    /* It may only look for messages before it goes on by itself. */
    const bool may_act = loop->own == 0 || loop->listen;
    const uint64_t delivered = loop->counts.delivered;
    const int64_t wait = may_act ? 0 : wait_for(loop, wait_ns);
    bool came = receive(loop, wait);
    if (loop->broken)
      return TP_BROKEN;
    if (loop->counts.delivered != delivered)
      return TP_DELIVERED;
    if (!came && !may_act && wait == wait_ns)
      return TP_IDLE;
    wait_ns -= came ? 0 : wait;
    loop->own = OWN_STEPS;
  }
}

void tp_loop_flush(struct tp_loop *loop) {
  const int64_t second_ns = 1000000000;
  while (loop->held_count != 0 && !loop->broken) {
    tp_hold_let_go(loop, tp_clock_now(loop));
    if (loop->held_count != 0 && !loop->broken)
      receive(loop, tp_hold_wait(loop, second_ns));
  }
}

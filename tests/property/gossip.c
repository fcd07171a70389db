/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rounds among pausers whose messages are lost, doubled and overtaken, whose connections break, who
 * restart, join and leave, and who hear of rounds that never were: nobody pauses twice in a round,
 * what is owed is realised or carried to the last nanosecond, and when all are connected again one
 * round settles everything. In virtual time, from seeds; the decisions are those of the program
 * (measure/throughput/poker/gossip.h, measure/throughput/core/pause.h).
 *
 * Prints TAP. gossip [--seeds N] [--first SEED]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/common/random.h"
#include "measure/throughput/core/pause.h"
#include "measure/throughput/poker/gossip.h"

enum { NODES = 12, LINKS = 48, MESSAGES = 4096, STEPS = 600, ROUNDS = 4096 };

/* One connection between two pausers; both have the same number for it. */
struct wire {
  int a, b;
  bool up;
};

struct message {
  int to;
  uint32_t link;
  uint64_t epoch, number;
};

struct node {
  bool present;
  struct gossip gossip;
  struct pause_ledger ledger;
  uint64_t begun, counted, per_request_ns;
  uint64_t should_owe; /* what the ledger is to say, reckoned here */
  bool paused[ROUNDS]; /* in which rounds of its epoch */
  uint64_t realised;
};

struct world {
  struct random random;
  struct node nodes[NODES];
  struct wire wires[LINKS];
  struct message messages[MESSAGES];
  int count, wire_count, message_count;
  uint64_t epoch, instances, sent, pauses, refused;
  uint64_t setting_ns[NODES]; /* pause per request in the latest epoch */
  bool calm;                  /* nothing is lost any more, pauses are exact */
  char failure[160];
};

static void fail(struct world *world, const char *what, int node) {
  if (world->failure[0] == '\0')
    snprintf(world->failure, sizeof world->failure, "%s (node %d)", what, node);
}

static uint64_t upto(struct world *world, uint64_t limit) {
  return random_upto(&world->random, limit);
}

static bool chance(struct world *world, uint64_t percent) {
  return upto(world, 99) < percent;
}

/* ---- one pauser, as measure/throughput/poker does it */

static void send_all(struct world *world, int from, const struct gossip_send *send) {
  for (uint32_t i = 0; i < send->count; i++) {
    const struct wire *wire = &world->wires[send->links[i]];
    if (!wire->up || (wire->a != from && wire->b != from))
      fail(world, "a message over a link that is gone", from);
    if (world->message_count == MESSAGES)
      continue; /* lost */
    world->sent++;
    world->messages[world->message_count++] =
        (struct message){.to = wire->a == from ? wire->b : wire->a,
                         .link = send->links[i],
                         .epoch = send->epoch,
                         .number = send->number};
  }
}

static void owe(struct world *world, int n) {
  struct node *node = &world->nodes[n];
  uint64_t requests = node->begun - node->counted;
  node->should_owe += requests * node->per_request_ns;
  if (!pause_owe(&node->ledger, requests, node->per_request_ns))
    fail(world, "the ledger is full", n);
  node->counted = node->begun;
}

/* A round was begun or accepted: the pause may fail, and is longer or shorter than asked for. */
static void pause_now(struct world *world, int n) {
  struct node *node = &world->nodes[n];
  uint64_t round = node->gossip.round.last;
  if (round < ROUNDS && node->paused[round])
    fail(world, "paused twice in a round", n);
  if (round < ROUNDS)
    node->paused[round] = true;
  owe(world, n);
  uint64_t due = pause_due(&node->ledger, world->calm ? 0 : 1000, 50000000);
  if (due == 0 || (!world->calm && chance(world, 10)))
    return;
  uint64_t had = world->calm ? due : due - due / 8 + upto(world, due / 4 + 20000);
  pause_realise(&node->ledger, had);
  node->realised += had;
  world->pauses++;
}

static void begin(struct world *world, int n) {
  struct gossip_send send;
  if (world->nodes[n].gossip.round.last + 1 >= ROUNDS ||
      gossip_begin(&world->nodes[n].gossip, &send) == 0)
    return;
  send_all(world, n, &send);
  pause_now(world, n);
}

static void hear(struct world *world, const struct message *message) {
  struct node *node = &world->nodes[message->to];
  struct gossip_send send;
  if (!node->present || !world->wires[message->link].up)
    return;
  struct round_state before = node->gossip.round;
  enum round_verdict verdict =
      gossip_hear(&node->gossip, message->link, message->epoch, message->number, &send);
  bool fresh = message->epoch == before.epoch && before.epoch != 0 && message->number > before.last;
  if ((verdict == ROUND_ACCEPTED) != fresh)
    fail(world, "a round was taken or refused wrongly", message->to);
  send_all(world, message->to, &send);
  if (verdict == ROUND_ACCEPTED)
    pause_now(world, message->to);
  else
    world->refused++;
}

static void enter(struct world *world, int n, uint64_t epoch, uint64_t per_request_ns) {
  struct node *node = &world->nodes[n];
  if (!gossip_enter(&node->gossip, epoch))
    return;
  node->counted = node->begun; /* requests so far owe nothing more */
  node->per_request_ns = per_request_ns;
  memset(node->paused, 0, sizeof node->paused);
}

/* ---- the network */

static void drop(struct world *world, int at) {
  world->messages[at] = world->messages[--world->message_count];
}

static void cut(struct world *world, int link) {
  struct wire *wire = &world->wires[link];
  wire->up = false;
  gossip_leave(&world->nodes[wire->a].gossip, (uint32_t)link);
  gossip_leave(&world->nodes[wire->b].gossip, (uint32_t)link);
  for (int i = world->message_count; i-- > 0;)
    if (world->messages[i].link == (uint32_t)link)
      drop(world, i);
}

static void connect_wire(struct world *world, int link) {
  struct wire *wire = &world->wires[link];
  struct node *a = &world->nodes[wire->a], *b = &world->nodes[wire->b];
  struct gossip_send to_b, to_a;
  if (wire->up || !a->present || !b->present)
    return;
  wire->up = true;
  gossip_join(&a->gossip, (uint32_t)link, &b->gossip.own, &to_b);
  gossip_join(&b->gossip, (uint32_t)link, &a->gossip.own, &to_a);
  send_all(world, wire->a, &to_b);
  send_all(world, wire->b, &to_a);
}

/* The books of one that ends must balance too. */
static void check_books(struct world *world, int n) {
  const struct node *node = &world->nodes[n];
  if (node->ledger.owed_ns != node->should_owe || node->ledger.realised_ns != node->realised)
    fail(world, "owed or realised was lost", n);
  if ((int64_t)(node->ledger.owed_ns - node->ledger.realised_ns) != node->ledger.carried_ns)
    fail(world, "owed is not realised + carried", n);
}

static void end(struct world *world, int n) {
  check_books(world, n);
  for (int l = 0; l < world->wire_count; l++)
    if (world->wires[l].up && (world->wires[l].a == n || world->wires[l].b == n))
      cut(world, l);
  world->nodes[n].present = false;
}

static void start(struct world *world, int n) {
  struct node *node = &world->nodes[n];
  *node = (struct node){.present = true};
  struct gossip_instance own = {++world->instances, random_bits(&world->random)};
  gossip_init(&node->gossip, &own);
  pause_init(&node->ledger);
}

/* A random connected graph, some of its edges twice. */
static void build(struct world *world) {
  world->count = 2 + (int)upto(world, NODES - 2);
  for (int n = 0; n < world->count; n++) {
    start(world, n);
    if (n > 0)
      world->wires[world->wire_count++] =
          (struct wire){.a = (int)upto(world, (uint64_t)n - 1), .b = n};
  }
  for (uint64_t more = upto(world, 20); more > 0; more--) {
    int a = (int)upto(world, (uint64_t)world->count - 1);
    int b = (int)upto(world, (uint64_t)world->count - 1);
    if (a != b)
      world->wires[world->wire_count++] = (struct wire){.a = a, .b = b};
  }
}

static void new_epoch(struct world *world) {
  world->epoch += 1 + upto(world, 3);
  for (int n = 0; n < world->count; n++)
    world->setting_ns[n] = chance(world, 20) ? 0 : upto(world, 400000);
}

/* ---- what happens */

static void deliver_any(struct world *world) {
  if (world->message_count == 0)
    return;
  int at = (int)upto(world, (uint64_t)world->message_count - 1);
  struct message message = world->messages[at];
  if (world->calm || !chance(world, 15)) /* otherwise it stays, and comes once more */
    drop(world, at);
  if (world->calm || !chance(world, 15)) /* lost */
    hear(world, &message);
}

/* From somebody who recorded an earlier round, or makes one up of an epoch that is not. */
static void forge(struct world *world) {
  struct message message = {.to = (int)upto(world, (uint64_t)world->count - 1)};
  message.link = (uint32_t)upto(world, (uint64_t)world->wire_count - 1);
  const struct wire *wire = &world->wires[message.link];
  if (wire->a != message.to && wire->b != message.to)
    return;
  uint64_t epoch = world->nodes[message.to].gossip.round.epoch;
  bool replay = epoch == world->epoch && chance(world, 50);
  message.epoch = replay              ? epoch
                  : chance(world, 50) ? world->epoch + 1 + upto(world, 5)
                                      : upto(world, epoch);
  if (message.epoch == epoch && !replay)
    return;
  message.number =
      replay ? upto(world, world->nodes[message.to].gossip.round.last) : upto(world, ROUNDS);
  hear(world, &message);
}

static void happen(struct world *world) {
  int n = (int)upto(world, (uint64_t)world->count - 1);
  int link = (int)upto(world, (uint64_t)world->wire_count - 1);
  uint64_t dice = upto(world, 999);
  struct node *node = &world->nodes[n];
  if (dice < 400)
    deliver_any(world);
  else if (dice < 700)
    node->begun += node->present ? upto(world, 50) : 0;
  else if (dice < 800)
    begin(world, node->present ? n : 0);
  else if (dice < 880)
    forge(world);
  else if (dice < 920)
    connect_wire(world, link);
  else if (dice < 940 && world->wires[link].up)
    cut(world, link);
  else if (dice < 942 && node->present)
    end(world, n);
  else if (dice < 950 && !node->present)
    start(world, n);
  else if (dice < 952)
    new_epoch(world);
  else if (node->present) /* the director tells one after the other, and a late one again */
    enter(world, n, world->epoch, world->setting_ns[n]);
}

static void deliver_all(struct world *world) {
  while (world->message_count > 0)
    deliver_any(world);
}

/* Everybody is there, connected and told. */
static void heal(struct world *world) {
  world->calm = true;
  for (int n = 0; n < world->count; n++)
    if (!world->nodes[n].present)
      start(world, n);
  if (world->epoch == 0)
    new_epoch(world);
  for (int n = 0; n < world->count; n++)
    enter(world, n, world->epoch, world->setting_ns[n]);
  for (int link = 0; link < world->wire_count; link++)
    connect_wire(world, link);
  deliver_all(world);
}

/* A flood: everybody tells each neighbour once, but the one who was first to tell him. */
static uint64_t flood(const struct world *world) {
  uint64_t pairs = 0;
  for (int l = 0; l < world->wire_count; l++) {
    const struct wire *wire = &world->wires[l];
    bool first = true;
    for (int k = 0; k < l; k++)
      first &= !((world->wires[k].a == wire->a && world->wires[k].b == wire->b) ||
                 (world->wires[k].a == wire->b && world->wires[k].b == wire->a));
    pairs += first;
  }
  return 2 * pairs - (uint64_t)(world->count - 1);
}

static bool settled(const struct world *world) {
  bool all = true;
  for (int n = 0; n < world->count; n++)
    all &= world->nodes[n].ledger.carried_ns <= 0;
  return all;
}

/* After what was lost, neighbours may know different rounds: who begins one that is behind is told
 * so, hop by hop. Then each is heard by all, and settles what is owed: as many as the longest pause
 * needs. */
static void settle(struct world *world) {
  int leader = (int)upto(world, (uint64_t)world->count - 1);
  for (int n = 0; n < world->count; n++) {
    begin(world, leader);
    deliver_all(world);
  }
  for (int round = 0; round < 1000; round++) {
    world->sent = 0;
    begin(world, leader);
    deliver_all(world);
    if (world->sent > flood(world))
      fail(world, "a round took more messages than a flood does", leader);
    for (int n = 0; n < world->count; n++)
      if (world->nodes[n].gossip.round.last != world->nodes[leader].gossip.round.last)
        fail(world, "did not hear of a round", n);
    if (settled(world))
      return;
  }
  fail(world, "rounds go on and somebody still owes", leader);
}

/* One that was cut off while rounds went on hears of the latest as soon as it is back, and has what
 * it owes up to there. */
static void cut_off_and_back(struct world *world) {
  int leader = (int)upto(world, (uint64_t)world->count - 1);
  int away = (leader + 1) % world->count;
  for (int link = 0; link < world->wire_count; link++)
    if (world->wires[link].a == away || world->wires[link].b == away)
      cut(world, link);
  for (int round = 0; round < 3; round++) {
    for (int n = 0; n < world->count; n++)
      world->nodes[n].begun += upto(world, 5);
    begin(world, leader);
    deliver_all(world);
  }
  for (int link = 0; link < world->wire_count; link++)
    connect_wire(world, link);
  deliver_all(world);
  if (world->nodes[away].gossip.round.last != world->nodes[leader].gossip.round.last)
    fail(world, "was cut off and did not catch up", away);
}

static void check_settled(struct world *world) {
  for (int n = 0; n < world->count; n++) {
    check_books(world, n);
    const struct node *node = &world->nodes[n];
    if (node->counted != node->begun)
      fail(world, "requests without their pause", n);
  }
}

static bool run(struct world *world, uint64_t seed, uint64_t *pauses, uint64_t *refused) {
  memset(world, 0, sizeof *world);
  world->random = random_seeded(seed, 6);
  build(world);
  for (int link = 0; link < world->wire_count; link++)
    connect_wire(world, link);
  for (int step = 0; step < STEPS && world->failure[0] == '\0'; step++)
    happen(world);
  heal(world);
  settle(world);
  check_settled(world);
  cut_off_and_back(world);
  check_settled(world);
  *pauses += world->pauses;
  *refused += world->refused;
  return world->failure[0] == '\0';
}

int main(int count, char **arguments) {
  static struct world world;
  uint64_t seeds = 10000, first = 1, failures = 0, pauses = 0, refused = 0;
  for (int i = 1; i + 1 < count; i += 2) {
    if (strcmp(arguments[i], "--seeds") == 0)
      seeds = strtoull(arguments[i + 1], NULL, 10);
    else if (strcmp(arguments[i], "--first") == 0)
      first = strtoull(arguments[i + 1], NULL, 10);
  }
  for (uint64_t seed = first; seed < first + seeds && failures < 5; seed++)
    if (!run(&world, seed, &pauses, &refused))
      printf("not ok %" PRIu64 " - seed %" PRIu64 ": %s\n", ++failures, seed, world.failure);
  if (failures == 0)
    printf("ok 1 - %" PRIu64 " networks, %" PRIu64 " pauses, %" PRIu64 " rounds refused\n", seeds,
           pauses, refused);
  printf("1..%" PRIu64 "\n", failures == 0 ? 1 : failures);
  return failures != 0;
}

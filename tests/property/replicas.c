/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Replicas of examples/multi_paxos in a network that loses, doubles and reorders their packets, and
 * sometimes changes bytes of them, with timers that are far too short, so that views change all the
 * time, and one of them killed in the middle: their logs agree, and they get on. Where bytes are
 * changed, they need not agree, since nothing authenticates a packet; no state leaves what the
 * contracts of the steps ask for. In virtual time, from seeds.
 *
 * Prints TAP. replicas [--seeds N] [--first SEED]
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/common/random.h"
#include "examples/multi_paxos/replica.h"

enum { POSTED = 1024, STEPS = 60000, PROGRESS = 50, EPOCH_NS = 3000, HEARTBEAT_NS = 500 };

struct posted {
  struct letter letter;
  size_t from;
};

struct world {
  struct random random;
  size_t replicas, killed; /* killed == replicas: none yet */
  bool garbles;
  uint64_t now_ns, asked;
  size_t count;
  struct posted posted[POSTED];
  struct replica nodes[REPLICAS_MAX];
  char failure[160];
  struct history histories[REPLICAS_MAX];
};

static bool chance(struct world *world, uint64_t of) {
  return random_upto(&world->random, of - 1) == 0;
}

static void world_start(struct world *world, uint64_t seed, bool garbles) {
  memset(world, 0, offsetof(struct world, histories)); /* what is beyond their ends nobody reads */
  world->random = random_seeded(seed, 1);
  world->garbles = garbles;
  world->replicas = world->killed = seed % 2 == 0 ? 3 : 5;
  for (size_t i = 0; i < world->replicas; i++) {
    struct replica *node = &world->nodes[i];
    node->index = i;
    node->count = node->client = world->replicas;
    node->epoch_ns = EPOCH_NS;
    node->heartbeat_ns = HEARTBEAT_NS;
    node->machine.history = &world->histories[i];
    world->histories[i].count = 0;
    replica_start(node, 0);
  }
}

/* The client asks all for the request after the latest that anybody has executed. */
static void ask(struct world *world) {
  struct packet packet = {.kind = PACKET_REQUEST};
  uint64_t latest = 0;
  for (size_t i = 0; i < world->replicas; i++)
    if (world->nodes[i].machine.latest > latest)
      latest = world->nodes[i].machine.latest;
  packet.request =
      (struct request){latest + 1, (uint32_t)(latest % MACHINE_KEYS), (int32_t)(latest % 7)};
  for (size_t i = 0; i < world->replicas; i++)
    if (i != world->killed)
      replica_packet(&world->nodes[i], &packet, world->replicas, world->now_ns);
}

static void post(struct world *world, size_t from) {
  struct replica *node = &world->nodes[from];
  for (size_t i = 0; i < node->outbox_count; i++)
    for (int copies = chance(world, 10) ? 0 : chance(world, 20) ? 2 : 1; copies > 0; copies--)
      if (world->count < POSTED)
        world->posted[world->count++] = (struct posted){node->outbox[i], from};
  node->outbox_count = 0;
}

static void garble(struct world *world, struct packet *packet) {
  for (uint64_t changes = 1 + random_upto(&world->random, 3); changes > 0; changes--)
    ((unsigned char *)packet)[1 + random_upto(&world->random, sizeof *packet - 2)] =
        (unsigned char)random_upto(&world->random, chance(world, 3) ? 255 : 3);
  if (packet->told_count > TOLD_MAX)
    packet->told_count = TOLD_MAX; /* more the loop refuses */
}

/* Any packet is the next to arrive. */
static void deliver(struct world *world) {
  const size_t k = (size_t)random_upto(&world->random, world->count - 1);
  struct posted posted = world->posted[k];
  const size_t to = posted.letter.to;
  world->posted[k] = world->posted[--world->count];
  if (to >= world->replicas || to == world->killed)
    return;
  if (world->garbles && chance(world, 4))
    garble(world, &posted.letter.packet);
  replica_packet(&world->nodes[to], &posted.letter.packet, posted.from, world->now_ns);
  post(world, to);
}

static void happen(struct world *world) {
  const size_t node = (size_t)random_upto(&world->random, world->replicas - 1);
  world->now_ns += random_upto(&world->random, 40);
  if (chance(world, 40))
    ask(world);
  else if (world->count != 0 && chance(world, 2))
    deliver(world);
  else if (node != world->killed &&
           !replica_slot(&world->nodes[node],
                         (enum slot)(1 + random_upto(&world->random, SLOTS - 2)), world->now_ns))
    snprintf(world->failure, sizeof world->failure, "replica %zu has failed", node);
  else if (node != world->killed)
    post(world, node);
}

/* Every state is one of which the contracts of the steps speak. */
static void check_states(struct world *world) {
  for (size_t i = 0; i < world->replicas; i++) {
    const struct replica *node = &world->nodes[i];
    const struct operation *rest = &node->log.rest;
    const uint64_t beyond = ~((UINT64_C(1) << world->replicas) - 1);
    if (rest->view < -1 || rest->voter.view < 0 || (rest->leader.promises & beyond) != 0 ||
        (rest->voter.heard & beyond) != 0 || node->log.end - node->log.start > LOG_SIZE)
      snprintf(world->failure, sizeof world->failure, "replica %zu is in no state of paxos.tp", i);
  }
}

static void check_logs(struct world *world) {
  uint64_t longest = 0;
  for (size_t i = 0; i < world->replicas; i++) {
    const uint64_t count = world->histories[i].count;
    for (size_t other = 0; other < i; other++)
      for (uint64_t k = 0; k < count && k < world->histories[other].count; k++) {
        const struct history_entry *a = &world->histories[i].entries[k],
                                   *b = &world->histories[other].entries[k];
        if (a->number == b->number && a->value == b->value)
          continue;
        snprintf(world->failure, sizeof world->failure,
                 "replicas %zu and %zu disagree on operation %" PRIu64, other, i, k);
        return;
      }
    longest = count > longest ? count : longest;
  }
  if (longest < PROGRESS)
    snprintf(world->failure, sizeof world->failure, "only %" PRIu64 " operations", longest);
}

static bool run(struct world *world, uint64_t seed, bool garbles, uint64_t *views,
                uint64_t *operations) {
  world_start(world, seed, garbles);
  for (int step = 0; step < STEPS && world->failure[0] == '\0'; step++) {
    if (step == STEPS / 2)
      world->killed = (size_t)random_upto(&world->random, world->replicas - 1);
    happen(world);
  }
  check_states(world);
  if (!garbles && world->failure[0] == '\0')
    check_logs(world);
  *views += garbles ? 0 : world->nodes[0].view;
  *operations += garbles ? 0 : world->histories[0].count;
  return world->failure[0] == '\0';
}

int main(int count, char **arguments) {
  struct world *world = malloc(sizeof *world);
  uint64_t seeds = 20, first = 1, failures = 0, views = 0, operations = 0;
  for (int i = 1; i + 1 < count; i += 2) {
    if (strcmp(arguments[i], "--seeds") == 0)
      seeds = strtoull(arguments[i + 1], NULL, 10);
    else if (strcmp(arguments[i], "--first") == 0)
      first = strtoull(arguments[i + 1], NULL, 10);
  }
  for (uint64_t seed = first; world != NULL && seed < first + seeds && failures < 5; seed++)
    for (int garbles = 0; garbles < 2; garbles++)
      if (!run(world, seed, garbles != 0, &views, &operations))
        printf("not ok %" PRIu64 " - seed %" PRIu64 "%s: %s\n", ++failures, seed,
               garbles ? ", bytes changed" : "", world->failure);
  if (world == NULL || views < seeds || operations == 0)
    printf("not ok %" PRIu64 " - views do not change\n", ++failures);
  if (failures == 0)
    printf("ok 1 - %" PRIu64 " clusters agree: %" PRIu64 " operations, %" PRIu64 " views\n", seeds,
           operations, views);
  printf("1..%" PRIu64 "\n", failures == 0 ? 1 : failures);
  free(world);
  return failures != 0;
}

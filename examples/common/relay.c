/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The relay: a heap of datagrams ordered by when they are due. It wakes for the next datagram or
 * the next moment due, whichever comes first.
 */
#define _GNU_SOURCE /* ppoll */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/common/network.h"
#include "examples/common/process.h"
#include "examples/common/random.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HELD_MAX = 4096 };

struct held {
  uint64_t due_ns, number; /* number: datagrams due together leave in the order they came in */
  size_t size;
  uint16_t to;
  unsigned char bytes[sizeof(struct envelope) + NETWORK_BYTES_MAX];
};

struct relay {
  const struct network *network;
  struct held *slots[HELD_MAX]; /* a heap in the first `count`; the rest are free */
  size_t count;
  uint64_t numbers;
  struct random random[NETWORK_NODES_MAX][NETWORK_NODES_MAX];
  uint64_t latest_ns[NETWORK_NODES_MAX][NETWORK_NODES_MAX];
};

static bool earlier(const struct held *a, const struct held *b) {
  return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->number < b->number;
}

static void swap(struct held **a, struct held **b) {
  struct held *other = *a;
  *a = *b;
  *b = other;
}

static void heap_push(struct relay *relay) {
  size_t i = relay->count++;
  for (; i > 0 && earlier(relay->slots[i], relay->slots[(i - 1) / 2]); i = (i - 1) / 2)
    swap(&relay->slots[i], &relay->slots[(i - 1) / 2]);
}

static void heap_pop(struct relay *relay) {
  struct held **slots = relay->slots;
  size_t i = 0, child;
  swap(&slots[0], &slots[--relay->count]);
  while ((child = 2 * i + 1) < relay->count) {
    if (child + 1 < relay->count && earlier(slots[child + 1], slots[child]))
      child++;
    if (!earlier(slots[child], slots[i]))
      break;
    swap(&slots[i], &slots[child]);
    i = child;
  }
}

static uint64_t due_ns(struct relay *relay, const struct envelope *envelope, uint64_t now_ns) {
  const struct network_options *options = &relay->network->options;
  uint64_t *latest = &relay->latest_ns[envelope->from][envelope->to];
  uint64_t due =
      now_ns + options->delay_us * 1000 +
      random_exponential(&relay->random[envelope->from][envelope->to], options->spread_us * 1000);
  if (options->ordered && due < *latest)
    due = *latest;
  *latest = due;
  return due;
}

/* Takes in one datagram; false when there is none. Those of strangers are dropped. */
static bool take_in(struct relay *relay) {
  struct held *held = relay->slots[relay->count];
  struct envelope envelope;
  ssize_t size = recv(relay->network->relay_socket, held->bytes, sizeof held->bytes, MSG_TRUNC);
  if (size < 0)
    return errno == EINTR;
  if ((size_t)size < sizeof envelope || (size_t)size > sizeof held->bytes)
    return true;
  memcpy(&envelope, held->bytes, sizeof envelope);
  if (envelope.run != relay->network->run || envelope.from >= relay->network->nodes ||
      envelope.to >= relay->network->nodes)
    return true;
  held->due_ns = due_ns(relay, &envelope, moment_ns());
  held->number = relay->numbers++;
  held->size = (size_t)size;
  held->to = envelope.to;
  heap_push(relay);
  return true;
}

/* A datagram that cannot be sent is lost, as on any network; who waits for it will say so. */
static void send_due(struct relay *relay) {
  const struct network *network = relay->network;
  while (relay->count > 0 && relay->slots[0]->due_ns <= moment_ns()) {
    const struct held *held = relay->slots[0];
    while (sendto(network->relay_socket, held->bytes, held->size, 0,
                  (const struct sockaddr *)&network->addresses[held->to],
                  sizeof network->addresses[held->to]) < 0 &&
           errno == EINTR)
      ;
    heap_pop(relay);
  }
}

static struct relay *relay_new(const struct network *network) {
  struct relay *relay = calloc(1, sizeof *relay);
  struct held *held = calloc(HELD_MAX, sizeof *held);
  if (relay == NULL || held == NULL) {
    free(relay);
    free(held);
    return NULL;
  }
  relay->network = network;
  for (size_t i = 0; i < HELD_MAX; i++)
    relay->slots[i] = &held[i];
  for (size_t from = 0; from < network->nodes; from++)
    for (size_t to = 0; to < network->nodes; to++)
      relay->random[from][to] =
          random_seeded(network->options.seed, from * NETWORK_NODES_MAX + to + 1);
  return relay;
}

int network_relay(void *context) {
  const struct network *network = context;
  struct relay *relay = relay_new(network); /* until the process ends */
  if (relay == NULL) {
    complain("relay: out of memory");
    return EXIT_FAILED;
  }
  struct pollfd ready = {.fd = network->relay_socket, .events = POLLIN};
  while (!process_stopping()) {
    struct timespec left = {0};
    if (relay->count > 0)
      left = moment_left(relay->slots[0]->due_ns);
    /* with a full heap new datagrams stay in the socket's buffer */
    ready.events = relay->count < HELD_MAX ? POLLIN : 0;
    if (ppoll(&ready, 1, relay->count > 0 ? &left : NULL, process_waiting_mask()) < 0 &&
        errno != EINTR) {
      complain("relay: waiting: %s", strerror(errno));
      return EXIT_FAILED;
    }
    send_due(relay);
    while (relay->count < HELD_MAX && take_in(relay))
      send_due(relay);
  }
  return EXIT_SUCCESS;
}

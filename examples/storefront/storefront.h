/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A storefront of three services on this host, over TCP: `front` works, asks `cart` for the cart
 * and `price` for two prices at once, works when all three have answered, lets `cart` commit, and
 * works again. Each part takes a random time by sleeping, which the seed and the number of the
 * request alone decide: two runs differ in what was changed by an option, and in nothing else.
 *
 * front writes a trace of each request, in the JSON of Jaeger: its own span, one for each call as
 * it saw it, and one for each call as the service saw it. With --store all services also record
 * what they do themselves through libtailproof-measure; the stores are traces, too.
 */
#ifndef EXAMPLES_STOREFRONT_STOREFRONT_H
#define EXAMPLES_STOREFRONT_STOREFRONT_H

#include "examples/common/gate.h"
#include "examples/common/meter.h"
#include "examples/common/recorder.h"

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum call { CALL_GET, CALL_LOOK_A, CALL_LOOK_B, CALL_COMMIT, CALLS };

struct storefront_options {
  const char *out;
  const char *store; /* folder of the stores, or NULL */
  uint64_t requests, seed, mean_us;
  uint64_t get_percent;    /* of the time that cart/get takes */
  uint64_t commit_percent; /* of cart/commit */
  uint64_t look_percent;   /* of both calls of price */
  uint64_t link_us;        /* more on the way back from price */
  uint64_t hit_percent;    /* of the requests whose cart/get is answered from a cache */
  uint64_t workers;        /* of price */
  bool metered;            /* work is sleep that a stopped process does not have */
  const char *serve;       /* run this service alone; NULL: all three */
  uint64_t port;           /* of cart, for those; price has the next one */
  bool realtime;           /* so that a busy machine wakes sleepers in time */
};

/* What a service is asked and what it answers. Times are CLOCK_MONOTONIC in ns. */
struct frame {
  uint32_t request, call;
  uint64_t start_ns, end_ns;
};

struct storefront {
  const struct storefront_options *options;
  int front[CALLS], service[CALLS]; /* both ends of a connection for each call */
  struct gate *gate;                /* NULL: a service alone waits for nobody */
};

/* Serves the calls of cart, of price; runs until the connections are closed or it is stopped. */
int cart_run(void *context);
int price_run(void *context);

/* Sends the requests and writes their traces. */
int front_run(void *context);

/* Sends requests without end, and writes nothing; returns when a service is gone. */
int front_run_alone(const struct storefront *storefront);

/* How long a part of a request works, in ns: a fifth of its mean and an exponential rest. */
uint64_t work_ns(const struct storefront_options *options, uint32_t request, uint32_t part,
                 uint64_t mean_us);

/* A store for a service of this name, or NULL without --store. False after a complaint. */
bool store_open(struct tailproof_store **store, const struct storefront_options *options,
                const char *service);

/* A writer that records the names, or NULL without a store. False after a complaint. */
bool writer_open(struct tailproof_writer **writer, struct tailproof_store *store, const int *names,
                 size_t count);

/* Records what a request had from `start` until now; returns now. */
uint64_t record(struct tailproof_writer *writer, int name, uint32_t request, uint64_t start);

/* Works so long, from `begin` (examples/common/moment.h), which was now. */
void work_for(const struct storefront_options *options, struct meter *meter, uint64_t begin_ns,
              uint64_t ns);

/* Sleeps until the moment (examples/common/moment.h). */
void sleep_until(uint64_t moment);

/* A frame as a whole; false when the other end is closed, or after a complaint. */
bool frame_send(int connection, const struct frame *frame);
bool frame_take(int connection, struct frame *frame);

#endif

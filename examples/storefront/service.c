/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The services cart and price: a thread for each connection, and at price a pool of workers that
 * they share.
 */
#define _GNU_SOURCE
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/common/process.h"
#include "examples/common/random.h"
#include "examples/storefront/storefront.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { HIT_US = 300 };

uint64_t work_ns(const struct storefront_options *options, uint32_t request, uint32_t part,
                 uint64_t mean_us) {
  struct random random = random_seeded(options->seed, (uint64_t)request * 16 + part);
  uint64_t mean_ns = mean_us * 1000;
  return mean_ns / 5 + random_exponential(&random, mean_ns - mean_ns / 5);
}

void sleep_until(uint64_t moment) {
  struct timespec at = {.tv_sec = (time_t)(moment / 1000000000u),
                        .tv_nsec = (long)(moment % 1000000000u)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
  }
}

void work_for(const struct storefront_options *options, struct meter *meter, uint64_t begin_ns,
              uint64_t ns) {
  meter->last_ns = begin_ns;
  if (options->metered)
    meter_work(meter, ns);
  else
    sleep_until(begin_ns + ns);
}

bool frame_send(int connection, const struct frame *frame) {
  ssize_t sent = send(connection, frame, sizeof *frame, MSG_NOSIGNAL);
  if (sent == (ssize_t)sizeof *frame)
    return true;
  complain("sending: %s", sent < 0 ? strerror(errno) : "cut off");
  return false;
}

bool frame_take(int connection, struct frame *frame) {
  ssize_t taken = recv(connection, frame, sizeof *frame, MSG_WAITALL);
  if (taken == (ssize_t)sizeof *frame)
    return true;
  if (taken != 0)
    complain("receiving: %s", taken < 0 ? strerror(errno) : "cut off");
  return false;
}

bool store_open(struct tailproof_store **store, const struct storefront_options *options,
                const char *service) {
  static struct run_folder folder;
  *store = NULL;
  if (options->store == NULL)
    return true;
  snprintf(folder.store, sizeof folder.store, "%s", options->store);
  enum { RECORDS_PER_REQUEST = 4 };
  *store = recorder_open(&folder, service, RECORDS_PER_REQUEST * options->requests);
  return *store != NULL;
}

bool writer_open(struct tailproof_writer **writer, struct tailproof_store *store, const int *names,
                 size_t count) {
  *writer = store == NULL ? NULL : recorder_writer(store, names, count);
  return store == NULL || *writer != NULL;
}

uint64_t record(struct tailproof_writer *writer, int name, uint32_t request, uint64_t start) {
  struct tailproof_event event = {
      .name = name, .instance = request, .start = start, .end = tailproof_now(writer)};
  tailproof_record(writer, &event);
  return event.end;
}

struct server {
  const struct storefront *storefront;
  enum call call; /* the connection's */
  sem_t *pool;    /* NULL: no limit */
  struct tailproof_writer *writer;
  struct tailproof_counter *counter;
  struct meter meter;
  int name; /* of the call, in the store */
  pthread_t thread;
};

static uint64_t takes_ns(const struct storefront_options *options, const struct frame *frame) {
  uint64_t mean_us = options->mean_us;
  struct random random = random_seeded(options->seed, (uint64_t)frame->request * 16 + 15);
  bool hit = frame->call == CALL_GET && random_upto(&random, 99) < options->hit_percent;
  if (hit)
    return HIT_US * 1000;
  uint64_t ns = work_ns(options, frame->request, frame->call, mean_us);
  return frame->call == CALL_GET      ? ns * options->get_percent / 100
         : frame->call == CALL_COMMIT ? ns * options->commit_percent / 100
                                      : ns * options->look_percent / 100;
}

static void *serve(void *context) {
  struct server *server = context;
  const struct storefront_options *options = server->storefront->options;
  int connection = server->storefront->service[server->call];
  struct frame frame;
  while (frame_take(connection, &frame)) {
    uint64_t counted = tailproof_count_begin(server->counter);
    uint64_t start = tailproof_now(server->writer);
    frame.start_ns = moment_ns();
    uint64_t begin = frame.start_ns;
    if (server->pool != NULL) {
      sem_wait(server->pool);
      begin = moment_ns();
    }
    work_for(options, &server->meter, begin, takes_ns(options, &frame));
    frame.end_ns = moment_ns();
    record(server->writer, server->name, frame.request, start);
    if (server->pool != NULL)
      sem_post(server->pool);
    tailproof_count_end(server->counter, counted);
    bool far = frame.call == CALL_LOOK_A || frame.call == CALL_LOOK_B;
    if (far && options->link_us > 0)
      sleep_until(frame.end_ns + options->link_us * 1000);
    if (!frame_send(connection, &frame))
      return NULL;
  }
  return NULL;
}

static const char *const operations[CALLS] = {"get", "look_a", "look_b", "commit"};

static bool start_serving(struct server *server, struct tailproof_store *store) {
  server->name = store == NULL ? 0 : tailproof_component(store, operations[server->call]);
  if (!writer_open(&server->writer, store, &server->name, 1))
    return false;
  if (pthread_create(&server->thread, NULL, serve, server) == 0)
    return true;
  complain("a thread cannot be started");
  return false;
}

static void wait_for_end(struct gate *gate) {
  gate_pass(gate);
  while (!process_stopping())
    ppoll(NULL, 0, NULL, process_waiting_mask());
}

/* Serves two connections until it is stopped; alone, until they are closed. */
static int serve_both(const struct storefront *storefront, const char *service, enum call first,
                      enum call second, sem_t *pool) {
  struct server servers[2] = {{.storefront = storefront, .call = first, .pool = pool},
                              {.storefront = storefront, .call = second, .pool = pool}};
  struct tailproof_store *store;
  int error = tailproof_counter_open(&servers[0].counter);
  servers[1].counter = servers[0].counter;
  if (error != 0)
    return EXIT_FAILED;
  if (!store_open(&store, storefront->options, service) || !start_serving(&servers[0], store) ||
      !start_serving(&servers[1], store))
    return EXIT_FAILED;
  if (storefront->gate != NULL)
    wait_for_end(storefront->gate);
  for (size_t i = 0; i < 2; i++) {
    if (storefront->gate != NULL)
      shutdown(storefront->service[servers[i].call], SHUT_RDWR);
    pthread_join(servers[i].thread, NULL);
  }
  return store == NULL || recorder_close(store) ? EXIT_SUCCESS : EXIT_FAILED;
}

int cart_run(void *context) {
  return serve_both(context, "cart", CALL_GET, CALL_COMMIT, NULL);
}

int price_run(void *context) {
  const struct storefront *storefront = context;
  sem_t pool;
  sem_init(&pool, 0, (unsigned)storefront->options->workers);
  int result = serve_both(storefront, "price", CALL_LOOK_A, CALL_LOOK_B, &pool);
  sem_destroy(&pool);
  return result;
}

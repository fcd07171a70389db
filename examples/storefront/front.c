/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The service front: sends the calls of each request, and writes the request's trace.
 */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/storefront/storefront.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* The parts of front's own work, behind those of the calls. */
enum { WORK_BEFORE = CALLS, WORK_BETWEEN, WORK_AFTER };

/* Names of the store: the request, and those parts. */
enum { NAME_BUY, NAME_BEFORE, NAME_BETWEEN, NAME_AFTER, NAMES };

struct front {
  const struct storefront *storefront;
  FILE *file;
  bool any; /* a trace was written */
  struct tailproof_store *store;
  struct tailproof_writer *writer;
  struct tailproof_counter *counter;
  struct meter meter;
  int names[NAMES];
};

/* A call as front saw it, and as the service did. */
struct seen {
  uint64_t start_ns, end_ns;
  struct frame frame;
};

static const char *const services[CALLS] = {"cart", "price", "price", "cart"};
static const char *const operations[CALLS] = {"get", "look_a", "look_b", "commit"};

static void work(struct front *front, uint32_t request, uint32_t part) {
  const struct storefront_options *options = front->storefront->options;
  uint64_t start = tailproof_now(front->writer);
  work_for(options, &front->meter, moment_ns(),
           work_ns(options, request, part, options->mean_us / 4));
  record(front->writer, front->names[NAME_BEFORE + part - WORK_BEFORE], request, start);
}

static bool begin(const struct front *front, struct seen *seen, uint32_t request, enum call call) {
  seen[call].frame = (struct frame){.request = request, .call = call};
  seen[call].start_ns = moment_ns();
  return frame_send(front->storefront->front[call], &seen[call].frame);
}

/* Waits for the answers of `count` calls from `first` on. */
static bool await(const struct front *front, struct seen *seen, enum call first, size_t count) {
  struct pollfd waiting[CALLS];
  for (size_t i = 0; i < count; i++)
    waiting[i] = (struct pollfd){front->storefront->front[first + i], POLLIN, 0};
  for (size_t left = count; left > 0;) {
    if (poll(waiting, (nfds_t)count, -1) < 0 && errno != EINTR) {
      complain("front: poll: %s", strerror(errno));
      return false;
    }
    for (size_t i = 0; i < count; i++) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0)
        continue;
      if (!frame_take(waiting[i].fd, &seen[first + i].frame))
        return false;
      seen[first + i].end_ns = moment_ns();
      waiting[i].fd = -1;
      left--;
    }
  }
  return true;
}

/* Times of Jaeger are whole microseconds; both ends are cut off, so parts that adjoin still do. */
static void write_span(const struct front *front, uint32_t request, const char *id,
                       const char *parent, const char *service, const char *operation,
                       const char *kind, uint64_t start_ns, uint64_t end_ns) {
  uint64_t start = start_ns / 1000, end = end_ns / 1000;
  fprintf(front->file,
          "%s{\"traceID\":\"%" PRIu32 "\",\"spanID\":\"%s\",\"operationName\":\"%s\","
          "\"startTime\":%" PRIu64 ",\"duration\":%" PRIu64
          ",\"processID\":\"%s\",\"tags\":[{\"key\":\"span.kind\",\"type\":\"string\","
          "\"value\":\"%s\"}]",
          parent == NULL ? "" : ",\n", request, id, operation, start, end - start, service, kind);
  if (parent != NULL)
    fprintf(front->file,
            ",\"references\":[{\"refType\":\"CHILD_OF\",\"traceID\":\"%" PRIu32
            "\",\"spanID\":\"%s\"}]",
            request, parent);
  fputs("}", front->file);
}

static void write_trace(struct front *front, uint32_t request, const struct seen *seen,
                        uint64_t start_ns, uint64_t end_ns) {
  static const char *const ids[CALLS] = {"b", "c", "d", "e"};
  static const char *const inner[CALLS] = {"bb", "cc", "dd", "ee"};
  fprintf(
      front->file,
      "%s{\"traceID\":\"%" PRIu32 "\",\"processes\":{\"front\":{\"serviceName\":\"front\"},"
      "\"cart\":{\"serviceName\":\"cart\"},\"price\":{\"serviceName\":\"price\"}},\n\"spans\":[",
      front->any ? ",\n" : "", request);
  front->any = true;
  write_span(front, request, "a", NULL, "front", "buy", "server", start_ns, end_ns);
  for (size_t c = 0; c < CALLS; c++) {
    char asks[32];
    snprintf(asks, sizeof asks, "ask %s", operations[c]);
    write_span(front, request, ids[c], "a", "front", asks, "client", seen[c].start_ns,
               seen[c].end_ns);
    write_span(front, request, inner[c], ids[c], services[c], operations[c], "server",
               seen[c].frame.start_ns, seen[c].frame.end_ns);
  }
  fputs("]}", front->file);
}

static bool serve_request(struct front *front, uint32_t request) {
  struct seen seen[CALLS];
  uint64_t counted = tailproof_count_begin(front->counter);
  uint64_t ticks = tailproof_now(front->writer), start = moment_ns();
  work(front, request, WORK_BEFORE);
  bool good = begin(front, seen, request, CALL_GET) && begin(front, seen, request, CALL_LOOK_A) &&
              begin(front, seen, request, CALL_LOOK_B) && await(front, seen, CALL_GET, 3);
  if (!good)
    return false;
  work(front, request, WORK_BETWEEN);
  if (!begin(front, seen, request, CALL_COMMIT) || !await(front, seen, CALL_COMMIT, 1))
    return false;
  work(front, request, WORK_AFTER);
  uint64_t end = moment_ns();
  tailproof_count_end(front->counter, counted);
  record(front->writer, front->names[NAME_BUY], request, ticks);
  if (front->file != NULL)
    write_trace(front, request, seen, start, end);
  return true;
}

static bool open_store(struct front *front) {
  if (!store_open(&front->store, front->storefront->options, "front"))
    return false;
  if (front->store != NULL) {
    front->names[NAME_BUY] = tailproof_request(front->store, "buy");
    front->names[NAME_BEFORE] = tailproof_component(front->store, "before");
    front->names[NAME_BETWEEN] = tailproof_component(front->store, "between");
    front->names[NAME_AFTER] = tailproof_component(front->store, "after");
  }
  return writer_open(&front->writer, front->store, front->names, NAMES);
}

int front_run_alone(const struct storefront *storefront) {
  struct front front = {.storefront = storefront};
  if (tailproof_counter_open(&front.counter) != 0)
    return EXIT_FAILED;
  for (uint32_t request = 1; serve_request(&front, request); request++)
    ;
  return EXIT_FAILED;
}

int front_run(void *context) {
  struct front front = {.storefront = context};
  const struct storefront_options *options = front.storefront->options;
  front.file = fopen(options->out, "w");
  if (front.file == NULL) {
    complain("%s: cannot be written: %s", options->out, strerror(errno));
    return EXIT_FAILED;
  }
  if (!open_store(&front))
    return EXIT_FAILED;
  fputs("{\"data\":[", front.file);
  gate_pass(front.storefront->gate);
  bool good = true;
  for (uint32_t request = 1; good && request <= options->requests; request++)
    good = serve_request(&front, request);
  fputs("]}\n", front.file);
  if (ferror(front.file) || fclose(front.file) != 0) {
    complain("%s: cannot be written: %s", options->out, strerror(errno));
    return EXIT_FAILED;
  }
  good = (front.store == NULL || recorder_close(front.store)) && good;
  return good ? EXIT_SUCCESS : EXIT_FAILED;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/load/load.h"

#include "base/file.h"
#include "base/number.h"
#include "measure/load/http.h"
#include "measure/load/redis.h"
#include "measure/load/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  BODY_MOST = 1 << 26,
  CONNECTIONS = 100,
  LENGTH_MS = 10000,
  TIMEOUT_MS = 10000,
  LATE_SHARE = 100 /* one of so many may be late without a word */
};
#define LATE_NS 1000000u /* less is nobody's lateness */

static uint64_t ns_of(unsigned ms) {
  return (uint64_t)ms * 1000000;
}

static enum status read_rate(double *rate, const struct load_request *request) {
  const char *text = request->rate == NULL ? "100" : request->rate;
  if (number_real(rate, text) && *rate > 0 && *rate <= 1e6)
    return STATUS_OK;
  return asker_fail(request->asker, STATUS_USAGE,
                    "--rate %s: give requests a second, a number above 0 and at most a million, "
                    "such as 250 or 0.5",
                    text);
}

/* The one route of commands to Redis: the command's first word. */
static enum status name_command(struct arrival_routes *routes, const struct load_request *request) {
  const char *word = request->send + strspn(request->send, " ");
  size_t length = strcspn(word, " ");
  if (length >= ARRIVAL_PATH_MAX || strcspn(word, ",\"\r\n") < length)
    return asker_fail(request->asker, STATUS_USAGE,
                      "--send: the command's name has a comma, a quote or an end of line, or more "
                      "than %d characters",
                      ARRIVAL_PATH_MAX - 1);
  *routes = (struct arrival_routes){.count = 1, .weight = 1, .all = {{.weight = 1}}};
  memcpy(routes->all[0].path, word, length);
  return STATUS_OK;
}

static enum status read_routes(struct load_answer *answer, const struct load_request *request,
                               bool http) {
  if (request->send != NULL && request->routes == NULL)
    return name_command(&answer->routes, request);
  const char *path = http ? http_path(request->target[0]) : "/";
  if (request->routes != NULL && !http)
    return asker_fail(request->asker, STATUS_USAGE, "--routes: %s has no paths",
                      request->send != NULL ? "Redis" : "a command");
  if (request->routes != NULL && !arrival_routes_read(&answer->routes, request->routes))
    return asker_fail(request->asker, STATUS_USAGE,
                      "--routes %s: not a list of paths with weights, such as /page*9,/report",
                      request->routes);
  if (request->routes != NULL)
    return STATUS_OK;
  struct arrival_routes *routes = &answer->routes;
  if (strlen(path) >= ARRIVAL_PATH_MAX || strpbrk(path, " \r\n") != NULL)
    return asker_fail(request->asker, STATUS_USAGE,
                      "the path of the address has a blank, or more than %d characters",
                      ARRIVAL_PATH_MAX - 1);
  *routes = (struct arrival_routes){.count = 1, .weight = 1, .all = {{.weight = 1}}};
  memcpy(routes->all[0].path, path, strlen(path) + 1);
  return STATUS_OK;
}

static enum status make_arrivals(struct load_answer *answer, const struct load_request *request,
                                 bool http) {
  struct arrivals_wanted wanted = {.routes = &answer->routes,
                                   .most = request->requests,
                                   .seed = request->seed,
                                   .constant = request->constant,
                                   .times = request->times};
  bool open_ended = request->requests != 0 || request->times != NULL;
  wanted.length_ns = ns_of(request->length_ms != 0 ? request->length_ms
                           : open_ended            ? 0
                                                   : LENGTH_MS);
  enum status status = read_rate(&wanted.rate, request);
  if (status == STATUS_OK)
    status = read_routes(answer, request, http);
  if (status != STATUS_OK)
    return status;
  struct text message;
  text_init(&message);
  status = arrivals_make(&answer->arrivals, &wanted, &message);
  if (status == STATUS_OK &&
      answer->arrivals.data[answer->arrivals.count - 1].due_ns < ns_of(request->warmup_ms)) {
    text_append(&message, "--warmup: no request is due after it");
    status = STATUS_USAGE;
  }
  if (status != STATUS_OK)
    asker_fail(request->asker, status, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

/* --- the run -----------------------------------------------------------------------------------
 */

static struct dispatch_options options_of(const struct load_request *request) {
  return (struct dispatch_options){
      .slots = request->connections == 0 ? CONNECTIONS : request->connections,
      .patience_ns = ns_of(request->timeout_ms == 0 ? TIMEOUT_MS : request->timeout_ms),
      .stop = request->asker->stop};
}

static int compare_ns(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void say_connections(struct load_answer *answer, const struct http_counts *counts) {
  size_t count = counts->handshakes_ns.count;
  answer->opened = counts->opened;
  answer->retried = counts->retried;
  answer->handshakes = count;
  if (count == 0)
    return;
  uint64_t *sorted = mem_alloc(count, sizeof *sorted);
  memcpy(sorted, counts->handshakes_ns.data, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_ns);
  answer->handshake_median_ns = sorted[(count - 1) / 2];
  answer->handshake_longest_ns = sorted[count - 1];
  mem_free(sorted);
}

static enum status run_http(struct load_answer *answer, const struct load_request *request,
                            const struct dispatch_options *options, struct text *message) {
  struct http_options http = {.url = request->target[0],
                              .method = request->method == NULL ? "GET" : request->method,
                              .headers = request->headers.data,
                              .header_count = request->headers.count,
                              .routes = &answer->routes,
                              .connections = options->slots,
                              .ca = request->ca,
                              .insecure = request->insecure};
  char *body = NULL;
  enum status status = STATUS_OK;
  if (request->body != NULL)
    status = file_read(request->body, BODY_MOST, &body, &http.body_size, message);
  http.body = body;
  struct http_carrier *made = NULL;
  answer->secure = http_is_secure(http.url);
  answer->unchecked = answer->secure && request->insecure;
  if (status == STATUS_OK)
    made = http_carrier_new(&status, &http, message);
  if (made != NULL) {
    struct carrier carrier = http_carrier(made);
    status = dispatch_run(&answer->arrivals, &carrier, options, message);
    say_connections(answer, http_counts(made));
  }
  http_carrier_free(made);
  mem_free(body);
  return status;
}

static enum status run_redis(struct load_answer *answer, const struct load_request *request,
                             const struct dispatch_options *options, struct text *message) {
  enum status status;
  struct redis_carrier *redis =
      redis_carrier_new(&status, request->target[0], request->send, message);
  if (redis == NULL)
    return status;
  struct carrier carrier = redis_carrier(redis);
  status = dispatch_run(&answer->arrivals, &carrier, options, message);
  answer->opened = redis_opened(redis);
  redis_carrier_free(redis);
  return status;
}

static enum status run_command(struct load_answer *answer, const struct load_request *request,
                               const struct dispatch_options *options, struct text *message) {
  const char **command = mem_alloc(request->target_count + 1, sizeof *command);
  memcpy(command, request->target, request->target_count * sizeof *command);
  struct run_carrier *runs = run_carrier_new(command, options->slots);
  struct carrier carrier = run_carrier(runs);
  enum status status = dispatch_run(&answer->arrivals, &carrier, options, message);
  run_carrier_free(runs);
  mem_free(command);
  return status;
}

static enum status run_all(struct load_answer *answer, const struct load_request *request,
                           bool http) {
  struct dispatch_options options = options_of(request);
  struct text message;
  text_init(&message);
  enum status status = http                    ? run_http(answer, request, &options, &message)
                       : request->send != NULL ? run_redis(answer, request, &options, &message)
                                               : run_command(answer, request, &options, &message);
  if (asker_stopped(request->asker))
    status = asker_fail(request->asker, STATUS_INTERRUPTED, "interrupted; nothing is written");
  else if (status != STATUS_OK)
    asker_fail(request->asker, status, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

/* --- what it says ------------------------------------------------------------------------------
 */

static void count(struct load_answer *answer, const struct load_request *request) {
  size_t *const ends[] = {[ARRIVAL_OPEN] = &answer->broken,
                          [ARRIVAL_GOOD] = &answer->good,
                          [ARRIVAL_REFUSED] = &answer->refused,
                          [ARRIVAL_BROKEN] = &answer->broken,
                          [ARRIVAL_TIMED_OUT] = &answer->timed_out};
  for (size_t i = 0; i < answer->arrivals.count; i++) {
    const struct load_arrival *a = &answer->arrivals.data[i];
    if (a->due_ns < ns_of(request->warmup_ms))
      continue;
    answer->counted++;
    ++*ends[a->end];
    answer->latest_ns = a->late_ns > answer->latest_ns ? a->late_ns : answer->latest_ns;
    answer->late += a->late_ns > LATE_NS && a->late_ns > a->latency_ns / 10;
  }
  if (answer->good == 0 || answer->late > answer->counted / LATE_SHARE)
    answer->status = STATUS_UNKNOWN;
}

static void print_rows(struct text *text, const struct load_answer *answer,
                       const struct load_request *request) {
  text_append(text, "due,route,status,latency_ns\n");
  for (size_t i = 0; i < answer->arrivals.count; i++) {
    const struct load_arrival *a = &answer->arrivals.data[i];
    bool good = a->end == ARRIVAL_GOOD;
    if (a->due_ns < ns_of(request->warmup_ms) || (!good && request->without_failed))
      continue;
    text_format(text, "%" PRIu64 ".%09" PRIu64 ",%s,%u,", a->due_ns / 1000000000,
                a->due_ns % 1000000000, answer->routes.all[a->route].path, a->status);
    if (good)
      text_format(text, "%" PRIu64 "\n", a->latency_ns);
    else
      text_append(text, "timeout\n");
  }
}

static enum status write_rows(const struct load_answer *answer, const struct load_request *request,
                              struct text *message) {
  struct text rows;
  text_init(&rows);
  print_rows(&rows, answer, request);
  enum status status = file_write(request->out, text_get(&rows), rows.length, message);
  text_clear(&rows);
  return status;
}

/* Writes it, and reads it as every other question will. */
static enum status keep(struct load_answer *answer, const struct load_request *request) {
  struct text message;
  text_init(&message);
  enum status status = write_rows(answer, request, &message);
  answer->gather.mix = answer->routes.count > 1; /* which is what was asked for */
  if (status == STATUS_OK && (answer->good != 0 || !request->without_failed))
    status = gather_add(&answer->gather, request->out, &message);
  if (status == STATUS_OK)
    status = gather_finish(&answer->gather, &message);
  if (status != STATUS_OK)
    asker_fail(request->asker, status, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

static enum status check(const struct load_request *request, bool http) {
  bool redis = redis_is_address(request->target[0]);
  const char *wrong =
      !http && !redis && strstr(request->target[0], "://") != NULL ? request->target[0] : NULL;
  if (wrong != NULL)
    return asker_fail(
        request->asker, STATUS_USAGE,
        "%s: http://, https:// and redis:// are spoken; for others run a command: -- curl %s",
        wrong, wrong);
  if (redis != (request->send != NULL))
    return asker_fail(request->asker, STATUS_USAGE,
                      redis ? "say what is sent to Redis: --send \"SET key value\""
                            : "--send is of addresses redis://HOST:PORT/");
  if (redis && request->target_count != 1)
    return asker_fail(request->asker, STATUS_USAGE, "name one address; the command is --send");
  if (http && request->target_count != 1)
    return asker_fail(request->asker, STATUS_USAGE,
                      "name one address; several paths of it are --routes");
  if (!http && (request->method != NULL || request->headers.count != 0 || request->body != NULL))
    return asker_fail(request->asker, STATUS_USAGE,
                      "--method, --header and --body are of addresses, not of commands or Redis");
  if ((request->ca != NULL || request->insecure) && !http_is_secure(request->target[0]))
    return asker_fail(request->asker, STATUS_USAGE, "--ca and --insecure are of https://");
  if (request->out == NULL)
    return asker_fail(request->asker, STATUS_USAGE, "name the file to write with --out FILE.csv");
  return STATUS_OK;
}

enum status load_ask(struct load_answer *answer, const struct load_request *request) {
  static const settings none;
  *answer = (struct load_answer){.status = STATUS_OK, .gather = {.units = &none}};
  bool http = http_is_address(request->target[0]);
  enum status status = check(request, http);
  if (status == STATUS_OK)
    status = make_arrivals(answer, request, http);
  if (status == STATUS_OK)
    status = run_all(answer, request, http);
  if (status == STATUS_OK) {
    count(answer, request);
    status = keep(answer, request);
  }
  if (status != STATUS_OK)
    answer->status = status;
  return answer->status;
}

void load_answer_clear(struct load_answer *answer) {
  vector_clear(&answer->arrivals);
  gather_clear(&answer->gather);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/store/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/decimal.h"
#include "base/moment.h"
#include "cli/question/store/fetch.h"
#include "cli/question/store/gather_file.h"
#include "dist/source/source.h"

enum { STEPS = 100, STEPS_MAX = 11000 /* Prometheus' own limit */ };

struct server_window {
  uint64_t from_ms, to_ms, step_ms; /* from_ms 0: since the start */
};

/* "15s", "15m", "2h", "1d", "500ms". */
static bool read_span(uint64_t *ms, const char *text) {
  static const struct {
    const char *name;
    uint64_t ms;
  } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
  size_t digits = strspn(text, "0123456789.");
  uint64_t whole;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(text + digits, units[i].name) == 0 &&
        decimal_upper(&whole, NULL, (struct slice){text, digits}, 3) == DECIMAL_OK &&
        whole < UINT64_C(1) << 40) {
      *ms = whole * units[i].ms / 1000;
      return *ms != 0;
    }
  return false;
}

static bool read_time(uint64_t *ms, const char *text, uint64_t now_ms) {
  uint64_t span;
  int64_t ns;
  if (*text == '-' && read_span(&span, text + 1) && span < now_ms) {
    *ms = now_ms - span;
    return true;
  }
  if (!moment_read(&ns, text) || ns == 0)
    return false;
  *ms = ((uint64_t)ns + 999999) / 1000000;
  return true;
}

static enum status fail_usage(struct text *message, const char *option, const char *value,
                              const char *expected) {
  text_format(message, "--%s %s: %s", option, value, expected);
  return STATUS_USAGE;
}

static enum status read_window(struct server_window *window, const struct server_request *request,
                               struct text *message) {
  static const char times[] = "no time, such as 2026-01-31T12:00:00Z, 1700000000 or -15m";
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
  window->to_ms = now_ms;
  window->from_ms = window->step_ms = 0;
  if (request->to != NULL && !read_time(&window->to_ms, request->to, now_ms))
    return fail_usage(message, "to", request->to, times);
  if (request->from == NULL)
    return request->step == NULL ? STATUS_OK
                                 : fail_usage(message, "step", request->step, "needs --from");
  if (!read_time(&window->from_ms, request->from, now_ms))
    return fail_usage(message, "from", request->from, times);
  if (window->from_ms >= window->to_ms)
    return fail_usage(message, "from", request->from, "is not before --to");
  uint64_t width_ms = window->to_ms - window->from_ms;
  window->step_ms = width_ms / STEPS + 1;
  if (request->step != NULL && !read_span(&window->step_ms, request->step))
    return fail_usage(message, "step", request->step, "no span of time, such as 15s or 1m");
  if (width_ms / window->step_ms >= STEPS_MAX)
    return fail_usage(message, "step", request->step, "is too small: that is above 11000 steps");
  return STATUS_OK;
}

static void put_seconds(struct text *address, const char *name, uint64_t ms) {
  text_format(address, "&%s=%" PRIu64 ".%03" PRIu64, name, ms / 1000, ms % 1000);
}

static enum status ask(char **bytes, size_t *length, unsigned timeout_ms,
                       const struct server_request *request, const char *kind,
                       const char *expression, const struct server_window *window,
                       struct text *message) {
  const struct fetch_options options = {
      .form = FETCH_ANY, .timeout_ms = timeout_ms, .trust = request->trust};
  const char *address = request->address;
  struct text all;
  text_init(&all);
  size_t trimmed = strlen(address);
  while (trimmed != 0 && address[trimmed - 1] == '/')
    trimmed--;
  text_append_bytes(&all, address, trimmed);
  text_format(&all, "/api/v1/%s?", kind);
  fetch_put_parameter(&all, "query", expression);
  if (strcmp(kind, "query") == 0) {
    put_seconds(&all, "time", window->to_ms);
  } else {
    put_seconds(&all, "start", window->from_ms);
    put_seconds(&all, "end", window->to_ms);
    put_seconds(&all, "step", window->step_ms);
  }
  enum status status = fetch(bytes, length, all.data, &options, message);
  text_clear(&all);
  return status;
}

/* What a server answers to a query, and where its window begins. */
struct answers {
  char *name, *before, *now;
  struct source_page since, page;
};

static enum status answers_get(struct answers *answers, const struct server_request *request,
                               const struct setting *query, const struct server_window *window,
                               unsigned timeout_ms, struct text *message) {
  *answers = (struct answers){.name = fetch_name(request->address)};
  answers->since = (struct source_page){.name = answers->name, .time_ms = window->from_ms};
  answers->page = (struct source_page){
      .name = answers->name, .unchecked = fetch_is_unchecked(request->address, &request->trust)};
  enum status status = STATUS_OK;
  if (window->from_ms != 0)
    status = ask(&answers->before, &answers->since.length, timeout_ms, request, "query_range",
                 query->value, window, message);
  answers->since.bytes = answers->before;
  if (status == STATUS_OK)
    status = ask(&answers->now, &answers->page.length, timeout_ms, request, "query", query->value,
                 window, message);
  answers->page.bytes = answers->now;
  return status;
}

static void answers_clear(struct answers *answers) {
  mem_free(answers->before);
  mem_free(answers->now);
  mem_free(answers->name);
}

static enum status add_query(struct gather *gather, const struct server_request *request,
                             const struct setting *query, const struct server_window *window,
                             struct text *message) {
  struct answers answers;
  enum status status = answers_get(&answers, request, query, window, gather->timeout_ms, message);
  gather->since = answers.before == NULL ? NULL : &answers.since;
  if (status == STATUS_OK)
    status = gather_page(gather, query->name, &answers.page, message);
  gather->since = NULL;
  answers_clear(&answers);
  return status;
}

static enum status check_server(const struct server_request *request, struct text *message) {
  if (!fetch_is_address(request->address))
    return fail_usage(message, "prometheus", request->address,
                      "no address such as http://127.0.0.1:9090");
  if (request->queries.count == 0)
    return fail_usage(message, "prometheus", request->address,
                      "say which series to make of which counters: --query "
                      "'NAME=rpc_seconds_bucket{job=\"rpc\"}'");
  return STATUS_OK;
}

enum status server_read(struct sample *sample, struct source_notes *notes,
                        const struct server_request *request, unsigned timeout_ms,
                        const struct source_options *options, struct text *message) {
  struct server_window window;
  struct answers answers = {0};
  enum status status = check_server(request, message);
  if (status == STATUS_OK)
    status = read_window(&window, request, message);
  if (status == STATUS_OK)
    status =
        answers_get(&answers, request, &request->queries.data[0], &window, timeout_ms, message);
  struct source_options with = *options;
  with.since = answers.before == NULL ? NULL : &answers.since;
  if (status == STATUS_OK)
    status = source_read_page(sample, notes, &answers.page, &with, message);
  answers_clear(&answers);
  return status;
}

enum status server_gather(struct gather *gather, const struct server_request *request,
                          struct text *message) {
  struct server_window window;
  bool asked = request->address != NULL;
  if (!asked && (request->queries.count != 0 || request->from != NULL || request->to != NULL ||
                 request->step != NULL)) {
    text_append(message, "--query, --from, --to and --step are of a server: name it with "
                         "--prometheus http://HOST:9090");
    return STATUS_USAGE;
  }
  if (!asked)
    return STATUS_OK;
  enum status status = check_server(request, message);
  if (status == STATUS_OK)
    status = read_window(&window, request, message);
  for (size_t i = 0; i < request->queries.count && status == STATUS_OK; i++)
    status = add_query(gather, request, &request->queries.data[i], &window, message);
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Event logs written row by row in a test, and their chains as text.
 */
#ifndef TESTS_UNIT_TRACE_LOGS_H
#define TESTS_UNIT_TRACE_LOGS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "trace/event/row.h"
#include "trace/loop/chain.h"

#define NO EVENT_NONE

/* A row as a person writes it; the list ends with a type of NULL. */
struct log_line {
  const char *type;
  enum event_class class;
  int64_t registered, ready, begin, end;
  uint32_t registrar, releaser, inside;
  int64_t unsure;    /* ready may be so much later */
  uint32_t resource; /* 0: one of its own */
};

struct logged {
  struct event_log log;
  struct event_chains chains;
  struct text shown;
};

static inline int logged_setup(void **state) {
  struct logged *logged = mem_alloc(1, sizeof *logged);
  event_log_init(&logged->log);
  text_init(&logged->shown);
  *state = logged;
  return 0;
}

static inline int logged_teardown(void **state) {
  struct logged *logged = *state;
  event_log_clear(&logged->log);
  event_chains_clear(&logged->chains);
  text_clear(&logged->shown);
  mem_free(logged);
  return 0;
}

static inline uint32_t logged_name(struct logged *logged, const char *text) {
  return names_number(&logged->log.names, (struct slice){text, strlen(text)});
}

static inline void logged_rows(struct logged *logged, const struct log_line *lines) {
  for (; lines->type != NULL; lines++)
    event_log_add(&logged->log,
                  &(struct event_row){.registered = lines->registered,
                                      .ready_low = lines->ready,
                                      .ready_high = lines->ready + lines->unsure,
                                      .begin = lines->begin,
                                      .end = lines->end,
                                      .resource = lines->resource != 0
                                                      ? lines->resource
                                                      : event_log_rows(&logged->log) + 1000,
                                      .type = logged_name(logged, lines->type),
                                      .registrar = lines->registrar,
                                      .releaser = lines->releaser,
                                      .inside = lines->inside,
                                      .class = lines->class});
  struct event_loop loop = {
      .name = logged_name(logged, "app.js"), .count = event_log_rows(&logged->log), .end = 1000000};
  logged->log.loops.count = 0;
  vector_push(&logged->log.loops, loop);
}

static inline struct event_request *logged_request(struct logged *logged, uint32_t source,
                                                   uint32_t sink, int64_t arrived,
                                                   int64_t responded) {
  struct event_request request = {.route = logged_name(logged, "GET /"),
                                  .source = source,
                                  .sink = sink,
                                  .arrived_low = arrived,
                                  .arrived_high = arrived,
                                  .noticed = arrived,
                                  .responded = responded,
                                  .state = EVENT_ANSWERED,
                                  .status = 200};
  vector_push(&logged->log.requests, request);
  return &logged->log.requests.data[logged->log.requests.count - 1];
}

/* Each link as "type*io+queue?either+run" (a star: shared), where "+0" parts are shown, too. */
static inline const char *logged_show(struct logged *logged, size_t request) {
  const struct event_chain *chain = &logged->chains.chains.data[request];
  text_clear(&logged->shown);
  if (chain->state != CHAIN_COMPLETE)
    text_append(&logged->shown, chain_state_name(chain->state));
  for (uint32_t i = 0; i < chain->count; i++) {
    const struct event_link link = event_link_at(&logged->chains, &logged->log, chain, i);
    struct link_parts parts = event_link_parts(&link);
    text_format(&logged->shown, "%s%s%s %lld+%lld", i == 0 ? "" : ", ",
                names_text(&logged->log.names, logged->log.type.data[link.row]),
                link.shared ? "*" : "", (long long)parts.io, (long long)parts.queue);
    if (parts.either != 0)
      text_format(&logged->shown, "?%lld", (long long)parts.either);
    text_format(&logged->shown, "+%lld", (long long)parts.run);
  }
  return text_get(&logged->shown);
}

/* Parts of a complete chain add up, and each link begins where the one before it stops. */
static inline void logged_check_sum(const struct event_chains *chains, const struct event_log *log,
                                    const struct event_chain *chain) {
  int64_t sum = 0, at = chain->arrived;
  for (uint32_t i = 0; i < chain->count; i++) {
    const struct event_link link = event_link_at(chains, log, chain, i);
    struct link_parts parts = event_link_parts(&link);
    assert_int_equal(link.registered, at);
    assert_true(parts.io >= 0 && parts.queue >= 0 && parts.either >= 0 && parts.run >= 0);
    sum += parts.io + parts.queue + parts.either + parts.run;
    at = link.stop;
  }
  assert_int_equal(at, chain->answer);
  assert_int_equal(sum, chain->answer - chain->arrived);
}

static inline void logged_make(struct logged *logged) {
  event_chains_clear(&logged->chains);
  event_chains_make(&logged->chains, &logged->log);
  for (size_t i = 0; i < logged->chains.chains.count; i++)
    if (logged->chains.chains.data[i].state == CHAIN_COMPLETE)
      logged_check_sum(&logged->chains, &logged->log, &logged->chains.chains.data[i]);
}

#endif

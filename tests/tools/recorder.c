/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Records what its arguments say, for the tests of what reads stores:
 *
 *   recorder [--node NODE] [--log RECORDS] [--folder DIR] STEP...
 *   component NAME COUNT NS [INDEX]   occurrences that took NS each
 *   action NAME COMPONENT COUNT NS [INDEX]   steps that took NS each
 *   message NAME COUNT NS             messages that were under way for NS, with the field 1
 *   foreign NAME COUNT                messages that another clock stamped
 *   answered NAME COUNT NS            messages whose answers, NAMEd, came NS later (another clock)
 *   garbage NAME COUNT                arrivals without a stamp
 *   request NAME COUNT NS             requests
 *   refused NAME COUNT                recordings that end before they start
 *   say TEXT | pause | kill | exit CODE
 *
 * Times are of CLOCK_MONOTONIC, so that a tick is a nanosecond. Without a store it goes on.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/core/stamp.h"
#include "measure/tailproof_measure.h"

struct recorder {
  struct tailproof_store *store;
  struct tailproof_writer *writer;
  char **at; /* the arguments left, NULL at the end */
};

static const char *next(struct recorder *r) {
  if (*r->at == NULL) {
    fprintf(stderr, "recorder: an argument is missing\n");
    exit(64);
  }
  return *r->at++;
}

static uint64_t next_number(struct recorder *r) {
  return strtoull(next(r), NULL, 10);
}

static int need(int name) {
  if (name >= 0)
    return name;
  fprintf(stderr, "recorder: %s\n", tailproof_error());
  exit(70);
}

/* Durations of NS, from now on. */
static void record(struct recorder *r, int name, uint64_t count, uint64_t ns, uint32_t arguments,
                   int32_t index) {
  struct tailproof_event event = {.name = name, .start = 1000, .count = arguments};
  event.end = event.start + ns;
  event.arguments[0] = arguments == 0 ? 0 : index;
  for (uint64_t i = 0; i < count; i++) {
    event.instance = (uint32_t)i;
    tailproof_record(r->writer, &event);
  }
}

static void component(struct recorder *r, const char *action) {
  const char *text = next(r);
  int name = need(action == NULL ? tailproof_component(r->store, text)
                                 : tailproof_action(r->store, action, text));
  uint64_t count = next_number(r), ns = next_number(r);
  int indexed = *r->at != NULL && strspn(*r->at, "0123456789") == strlen(*r->at);
  record(r, name, count, ns, indexed ? 1 : 0, indexed ? (int32_t)next_number(r) : 0);
}

/* As if another process had made it. */
static void make_foreign(unsigned char *stamp, const unsigned char *question) {
  struct stamp fields, asked;
  stamp_decode(&fields, stamp);
  fields.clock_identity++;
  if (question != NULL && stamp_decode(&asked, question)) {
    fields.answer = 1;
    fields.question_name = asked.name;
    fields.question_sent = asked.sent;
    fields.held_ns = asked.clock_identity & ~((UINT64_C(1) << 48) - 1);
  }
  stamp_encode(stamp, &fields);
}

static void message(struct recorder *r, const char *kind) {
  const char *text = next(r);
  char answer_text[64];
  snprintf(answer_text, sizeof answer_text, "%s_answer", text);
  int name = need(tailproof_message(r->store, text, "d", "Queuing")), answer = -1;
  if (strcmp(kind, "answered") == 0)
    answer = need(tailproof_message(r->store, answer_text, "d", NULL));
  uint64_t count = next_number(r), sent = 1000, ns = 0;
  if (answer >= 0 || strcmp(kind, "message") == 0)
    ns = next_number(r);
  for (uint64_t i = 0; i < count; i++) {
    struct tailproof_event event = {.name = name, .count = 1, .arguments = {1}, .end = sent + ns};
    unsigned char stamp[TAILPROOF_STAMP_BYTES] = {0}, question[TAILPROOF_STAMP_BYTES];
    tailproof_send_at(r->writer, &event, sent, stamp);
    if (strcmp(kind, "garbage") == 0)
      memset(stamp, 0xa5, sizeof stamp);
    else if (strcmp(kind, "foreign") == 0)
      make_foreign(stamp, NULL);
    if (answer >= 0) {
      memcpy(question, stamp, sizeof question);
      make_foreign(stamp, question);
      event.name = answer;
    }
    tailproof_arrive(r->writer, &event, stamp);
  }
}

static void refused(struct recorder *r) {
  struct tailproof_event event = {
      .name = need(tailproof_component(r->store, next(r))), .start = 2000, .end = 1000};
  for (uint64_t count = next_number(r); count != 0; count--)
    tailproof_record(r->writer, &event);
}

static void step(struct recorder *r, const char *word) {
  if (strcmp(word, "component") == 0)
    component(r, NULL);
  else if (strcmp(word, "action") == 0)
    component(r, next(r));
  else if (strcmp(word, "request") == 0) {
    int name = need(tailproof_request(r->store, next(r)));
    uint64_t count = next_number(r);
    record(r, name, count, next_number(r), 0, 0);
  } else if (strcmp(word, "refused") == 0)
    refused(r);
  else if (strcmp(word, "say") == 0)
    puts(next(r));
  else if (strcmp(word, "pause") == 0)
    fflush(stdout), pause();
  else if (strcmp(word, "kill") == 0)
    fflush(stdout), kill(getpid(), SIGKILL);
  else
    message(r, word);
}

int main(int count, char **arguments) {
  (void)count;
  struct recorder r = {.at = arguments + 1};
  struct tailproof_options options = {.clock = TAILPROOF_CLOCK_MONOTONIC};
  while (*r.at != NULL && strncmp(*r.at, "--", 2) == 0) {
    const char *option = next(&r);
    if (strcmp(option, "--node") == 0)
      options.node = next(&r);
    else if (strcmp(option, "--folder") == 0)
      options.folder = next(&r);
    else
      options.log_records = (uint32_t)next_number(&r);
  }
  if (tailproof_open(&r.store, &options) != 0) {
    fprintf(stderr, "recorder: %s\n", tailproof_error());
    return 70;
  }
  r.writer = tailproof_writer_open(r.store);
  int code = 0;
  while (*r.at != NULL) {
    const char *word = next(&r);
    if (strcmp(word, "exit") == 0)
      code = (int)next_number(&r);
    else
      step(&r, word);
  }
  tailproof_close(r.store);
  return code;
}

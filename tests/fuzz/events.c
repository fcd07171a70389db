/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a log of event loops: rows that keep what the header promises, chains that add up,
 * and requests of a store; or one message. With clang -fsanitize=fuzzer a libFuzzer target; with
 * -DSTANDALONE a program that replays the files it is given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "trace/event/read.h"
#include "trace/loop/spans.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  abort();
}

static void check_row(const struct event_log *log, size_t row) {
  const uint32_t others[] = {log->registrar.data[row], log->releaser.data[row],
                             log->inside.data[row]};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i] != EVENT_NONE && others[i] >= log->begin.count)
      fail("a row that is not there");
  if (log->begin.data[row] == EVENT_NEVER)
    return;
  if (log->registered.data[row] > log->ready_low.data[row] ||
      log->ready_low.data[row] > log->ready_high.data[row] ||
      log->ready_high.data[row] > log->begin.data[row] || log->begin.data[row] > log->end.data[row])
    fail("times out of order");
}

static void check_log(const struct event_log *log) {
  for (size_t row = 0; row < log->begin.count; row++)
    check_row(log, row);
  for (size_t i = 0; i < log->requests.count; i++)
    if (log->requests.data[i].loop >= log->loops.count)
      fail("a loop that is not there");
  for (size_t i = 0; i < log->pauses.count; i++)
    if (log->pauses.data[i].start > log->pauses.data[i].end ||
        log->pauses.data[i].loop >= log->loops.count)
      fail("a pause that is none");
  event_paused_time(log);
}

static void check_chains(const struct event_chains *chains, const struct event_log *log) {
  for (size_t i = 0; i < chains->chains.count; i++) {
    const struct event_chain *chain = &chains->chains.data[i];
    int64_t at = chain->arrived;
    for (uint32_t j = 0; j < chain->count; j++) {
      const struct event_link link = event_link_at(chains, log, chain, j);
      if (link.registered != at || link.ready_low < link.registered ||
          link.ready_high < link.ready_low || link.begin < link.ready_high ||
          link.stop < link.begin)
        fail("a chain with a gap");
      at = link.stop;
    }
    if (at != chain->answer && chain->state == CHAIN_COMPLETE)
      fail("a residual");
  }
}

static void check_spans(const struct event_log *log, struct ledger *ledger) {
  const struct trace_reading reading = {.tags = true, .ids = true, .keep = true};
  struct event_chains chains;
  struct span_store store;
  event_chains_make(&chains, log);
  span_store_init(&store);
  check_chains(&chains, log);
  loop_spans_make(&store, log, &chains, &reading, ledger);
  if (store.requests.count != chains.states[CHAIN_COMPLETE])
    fail("a request without spans");
  span_store_clear(&store);
  event_chains_clear(&chains);
}

static void count_line(void *context, enum saying saying, const char *line) {
  (void)saying;
  *(int *)context += 1;
  if (strchr(line, '\n') != NULL || *line == '\0')
    fail("a message that is no line");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[] = "/tmp/tailproof-fuzz-XXXXXX";
  const char *paths[] = {path};
  struct event_log log;
  struct ledger ledger;
  int file = mkstemp(path), lines = 0;
  if (file < 0 || write(file, data, size) != (ssize_t)size)
    fail("no temporary file");
  close(file);
  event_log_init(&log);
  ledger_init(&ledger);
  enum status status =
      event_read(&log, paths, 1, &ledger, &(struct asker){.context = &lines, .say = count_line});
  if ((status == STATUS_OK) != (lines == 0) || lines > 1)
    fail("a status without a message, or a message without a status");
  check_log(&log);
  check_spans(&log, &ledger);
  ledger_clear(&ledger);
  event_log_clear(&log);
  unlink(path);
  return 0;
}

#include "tests/fuzz/standalone.h"

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `events write N` writes N requests as Node.js does with --trace-event-categories
 * node.async_hooks,node.http,v8: each reads a folder and four files at once, with ticks and a
 * promise. `events read FILE` reads it, makes the chains, and prints how many there are
 * and how many of them are complete.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/event/read.h"
#include "trace/loop/chain.h"

static uint64_t now = 47757075527, next_id = 100;

static void write_event(const char *phase, const char *name, const char *suffix, uint64_t id,
                        uint64_t execution) {
  now += 7;
  printf(",{\"pid\":9700,\"tid\":9700,\"ts\":%" PRIu64 ",\"tts\":%" PRIu64
         ",\"ph\":\"%s\",\"cat\":\"node,node.async_hooks\",\"name\":\"%s%s\",\"dur\":0,\"tdur\":0,"
         "\"id\":\"0x%" PRIx64 "\",\"args\":{",
         now, now / 3, phase, name, suffix, id);
  if (execution != 0)
    printf("\"data\":{\"triggerAsyncId\":%" PRIu64 ",\"executionAsyncId\":%" PRIu64 "}", execution,
           execution);
  printf("}}\n");
}

static uint64_t write_init(const char *name, uint64_t execution) {
  write_event("b", name, "", ++next_id, execution);
  return next_id;
}

static void write_tick(uint64_t execution) {
  uint64_t tick = write_init("TickObject", execution);
  write_event("b", "TickObject", "_CALLBACK", tick, 0);
  write_event("e", "TickObject", "_CALLBACK", tick, 0);
  write_event("e", "TickObject", "", tick, 0);
}

static void write_request(const char *phase, uint64_t number) {
  now += 5;
  printf(",{\"pid\":9700,\"tid\":9700,\"ts\":%" PRIu64 ",\"tts\":%" PRIu64
         ",\"ph\":\"%s\",\"cat\":\"node,node.http\",\"name\":\"http.server.request\",\"dur\":0,"
         "\"tdur\":0,\"id\":\"0x%" PRIx64 "\",\"args\":{",
         now, now / 3, phase, number);
  if (*phase == 'e')
    printf("\"data\":{\"url\":\"/page/%" PRIu64 "\",\"statusCode\":200}", number);
  printf("}}\n");
}

/* Of four files read at once each callback has a tick; the last answers. */
static void write_files(uint64_t directory, uint64_t number) {
  uint64_t files[4];
  write_event("b", "FSREQCALLBACK", "_CALLBACK", directory, 0);
  for (size_t i = 0; i < 4; i++)
    files[i] = write_init("FSREQCALLBACK", directory);
  write_event("e", "FSREQCALLBACK", "_CALLBACK", directory, 0);
  write_event("e", "FSREQCALLBACK", "", directory, 0);
  for (size_t i = 0; i < 4; i++) {
    now += 400;
    write_event("b", "FSREQCALLBACK", "_CALLBACK", files[i], 0);
    write_tick(files[i]);
    if (i == 3)
      write_request("e", number);
    write_event("e", "FSREQCALLBACK", "_CALLBACK", files[i], 0);
    write_event("e", "FSREQCALLBACK", "", files[i], 0);
  }
}

static void write_all(uint64_t requests) {
  uint64_t parser = next_id;
  printf("{\"traceEvents\":[{\"ph\":\"M\",\"pid\":9700,\"tid\":9700,\"name\":\"process_name\"}\n");
  write_event("b", "HTTPINCOMINGMESSAGE", "", parser, 1);
  for (uint64_t i = 1; i <= requests; i++) {
    write_request("b", i);
    uint64_t directory = write_init("FSREQCALLBACK", parser);
    write_init("PROMISE", parser);
    write_event("b", "HTTPINCOMINGMESSAGE", "_CALLBACK", parser, 0);
    write_tick(parser);
    write_event("e", "HTTPINCOMINGMESSAGE", "_CALLBACK", parser, 0);
    now += 900;
    write_files(directory, i);
  }
  printf("]}\n");
}

static void hear(void *context, enum saying saying, const char *line) {
  (void)context;
  (void)saying;
  fprintf(stderr, "%s\n", line);
}

static int read_file(const char *path) {
  struct event_log log;
  struct ledger ledger;
  struct event_chains chains;
  event_log_init(&log);
  ledger_init(&ledger);
  enum status status = event_read(&log, &path, 1, &ledger, &(struct asker){.say = hear});
  event_chains_make(&chains, &log);
  printf("%zu %" PRIu64 "\n", chains.chains.count, chains.states[CHAIN_COMPLETE]);
  event_chains_clear(&chains);
  ledger_clear(&ledger);
  event_log_clear(&log);
  return (int)status;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "write") == 0)
    write_all(strtoull(argv[2], NULL, 10));
  else if (argc == 3 && strcmp(argv[1], "read") == 0)
    return read_file(argv[2]);
  else
    return 64;
  return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `node_log write FILE MB` writes a log as the recorder of Node.js does, of requests that set a
 * timer and read a file; `node_log write FILE MB 100` one in which each 100th file takes 3 ms more.
 * `node_log read FILE` reads it and prints how many of them have an answer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/event/node_chunk.h"
#include "trace/event/read.h"

enum { RECORDS_MOST = 60000, REQUEST_NS = 50000, SLOW_NS = 3000000 };

static unsigned char bytes[NODE_CHUNK_MOST + 64];
static size_t count;
static uint64_t slow; /* one of so many requests; 0: none */

static void put(uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; i++)
    bytes[count++] = (unsigned char)(value >> 8 * i);
}

static void number(uint64_t value) {
  for (; value >= 128; value >>= 7)
    put((value & 127) | 128, 1);
  put(value, 1);
}

static void text(unsigned which, const char *what) {
  size_t length = strlen(what);
  put(0, 1);
  number(which);
  number(length);
  memcpy(bytes + count, what, length);
  count += length;
}

/* Differences are doubled: all are positive. */
static void record(unsigned head, uint64_t a, uint64_t b) {
  put(head, 1);
  number(2 * a);
  number(2 * b);
}

static uint64_t longer(uint64_t request) {
  return slow != 0 && request % slow == 0 ? SLOW_NS : 0;
}

/* One request of a chunk: its turn registers a timer that never rings and a read, whose turn
 * answers. Ids go up by two; a difference back to the connection's is negative. */
static uint64_t write_request(uint64_t request, uint64_t id) {
  record(4, request == 0, 10000); /* noticed */
  number(1);
  record(2 | 2 << 3, 10 + id, 1000); /* a timer of 5 s */
  number(5000);
  record(1 | 3 << 3, 1, 2000);
  put(3, 1); /* the turn of the connection */
  number(2 * (id + 11) - 1);
  number(2 * 4000 - 1);
  number(8000);
  put(5, 1); /* the answer */
  number(0);
  number(2 * (20000 + longer(request)));
  number(200);
  put(3, 1);
  number(2 * (id + 11));
  number(2 * 3000 - 1);
  number(9000);
  return id + 2;
}

static void write_log(const char *path, uint64_t size) {
  FILE *file = fopen(path, "wb");
  if (file == NULL)
    exit(70);
  memcpy(bytes, "TPNODE1\n\1\0\0", 11);
  fwrite(bytes, 1, NODE_FILE_HEADER, file);
  uint64_t records = 0, written = 0, start = 1000000;
  for (uint32_t chunk = 0; written < size; chunk++) {
    uint64_t in_chunk = 0, id = 0, span = 0;
    memset(bytes, 0, sizeof bytes);
    count = NODE_CHUNK_HEADER;
    text(1, "GET /");
    text(2, "Timeout");
    text(3, "FSREQCALLBACK");
    for (; count < RECORDS_MOST; in_chunk++) {
      id = write_request(in_chunk, id);
      span += REQUEST_NS + longer(in_chunk);
    }
    size_t end = count;
    count = 0;
    memcpy(bytes, "TPNC", 4);
    count = 4;
    put(end - NODE_CHUNK_HEADER, 4);
    put(0, 4);
    put(chunk, 4);
    put(start, 8);
    put(records, 8);
    put(0, 8);
    put(start + span, 8);
    count = 8;
    size_t whole = (end + 3) & ~(size_t)3;
    put(node_checksum(bytes, whole / 4), 4);
    fwrite(bytes, 1, whole, file);
    records += 6 * in_chunk;
    start += span;
    written += whole;
  }
  fclose(file);
}

static void ignore(void *context, enum saying saying, const char *line) {
  (void)context, (void)saying;
  fprintf(stderr, "%s\n", line);
}

static void read_log(const char *path) {
  struct event_log log;
  struct ledger ledger;
  event_log_init(&log);
  ledger_init(&ledger);
  if (event_read(&log, &path, 1, &ledger, &(struct asker){.say = ignore}) != STATUS_OK)
    exit(70);
  size_t answered = 0;
  for (size_t i = 0; i < log.requests.count; i++)
    answered += log.requests.data[i].state == EVENT_ANSWERED;
  printf("%zu rows, %zu requests, %zu answered, %" PRIu64
         " records missing, %.0f of %.0f s not read\n",
         log.begin.count, log.requests.count, answered, log.loops.data[0].dropped,
         (double)log.loops.data[0].unread / 1e9,
         (double)(log.loops.data[0].end - log.loops.data[0].start) / 1e9);
  ledger_clear(&ledger);
  event_log_clear(&log);
}

int main(int argc, char **argv) {
  slow = argc == 5 ? strtoull(argv[4], NULL, 10) : 0;
  if (argc >= 4 && strcmp(argv[1], "write") == 0)
    write_log(argv[2], strtoull(argv[3], NULL, 10) * 1000000);
  else if (argc == 3)
    read_log(argv[2]);
  return 0;
}

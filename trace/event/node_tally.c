/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/node_tally.h"

#include <stdio.h>

#include "trace/event/node_record.h"
#include "trace/event/node_walk.h"

struct counting {
  node_tallies *tallies;
  struct node_tally tally;
  uint64_t records, dropped; /* what the next chunk says if nothing is missing */
  int64_t last, lost;        /* number of the last request, and of the last before a gap */
};

static void begin(void *context, const struct node_file *file, const char *path, int64_t bytes) {
  struct counting *counting = context;
  (void)path, (void)bytes;
  *counting = (struct counting){.tallies = counting->tallies,
                                .tally = {.process = file->process,
                                          .thread = file->thread,
                                          .start = INT64_MAX,
                                          .under_way = file->under_way}};
  snprintf(counting->tally.name, sizeof counting->tally.name, "%s", file->name);
}

/* What is open when records are missing has no complete chain. */
static void lose(struct counting *counting, uint64_t count) {
  uint64_t *states = counting->tally.states;
  counting->tally.dropped += count;
  states[EVENT_BROKEN] += states[EVENT_OPEN];
  states[EVENT_OPEN] = 0;
  counting->lost = counting->last;
}

static void end_request(struct counting *counting, int64_t number, enum event_request_state how) {
  uint64_t *states = counting->tally.states;
  if (number <= counting->lost || states[EVENT_OPEN] == 0)
    return;
  states[EVENT_OPEN]--;
  states[how]++;
}

static void count_record(struct counting *counting, const struct node_record *record) {
  if (record->kind == NODE_REQUEST) {
    counting->tally.states[EVENT_OPEN]++;
    counting->last = record->number;
  } else if (record->kind == NODE_RESPONSE) {
    end_request(counting, record->number, EVENT_ANSWERED);
  } else if (record->kind == NODE_ABORT) {
    end_request(counting, record->number, EVENT_ABORTED);
  } else if (record->kind == NODE_UPGRADE) {
    counting->tally.states[EVENT_UPGRADED]++;
  }
}

static void take(void *context, const struct node_chunk *chunk) {
  struct counting *counting = context;
  struct node_tally *tally = &counting->tally;
  if (chunk->samples)
    return;
  uint64_t missing = chunk->records > counting->records ? chunk->records - counting->records : 0;
  uint64_t left_out = chunk->dropped > counting->dropped ? chunk->dropped - counting->dropped : 0;
  if (missing + left_out != 0)
    lose(counting, missing + left_out);
  counting->records = chunk->records;
  counting->dropped = chunk->dropped;
  struct node_cursor cursor = node_cursor_make(chunk);
  struct node_record record;
  while (node_record_next(&cursor, &record)) {
    counting->records += record.kind != NODE_STRING;
    count_record(counting, &record);
  }
  if (cursor.broken)
    lose(counting, 1);
  if (chunk->base >= 0 && chunk->base < tally->start)
    tally->start = chunk->base;
  if (chunk->end > tally->end && chunk->end < NODE_TIME_MAX)
    tally->end = chunk->end;
}

static void finish(void *context, const struct node_walked *walked) {
  struct counting *counting = context;
  struct node_tally *tally = &counting->tally;
  tally->dropped += walked->damaged;
  tally->stopped = walked->stopped;
  tally->stopped_at = walked->stopped_at;
  if (tally->start > tally->end)
    tally->start = tally->end;
  vector_push(counting->tallies, *tally);
}

enum status node_tally_read(node_tallies *tallies, const char *const *paths, size_t count,
                            struct text *message) {
  struct counting counting = {.tallies = tallies};
  struct node_visitor visitor = {&counting, begin, take, finish};
  return node_walk(paths, count, &visitor, message);
}

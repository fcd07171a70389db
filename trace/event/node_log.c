/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/node_log.h"

#include <stdlib.h>

#include "trace/event/node_build.h"
#include "trace/event/node_rows.h"
#include "trace/event/node_walk.h"

/* Of a log that is larger than this, all its loops together, stretches are read. Rows take five
 * times the bytes; `tail` of rows with slow requests, fifteen times. */
enum { READ_MOST = 12 << 20, STRETCH = 1 << 20 };

struct reading {
  struct event_log *log;
  struct node_build build;
  struct node_ready ready;
  int64_t period, at; /* of so many bytes of the log the first STRETCH are read */
};

static void begin(void *context, const struct node_file *file, const char *path, int64_t bytes) {
  struct reading *reading = context;
  node_build_init(&reading->build, reading->log, file);
  reading->ready = (struct node_ready){.descriptor = -1};
  if (file->thread == 0 || file->system_thread != 0)
    node_ready_open(&reading->ready, path, file->process, file->run, file->system_thread);
  reading->log->loops.data[reading->build.loop].lost_stamps = reading->ready.damaged;
  reading->build.ready = reading->ready.descriptor < 0 ? NULL : &reading->ready;
  reading->at = 0;
  reading->period =
      bytes <= READ_MOST ? 0 : (int64_t)STRETCH * ((bytes + READ_MOST - 1) / READ_MOST);
}

static void take(void *context, const struct node_chunk *chunk) {
  struct reading *reading = context;
  if (chunk->samples) {
    node_build_samples(&reading->build, chunk);
    return;
  }
  if (reading->period == 0 || reading->at % reading->period < STRETCH)
    node_build_chunk(&reading->build, chunk);
  else
    node_build_skim(&reading->build, chunk);
  reading->at += (int64_t)chunk->length;
}

static void finish(void *context, const struct node_walked *walked) {
  struct reading *reading = context;
  struct event_loop *loop = &reading->log->loops.data[reading->build.loop];
  loop->dropped += walked->damaged;
  loop->stopped = walked->stopped;
  loop->stopped_at = walked->stopped_at;
  node_build_finish(&reading->build);
  node_ready_close(&reading->ready);
}

/* --- the order between loops --- */

static int compare_requests(const void *left, const void *right) {
  const struct event_request *a = left, *b = right;
  if (a->noticed != b->noticed)
    return a->noticed < b->noticed ? -1 : 1;
  return (a->loop > b->loop) - (a->loop < b->loop);
}

static int compare_pauses(const void *left, const void *right) {
  const struct event_pause *a = left, *b = right;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return (a->loop > b->loop) - (a->loop < b->loop);
}

enum status node_log_read(struct event_log *log, const char *const *paths, size_t count,
                          struct text *message) {
  struct reading *reading = mem_alloc(1, sizeof *reading);
  reading->log = log;
  struct node_visitor visitor = {reading, begin, take, finish};
  enum status status = node_walk(paths, count, &visitor, message);
  mem_free(reading);
  if (log->requests.count != 0)
    qsort(log->requests.data, log->requests.count, sizeof *log->requests.data, compare_requests);
  if (log->pauses.count != 0)
    qsort(log->pauses.data, log->pauses.count, sizeof *log->pauses.data, compare_pauses);
  return status;
}

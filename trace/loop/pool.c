/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "trace/event/log.h"

enum { THREADS_MOST = 1024 /* as libuv's */, CONTRADICTED = 100 /* one of so many */ };

/* Work of a pool, as it is asked for. */
struct serving {
  struct loop_pool *pool;
  const struct event_log *log;
  VECTOR(uint32_t) work; /* rows, by when they were asked for */
  uint32_t threads;
  uint32_t running[THREADS_MOST]; /* rows: those that were asked for first of what is not done */
  uint32_t running_count;
  size_t next;                 /* of `work`: the first that did not get so far */
  uint32_t last[THREADS_MOST]; /* rows: those that are done last so far, by that */
  uint32_t last_count;
  uint32_t holder; /* the row that is done last of what is no file so far, or EVENT_NONE */
  uint64_t waited, contradicted;
};

static const struct event_log *sorted; /* of the comparison */

static int by_registered(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  int64_t left = sorted->registered.data[x], right = sorted->registered.data[y];
  if (left != right)
    return left < right ? -1 : 1;
  return (x > y) - (x < y);
}

/* One piece of work from when it is registered: streams that are compressed, name servers and
 * watched files are resources that are there before they ask for anything. */
static bool is_work(const struct event_log *log, uint32_t row) {
  const char *type = names_text(&log->names, log->type.data[row]);
  size_t length = strlen(type);
  if (log->begin.data[row] == EVENT_NEVER || log->inside.data[row] != EVENT_NONE)
    return false;
  if (log->class.data[row] == EVENT_FILE)
    return strncmp(type, "FSREQ", 5) == 0;
  return log->class.data[row] == EVENT_POOL && length > 7 &&
         strcmp(type + length - 7, "REQUEST") == 0;
}

/* True: not of files alone. */
static bool add_work(struct serving *s, const struct event_loop *loop) {
  bool others = false;
  for (uint32_t row = loop->first; row < loop->first + loop->count; row++)
    if (is_work(s->log, row)) {
      vector_push(&s->work, row);
      others = others || s->log->class.data[row] == EVENT_POOL;
    }
  return others;
}

static bool is_of_one(const struct event_loop *a, const struct event_loop *b) {
  return a->process == b->process && a->run == b->run && a->folder == b->folder;
}

/* Of all loops of a process, whose pool is one. False: there is none but that of files. */
static bool find_work(struct serving *s, const struct event_loop *of) {
  const struct event_loop *loops = s->log->loops.data;
  bool others = false;
  s->work.count = 0;
  for (size_t l = 0; l < s->log->loops.count; l++)
    if (is_of_one(&loops[l], of) && add_work(s, &loops[l]))
      others = true;
  sorted = s->log;
  if (others)
    qsort(s->work.data, s->work.count, sizeof *s->work.data, by_registered);
  return others;
}

/* Whether a loop before it is of the same process. */
static bool is_served(const struct event_log *log, size_t loop) {
  for (size_t before = 0; before < loop; before++)
    if (is_of_one(&log->loops.data[before], &log->loops.data[loop]))
      return true;
  return false;
}

static int64_t done(const struct serving *s, uint32_t row) {
  return s->log->ready_low.data[row];
}

static bool is_file(const struct serving *s, uint32_t row) {
  return s->log->class.data[row] == EVENT_FILE;
}

/* At the time, with those that stand before number `count` of the work. */
static void find_running(struct serving *s, int64_t time, size_t count) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->running_count; i++)
    if (done(s, s->running[i]) > time)
      s->running[kept++] = s->running[i];
  for (; s->next < count && kept < s->threads; s->next++)
    if (done(s, s->work.data[s->next]) > time)
      s->running[kept++] = s->work.data[s->next];
  s->running_count = kept;
}

static bool are_held(const struct serving *s) {
  uint32_t others = 0;
  for (uint32_t i = 0; i < s->running_count; i++)
    others += !is_file(s, s->running[i]);
  return 2 * others > s->threads;
}

static int64_t earlier(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static void wait_for_thread(struct serving *s, uint32_t row) {
  int64_t free = done(s, s->last[0]);
  s->waited++;
  s->contradicted += s->log->ready_high.data[row] < free;
  if (!is_file(s, row) || !are_held(s))
    return;
  s->pool->until[row] = earlier(earlier(free, done(s, s->holder)), done(s, row));
  s->pool->behind[row] = s->holder;
  s->pool->stretch[row] = s->pool->stretches;
}

/* Among the last that are done, of which there are as many as threads. */
static void keep_last(struct serving *s, uint32_t row) {
  if (!is_file(s, row) && (s->holder == EVENT_NONE || done(s, row) > done(s, s->holder)))
    s->holder = row;
  if (s->last_count == s->threads && done(s, row) <= done(s, s->last[0]))
    return;
  if (s->last_count == s->threads)
    memmove(s->last, s->last + 1, --s->last_count * sizeof *s->last);
  uint32_t at = s->last_count++;
  for (; at > 0 && done(s, s->last[at - 1]) > done(s, row); at--)
    s->last[at] = s->last[at - 1];
  s->last[at] = row;
}

static void serve(struct serving *s) {
  s->last_count = s->running_count = 0;
  s->next = 0;
  s->holder = EVENT_NONE;
  s->waited = s->contradicted = 0;
  for (size_t i = 0; i < s->work.count; i++) {
    uint32_t row = s->work.data[i];
    find_running(s, s->log->registered.data[row], i);
    if (s->last_count == s->threads && done(s, s->last[0]) > s->log->registered.data[row])
      wait_for_thread(s, row);
    else
      s->pool->stretches++;
    keep_last(s, row);
  }
  if (s->contradicted * CONTRADICTED > s->waited)
    for (size_t i = 0; i < s->work.count; i++)
      s->pool->until[s->work.data[i]] = 0;
}

void loop_pool_make(struct loop_pool *pool, const struct event_log *log) {
  struct serving s = {.pool = pool, .log = log};
  size_t rows = log->begin.count;
  *pool = (struct loop_pool){0};
  for (size_t l = 0; l < log->loops.count; l++) {
    s.threads = log->loops.data[l].pool;
    if (s.threads == 0 || s.threads > THREADS_MOST || is_served(log, l) ||
        !find_work(&s, &log->loops.data[l]))
      continue;
    if (pool->until == NULL) {
      pool->until = mem_alloc(rows, sizeof *pool->until);
      pool->behind = mem_alloc(rows, sizeof *pool->behind);
      pool->stretch = mem_alloc(rows, sizeof *pool->stretch);
    }
    serve(&s);
  }
  vector_clear(&s.work);
}

int64_t loop_pool_wait(const struct loop_pool *pool, uint32_t row, int64_t since) {
  int64_t until = pool->until == NULL ? 0 : pool->until[row];
  return until != 0 && until > since ? until - since : 0;
}

void loop_pool_clear(struct loop_pool *pool) {
  mem_free(pool->until);
  mem_free(pool->behind);
  mem_free(pool->stretch);
  *pool = (struct loop_pool){0};
}

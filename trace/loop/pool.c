/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "trace/event/log.h"
#include "trace/loop/pool_work.h"

enum { CONTRADICTED = 100 /* one of so many */ };

/* The work that is done last of some, by when. */
struct done_last {
  uint32_t rows[POOL_THREADS_MOST];
  uint32_t count;
};

/* Work of a pool, as it is asked for. */
struct serving {
  struct loop_pool *pool;
  const struct event_log *log;
  struct pool_kinds kinds;
  VECTOR(uint32_t) counts; /* by type: of those that run, in between 0 */
  VECTOR(uint32_t) work;   /* rows, by when they were asked for */
  uint32_t threads;
  uint32_t
      running[POOL_THREADS_MOST]; /* rows: those that were asked for first of what is not done */
  uint32_t running_count;
  size_t next, next_name;       /* of `work`: the first that did not get so far; of names */
  struct done_last names, rest; /* so far */
  uint32_t holder;       /* the row that is done last of what is no file so far, or EVENT_NONE */
  uint32_t name_stretch; /* the number of that in which names wait for names */
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

/* True: not of files alone. */
static bool add_work(struct serving *s, const struct event_loop *loop) {
  bool others = false;
  for (uint32_t row = loop->first; row < loop->first + loop->count; row++)
    if (pool_is_work(&s->kinds, loop, row)) {
      vector_push(&s->work, row);
      others = others || pool_kind_of(&s->kinds, row) != POOL_WORK_FILE;
    }
  return others;
}

/* Of all loops of a process, whose pool is one. False: there is none but that of files. */
static bool find_work(struct serving *s, const struct event_loop *of) {
  const struct event_loop *loops = s->log->loops.data;
  bool others = false;
  s->work.count = 0;
  for (size_t l = 0; l < s->log->loops.count; l++)
    if (pool_is_shared(&loops[l], of) && add_work(s, &loops[l]))
      others = true;
  sorted = s->log;
  if (others)
    qsort(s->work.data, s->work.count, sizeof *s->work.data, by_registered);
  return others;
}

static int64_t done(const struct serving *s, uint32_t row) {
  return s->log->ready_low.data[row];
}

static bool is_file(const struct serving *s, uint32_t row) {
  return s->kinds.of.data[s->log->type.data[row]] == POOL_WORK_FILE;
}

static bool is_name(const struct serving *s, uint32_t row) {
  return s->kinds.of.data[s->log->type.data[row]] == POOL_WORK_NAME;
}

/* The first that is not done at the time, from `*next` on, of names or of the rest; `count`: none. */
static size_t find_next(const struct serving *s, size_t *next, bool names, int64_t time,
                        size_t count) {
  for (; *next < count; (*next)++) {
    uint32_t row = s->work.data[*next];
    if (is_name(s, row) == names && done(s, row) > time)
      break;
  }
  return *next;
}

/* At the time, with those that stand before number `count` of the work. */
static void find_running(struct serving *s, int64_t time, size_t count) {
  uint32_t kept = 0, names = 0;
  for (uint32_t i = 0; i < s->running_count; i++)
    if (done(s, s->running[i]) > time) {
      names += is_name(s, s->running[i]);
      s->running[kept++] = s->running[i];
    }
  while (kept < s->threads) {
    bool may_look_up = names < pool_threads_for_names(s->threads);
    size_t rest = find_next(s, &s->next, false, time, count);
    size_t name = may_look_up ? find_next(s, &s->next_name, true, time, count) : count;
    if (rest == count && name == count)
      break;
    bool is_name_next = name < rest;
    s->running[kept++] = s->work.data[is_name_next ? name : rest];
    names += is_name_next;
    *(is_name_next ? &s->next_name : &s->next) += 1;
  }
  s->running_count = kept;
}

/* Of what the threads do that is no file, the type that most of them do: the row of it that is done
 * last, or EVENT_NONE where files hold half of the threads. */
static uint32_t find_holder(struct serving *s) {
  const uint32_t *type = s->log->type.data;
  uint32_t others = 0, found = EVENT_NONE;
  while (s->counts.count < s->kinds.of.count)
    vector_push(&s->counts, 0);
  for (uint32_t i = 0; i < s->running_count; i++)
    s->counts.data[type[s->running[i]]]++;
  for (uint32_t i = 0; i < s->running_count; i++) {
    uint32_t row = s->running[i];
    if (is_file(s, row))
      continue;
    others++;
    uint32_t count = s->counts.data[type[row]];
    uint32_t most = found == EVENT_NONE ? 0 : s->counts.data[type[found]];
    if (count > most || (count == most && done(s, row) > done(s, found)))
      found = row;
  }
  for (uint32_t i = 0; i < s->running_count; i++)
    s->counts.data[type[s->running[i]]] = 0;
  return 2 * others > s->threads ? found : EVENT_NONE;
}

static int64_t earlier(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* When as many are done of what was asked for before as leave a thread free, or INT64_MIN: one is
 * free already. That is when all but `threads` - 1 are, of which names count as half of them. */
static int64_t free_since(const struct serving *s) {
  uint32_t names = s->names.count, rest = s->rest.count;
  int64_t free = INT64_MIN;
  if (names + rest < s->threads)
    return INT64_MIN;
  for (uint32_t left = s->threads; left > 0; left--) {
    bool is_name_next = rest == 0 || (names != 0 && done(s, s->names.rows[names - 1]) >
                                                        done(s, s->rest.rows[rest - 1]));
    free = is_name_next ? done(s, s->names.rows[--names]) : done(s, s->rest.rows[--rest]);
  }
  return free;
}

/* The same of the threads that look up names: INT64_MIN, or fewer names than those may do were
 * asked for before and are not done. */
static int64_t names_free_since(const struct serving *s) {
  return s->names.count < pool_threads_for_names(s->threads) ? INT64_MIN
                                                             : done(s, s->names.rows[0]);
}

/* The name that is done last of those that are looked up. */
static uint32_t find_name(const struct serving *s) {
  uint32_t found = EVENT_NONE;
  for (uint32_t i = 0; i < s->running_count; i++) {
    uint32_t row = s->running[i];
    if (is_name(s, row) && (found == EVENT_NONE || done(s, row) > done(s, found)))
      found = row;
  }
  return found;
}

static void wait_for_thread(struct serving *s, uint32_t row, int64_t free) {
  s->waited++;
  s->contradicted += s->log->ready_high.data[row] < free;
  uint32_t holder = find_holder(s);
  if (holder == EVENT_NONE)
    return;
  s->pool->until[row] = earlier(earlier(free, done(s, s->holder)), done(s, row));
  s->pool->behind[row] = holder;
  s->pool->stretch[row] = s->pool->stretches;
}

/* Others than names find a thread meanwhile. */
static void wait_for_names(struct serving *s, uint32_t row, int64_t free) {
  uint32_t holder = find_name(s);
  s->waited++;
  s->contradicted += s->log->ready_high.data[row] < free;
  if (holder == EVENT_NONE)
    return;
  s->pool->until[row] = earlier(free, done(s, row));
  s->pool->behind[row] = holder;
  s->pool->stretch[row] = s->name_stretch;
}

static void keep_last(const struct serving *s, struct done_last *last, uint32_t row,
                      uint32_t most) {
  if (last->count == most && done(s, row) <= done(s, last->rows[0]))
    return;
  if (last->count == most)
    memmove(last->rows, last->rows + 1, --last->count * sizeof *last->rows);
  uint32_t at = last->count++;
  for (; at > 0 && done(s, last->rows[at - 1]) > done(s, row); at--)
    last->rows[at] = last->rows[at - 1];
  last->rows[at] = row;
}

static void keep(struct serving *s, uint32_t row) {
  if (!is_file(s, row) && (s->holder == EVENT_NONE || done(s, row) > done(s, s->holder)))
    s->holder = row;
  if (is_name(s, row))
    keep_last(s, &s->names, row, pool_threads_for_names(s->threads));
  else
    keep_last(s, &s->rest, row, s->threads);
}

static void serve(struct serving *s) {
  s->names.count = s->rest.count = s->running_count = 0;
  s->next = s->next_name = 0;
  s->holder = EVENT_NONE;
  s->name_stretch = s->pool->stretches++;
  s->waited = s->contradicted = 0;
  for (size_t i = 0; i < s->work.count; i++) {
    uint32_t row = s->work.data[i];
    int64_t asked = s->log->registered.data[row], free = free_since(s);
    int64_t names = is_name(s, row) ? names_free_since(s) : INT64_MIN;
    find_running(s, asked, i);
    if (free <= asked)
      s->pool->stretches++;
    if (is_name(s, row) && names <= asked)
      s->name_stretch = s->pool->stretches++;
    if (names > asked && names >= free)
      wait_for_names(s, row, names);
    else if (free > asked)
      wait_for_thread(s, row, free);
    keep(s, row);
  }
  if (s->contradicted * CONTRADICTED > s->waited)
    for (size_t i = 0; i < s->work.count; i++)
      s->pool->until[s->work.data[i]] = 0;
}

void loop_pool_make(struct loop_pool *pool, const struct event_log *log) {
  struct serving *s = mem_alloc(1, sizeof *s);
  size_t rows = log->begin.count;
  *pool = (struct loop_pool){0};
  *s = (struct serving){.pool = pool, .log = log, .kinds = {.log = log}};
  for (size_t l = 0; l < log->loops.count; l++) {
    s->threads = log->loops.data[l].pool;
    if (s->threads == 0 || s->threads > POOL_THREADS_MOST ||
        pool_first_loop(log, (uint32_t)l) != l || !find_work(s, &log->loops.data[l]))
      continue;
    if (pool->until == NULL) {
      pool->until = mem_alloc(rows, sizeof *pool->until);
      pool->behind = mem_alloc(rows, sizeof *pool->behind);
      pool->stretch = mem_alloc(rows, sizeof *pool->stretch);
    }
    serve(s);
  }
  vector_clear(&s->work);
  pool_kinds_clear(&s->kinds);
  vector_clear(&s->counts);
  mem_free(s);
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

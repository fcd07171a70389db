/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "trace/event/log.h"

enum { THREADS_MOST = 1024 /* as libuv's */, CONTRADICTED = 100 /* one of so many */ };

enum work_kind { WORK_UNKNOWN, WORK_NONE, WORK_FILE, WORK_NAME, WORK_OTHER };

/* The work that is done last of some, by when. */
struct done_last {
  uint32_t rows[THREADS_MOST];
  uint32_t count;
};

/* Work of a pool, as it is asked for. */
struct serving {
  struct loop_pool *pool;
  const struct event_log *log;
  VECTOR(uint8_t) kinds;   /* by type: enum work_kind */
  VECTOR(uint32_t) counts; /* by type: of those that run, in between 0 */
  VECTOR(uint32_t) work;   /* rows, by when they were asked for */
  uint32_t threads;
  uint32_t running[THREADS_MOST]; /* rows: those that were asked for first of what is not done */
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

/* Names of hosts are looked up by half of the threads at most. Of name servers that are asked by
 * the loop itself, and of files that are watched, the pool knows nothing. */
static enum work_kind kind_of_type(const char *type, uint8_t class) {
  size_t length = strlen(type);
  if (class == EVENT_FILE)
    return strncmp(type, "FSREQ", 5) == 0 || strcmp(type, "FILEHANDLECLOSEREQ") == 0 ? WORK_FILE
                                                                                     : WORK_NONE;
  if (class != EVENT_POOL || strncmp(type, "NATIVE ", 7) == 0)
    return WORK_NONE; /* of an addon, which may have threads of its own */
  if (strcmp(type, "GETADDRINFOREQWRAP") == 0 || strcmp(type, "GETNAMEINFOREQWRAP") == 0)
    return WORK_NAME;
  bool is_request = length > 7 && strcmp(type + length - 7, "REQUEST") == 0;
  return is_request || strcmp(type, "ZLIB") == 0 ? WORK_OTHER : WORK_NONE;
}

static enum work_kind kind_of(struct serving *s, uint32_t row) {
  uint32_t type = s->log->type.data[row];
  while (s->kinds.count <= type)
    vector_push(&s->kinds, WORK_UNKNOWN);
  while (s->counts.count < s->kinds.count)
    vector_push(&s->counts, 0);
  if (s->kinds.data[type] == WORK_UNKNOWN)
    s->kinds.data[type] =
        (uint8_t)kind_of_type(names_text(&s->log->names, type), s->log->class.data[row]);
  return (enum work_kind)s->kinds.data[type];
}

/* A stream that compresses is there before it asks for anything, and asks many times. Each time is
 * in newer logs; else it counts as registered when the callback before ended. */
static bool is_asked(const struct event_log *log, const struct event_loop *loop, uint32_t row) {
  if (strcmp(names_text(&log->names, log->type.data[row]), "ZLIB") != 0)
    return true;
  uint32_t before = log->registrar.data[row];
  bool again = before < row && log->resource.data[before] == log->resource.data[row];
  return loop->has_asked && !(again && log->registered.data[row] == log->end.data[before]);
}

static bool is_work(struct serving *s, const struct event_loop *loop, uint32_t row) {
  const struct event_log *log = s->log;
  return log->begin.data[row] != EVENT_NEVER && log->inside.data[row] == EVENT_NONE &&
         kind_of(s, row) != WORK_NONE && is_asked(log, loop, row);
}

/* True: not of files alone. */
static bool add_work(struct serving *s, const struct event_loop *loop) {
  bool others = false;
  for (uint32_t row = loop->first; row < loop->first + loop->count; row++)
    if (is_work(s, loop, row)) {
      vector_push(&s->work, row);
      others = others || kind_of(s, row) != WORK_FILE;
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
  return s->kinds.data[s->log->type.data[row]] == WORK_FILE;
}

static bool is_name(const struct serving *s, uint32_t row) {
  return s->kinds.data[s->log->type.data[row]] == WORK_NAME;
}

/* As libuv divides them. */
static uint32_t threads_for_names(const struct serving *s) {
  return (s->threads + 1) / 2;
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
    bool may_look_up = names < threads_for_names(s);
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
  return s->names.count < threads_for_names(s) ? INT64_MIN : done(s, s->names.rows[0]);
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
    keep_last(s, &s->names, row, threads_for_names(s));
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
  *s = (struct serving){.pool = pool, .log = log};
  for (size_t l = 0; l < log->loops.count; l++) {
    s->threads = log->loops.data[l].pool;
    if (s->threads == 0 || s->threads > THREADS_MOST || is_served(log, l) ||
        !find_work(s, &log->loops.data[l]))
      continue;
    if (pool->until == NULL) {
      pool->until = mem_alloc(rows, sizeof *pool->until);
      pool->behind = mem_alloc(rows, sizeof *pool->behind);
      pool->stretch = mem_alloc(rows, sizeof *pool->stretch);
    }
    serve(s);
  }
  vector_clear(&s->work);
  vector_clear(&s->kinds);
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

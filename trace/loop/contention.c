/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/contention.h"

#include <stdlib.h>

#include "base/random.h"
#include "dist/statistics/special.h"
#include "trace/event/log.h"
#include "trace/loop/replay.h"
#include "trace/loop/threads.h"
#include "trace/loop/turns.h"

/* Removed work that is less apart is one stretch; so many waits must go on beyond a time. */
enum { GAP_NS = 1000000, BEYOND = 5, DONORS = 20 };

static const double level = 0.01; /* of both tests together */
static const double far = 0.05;   /* chance that the longest wait of a stretch is as long */

struct stretch {
  int64_t start, end; /* ns */
  int64_t until;      /* ns: the loop's next break, at least `end` */
  double above;       /* sum of chances of longer waits than recorded */
  double least;       /* the least of such chances, at most what is sure of it */
  uint64_t waits;
};

struct wait {
  uint32_t type, place, route; /* names */
  uint32_t request;            /* or EVENT_NONE */
  uint32_t row, stretch;       /* that it overlaps first, or EVENT_NONE */
  bool behind;                 /* it began when that had ended */
  int64_t took;                /* ns */
  int64_t alone;               /* ns: until it overlaps, or all */
};

struct contending {
  struct loop_contention *contention;
  const struct loop_turns *turns;
  const struct loop_scenario *scenario;
  VECTOR(struct stretch) stretches; /* apart, by time */
  VECTOR(struct wait) waits;        /* by kind and route, then by `alone` */
  double *beyond;                   /* by wait: the law of its kind after its `alone` */
  struct random random;
};

/* --- what is removed -------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b) {
  const struct stretch *x = a, *y = b;
  return (x->start > y->start) - (x->start < y->start);
}

static void add_stretch(struct contending *f, int64_t start, int64_t end, int64_t until) {
  struct stretch stretch = {.start = start, .end = end, .until = until, .least = 1};
  if (start < end)
    vector_push(&f->stretches, stretch);
}

/* By turn: when the loop takes its next break. */
static int64_t *busy_until(const struct loop_turns *turns) {
  uint32_t count = (uint32_t)turns->kept.count;
  int64_t *busy = loop_busy_since(turns);
  int64_t *until = mem_alloc(count, sizeof *until), behind = 0; /* begin of the next turn */
  for (uint32_t i = count; i-- > 0;) {
    const struct loop_turn turn = loop_turn_at(turns, i);
    until[i] = i + 1 < count && busy[i + 1] != behind ? until[i + 1] : turn.end;
    behind = turn.begin;
  }
  mem_free(busy);
  return until;
}

static double factor_of(const struct contending *f, const struct loop_piece *piece,
                        const double *pauses) {
  if (piece->kind == PIECE_PAUSE)
    return pauses[piece->what];
  return piece->kind == PIECE_RUN && f->scenario->own != NULL ? f->scenario->own[piece->what] : 1;
}

/* What is removed as a whole leaves behind what waits in the queue, to the loop's next break. */
static void add_pieces(struct contending *f) {
  double *pauses = loop_pause_factors(f->turns, f->scenario);
  int64_t *until = busy_until(f->turns);
  for (uint32_t t = 0; t < f->turns->kept.count; t++) {
    const struct loop_turn turn = loop_turn_at(f->turns, t);
    for (uint32_t i = turn.piece; i < turn.piece + turn.pieces; i++) {
      const struct loop_piece piece = loop_piece_of(f->turns, &turn, i);
      double factor = factor_of(f, &piece, pauses);
      if (factor < 1)
        add_stretch(f, piece.start, piece.end, factor > LOOP_REMOVED ? piece.end : until[t]);
    }
  }
  mem_free(until);
  mem_free(pauses);
}

/* It is asked for all the time, so that nobody knows since when it waits. */
static bool listens(const struct loop_turns *turns, uint32_t row) {
  return turns->log->class.data[row] == EVENT_SOCKET &&
         turns->since[row] < turns->log->registered.data[row];
}

/* Gives the turn whose readiness the replay moves with the row's wait; false: none. */
static bool waiting_turn(const struct loop_turns *turns, uint32_t row, struct loop_turn *turn) {
  uint32_t index = turns->turn_of[row];
  if (index == EVENT_NONE || turns->kept.data[index].first != row || listens(turns, row))
    return false;
  *turn = loop_turn_at(turns, index);
  return turn->triggers[0] != EVENT_NONE && turn->triggers[1] == EVENT_NONE &&
         turn->ready >= turn->registered;
}

static int64_t changed_io(const struct contending *f, uint32_t row) {
  return f->scenario->io == NULL ? 0 : f->scenario->io[row];
}

/* When what the row waits for began: work of the pool, when a thread did. */
static int64_t began(const struct contending *f, uint32_t row, const struct loop_turn *turn) {
  return loop_threads_began(f->scenario->threads, turn, f->turns->turn_of[row]);
}

static void add_shorter_waits(struct contending *f) {
  int64_t *until = busy_until(f->turns);
  for (uint32_t row = 0; row < f->turns->log->begin.count; row++) {
    struct loop_turn turn;
    int64_t more = changed_io(f, row);
    if (more >= 0 || !waiting_turn(f->turns, row, &turn))
      continue;
    int64_t since = began(f, row, &turn), start = turn.ready + more;
    start = start > since ? start : since;
    bool left = (double)(start - since) > LOOP_REMOVED * (double)(turn.ready - since);
    bool pool = f->turns->log->class.data[row] == EVENT_POOL;
    add_stretch(f, start, turn.ready, left || !pool ? turn.ready : until[f->turns->turn_of[row]]);
  }
  mem_free(until);
}

static int64_t later(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static void find_stretches(struct contending *f) {
  add_pieces(f);
  add_shorter_waits(f);
  if (f->stretches.count == 0)
    return;
  struct stretch *data = f->stretches.data;
  qsort(data, f->stretches.count, sizeof *data, by_start);
  size_t last = 0;
  for (size_t i = 1; i < f->stretches.count; i++)
    if (data[i].start - data[last].end > GAP_NS && data[i].start > data[last].until) {
      data[++last] = data[i];
    } else {
      data[last].end = later(data[last].end, data[i].end);
      data[last].until = later(data[last].until, data[i].until);
    }
  f->stretches.count = last + 1;
}

/* The first that goes on after the time. */
static size_t stretch_at(const struct contending *f, int64_t time) {
  size_t low = 0, high = f->stretches.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (f->stretches.data[middle].until <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* --- waits ------------------------------------------------------------------------------------ */

static bool may_contend(enum event_class class) {
  return class == EVENT_OTHER || class == EVENT_SOCKET || class == EVENT_FILE ||
         class == EVENT_POOL || class == EVENT_PROCESS;
}

static void add_wait(struct contending *f, uint32_t row, const struct loop_turn *turn) {
  const struct event_log *log = f->turns->log;
  uint32_t request = f->turns->owner[row];
  int64_t since = began(f, row, turn);
  struct wait wait = {.type = log->type.data[row],
                      .place = log->place.data[row],
                      .route = request == EVENT_NONE ? 0 : log->requests.data[request].route,
                      .request = request,
                      .row = row,
                      .stretch = EVENT_NONE,
                      .took = turn->eligible > since ? turn->eligible - since : 0};
  size_t at = stretch_at(f, since);
  wait.alone = wait.took;
  if (at < f->stretches.count && f->stretches.data[at].start < turn->eligible) {
    int64_t before = f->stretches.data[at].start - since;
    wait.stretch = (uint32_t)at;
    wait.behind = since >= f->stretches.data[at].end;
    wait.alone = before > 0 ? before : 0;
  }
  vector_push(&f->waits, wait);
}

static int by_kind(const struct wait *x, const struct wait *y) {
  if (x->type != y->type)
    return x->type < y->type ? -1 : 1;
  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  return (x->route > y->route) - (x->route < y->route);
}

/* Of those that end at one time what is cut off comes last. */
static int by_law(const void *a, const void *b) {
  const struct wait *x = a, *y = b;
  int kind = by_kind(x, y);
  if (kind != 0)
    return kind;
  if (x->alone != y->alone)
    return x->alone < y->alone ? -1 : 1;
  if ((x->stretch == EVENT_NONE) != (y->stretch == EVENT_NONE))
    return x->stretch == EVENT_NONE ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

static void find_waits(struct contending *f) {
  for (uint32_t row = 0; row < f->turns->log->begin.count; row++) {
    struct loop_turn turn;
    if (changed_io(f, row) == 0 && may_contend((enum event_class)f->turns->log->class.data[row]) &&
        waiting_turn(f->turns, row, &turn) &&
        loop_counts_from(f->turns, f->scenario, turn.loop) <= turn.registered)
      add_wait(f, row, &turn);
  }
  if (f->waits.count != 0)
    qsort(f->waits.data, f->waits.count, sizeof *f->waits.data, by_law);
}

/* --- the law of one kind ---------------------------------------------------------------------- */

/* The waits from .. to. */
struct wait_law {
  size_t from, to;
};

/* How many waits without the work there are. */
static size_t make_law(struct contending *f, struct wait_law law) {
  size_t alone = 0;
  double beyond = 1;
  for (size_t i = law.from; i < law.to; i++) {
    bool ends = f->waits.data[i].stretch == EVENT_NONE;
    if (ends)
      beyond *= 1 - 1 / (double)(law.to - i);
    alone += ends;
    f->beyond[i] = beyond;
  }
  return alone;
}

/* The first wait that is alone for longer; or, `or_equal`, as long. */
static size_t first_after(const struct contending *f, struct wait_law law, int64_t time,
                          bool or_equal) {
  while (law.from < law.to) {
    size_t middle = law.from + (law.to - law.from) / 2;
    int64_t alone = f->waits.data[middle].alone;
    if (alone < time || (alone == time && !or_equal))
      law.from = middle + 1;
    else
      law.to = middle;
  }
  return law.from;
}

static double beyond(const struct contending *f, struct wait_law law, size_t index) {
  return index == law.from ? 1 : f->beyond[index - 1];
}

/* The time at which the law falls to the chance; -1: it does not. */
static int64_t time_of(const struct contending *f, struct wait_law law, double chance) {
  size_t end = law.to;
  while (law.from < law.to) {
    size_t middle = law.from + (law.to - law.from) / 2;
    if (f->beyond[middle] > chance)
      law.from = middle + 1;
    else
      law.to = middle;
  }
  return law.from == end ? -1 : f->waits.data[law.from].alone;
}

/* The wait is longer than others with this chance, of which so many are known. */
static void compare(struct stretch *stretch, double longer, double or_equal, size_t known) {
  double chance = (or_equal * (double)known + 1) / ((double)known + 1);
  stretch->above += (longer + or_equal) / 2;
  stretch->least = chance < stretch->least ? chance : stretch->least;
  stretch->waits++;
}

/* It takes what it took, or what the scenario says of such. */
static void keep(struct contending *f, const struct wait *wait) {
  struct loop_contention *c = f->contention;
  int64_t more = (int64_t)((double)wait->took * (f->scenario->lawless - 1));
  c->lawless++;
  c->io[wait->row] += more;
  c->behind_io[wait->row] += more;
}

static void draw(struct contending *f, struct wait_law law, const struct wait *wait) {
  size_t after = first_after(f, law, wait->alone, false);
  double left = beyond(f, law, after);
  if (law.to - after < BEYOND || left <= 0) {
    keep(f, wait);
    return;
  }
  if (!wait->behind)
    compare(&f->stretches.data[wait->stretch],
            beyond(f, law, first_after(f, law, wait->took, false)) / left,
            beyond(f, law, first_after(f, law, wait->took, true)) / left, law.to - after);
  uint64_t parts = UINT64_C(1) << 53;
  double chance = (double)random_below(&f->random, parts) / (double)parts;
  int64_t took = time_of(f, law, chance * left);
  if (took >= 0)
    f->contention->io[wait->row] = took - wait->took;
  if (took >= 0 && wait->behind)
    f->contention->behind_io[wait->row] = took - wait->took;
}

static void find_law(struct contending *f, struct wait_law law) {
  bool enough = make_law(f, law) >= CONTENTION_ALONE;
  for (size_t i = law.from; i < law.to; i++) {
    const struct wait *wait = &f->waits.data[i];
    if (wait->stretch == EVENT_NONE)
      continue;
    f->contention->waits += !wait->behind;
    f->contention->behind += wait->behind;
    if (enough)
      draw(f, law, wait);
    else
      keep(f, wait);
  }
}

/* --- waits of one request --------------------------------------------------------------------- */

/* Those of one kind, in the order in which their callbacks began. */
struct request_waits {
  uint32_t count;
  bool donates; /* none was asked for while removed work ran, or behind it */
  size_t first; /* of the list of waits */
};

struct donating {
  VECTOR(const struct wait *) waits;     /* of one kind, by request and row */
  VECTOR(struct request_waits) requests; /* those that donate last, by count */
};

static int by_request(const void *a, const void *b) {
  const struct wait *x = *(const struct wait *const *)a, *y = *(const struct wait *const *)b;
  if (x->request != y->request)
    return x->request < y->request ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

static int by_count(const void *a, const void *b) {
  const struct request_waits *x = a, *y = b;
  if (x->donates != y->donates)
    return x->donates ? 1 : -1;
  if (x->count != y->count)
    return x->count < y->count ? -1 : 1;
  return (x->first > y->first) - (x->first < y->first);
}

/* Asked for while removed work ran, or behind it: nothing of how long it took is without that. */
static bool is_within(const struct wait *wait) {
  return wait->stretch != EVENT_NONE && wait->alone == 0;
}

static void find_requests(struct donating *d) {
  qsort(d->waits.data, d->waits.count, sizeof(const struct wait *), by_request);
  for (size_t i = 0; i < d->waits.count; i++) {
    size_t last = d->requests.count - 1;
    if (i == 0 || d->waits.data[i]->request != d->waits.data[i - 1]->request) {
      last = d->requests.count;
      vector_push(&d->requests, (struct request_waits){.donates = true, .first = i});
    }
    d->requests.data[last].count++;
    d->requests.data[last].donates = d->requests.data[last].donates && !is_within(d->waits.data[i]);
  }
  qsort(d->requests.data, d->requests.count, sizeof *d->requests.data, by_count);
}

/* The first of the requests that donates so many waits, or more. */
static size_t donor_at(const struct donating *d, size_t count) {
  size_t low = 0, high = d->requests.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct request_waits *r = &d->requests.data[middle];
    if (!r->donates || r->count < count)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void take_from(struct contending *f, const struct donating *d,
                      const struct request_waits *to, const struct request_waits *from) {
  struct loop_contention *c = f->contention;
  for (size_t i = 0; i < to->count; i++) {
    const struct wait *wait = d->waits.data[to->first + i];
    const struct wait *other = d->waits.data[from->first + i];
    if (!is_within(wait))
      continue;
    c->io[wait->row] = other->took + c->io[other->row] - wait->took;
    if (wait->behind)
      c->behind_io[wait->row] = c->io[wait->row];
  }
}

/* What a request waits for together takes long together: eight reads drawn one by one would take
 * longer than any eight that were. So a request takes all such waits from another one. */
static void take_together(struct contending *f, struct wait_law law) {
  struct donating d = {0};
  for (size_t i = law.from; i < law.to; i++)
    if (f->waits.data[i].request != EVENT_NONE)
      vector_push(&d.waits, &f->waits.data[i]);
  if (d.waits.count != 0)
    find_requests(&d);
  for (size_t i = 0; i < d.requests.count && !d.requests.data[i].donates; i++) {
    uint32_t count = d.requests.data[i].count;
    size_t from = donor_at(&d, count), to = donor_at(&d, (size_t)count + 1);
    if (to - from >= DONORS)
      take_from(f, &d, &d.requests.data[i],
                &d.requests.data[from + random_below(&f->random, to - from)]);
  }
  vector_clear(&d.waits);
  vector_clear(&d.requests);
}

/* --- all of it -------------------------------------------------------------------------------- */

static void judge(struct contending *f) {
  struct loop_contention *c = f->contention;
  for (size_t i = 0; i < f->stretches.count; i++) {
    const struct stretch *stretch = &f->stretches.data[i];
    double half = (double)stretch->waits / 2;
    if (stretch->waits == 0)
      continue;
    c->stretches++;
    c->longer += stretch->above < half;
    c->far += stretch->least * (double)stretch->waits <= far;
  }
  if (c->waits == 0)
    c->verdict = CONTENTION_NONE;
  else if (c->stretches != 0 && (special_binomial_from(c->longer, 0.5, c->stretches) <= level / 2 ||
                                 special_binomial_from(c->far, far, c->stretches) <= level / 2))
    c->verdict = CONTENTION_LONGER;
  else
    c->verdict = c->stretches >= CONTENTION_STRETCHES ? CONTENTION_ALIKE : CONTENTION_UNKNOWN;
}

void loop_contention_make(struct loop_contention *contention, const struct loop_turns *turns,
                          const struct loop_scenario *scenario) {
  struct contending f = {
      .contention = contention, .turns = turns, .scenario = scenario, .random = {1}};
  size_t rows = turns->log->begin.count;
  *contention =
      (struct loop_contention){.io = mem_alloc(rows, sizeof *contention->io),
                               .behind_io = mem_alloc(rows, sizeof *contention->behind_io)};
  for (uint32_t row = 0; row < rows; row++)
    contention->io[row] = contention->behind_io[row] = changed_io(&f, row);
  find_stretches(&f);
  find_waits(&f);
  f.beyond = mem_alloc(f.waits.count, sizeof *f.beyond);
  for (size_t from = 0, to = 0; from < f.waits.count; from = to) {
    while (to < f.waits.count && by_kind(&f.waits.data[from], &f.waits.data[to]) == 0)
      to++;
    find_law(&f, (struct wait_law){from, to});
    take_together(&f, (struct wait_law){from, to});
  }
  judge(&f);
  mem_free(f.beyond);
  vector_clear(&f.waits);
  vector_clear(&f.stretches);
}

void loop_contention_clear(struct loop_contention *contention) {
  mem_free(contention->io);
  mem_free(contention->behind_io);
  *contention = (struct loop_contention){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/turns.h"

#include <string.h>

#include "trace/event/log.h"
#include "trace/loop/chain.h"
#include "trace/loop/turns_kept.h"

static const int64_t UNCERTAIN_NS = 1000000;
static const int64_t WAKING_NS = 100000; /* an idle loop begins what is ready within that */

/* A loop while its turns are made. */
struct making {
  struct loop_turns *turns;
  const struct event_log *log;
  enum loop_reading reading;
  uint32_t *before;             /* by row: that registered it */
  const struct loop_turn *turn; /* of which pieces are made */
  uint32_t loop;
  VECTOR(struct event_pause) pauses; /* of the loop, disjoint */
  VECTOR(uint32_t) number;           /* of each in the log */
  size_t pause;                      /* the first that does not end before the pieces made */
  VECTOR(uint32_t) running;          /* rows that are begun and not ended, as pieces are made */
  VECTOR(int64_t) until;             /* their ends */
};

/* --- what was registered where, and who works for which request ------------------------------- */

/* A socket is listened to all the time: its callbacks do not wait for those before. */
static void find_registrars(struct making *m) {
  const struct event_log *log = m->log;
  for (uint32_t row = 0; row < log->begin.count; row++) {
    uint32_t before = log->registrar.data[row];
    bool again = log->class.data[row] == EVENT_SOCKET && before < row &&
                 log->resource.data[before] == log->resource.data[row] &&
                 log->type.data[before] == log->type.data[row];
    m->before[row] = again ? m->before[before] : before;
    m->turns->since[row] = again ? m->turns->since[before] : log->registered.data[row];
  }
}

/* What the chains say. Of a row of two chains the first counts. */
static void take_chains(struct making *m, const struct event_chains *chains) {
  uint32_t *owner = m->turns->owner;
  for (size_t c = 0; c < chains->chains.count; c++) {
    const struct event_chain *chain = &chains->chains.data[c];
    for (uint32_t i = 0; i < chain->count; i++) {
      const struct event_link link = event_link_at(chains, m->log, chain, i);
      if (owner[link.row] != EVENT_NONE)
        continue;
      owner[link.row] = chain->request;
      m->before[link.row] = i == 0 ? EVENT_NONE : event_link_row(chains, chain, i - 1);
      m->turns->since[link.row] = link.registered;
    }
  }
}

/* Follows the registrars to a row whose request is known, and tells all on the way. */
static void find_owner(struct making *m, uint32_t row, uint8_t *known) {
  uint32_t *owner = m->turns->owner, at = row;
  for (; at != EVENT_NONE && known[at] == 0; at = m->before[at])
    known[at] = 1;
  uint32_t found = at == EVENT_NONE ? EVENT_NONE : owner[at];
  for (at = row; at != EVENT_NONE && known[at] == 1; at = m->before[at]) {
    known[at] = 2;
    owner[at] = found;
  }
}

static void find_owners(struct making *m, const struct event_chains *chains) {
  const struct event_log *log = m->log;
  size_t rows = log->begin.count;
  uint8_t *known = mem_alloc(rows, sizeof *known);
  for (size_t i = 0; i < rows; i++)
    m->turns->owner[i] = EVENT_NONE;
  for (size_t i = log->requests.count; i-- > 0;) {
    uint32_t source = log->requests.data[i].source;
    if (source != EVENT_NONE && source < rows)
      m->turns->owner[source] = (uint32_t)i;
  }
  find_registrars(m);
  take_chains(m, chains);
  for (size_t i = 0; i < rows; i++)
    known[i] = m->turns->owner[i] == EVENT_NONE ? 0 : 2;
  for (uint32_t i = 0; i < rows; i++)
    find_owner(m, i, known);
  mem_free(known);
}

/* --- pauses ----------------------------------------------------------------------------------- */

/* Those of the loop; of nested ones the outer. */
static void take_pauses(struct making *m) {
  m->pauses.count = m->number.count = m->pause = 0;
  int64_t end = INT64_MIN;
  for (uint32_t i = 0; i < m->log->pauses.count; i++) {
    struct event_pause pause = m->log->pauses.data[i];
    if (pause.loop != m->loop || pause.end <= end)
      continue;
    pause.start = pause.start < end ? end : pause.start;
    end = pause.end;
    vector_push(&m->pauses, pause);
    vector_push(&m->number, i);
  }
}

/* --- pieces ----------------------------------------------------------------------------------- */

static void add_piece(struct making *m, int64_t start, int64_t end, enum piece_kind kind,
                      uint32_t what) {
  if (start >= end)
    return;
  uint32_t of = kind == PIECE_RUN ? what - m->turn->first : kind == PIECE_PAUSE ? what : 0;
  vector_push(&m->turns->pieces, (uint32_t)kind << PIECE_KIND_SHIFT | of);
  narrow_push(&m->turns->left, narrow_less(m->turn->end, end));
}

/* What else it is where no collection stops it. */
static void add_pieces(struct making *m, int64_t start, int64_t end, enum piece_kind kind,
                       uint32_t what) {
  while (start < end) {
    while (m->pause < m->pauses.count && m->pauses.data[m->pause].end <= start)
      m->pause++;
    int64_t until = end;
    if (m->pause < m->pauses.count && m->pauses.data[m->pause].start < end) {
      const struct event_pause *pause = &m->pauses.data[m->pause];
      if (pause->start <= start) {
        until = pause->end < end ? pause->end : end;
        add_piece(m, start, until, PIECE_PAUSE, m->number.data[m->pause]);
        start = until;
        continue;
      }
      until = pause->start;
    }
    add_piece(m, start, until, kind, what);
    start = until;
  }
}

/* The pieces from `from` to `to` of whatever runs innermost; ends what ends before `to`. */
static int64_t run_until(struct making *m, int64_t from, int64_t to) {
  while (m->running.count != 0) {
    size_t top = m->running.count - 1;
    if (m->until.data[top] > to)
      break;
    add_pieces(m, from, m->until.data[top], PIECE_RUN, m->running.data[top]);
    from = m->until.data[top] > from ? m->until.data[top] : from;
    m->running.count--;
    m->until.count--;
  }
  if (m->running.count == 0)
    add_pieces(m, from, to, PIECE_NATIVE, EVENT_NONE);
  else
    add_pieces(m, from, to, PIECE_RUN, m->running.data[m->running.count - 1]);
  return to > from ? to : from;
}

static void make_pieces(struct making *m, const struct loop_turn *turn) {
  const struct event_log *log = m->log;
  m->turn = turn;
  int64_t at = turn->eligible > turn->free ? turn->eligible : turn->free;
  add_pieces(m, turn->free, at, PIECE_IDLE, EVENT_NONE);
  add_pieces(m, at, turn->begin, PIECE_NATIVE, EVENT_NONE);
  at = turn->begin;
  m->running.count = m->until.count = 0;
  for (uint32_t row = turn->first; row < turn->first + turn->count; row++) {
    at = run_until(m, at, log->begin.data[row]);
    int64_t end = log->end.data[row];
    if (m->until.count != 0 && m->until.data[m->until.count - 1] < end)
      end = m->until.data[m->until.count - 1];
    vector_push(&m->running, row);
    vector_push(&m->until, end);
  }
  run_until(m, at, turn->end);
}

/* --- turns ------------------------------------------------------------------------------------ */

static int64_t clip(int64_t value, int64_t least, int64_t most) {
  return value < least ? least : value > most ? most : value;
}

/* A tick or a continuation that the turn itself made ready, and that follows it. */
static bool belongs(const struct making *m, const struct loop_turn *turn, uint32_t row) {
  const struct event_log *log = m->log;
  if (log->begin.data[row] < turn->end)
    return true;
  uint8_t class = log->class.data[row];
  if (class != EVENT_TICK && class != EVENT_PROMISE)
    return false;
  if (strcmp(names_text(&log->names, log->type.data[row]), "Immediate") == 0)
    return false;
  uint32_t before = log->releaser.data[row];
  if (before == EVENT_NONE)
    before = m->before[row];
  return before != EVENT_NONE && before >= turn->first && before < row;
}

/* Whether the row can have handed over to this one at that moment. */
static bool precedes(const struct making *m, uint32_t before, int64_t moment, uint32_t row) {
  const struct event_log *log = m->log;
  const struct event_loop *loop = &log->loops.data[m->loop];
  if (before == EVENT_NONE || before == row || moment > log->begin.data[row] ||
      log->begin.data[before] > moment)
    return false;
  bool same = before >= loop->first && before < loop->first + loop->count;
  return same ? before < row : log->begin.data[before] < log->begin.data[row];
}

static bool is_source(const struct making *m, uint32_t row) {
  uint32_t request = m->turns->owner[row];
  return request != EVENT_NONE && m->log->requests.data[request].source == row;
}

/* What the turn waited for; what is not of the past is left out. */
static void find_triggers(struct loop_turn *turn, const struct making *m, uint32_t row) {
  const struct event_log *log = m->log;
  uint32_t registrar = m->before[row], releaser = log->releaser.data[row];
  turn->triggers[0] = turn->triggers[1] = EVENT_NONE;
  if (is_source(m, row))
    return;
  turn->registered = m->turns->since[row];
  if (precedes(m, registrar, turn->registered, row))
    turn->triggers[0] = registrar;
  if (precedes(m, releaser, turn->ready, row))
    turn->triggers[1] = releaser;
}

/* When it was ready by the reading. One end of an interval in which the loop was idle is as good as
 * the other: it would have begun at once. */
static int64_t ready_of(const struct making *m, const struct loop_turn *turn, uint32_t row) {
  const struct event_log *log = m->log;
  int64_t low = log->ready_low.data[row], high = log->ready_high.data[row];
  if (is_source(m, row))
    return clip(m->log->requests.data[m->turns->owner[row]].arrived_high, INT64_MIN, turn->begin);
  high = clip(high, INT64_MIN, turn->begin);
  low = clip(low, INT64_MIN, high);
  if (m->turns->owner[row] != EVENT_NONE && high - low > UNCERTAIN_NS)
    m->turns->uncertain++;
  bool idle = turn->begin - (turn->free > low ? turn->free : low) > WAKING_NS;
  bool late = m->reading == LOOP_LATE || idle || log->releaser.data[row] != EVENT_NONE;
  return late ? high : low;
}

/* The turn that begins with the row, behind one of the same loop or none. */
static struct loop_turn start_turn(struct making *m, uint32_t row, const struct loop_turn *before) {
  const struct event_log *log = m->log;
  struct loop_turn turn = {.loop = m->loop, .first = row, .begin = log->begin.data[row]};
  turn.free =
      before == NULL ? clip(log->loops.data[m->loop].start, INT64_MIN, turn.begin) : before->end;
  turn.ready = ready_of(m, &turn, row);
  find_triggers(&turn, m, row);
  turn.end = turn.begin;
  turn.request = m->turns->owner[row];
  return turn;
}

static void extend_turn(struct making *m, struct loop_turn *turn, uint32_t row) {
  int64_t end = m->log->end.data[row];
  turn->count++;
  turn->end = end > turn->end ? end : turn->end;
  if (turn->request == EVENT_NONE)
    turn->request = m->turns->owner[row];
  m->turns->turn_of[row] = (uint32_t)m->turns->kept.count;
}

/* The earliest of turns that are served later: when one was surely ready, and when one was that an
 * idle loop would have begun. */
struct served_later {
  int64_t ready, seen; /* ns; INT64_MAX: none */
};

/* Whether the loop cannot have been idle before the turn, though it became ready later than the one
 * before ended: another was ready by then that is served later. */
static bool goes_on(const struct loop_turn *turn, const struct served_later *later) {
  bool soon = turn->ready - turn->free <= LOOP_BREAK_NS;
  return later->seen <= turn->free || (soon && later->ready <= turn->free);
}

/* When it was surely ready: by a clock. A timer may have been refreshed, which nobody saw; then the
 * loop took a break after the time that it had at first. Since `busy` it took none. */
static int64_t surely_ready(const struct making *m, const struct loop_turn *turn, int64_t busy) {
  uint32_t row = turn->first;
  bool exact = m->log->ready_low.data[row] == m->log->ready_high.data[row] &&
               (m->log->class.data[row] != EVENT_TIMER || turn->ready >= busy);
  return exact || is_source(m, row) ? turn->ready : INT64_MAX;
}

/* When all requests that came in a source were answered; EVENT_NEVER: one of them was not. */
static int64_t answered(const struct making *m, uint32_t source) {
  const struct event_log *log = m->log;
  size_t i = m->turns->owner[source]; /* the first of them */
  int64_t last = log->requests.data[i].responded;
  while (++i < log->requests.count && log->requests.data[i].noticed <= log->end.data[source])
    if (log->requests.data[i].source == source && log->requests.data[i].responded > last)
      last = log->requests.data[i].responded;
  return last;
}

/* When a request had surely come on a connection from which the loop was reading: an idle loop
 * takes it at once. Not while another of the connection is not answered, as reading may be paused
 * then. */
static int64_t surely_seen(const struct making *m, const struct loop_turn *turn) {
  const struct event_log *log = m->log;
  uint32_t row = turn->first, before = log->registrar.data[row];
  if (!is_source(m, row))
    return INT64_MAX;
  int64_t seen = log->registered.data[row];
  seen = turn->ready > seen ? turn->ready : seen;
  for (; before < row && log->resource.data[before] == log->resource.data[row] &&
         log->type.data[before] == log->type.data[row];
       row = before, before = log->registrar.data[row])
    if (is_source(m, before)) {
      int64_t last = answered(m, before);
      return last > seen ? last : seen;
    }
  return seen;
}

/* When each could have begun, and in which order; then its pieces. */
static void settle_turn(struct making *m, struct loop_turn turn, const struct served_later *later,
                        int64_t *woken, int64_t *order) {
  int64_t ready = turn.ready;
  if (ready > turn.free && goes_on(&turn, later))
    ready = turn.free;
  if (ready > turn.free && ready > *woken)
    *woken = ready;
  turn.eligible = ready > *woken ? ready : *woken;
  *order = turn.eligible > *order ? turn.eligible : *order;
  narrow_push(&m->turns->queued, narrow_less(turn.begin, turn.eligible));
  narrow_push(&m->turns->early, narrow_less(turn.begin, *order));
  make_pieces(m, &turn);
}

static int64_t earlier(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* `served`: by turn of the loop, of that alone; then with those served later. */
static void settle_turns(struct making *m, uint32_t first, struct served_later *served) {
  uint32_t count = (uint32_t)m->turns->kept.count - first;
  int64_t woken = INT64_MIN, order = INT64_MIN;
  const struct served_later none = {INT64_MAX, INT64_MAX};
  for (size_t i = count; i-- > 1;) {
    served[i - 1].ready = earlier(served[i].ready, served[i - 1].ready);
    served[i - 1].seen = earlier(served[i].seen, served[i - 1].seen);
  }
  for (uint32_t i = 0; i < count; i++) {
    m->turns->kept.data[first + i].piece = (uint32_t)m->turns->pieces.count;
    settle_turn(m, loop_turn_unsettled(m->turns, first + i), i + 1 < count ? &served[i + 1] : &none,
                &woken, &order);
  }
}

static void keep_turn(struct loop_turns *turns, const struct loop_turn *turn) {
  struct loop_turn_kept kept = {.first = turn->first,
                                .request = turn->request,
                                .triggers = {turn->triggers[0], turn->triggers[1]}};
  vector_push(&turns->kept, kept);
  narrow_push(&turns->lasted, narrow_less(turn->end, turn->begin));
  narrow_push(&turns->waited, narrow_less(turn->begin, turn->ready));
}

/* The rows of the loop, turn by turn. */
static void make_loop(struct making *m) {
  const struct event_log *log = m->log;
  const struct event_loop *loop = &log->loops.data[m->loop];
  uint32_t first = (uint32_t)m->turns->kept.count, row = loop->first;
  VECTOR(struct served_later) served = {0};
  int64_t busy = 0; /* since then there has been no gap in which the loop may have been idle */
  struct loop_turn turn = {.count = 0};
  take_pauses(m);
  for (; row < loop->first + loop->count && log->begin.data[row] != EVENT_NEVER; row++) {
    if (turn.count == 0 || !belongs(m, &turn, row)) {
      if (turn.count != 0)
        keep_turn(m->turns, &turn);
      turn = start_turn(m, row, turn.count == 0 ? NULL : &turn);
      if (served.count == 0 || turn.begin - turn.free > LOOP_BREAK_NS)
        busy = turn.begin;
      vector_push(&served,
                  (struct served_later){surely_ready(m, &turn, busy), surely_seen(m, &turn)});
    }
    extend_turn(m, &turn, row);
  }
  if (turn.count != 0)
    keep_turn(m->turns, &turn);
  vector_push(&m->turns->ranges,
              (struct loop_turn_range){first, (uint32_t)m->turns->kept.count, row});
  settle_turns(m, first, served.data);
  vector_clear(&served);
}

/* Requests come at their own time, whoever registered the reader of their connection. */
static void free_sources(struct loop_turns *turns) {
  const struct event_log *log = turns->log;
  for (size_t i = 0; i < log->requests.count; i++) {
    uint32_t source = log->requests.data[i].source;
    if (source == EVENT_NONE || turns->turn_of[source] == EVENT_NONE)
      continue;
    struct loop_turn_kept *turn = &turns->kept.data[turns->turn_of[source]];
    turn->triggers[0] = turn->triggers[1] = EVENT_NONE;
  }
}

void loop_turns_make(struct loop_turns *turns, const struct event_log *log,
                     const struct event_chains *chains, enum loop_reading reading) {
  size_t rows = log->begin.count;
  *turns = (struct loop_turns){.log = log,
                               .reading = reading,
                               .turn_of = mem_alloc(rows + 1, sizeof(uint32_t)),
                               .owner = mem_alloc(rows + 1, sizeof(uint32_t)),
                               .since = mem_alloc(rows + 1, sizeof(int64_t))};
  for (size_t i = 0; i < rows; i++)
    turns->turn_of[i] = EVENT_NONE;
  struct making making = {
      .turns = turns, .log = log, .reading = reading, .before = mem_alloc(rows, sizeof(uint32_t))};
  find_owners(&making, chains);
  for (making.loop = 0; making.loop < log->loops.count; making.loop++)
    make_loop(&making);
  free_sources(turns);
  mem_free(making.before);
  vector_clear(&making.pauses);
  vector_clear(&making.number);
  vector_clear(&making.running);
  vector_clear(&making.until);
}

void loop_turns_clear(struct loop_turns *turns) {
  vector_clear(&turns->kept);
  narrow_clear(&turns->lasted);
  narrow_clear(&turns->waited);
  narrow_clear(&turns->queued);
  narrow_clear(&turns->early);
  vector_clear(&turns->ranges);
  vector_clear(&turns->pieces);
  narrow_clear(&turns->left);
  mem_free(turns->turn_of);
  mem_free(turns->owner);
  mem_free(turns->since);
  *turns = (struct loop_turns){0};
}

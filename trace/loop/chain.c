/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An instance has up to two ways back. The later is tried first; if it does not lead to the source
 * the other is tried. A request meets a row once, so a search takes time in proportion to the rows
 * it meets. Each way leads back in time, or to an earlier row that began at the same moment, so
 * there are no circles.
 */
#include "trace/loop/chain.h"

#include "trace/span/store.h"

enum {
  NESTED_MAX = 64,     /* a source is looked for so many callbacks within others */
  CONTINUED_MAX = 1000 /* continuations of a turn that are looked at */
};

struct chain_way {
  uint32_t row; /* EVENT_NONE: there is none */
  int64_t stop; /* when that row handed over */
};

/* A row of the search, and by which of its ways it is left. */
struct chain_step {
  uint32_t row;
  unsigned tried;        /* ways; the latest is ways[tried - 1] */
  uint32_t turn, behind; /* what `row` continues, or itself: continuations are the rows between */
  struct chain_way ways[2];
};

struct chain_search {
  const struct event_log *log;
  struct event_chains *chains;
  const struct event_request *request;
  uint32_t number; /* of the request */
  bool lost;       /* on a way that leads nowhere, nobody knows where it comes from */
  VECTOR(struct chain_step) steps; /* the sink first */
  VECTOR(struct event_link) links; /* of the request, the last first */
  uint32_t *met;                   /* by row: the request + 1 that met it last */
  uint32_t
      *first; /* by row: of the callbacks of what is listened to, such as a socket, the first */
};

static int64_t clamp(int64_t time) {
  return time > SPAN_TIME_MAX ? SPAN_TIME_MAX : time < -SPAN_TIME_MAX ? -SPAN_TIME_MAX : time;
}

static int64_t later(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t begin_of(const struct chain_search *search, uint32_t row) {
  return clamp(search->log->begin.data[row]);
}

static bool has_run(const struct chain_search *search, uint32_t row) {
  return row < search->log->begin.count && search->log->begin.data[row] != EVENT_NEVER;
}

/* Whether a row began before another; rows of one moment in their order. */
static bool precedes(const struct chain_search *search, uint32_t row, uint32_t other) {
  int64_t a = begin_of(search, row), b = begin_of(search, other);
  return a != b ? a < b : row < other;
}

/* Whether the row runs the source within itself, or is it. */
static bool is_source(const struct chain_search *search, uint32_t row) {
  uint32_t source = search->request->source;
  for (int depth = 0; depth < NESTED_MAX && has_run(search, source); depth++) {
    if (row == source)
      return true;
    source = search->log->inside.data[source];
  }
  return false;
}

/* ---- ways back */

/* The row whose registration a row follows from. Something that is listened to all the time, such
 * as a socket, brings what it brings whatever it brought before, unless that is the request itself,
 * in pieces. */
static uint32_t registration(const struct chain_search *search, uint32_t row) {
  const struct event_log *log = search->log;
  uint32_t source = search->request->source;
  return log->resource.data[row] == log->resource.data[source] ? row : search->first[row];
}

static struct chain_way way_to(const struct chain_search *search, uint32_t row, uint32_t from,
                               int64_t stop) {
  struct chain_way way = {from, earlier(clamp(stop), begin_of(search, row))};
  if (!has_run(search, from) || !precedes(search, from, row) || way.stop < begin_of(search, from))
    way.row = EVENT_NONE;
  return way;
}

/* The later way first. What was released when it was registered, or before, follows from its
 * registration. */
static void find_ways(const struct chain_search *search, struct chain_step *step) {
  const struct event_log *log = search->log;
  uint32_t row = step->row, known = registration(search, row);
  struct chain_way registered =
      way_to(search, row, log->registrar.data[known], log->registered.data[known]);
  struct chain_way released =
      way_to(search, row, log->releaser.data[row], log->ready_high.data[row]);
  bool swapped = released.row != EVENT_NONE &&
                 (registered.row == EVENT_NONE || released.stop > registered.stop);
  step->ways[0] = swapped ? released : registered;
  step->ways[1] = swapped ? registered : released;
}

/* One behind the last row that begins within a turn until it stops. */
static uint32_t end_of_turn(const struct chain_search *search, uint32_t turn, int64_t stop) {
  const struct event_log *log = search->log;
  uint32_t row = turn + 1;
  while (row < log->begin.count && row - turn < CONTINUED_MAX &&
         log->inside.data[row] != EVENT_NONE && log->inside.data[row] >= turn &&
         log->inside.data[row] < row && begin_of(search, row) <= stop)
    row++;
  return row;
}

/* `stop`: until when the row is of interest. */
static void push(struct chain_search *search, uint32_t row, int64_t stop) {
  struct chain_step step = {.row = row, .turn = row, .behind = end_of_turn(search, row, stop)};
  find_ways(search, &step);
  search->met[row] = search->number + 1;
  vector_push(&search->steps, step);
}

/* Of the turn's continuations that were not met the one that was registered last. */
static uint32_t latest_continuation(const struct chain_search *search,
                                    const struct chain_step *step) {
  uint32_t latest = EVENT_NONE;
  const int64_t *registered = search->log->registered.data;
  for (uint32_t row = step->turn + 1; row < step->behind; row++)
    if (search->met[row] != search->number + 1 &&
        (latest == EVENT_NONE || registered[row] >= registered[latest]))
      latest = row;
  return latest;
}

/* Ticks and continuations that follow from one of the turn's own are said to be the turn's. So when
 * the turn is of somebody else, what goes on with this request may be one of its continuations: of
 * those that lead to the source the one that the request began to wait for last. False when there
 * are no more. */
static bool try_continuation(struct chain_search *search, struct chain_step *step) {
  uint32_t row = latest_continuation(search, step);
  if (row == EVENT_NONE)
    return false;
  step->row = row;
  step->tried = 0;
  search->met[row] = search->number + 1;
  find_ways(search, step);
  return true;
}

/* Whether a way is worth going: to a row of this request that was not met. */
static bool goes_on(const struct chain_search *search, const struct chain_way *way) {
  return way->row != EVENT_NONE && precedes(search, search->request->source, way->row) &&
         search->met[way->row] != search->number + 1;
}

static bool arrives(const struct chain_search *search, const struct chain_way *way) {
  return way->row != EVENT_NONE && way->stop >= begin_of(search, search->request->source) &&
         is_source(search, way->row);
}

/* Whether a row without a way back had been registered before the request came. */
static bool was_there(const struct chain_search *search, uint32_t row) {
  return clamp(search->log->registered.data[registration(search, row)]) <=
         begin_of(search, search->request->source);
}

/* Leaves in steps a way from the sink to the source; false when there is none. */
static bool find_source(struct chain_search *search) {
  search->steps.count = 0;
  search->lost = false;
  push(search, search->request->sink, clamp(search->request->responded));
  while (search->steps.count != 0) {
    struct chain_step *step = &search->steps.data[search->steps.count - 1];
    if (step->tried == 2) {
      bool known = step->ways[0].row != EVENT_NONE || was_there(search, step->row);
      search->lost |= !known;
      if (!try_continuation(search, step))
        search->steps.count--;
      continue;
    }
    const struct chain_way *way = &step->ways[step->tried++];
    if (arrives(search, way))
      return true;
    if (goes_on(search, way))
      push(search, way->row, way->stop);
  }
  return false;
}

/* ---- links, the last first */

static struct event_link make_link(const struct event_log *log, uint32_t row, int64_t registered) {
  struct event_link link = {.row = row, .registered = registered};
  link.begin = later(clamp(log->begin.data[row]), registered);
  link.ready_low = earlier(later(clamp(log->ready_low.data[row]), registered), link.begin);
  link.ready_high = earlier(later(clamp(log->ready_high.data[row]), link.ready_low), link.begin);
  return link;
}

static void add_link(struct chain_search *search, uint32_t row, int64_t registered, int64_t stop,
                     bool shared) {
  struct event_link link = make_link(search->log, row, registered);
  link.shared = shared;
  link.stop = stop;
  vector_push(&search->links, link);
}

/* Links from `row` back, always by the later way, as far as they lie after `since`; the first of
 * them waits from then on. */
static void add_shared(struct chain_search *search, uint32_t row, int64_t since, int64_t stop) {
  for (;;) {
    struct chain_step step = {.row = row};
    find_ways(search, &step);
    const struct chain_way *way = &step.ways[0];
    if (way->row == EVENT_NONE || way->stop <= since)
      break;
    add_link(search, row, way->stop, stop, false);
    row = way->row;
    stop = way->stop;
  }
  add_link(search, row, since, stop, true);
}

/* Of a request it is known when it arrived, whenever its row was ready. */
static struct event_link make_source(const struct event_log *log, uint32_t row, int64_t arrived) {
  return (struct event_link){.row = row,
                             .registered = arrived,
                             .ready_low = arrived,
                             .ready_high = arrived,
                             .begin = clamp(log->begin.data[row])};
}

static void add_source(struct chain_search *search, int64_t stop) {
  uint32_t row = search->request->source;
  int64_t arrived = earlier(clamp(search->request->arrived_high), begin_of(search, row));
  struct event_link link = make_source(search->log, row, arrived);
  link.stop = stop;
  vector_push(&search->links, link);
}

/* The steps that find_source left. Where the later way was not gone, what happened on it is told
 * between the earlier way and the row. False when that is not known. */
static bool add_steps(struct chain_search *search, int64_t answer) {
  int64_t stop = answer;
  bool whole = true;
  for (size_t i = 0; i < search->steps.count; i++) {
    const struct chain_step *step = &search->steps.data[i];
    const struct chain_way *gone = &step->ways[step->tried - 1], *first = &step->ways[0];
    bool apart = gone != first && first->row != EVENT_NONE && first->stop > gone->stop;
    add_link(search, step->row, apart ? first->stop : gone->stop, stop, false);
    if (apart)
      add_shared(search, first->row, gone->stop, first->stop);
    whole &= !apart;
    stop = gone->stop;
  }
  add_source(search, stop);
  return whole || !search->lost;
}

/* Answered from a callback that the request did not cause: it waited for that since its own source
 * had ended. */
static bool add_unrelated(struct chain_search *search, int64_t answer) {
  uint32_t source = search->request->source;
  int64_t end = search->log->end.data[source];
  int64_t since = later(earlier(clamp(end), answer), begin_of(search, source));
  add_shared(search, search->request->sink, since, answer);
  add_source(search, since);
  return !search->lost;
}

/* ---- requests */

static enum chain_state of_request(const struct event_request *request) {
  switch (request->state) {
  case EVENT_ANSWERED:
    return CHAIN_COMPLETE;
  case EVENT_ABORTED:
    return CHAIN_ABORTED;
  case EVENT_OPEN:
    return CHAIN_OPEN;
  case EVENT_UPGRADED:
    return CHAIN_UPGRADED;
  case EVENT_BROKEN:
    break;
  }
  return CHAIN_BROKEN;
}

static enum chain_state check(const struct chain_search *search) {
  const struct event_request *request = search->request;
  enum chain_state state = of_request(request);
  if (state != CHAIN_COMPLETE)
    return state;
  if (!has_run(search, request->source))
    return CHAIN_NO_SOURCE;
  if (!has_run(search, request->sink) || request->responded == EVENT_NEVER)
    return CHAIN_NO_SINK;
  int64_t answer = clamp(request->responded);
  bool backwards =
      answer < begin_of(search, request->sink) || answer < begin_of(search, request->source) ||
      (!is_source(search, request->sink) && precedes(search, request->sink, request->source));
  return backwards ? CHAIN_BACKWARDS : CHAIN_COMPLETE;
}

static enum chain_state walk(struct chain_search *search) {
  enum chain_state state = check(search);
  int64_t answer = clamp(search->request->responded);
  bool known = true;
  if (state != CHAIN_COMPLETE)
    return state;
  if (is_source(search, search->request->sink))
    add_source(search, answer);
  else if (find_source(search))
    known = add_steps(search, answer);
  else
    known = add_unrelated(search, answer);
  return known ? CHAIN_COMPLETE : CHAIN_LOST;
}

static void measure(struct chain_search *search, struct event_chain *chain) {
  struct event_chains *chains = search->chains;
  chain->count = (uint32_t)search->links.count;
  for (size_t i = chain->count; i-- > 0;) {
    const struct event_link *link = &search->links.data[i];
    vector_push(&chains->rows, 2 * link->row + link->shared);
    narrow_push(&chains->since, begin_of(search, link->row) - link->registered);
    chain->shared |= link->shared;
  }
  chain->arrived = search->links.data[chain->count - 1].registered;
  chain->answer = search->links.data[0].stop;
  int64_t low = clamp(search->request->arrived_low);
  int64_t unseen = low < chain->arrived ? chain->arrived - low : 0;
  chains->shared += chain->shared;
  chains->unseen += unseen != 0;
  chains->unseen_max = later(chains->unseen_max, unseen);
}

static void make_chain(struct chain_search *search, uint32_t number) {
  struct event_chains *chains = search->chains;
  struct event_chain chain = {.request = number, .first = chains->rows.count};
  search->number = number;
  search->request = &search->log->requests.data[number];
  search->links.count = 0;
  enum chain_state state = walk(search);
  if (state == CHAIN_COMPLETE)
    measure(search, &chain);
  chain.state = (uint8_t)state;
  chains->states[state]++;
  vector_push(&chains->chains, chain);
}

/* Sockets, ports of workers and signals are listened to all the time. */
static bool listens(uint8_t class) {
  return class == EVENT_SOCKET || class == EVENT_PROCESS || class == EVENT_SIGNAL;
}

static void find_first(struct chain_search *search) {
  const struct event_log *log = search->log;
  for (uint32_t row = 0; row < log->begin.count; row++) {
    uint32_t before = log->registrar.data[row];
    bool again = listens(log->class.data[row]) && before < row &&
                 log->resource.data[before] == log->resource.data[row] &&
                 log->type.data[before] == log->type.data[row];
    search->first[row] = again ? search->first[before] : row;
  }
}

void event_chains_make(struct event_chains *chains, const struct event_log *log) {
  struct chain_search search = {.log = log, .chains = chains};
  *chains = (struct event_chains){0};
  search.met = mem_alloc(log->begin.count + 1, sizeof *search.met);
  search.first = mem_alloc(log->begin.count + 1, sizeof *search.first);
  find_first(&search);
  for (size_t i = 0; i < log->requests.count; i++)
    make_chain(&search, (uint32_t)i);
  mem_free(search.met);
  mem_free(search.first);
  vector_clear(&search.steps);
  vector_clear(&search.links);
}

void event_chains_clear(struct event_chains *chains) {
  vector_clear(&chains->chains);
  vector_clear(&chains->rows);
  narrow_clear(&chains->since);
}

/* ---- links, read */

uint32_t event_link_row(const struct event_chains *chains, const struct event_chain *chain,
                        uint32_t index) {
  return chains->rows.data[chain->first + index] / 2;
}

static int64_t registered_at(const struct event_chains *chains, const struct event_log *log,
                             const struct event_chain *chain, uint32_t index) {
  uint32_t row = event_link_row(chains, chain, index);
  return clamp(log->begin.data[row]) - narrow_get(&chains->since, chain->first + index);
}

struct event_link event_link_at(const struct event_chains *chains, const struct event_log *log,
                                const struct event_chain *chain, uint32_t index) {
  uint32_t row = event_link_row(chains, chain, index);
  int64_t registered = registered_at(chains, log, chain, index);
  struct event_link link =
      index == 0 ? make_source(log, row, registered) : make_link(log, row, registered);
  link.shared = chains->rows.data[chain->first + index] % 2 != 0;
  link.stop =
      index + 1 < chain->count ? registered_at(chains, log, chain, index + 1) : chain->answer;
  return link;
}

struct link_parts event_link_parts(const struct event_link *link) {
  return (struct link_parts){.io = link->ready_low - link->registered,
                             .queue = link->begin - link->ready_high,
                             .either = link->ready_high - link->ready_low,
                             .run = link->stop - link->begin};
}

const char *chain_state_name(enum chain_state state) {
  static const char *const names[CHAIN_STATES] = {
      [CHAIN_COMPLETE] = "answered",
      [CHAIN_ABORTED] = "given up by the client",
      [CHAIN_OPEN] = "not answered when the recording ended",
      [CHAIN_UPGRADED] = "upgraded to another protocol",
      [CHAIN_BROKEN] = "answered, but records of theirs were dropped",
      [CHAIN_NO_SOURCE] = "answered, but no callback noticed them",
      [CHAIN_NO_SINK] = "answered, but no callback answered them",
      [CHAIN_LOST] = "answered, but who began a callback on the way is not recorded",
      [CHAIN_BACKWARDS] = "answered before they were noticed, by their times",
  };
  return names[state];
}

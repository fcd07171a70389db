/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/text.h"
#include "trace/event/word.h"
#include "trace/loop/chain.h"
#include "trace/loop/replay.h"
#include "trace/loop/without.h"
#include "trace/tail/split.h"

enum { CAUSES_MOST = 500, ROUTE_LEAST = 100, SHORT_REQUESTS = 10 };

static const int64_t LONG_NS = 100000; /* what is shorter is never a long callback */

/* Causes while they are found. */
struct making {
  struct loop_causes *all;
  int64_t longest_short; /* ns: a longer callback holds the loop, a shorter one is load */
  struct index index;    /* of causes, by what they are */
  loop_holds holds;      /* of one chain */
  uint32_t *busy;        /* by turn: the first of its busy stretch */
  uint32_t *local;       /* by cause: index + 1 in the route, or 0 */
};

/* --- which cause a piece is ------------------------------------------------------------------- */

static uint64_t hash_of(const struct loop_cause *c) {
  uint64_t hash =
      hash_word(hash_word((uint64_t)c->kind << 32 | c->threads, (uint64_t)c->pause), c->place);
  return hash_word(hash_word(hash, c->type), c->route);
}

static bool is_same(const struct loop_cause *a, const struct loop_cause *b) {
  return a->kind == b->kind && a->place == b->place && a->type == b->type && a->route == b->route &&
         a->pause == b->pause && a->threads == b->threads;
}

/* The number of the cause; further ones than CAUSES_MOST are taken together by kind. */
static uint32_t cause_number(struct making *m, struct loop_cause cause) {
  uint64_t hash = hash_of(&cause);
  for (struct index_look look = index_look(&m->index, hash); index_next(&look);)
    if (is_same(&m->all->causes.data[look.row], &cause))
      return look.row;
  bool named = cause.place != 0 || cause.type != 0 || cause.route != 0;
  if (m->all->causes.count >= CAUSES_MOST && named)
    return cause_number(m, (struct loop_cause){.kind = cause.kind, .pause = cause.pause});
  uint32_t number = (uint32_t)m->all->causes.count;
  index_add(&m->index, hash, number);
  vector_push(&m->all->causes, cause);
  return number;
}

/* A position says more than a kind of resource. */
struct loop_cause loop_cause_of_row(const struct event_log *log, const uint32_t *words,
                                    const uint32_t *owner, enum loop_cause_kind kind,
                                    uint32_t row) {
  struct loop_cause cause = {.kind = kind, .place = log->place.data[row]};
  uint32_t request = owner[row];
  if (cause.place == 0 || kind == LOOP_WAIT || kind == LOOP_POOL)
    cause.type = words[log->type.data[row]];
  if (kind != LOOP_WAIT && request != EVENT_NONE)
    cause.route = log->requests.data[request].route;
  return cause;
}

static struct loop_cause named(const struct making *m, enum loop_cause_kind kind, uint32_t row) {
  return loop_cause_of_row(m->all->log, m->all->words, m->all->turns.owner, kind, row);
}

static struct loop_cause held_by(const struct making *m, uint32_t row) {
  if (m->all->turns.owner[row] != EVENT_NONE && m->all->own[row] <= m->longest_short)
    return (struct loop_cause){.kind = LOOP_LOAD};
  return named(m, LOOP_HELD, row);
}

static struct loop_cause pool_held_by(const struct making *m, uint32_t row) {
  const struct loop_turns *turns = &m->all->turns;
  struct loop_cause cause = named(m, LOOP_POOL, row);
  cause.threads = m->all->log->loops.data[loop_turn_loop(turns, turns->turn_of[row])].pool;
  return cause;
}

static struct loop_cause cause_of(const struct making *m, const struct loop_hold *hold) {
  const struct event_log *log = m->all->log;
  switch (hold->kind) {
  case HOLD_WAIT:
    return named(m, LOOP_WAIT, hold->what);
  case HOLD_POOL:
    return pool_held_by(m, hold->what);
  case HOLD_CONNECTION:
    return (struct loop_cause){.kind = LOOP_CONNECTION, .place = log->grants.data[hold->what].name};
  case HOLD_EITHER:
    return (struct loop_cause){.kind = LOOP_EITHER};
  case HOLD_OWN:
    return named(m, LOOP_OWN, hold->what);
  case HOLD_CALLBACK:
    return held_by(m, hold->what);
  case HOLD_PAUSE:
    return (struct loop_cause){.kind = LOOP_PAUSE,
                               .pause = log->pauses.data[hold->what].kind,
                               .place = log->pauses.data[hold->what].name};
  default:
    return (struct loop_cause){.kind = LOOP_BETWEEN};
  }
}

bool loop_cause_is_none(const struct loop_cause *cause) {
  return cause->kind == LOOP_LOAD || cause->kind == LOOP_BETWEEN || cause->kind == LOOP_EITHER;
}

/* --- names ------------------------------------------------------------------------------------ */

const char *loop_pause_name(enum event_pause_kind kind) {
  switch (kind) {
  case EVENT_PAUSE_MINOR:
    return "collection of young objects";
  case EVENT_PAUSE_MAJOR:
    return "full collection";
  case EVENT_PAUSE_STEP:
    return "step of an incremental collection";
  case EVENT_PAUSE_WEAK:
    return "callbacks of weak references";
  case EVENT_PAUSE_LOOK:
    return "looks of the recorder";
  case EVENT_PAUSE_MESSAGE:
    return "deserialisation of a message";
  case EVENT_PAUSE_WAITING:
    return "no processor: other programs had them";
  case EVENT_PAUSE_THROTTLED:
    return "no processor: the quota was used up";
  case EVENT_PAUSE_STOPPED:
    return "no processor: the process was stopped, or its machine";
  default:
    return "compilation";
  }
}

void loop_callback_say(struct text *text, const struct event_log *log, uint32_t type,
                       uint32_t place, uint32_t route) {
  const char *word = "anything else";
  bool request = false;
  if (type != 0) {
    word = names_text(&log->names, type);
    request = event_word(word) != NULL && strcmp(event_word(word), "request") == 0;
    event_word_append(text, word);
  } else if (place == 0) {
    text_append(text, word);
  }
  if (place != 0)
    text_format(text, "%s%s", type != 0 ? " at " : "", names_text(&log->names, place));
  if (route != 0)
    text_format(text, "%s %s", request && place == 0 ? "" : " of", names_text(&log->names, route));
}

void loop_cause_say(struct text *text, const struct event_log *log,
                    const struct loop_cause *cause) {
  static const char *const words[] = {
      [LOOP_WAIT] = "waits for", [LOOP_OWN] = "runs", [LOOP_HELD] = "held by"};
  if (cause->kind == LOOP_PAUSE) {
    text_append(text, loop_pause_name(cause->pause));
    if (cause->place != 0)
      text_format(text, " of %s", names_text(&log->names, cause->place));
  } else if (cause->kind == LOOP_LOAD) {
    text_append(text, "load: short callbacks of other requests");
  } else if (cause->kind == LOOP_BETWEEN) {
    text_append(text, "between callbacks");
  } else if (cause->kind == LOOP_EITHER) {
    text_append(text, "I/O or queue, not known which");
  } else if (cause->kind == LOOP_CONNECTION) {
    text_format(text, "waits for a connection of %s", names_text(&log->names, cause->place));
  } else if (cause->kind == LOOP_POOL) {
    text_format(text, "waits for a thread of the pool (%u), held by ", cause->threads);
    loop_callback_say(text, log, cause->type, cause->place, cause->route);
  } else {
    text_format(text, "%s ", words[cause->kind]);
    loop_callback_say(text, log, cause->type, cause->place, cause->route);
  }
}

uint32_t *loop_words(const struct event_log *log) {
  uint32_t *words = mem_alloc(log->names.texts.count + 1, sizeof *words);
  VECTOR(uint32_t) firsts = {0};
  struct text said, other;
  text_init(&said);
  text_init(&other);
  for (size_t row = 0; row < log->type.count; row++) {
    uint32_t type = log->type.data[row];
    if (type == 0 || words[type] != 0)
      continue;
    text_clear(&said);
    event_word_append(&said, names_text(&log->names, type));
    words[type] = type;
    for (size_t i = 0; i < firsts.count && words[type] == type; i++) {
      text_clear(&other);
      event_word_append(&other, names_text(&log->names, firsts.data[i]));
      if (strcmp(text_get(&said), text_get(&other)) == 0)
        words[type] = firsts.data[i];
    }
    if (words[type] == type)
      vector_push(&firsts, type);
  }
  vector_clear(&firsts);
  text_clear(&said);
  text_clear(&other);
  return words;
}

/* --- routes ----------------------------------------------------------------------------------- */

static struct loop_route *route_of(struct loop_causes *all, uint32_t name) {
  for (size_t i = 0; i < all->routes.count; i++)
    if (all->routes.data[i].route == name)
      return &all->routes.data[i];
  vector_push(&all->routes, (struct loop_route){.all = all, .route = name});
  return &all->routes.data[all->routes.count - 1];
}

static int by_count(const void *a, const void *b) {
  const struct loop_route *x = a, *y = b;
  if (x->chains.count != y->chains.count)
    return x->chains.count > y->chains.count ? -1 : 1;
  return (x->route > y->route) - (x->route < y->route);
}

static void add_chain(struct loop_causes *all, uint32_t number) {
  const struct event_chain *chain = &all->chains->chains.data[number];
  if (chain->count != 0)
    vector_push(&route_of(all, all->log->requests.data[chain->request].route)->chains, number);
}

static void find_latencies(const struct loop_causes *all, struct loop_route *route) {
  tail_causes_init(&route->causes, route->chains.count);
  for (size_t i = 0; i < route->chains.count; i++) {
    const struct event_chain *chain = &all->chains->chains.data[route->chains.data[i]];
    route->causes.latency[i] = chain->answer - chain->arrived;
  }
}

static void find_routes(struct loop_causes *all, double percent, int64_t threshold) {
  for (uint32_t i = 0; i < all->chains->chains.count; i++)
    add_chain(all, i);
  if (all->routes.count != 0)
    qsort(all->routes.data, all->routes.count, sizeof *all->routes.data, by_count);
  for (size_t i = 0; i < all->routes.count; i++) {
    struct loop_route *route = &all->routes.data[i];
    find_latencies(all, route);
    route->threshold = percent > 0
                           ? tail_percentile(route->causes.latency, route->chains.count, percent)
                           : threshold;
  }
}

/* What half of all requests take no longer than, ns. */
static int64_t usual_latency(const struct loop_causes *all) {
  VECTOR(int64_t) latencies = {0};
  for (size_t i = 0; i < all->routes.count; i++)
    for (size_t k = 0; k < all->routes.data[i].chains.count; k++)
      vector_push(&latencies, all->routes.data[i].causes.latency[k]);
  int64_t usual = latencies.count == 0 ? 0 : tail_median(latencies.data, latencies.count);
  vector_clear(&latencies);
  return usual;
}

/* What makes a usual request half as slow as the slow ones are; of rare routes nothing is known.
 * Where stalls make the slow ones very slow, what takes as long as many usual requests is not short
 * either. */
static int64_t longest_short(const struct loop_causes *all) {
  int64_t least = SHORT_REQUESTS * usual_latency(all);
  for (size_t i = 0; i < all->routes.count; i++) {
    const struct loop_route *route = &all->routes.data[i];
    if (i != 0 && route->chains.count < ROUTE_LEAST)
      continue;
    int64_t half =
        (route->threshold - tail_percentile(route->causes.latency, route->chains.count, 50)) / 2;
    least = half < least ? half : least;
  }
  return least < LONG_NS ? LONG_NS : least;
}

/* --- parts ------------------------------------------------------------------------------------ */

/* By turn: the first of the busy stretch of the loop in which it is. */
static uint32_t *busy_since(const struct loop_turns *turns) {
  uint32_t *since = mem_alloc(turns->kept.count, sizeof *since);
  for (uint32_t i = 0; i < turns->kept.count; i++) {
    const struct loop_turn turn = loop_turn_at(turns, i);
    bool goes_on = i > turns->ranges.data[turn.loop].turn && turn.eligible <= turn.free;
    since[i] = goes_on ? since[i - 1] : i;
  }
  return since;
}

/* By what held it, or the pool, longest, if anything did. */
static uint32_t cluster_of(const struct making *m, size_t chain) {
  const struct loop_hold *longest = NULL;
  for (size_t i = 0; i < m->holds.count; i++) {
    const struct loop_hold *hold = &m->holds.data[i];
    bool counts = hold->phase == HOLD_QUEUE || hold->kind == HOLD_POOL ||
                  hold->kind == HOLD_CONNECTION ||
                  (hold->phase == HOLD_RUN && hold->kind == HOLD_PAUSE);
    if (counts && (longest == NULL || hold->end - hold->start > longest->end - longest->start))
      longest = hold;
  }
  if (longest == NULL)
    return (uint32_t)(m->all->turns.kept.count + chain);
  size_t alone = m->all->turns.kept.count + m->all->chains->chains.count;
  if (longest->kind == HOLD_POOL)
    return (uint32_t)(alone + longest->turn);
  if (longest->kind == HOLD_CONNECTION)
    return (uint32_t)(alone + m->all->pool.stretches + 1 + longest->turn);
  return m->busy[longest->turn];
}

/* The cause's index in the route, where it gets parts. */
static uint32_t local_of(struct making *m, struct loop_route *route, uint32_t number) {
  if (m->local[number] != 0)
    return m->local[number] - 1;
  const struct loop_cause *cause = &m->all->causes.data[number];
  struct text name;
  text_init(&name);
  loop_cause_say(&name, m->all->log, cause);
  tail_causes_add(&route->causes, text_get(&name),
                  loop_cause_is_none(cause) ? CAUSE_OTHER : CAUSE_WORK);
  text_clear(&name);
  vector_push(&route->kinds, number);
  vector_push(&route->first_phase, HOLD_PHASES);
  for (size_t i = 0; i < HOLD_PHASES; i++)
    vector_push(&route->phases, NULL);
  m->local[number] = (uint32_t)route->kinds.count;
  return m->local[number] - 1;
}

const int64_t *loop_route_phase(const struct loop_route *route, uint32_t cause,
                                enum hold_phase phase) {
  const int64_t *values = route->phases.data[(size_t)cause * HOLD_PHASES + phase];
  if (values == NULL && route->first_phase.data[cause] == phase)
    return route->causes.causes.data[cause].parts;
  return values;
}

static int64_t **phase_at(struct loop_route *route, uint32_t cause, size_t phase) {
  return &route->phases.data[(size_t)cause * HOLD_PHASES + phase];
}

/* A cause of one phase has its parts alone. When a second comes, what they were until then is the
 * first's. */
static void add_phase(struct loop_route *route, uint32_t cause, enum hold_phase phase,
                      const int64_t *parts) {
  uint8_t *first = &route->first_phase.data[cause];
  size_t count = route->chains.count;
  if (*first == HOLD_PHASES)
    *first = (uint8_t)phase;
  int64_t **one = phase_at(route, cause, *first), **other = phase_at(route, cause, phase);
  if (*first == phase || *other != NULL)
    return;
  *other = mem_alloc(count, sizeof **other);
  if (*one != NULL)
    return;
  *one = mem_alloc(count, sizeof **one);
  memcpy(*one, parts, count * sizeof **one);
}

static void add_hold(struct making *m, struct loop_route *route, size_t request,
                     const struct loop_hold *hold) {
  uint32_t local = local_of(m, route, cause_number(m, cause_of(m, hold)));
  int64_t *parts = route->causes.causes.data[local].parts;
  add_phase(route, local, hold->phase, parts);
  int64_t *phase = *phase_at(route, local, hold->phase);
  if (phase != NULL)
    phase[request] += hold->end - hold->start;
  parts[request] += hold->end - hold->start;
}

static void fill_route(struct making *m, struct loop_route *route) {
  memset(m->local, 0, (CAUSES_MOST + 32) * sizeof *m->local);
  route->cluster = mem_alloc(route->chains.count, sizeof *route->cluster);
  for (size_t i = 0; i < route->chains.count; i++) {
    uint32_t chain = route->chains.data[i];
    m->holds.count = 0;
    loop_holds_find(&m->holds, &m->all->turns, &m->all->pool, &m->all->granted, m->all->chains,
                    chain);
    route->cluster[i] = cluster_of(m, chain);
    for (size_t h = 0; h < m->holds.count; h++)
      add_hold(m, route, i, &m->holds.data[h]);
  }
}

static void fill_routes(struct loop_causes *all) {
  struct making m = {.all = all, .longest_short = longest_short(all)};
  m.local = mem_alloc(CAUSES_MOST + 32, sizeof *m.local);
  all->longest_short = m.longest_short;
  m.busy = busy_since(&all->turns);
  for (size_t i = 0; i < all->routes.count; i++)
    fill_route(&m, &all->routes.data[i]);
  index_clear(&m.index);
  vector_clear(&m.holds);
  mem_free(m.local);
  mem_free(m.busy);
}

/* --- all of it -------------------------------------------------------------------------------- */

void loop_causes_begin(struct loop_causes *all, const struct event_log *log,
                       const struct event_chains *chains, double percent, int64_t threshold) {
  *all = (struct loop_causes){.log = log, .chains = chains};
  loop_turns_make(&all->turns, log, chains, LOOP_EARLY);
  loop_pool_make(&all->pool, log);
  loop_granted_make(&all->granted, &all->turns, chains);
  find_routes(all, percent, threshold);
}

void loop_causes_fill(struct loop_causes *all) {
  all->unfaithful = loop_replay_check(&all->turns, all->chains, NULL);
  all->own = loop_own_execution(&all->turns);
  all->words = loop_words(all->log);
  if (all->routes.count != 0)
    fill_routes(all);
  loop_without_make(all);
}

void loop_causes_make(struct loop_causes *all, const struct event_log *log,
                      const struct event_chains *chains, double percent, int64_t threshold) {
  loop_causes_begin(all, log, chains, percent, threshold);
  loop_causes_fill(all);
}

void loop_causes_clear(struct loop_causes *all) {
  for (size_t i = 0; i < all->routes.count; i++) {
    struct loop_route *route = &all->routes.data[i];
    tail_causes_clear(&route->causes);
    for (size_t k = 0; k < route->phases.count; k++)
      mem_free(route->phases.data[k]);
    vector_clear(&route->phases);
    vector_clear(&route->first_phase);
    vector_clear(&route->kinds);
    mem_free(route->cluster);
    vector_clear(&route->chains);
  }
  vector_clear(&all->routes);
  vector_clear(&all->causes);
  loop_without_clear(all);
  mem_free(all->own);
  mem_free(all->words);
  loop_turns_clear(&all->turns);
  loop_pool_clear(&all->pool);
  loop_granted_clear(&all->granted);
  *all = (struct loop_causes){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/explore.h"

#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/seconds.h"
#include "base/text.h"
#include "solver/judge/event.h"
#include "solver/search/letter.h"
#include "solver/search/relevance.h"

void path_init(struct path *path) {
  memset(path, 0, sizeof *path);
}

void path_clear(struct path *path) {
  vector_clear(&path->steps);
  vector_clear(&path->binding);
}

void path_copy(struct path *path, const struct path *from) {
  path->steps.count = path->binding.count = 0;
  for (size_t i = 0; i < from->steps.count; i++)
    vector_push(&path->steps, from->steps.data[i]);
  for (size_t i = 0; i < from->binding.count; i++)
    vector_push(&path->binding, from->binding.data[i]);
}

void explored_init(struct explored *explored) {
  memset(explored, 0, sizeof *explored);
  explored->fault = STEP_TAKEN;
}

void explored_clear(struct explored *explored) {
  path_clear(&explored->path);
  path_clear(&explored->fault_path);
}

/* A control state that was reached, by a step from its parent (the start is its own parent). */
struct visit {
  const char *key;
  size_t length, parent, depth;
  size_t first, count; /* the steps from the parent, in the search's list */
};

/* A letter that cannot matter to the event is tried late, but tried. */
enum { PRICE_RELEVANT = 1, PRICE_OTHER = 4 };

struct search {
  struct explored *explored;
  struct interpreter *interpreter;
  const struct bound *bound;
  struct arena arena; /* of the keys */
  struct text key;    /* of the state at hand */
  VECTOR(struct visit) visits;
  step_vector steps;  /* of all visits */
  struct index index; /* of visits by key */
  int64_t *bindings;
  bool *relevant;                         /* by action id */
  VECTOR(size_t) queues[PRICE_OTHER + 1]; /* visits to expand, by price modulo their number */
  size_t price;                           /* of the visits being expanded */
  size_t expanded;
  bool limited;
};

/* Adds the state unless it is known; whether it was new. */
static bool add_visit(struct search *search, const struct text *key, size_t parent,
                      const struct step *steps, size_t count) {
  uint64_t hash = hash_bytes(0, (struct slice){text_get(key), key->length});
  for (struct index_look look = index_look(&search->index, hash); index_next(&look);) {
    const struct visit *known = &search->visits.data[look.row];
    if (known->length == key->length && memcmp(known->key, text_get(key), key->length) == 0)
      return false;
  }
  struct visit made = {.length = key->length, .parent = parent};
  made.key = arena_text(&search->arena, text_get(key), key->length);
  made.first = search->steps.count;
  made.count = count;
  made.depth = count == 0 ? 0 : search->visits.data[parent].depth + count;
  for (size_t i = 0; i < count; i++)
    vector_push(&search->steps, steps[i]);
  index_add(&search->index, hash, (uint32_t)search->visits.count);
  vector_push(&search->visits, made);
  return true;
}

/* The steps from the start to visit `at`, and `last` behind them. */
static void trace_back(struct path *path, const struct search *search, size_t at,
                       const struct step *last, size_t last_count) {
  const struct visit *visits = search->visits.data;
  size_t depth = visits[at].depth;
  path->steps.count = 0;
  for (size_t i = 0; i < depth; i++)
    vector_push(&path->steps, search->steps.data[0]);
  for (size_t end = depth; end > 0; end -= visits[at].count, at = visits[at].parent)
    memcpy(&path->steps.data[end - visits[at].count], &search->steps.data[visits[at].first],
           visits[at].count * sizeof *path->steps.data);
  for (size_t i = 0; i < last_count; i++)
    vector_push(&path->steps, last[i]);
}

static void enqueue(struct search *search, size_t visit, const struct step *steps, size_t count) {
  bool relevant = count == 0 || search->relevant[steps[count - 1].action->id];
  size_t price = count == 0 ? 0 : relevant ? PRICE_RELEVANT : PRICE_OTHER;
  vector_push(&search->queues[(search->price + price) % (PRICE_OTHER + 1)], visit);
}

/* Adds the world as a state; whether the search is over because the event has happened in it. */
static bool arrive(struct search *search, const struct world *world, size_t parent,
                   const struct step *steps, size_t count) {
  search->key.length = 0;
  world_pack(&search->key, world);
  bool made = add_visit(search, &search->key, parent, steps, count);
  if (made)
    enqueue(search, search->visits.count - 1, steps, count);
  if (!made || search->bound == NULL ||
      !event_happened_for_any(world, search->bound, NULL, search->bindings))
    return false;
  struct explored *explored = search->explored;
  trace_back(&explored->path, search, search->visits.count - 1, NULL, 0);
  for (size_t i = 0; i < search->bound->variable_count; i++)
    vector_push(&explored->path.binding, search->bindings[search->bound->variables[i]->id]);
  explored->end = EXPLORE_FOUND;
  return true;
}

/* Takes the letter's steps from the world of visit `at`; whether the search is over. */
static bool follow(struct search *search, const struct world *world, size_t at,
                   const struct step *steps, size_t count) {
  struct world *after = world_copy(world);
  enum step_result result = STEP_TAKEN;
  size_t taken = 0;
  for (; taken < count && result == STEP_TAKEN; taken++)
    result = step_take(after, &steps[taken], NULL, NULL);
  bool found = result == STEP_TAKEN && arrive(search, after, at, steps, count);
  bool fault = result == STEP_SENT_TWICE || result == STEP_CHARGED_TWICE;
  if (fault && search->explored->fault == STEP_TAKEN) {
    search->explored->fault = result;
    trace_back(&search->explored->fault_path, search, at, steps, taken);
  }
  world_free(after);
  return found;
}

static bool expand(struct search *search, size_t at) {
  const struct visit *visit = &search->visits.data[at];
  struct world *world = world_unpack(search->interpreter, visit->key, visit->length);
  struct letters letters = {.cut = false};
  const struct bound *bound = search->bound;
  bool when = bound != NULL && bound->target == TARGET_WHEN;
  letters_list(&letters, world, 0, true, when ? bound->node->type.role : NULL);
  search->explored->work += 1 + letters.steps.count;
  bool found = false;
  for (size_t i = 0; i < letters.items.count && !found; i++) {
    const struct letter *letter = &letters.items.data[i];
    found = follow(search, world, at, &letters.steps.data[letter->first], letter->count);
  }
  letters_clear(&letters);
  world_free(world);
  return found;
}

static bool is_beyond(const struct search *search, const struct explore_limits *limits,
                      double start) {
  size_t states = search->visits.count;
  return (limits->states_max != 0 && states > limits->states_max) ||
         (limits->work_max != 0 && search->explored->work > limits->work_max) ||
         (limits->seconds_max > 0 && search->expanded % 64 == 63 &&
          seconds_worked() - start > limits->seconds_max);
}

/* Expands the visits of the present price; false when the search is over. */
static bool expand_queue(struct search *search, const struct explore_limits *limits, double start) {
  size_t queue = search->price % (PRICE_OTHER + 1);
  for (size_t i = 0; i < search->queues[queue].count; i++) {
    size_t at = search->queues[queue].data[i];
    if (is_beyond(search, limits, start)) {
      search->limited = true;
      return false;
    }
    search->expanded++;
    if (limits->depth_max != 0 && search->visits.data[at].depth >= limits->depth_max)
      search->limited = true;
    else if (expand(search, at))
      return false;
  }
  search->queues[queue].count = 0;
  return true;
}

static void search_all(struct search *search, const struct explore_limits *limits) {
  double start = seconds_worked();
  struct world *world = world_new(search->interpreter, NULL);
  bool over = arrive(search, world, 0, NULL, 0);
  world_free(world);
  for (size_t empty = 0; !over && empty <= PRICE_OTHER; search->price++) {
    empty = search->queues[search->price % (PRICE_OTHER + 1)].count == 0 ? empty + 1 : 0;
    over = !expand_queue(search, limits, start);
  }
  search->limited |= search->interpreter->overflow;
  if (search->explored->end != EXPLORE_FOUND)
    search->explored->end = search->limited ? EXPLORE_LIMITED : EXPLORE_EXHAUSTED;
  search->explored->states = search->visits.count;
}

void explore_reach(struct explored *explored, struct interpreter *in, const struct bound *bound,
                   const struct explore_limits *limits) {
  struct search search = {.explored = explored, .interpreter = in, .bound = bound};
  explored->end = EXPLORE_LIMITED;
  arena_init(&search.arena);
  text_init(&search.key);
  search.bindings = mem_alloc(in->model->variable_count, sizeof *search.bindings);
  search.relevant = mem_alloc(in->model->actions.count, sizeof *search.relevant);
  relevance(search.relevant, in->model, bound);
  search_all(&search, limits);
  mem_free(search.bindings);
  mem_free(search.relevant);
  for (size_t i = 0; i <= PRICE_OTHER; i++)
    vector_clear(&search.queues[i]);
  vector_clear(&search.visits);
  index_clear(&search.index);
  vector_clear(&search.steps);
  text_clear(&search.key);
  arena_clear(&search.arena);
}

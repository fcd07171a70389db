/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/room.h"

#include "base/memory.h"
#include "lang/term_time.h"
#include "solver/encode/encode.h"

enum { QUERY_LIMIT_MS = 10 * 1000, QUERY_RESOURCES = 10 * 1000 * 1000 };

enum { SINGLES_MAX = 12 };

struct asking {
  const struct model *model;
  const struct room_facts *facts;
  struct smt *smt;
  struct encoder encoder;
  smt_term *assumptions;
  VECTOR(const struct component *) singles; /* of which both ends are tried */
};

bool component_is_single(const struct component *component) {
  return component->kind == COMPONENT_STEP && component->index_count == 0 && !component->repeated;
}

static bool mentions(const struct term *term, const struct component *component) {
  bool found =
      (term->kind == TERM_BARE || term->kind == TERM_OCCURRENCE) && term->component == component;
  for (size_t i = 0; i < term->count && !found; i++)
    found = mentions(term->args[i], component);
  return found;
}

bool assumption_mentions(const struct assumption *assumption, const struct component *component) {
  return mentions(assumption->formula, component);
}

/* --- where the ends say all ------------------------------------------------------------------- */

static bool is_linear(const struct term *term) {
  switch (term->kind) {
  case TERM_MAX:
  case TERM_MIN:
  case TERM_MAX_OVER:
  case TERM_MIN_OVER:
  case TERM_KTH_OVER:
  case TERM_ITE:
    return false;
  default:
    break;
  }
  bool linear = true;
  for (size_t i = 0; i < term->count && linear; i++)
    linear = is_linear(term->args[i]);
  return linear;
}

/* Whether the times for which it holds are convex. */
static bool is_convex(const struct term *term) {
  if (!term_mentions_time(term))
    return true;
  switch (term->kind) {
  case TERM_AND:
    return is_convex(term->args[0]) && is_convex(term->args[1]);
  case TERM_EQ:
  case TERM_LT:
  case TERM_LE:
  case TERM_GT:
  case TERM_GE:
    return is_linear(term->args[0]) && is_linear(term->args[1]);
  default:
    return false;
  }
}

static bool all_are_convex(const struct model *model) {
  bool convex = true;
  for (size_t i = 0; i < model->assumptions.count; i++)
    convex &= is_convex(model->assumptions.items[i]->formula);
  return convex;
}

/* --- the question ----------------------------------------------------------------------------- */

static void assert_params(struct asking *a) {
  for (size_t i = 0; i < a->model->params.count; i++) {
    struct term mention = {.kind = TERM_PARAM, .param = a->model->params.items[i]};
    if (a->facts->given[i])
      smt_assert(a->smt, smt_equal(a->smt, encode(&a->encoder, &mention, NULL),
                                   smt_int(a->smt, a->facts->params[i])));
  }
}

static void assert_time(struct asking *a, const struct component *component,
                        const struct rational *low, const struct rational *high) {
  smt_term bare = encode_bare(&a->encoder, component);
  if (low != NULL)
    smt_assert(a->smt, smt_le(a->smt, smt_real(a->smt, low), bare));
  if (high != NULL)
    smt_assert(a->smt, smt_le(a->smt, bare, smt_real(a->smt, high)));
}

static void assert_times(struct asking *a) {
  for (size_t i = 0; i < a->model->components.count; i++) {
    const struct component *component = a->model->components.items[i];
    const struct rational *exact = a->facts->exact[i];
    if (exact != NULL)
      assert_time(a, component, exact, exact);
    else if (a->facts->longest[i] == NULL)
      assert_time(a, component, NULL, NULL);
    else if (component_is_single(component))
      vector_push(&a->singles, component);
    else
      assert_time(a, component, a->facts->longest[i], NULL);
  }
}

/* Leaves out, one by one, what the others do not need to be impossible. */
static void shrink(struct asking *a, bool *broken, const struct smt_effort *effort) {
  for (size_t skip = 0; skip < a->model->assumptions.count; skip++) {
    if (!broken[skip])
      continue;
    smt_push(a->smt);
    for (size_t i = 0; i < a->model->assumptions.count; i++)
      if (broken[i] && i != skip)
        smt_assert(a->smt, a->assumptions[i]);
    broken[skip] = smt_try(a->smt, effort, NULL) != SMT_UNSAT;
    smt_pop(a->smt);
  }
}

/* With each single occurrence at the end that `ends` says, a bit for each. */
static enum smt_answer try_ends(struct asking *a, uint64_t ends, bool *broken) {
  static const struct smt_effort effort = {
      .strategy = SMT_THOROUGH, .resources = QUERY_RESOURCES, .limit_ms = QUERY_LIMIT_MS};
  smt_push(a->smt);
  for (size_t i = 0; i < a->singles.count; i++) {
    const struct component *single = a->singles.data[i];
    const struct rational *end =
        (ends >> i & 1) != 0 ? a->facts->shortest[single->id] : a->facts->longest[single->id];
    assert_time(a, single, end, end);
  }
  enum smt_answer answer =
      smt_core(a->smt, a->assumptions, a->model->assumptions.count, &effort, broken);
  if (answer == SMT_UNSAT)
    shrink(a, broken, &effort);
  smt_pop(a->smt);
  return answer;
}

static enum room ask(struct asking *a, bool *broken) {
  if (a->singles.count > SINGLES_MAX)
    return ROOM_UNKNOWN;
  enum room room = ROOM_LEFT;
  for (uint64_t ends = 0; ends < UINT64_C(1) << a->singles.count && room != ROOM_NONE; ends++) {
    enum smt_answer answer = try_ends(a, ends, broken);
    if (answer != SMT_SAT)
      room = answer == SMT_UNSAT ? ROOM_NONE : ROOM_UNKNOWN;
  }
  bool all = a->singles.count == 0 || all_are_convex(a->model);
  return room == ROOM_LEFT && !all ? ROOM_UNKNOWN : room;
}

static bool all_are_given(const struct model *model, const struct room_facts *facts) {
  bool all = true;
  for (size_t i = 0; i < model->params.count; i++)
    all &= facts->given[i];
  return all;
}

enum room room_find(const struct model *model, const struct room_facts *facts, bool *broken) {
  struct asking a = {.model = model, .facts = facts, .smt = smt_new()};
  size_t count = model->assumptions.count;
  const int64_t *scope = all_are_given(model, facts) ? facts->params : NULL; /* so n*L is linear */
  encoder_init(&a.encoder, a.smt, model, scope, model->variable_count);
  a.assumptions = arena_alloc(&a.encoder.arena, count, sizeof *a.assumptions);
  assert_params(&a);
  assert_times(&a);
  for (size_t i = 0; i < count; i++)
    a.assumptions[i] = encode(&a.encoder, model->assumptions.items[i]->formula, NULL);
  for (size_t i = 0; i < a.singles.count; i++)
    encode_bare(&a.encoder, a.singles.data[i]);
  for (size_t i = 0; i < a.encoder.axioms.count; i++)
    smt_assert(a.smt, a.encoder.axioms.data[i]);
  enum room room = ask(&a, broken);
  vector_clear(&a.singles);
  encoder_clear(&a.encoder);
  smt_free(a.smt);
  return room;
}

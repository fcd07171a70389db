/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A solver's model has much that the failure does not need. Each simplification is tried on its own
 * and kept when a counterexample is left. */
#include "solver/prove/explanation.h"

enum { TRIES = 400, TRY_LIMIT_MS = 20 };

/* What happened before: a message was sent, or an occurrence charged. */
struct happened {
  smt_term fact, delivery; /* of a message; else NULL */
  bool gone;
};

struct lessening {
  struct induction_search *x;
  size_t tries, pushes;
  VECTOR(struct happened) all;   /* in the model */
  smt_term others;               /* none of the rest happened */
  const struct message *message; /* at hand, or */
  const struct component *component;
};

static bool keep_if_possible(struct lessening *l, smt_term fact) {
  struct smt *smt = l->x->session.smt;
  struct proof_options options = {.limit_ms = TRY_LIMIT_MS};
  struct smt_effort effort = session_effort(&options);
  if (l->tries++ >= TRIES)
    return false;
  smt_push(smt);
  smt_assert(smt, fact);
  if (smt_try(smt, &effort, NULL) == SMT_SAT) {
    l->pushes++;
    return true;
  }
  smt_pop(smt);
  return false;
}

static void look_at(struct induction_search *x, const int64_t *values, const smt_term *terms,
                    void *context) {
  (void)values;
  struct lessening *l = context;
  struct encoder *e = &x->session.encoder;
  const struct symbolic *at = x->session.before;
  struct happened h = {NULL, NULL, false};
  if (l->message != NULL) {
    h.fact = symbolic_sent(e, at, l->message, terms);
    h.delivery = symbolic_delivery(e, at, l->message, terms);
  } else {
    h.fact = symbolic_charged(e, at, l->component, terms);
  }
  if (smt_value_bool(e->smt, h.fact))
    vector_push(&l->all, h);
  else
    l->others = smt_and2(e->smt, l->others, smt_not(e->smt, h.fact));
}

/* Leaves out all from `first` on, or each that can be left out. */
static void leave_out(struct lessening *l, size_t first) {
  struct smt *smt = l->x->session.smt;
  smt_term none = smt_bool(smt, true);
  for (size_t i = first; i < l->all.count; i++)
    none = smt_and2(smt, none, smt_not(smt, l->all.data[i].fact));
  bool gone = l->all.count - first > 1 && keep_if_possible(l, none);
  for (size_t i = first; i < l->all.count; i++)
    l->all.data[i].gone = gone || keep_if_possible(l, smt_not(smt, l->all.data[i].fact));
}

/* Looks at everything while there is a model, before the first try. */
static void leave_out_all(struct lessening *l, const struct model *model) {
  struct smt *smt = l->x->session.smt;
  struct type types[INDEX_COUNT_MAX];
  VECTOR(size_t) first = {0};
  l->others = smt_bool(smt, true);
  for (size_t i = 0; i < model->messages.count; i++) {
    l->message = model->messages.items[i];
    vector_push(&first, l->all.count);
    if (l->message->field_count <= INDEX_COUNT_MAX)
      explanation_identities(l->x, types, explanation_fields(l->message, types), look_at, l);
  }
  l->message = NULL;
  vector_push(&first, l->all.count);
  for (size_t i = 0; i < model->components.count; i++) {
    l->component = model->components.items[i];
    if (explanation_is_charged(l->component))
      explanation_identities(l->x, l->component->index, l->component->index_count, look_at, l);
  }
  keep_if_possible(l, l->others);
  size_t end = l->all.count;
  for (size_t i = 0; i < first.count; i++) {
    l->all.count = i + 1 < first.count ? first.data[i + 1] : end;
    leave_out(l, first.data[i]);
  }
  vector_clear(&first);
}

static void like_at_first(struct lessening *l, const struct state *state, int64_t node) {
  struct encoder *e = &l->x->session.encoder;
  const struct symbolic *at = l->x->session.before, *first = symbolic_initial(e);
  smt_term of = smt_int(e->smt, node);
  struct type key = {.kind = TYPE_NODE, .role = state->type.role};
  bool many = state->type.kind == TYPE_SET || state->type.kind == TYPE_MAP;
  if (!many)
    keep_if_possible(
        l, smt_equal(e->smt, symbolic_read(e, at, state, of), symbolic_read(e, first, state, of)));
  for (int64_t i = 0; many && i < explanation_size(l->x, &key); i++) {
    smt_term element = smt_int(e->smt, i);
    bool set = state->type.kind == TYPE_SET;
    smt_term now =
        set ? symbolic_member(e, at, state, of, element) : symbolic_get(e, at, state, of, element);
    smt_term then = set ? symbolic_member(e, first, state, of, element)
                        : symbolic_get(e, first, state, of, element);
    keep_if_possible(l, smt_equal(e->smt, now, then));
  }
}

static void like_in_the_beginning(struct lessening *l, const struct model *model) {
  for (size_t i = 0; i < model->states.count; i++) {
    const struct state *state = model->states.items[i];
    struct type type = {.kind = TYPE_NODE, .role = state->role};
    for (int64_t node = 0; node < explanation_size(l->x, &type); node++)
      like_at_first(l, state, node);
  }
}

static void small_time(struct lessening *l, smt_term time, size_t from) {
  static const int64_t values[] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 20};
  struct smt *smt = l->x->session.smt;
  bool kept = false;
  for (size_t i = from; i < sizeof values / sizeof *values && !kept; i++) {
    struct rational value;
    rational_init(&value);
    rational_set_integer(&value, values[i]);
    kept = keep_if_possible(l, smt_equal(smt, time, smt_real(smt, &value)));
    rational_clear(&value);
  }
}

static void small_clocks(struct lessening *l, const struct model *model) {
  struct encoder *e = &l->x->session.encoder;
  const struct symbolic *at = l->x->session.before;
  for (size_t r = 0; r < model->roles.count; r++) {
    const struct role *role = model->roles.items[r];
    struct type type = {.kind = TYPE_NODE, .role = role};
    for (int64_t i = 0; !role->external && i < explanation_size(l->x, &type); i++) {
      small_time(l, symbolic_clock(e, at, role, smt_int(e->smt, i)), 0);
      if (model->timing == TIMING_ADVANCED)
        small_time(l, symbolic_arrival(e, at, role, smt_int(e->smt, i)), 0);
    }
  }
  if (model->timing == TIMING_EAGER)
    small_time(l, symbolic_now(e, at), 0);
}

/* A model of what is asserted now, or of less. False: the solver finds none again. */
static bool find_model(struct lessening *l) {
  struct smt *smt = l->x->session.smt;
  struct proof_options options = {.limit_ms = 10 * TRY_LIMIT_MS};
  struct smt_effort effort = session_effort(&options);
  while (smt_try(smt, &effort, NULL) != SMT_SAT) {
    if (l->pushes == 0)
      return false;
    smt_pop(smt);
    l->pushes--;
  }
  return true;
}

bool explanation_lessen(struct induction_search *x, size_t *pushes) {
  const struct model *model = x->proof->properties.model;
  struct lessening l = {.x = x};
  if (x->session.before != NULL) {
    leave_out_all(&l, model);
    like_in_the_beginning(&l, model);
    for (size_t i = 0; i < model->components.count; i++)
      small_time(&l, encode_bare(&x->session.encoder, model->components.items[i]), 1);
    small_clocks(&l, model);
    for (size_t i = 0; i < l.all.count; i++)
      if (!l.all.data[i].gone && l.all.data[i].delivery != NULL)
        small_time(&l, l.all.data[i].delivery, 0);
  }
  bool found = find_model(&l);
  vector_clear(&l.all);
  *pushes = l.pushes;
  return found;
}

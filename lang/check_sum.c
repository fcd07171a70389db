/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums of integers over a role: each node adds what it has, x.s or m[x] of a map of another node.
 * So a step changes what one node adds with each assignment, and the sum by that
 * (solver/encode/integer_sum.h). */
#include "lang/checker.h"

static bool is_mention(const struct term *t, const struct variable *v) {
  return t->kind == TERM_VARIABLE && t->variable == v;
}

/* How a sum reads a state: at the node that adds, or, of a map of some other node, at its key. */
enum reading { READ_NEVER, READ_AT_NODE, READ_AT_KEY };

struct readings {
  const struct variable *variable;
  const struct term *wrong; /* the first part that no node alone has; or NULL */
  const struct term *root;
};

static enum reading reading_of(const struct term *t, const struct state *state,
                               const struct variable *v);

static enum reading reading_in_domain(const struct variable *of, const struct state *state,
                                      const struct variable *v) {
  const struct term *parts[] = {of->set, of->low, of->high};
  enum reading found = READ_NEVER;
  for (size_t i = 0; i < 3 && found == READ_NEVER; i++)
    if (parts[i] != NULL)
      found = reading_of(parts[i], state, v);
  return found;
}

static enum reading reading_of(const struct term *t, const struct state *state,
                               const struct variable *v) {
  if (t->kind == TERM_STATE && t->state == state && is_mention(t->args[0], v))
    return READ_AT_NODE;
  bool map = t->kind == TERM_MAP_GET && t->args[0]->kind == TERM_STATE;
  const struct term *owner = map ? t->args[0]->args[0] : NULL;
  bool apart =
      map && (owner->kind == TERM_NODE || (owner->kind == TERM_VARIABLE && owner->variable != v));
  if (apart && t->args[0]->state == state && is_mention(t->args[1], v))
    return READ_AT_KEY;
  enum reading found = READ_NEVER;
  for (size_t i = 0; i < t->count && found == READ_NEVER; i++)
    found = reading_of(t->args[i], state, v);
  for (size_t i = 0; i < t->variable_count && found == READ_NEVER; i++)
    found = reading_in_domain(t->variables[i], state, v);
  return found;
}

static void look(struct readings *r, const struct term *t);

static void look_at_args(struct readings *r, const struct term *t) {
  for (size_t i = 0; i < t->count; i++)
    look(r, t->args[i]);
  for (size_t i = 0; i < t->variable_count; i++) {
    const struct variable *v = t->variables[i];
    const struct term *parts[] = {v->set, v->low, v->high};
    for (size_t k = 0; k < 3; k++)
      if (parts[k] != NULL)
        look(r, parts[k]);
  }
}

static void refuse(struct readings *r, const struct term *t) {
  if (r->wrong == NULL)
    r->wrong = t;
}

/* A state that is read in both ways would change for two nodes at once. */
static void look(struct readings *r, const struct term *t) {
  bool happens = t->kind >= TERM_SENT && t->kind <= TERM_ORDER;
  if (happens || t->type.kind == TYPE_TIME) {
    refuse(r, t);
    return;
  }
  enum reading known =
      t->kind == TERM_STATE ? reading_of(r->root, t->state, r->variable) : READ_NEVER;
  if (t->kind == TERM_MAP_GET && t->args[0]->kind == TERM_STATE &&
      reading_of(t, t->args[0]->state, r->variable) == READ_AT_KEY) {
    if (reading_of(r->root, t->args[0]->state, r->variable) != READ_AT_KEY)
      refuse(r, t);
    return;
  }
  if (t->kind == TERM_STATE && (!is_mention(t->args[0], r->variable) || known != READ_AT_NODE)) {
    refuse(r, t);
    return;
  }
  look_at_args(r, t);
}

/* A state that is none of the node that adds: each way to say the same of it. */
static void advise_state(struct diagnostic *d, const struct term *wrong, const struct variable *v) {
  const char *state = wrong->state->name, *name = v->name, *role = v->type.role->name;
  switch (wrong->type.kind) {
  case TYPE_INT:
    diagnostic_hint(
        d,
        "%.60s is no %.60s's own; that at least r of them reach it needs no sum: "
        "kth(SIZE - r + 1, %.60s in %.60s (..)) >= %.60s; in an invariant it may also "
        "get a name: forall j in int. %.60s == j implies .. sum %.60s in %.60s (.. j ..)",
        state, role, name, role, state, state, name, role);
    return;
  case TYPE_BOOL:
    diagnostic_hint(d,
                    "%.60s is no %.60s's own, and the same for all of them: "
                    "if %.60s then sum %.60s in %.60s (..) else ..",
                    state, role, state, name, role);
    return;
  case TYPE_ENUM:
    diagnostic_hint(d,
                    "%.60s is no %.60s's own, and the same for all of them: a sum for each value, "
                    "if %.60s == %.60s then sum %.60s in %.60s (.. %.60s ..) else ..",
                    state, role, state, wrong->type.enumeration->values[0], name, role,
                    wrong->type.enumeration->values[0]);
    return;
  case TYPE_NODE:
    diagnostic_hint(d,
                    "%.60s is no %.60s's own; give it a name: in an invariant forall w in %.60s. "
                    "%.60s == w implies .. sum %.60s in %.60s (.. w ..), in a guard exists w in "
                    "%.60s. %.60s == w and ..",
                    state, role, wrong->type.role->name, state, name, role, wrong->type.role->name,
                    state);
    return;
  case TYPE_SET:
    diagnostic_hint(d, "%.60s is no %.60s's own; how many it has is |%.60s|", state, role, state);
    return;
  default:
    diagnostic_hint(d, "write %.60s.STATE, or MAP[%.60s] of a map of one other node", name, name);
  }
}

static void advise(struct diagnostic *d, const struct term *wrong, const struct variable *v) {
  bool happens = wrong->kind >= TERM_SENT && wrong->kind <= TERM_ORDER;
  bool other = wrong->kind == TERM_STATE &&
               !(wrong->args[0]->kind == TERM_VARIABLE && wrong->args[0]->variable == v);
  if (other)
    advise_state(d, wrong, v);
  else if (happens && wrong->type.kind == TYPE_BOOL)
    diagnostic_hint(d,
                    "let %.60s keep in a state (`ghost`, where nothing else reads it) that it "
                    "has happened, and add that up",
                    v->type.role->name);
  else
    diagnostic_hint(d, "write %.60s.STATE, or MAP[%.60s] of a map of one other node", v->name,
                    v->name);
}

struct term *check_integer_sum(struct checker *checker, const struct syntax *syntax,
                               struct term *term) {
  const struct variable *v = term->variables[0];
  const char *name = v->name;
  term->type = type_of(TYPE_INT);
  if (v->type.kind == TYPE_ERROR || v->domain == DOMAIN_INT) /* that was reported */
    return term_error(checker, syntax->span);
  if (v->domain == DOMAIN_RANGE && v->type.kind == TYPE_NODE) {
    struct diagnostic *d = REPORT(checker, E0470, list_binder(&syntax->binders, 0)->domain->span,
                                  "a sum of integers ranges over a whole role");
    diagnostic_hint(d,
                    "let the others add 0: sum %.60s in %.60s (if index(%.60s) < index(..) then "
                    "... else 0)",
                    name, v->type.role->name, name);
    return term_error(checker, syntax->span);
  }
  if (v->domain != DOMAIN_ROLE) {
    struct diagnostic *d = REPORT(checker, E0470, list_binder(&syntax->binders, 0)->domain->span,
                                  "a sum of integers ranges over a role");
    diagnostic_hint(
        d,
        v->domain == DOMAIN_SET
            ? "let the others add 0: sum %.60s in ROLE (if %.60s in ... then ... else 0)"
            : "keep the sum in a variable",
        name, name);
    return term_error(checker, syntax->span);
  }
  struct readings r = {.variable = v, .root = term->args[0]};
  look(&r, term->args[0]);
  if (r.wrong == NULL)
    return term;
  advise(REPORT(checker, E0470, r.wrong->span, "a sum of integers adds up what each %.60s has",
                v->type.role->name),
         r.wrong, v);
  return term_error(checker, syntax->span);
}

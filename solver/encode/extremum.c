/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * max and min over a domain as functions with axioms (encode.h). No axiom takes for granted that a
 * family has nodes; that is an obligation of its own.
 */
#include "base/text.h"
#include "solver/encode/encode.h"

/* The function m(free) that stands for a max or min over a domain. */
struct extremum {
  const struct term *term;
  const struct symbolic *state; /* NULL when the term does not read the state */
  smt_term began;               /* NULL when it does not mention it */
  struct variable_list free;
  smt_function function;
};

static smt_term expand_extremum(struct encoder *e, const struct term *t,
                                const struct symbolic *state) {
  const struct variable *v = t->variables[0];
  smt_term result = smt_real_zero(e->smt), seen = smt_bool(e->smt, false);
  smt_term saved = e->environment[v->id];
  int64_t low, high;
  encode_scope_range(e, v, state, &low, &high);
  for (int64_t value = low; value <= high; value++) {
    smt_term at = smt_int(e->smt, value);
    encoder_let(e, v, at);
    smt_term inside = encode_in_domain(e, v, at, state);
    smt_term body = encode(e, t->args[0], state);
    smt_term better =
        t->kind == TERM_MAX_OVER ? encode_max(e, result, body) : encode_min(e, result, body);
    result = smt_if(e->smt, inside, smt_if(e->smt, seen, better, body), result);
    seen = smt_or2(e->smt, seen, inside);
  }
  encoder_let(e, v, saved);
  return result;
}

/* That a family has nodes is an obligation of its own: no axiom may take it for granted. */
static smt_term unless_empty(struct encoder *e, const struct role *role, smt_term fact) {
  smt_term one = smt_int(e->smt, 1);
  return smt_implies(e->smt, smt_le(e->smt, one, encode_role_size(e, role)), fact);
}

/* The axioms of m(free) = max (min) over the domain of the body. */
static void define_extremum(struct encoder *e, const struct extremum *x) {
  const struct variable *v = x->term->variables[0];
  struct smt *smt = e->smt;
  size_t count = x->free.count;
  smt_term *saved = arena_alloc(&e->arena, count, sizeof(smt_term));
  smt_term *bound = arena_alloc(&e->arena, count + 1, sizeof(smt_term));
  for (size_t i = 0; i < count; i++) {
    bound[i] = smt_fresh(smt, x->free.items[i]->name, encode_sort(e, &x->free.items[i]->type));
    saved[i] = encoder_let(e, x->free.items[i], bound[i]);
  }
  smt_term m = smt_apply(smt, x->function, bound, count);
  smt_term outside = e->environment[v->id], at = encode_fresh(e, v);
  bound[count] = at;
  smt_term inside = encode_in_domain(e, v, at, x->state);
  smt_term body = encode(e, x->term->args[0], x->state);
  bool max = x->term->kind == TERM_MAX_OVER;
  smt_term limits = max ? smt_le(smt, body, m) : smt_le(smt, m, body);
  size_t all = count + (v->type.kind != TYPE_NODE || v->type.role->count != NULL);
  encoder_assume(e, FACT_EXTREMUM_LIMITS,
                 smt_forall(smt, bound, all, smt_implies(smt, inside, limits), NULL, 0));
  smt_term reached =
      smt_exists(smt, bound + count, all - count, smt_and2(smt, inside, smt_equal(smt, m, body)));
  smt_term empty = smt_forall(smt, bound + count, all - count, smt_not(smt, inside), NULL, 0);
  smt_term zero = smt_equal(smt, m, smt_real_zero(smt));
  if (v->domain == DOMAIN_ROLE)
    reached = unless_empty(e, v->type.role, reached);
  else
    reached = smt_or2(smt, reached, smt_and2(smt, empty, zero));
  encoder_assume(e, FACT_EXTREMUM_REACHED, smt_forall(smt, bound, count, reached, &m, count != 0));
  encoder_let(e, v, outside);
  for (size_t i = 0; i < count; i++)
    encoder_let(e, x->free.items[i], saved[i]);
}

static const struct extremum *find_extremum(struct encoder *e, const struct term *t,
                                            const struct symbolic *state) {
  smt_term began = term_mentions_began(t) ? e->began : NULL;
  for (size_t i = 0; i < e->extrema.count; i++)
    if (e->extrema.data[i]->term == t && e->extrema.data[i]->state == state &&
        e->extrema.data[i]->began == began)
      return e->extrema.data[i];
  struct extremum *x = arena_alloc(&e->arena, 1, sizeof *x);
  x->term = t;
  x->state = state;
  x->began = began;
  x->free = term_free_variables(&e->arena, t);
  smt_sort *domain = arena_alloc(&e->arena, x->free.count, sizeof(smt_sort));
  for (size_t i = 0; i < x->free.count; i++)
    domain[i] = encode_sort(e, &x->free.items[i]->type);
  struct text name;
  text_init(&name);
  text_format(&name, "extremum.%zu", e->name_count++);
  x->function = smt_declare(e->smt, name.data, domain, x->free.count, smt_sort_real(e->smt));
  text_clear(&name);
  vector_push(&e->extrema, x);
  define_extremum(e, x);
  return x;
}

smt_term encode_extremum(struct encoder *e, const struct term *t, const struct symbolic *state) {
  if (e->scope != NULL)
    return expand_extremum(e, t, state);
  const struct extremum *x = find_extremum(e, t, term_reads_state(t) ? state : NULL);
  smt_term *args = arena_alloc(&e->arena, x->free.count, sizeof(smt_term));
  for (size_t i = 0; i < x->free.count; i++)
    args[i] = e->environment[x->free.items[i]->id];
  return smt_apply(e->smt, x->function, args, x->free.count);
}

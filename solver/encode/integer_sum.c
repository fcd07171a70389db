/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/encode/integer_sum.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "solver/encode/multiple.h"

/* The function f(free) = the sum of one addend over the role of its variable, in the unknown or the
 * first state. */
struct integer_sum {
  const char *key;
  const struct term *addend;
  const struct variable *variable; /* the running one */
  const struct symbolic *at;       /* NULL: the addend does not read the state */
  struct variable_list free;       /* the others */
  smt_function function;
  size_t id;
};

static const struct role *role_of(const struct integer_sum *s) {
  return s->variable->type.role;
}

/* The addend for this node. */
static smt_term addend_at(struct encoder *e, const struct term *addend,
                          const struct variable *variable, smt_term node,
                          const struct symbolic *at) {
  smt_term saved = encoder_let(e, variable, node);
  smt_term value = encode(e, addend, at);
  encoder_let(e, variable, saved);
  return value;
}

/* --- axioms ----------------------------------------------------------------------------------- */

/* Whether the term is a node that no variable of an inner binder says, and no function gives. */
static bool is_plain(const struct integer_sum *s, const struct term *t) {
  bool plain = t->kind == TERM_NODE || t->kind == TERM_FIRST ||
               (t->kind == TERM_VARIABLE && t->variable == s->variable);
  for (size_t i = 0; t->kind == TERM_VARIABLE && i < s->free.count && !plain; i++)
    plain = t->variable == s->free.items[i];
  return plain;
}

static bool is_state_of_plain(const struct integer_sum *s, const struct term *t) {
  return t->kind == TERM_STATE && is_plain(s, t->args[0]);
}

struct seeing {
  const struct integer_sum *sum;
  const struct term **part;
};

/* Whether the solver meets the term as one function of the node. */
static bool is_seen(const struct term *t, const void *context) {
  const struct seeing *x = context;
  const struct integer_sum *s = x->sum;
  bool seen = false;
  if (t->kind == TERM_STATE)
    seen = t->type.kind != TYPE_SET && t->type.kind != TYPE_MAP && is_state_of_plain(s, t);
  else if (t->kind == TERM_CARDINALITY)
    seen = is_state_of_plain(s, t->args[0]);
  else if (t->kind == TERM_MAP_GET)
    seen = is_state_of_plain(s, t->args[0]) && is_plain(s, t->args[1]);
  else if (t->kind == TERM_IN)
    seen = is_plain(s, t->args[0]) && is_state_of_plain(s, t->args[1]);
  seen = seen && term_mentions(t, s->variable);
  if (seen)
    *x->part = t;
  return seen;
}

/* What the solver meets when it meets the addend of a node: a state of the node, or NULL. */
static const struct term *seen_part(const struct integer_sum *s) {
  const struct term *part = NULL;
  term_has_part(s->addend, is_seen, &(struct seeing){s, &part});
  return part;
}

/* Axioms about one sum, or two of one role: over their free variables, for any node. */
struct frame {
  const struct integer_sum *sums[2];
  size_t count;
  smt_term *args[2], values[2]; /* of the functions; what the sums are */
  smt_term each;                /* what no node has more of, or less; or NULL */
  smt_term *bound;              /* all arguments, then two nodes */
  size_t bound_count;           /* of the arguments */
};

static void enter(struct encoder *e, struct frame *f) {
  size_t most = 2;
  for (size_t i = 0; i < f->count; i++)
    most += f->sums[i]->free.count;
  f->bound = arena_alloc(&e->arena, most, sizeof(smt_term));
  for (size_t i = 0; i < f->count; i++) {
    const struct variable_list *free = &f->sums[i]->free;
    f->args[i] = arena_alloc(&e->arena, free->count, sizeof(smt_term));
    for (size_t k = 0; k < free->count; k++)
      f->args[i][k] = f->bound[f->bound_count++] =
          smt_fresh(e->smt, "a", encode_sort(e, &free->items[k]->type));
    f->values[i] = smt_apply(e->smt, f->sums[i]->function, f->args[i], free->count);
  }
  for (size_t i = 0; i < 2; i++)
    f->bound[f->bound_count + i] =
        smt_fresh(e->smt, "x", encode_sort(e, &f->sums[0]->variable->type));
}

/* The addend of one of the sums for a node, with the frame's arguments. */
static smt_term addend_of(struct encoder *e, const struct frame *f, size_t i,
                          const struct term *part, smt_term node) {
  const struct integer_sum *s = f->sums[i];
  smt_term *outer = arena_alloc(&e->arena, s->free.count, sizeof(smt_term));
  for (size_t k = 0; k < s->free.count; k++)
    outer[k] = encoder_let(e, s->free.items[k], f->args[i][k]);
  smt_term value = addend_at(e, part, s->variable, node, s->at);
  for (size_t k = s->free.count; k-- > 0;)
    encoder_let(e, s->free.items[k], outer[k]);
  return value;
}

static smt_term is_node(struct encoder *e, const struct frame *f, smt_term node) {
  return encode_is_node(e, &f->sums[0]->variable->type, node);
}

/* A node that depends on the arguments. */
static smt_term witness(struct encoder *e, const struct frame *f, const char *name) {
  char full[64];
  snprintf(full, sizeof full, "%s.%zu.%zu", name, f->sums[0]->id, f->sums[f->count - 1]->id);
  smt_sort *sorts = arena_alloc(&e->arena, f->bound_count, sizeof(smt_sort));
  size_t n = 0;
  for (size_t i = 0; i < f->count; i++)
    for (size_t k = 0; k < f->sums[i]->free.count; k++)
      sorts[n++] = encode_sort(e, &f->sums[i]->free.items[k]->type);
  smt_function w = smt_declare(e->smt, full, sorts, n, encode_sort(e, &f->sums[0]->variable->type));
  return smt_apply(e->smt, w, f->bound, n);
}

/* Unless `unless`, less + part(x) <= more for each node x, and so for two of them together. */
struct sum_comparison {
  enum encoder_fact fact;
  smt_term unless, less, more;
  smt_term (*part)(struct encoder *e, const struct frame *f, smt_term node);
};

/* An axiom about the sums and the first `nodes` nodes behind the arguments, to be used where what
 * sum number `seen` sees of these nodes is mentioned too. */
static void give(struct encoder *e, enum encoder_fact kind, const struct frame *f, smt_term fact,
                 size_t nodes, size_t seen) {
  const struct integer_sum *s = f->sums[seen];
  const struct term *part = seen_part(s);
  if (nodes != 0 && (part == NULL || s->at == NULL || s->at->kind != SYMBOLIC_ANY))
    return;
  smt_term triggers[4];
  size_t count = 0;
  for (size_t i = 0; i < f->count; i++)
    if (f->sums[i]->free.count != 0)
      triggers[count++] = f->values[i];
  for (size_t i = 0; i < nodes; i++)
    triggers[count++] = addend_of(e, f, seen, part, f->bound[f->bound_count + i]);
  encoder_assume(e, kind,
                 smt_forall(e->smt, f->bound, f->bound_count + nodes, fact, triggers, count));
}

static void compare(struct encoder *e, const struct frame *f, const struct sum_comparison *c) {
  struct smt *smt = e->smt;
  smt_term x = f->bound[f->bound_count], y = f->bound[f->bound_count + 1];
  smt_term one = smt_add(smt, c->less, c->part(e, f, x));
  smt_term two = smt_add(smt, one, c->part(e, f, y));
  smt_term apart = smt_and2(smt, is_node(e, f, y), smt_not(smt, smt_equal(smt, x, y)));
  smt_term of_one = smt_implies(smt, is_node(e, f, x), smt_le(smt, one, c->more));
  smt_term of_two =
      smt_implies(smt, smt_and2(smt, is_node(e, f, x), apart), smt_le(smt, two, c->more));
  give(e, c->fact, f, smt_or2(smt, c->unless, smt_le(smt, c->less, c->more)), 0, 0);
  for (size_t i = 0; i < f->count; i++) {
    give(e, c->fact, f, smt_or2(smt, c->unless, of_one), 1, i);
    give(e, c->fact, f, smt_or2(smt, c->unless, of_two), 2, i);
  }
}

static smt_term at_node(struct encoder *e, const struct frame *f, size_t i, smt_term node) {
  return addend_of(e, f, i, f->sums[i]->addend, node);
}

static smt_term what_it_adds(struct encoder *e, const struct frame *f, smt_term node) {
  return at_node(e, f, 0, node);
}

static smt_term what_it_takes(struct encoder *e, const struct frame *f, smt_term node) {
  return smt_sub(e->smt, smt_int(e->smt, 0), at_node(e, f, 0, node));
}

static smt_term what_lacks_to_each(struct encoder *e, const struct frame *f, smt_term node) {
  return smt_sub(e->smt, f->each, at_node(e, f, 0, node));
}

static smt_term what_exceeds_each(struct encoder *e, const struct frame *f, smt_term node) {
  return smt_sub(e->smt, at_node(e, f, 0, node), f->each);
}

static smt_term what_lacks_to_the_other(struct encoder *e, const struct frame *f, smt_term node) {
  return smt_sub(e->smt, at_node(e, f, 1, node), at_node(e, f, 0, node));
}

/* Some node, named by the arguments, of which the part is negative. */
static smt_term counterexample(struct encoder *e, const struct frame *f,
                               const struct sum_comparison *c, const char *name) {
  smt_term w = witness(e, f, name), zero = smt_int(e->smt, 0);
  return smt_and2(e->smt, is_node(e, f, w), smt_lt(e->smt, c->part(e, f, w), zero));
}

/* Whether the number of nodes, or a factor of it, is negative: then there is no such family. */
static smt_term is_no_size(struct encoder *e, const struct role *role) {
  smt_term none = smt_lt(e->smt, encode(e, role->count, NULL), smt_int(e->smt, 0));
  if (role->owner == NULL)
    return none;
  if (role->each != NULL)
    none = smt_or2(e->smt, none, smt_lt(e->smt, encode(e, role->each, NULL), smt_int(e->smt, 0)));
  return smt_or2(e->smt, none, is_no_size(e, role->owner));
}

/* Where no node has more than c, all have at most c times their number; and at least, where none
 * has less. */
static void axioms_of_multiples(struct encoder *e, struct frame *f) {
  const struct role *role = role_of(f->sums[0]);
  struct multiple multiples[MULTIPLES_MAX];
  size_t count = encode_multiples(e, role, multiples);
  for (size_t i = 0; i < count; i++) {
    char name[32];
    f->each = multiples[i].each;
    struct sum_comparison most = {.fact = FACT_TOTAL_MOST,
                                  .less = f->values[0],
                                  .more = multiples[i].all,
                                  .part = what_lacks_to_each};
    snprintf(name, sizeof name, "more.%zu", i);
    most.unless = smt_or2(e->smt, counterexample(e, f, &most, name), is_no_size(e, role));
    compare(e, f, &most);
    struct sum_comparison least = {.fact = FACT_TOTAL_LEAST,
                                   .less = multiples[i].all,
                                   .more = f->values[0],
                                   .part = what_exceeds_each};
    snprintf(name, sizeof name, "less.%zu", i);
    least.unless = smt_or2(e->smt, counterexample(e, f, &least, name), is_no_size(e, role));
    compare(e, f, &least);
  }
}

static void axioms_of_one(struct encoder *e, const struct integer_sum *s) {
  struct smt *smt = e->smt;
  struct frame f = {.sums = {s}, .count = 1};
  enter(e, &f);
  smt_term zero = smt_int(smt, 0), size = encode_role_size(e, role_of(s)), sum = f.values[0];
  struct sum_comparison above = {
      .fact = FACT_TOTAL_ABOVE, .less = zero, .more = sum, .part = what_it_adds};
  above.unless = counterexample(e, &f, &above, "below");
  compare(e, &f, &above);
  struct sum_comparison below = {
      .fact = FACT_TOTAL_BELOW, .less = sum, .more = zero, .part = what_it_takes};
  below.unless = counterexample(e, &f, &below, "above");
  compare(e, &f, &below);
  f.each = smt_int(smt, 1);
  struct sum_comparison few = {
      .fact = FACT_TOTAL_FEW, .less = sum, .more = size, .part = what_lacks_to_each};
  few.unless = smt_or2(smt, counterexample(e, &f, &few, "several"), smt_lt(smt, size, zero));
  compare(e, &f, &few);
  axioms_of_multiples(e, &f);
}

static void axioms_of_two(struct encoder *e, const struct integer_sum *less,
                          const struct integer_sum *more) {
  struct frame f = {.sums = {less, more}, .count = 2};
  enter(e, &f);
  struct sum_comparison c = {.fact = FACT_TOTAL_LARGER,
                             .less = f.values[0],
                             .more = f.values[1],
                             .part = what_lacks_to_the_other};
  c.unless = counterexample(e, &f, &c, "larger");
  compare(e, &f, &c);
}

static void define(struct encoder *e, const struct integer_sum *s) {
  axioms_of_one(e, s);
  for (size_t i = 0; i < e->integer_sums.count; i++) {
    const struct integer_sum *other = e->integer_sums.data[i];
    if (role_of(other) != role_of(s) || e->sum_pairs == SUM_PAIRS_MAX ||
        (other == s && s->free.count == 0))
      continue;
    e->sum_pairs++;
    axioms_of_two(e, s, other);
    if (other != s)
      axioms_of_two(e, other, s);
  }
}

/* --- sums ------------------------------------------------------------------------------------- */

static const struct integer_sum *find(struct encoder *e, const struct term *addend,
                                      const struct variable *variable, const struct symbolic *at,
                                      const struct variable_list *free) {
  struct text key;
  text_init(&key);
  term_key_context(&key, e, addend, at);
  text_format(&key, "%s ", variable->type.role->name);
  term_key(&key, addend, variable, free);
  struct integer_sum *s = NULL;
  for (size_t i = 0; i < e->integer_sums.count && s == NULL; i++)
    if (strcmp(e->integer_sums.data[i]->key, key.data) == 0)
      s = e->integer_sums.data[i];
  if (s == NULL) {
    s = arena_alloc(&e->arena, 1, sizeof *s);
    *s = (struct integer_sum){.addend = addend, .variable = variable, .at = at, .free = *free};
    s->key = arena_text(&e->arena, key.data, key.length);
    s->id = e->name_count++;
    const smt_sort *sorts = encode_sorts(e, free);
    char name[48];
    snprintf(name, sizeof name, "total.%zu", s->id);
    s->function = smt_declare(e->smt, name, sorts, free->count, smt_sort_int(e->smt));
    vector_push(&e->integer_sums, s);
    define(e, s);
  }
  text_clear(&key);
  return s;
}

/* What is not reduced any further. */
static smt_term function_of(struct encoder *e, const struct term *addend,
                            const struct variable *variable, const struct symbolic *at) {
  struct variable_list free = term_free_but(&e->arena, addend, variable);
  const struct integer_sum *s = find(e, addend, variable, at, &free);
  smt_term *args = arena_alloc(&e->arena, free.count, sizeof(smt_term));
  for (size_t i = 0; i < free.count; i++)
    args[i] = e->environment[free.items[i]->id];
  return smt_apply(e->smt, s->function, args, free.count);
}

/* In the first state all nodes may have the same: so many times that. NULL: they have not. */
static smt_term of_equal(struct encoder *e, const struct term *addend,
                         const struct variable *variable, const struct symbolic *at) {
  smt_sort sort = encode_sort(e, &variable->type);
  smt_term one = addend_at(e, addend, variable, smt_fresh(e->smt, "x", sort), at);
  smt_term other = addend_at(e, addend, variable, smt_fresh(e->smt, "x", sort), at);
  return one == other ? smt_mul(e->smt, encode_role_size(e, variable->type.role), one) : NULL;
}

struct keyed {
  const struct state *state;
  const struct variable *variable;
};

/* Whether the term reads the state at the key of a map of some other node. */
static bool is_by_key(const struct term *t, const void *context) {
  const struct keyed *r = context;
  return t->kind == TERM_MAP_GET && t->args[0]->kind == TERM_STATE &&
         t->args[0]->state == r->state && !term_mentions(t->args[0]->args[0], r->variable);
}

/* The sum of one addend, which mentions the variable. */
static smt_term sum_of(struct encoder *e, const struct term *addend,
                       const struct variable *variable, const struct symbolic *state) {
  const struct symbolic *at = term_seen_state(addend, state);
  if (variable->type.role->count == NULL)
    return addend_at(e, addend, variable, smt_int(e->smt, 0), at);
  if (at != NULL && at->kind == SYMBOLIC_INITIAL) {
    smt_term equal = of_equal(e, addend, variable, at);
    if (equal != NULL)
      return equal;
  }
  if (at == NULL || at->before == NULL)
    return function_of(e, addend, variable, at);
  struct keyed keyed = {at->state, variable};
  smt_term node = term_has_part(addend, is_by_key, &keyed) ? at->key : at->node;
  smt_term grown = smt_sub(e->smt, addend_at(e, addend, variable, node, at),
                           addend_at(e, addend, variable, node, at->before));
  return smt_add(e->smt, sum_of(e, addend, variable, at->before), grown);
}

/* With a scope: node by node. */
static smt_term expand(struct encoder *e, const struct term *t, const struct symbolic *state) {
  const struct variable *v = t->variables[0];
  int64_t low, high;
  encode_scope_range(e, v, state, &low, &high);
  smt_term total = smt_int(e->smt, 0);
  for (int64_t i = low; i <= high; i++)
    total = smt_add(e->smt, total, addend_at(e, t->args[0], v, smt_int(e->smt, i), state));
  return total;
}

smt_term encode_integer_sum(struct encoder *e, const struct term *t, const struct symbolic *state) {
  if (e->scope != NULL)
    return expand(e, t, state);
  const struct variable *v = t->variables[0];
  sum_parts parts = {0};
  term_split(&parts, t->args[0], v, NULL, false);
  smt_term total = smt_int(e->smt, 0);
  for (size_t i = 0; i < parts.count; i++) {
    const struct sum_part *part = &parts.data[i];
    smt_term sum = term_mentions(part->term, v) ? sum_of(e, part->term, v, state)
                                                : smt_mul(e->smt, encode_role_size(e, v->type.role),
                                                          encode(e, part->term, state));
    if (part->factor != NULL)
      sum = smt_mul(e->smt, encode(e, part->factor, state), sum);
    total = part->negative ? smt_sub(e->smt, total, sum) : smt_add(e->smt, total, sum);
  }
  vector_clear(&parts);
  return total;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/encode/cardinality_function.h"

#include <stdio.h>
#include <string.h>

const struct weight weight_one = {.key = ""};

smt_term weight_of(struct encoder *e, const struct weight *weight, smt_term node) {
  if (weight->addend == NULL)
    return smt_int(e->smt, 1);
  smt_term saved = encoder_let(e, weight->variable, node);
  smt_term value = encode(e, weight->addend, weight->state);
  encoder_let(e, weight->variable, saved);
  return value;
}

smt_term weight_of_role(struct encoder *e, const struct weight *weight, const struct role *role) {
  smt_term size = encode_role_size(e, role), one = smt_int(e->smt, 1);
  if (weight->addend == NULL)
    return size;
  return encode_sum(e, weight->variable, smt_int(e->smt, 0), smt_sub(e->smt, size, one),
                    weight->addend, weight->state);
}

/* A node of the members' role; of a single one it is 0, otherwise a variable of an axiom. */
struct some_node {
  smt_term value, inside;
  bool bound;
};

static struct some_node some_node(struct encoder *e, const struct role *role, smt_term value) {
  struct type type = {.kind = TYPE_NODE, .role = role};
  struct variable v = {.name = "member", .type = type, .domain = DOMAIN_ROLE};
  struct some_node node = {.bound = role->count != NULL};
  if (!node.bound)
    value = smt_int(e->smt, 0);
  else if (value == NULL)
    value = smt_fresh(e->smt, v.name, encode_sort(e, &type));
  node.value = value;
  node.inside = encode_in_domain(e, &v, value, NULL);
  return node;
}

static smt_term *fresh_args(struct encoder *e, const smt_sort *sorts, size_t count) {
  smt_term *args = arena_alloc(&e->arena, count, sizeof(smt_term));
  for (size_t i = 0; i < count; i++)
    args[i] = smt_fresh(e->smt, "a", sorts[i]);
  return args;
}

static smt_term is_member(struct encoder *e, const struct measured_set *set, const smt_term *args,
                          smt_term node) {
  if (set->owner != NULL) {
    smt_term self = set->count == 0 ? smt_int(e->smt, 0) : args[0];
    return symbolic_member(e, set->at, set->owner, self, node);
  }
  smt_term *all = arena_alloc(&e->arena, set->count + 1, sizeof(smt_term));
  memcpy(all, args, set->count * sizeof(smt_term));
  all[set->count] = node;
  return smt_apply(e->smt, set->predicate, all, set->count + 1);
}

smt_term cardinality_member(struct encoder *e, const struct measure *m, const smt_term *args,
                            smt_term node) {
  return is_member(e, m->set, args, node);
}

smt_term cardinality_apply(struct encoder *e, const struct measure *m, const smt_term *args) {
  return smt_apply(e->smt, m->function, args, m->count);
}

/* One axiom: variables, and triggers that hold them all. */
struct axiom {
  smt_term *variables, triggers[3];
  size_t variable_count, trigger_count;
};

static void bind(struct encoder *e, struct axiom *a, const smt_term *variables, size_t count) {
  smt_term *all = arena_alloc(&e->arena, a->variable_count + count, sizeof(smt_term));
  for (size_t i = 0; i < a->variable_count + count; i++)
    all[i] = i < a->variable_count ? a->variables[i] : variables[i - a->variable_count];
  a->variables = all;
  a->variable_count += count;
}

static void bind_node(struct encoder *e, struct axiom *a, const struct some_node *node) {
  if (node->bound)
    bind(e, a, &node->value, 1);
}

/* A term without variables cannot be part of a trigger. */
static void when(struct axiom *a, smt_term term, size_t variable_count) {
  if (variable_count != 0)
    a->triggers[a->trigger_count++] = term;
}

static void give(struct encoder *e, enum encoder_fact kind, const struct axiom *a, smt_term fact) {
  encoder_assume(
      e, kind,
      smt_forall(e->smt, a->variables, a->variable_count, fact, a->triggers, a->trigger_count));
}

static smt_term unless_empty(struct encoder *e, const struct role *role, smt_term fact) {
  smt_term one = smt_int(e->smt, 1);
  return smt_implies(e->smt, smt_le(e->smt, one, encode_role_size(e, role)), fact);
}

/* A node that depends on the arguments: the witness of an existential. */
static struct some_node witness(struct encoder *e, const char *name, const struct measure *m,
                                const struct measure *other, const smt_term *a, const smt_term *b) {
  struct type type = {.kind = TYPE_NODE, .role = m->set->role};
  char full[96];
  size_t more = other == NULL ? 0 : other->set->count, n = m->set->count;
  snprintf(full, sizeof full, "%s.%zu.%zu", name, m->id, other == NULL ? m->id : other->id);
  smt_sort *sorts = arena_alloc(&e->arena, n + more, sizeof(smt_sort));
  smt_term *args = arena_alloc(&e->arena, n + more, sizeof(smt_term));
  for (size_t i = 0; i < n; i++) {
    sorts[i] = m->set->sorts[i];
    args[i] = a[i];
  }
  for (size_t i = 0; other != NULL && i < more; i++) {
    sorts[n + i] = other->set->sorts[i];
    args[n + i] = b[i];
  }
  smt_function f = smt_declare(e->smt, full, sorts, n + more, encode_sort(e, &type));
  return some_node(e, m->set->role, smt_apply(e->smt, f, args, n + more));
}

static smt_term inside(struct encoder *e, const struct measure *m, const smt_term *args,
                       const struct some_node *x) {
  return smt_and2(e->smt, x->inside, is_member(e, m->set, args, x->value));
}

static void cardinality_axioms(struct encoder *e, const struct measure *m, const smt_term *args,
                               smt_term f) {
  struct smt *smt = e->smt;
  smt_term size = encode_role_size(e, m->set->role);
  struct axiom a = {0};
  bind(e, &a, args, m->count);
  when(&a, f, m->count);
  give(e, FACT_SET_AT_MOST_ALL, &a, unless_empty(e, m->set->role, smt_le(smt, f, size)));
  struct some_node some = witness(e, "member", m, NULL, args, NULL);
  give(e, FACT_SET_SOME, &a,
       smt_implies(smt, smt_le(smt, smt_int(smt, 1), f), inside(e, m, args, &some)));
  struct some_node missing = witness(e, "missing", m, NULL, args, NULL);
  smt_term lacks =
      smt_and2(smt, missing.inside, smt_not(smt, is_member(e, m->set, args, missing.value)));
  give(e, FACT_SET_MISSING, &a,
       unless_empty(e, m->set->role, smt_or2(smt, lacks, smt_le(smt, size, f))));
  struct some_node x = some_node(e, m->set->role, NULL);
  smt_term in = is_member(e, m->set, args, x.value);
  smt_term full = smt_and2(smt, x.inside, smt_le(smt, size, f));
  bind_node(e, &a, &x);
  when(&a, in, m->set->count + x.bound);
  give(e, FACT_SET_FULL, &a, unless_empty(e, m->set->role, smt_implies(smt, full, in)));
}

/* The sum is at most |S| times the bare name; and at most the sum over an ordered role, less what
 * any node outside of S would add. */
static void sum_axioms(struct encoder *e, const struct measure *m, const smt_term *args,
                       smt_term f) {
  struct smt *smt = e->smt;
  struct term bare = {
      .kind = TERM_BARE, .type = {.kind = TYPE_TIME}, .component = m->weight->addend->component};
  const struct measure *cardinality = cardinality_of(e, m->set, &weight_one);
  smt_term most = encode_product(e, cardinality_apply(e, cardinality, args),
                                 arena_copy(&e->arena, &bare, 1, sizeof bare), NULL);
  struct axiom a = {0};
  bind(e, &a, args, m->count);
  when(&a, f, m->count);
  give(e, FACT_SET_SUM_BARE, &a, smt_le(smt, f, most));
  if (!m->set->role->ordered)
    return;
  smt_term whole = weight_of_role(e, m->weight, m->set->role);
  give(e, FACT_SET_SUM_WHOLE, &a, smt_le(smt, f, whole));
  struct some_node y = some_node(e, m->set->role, NULL);
  smt_term in = is_member(e, m->set, args, y.value);
  smt_term outside = smt_and2(smt, y.inside, smt_not(smt, in));
  smt_term more = smt_add(smt, f, weight_of(e, m->weight, y.value));
  bind_node(e, &a, &y);
  when(&a, in, m->set->count + y.bound);
  give(e, FACT_SET_SUM_OUTSIDE, &a, smt_implies(smt, outside, smt_le(smt, more, whole)));
}

static void base_axioms(struct encoder *e, const struct measure *m) {
  struct smt *smt = e->smt;
  const struct weight *w = m->weight;
  smt_term *args = fresh_args(e, m->sorts, m->count);
  smt_term *saved = arena_alloc(&e->arena, w->free.count, sizeof(smt_term));
  for (size_t i = 0; i < w->free.count; i++)
    saved[i] = encoder_let(e, w->free.items[i], args[m->set->count + i]);
  smt_term f = cardinality_apply(e, m, args);
  struct axiom a = {0};
  bind(e, &a, args, m->count);
  when(&a, f, m->count);
  smt_term none = w->addend == NULL ? smt_int(smt, 0) : smt_real_zero(smt);
  give(e, FACT_SET_NOT_NEGATIVE, &a, smt_le(smt, none, f));
  if (w->addend == NULL)
    cardinality_axioms(e, m, args, f);
  else
    sum_axioms(e, m, args, f);
  struct some_node x = some_node(e, m->set->role, NULL);
  smt_term in = is_member(e, m->set, args, x.value);
  bind_node(e, &a, &x);
  when(&a, in, m->set->count + x.bound);
  smt_term counted = smt_le(smt, weight_of(e, w, x.value), f);
  give(e, FACT_SET_COUNTS, &a, smt_implies(smt, smt_and2(smt, x.inside, in), counted));
  for (size_t i = 0; i < w->free.count; i++)
    encoder_let(e, w->free.items[i], saved[i]);
}

/* The arguments of two measures with one weight: the weight's are shared, and so is the owner of
 * the members where both sets are told by it. */
struct pair {
  const struct measure *f, *g;
  smt_term *a, *b, f_value, g_value;
  struct axiom axiom;
};

static bool is_by_owner(const struct measure *f, const struct measure *g) {
  return f->set->by_owner && g->set->by_owner;
}

static struct pair make_pair(struct encoder *e, const struct measure *f, const struct measure *g) {
  size_t shared = f->weight->free.count, one = is_by_owner(f, g);
  struct pair p = {.f = f, .g = g, .a = fresh_args(e, f->sorts, f->count)};
  p.b = fresh_args(e, g->sorts, g->count);
  for (size_t i = 0; i < shared; i++)
    p.b[g->set->count + i] = p.a[f->set->count + i];
  if (one)
    p.b[0] = p.a[0];
  p.f_value = cardinality_apply(e, f, p.a);
  p.g_value = cardinality_apply(e, g, p.b);
  bind(e, &p.axiom, p.a, f->count);
  bind(e, &p.axiom, p.b + one, g->set->count - one);
  when(&p.axiom, p.f_value, f->count);
  when(&p.axiom, p.g_value, g->count);
  return p;
}

/* Unless some node is in A and not in B: f <= g, and less by the weight of any node that is in B
 * and not in A. */
static void subset_axioms(struct encoder *e, const struct measure *f, const struct measure *g) {
  struct smt *smt = e->smt;
  const struct weight *w = f->weight;
  struct pair p = make_pair(e, f, g);
  struct some_node out = witness(e, "outside", f, g, p.a, p.b);
  smt_term counterexample =
      smt_and2(smt, inside(e, f, p.a, &out), smt_not(smt, is_member(e, g->set, p.b, out.value)));
  give(e, FACT_SET_SUBSET, &p.axiom,
       smt_or2(smt, counterexample, smt_le(smt, p.f_value, p.g_value)));
  smt_term *saved = arena_alloc(&e->arena, w->free.count, sizeof(smt_term));
  for (size_t i = 0; i < w->free.count; i++)
    saved[i] = encoder_let(e, w->free.items[i], p.a[f->set->count + i]);
  struct some_node y = some_node(e, f->set->role, NULL);
  smt_term in_g = is_member(e, g->set, p.b, y.value);
  smt_term only_g =
      smt_and2(smt, inside(e, g, p.b, &y), smt_not(smt, is_member(e, f->set, p.a, y.value)));
  smt_term more = smt_add(smt, p.f_value, weight_of(e, w, y.value));
  bind_node(e, &p.axiom, &y);
  when(&p.axiom, in_g, g->set->count + y.bound);
  smt_term less = smt_implies(smt, only_g, smt_le(smt, more, p.g_value));
  give(e, FACT_SET_SUBSET_LESS, &p.axiom, smt_or2(smt, counterexample, less));
  for (size_t i = 0; i < w->free.count; i++)
    encoder_let(e, w->free.items[i], saved[i]);
}

/* Unless some node is in both: f + g <= size, and less if any node is in neither. */
static void overlap_axiom(struct encoder *e, const struct measure *f, const struct measure *g) {
  struct smt *smt = e->smt;
  struct pair p = make_pair(e, f, g);
  const struct role *role = f->set->role;
  struct some_node both = witness(e, "common", f, g, p.a, p.b);
  smt_term size = encode_role_size(e, role);
  smt_term sum = smt_add(smt, p.f_value, p.g_value);
  smt_term common = smt_and2(smt, inside(e, f, p.a, &both), is_member(e, g->set, p.b, both.value));
  smt_term fits = smt_or2(smt, common, smt_le(smt, sum, size));
  give(e, FACT_SET_APART, &p.axiom, unless_empty(e, role, fits));
  struct some_node y = some_node(e, role, NULL);
  smt_term in_f = is_member(e, f->set, p.a, y.value), in_g = is_member(e, g->set, p.b, y.value);
  smt_term neither[] = {y.inside, smt_not(smt, in_f), smt_not(smt, in_g)};
  smt_term less = smt_implies(smt, smt_and(smt, neither, 3), smt_lt(smt, sum, size));
  smt_term fact = unless_empty(e, role, smt_or2(smt, common, less));
  bind_node(e, &p.axiom, &y);
  struct axiom other = p.axiom;
  when(&p.axiom, in_f, f->set->count + y.bound);
  give(e, FACT_SET_APART_LESS, &p.axiom, fact);
  when(&other, in_g, g->set->count + y.bound);
  if (f != g)
    give(e, FACT_SET_APART_LESS, &other, fact);
}

static void pair_axioms(struct encoder *e, const struct measure *m) {
  for (size_t i = 0; i < e->measures.count; i++) {
    const struct measure *other = e->measures.data[i];
    bool same = other == m;
    if (other->set->role != m->set->role || strcmp(other->weight->key, m->weight->key) != 0 ||
        (same && m->set->count == is_by_owner(m, m)) || e->cardinality_pairs == MEASURE_PAIRS_MAX)
      continue;
    e->cardinality_pairs++;
    subset_axioms(e, m, other);
    if (!same)
      subset_axioms(e, other, m);
    if (m->weight->addend == NULL)
      overlap_axiom(e, m, other);
  }
}

const struct measure *cardinality_of(struct encoder *e, const struct measured_set *set,
                                     const struct weight *w) {
  for (size_t i = 0; i < e->measures.count; i++) {
    const struct measure *m = e->measures.data[i];
    if (strcmp(m->set->key, set->key) == 0 && strcmp(m->weight->key, w->key) == 0)
      return m;
  }
  struct measure *m = arena_alloc(&e->arena, 1, sizeof *m);
  *m = (struct measure){.set = set, .weight = w, .id = e->name_count++};
  m->count = set->count + w->free.count;
  smt_sort *sorts = arena_alloc(&e->arena, m->count, sizeof(smt_sort));
  for (size_t i = 0; i < m->count; i++)
    sorts[i] =
        i < set->count ? set->sorts[i] : encode_sort(e, &w->free.items[i - set->count]->type);
  m->sorts = sorts;
  char name[48];
  snprintf(name, sizeof name, "measure.%zu", m->id);
  m->function = smt_declare(e->smt, name, sorts, m->count,
                            w->addend == NULL ? smt_sort_int(e->smt) : smt_sort_real(e->smt));
  vector_push(&e->measures, m);
  base_axioms(e, m);
  pair_axioms(e, m);
  return m;
}

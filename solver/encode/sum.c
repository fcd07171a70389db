/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums over a range and products k*E as differences of prefix sums (encode.h). Lemmas compare them
 * by induction; their steps are obligations.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "solver/encode/encode.h"
#include "solver/encode/symbolic.h"

enum { BARE_APART = 4 }; /* so many bare names in a product k*E keep prefix sums of their own */

/* The prefix sum P(free, j) of one addend A: P(free, 0) = 0, P(free, j+1) = P(free, j) + A(free,
 * j). Two addends that read the same but for the names of their variables share one function. */
struct sum_function {
  const char *key;
  const struct term *addend;
  const struct variable *variable; /* the running one; NULL: the addend does not change with it */
  const struct symbolic *state;    /* of an addend that reads the state */
  struct variable_list free;       /* the others */
  smt_function prefix, inner;      /* P, and Z, the same without a trigger */
};

void term_split(sum_parts *list, const struct term *t, const struct variable *variable,
                const struct term *factor, bool negative) {
  bool is_factor = t->kind == TERM_MUL && factor == NULL &&
                   (variable == NULL || !term_mentions(t->args[0], variable));
  if (t->kind == TERM_ADD || t->kind == TERM_SUB) {
    term_split(list, t->args[0], variable, factor, negative);
    term_split(list, t->args[1], variable, factor, negative != (t->kind == TERM_SUB));
  } else if (t->kind == TERM_NEG) {
    term_split(list, t->args[0], variable, factor, !negative);
  } else if (is_factor) {
    term_split(list, t->args[1], variable, t->args[0], negative);
  } else {
    vector_push(list, (struct sum_part){t, factor, negative});
  }
}

static smt_term apply(struct encoder *e, smt_function function, const smt_term *free, size_t count,
                      smt_term argument) {
  smt_term *args = arena_alloc(&e->arena, count + 1, sizeof(smt_term));
  for (size_t i = 0; i < count; i++)
    args[i] = free[i];
  args[count] = argument;
  return smt_apply(e->smt, function, args, count + 1);
}

/* The addend, or a part of it, where the running variable is j. */
static smt_term term_at(struct encoder *e, const struct sum_function *f, const struct term *t,
                        smt_term j) {
  if (f->variable == NULL)
    return encode(e, t, f->state);
  smt_term saved = encoder_let(e, f->variable, j);
  smt_term value = encode(e, t, f->state);
  encoder_let(e, f->variable, saved);
  return value;
}

static smt_term addend_at(struct encoder *e, const struct sum_function *f, smt_term j) {
  return term_at(e, f, f->addend, j);
}

/* Fresh constants for the other variables, put into the environment; `saved` gets what was there.
 */
static smt_term *bind_free(struct encoder *e, const struct sum_function *f, smt_term *saved) {
  smt_term *bound = arena_alloc(&e->arena, f->free.count + 2, sizeof(smt_term));
  for (size_t i = 0; i < f->free.count; i++) {
    const struct variable *v = f->free.items[i];
    bound[i] = smt_fresh(e->smt, v->name, encode_sort(e, &v->type));
    saved[i] = encoder_let(e, v, bound[i]);
  }
  return bound;
}

static void restore_free(struct encoder *e, const struct sum_function *f, const smt_term *saved) {
  for (size_t i = 0; i < f->free.count; i++)
    encoder_let(e, f->free.items[i], saved[i]);
}

static void define_prefix(struct encoder *e, const struct sum_function *f) {
  struct smt *smt = e->smt;
  size_t count = f->free.count;
  smt_term *saved = arena_alloc(&e->arena, count, sizeof(smt_term));
  smt_term *bound = bind_free(e, f, saved);
  smt_term one = smt_int(smt, 1);
  smt_term j = bound[count] = smt_fresh(smt, "j", smt_sort_int(smt));
  smt_term before = smt_sub(smt, j, one), after = smt_add(smt, j, one);
  smt_term here = apply(e, f->inner, bound, count, j);
  smt_term p = apply(e, f->prefix, bound, count, j);
  smt_term facts[] = {
      smt_equal(smt, p, here),
      smt_equal(smt, apply(e, f->inner, bound, count, after),
                smt_add(smt, here, addend_at(e, f, j))),
      smt_equal(smt, here,
                smt_add(smt, apply(e, f->inner, bound, count, before), addend_at(e, f, before))),
      smt_equal(smt, apply(e, f->inner, bound, count, smt_int(smt, 0)), smt_real_zero(smt)),
  };
  encoder_assume(e, FACT_SUM_DEFINED,
                 smt_forall(smt, bound, count + 1, smt_and(smt, facts, 4), &p, 1));
  restore_free(e, f, saved);
}

static const struct sum_function *find_sum(struct encoder *e, const struct term *addend,
                                           const struct variable *variable,
                                           const struct symbolic *state,
                                           struct variable_list *free) {
  if (variable != NULL && !term_mentions(addend, variable))
    variable = NULL;
  *free = term_free_but(&e->arena, addend, variable);
  const struct symbolic *of = term_reads_state(addend) ? state : NULL;
  struct text key;
  text_init(&key);
  term_key_context(&key, e, addend, state);
  term_key(&key, addend, variable, free);
  const struct sum_function *found = NULL;
  for (size_t i = 0; i < e->sums.count && found == NULL; i++)
    if (strcmp(e->sums.data[i]->key, key.data) == 0)
      found = e->sums.data[i];
  if (found == NULL) {
    struct sum_function *made = arena_alloc(&e->arena, 1, sizeof *made);
    *made =
        (struct sum_function){.addend = addend, .variable = variable, .state = of, .free = *free};
    made->key = arena_text(&e->arena, key.data, key.length);
    smt_sort *domain = arena_alloc(&e->arena, free->count + 1, sizeof(smt_sort));
    for (size_t i = 0; i < free->count; i++)
      domain[i] = encode_sort(e, &free->items[i]->type);
    domain[free->count] = smt_sort_int(e->smt);
    char name[64];
    size_t number = e->name_count++;
    snprintf(name, sizeof name, "sum.%zu", number);
    made->prefix = smt_declare(e->smt, name, domain, free->count + 1, smt_sort_real(e->smt));
    snprintf(name, sizeof name, "sum.inner.%zu", number);
    made->inner = smt_declare(e->smt, name, domain, free->count + 1, smt_sort_real(e->smt));
    vector_push(&e->sums, made);
    define_prefix(e, made);
    found = made;
  }
  text_clear(&key);
  return found;
}

/* P(end) for the sum below `end`. */
static smt_term prefix_at(struct encoder *e, const struct sum_function *f,
                          const struct variable_list *free, smt_term end) {
  smt_term *args = arena_alloc(&e->arena, free->count, sizeof(smt_term));
  for (size_t i = 0; i < free->count; i++)
    args[i] = e->environment[free->items[i]->id];
  return apply(e, f->prefix, args, free->count, end);
}

static bool is_mention(const struct term *t, const struct variable *v) {
  return t->kind == TERM_VARIABLE && t->variable == v;
}

/* Whether the index is v + shift; *v_alone gets the mention of v. */
static bool is_shifted(const struct term *index, const struct variable *v, int64_t *shift,
                       const struct term **v_alone) {
  bool sum = index->kind == TERM_ADD || index->kind == TERM_SUB;
  size_t other = sum && is_mention(index->args[0], v) ? 1 : 0;
  if (!sum || !is_mention(index->args[1 - other], v) || index->args[other]->kind != TERM_INT ||
      (index->kind == TERM_SUB && other == 0))
    return false;
  *shift = index->kind == TERM_ADD ? index->args[other]->integer : -index->args[other]->integer;
  *v_alone = index->args[1 - other];
  return true;
}

/* An occurrence with one index v + shift as the one with v: then sums over the same occurrences
 * share their function, however they are indexed. */
static const struct term *unshifted(struct encoder *e, const struct term *t,
                                    const struct variable *v, int64_t *shift) {
  *shift = 0;
  const struct term *alone = NULL;
  size_t place = t->count;
  for (size_t i = 0; v != NULL && i < t->count; i++)
    if (term_mentions(t->args[i], v)) {
      if (place != t->count || !is_shifted(t->args[i], v, shift, &alone)) {
        *shift = 0;
        return t;
      }
      place = i;
    }
  if (alone == NULL || (t->kind != TERM_OCCURRENCE && t->kind != TERM_DELAY)) {
    *shift = 0;
    return t;
  }
  struct term *made = arena_copy(&e->arena, t, 1, sizeof *t);
  made->args = arena_copy(&e->arena, t->args, t->count, sizeof(struct term *));
  made->args[place] = alone;
  return made;
}

/* The sum over low <= j < end, for low <= end, of what the parts add up to. */
static smt_term sum_parts_between(struct encoder *e, const sum_parts *parts,
                                  const struct variable *variable, smt_term low, smt_term end,
                                  const struct symbolic *state) {
  struct smt *smt = e->smt;
  smt_term total = smt_real_zero(smt);
  int64_t zero;
  for (size_t i = 0; i < parts->count; i++) {
    const struct sum_part *part = &parts->data[i];
    struct variable_list free;
    int64_t shift;
    const struct term *addend = unshifted(e, part->term, variable, &shift);
    const struct sum_function *f = find_sum(e, addend, variable, state, &free);
    smt_term by = smt_int(smt, shift);
    smt_term sum = prefix_at(e, f, &free, shift == 0 ? end : smt_add(smt, end, by));
    if (!smt_is_numeral(smt, low, &zero) || zero + shift != 0)
      sum = smt_sub(smt, sum, prefix_at(e, f, &free, shift == 0 ? low : smt_add(smt, low, by)));
    if (part->factor != NULL)
      sum = smt_mul(smt, encode(e, part->factor, state), sum);
    total = part->negative ? smt_sub(smt, total, sum) : smt_add(smt, total, sum);
  }
  return total;
}

static smt_term sum_between(struct encoder *e, const struct term *body,
                            const struct variable *variable, smt_term low, smt_term end,
                            const struct symbolic *state) {
  sum_parts parts = {0};
  term_split(&parts, body, variable, NULL, false);
  smt_term total = sum_parts_between(e, &parts, variable, low, end, state);
  vector_clear(&parts);
  return total;
}

static bool is_plain_bare(const struct sum_part *part) {
  return part->term->kind == TERM_BARE && part->factor == NULL && !part->negative;
}

/* Takes the bare names out of the parts and puts one addend in their place, their sum in the order
 * of their components: a loop of ten slots is one prefix sum, not ten. */
static void gather_bare(struct encoder *e, sum_parts *parts) {
  const struct term *whole = NULL;
  size_t kept = 0;
  for (size_t id = 0; id < e->model->components.count; id++)
    for (size_t i = 0; i < parts->count; i++) {
      const struct term *bare = parts->data[i].term;
      if (!is_plain_bare(&parts->data[i]) || bare->component->id != id)
        continue;
      struct term *sum = arena_alloc(&e->arena, 1, sizeof *sum);
      sum->kind = TERM_ADD;
      sum->type = bare->type;
      sum->count = 2;
      sum->args = arena_copy(&e->arena, (const struct term *[]){whole, bare}, 2, sizeof whole);
      whole = whole == NULL ? bare : sum;
    }
  for (size_t i = 0; i < parts->count; i++)
    if (!is_plain_bare(&parts->data[i]))
      parts->data[kept++] = parts->data[i];
  parts->count = kept;
  vector_push(parts, (struct sum_part){whole, NULL, false});
}

/* With a scope: term by term; an end that is not a number is at most SCOPE_MOST. */
static smt_term expand_sum(struct encoder *e, const struct variable *variable, smt_term low,
                           smt_term high, const struct term *body, const struct symbolic *state) {
  struct smt *smt = e->smt;
  int64_t from = 0, to = SCOPE_MOST;
  smt_is_numeral(smt, low, &from);
  smt_is_numeral(smt, high, &to);
  to = encode_scope_end(from, to);
  smt_term total = smt_real_zero(smt), saved = e->environment[variable->id];
  for (int64_t k = from; k <= to; k++) {
    smt_term at = smt_int(smt, k);
    encoder_let(e, variable, at);
    smt_term inside = smt_and2(smt, smt_le(smt, low, at), smt_le(smt, at, high));
    total = smt_add(smt, total, smt_if(smt, inside, encode(e, body, state), smt_real_zero(smt)));
  }
  encoder_let(e, variable, saved);
  return total;
}

/* Of so many of the same, as the product of the two is written: 3*C. NULL: it is none such. */
static smt_term sum_of_same(struct encoder *e, const struct variable *variable, smt_term low,
                            smt_term end, const struct term *body, const struct symbolic *state) {
  int64_t from, to, count;
  if (!smt_is_numeral(e->smt, low, &from) || !smt_is_numeral(e->smt, end, &to) ||
      __builtin_sub_overflow(to, from, &count) || term_mentions(body, variable))
    return NULL;
  return smt_mul(e->smt, smt_int(e->smt, count > 0 ? count : 0), encode(e, body, state));
}

smt_term encode_sum(struct encoder *e, const struct variable *variable, smt_term low, smt_term high,
                    const struct term *body, const struct symbolic *state) {
  if (e->scope != NULL)
    return expand_sum(e, variable, low, high, body, state);
  smt_term end = smt_add(e->smt, high, smt_int(e->smt, 1));
  smt_term same = sum_of_same(e, variable, low, end, body, state);
  if (same != NULL)
    return same;
  smt_term sum = sum_between(e, body, variable, low, end, state);
  return smt_if(e->smt, smt_le(e->smt, low, end), sum, smt_real_zero(e->smt));
}

smt_term encode_product(struct encoder *e, smt_term factor, const struct term *body,
                        const struct symbolic *state) {
  if (e->scope != NULL)
    return smt_mul(e->smt, factor, encode(e, body, state));
  sum_parts parts = {0};
  term_split(&parts, body, NULL, NULL, false);
  size_t bare = 0;
  for (size_t i = 0; i < parts.count; i++)
    bare += is_plain_bare(&parts.data[i]);
  if (bare > BARE_APART)
    gather_bare(e, &parts);
  smt_term total = sum_parts_between(e, &parts, NULL, smt_int(e->smt, 0), factor, state);
  vector_clear(&parts);
  return total;
}

/* A sum of bare names that gather_bare made. */
static bool is_gathered(const struct sum_function *f) {
  return f->addend->kind == TERM_ADD && f->variable == NULL &&
         f->addend->args[1]->kind == TERM_BARE;
}

static bool is_occurrence(const struct sum_function *f) {
  return f->addend->kind == TERM_OCCURRENCE || f->addend->kind == TERM_DELAY;
}

/* The prefix sum of the bare name of a component, of the sums from number `from` on; NULL when
 * nobody speaks of it. */
static const struct sum_function *bare_of(const struct encoder *e,
                                          const struct component *component, size_t from) {
  for (size_t i = from; i < e->sums.count; i++)
    if (e->sums.data[i]->addend->kind == TERM_BARE &&
        e->sums.data[i]->addend->component == component)
      return e->sums.data[i];
  return NULL;
}

bool time_is_nonnegative(const struct term *t) {
  bool all = t->kind == TERM_MIN || t->kind == TERM_ADD, any = t->kind == TERM_MAX;
  if (t->kind == TERM_ITE)
    return time_is_nonnegative(t->args[1]) && time_is_nonnegative(t->args[2]);
  if (!all && !any)
    return t->kind == TERM_OCCURRENCE || t->kind == TERM_DELAY || t->kind == TERM_BARE ||
           t->kind == TERM_TIME;
  size_t count = 0;
  for (size_t i = 0; i < t->count; i++)
    count += time_is_nonnegative(t->args[i]);
  return any ? count != 0 : count == t->count;
}

/* By induction on the upper end k, for j <= k: P(j) <= P(k), because every addend is >= 0 (the
 * step), hence P(j) + A(j) = P(j+1) <= P(k) for j < k; and P(k) - P(j) <= B(k) - B(j) for the
 * prefix sum B of the bare name, because every addend is at most the bare one. Both steps become
 * goals. */
static void add_lemmas(struct encoder *e, const struct sum_function *f, smt_terms *goals) {
  struct smt *smt = e->smt;
  const struct sum_function *bare = is_occurrence(f) ? bare_of(e, f->addend->component, 0) : NULL;
  if (!time_is_nonnegative(f->addend))
    return;
  size_t count = f->free.count;
  smt_term *saved = arena_alloc(&e->arena, count, sizeof(smt_term));
  smt_term *bound = bind_free(e, f, saved);
  smt_term zero = smt_int(smt, 0), none = smt_real_zero(smt);
  smt_term j = bound[count] = smt_fresh(smt, "j", smt_sort_int(smt));
  smt_term k = bound[count + 1] = smt_fresh(smt, "k", smt_sort_int(smt));
  smt_term low = apply(e, f->prefix, bound, count, j), high = apply(e, f->prefix, bound, count, k);
  smt_term addend = addend_at(e, f, j);
  smt_term fact = smt_le(smt, low, high), step = smt_le(smt, none, addend);
  smt_term from_zero = smt_le(smt, none, low);
  if (bare != NULL) {
    smt_term b_low = apply(e, bare->prefix, NULL, 0, j),
             b_high = apply(e, bare->prefix, NULL, 0, k);
    smt_term grown = smt_sub(smt, high, low), allowed = smt_sub(smt, b_high, b_low);
    fact = smt_and2(smt, fact, smt_le(smt, grown, allowed));
    from_zero = smt_and2(smt, from_zero, smt_le(smt, low, b_low));
    step = smt_and2(smt, step, smt_le(smt, addend, encode_bare(e, f->addend->component)));
  }
  smt_term with_first = smt_le(smt, smt_add(smt, low, addend), high);
  if (f->addend->kind == TERM_BARE ||
      is_gathered(f)) /* of others it would make terms and so more to instantiate */
    fact = smt_and2(smt, fact, smt_implies(smt, smt_lt(smt, j, k), with_first));
  vector_push(goals, smt_forall(smt, bound, count + 1, step, NULL, 0));
  smt_term ordered = smt_le(smt, j, k);
  if (f->variable == NULL) /* k times a constant: there k is no index that may be below 0 */
    ordered = smt_and2(smt, smt_le(smt, zero, j), ordered);
  encoder_assume(e, FACT_SUM_GROWS,
                 smt_forall(smt, bound, count + 2, smt_implies(smt, ordered, fact),
                            (smt_term[]){low, high}, 2));
  encoder_assume(e, FACT_SUM_FROM_ZERO,
                 smt_forall(smt, bound, count + 1,
                            smt_implies(smt, smt_le(smt, zero, j), from_zero), &low, 1));
  restore_free(e, f, saved);
}

/* What the sum of f, a max or min, grew by from `low` to `end` beside what the sums of its
 * arguments did; `together`: no argument is negative. */
static smt_term compare_growth(struct encoder *e, const struct sum_function *f, smt_term grown,
                               smt_term low, smt_term end, bool together) {
  struct smt *smt = e->smt;
  bool max = f->addend->kind == TERM_MAX;
  smt_term fact = smt_bool(smt, true), total = smt_real_zero(smt);
  for (size_t i = 0; i < f->addend->count; i++) {
    smt_term sum = sum_between(e, f->addend->args[i], f->variable, low, end, f->state);
    fact = smt_and2(smt, fact, max ? smt_le(smt, sum, grown) : smt_le(smt, grown, sum));
    total = smt_add(smt, total, sum);
  }
  return together ? smt_and2(smt, fact, smt_le(smt, grown, total)) : fact;
}

/* The same of one addend. */
static smt_term compare_addend(struct encoder *e, const struct sum_function *f, smt_term at,
                               bool together) {
  struct smt *smt = e->smt;
  bool max = f->addend->kind == TERM_MAX;
  smt_term addend = addend_at(e, f, at), fact = smt_bool(smt, true), total = smt_real_zero(smt);
  for (size_t i = 0; i < f->addend->count; i++) {
    smt_term one = term_at(e, f, f->addend->args[i], at);
    fact = smt_and2(smt, fact, max ? smt_le(smt, one, addend) : smt_le(smt, addend, one));
    total = smt_add(smt, total, one);
  }
  return together ? smt_and2(smt, fact, smt_le(smt, addend, total)) : fact;
}

/* By induction on k, for 0 <= j <= k, from M(i) >= a(i) of a max M, M(i) <= a(i) of a min: what the
 * sums of M and of each argument a grow by from j to k compares likewise; and a max grows by no
 * more than all its arguments together when none is negative. The steps become goals. */
static void compare_arguments(struct encoder *e, const struct sum_function *f, smt_terms *goals) {
  struct smt *smt = e->smt;
  bool together = f->addend->kind == TERM_MAX;
  if (!together && f->addend->kind != TERM_MIN)
    return;
  for (size_t i = 0; i < f->addend->count; i++)
    together = together && time_is_nonnegative(f->addend->args[i]);
  size_t count = f->free.count;
  smt_term *saved = arena_alloc(&e->arena, count, sizeof(smt_term));
  smt_term *bound = bind_free(e, f, saved), zero = smt_int(smt, 0);
  smt_term j = bound[count] = smt_fresh(smt, "j", smt_sort_int(smt));
  smt_term k = bound[count + 1] = smt_fresh(smt, "k", smt_sort_int(smt));
  smt_term low = apply(e, f->prefix, bound, count, j), high = apply(e, f->prefix, bound, count, k);
  vector_push(goals, smt_forall(smt, bound, count + 1, compare_addend(e, f, j, together), NULL, 0));
  smt_term ordered = smt_le(smt, j, k);
  smt_term fact = compare_growth(e, f, smt_sub(smt, high, low), j, k, together);
  encoder_assume(e, FACT_SUM_COMPARED,
                 smt_forall(smt, bound, count + 2, smt_implies(smt, ordered, fact),
                            (smt_term[]){low, high}, 2));
  smt_term from_zero = compare_growth(e, f, low, zero, j, together);
  encoder_assume(e, FACT_SUM_COMPARED_FROM_ZERO,
                 smt_forall(smt, bound, count + 1,
                            smt_implies(smt, smt_le(smt, zero, j), from_zero), &low, 1));
  restore_free(e, f, saved);
}

/* Where one of its bare names has a prefix sum of its own (from number `from` on), a gathered one
 * is the sum of those: both are 0 at 0 and grow by the same. */
static void link_gathered(struct encoder *e, const struct sum_function *f, size_t from) {
  struct smt *smt = e->smt;
  sum_parts parts = {0};
  term_split(&parts, f->addend, NULL, NULL, false);
  bool apart = false;
  for (size_t i = 0; i < parts.count; i++)
    apart = apart || bare_of(e, parts.data[i].term->component, from) != NULL;
  if (apart) {
    smt_term j = smt_fresh(smt, "j", smt_sort_int(smt)), zero = smt_int(smt, 0);
    smt_term whole = apply(e, f->prefix, NULL, 0, j);
    smt_term sum = sum_parts_between(e, &parts, NULL, zero, j, NULL);
    encoder_assume(e, FACT_SUM_GATHERED,
                   smt_forall(smt, &j, 1, smt_equal(smt, whole, sum), &whole, 1));
  }
  vector_clear(&parts);
}

void encoder_lemmas(struct encoder *e, const struct encoder_mark *mark, smt_terms *goals) {
  size_t from = mark->sums;
  encoder_power_lemmas(e, mark->powers, goals);
  for (size_t i = 0; i < e->sums.count; i++)
    if (is_gathered(e->sums.data[i]))
      link_gathered(e, e->sums.data[i], i < from ? from : 0);
  for (size_t i = from; i < e->sums.count; i++) /* also of those that are added here */
    compare_arguments(e, e->sums.data[i], goals);
  for (size_t i = 0; i < e->sums.count; i++) {
    const struct sum_function *f = e->sums.data[i];
    if (i >= from || (is_occurrence(f) && bare_of(e, f->addend->component, from) != NULL))
      add_lemmas(e, f, goals);
  }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/attain_limit.h"

#include "solver/search/attack_walk.h"

smt_term attain_part_term(struct attack *a, const struct attain_part *part) {
  if (part->occurrence == NULL)
    return encode_bare(&a->encoder, part->component);
  for (size_t i = 0; i < a->chosen.count; i++)
    if (a->chosen.data[i].occurrence == part->occurrence)
      return a->chosen.data[i].term;
  return attack_occurrence(a, part->occurrence);
}

struct limit {
  struct attack *attack;
  smt_terms facts; /* about the new numbers */
};

static smt_term limit_of(struct limit *l, const struct expression *g, bool taken);

/* That at least `rank` of them hold, by going through them. */
static smt_term at_least(struct smt *smt, const smt_term *holds, size_t count, size_t rank) {
  smt_term *enough = mem_alloc(rank + 1, sizeof *enough); /* [r]: r of those so far */
  for (size_t r = 0; r <= rank; r++)
    enough[r] = smt_bool(smt, r == 0);
  for (size_t i = 0; i < count; i++)
    for (size_t r = rank; r > 0; r--)
      enough[r] = smt_or2(smt, enough[r], smt_and2(smt, holds[i], enough[r - 1]));
  smt_term result = enough[rank];
  mem_free(enough);
  return result;
}

static smt_term new_number(struct limit *l, const struct expression *g, bool taken) {
  struct smt *smt = l->attack->smt;
  smt_term made = smt_fresh(smt, "limit", smt_sort_real(smt));
  smt_term *holds = mem_alloc(g->count, sizeof *holds);
  for (size_t i = 0; i < g->count; i++) {
    smt_term part = limit_of(l, g->parts[i], taken);
    holds[i] = taken ? smt_le(smt, made, part) : smt_le(smt, part, made);
  }
  size_t rank = g->kind == EXPRESSION_MAX   ? g->count
                : g->kind == EXPRESSION_MIN ? 1
                                            : (size_t)g->rank;
  rank = taken ? g->count - rank + 1 : rank;
  vector_push(&l->facts, rank == g->count ? smt_and(smt, holds, g->count)
                                          : at_least(smt, holds, g->count, rank));
  mem_free(holds);
  return made;
}

smt_term attain_leaf(struct attack *a, const struct expression *g) {
  attain_parts parts = {0};
  attain_parts_add(&parts, a->interpreter->model, g);
  smt_term term = attain_part_term(a, &parts.data[0]);
  vector_clear(&parts);
  return term;
}

static smt_term sum_of(struct limit *l, const struct expression *g, bool taken) {
  struct smt *smt = l->attack->smt;
  smt_term *terms = mem_alloc(g->count, sizeof *terms);
  for (size_t i = 0; i < g->count; i++)
    terms[i] = limit_of(l, g->parts[i], taken);
  smt_term sum = g->count == 0 ? smt_real_zero(smt) : smt_sum(smt, terms, g->count);
  mem_free(terms);
  return sum;
}

/* A term that the expression does not exceed, and equals with some value of the new numbers;
 * `taken`, of what is subtracted: one that does not exceed the expression. */
static smt_term limit_of(struct limit *l, const struct expression *g, bool taken) {
  struct smt *smt = l->attack->smt;
  switch (g->kind) {
  case EXPRESSION_CONSTANT:
    return smt_real(smt, &g->value);
  case EXPRESSION_OCCURRENCE:
  case EXPRESSION_BARE:
    return attain_leaf(l->attack, g);
  case EXPRESSION_ADD:
    return sum_of(l, g, taken);
  case EXPRESSION_SCALE:
    if (rational_sign(&g->value) == 0)
      return smt_real_zero(smt);
    return smt_mul(smt, smt_real(smt, &g->value),
                   limit_of(l, g->parts[0], taken != (rational_sign(&g->value) < 0)));
  case EXPRESSION_MAX:
  case EXPRESSION_MIN:
  case EXPRESSION_KTH:
    return g->count == 1 ? limit_of(l, g->parts[0], taken) : new_number(l, g, taken);
  }
  bug("no such expression");
}

smt_term attain_limit(struct attack *a, const struct expression *ground, smt_term time,
                      bool strict) {
  struct limit l = {.attack = a};
  smt_term limit = limit_of(&l, ground, false);
  vector_push(&l.facts, strict ? smt_lt(a->smt, limit, time) : smt_le(a->smt, limit, time));
  smt_term all = smt_and(a->smt, l.facts.data, l.facts.count);
  vector_clear(&l.facts);
  return all;
}

smt_term attain_whole(struct attack *a, const struct expression *ground) {
  smt_term whole = smt_fresh(a->smt, "whole", smt_sort_real(a->smt));
  smt_assert(a->smt, attain_limit(a, ground, whole, false));
  return whole;
}

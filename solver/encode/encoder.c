/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The encoder's own state: what variables stand for, and marks to go back to (encode.h).
 */
#include "solver/encode/encode.h"

#include <string.h>

#include "base/invariant.h"

_Static_assert(FACT_COUNT <= 64, "sets of facts are bits");

const char *const encoder_fact_names[FACT_COUNT] = {
#define FACT(name, says) [FACT_##name] = #name,
#include "solver/encode/fact.def"
#undef FACT
};

void encoder_init(struct encoder *e, struct smt *smt, const struct model *model,
                  const int64_t *scope, size_t variable_count) {
  memset(e, 0, sizeof *e);
  e->smt = smt;
  e->model = model;
  e->scope = scope;
  arena_init(&e->arena);
  e->variable_count = e->environment_size = variable_count;
  e->environment = arena_alloc(&e->arena, variable_count, sizeof(smt_term));
}

const struct variable *encoder_variable(struct encoder *e, const char *name,
                                        const struct type *type) {
  struct variable *v = arena_alloc(&e->arena, 1, sizeof *v);
  v->name = name;
  v->type = *type;
  v->id = e->variable_count++;
  v->domain = type->kind == TYPE_NODE ? DOMAIN_ROLE : DOMAIN_NONE;
  if (v->id >= e->environment_size) {
    smt_term *larger = arena_alloc(&e->arena, 2 * e->variable_count, sizeof(smt_term));
    memcpy(larger, e->environment, e->environment_size * sizeof(smt_term));
    e->environment = larger;
    e->environment_size = 2 * e->variable_count;
  }
  return v;
}

/* The part of a variable in the hash of the environment: 0 while it stands for nothing. The mixing
 * is that of SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t mixed(size_t id, smt_term value) {
  uint64_t x = (uint64_t)(uintptr_t)value + (id + 1) * UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return value == NULL ? 0 : x ^ (x >> 31);
}

smt_term encoder_let(struct encoder *e, const struct variable *variable, smt_term value) {
  size_t id = variable->id;
  invariant(id < e->environment_size);
  smt_term before = e->environment[id];
  e->balance ^= mixed(id, before) ^ mixed(id, value);
  ((smt_term *)e->environment)[id] = value; /* from encoder_init or encoder_variable */
  return before;
}

void encoder_assume(struct encoder *e, enum encoder_fact fact, smt_term axiom) {
  vector_push(&e->axioms, axiom);
  vector_push(&e->facts, fact);
}

void encoder_clear(struct encoder *e) {
  vector_clear(&e->axioms);
  vector_clear(&e->facts);
  vector_clear(&e->described);
  vector_clear(&e->sums);
  vector_clear(&e->powers);
  vector_clear(&e->extrema);
  vector_clear(&e->measures);
  vector_clear(&e->order_statistics);
  vector_clear(&e->integer_sums);
  vector_clear(&e->defined);
  arena_clear(&e->arena);
}

struct encoder_mark encoder_mark(const struct encoder *e) {
  return (struct encoder_mark){.axioms = e->axioms.count,
                               .described = e->described.count,
                               .sums = e->sums.count,
                               .powers = e->powers.count,
                               .extrema = e->extrema.count,
                               .measures = e->measures.count,
                               .cardinality_pairs = e->cardinality_pairs,
                               .order_statistics = e->order_statistics.count,
                               .integer_sums = e->integer_sums.count,
                               .sum_pairs = e->sum_pairs,
                               .defined = e->defined.count};
}

void encoder_return(struct encoder *e, const struct encoder_mark *mark) {
  e->axioms.count = e->facts.count = mark->axioms;
  e->described.count = mark->described;
  e->sums.count = mark->sums;
  e->powers.count = mark->powers;
  e->extrema.count = mark->extrema;
  e->measures.count = mark->measures;
  e->cardinality_pairs = mark->cardinality_pairs;
  e->order_statistics.count = mark->order_statistics;
  e->integer_sums.count = mark->integer_sums;
  e->sum_pairs = mark->sum_pairs;
  while (e->defined.count > mark->defined)
    e->constants[e->defined.data[--e->defined.count]] = NULL;
}

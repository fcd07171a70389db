/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/tell/explain.h"

#include "solver/tell/unsat.h"

static const struct property *property_of(const struct proof *proof, const struct bound *bound) {
  for (size_t i = 0; i < proof->properties.items.count; i++)
    if (proof->properties.items.data[i].bound == bound)
      return &proof->properties.items.data[i];
  bug("a bound without its property");
}

/* Invariants of phases count where the bound is by phases. */
static bool is_for(const struct property *property, const struct bound *bound) {
  return property->kind == PROPERTY_INVARIANT && (property->phase == NULL || bound->by_phases);
}

static void add_support(struct explanation *x, const struct proof *proof, const struct bound *bound,
                        const struct proof_options *how) {
  const struct model *model = proof->properties.model;
  struct support support;
  support_init(&support, proof, property_of(proof, bound), how);
  for (size_t i = 0; i < proof->properties.items.count; i++) {
    const struct property *p = &proof->properties.items.data[i];
    x->generated += p->kind == PROPERTY_GENERATED && support.properties[i];
    if (is_for(p, bound) && support.properties[i])
      vector_push(&x->used, p->name);
    else if (is_for(p, bound))
      vector_push(&x->unused, p->name);
  }
  for (size_t i = 0; i < model->assumptions.count; i++)
    if (support.assumptions[i])
      vector_push(&x->assumptions, model->assumptions.items[i]->text);
  x->exact = support.exact;
  support_clear(&support);
}

struct explanation *explanation_new(const struct proof *proof, const struct proof_options *options,
                                    const struct slowest_search *search) {
  struct explanation *x = mem_alloc(1, sizeof *x);
  add_support(x, proof, search->bound, options);
  slowest_init(&x->slowest, search);
  return x;
}

void explanation_free(struct explanation *x) {
  if (x == NULL)
    return;
  vector_clear(&x->used);
  vector_clear(&x->unused);
  vector_clear(&x->assumptions);
  slowest_clear(&x->slowest);
  mem_free(x);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The phases of an execution, as propositions in Coq: for agree.c alone, whose state is here, too.
 */
#ifndef TESTS_TOOLS_AGREE_PHASES_H
#define TESTS_TOOLS_AGREE_PHASES_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "solver/judge/evaluate.h"
#include "solver/judge/progress.h"
#include "solver/judge/valuation.h"
#include "solver/theory/coq.h"

enum { TIMES_MAX = 4096 };

struct agree {
  const struct model *model;
  struct interpreter *in;
  struct text out;
  struct coq coq;
  uint64_t random;
  int64_t *bares;
  struct rational *bare_values, times[TIMES_MAX];
  bool drawn[TIMES_MAX];
  const struct occurrence *met[TIMES_MAX]; /* by id */
  size_t count;                            /* of propositions */
};

static int64_t whole(const struct rational *x) {
  int64_t n = 0;
  if (!rational_is_integer(x) || !rational_floor(&n, x)) {
    fprintf(stderr, "agree: a time is no whole number\n");
    exit(70);
  }
  return n;
}

static void proposition(struct agree *g) {
  text_format(&g->out, "Example step_%zu : ", g->count++);
}

/* Nobody computes what ranges over all integers. */
static bool is_endless(const struct term *t) {
  bool found = false;
  for (size_t i = 0; i < t->variable_count && !found; i++)
    found = t->variables[i]->domain == DOMAIN_INT;
  for (size_t i = 0; i < t->count && !found; i++)
    found = is_endless(t->args[i]);
  return found;
}

struct staged {
  struct agree *g;
  struct interpretation e;
  const char *before;
};

static void print_truth(struct staged *x, const struct term *formula) {
  bool endless = formula != NULL && is_endless(formula);
  bool holds = formula == NULL || (!endless && evaluate_holds(&x->e, formula));
  text_append(&x->g->out, endless ? "None" : holds ? "Some true" : "Some false");
}

static void print_stage(const struct stage *stage, void *context) {
  struct staged *x = context;
  struct text *out = &x->g->out;
  const struct model *m = x->g->model;
  x->e.began = stage->began;
  text_format(out, "%s(%zu, (%" PRId64 ")%%Z, ", x->before, stage->phase->id, whole(stage->began));
  if (stage->ends)
    text_format(out, "Some (%" PRId64 ")%%Z, [", whole(stage->time));
  else
    text_append(out, "None, [");
  for (size_t k = 0; k < m->phases.count; k++) {
    text_append(out, k == 0 ? "[" : "; [");
    print_truth(x, m->phases.items[k]->start);
    for (size_t i = 0; i < m->invariants.count; i++)
      if (m->invariants.items[i]->phase == m->phases.items[k]) {
        text_append(out, "; ");
        print_truth(x, m->invariants.items[i]->formula);
      }
    text_append(out, "]");
  }
  text_append(out, "])");
  x->before = "; ";
}

/* The phases that the state lies in; nothing after the last. */
static void print_phases(struct agree *g, struct progress *progress, struct world *w,
                         const struct valuation *valuation, size_t number) {
  size_t first = progress->at;
  if (first == g->model->phases.count)
    return;
  struct staged x = {
      .g = g,
      .e = {.interpreter = g->in, .world = w, .valuation = valuation, .bindings = g->in->scratch},
      .before = ""};
  int64_t *bindings = calloc(g->model->variable_count + 1, sizeof *bindings);
  struct text said = g->out;
  text_init(&g->out);
  progress_visit(progress, w, valuation, bindings, print_stage, &x);
  struct text seen = g->out;
  g->out = said;
  proposition(g);
  text_format(&g->out, "phases_agree the_protocol the_world world_%zu phases %zu [%s] = true.\n",
              number, first, text_get(&seen));
  text_append(&g->out, "Proof. vm_compute. reflexivity. Qed.\n\n");
  text_clear(&seen);
  free(bindings);
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/judge/progress.h"

#include "solver/judge/evaluate.h"
#include "solver/judge/event.h"

void progress_init(struct progress *progress, const struct model *model) {
  *progress = (struct progress){.model = model, .begins = true};
  rational_init(&progress->began);
}

void progress_clear(struct progress *progress) {
  rational_clear(&progress->began);
}

/* A bare name may be worth more in a later state than in an earlier one: the largest so far. So
 * the start of a phase is worked out anew from the ends before it. */
static void work_out_began(struct progress *progress, struct interpretation *e) {
  struct rational part;
  rational_init(&part);
  rational_set_integer(&progress->began, 0);
  for (size_t i = 0; i < progress->at; i++) {
    evaluate_time(&part, e, progress->model->phases.items[i]->end.expression);
    rational_add(&progress->began, &progress->began, &part);
  }
  rational_clear(&part);
}

void progress_visit(struct progress *progress, const struct world *world,
                    const struct valuation *valuation, int64_t *bindings,
                    void (*visit)(const struct stage *stage, void *context), void *context) {
  struct rational time, limit;
  rational_init(&time);
  rational_init(&limit);
  bool ends = true;
  struct interpretation e = {.interpreter = world->interpreter,
                             .world = world,
                             .valuation = valuation,
                             .bindings = bindings,
                             .began = &progress->began};
  work_out_began(progress, &e);
  while (ends && progress->at < progress->model->phases.count) {
    const struct phase *phase = progress->model->phases.items[progress->at];
    ends = event_happened(&time, world, &phase->end, valuation, bindings);
    evaluate_time(&limit, &e, phase->end.expression);
    rational_add(&limit, &limit, &progress->began);
    struct stage stage = {phase, &progress->began, progress->begins, ends, &time, &limit};
    visit(&stage, context);
    progress->begins = ends;
    progress->at += ends;
    if (ends)
      rational_set(&progress->began, &limit);
  }
  rational_clear(&time);
  rational_clear(&limit);
}

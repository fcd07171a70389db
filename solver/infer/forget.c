/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is left out of a file before the search: its invariants on times, but for what they say
 * besides, or its other ones.
 */
#include "lang/term_time.h"
#include "solver/infer/work.h"

/* What of the formula speaks of no time; NULL: nothing. */
static const struct term *untimed(struct term_maker *m, const struct term *t) {
  if (!term_mentions_time(t))
    return t;
  if (t->kind == TERM_AND)
    return maker_and(m, untimed(m, t->args[0]), untimed(m, t->args[1]));
  const struct term *rest = NULL;
  if (t->kind == TERM_FORALL || t->kind == TERM_EXISTS)
    rest = untimed(m, t->args[0]);
  else if (t->kind == TERM_IMPLIES && !term_mentions_time(t->args[0]))
    rest = untimed(m, t->args[1]);
  if (rest == NULL || t->kind == TERM_IMPLIES)
    return rest == NULL ? NULL : maker_implies(m, t->args[0], rest);
  struct term *made = arena_copy(m->arena, t, 1, sizeof *made);
  made->args = arena_copy(m->arena, &rest, 1, sizeof(struct term *));
  return made;
}

void infer_forget(struct infer_work *w, const struct model *model) {
  for (size_t i = 0; i < model->invariants.count; i++) {
    const struct invariant *invariant = model->invariants.items[i];
    bool forgotten = invariant->timing ? w->options->forget_timing : w->options->forget_untimed;
    const struct term *rest = forgotten && invariant->timing && !w->options->forget_untimed
                                  ? untimed(&w->maker, invariant->formula)
                                  : NULL;
    if (!forgotten || invariant->hidden) { /* no file can say these */
      vector_push(&w->kept, invariant);
    } else if (rest != NULL) {
      struct invariant *made = arena_copy(w->maker.arena, invariant, 1, sizeof *made);
      made->formula = rest;
      made->timing = false;
      vector_push(&w->kept, made);
    }
  }
}

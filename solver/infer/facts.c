/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Untimed invariants for a file that leaves them out (work.h): drafts, less those that are not
 * inductive, and in the end less those that nothing needs.
 */
#include "solver/infer/choice.h"
#include "solver/infer/work.h"

enum { DRAFTS_MAX = 600, TRIALS_MAX = 40 };

static void copy(invariant_vector *to, const invariant_vector *from) {
  to->count = 0;
  for (size_t i = 0; i < from->count; i++)
    vector_push(to, from->data[i]);
}

/* What a fact is about, by name. */
static const char *subject(const struct term *t) {
  if (t->message != NULL)
    return t->message->name;
  if (t->component != NULL)
    return t->component->name;
  if (t->state != NULL)
    return t->state->name;
  const char *found = NULL;
  for (size_t i = 0; i < t->count && found == NULL; i++)
    found = subject(t->args[i]);
  return found;
}

static void guess_draft(struct infer_work *w, const struct draft *draft) {
  const char *about = subject(draft->given != NULL ? draft->given : draft->then);
  work_guess(w, about != NULL ? about : "number", "fact",
             draft_formula(draft, &w->maker, &w->inference->model));
}

static void guess_drafts(struct infer_work *w) {
  w->guesses.count = 0;
  for (size_t i = 0; i < w->drafts.count; i++)
    guess_draft(w, &w->drafts.data[i]);
  for (size_t i = 0; i < w->choices.count; i++)
    vector_push(&w->guesses, w->choices.data[i]);
  copy(&w->facts, &w->guesses);
}

/* Leaves the drafts whose facts are among the guesses. */
static void keep_drafts(struct infer_work *w) {
  size_t count = 0;
  for (size_t i = 0; i < w->drafts.count; i++)
    if (work_has_guess(w, w->facts.data[i]))
      w->drafts.data[count++] = w->drafts.data[i];
  w->drafts.count = count;
  count = 0;
  for (size_t i = 0; i < w->choices.count; i++)
    if (work_has_guess(w, w->choices.data[i]))
      w->choices.data[count++] = w->choices.data[i];
  w->choices.count = count;
}

/* Those that no random execution breaks. */
static void find_choices(struct infer_work *w) {
  relations list = {0};
  invariant_vector held = {0};
  choice_relations(&list, &w->maker, &w->inference->model);
  w->guesses.count = 0;
  work_sift(w, &list);
  copy(&held, &w->guesses);
  w->guesses.count = 0;
  for (size_t i = 0; i < held.count; i++)
    work_guess(w, subject(held.data[i]->formula), "once", held.data[i]->formula);
  copy(&w->choices, &w->guesses);
  vector_clear(&held);
  vector_clear(&list);
}

void facts_find(struct infer_work *w) {
  find_choices(w);
  drafts_make(&w->drafts, &w->maker, &w->inference->model, DRAFTS_MAX);
  guess_drafts(w);
  w->facts.count = 0; /* guesses still, not given */
  invariant_vector all = {0};
  copy(&all, &w->guesses);
  work_keep_inductive(w);
  copy(&w->facts, &all);
  keep_drafts(w);
  vector_clear(&all);
  drafts_reduce(&w->drafts);
  guess_drafts(w);
}

/* Leaves out the guesses from `first` to before `end` if all is proved without them; then others
 * may be gone, too. */
static void try_without(struct infer_work *w, size_t first, size_t end, bool brief) {
  const bool *fallen = w->inference->fallen;
  invariant_vector all = {0};
  copy(&all, &w->guesses);
  w->guesses.count = 0;
  for (size_t i = 0; i < all.count; i++)
    if (i < first || i >= end)
      vector_push(&w->guesses, all.data[i]);
  if (!(brief ? work_keep_needed(w) : work_is_proved(w))) {
    copy(&w->guesses, &all);
    w->inference->fallen = fallen;
  }
  vector_clear(&all);
}

static bool is_fact(const struct infer_work *w, const struct invariant *invariant) {
  for (size_t i = 0; i < w->facts.count; i++)
    if (w->facts.data[i] == invariant)
      return true;
  return false;
}

/* Facts first, those about one case as one. */
static void join(struct infer_work *w) {
  invariant_vector others = {0};
  keep_drafts(w);
  for (size_t i = 0; i < w->guesses.count; i++)
    if (!is_fact(w, w->guesses.data[i]))
      vector_push(&others, w->guesses.data[i]);
  drafts_join(&w->drafts, &w->maker);
  guess_drafts(w);
  for (size_t i = 0; i < others.count; i++)
    vector_push(&w->guesses, others.data[i]);
  vector_clear(&others);
}

/* Leaves out many at a time, then fewer. */
static void keep_fewest(struct infer_work *w, bool brief) {
  size_t before = SIZE_MAX, trials = 0;
  while (brief && w->guesses.count < before) {
    before = w->guesses.count;
    brief = work_keep_needed(w);
  }
  for (size_t many = (w->guesses.count + 1) / 2; many > 0; many /= 2)
    for (size_t end = w->guesses.count; end > 0 && trials < TRIALS_MAX; trials++) {
      size_t first = end < many ? 0 : end - many;
      try_without(w, first, end, brief);
      end = first < w->guesses.count ? first : w->guesses.count;
    }
}

void facts_settle(struct infer_work *w, bool brief) {
  keep_fewest(w, brief);
  join(w);
  work_give_guesses(w);
}

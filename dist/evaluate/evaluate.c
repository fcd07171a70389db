/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/evaluate/evaluate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dist/evaluate/form.h"
#include "dist/evaluate/law.h"

struct use {
  const char *component;
  uint64_t draws, bare_mentions;
};

struct evaluation {
  struct form_table forms;
  struct law_table laws;
  const struct evaluate_laws *source;
  bool fresh;
  enum status status;
  struct text *message;
  VECTOR(struct use) uses; /* components, in order of first use */
  VECTOR(size_t) stamps;   /* by occurrence id: in which sum or maximum, ... */
  VECTOR(size_t) owners;   /* ... and in which of its terms, it was last seen */
  size_t stamp;
  VECTOR(const struct occurrence *) shared; /* under maxima, treated as independent */
};

typedef VECTOR(struct law_copies) copies_vector;

static void note_use(struct evaluation *e, const char *component, uint64_t draws, bool is_bare) {
  size_t i = 0;
  while (i < e->uses.count && strcmp(e->uses.data[i].component, component) != 0)
    i++;
  if (i == e->uses.count)
    vector_push(&e->uses, (struct use){component, 0, 0});
  e->uses.data[i].draws += draws;
  e->uses.data[i].bare_mentions += is_bare ? draws : 0;
}

static const struct law *find_law(struct evaluation *e, const struct occurrence *occurrence,
                                  const char *component) {
  size_t law = 0;
  const struct survival *survival = NULL;
  e->status =
      e->source->find(e->source->context, &law, &survival, occurrence, component, e->message);
  return e->status == STATUS_OK ? law_leaf(&e->laws, law, survival) : NULL;
}

/* Begins a new sum or maximum, whose terms are then told to first_shared one by one. */
static void start_terms(struct evaluation *e) {
  e->stamp++;
}

/* An occurrence of the atom that an earlier term of this sum or maximum has; or NULL. */
static const struct occurrence *first_shared(struct evaluation *e, const struct atom *atom,
                                             size_t term) {
  const struct occurrence *shared = NULL;
  for (size_t i = 0; i < atom->id_count; i++) {
    size_t id = atom->occurrences[i]->id;
    while (e->stamps.count <= id) {
      vector_push(&e->stamps, 0);
      vector_push(&e->owners, 0);
    }
    if (e->stamps.data[id] == e->stamp && e->owners.data[id] != term && shared == NULL)
      shared = atom->occurrences[i];
    e->stamps.data[id] = e->stamp;
    e->owners.data[id] = term;
  }
  return shared;
}

static const struct law *law_of_form(struct evaluation *e, const struct form *form);

static void note_shared(struct evaluation *e, const struct occurrence *occurrence) {
  for (size_t i = 0; i < e->shared.count; i++)
    if (e->shared.data[i] == occurrence)
      return;
  vector_push(&e->shared, occurrence);
}

static const struct law *law_of_max(struct evaluation *e, const struct atom *atom) {
  copies_vector parts = {0};
  bool good = true;
  for (size_t i = 0; i < atom->part_count && good; i++) {
    vector_push(&parts, (struct law_copies){law_of_form(e, atom->parts[i]), 1});
    good = parts.data[i].law != NULL;
  }
  start_terms(e);
  for (size_t i = 0; i < atom->part_count && good; i++)
    for (size_t j = 0; j < atom->parts[i]->count; j++) {
      const struct occurrence *shared = first_shared(e, atom->parts[i]->addends[j].atom, i);
      if (shared != NULL)
        note_shared(e, shared);
    }
  const struct law *law = good ? law_max(&e->laws, parts.data, parts.count) : NULL;
  vector_clear(&parts);
  return law;
}

static const struct law *law_of_bare(struct evaluation *e, const struct atom *atom) {
  if (e->fresh)
    return find_law(e, NULL, atom->component);
  text_format(e->message,
              "the bound names %s without saying which occurrence: that is a constant no "
              "occurrence exceeds, not a distribution; name the occurrences in the bound, or ask "
              "for --fresh to draw each mention anew, which no proof covers",
              atom->component);
  e->status = STATUS_USAGE;
  return NULL;
}

static const struct law *law_of_atom(struct evaluation *e, struct atom *atom) {
  if (atom->law == NULL && atom->kind == ATOM_MAX)
    atom->law = law_of_max(e, atom);
  else if (atom->law == NULL && atom->kind == ATOM_BARE)
    atom->law = law_of_bare(e, atom);
  else if (atom->law == NULL) {
    atom->law = find_law(e, atom->occurrence, atom->occurrence->component);
    if (atom->law != NULL)
      note_use(e, atom->occurrence->component, 1, false);
  }
  return atom->law;
}

/* One addend's law: k mentions of a bare name are k draws, anything else is one draw, scaled. */
static struct law_copies copies_of_addend(struct evaluation *e, const struct addend *addend) {
  struct law_copies copies = {law_of_atom(e, addend->atom), 1};
  int64_t draws = 1;
  bool is_bare = addend->atom->kind == ATOM_BARE;
  if (copies.law == NULL)
    return copies;
  if (is_bare && rational_is_integer(addend->coefficient) &&
      rational_floor(&draws, addend->coefficient))
    copies.count = (uint64_t)draws;
  else if (rational_compare(addend->coefficient, &e->forms.one) != 0)
    copies.law = law_scale(&e->laws, addend->coefficient, copies.law);
  if (is_bare)
    note_use(e, addend->atom->component, copies.count, true);
  return copies;
}

static bool refuse_shared(struct evaluation *e, const struct occurrence *shared) {
  text_format(e->message,
              "%s is in more than one addend of a sum and cannot be taken out of them: drawing it "
              "more than once would give percentiles that are too low; rewrite the bound so that "
              "it is added once, or have each addend name an occurrence of its own",
              shared->label);
  e->status = STATUS_UNKNOWN;
  return false;
}

static const struct law *law_of_form(struct evaluation *e, const struct form *form) {
  copies_vector parts = {0};
  bool good = true;
  for (size_t i = 0; i < form->count && good; i++) {
    vector_push(&parts, copies_of_addend(e, &form->addends[i]));
    good = parts.data[i].law != NULL;
  }
  start_terms(e);
  for (size_t i = 0; i < form->count && good; i++) {
    const struct occurrence *shared = first_shared(e, form->addends[i].atom, i);
    if (shared != NULL)
      good = refuse_shared(e, shared);
  }
  const struct law *law = good ? law_sum(&e->laws, form->constant, parts.data, parts.count) : NULL;
  vector_clear(&parts);
  return law;
}

static int compare_uses(const void *left, const void *right) {
  return strcmp(((const struct use *)left)->component, ((const struct use *)right)->component);
}

static void add_independence(const struct evaluation *e, struct ledger *ledger) {
  struct text list;
  text_init(&list);
  uint64_t draws = 0;
  for (size_t i = 0; i < e->uses.count; i++) {
    const struct use *use = &e->uses.data[i];
    text_format(&list, "%s%s (%" PRIu64 ")", i == 0 ? "" : ", ", use->component, use->draws);
    draws += use->draws;
  }
  if (draws > 1)
    ledger_add(ledger, LEDGER_DIST,
               "independence: the %" PRIu64 " draws of %s are independent, between components and "
               "within each",
               draws, text_get(&list));
  if (draws > 0)
    ledger_add(ledger, LEDGER_DIST, "every occurrence of %s follows the law measured for it",
               text_get(&list));
  text_clear(&list);
}

static void add_fresh(const struct evaluation *e, struct ledger *ledger) {
  for (size_t i = 0; i < e->uses.count; i++) {
    const struct use *use = &e->uses.data[i];
    if (use->bare_mentions != 0)
      ledger_add(ledger, LEDGER_DIST,
                 "--fresh: each of the %" PRIu64 " mentions of %s is drawn anew; no proof covers "
                 "this, the bound only says that no occurrence exceeds %s",
                 use->bare_mentions, use->component, use->component);
  }
}

static void add_association(const struct evaluation *e, struct ledger *ledger) {
  if (e->shared.count == 0)
    return;
  struct text list;
  text_init(&list);
  size_t shown = e->shared.count <= 4 ? e->shared.count : 3;
  for (size_t i = 0; i < shown; i++)
    text_format(&list, "%s%s", i == 0 ? "" : ", ", e->shared.data[i]->label);
  if (shown < e->shared.count)
    text_format(&list, " and %zu more", e->shared.count - shown);
  ledger_add(ledger, LEDGER_DIST,
             "parts of a maximum that share %s are treated as independent: by association of "
             "non-decreasing functions this can only raise the percentiles",
             text_get(&list));
  text_clear(&list);
}

static void add_rounding(const struct law *law, struct ledger *ledger, const struct grid *grid) {
  double sub_count = (double)(UINT64_C(1) << grid->sub_bits);
  double percent = 100 * expm1((double)law->depth * log1p(1 / sub_count));
  ledger_add(ledger, LEDGER_DIST,
             "latencies are rounded up to a grid of %.0f steps per doubling, at most %.2f %% in "
             "all; probabilities are exact to one unit of 2^-61 per operation, rounded up",
             sub_count, ceil(100 * percent) / 100);
}

static void add_lines(const struct evaluation *e, const struct law *law, struct ledger *ledger,
                      const struct grid *grid) {
  if (e->uses.count != 0)
    qsort(e->uses.data, e->uses.count, sizeof *e->uses.data, compare_uses);
  add_independence(e, ledger);
  add_association(e, ledger);
  add_fresh(e, ledger);
  add_rounding(law, ledger, grid);
}

enum status evaluate_survival(struct survival *result, const struct ground *expression,
                              const struct evaluate_laws *laws, bool fresh, struct ledger *ledger,
                              struct text *message) {
  struct evaluation e = {.source = laws, .fresh = fresh, .message = message};
  form_table_init(&e.forms);
  law_table_init(&e.laws, &result->grid);
  const struct form *form = form_of(&e.forms, expression, message);
  if (form == NULL)
    e.status = STATUS_UNKNOWN;
  const struct law *law = form == NULL ? NULL : law_of_form(&e, form);
  if (law != NULL) {
    survival_set(result, law->survival);
    add_lines(&e, law, ledger, &result->grid);
  }
  vector_clear(&e.uses);
  vector_clear(&e.stamps);
  vector_clear(&e.owners);
  vector_clear(&e.shared);
  law_table_clear(&e.laws);
  form_table_clear(&e.forms);
  return e.status;
}

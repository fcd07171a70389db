/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/evaluate/evaluate.h"

#include <string.h>

#include "dist/evaluate/evaluation.h"

typedef VECTOR(struct item) item_vector;

static const struct law *find_law(struct evaluation *e, const struct occurrence *occurrence,
                                  const char *component) {
  size_t law = 0;
  const struct survival *survival = NULL;
  e->status =
      e->source->find(e->source->context, &law, &survival, occurrence, component, e->message);
  return e->status == STATUS_OK ? law_leaf(&e->laws, law, survival) : NULL;
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

static const struct law *law_of_parts(struct evaluation *e, const struct atom *atom) {
  item_vector items = {0};
  for (size_t i = 0; i < atom->part_count && e->status == STATUS_OK; i++)
    vector_push(&items, (struct item){.form = atom->parts[i],
                                      .copies = {evaluate_form(e, atom->parts[i]), 1}});
  enum operation operation = atom->kind == ATOM_MAX   ? OPERATION_MAX
                             : atom->kind == ATOM_MIN ? OPERATION_MIN
                                                      : OPERATION_KTH;
  const struct law *law = NULL;
  if (e->status == STATUS_OK)
    law = rules_apply(e, operation, items.data, items.count, atom->rank);
  vector_clear(&items);
  return law;
}

static const struct law *law_of_atom(struct evaluation *e, struct atom *atom) {
  if (atom->law == NULL && atom->kind == ATOM_BARE)
    atom->law = law_of_bare(e, atom);
  else if (atom->law == NULL && atom->kind == ATOM_OCCURRENCE)
    atom->law = find_law(e, atom->occurrence, atom->occurrence->component);
  else if (atom->law == NULL)
    atom->law = law_of_parts(e, atom);
  return atom->law;
}

/* One addend's law: k mentions of a bare name are k draws, anything else is one draw, scaled. */
static struct law_copies copies_of_addend(struct evaluation *e, const struct addend *addend) {
  struct law_copies copies = {law_of_atom(e, addend->atom), 1};
  int64_t draws = 1;
  if (copies.law == NULL)
    return copies;
  if (addend->atom->kind == ATOM_BARE && rational_is_integer(addend->coefficient) &&
      rational_floor(&draws, addend->coefficient))
    copies.count = (uint64_t)draws;
  else if (rational_compare(addend->coefficient, &e->forms.one) != 0)
    copies.law = law_scale(&e->laws, addend->coefficient, copies.law);
  if (copies.count > 1 && e->source->together_bare)
    copies = (struct law_copies){law_combine(&e->laws, LAW_JOINT_SUM, &copies, 1, 0), 1};
  return copies;
}

const struct law *evaluate_form(struct evaluation *e, const struct form *form) {
  item_vector items = {0};
  for (size_t i = 0; i < form->count && e->status == STATUS_OK; i++) {
    struct addend addend = form->addends[i];
    struct law_copies copies = copies_of_addend(e, &addend);
    vector_push(&items, (struct item){.form = form_sum(&e->forms, &e->forms.zero, &addend, 1),
                                      .copies = copies});
  }
  const struct law *law = NULL;
  if (e->status == STATUS_OK && items.count == 0) {
    law = law_sum(&e->laws, form->constant, NULL, 0);
  } else if (e->status == STATUS_OK) {
    struct law_copies sum = {rules_apply(e, OPERATION_SUM, items.data, items.count, 0), 1};
    law = law_sum(&e->laws, form->constant, &sum, 1);
  }
  vector_clear(&items);
  return law;
}

static void evaluation_init(struct evaluation *e, const struct grid *grid,
                            enum survival_side side) {
  form_table_init(&e->forms);
  law_table_init(&e->laws, grid, side);
}

static void evaluation_clear(struct evaluation *e) {
  notes_clear(e);
  vector_clear(&e->groups);
  vector_clear(&e->group_names);
  index_clear(&e->group_index);
  vector_clear(&e->by_occurrence);
  vector_clear(&e->by_group);
  law_table_clear(&e->laws);
  form_table_clear(&e->forms);
}

enum status evaluate_survival(struct survival *result, const struct expression *expression,
                              const struct evaluate_laws *laws, bool fresh, struct ledger *ledger,
                              struct text *message) {
  struct evaluation e = {.source = laws, .fresh = fresh, .message = message};
  evaluation_init(&e, &result->grid, result->side);
  const struct form *form = form_of(&e.forms, expression);
  const struct law *law = evaluate_form(&e, form);
  if (law != NULL) {
    law_share(&e.laws, law);
    law_survival(result, &e.laws, law, laws->jobs);
    notes_add(&e, form, law, ledger);
  }
  evaluation_clear(&e);
  return e.status;
}

/* The laws of evaluate_cost: a number for each pair of a component and a message. */
struct names {
  VECTOR(const struct occurrence *) occurrences; /* one of each pair */
  VECTOR(const char *) bare;
};

static bool same_text(const char *a, const char *b) {
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static enum status find_name(void *context, size_t *law, const struct survival **survival,
                             const struct occurrence *occurrence, const char *component,
                             struct text *message) {
  struct names *names = context;
  (void)message;
  *survival = NULL;
  size_t i = 0;
  if (occurrence == NULL) {
    while (i < names->bare.count && strcmp(names->bare.data[i], component) != 0)
      i++;
    if (i == names->bare.count)
      vector_push(&names->bare, component);
    *law = 2 * i;
    return STATUS_OK;
  }
  while (i < names->occurrences.count &&
         !(strcmp(names->occurrences.data[i]->component, component) == 0 &&
           same_text(names->occurrences.data[i]->message, occurrence->message)))
    i++;
  if (i == names->occurrences.count)
    vector_push(&names->occurrences, occurrence);
  *law = 2 * i + 1;
  return STATUS_OK;
}

struct evaluate_cost evaluate_cost(const struct expression *expression) {
  struct names names = {0};
  struct evaluate_laws laws = {.find = find_name, .context = &names};
  struct text message;
  text_init(&message);
  struct evaluation e = {.source = &laws, .fresh = true, .message = &message};
  evaluation_init(&e, &grid_default, SIDE_UPPER);
  const struct law *law = evaluate_form(&e, form_of(&e.forms, expression));
  law_share(&e.laws, law);
  struct evaluate_cost cost = {law->depth, law->steps};
  evaluation_clear(&e);
  text_clear(&message);
  vector_clear(&names.occurrences);
  vector_clear(&names.bare);
  return cost;
}

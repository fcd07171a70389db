/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which rule bounds a maximum, minimum, sum or rank of parts, dependent ones included
 * (evaluation.h).
 */
#include <string.h>

#include "dist/evaluate/evaluation.h"
#include "dist/evaluate/form_make.h"

/* Lower bounds of maxima, upper ones of minima are tried in up to so many independent classes. */
enum { CLASSES = 8, BOUNDS = 3 };

/* Limits of what is tried beyond association. */
enum { APARTS_MAX = 512, APART_ITEMS_MAX = 1024, ASSOCIATED_MENTIONS_MAX = 32 };

typedef VECTOR(struct law_copies) copies_vector;
typedef VECTOR(struct item) item_vector;

const struct form *rules_form(struct evaluation *e, enum operation operation,
                              const struct item *items, size_t count, uint64_t rank) {
  VECTOR(const struct form *) forms = {0};
  VECTOR(struct addend) addends = {0};
  for (size_t i = 0; i < count; i++) {
    vector_push(&forms, items[i].form);
    for (size_t j = 0; operation == OPERATION_SUM && j < items[i].form->count; j++)
      vector_push(&addends, items[i].form->addends[j]);
  }
  const struct form *form = NULL;
  switch (operation) {
  case OPERATION_SUM:
    form = form_sum(&e->forms, &e->forms.zero, addends.data, addends.count);
    break;
  case OPERATION_MAX:
    form = form_max(&e->forms, forms.data, forms.count);
    break;
  case OPERATION_MIN:
    form = form_min(&e->forms, forms.data, forms.count);
    break;
  case OPERATION_KTH:
    form = form_kth(&e->forms, forms.data, forms.count, (size_t)rank);
    break;
  }
  vector_clear(&forms);
  vector_clear(&addends);
  return form;
}

static const struct law *combine(struct evaluation *e, enum law_kind kind, const struct item *items,
                                 size_t count, uint64_t rank) {
  copies_vector copies = {0};
  for (size_t i = 0; i < count; i++)
    vector_push(&copies, items[i].copies);
  const struct law *law = law_combine(&e->laws, kind, copies.data, copies.count, rank);
  vector_clear(&copies);
  return law;
}

/* The largest is at least that of some, the smallest at most: so the largest (smallest) of each of
 * a few classes of independent parts bounds it, and the best of these bounds counts. */
static const struct law *by_classes(struct evaluation *e, struct item *items, size_t count,
                                    bool is_max) {
  size_t classes = depend_classes(e, items, count, CLASSES);
  copies_vector best = {0};
  for (size_t class = 0; class < classes; class ++) {
    copies_vector members = {0};
    for (size_t i = 0; i < count; i++)
      if (items[i].set == class)
        vector_push(class + 1 == CLASSES ? &best : &members, items[i].copies);
    if (members.count != 0) {
      const struct law *law =
          law_combine(&e->laws, is_max ? LAW_MAX : LAW_MIN, members.data, members.count, 0);
      vector_push(&best, (struct law_copies){law, 1});
    }
    vector_clear(&members);
  }
  const struct law *law =
      law_combine(&e->laws, is_max ? LAW_JOINT_MAX : LAW_JOINT_MIN, best.data, best.count, 0);
  vector_clear(&best);
  return law;
}

/* What holds for any joint law of the items. */
static const struct law *joint_law(struct evaluation *e, enum operation operation,
                                   struct item *items, size_t count, uint64_t rank) {
  bool is_upper = e->laws.side == SIDE_UPPER;
  switch (operation) {
  case OPERATION_SUM:
    return combine(e, LAW_JOINT_SUM, items, count, 0);
  case OPERATION_MAX:
    return is_upper ? combine(e, LAW_JOINT_MAX, items, count, 0)
                    : by_classes(e, items, count, true);
  case OPERATION_MIN:
    return is_upper ? by_classes(e, items, count, false)
                    : combine(e, LAW_JOINT_MIN, items, count, 0);
  default:
    return combine(e, LAW_JOINT_KTH, items, count, rank);
  }
}

/* Of items that depend on each other. */
static const struct law *dependent_law(struct evaluation *e, enum operation operation,
                                       struct item *items, size_t count, const struct set *set,
                                       uint64_t rank) {
  const struct form *form = rules_form(e, operation, items, count, rank);
  const struct law *bounds[BOUNDS] = {joint_law(e, operation, items, count, rank)};
  size_t bound_count = 1;
  /* An order statistic lies between the smallest and the largest. */
  if (operation == OPERATION_KTH && set->is_associated) {
    enum operation other = e->laws.side == SIDE_UPPER ? OPERATION_MAX : OPERATION_MIN;
    const struct law *law = evaluate_form(e, rules_form(e, other, items, count, 0));
    if (law != NULL)
      bounds[bound_count++] = law;
  }
  e->nested_joints += e->conditioned != NULL;
  const struct law *conditioned = condition_apply(e, form, items, count);
  if (conditioned != NULL)
    bounds[bound_count++] = conditioned;
  else
    notes_use(e, RULE_JOINT, form, set);
  return law_better(&e->laws, bounds, bound_count);
}

/* The items in order of their sets; first[i] is where the set of which items[i] is the first
 * begins. */
static void sort_by_set(item_vector *sorted, size_t *first, const struct item *items,
                        const struct set *sets, size_t count) {
  for (size_t i = 0, at = 0; i < count; i++) {
    first[i] = at;
    at += sets[i].size;
    vector_push(sorted, items[i]);
  }
  size_t *next = mem_alloc(count, sizeof *next);
  memcpy(next, first, count * sizeof *next);
  for (size_t i = 0; i < count; i++)
    sorted->data[next[items[i].set]++] = items[i];
  mem_free(next);
}

static bool is_associated_outward(const struct evaluation *e, enum operation operation,
                                  const struct set *set) {
  return set->is_associated && ((operation == OPERATION_MAX && e->laws.side == SIDE_UPPER) ||
                                (operation == OPERATION_MIN && e->laws.side == SIDE_LOWER));
}

/* The largest of all own_i + shared_i is at most the largest own_i plus the largest shared_i, and
 * likewise the smallest at least: what is shared counts once. NULL: nothing is their own, or it has
 * been done too often. */
static const struct law *law_apart(struct evaluation *e, enum operation operation,
                                   const struct item *items, size_t count) {
  if (e->aparts >= APARTS_MAX || count > APART_ITEMS_MAX)
    return NULL;
  e->aparts++;
  const struct form **own = mem_alloc(count, sizeof *own);
  const struct form **shared = mem_alloc(count, sizeof *shared);
  depend_apart(e, items, count, own, shared);
  bool is_any = false;
  for (size_t i = 0; i < count; i++)
    is_any = is_any || own[i]->count != 0;
  const struct law *law = NULL;
  if (is_any && operation == OPERATION_MAX)
    law = evaluate_form(e, form_plus(&e->forms, form_max(&e->forms, own, count),
                                     form_max(&e->forms, shared, count)));
  else if (is_any)
    law = evaluate_form(e, form_plus(&e->forms, form_min(&e->forms, own, count),
                                     form_min(&e->forms, shared, count)));
  mem_free(own);
  mem_free(shared);
  return law;
}

static size_t mentions(const struct item *items, size_t count) {
  size_t sum = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < items[i].form->count; j++)
      sum += items[i].form->addends[j].atom->id_count;
  return sum;
}

/* Of parts for which independence is outward: the better of that and of law_apart; only the latter,
 * which is the better one in large and tangled graphs, when there are many mentions. */
static void add_associated(struct evaluation *e, copies_vector *independent,
                           enum operation operation, struct item *items, const struct set *set) {
  const struct form *form = rules_form(e, operation, items, set->size, 0);
  const struct law *bounds[BOUNDS] = {law_apart(e, operation, items, set->size)};
  bool is_associated = bounds[0] == NULL || mentions(items, set->size) <= ASSOCIATED_MENTIONS_MAX;
  if (bounds[0] != NULL)
    notes_use(e, RULE_APART, form, set);
  if (is_associated)
    notes_use(e, RULE_ASSOCIATION, form, set);
  for (size_t i = 0; bounds[0] == NULL && i < set->size; i++)
    vector_push(independent, items[i].copies);
  if (bounds[0] == NULL)
    return;
  if (is_associated)
    bounds[1] = combine(e, operation == OPERATION_MAX ? LAW_MAX : LAW_MIN, items, set->size, 0);
  const struct law *law = law_better(&e->laws, bounds, is_associated ? 2 : 1);
  vector_push(independent, (struct law_copies){law, 1});
}

static void add_set(struct evaluation *e, copies_vector *independent, enum operation operation,
                    struct item *items, const struct set *set) {
  if (set->size == 1) {
    vector_push(independent, items[0].copies);
  } else if (is_associated_outward(e, operation, set)) {
    add_associated(e, independent, operation, items, set);
  } else {
    const struct law *law = dependent_law(e, operation, items, set->size, set, 0);
    vector_push(independent, (struct law_copies){law, 1});
  }
}

/* A bound of the j-th smallest of items that depend on each other. */
static const struct law *order_law(struct evaluation *e, struct item *items, size_t count,
                                   const struct set *set, uint64_t j) {
  if (j == 1 || j == count)
    return evaluate_form(e, rules_form(e, j == 1 ? OPERATION_MIN : OPERATION_MAX, items, count, 0));
  return dependent_law(e, OPERATION_KTH, items, count, set, j);
}

/* How many of each set have ended is bounded set by set; the sets are independent. */
static const struct law *law_by_counts(struct evaluation *e, struct item *sorted,
                                       const size_t *first, const struct set *sets, size_t count,
                                       uint64_t rank) {
  copies_vector alone = {0};
  VECTOR(const struct law *) order_laws = {0};
  VECTOR(size_t) sizes = {0};
  for (size_t i = 0; i < count; i++) {
    struct item *items = sorted + first[i];
    if (sets[i].size == 1)
      vector_push(&alone, items->copies);
    if (sets[i].size <= 1)
      continue;
    for (size_t j = 1; j <= sets[i].size; j++)
      vector_push(&order_laws, order_law(e, items, sets[i].size, &sets[i], j));
    vector_push(&sizes, sets[i].size);
    notes_use(e, RULE_COUNTED, rules_form(e, OPERATION_KTH, sorted, count, rank), &sets[i]);
  }
  const struct law *law = law_counted(&e->laws, alone.data, alone.count, order_laws.data,
                                      sizes.data, sizes.count, rank);
  vector_clear(&alone);
  vector_clear(&order_laws);
  vector_clear(&sizes);
  return law;
}

static const struct law *apply_kth(struct evaluation *e, struct item *sorted, const size_t *first,
                                   const struct set *sets, size_t count, uint64_t rank) {
  size_t dependent = 0, largest = 0;
  struct set all = {.size = count, .is_associated = true};
  for (size_t i = 0; i < count; i++) {
    dependent += sets[i].size > 1 ? sets[i].size : 0;
    if (sets[i].size > sets[largest].size)
      largest = i;
    all.is_associated = all.is_associated && sets[i].is_associated;
    all.is_group = all.is_group || sets[i].is_group;
  }
  all.shared = sets[largest].shared;
  if (dependent == 0)
    return combine(e, LAW_KTH, sorted, count, rank);
  if (dependent > LAW_COUNTED_MAX || sets[largest].size == count)
    return order_law(e, sorted, count, &all, rank);
  return law_by_counts(e, sorted, first, sets, count, rank);
}

const struct law *rules_apply(struct evaluation *e, enum operation operation, struct item *items,
                              size_t count, uint64_t rank) {
  struct set *sets = mem_alloc(count, sizeof *sets);
  size_t *first = mem_alloc(count, sizeof *first);
  item_vector sorted = {0};
  copies_vector independent = {0};
  const struct law *law;
  depend_split(e, items, sets, count);
  sort_by_set(&sorted, first, items, sets, count);
  for (size_t i = 0; operation != OPERATION_KTH && i < count; i++)
    if (sets[i].size != 0)
      add_set(e, &independent, operation, sorted.data + first[i], &sets[i]);
  if (operation == OPERATION_KTH)
    law = apply_kth(e, sorted.data, first, sets, count, rank);
  else if (operation == OPERATION_SUM)
    law = law_sum(&e->laws, &e->forms.zero, independent.data, independent.count);
  else
    law = law_combine(&e->laws, operation == OPERATION_MAX ? LAW_MAX : LAW_MIN, independent.data,
                      independent.count, 0);
  vector_clear(&independent);
  vector_clear(&sorted);
  mem_free(first);
  mem_free(sets);
  return law;
}

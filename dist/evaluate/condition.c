/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Given the value of an occurrence that is independent of all others, what shares it is independent
 * but for the rest; and where parts in one group may depend on each other in any way, it is still
 * independent of them, which a bound for any joint law of what it is in would forget. Its law is
 * cut into ranges; in each its value counts as the range's last, on the lower side as its first,
 * which moves the result outward since all operations are non-decreasing. The bulk of the law is
 * cut into equal shares, its tail ever finer, so that high percentiles are kept apart.
 */
#include "dist/evaluate/evaluation.h"
#include "dist/evaluate/form_make.h"

enum {
  BULK = 24, /* ranges with a share of 1/24 each, and ... */
  TAIL = 39, /* ... each of the following beginning where 1/sqrt(2) of the tail is left */
  RANGES = BULK + TAIL,
  CONDITIONS_MAX = 8, /* in one evaluation */
  ITEMS_MAX = 64,     /* in what is conditioned */
  OCCURRENCES_MAX = 64,
  NESTED_MAX = 64, /* bounds for any joint law, the slow ones, after which no more is conditioned */
};

struct value_range {
  size_t first, last; /* points of the grid with a mass */
  uint64_t mass;
};
typedef VECTOR(struct value_range) range_vector;

static void cut_levels(uint64_t *levels) {
  for (size_t i = 0; i < BULK; i++)
    levels[i] = SURVIVAL_ONE - SURVIVAL_ONE / BULK * (i + 1);
  uint64_t level = SURVIVAL_ONE / BULK;
  levels[BULK - 1] = level; /* the last of the bulk is left to the tail */
  for (size_t i = 0; i < TAIL; i++)
    levels[BULK + i] = level = level / 256 * 181;
}

static size_t count_atoms(const struct survival *x) {
  size_t count = x->tail[0] != SURVIVAL_ONE;
  for (size_t k = 1; k < grid_count(&x->grid); k++)
    count += x->tail[k] != x->tail[k - 1];
  return count;
}

/* All mass but that at infinity. */
static void cut(range_vector *ranges, const struct survival *x) {
  uint64_t levels[RANGES], before = SURVIVAL_ONE;
  bool is_fine = count_atoms(x) <= RANGES;
  size_t level = 0;
  struct value_range range = {0};
  cut_levels(levels);
  for (size_t k = 0; k < grid_count(&x->grid); k++) {
    uint64_t mass = before - x->tail[k];
    before = x->tail[k];
    if (mass == 0)
      continue;
    range.first = range.mass == 0 ? k : range.first;
    range.last = k;
    range.mass += mass;
    if (!is_fine && level < RANGES && x->tail[k] > levels[level])
      continue;
    while (level < RANGES && x->tail[k] <= levels[level])
      level++;
    if (!is_fine && level == RANGES)
      continue; /* what is left is the last range */
    vector_push(ranges, range);
    range.mass = 0;
  }
  if (range.mass != 0)
    vector_push(ranges, range);
}

/* Beyond every grid, whatever it is multiplied with. */
static const struct rational *infinity(struct evaluation *e) {
  struct rational large;
  rational_init(&large);
  rational_parse(&large, "1e4096");
  const struct rational *result = form_rational_product(&e->forms, &large, &large);
  rational_clear(&large);
  return result;
}

static const struct rational *value_of(struct evaluation *e, const struct survival *x,
                                       const struct value_range *range) {
  size_t k = e->laws.side == SIDE_UPPER ? range->last : range->first;
  return form_rational_integer(&e->forms, (int64_t)grid_value_ns(&x->grid, k));
}

static const struct law *given(struct evaluation *e, const struct form *form,
                               const struct occurrence *occurrence, const struct survival *x) {
  range_vector ranges = {0};
  VECTOR(const struct law *) laws = {0};
  VECTOR(uint64_t) weights = {0};
  cut(&ranges, x);
  for (size_t i = 0; i < ranges.count; i++) {
    const struct form *part =
        form_with(&e->forms, form, occurrence, value_of(e, x, &ranges.data[i]));
    vector_push(&laws, evaluate_form(e, part));
    vector_push(&weights, ranges.data[i].mass);
  }
  if (survival_infinity(x) != 0) {
    struct value_range last = {.first = grid_count(&x->grid) - 1};
    const struct rational *value = e->laws.side == SIDE_UPPER ? infinity(e) : value_of(e, x, &last);
    vector_push(&laws, evaluate_form(e, form_with(&e->forms, form, occurrence, value)));
    vector_push(&weights, survival_infinity(x));
  }
  const struct law *law = law_mix(&e->laws, laws.data, weights.data, laws.count);
  vector_clear(&ranges);
  vector_clear(&laws);
  vector_clear(&weights);
  return law;
}

/* Given a value, 2*max(C, X) may become 2*C: two draws of the bare name C where the form has one.
 * So what has bare names in it is not conditioned. */
const struct law *condition_apply(struct evaluation *e, const struct form *form,
                                  const struct item *items, size_t count) {
  if (form->is_redrawn || e->conditioned != NULL || e->conditions >= CONDITIONS_MAX ||
      count > ITEMS_MAX || e->nested_joints >= NESTED_MAX)
    return NULL;
  size_t occurrences = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < items[i].form->count; j++)
      occurrences += items[i].form->addends[j].atom->id_count;
  const struct occurrence *shared = depend_most_shared(e, items, count);
  if (shared == NULL)
    shared = depend_free_part(e, items, count);
  if (shared == NULL || occurrences > OCCURRENCES_MAX)
    return NULL;
  const struct law *law = form_occurrence_atom(&e->forms, shared)->law;
  if (law == NULL || law->leaf_survival == NULL)
    return NULL;
  e->conditioned = form;
  e->conditions++;
  law = given(e, form, shared, law->leaf_survival);
  e->conditioned = NULL;
  notes_use(e, RULE_CONDITION, form, &(struct set){.shared = shared});
  return law;
}

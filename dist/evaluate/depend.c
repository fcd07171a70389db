/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which parts share an occurrence or a group and so depend on each other (evaluation.h). It also
 * picks what to condition on.
 */
#include "dist/evaluate/evaluation.h"

#include "base/hash.h"
#include "dist/evaluate/form_make.h"

static size_t group_named(struct evaluation *e, size_t name) {
  uint64_t hash = hash_word(0, name);
  for (struct index_look look = index_look(&e->group_index, hash); index_next(&look);)
    if (e->group_names.data[look.row] == name)
      return look.row + 1;
  index_add(&e->group_index, hash, (uint32_t)e->group_names.count);
  vector_push(&e->group_names, name);
  return e->group_names.count;
}

size_t depend_group(struct evaluation *e, const struct occurrence *occurrence) {
  while (e->groups.count <= occurrence->id)
    vector_push(&e->groups, 0);
  size_t *known = &e->groups.data[occurrence->id];
  if (*known == 0) {
    size_t name =
        e->source->group == NULL ? GROUP_ALONE : e->source->group(e->source->context, occurrence);
    *known = name == GROUP_ALONE ? 1 : 1 + group_named(e, name);
  }
  return *known - 1;
}

static struct seen *seen_occurrence(struct evaluation *e, const struct occurrence *occurrence) {
  while (e->by_occurrence.count <= occurrence->id)
    vector_push(&e->by_occurrence, (struct seen){0});
  return &e->by_occurrence.data[occurrence->id];
}

static struct seen *seen_group(struct evaluation *e, size_t group) {
  while (e->by_group.count <= group)
    vector_push(&e->by_group, (struct seen){0});
  return &e->by_group.data[group];
}

/* Whether this is seen for the first time since the last stamp. */
static bool see(const struct evaluation *e, struct seen *seen, size_t item,
                const struct occurrence *occurrence) {
  if (seen->stamp != e->stamp) {
    *seen = (struct seen){.stamp = e->stamp,
                          .item = item,
                          .last_item = item,
                          .item_count = 1,
                          .occurrence = occurrence};
    return true;
  }
  seen->has_several_items = seen->has_several_items || seen->item != item;
  seen->has_several_occurrences =
      seen->has_several_occurrences || seen->occurrence != occurrence || occurrence == NULL;
  seen->item_count += seen->last_item != item;
  seen->last_item = item;
  return false;
}

static size_t find_root(struct item *items, size_t i) {
  while (items[i].set != i) {
    items[i].set = items[items[i].set].set;
    i = items[i].set;
  }
  return i;
}

/* The first item of a set stands for it. */
static void unite(struct item *items, size_t a, size_t b) {
  a = find_root(items, a);
  b = find_root(items, b);
  items[a > b ? a : b].set = a > b ? b : a;
}

/* What is done with every occurrence of every item, and every bare name (occurrence NULL). */
typedef void visit(struct evaluation *e, struct item *items, size_t item,
                   const struct occurrence *occurrence, void *context);

static void visit_item(struct evaluation *e, struct item *items, size_t i, visit *what,
                       void *context) {
  const struct form *form = items[i].form;
  for (size_t j = 0; j < form->count; j++) {
    const struct atom *atom = form->addends[j].atom;
    for (size_t k = 0; k < atom->id_count; k++)
      what(e, items, i, atom->occurrences[k], context);
    if (atom->is_redrawn && e->source->together_bare)
      what(e, items, i, NULL, context);
  }
}

/* The group that ties a draw to others, NULL for none. All bare names are one. */
static struct seen *group_of(struct evaluation *e, const struct occurrence *occurrence) {
  size_t group = occurrence == NULL ? 0 : depend_group(e, occurrence);
  return occurrence == NULL || group != 0 ? seen_group(e, group) : NULL;
}

static void tie(struct evaluation *e, struct item *items, size_t i,
                const struct occurrence *occurrence, void *context) {
  struct seen *seen = group_of(e, occurrence);
  (void)context;
  if (seen != NULL && !see(e, seen, i, occurrence))
    unite(items, seen->item, i);
  seen = occurrence == NULL ? NULL : seen_occurrence(e, occurrence);
  if (seen != NULL && !see(e, seen, i, occurrence))
    unite(items, seen->item, i);
}

static void describe(struct evaluation *e, struct item *items, size_t i,
                     const struct occurrence *occurrence, void *context) {
  struct set *set = &((struct set *)context)[items[i].set];
  const struct seen *seen = group_of(e, occurrence);
  if (seen != NULL && seen->has_several_items && seen->has_several_occurrences) {
    set->is_group = true;
    set->is_associated = false;
  }
  if (occurrence != NULL && set->shared == NULL &&
      seen_occurrence(e, occurrence)->has_several_items)
    set->shared = occurrence;
}

void depend_split(struct evaluation *e, struct item *items, struct set *sets, size_t count) {
  e->stamp++;
  for (size_t i = 0; i < count; i++)
    items[i].set = i;
  for (size_t i = 0; i < count; i++)
    visit_item(e, items, i, tie, NULL);
  for (size_t i = 0; i < count; i++) {
    items[i].set = find_root(items, i);
    sets[i] = (struct set){.is_associated = true};
    sets[items[i].set].size++;
  }
  for (size_t i = 0; i < count; i++)
    visit_item(e, items, i, describe, sets);
}

static void look_for_conflict(struct evaluation *e, struct item *items, size_t i,
                              const struct occurrence *occurrence, void *context) {
  const struct seen *group = group_of(e, occurrence);
  bool *is_conflict = context;
  (void)items;
  (void)i;
  if ((group != NULL && group->stamp == e->stamp) ||
      (occurrence != NULL && seen_occurrence(e, occurrence)->stamp == e->stamp))
    *is_conflict = true;
}

static void take_in(struct evaluation *e, struct item *items, size_t i,
                    const struct occurrence *occurrence, void *context) {
  struct seen *group = group_of(e, occurrence);
  (void)items;
  (void)context;
  if (group != NULL)
    see(e, group, i, occurrence);
  if (occurrence != NULL)
    see(e, seen_occurrence(e, occurrence), i, occurrence);
}

size_t depend_classes(struct evaluation *e, struct item *items, size_t count, size_t limit) {
  size_t left = count;
  for (size_t i = 0; i < count; i++)
    items[i].set = SIZE_MAX;
  for (size_t class = 0; class < limit; class ++) {
    e->stamp++;
    for (size_t i = 0; i < count; i++) {
      bool is_conflict = false;
      if (items[i].set != SIZE_MAX)
        continue;
      visit_item(e, items, i, look_for_conflict, &is_conflict);
      if (is_conflict && class + 1 < limit)
        continue;
      visit_item(e, items, i, take_in, NULL);
      items[i].set = class;
      left--;
    }
    if (left == 0)
      return class + 1;
  }
  return limit;
}

struct search {
  const struct occurrence *best;
  size_t best_count;
};

static void count_items(struct evaluation *e, struct item *items, size_t i,
                        const struct occurrence *occurrence, void *context) {
  take_in(e, items, i, occurrence, context);
}

static void choose(struct evaluation *e, struct item *items, size_t i,
                   const struct occurrence *occurrence, void *context) {
  struct search *search = context;
  (void)items;
  (void)i;
  if (occurrence == NULL)
    return;
  const struct seen *group = group_of(e, occurrence);
  size_t items_with_it = seen_occurrence(e, occurrence)->item_count;
  if ((group == NULL || !group->has_several_occurrences) && items_with_it > search->best_count)
    *search = (struct search){occurrence, items_with_it};
}

const struct occurrence *depend_most_shared(struct evaluation *e, const struct item *items,
                                            size_t count) {
  struct search search = {NULL, 1};
  VECTOR(struct item) copy = {0};
  for (size_t i = 0; i < count; i++)
    vector_push(&copy, items[i]);
  e->stamp++;
  for (size_t i = 0; i < count; i++)
    visit_item(e, copy.data, i, count_items, NULL);
  for (size_t i = 0; i < count; i++)
    visit_item(e, copy.data, i, choose, &search);
  vector_clear(&copy);
  return search.best;
}

/* Whether nothing in it is in a group with something else of the items, whose groups were seen. */
static bool is_free(struct evaluation *e, const struct form *form) {
  for (size_t i = 0; i < form->count; i++) {
    const struct atom *atom = form->addends[i].atom;
    for (size_t j = 0; j < atom->id_count; j++) {
      const struct seen *group = group_of(e, atom->occurrences[j]);
      if (group != NULL && group->has_several_occurrences)
        return false;
    }
  }
  return !form->is_redrawn;
}

/* From the first to the 99th percentile of its law; 0 when that is not known. */
static uint64_t spread_of(struct evaluation *e, const struct occurrence *occurrence) {
  const struct law *law = form_occurrence_atom(&e->forms, occurrence)->law;
  if (law == NULL || law->leaf_survival == NULL)
    return 0;
  const struct survival *x = law->leaf_survival;
  uint64_t low = 0, high = grid_value_ns(&x->grid, grid_count(&x->grid) - 1);
  survival_quantile(&high, x, SURVIVAL_ONE / 100);
  survival_quantile(&low, x, SURVIVAL_ONE / 100 * 99);
  return high - low;
}

struct widest {
  const struct occurrence *occurrence;
  uint64_t spread_ns;
  double total_ns; /* of all that are free */
};

/* The occurrences in free parts of an extreme or order statistic that has others as well. */
static void look_in_parts(struct evaluation *e, struct widest *widest, const struct atom *atom) {
  size_t free_count = 0;
  for (size_t i = 0; i < atom->part_count; i++)
    free_count += is_free(e, atom->parts[i]);
  for (size_t i = 0; i < atom->part_count && free_count < atom->part_count; i++)
    for (size_t j = 0; is_free(e, atom->parts[i]) && j < atom->parts[i]->count; j++) {
      const struct atom *addend = atom->parts[i]->addends[j].atom;
      for (size_t k = 0; k < addend->id_count; k++) {
        uint64_t spread_ns = spread_of(e, addend->occurrences[k]);
        widest->total_ns += (double)spread_ns;
        if (spread_ns > widest->spread_ns) {
          widest->occurrence = addend->occurrences[k];
          widest->spread_ns = spread_ns;
        }
      }
    }
}

const struct occurrence *depend_free_part(struct evaluation *e, const struct item *items,
                                          size_t count) {
  struct widest widest = {0};
  VECTOR(struct item) copy = {0};
  for (size_t i = 0; i < count; i++)
    vector_push(&copy, items[i]);
  e->stamp++;
  for (size_t i = 0; i < count; i++)
    visit_item(e, copy.data, i, take_in, NULL);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < items[i].form->count; j++)
      look_in_parts(e, &widest, items[i].form->addends[j].atom);
  vector_clear(&copy);
  return 2 * (double)widest.spread_ns >= widest.total_ns ? widest.occurrence : NULL;
}

void depend_apart(struct evaluation *e, const struct item *items, size_t count,
                  const struct form **own, const struct form **shared) {
  VECTOR(struct item) copy = {0};
  VECTOR(struct addend) addends[2] = {{0}, {0}};
  for (size_t i = 0; i < count; i++)
    vector_push(&copy, items[i]);
  e->stamp++;
  for (size_t i = 0; i < count; i++)
    visit_item(e, copy.data, i, take_in, NULL);
  for (size_t i = 0; i < count; i++) {
    const struct form *form = items[i].form;
    addends[0].count = addends[1].count = 0;
    for (size_t j = 0; j < form->count; j++) {
      const struct atom *atom = form->addends[j].atom;
      bool is_shared = false;
      for (size_t k = 0; k < atom->id_count; k++)
        is_shared = is_shared || seen_occurrence(e, atom->occurrences[k])->has_several_items;
      vector_push(&addends[is_shared], form->addends[j]);
    }
    own[i] = form_sum(&e->forms, form->constant, addends[0].data, addends[0].count);
    shared[i] = form_sum(&e->forms, &e->forms.zero, addends[1].data, addends[1].count);
  }
  vector_clear(&copy);
  vector_clear(&addends[0]);
  vector_clear(&addends[1]);
}

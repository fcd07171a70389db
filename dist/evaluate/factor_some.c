/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What only some parts of a maximum or minimum share is factored out of those (form_make.h).
 */
#include <stdlib.h>

#include "dist/evaluate/form.h"
#include "dist/evaluate/form_make.h"

/* How many mentions are looked at for one table; then what only some parts share stays where it is,
 * for the rules. A chain that can be left at n places takes about n^3 / 6. */
enum { MENTIONS_MAX = 4000000 };

/* That a part adds a multiple of an atom. */
struct mention {
  const struct addend *addend;
  size_t part;
};

/* Mentions first .. first + count - 1 are of the same multiple of the same atom. */
struct candidate {
  size_t first, count;
  const struct atom *atom;
};

typedef VECTOR(struct mention) mention_vector;
typedef VECTOR(struct candidate) candidate_vector;

static int compare_mentions(const void *left, const void *right) {
  const struct mention *a = left, *b = right;
  if (a->addend->atom->id != b->addend->atom->id)
    return a->addend->atom->id < b->addend->atom->id ? -1 : 1;
  int order = rational_compare(a->addend->coefficient, b->addend->coefficient);
  return order != 0 ? order : (a->part > b->part) - (a->part < b->part);
}

static bool same_multiple(const struct addend *a, const struct addend *b) {
  return a->atom == b->atom && rational_compare(a->coefficient, b->coefficient) == 0;
}

/* What most parts have in common first; of those, the largest. */
static int compare_candidates(const void *left, const void *right) {
  const struct candidate *a = left, *b = right;
  if (a->count != b->count)
    return a->count > b->count ? -1 : 1;
  if (a->atom->id_count != b->atom->id_count)
    return a->atom->id_count > b->atom->id_count ? -1 : 1;
  return (a->atom->id > b->atom->id) - (a->atom->id < b->atom->id);
}

static void find_mentions(mention_vector *mentions, const form_vector *parts) {
  for (size_t i = 0; i < parts->count; i++)
    for (size_t j = 0; j < parts->data[i]->count; j++)
      if (!parts->data[i]->addends[j].atom->is_redrawn)
        vector_push(mentions, (struct mention){&parts->data[i]->addends[j], i});
  if (mentions->count != 0)
    qsort(mentions->data, mentions->count, sizeof *mentions->data, compare_mentions);
}

static void find_candidates(candidate_vector *candidates, const mention_vector *mentions) {
  for (size_t i = 0, next; i < mentions->count; i = next) {
    const struct addend *addend = mentions->data[i].addend;
    for (next = i + 1; next < mentions->count;)
      if (same_multiple(mentions->data[next].addend, addend))
        next++;
      else
        break;
    if (next - i > 1)
      vector_push(candidates, (struct candidate){i, next - i, addend->atom});
  }
  if (candidates->count != 0)
    qsort(candidates->data, candidates->count, sizeof *candidates->data, compare_candidates);
}

/* The parts of the candidate that no earlier one has taken become one, in place of the first. */
static bool take(struct form_table *table, form_vector *parts, const mention_vector *mentions,
                 const struct candidate *candidate, bool *is_taken, bool is_max) {
  form_vector group = {0};
  size_t first = 0;
  for (size_t i = candidate->first; i < candidate->first + candidate->count; i++) {
    size_t part = mentions->data[i].part;
    if (is_taken[part])
      continue;
    if (group.count == 0)
      first = part;
    vector_push(&group, parts->data[part]);
  }
  bool good = group.count > 1;
  for (size_t i = candidate->first; good && i < candidate->first + candidate->count; i++) {
    size_t part = mentions->data[i].part;
    if (!is_taken[part])
      parts->data[part] = NULL;
    is_taken[part] = true;
  }
  if (good)
    parts->data[first] = is_max ? form_max(table, group.data, group.count)
                                : form_min(table, group.data, group.count);
  vector_clear(&group);
  return good;
}

static void remove_empty(form_vector *parts) {
  size_t count = 0;
  for (size_t i = 0; i < parts->count; i++)
    if (parts->data[i] != NULL)
      parts->data[count++] = parts->data[i];
  parts->count = count;
}

static bool factor_round(struct form_table *table, form_vector *parts, bool is_max) {
  mention_vector mentions = {0};
  candidate_vector candidates = {0};
  bool *is_taken = mem_alloc(parts->count, sizeof *is_taken), changed = false;
  find_mentions(&mentions, parts);
  table->mentions += mentions.count;
  find_candidates(&candidates, &mentions);
  for (size_t i = 0; i < candidates.count; i++)
    if (take(table, parts, &mentions, &candidates.data[i], is_taken, is_max))
      changed = true;
  remove_empty(parts);
  mem_free(is_taken);
  vector_clear(&mentions);
  vector_clear(&candidates);
  return changed;
}

void form_factor_some(struct form_table *table, form_vector *parts, bool is_max) {
  while (parts->count > 1 && table->mentions < MENTIONS_MAX && factor_round(table, parts, is_max))
    ;
}

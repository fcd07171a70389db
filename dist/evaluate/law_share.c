/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What sums have in common is added once. The terms of each sum are put in order, those that most
 * sums have first; then the sums form a tree by their beginnings (a radix tree), and each beginning
 * that several share becomes a sum of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "dist/evaluate/law.h"
#include "dist/evaluate/law_make.h"

/* So many copies of one law as a term of a sum. */
struct use {
  struct law_copies copies;
  size_t sum;      /* index of one of the sums with this term */
  size_t sums;     /* how many have it, and ... */
  uint64_t which;  /* ... which, as a hash */
  size_t position; /* in the order of terms */
};

typedef VECTOR(struct law *) law_vector;
typedef VECTOR(struct use) use_vector;

struct sharing {
  struct law_table *table;
  law_vector sums;
  size_t **terms;  /* by sum: the positions of its terms, ascending */
  use_vector uses; /* by position, once ordered */
};

static int compare_numbers(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

static int compare_terms(const void *left, const void *right) {
  const struct use *a = left, *b = right;
  int order = compare_numbers(a->copies.law->id, b->copies.law->id);
  return order != 0 ? order : compare_numbers(a->copies.count, b->copies.count);
}

/* Terms of the same sums come together. */
static int compare_shared(const void *left, const void *right) {
  const struct use *a = left, *b = right;
  int order = compare_numbers(b->sums, a->sums);
  order = order != 0 ? order : compare_numbers(a->which, b->which);
  return order != 0 ? order : compare_terms(a, b);
}

static void find_sums(struct sharing *s, const struct law *law, bool *is_seen) {
  if (is_seen[law->id])
    return;
  is_seen[law->id] = true;
  if (law->kind == LAW_SUM && law->count > 1)
    vector_push(&s->sums, s->table->laws.data[law->id]);
  for (size_t i = 0; i < law->count; i++)
    find_sums(s, law->parts[i].law, is_seen);
}

/* Every term once, in order, with the sums that have it. */
static void order_terms(struct sharing *s) {
  use_vector all = {0};
  for (size_t i = 0; i < s->sums.count; i++)
    for (size_t j = 0; j < s->sums.data[i]->count; j++)
      vector_push(&all, (struct use){.copies = s->sums.data[i]->parts[j], .sum = i});
  qsort(all.data, all.count, sizeof *all.data, compare_terms);
  for (size_t i = 0; i < all.count; i++) {
    if (i == 0 || compare_terms(&all.data[i], &all.data[i - 1]) != 0)
      vector_push(&s->uses, all.data[i]);
    struct use *use = &s->uses.data[s->uses.count - 1];
    use->sums++;
    use->which += (all.data[i].sum + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ (all.data[i].sum << 17);
  }
  vector_clear(&all);
  qsort(s->uses.data, s->uses.count, sizeof *s->uses.data, compare_shared);
}

static int compare_positions(const void *left, const void *right) {
  return compare_numbers(*(const size_t *)left, *(const size_t *)right);
}

/* The positions of all sums' terms. */
static void place_terms(struct sharing *s) {
  use_vector by_term = {0};
  for (size_t i = 0; i < s->uses.count; i++) {
    s->uses.data[i].position = i;
    vector_push(&by_term, s->uses.data[i]);
  }
  qsort(by_term.data, by_term.count, sizeof *by_term.data, compare_terms);
  s->terms = mem_alloc(s->sums.count, sizeof *s->terms);
  for (size_t i = 0; i < s->sums.count; i++) {
    const struct law *sum = s->sums.data[i];
    s->terms[i] = mem_alloc(sum->count, sizeof **s->terms);
    for (size_t j = 0; j < sum->count; j++) {
      struct use key = {.copies = sum->parts[j]};
      const struct use *found =
          bsearch(&key, by_term.data, by_term.count, sizeof key, compare_terms);
      s->terms[i][j] = found->position;
    }
    qsort(s->terms[i], sum->count, sizeof **s->terms, compare_positions);
  }
  vector_clear(&by_term);
}

/* A sum by its terms, for sorting. */
struct row {
  struct law *sum;
  const size_t *terms;
};

static int compare_rows(const void *left, const void *right) {
  const struct row *a = left, *b = right;
  for (size_t i = 0; i < a->sum->count && i < b->sum->count; i++)
    if (a->terms[i] != b->terms[i])
      return compare_numbers(a->terms[i], b->terms[i]);
  return compare_numbers(a->sum->count, b->sum->count);
}

/* `prefix`, if any, and the row's terms from `first` to `last` - 1. */
static size_t take_terms(const struct sharing *s, struct law_copies *parts,
                         const struct law *prefix, const struct row *row, size_t first,
                         size_t last) {
  size_t count = 0;
  if (prefix != NULL)
    parts[count++] = (struct law_copies){prefix, 1};
  for (size_t i = first; i < last; i++)
    parts[count++] = s->uses.data[row->terms[i]].copies;
  return count;
}

/* The rows, which agree in their first `done` terms, whose sum is `prefix` (none: NULL). */
static void share(struct sharing *s, struct row *rows, size_t count, size_t done,
                  const struct law *prefix) {
  const struct row *first = &rows[0], *last = &rows[count - 1];
  size_t length = first->sum->count;
  if (count == 1) {
    first->sum->count = take_terms(s, first->sum->parts, prefix, first, done, length);
    return;
  }
  size_t common = done;
  while (common < length && common < last->sum->count &&
         first->terms[common] == last->terms[common])
    common++;
  if (common > done) {
    struct law_copies *parts = mem_alloc(common - done + 1, sizeof *parts);
    size_t part_count = take_terms(s, parts, prefix, first, done, common);
    prefix = part_count == 1 && parts[0].count == 1 ? parts[0].law
                                                    : law_part_of_sums(s->table, parts, part_count);
    mem_free(parts);
  }
  for (size_t i = 0, next; i < count; i = next) {
    next = i + 1;
    while (rows[i].sum->count > common && next < count &&
           rows[next].terms[common] == rows[i].terms[common])
      next++;
    share(s, rows + i, next - i, common, prefix);
  }
}

void law_share(struct law_table *table, const struct law *law) {
  struct sharing s = {.table = table};
  bool *is_seen = mem_alloc(table->laws.count, sizeof *is_seen);
  find_sums(&s, law, is_seen);
  mem_free(is_seen);
  if (s.sums.count > 1) {
    order_terms(&s);
    place_terms(&s);
    struct row *rows = mem_alloc(s.sums.count, sizeof *rows);
    for (size_t i = 0; i < s.sums.count; i++)
      rows[i] = (struct row){s.sums.data[i], s.terms[i]};
    qsort(rows, s.sums.count, sizeof *rows, compare_rows);
    share(&s, rows, s.sums.count, 0, NULL);
    law_set_slack_again(table, law);
    mem_free(rows);
    for (size_t i = 0; i < s.sums.count; i++)
      mem_free(s.terms[i]);
    mem_free(s.terms);
  }
  vector_clear(&s.uses);
  vector_clear(&s.sums);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What sums have in common is added once. Two or three copies of a law are as many terms, since one
 * of them may be in common with a sum that has fewer; more are one term, added by doubling. The
 * terms of each sum are put in order, those that most sums have first; then the sums form a tree by
 * their beginnings (a radix tree), and each beginning that several share becomes a sum of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "dist/evaluate/law.h"
#include "dist/evaluate/law_make.h"

enum { COPIES_APART = 3 };

/* A term of a sum: a copy of a law, the which-th, or so many copies. */
struct use {
  struct law_copies copies;
  uint64_t copy;
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
  size_t **terms, *term_counts; /* by sum: the positions of its terms, ascending */
  use_vector uses;              /* by position, once ordered */
};

static int compare_numbers(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

static int compare_terms(const void *left, const void *right) {
  const struct use *a = left, *b = right;
  int order = compare_numbers(a->copies.law->id, b->copies.law->id);
  order = order != 0 ? order : compare_numbers(a->copies.count, b->copies.count);
  return order != 0 ? order : compare_numbers(a->copy, b->copy);
}

static uint64_t terms_of(const struct law_copies *copies) {
  return copies->count <= COPIES_APART ? copies->count : 1;
}

static struct use term_of(const struct law_copies *copies, uint64_t copy) {
  return (struct use){.copies = {copies->law, terms_of(copies) == 1 ? copies->count : 1},
                      .copy = copy};
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
      for (uint64_t copy = 0; copy < terms_of(&s->sums.data[i]->parts[j]); copy++) {
        struct use use = term_of(&s->sums.data[i]->parts[j], copy);
        use.sum = i;
        vector_push(&all, use);
      }
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
  s->term_counts = mem_alloc(s->sums.count, sizeof *s->term_counts);
  for (size_t i = 0; i < s->sums.count; i++) {
    const struct law *sum = s->sums.data[i];
    s->terms[i] = mem_alloc(COPIES_APART * sum->count, sizeof **s->terms);
    for (size_t j = 0; j < sum->count; j++)
      for (uint64_t copy = 0; copy < terms_of(&sum->parts[j]); copy++) {
        struct use key = term_of(&sum->parts[j], copy);
        const struct use *found =
            bsearch(&key, by_term.data, by_term.count, sizeof key, compare_terms);
        s->terms[i][s->term_counts[i]++] = found->position;
      }
    qsort(s->terms[i], s->term_counts[i], sizeof **s->terms, compare_positions);
  }
  vector_clear(&by_term);
}

/* A sum by its terms, for sorting. */
struct row {
  struct law *sum;
  const size_t *terms;
  size_t count;
};

static int compare_rows(const void *left, const void *right) {
  const struct row *a = left, *b = right;
  for (size_t i = 0; i < a->count && i < b->count; i++)
    if (a->terms[i] != b->terms[i])
      return compare_numbers(a->terms[i], b->terms[i]);
  return compare_numbers(a->count, b->count);
}

/* `prefix`, if any, and the row's terms from `first` to `last` - 1. */
static size_t take_terms(const struct sharing *s, struct law_copies *parts,
                         const struct law *prefix, const struct row *row, size_t first,
                         size_t last) {
  size_t count = 0;
  if (prefix != NULL)
    parts[count++] = (struct law_copies){prefix, 1};
  for (size_t i = first; i < last; i++) {
    const struct law_copies *term = &s->uses.data[row->terms[i]].copies;
    if (count != 0 && parts[count - 1].law == term->law)
      parts[count - 1].count += term->count;
    else
      parts[count++] = *term;
  }
  return count;
}

/* The rows, which agree in their first `done` terms, whose sum is `prefix` (none: NULL). */
static void share(struct sharing *s, struct row *rows, size_t count, size_t done,
                  const struct law *prefix) {
  const struct row *first = &rows[0], *last = &rows[count - 1];
  size_t length = first->count;
  if (count == 1) {
    struct law *sum = first->sum;
    sum->parts = mem_resize(sum->parts, length + 1, sizeof *sum->parts);
    sum->count = take_terms(s, sum->parts, prefix, first, done, length);
    return;
  }
  size_t common = done;
  while (common < length && common < last->count && first->terms[common] == last->terms[common])
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
    while (rows[i].count > common && next < count &&
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
      rows[i] = (struct row){s.sums.data[i], s.terms[i], s.term_counts[i]};
    qsort(rows, s.sums.count, sizeof *rows, compare_rows);
    share(&s, rows, s.sums.count, 0, NULL);
    law_set_slack_again(table, law);
    mem_free(rows);
    for (size_t i = 0; i < s.sums.count; i++)
      mem_free(s.terms[i]);
    mem_free(s.terms);
    mem_free(s.term_counts);
  }
  vector_clear(&s.uses);
  vector_clear(&s.sums);
}

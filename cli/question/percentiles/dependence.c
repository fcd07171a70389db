/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/dependence.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/asker.h"
#include "cli/question/law/draws.h"
#include "cli/question/law/laws.h"
#include "cli/question/percentiles/calculation.h"
#include "dist/statistics/rank_correlation.h"

/* Of all pairs together, half of it for each of two tests. */
static const double level = 1e-3;

enum { SERIES_MOST = 64 }; /* components of which all pairs are tested */

typedef VECTOR(size_t) entry_list;

static size_t length_of(const struct law_entry *entry) {
  return entry->is_used ? entry->sample.series_count : 0;
}

/* Entries that are measured and used by an occurrence, with equally long series: those of the
 * largest number of entries. */
static void find_alike(entry_list *found, const struct laws *laws) {
  size_t most = 0, length = 0;
  for (size_t i = 0; i < laws->entries.count; i++) {
    size_t alike = 0, count = length_of(laws->entries.data[i]);
    for (size_t k = 0; k < laws->entries.count && count != 0; k++)
      alike += length_of(laws->entries.data[k]) == count;
    if (alike > most) {
      most = alike;
      length = count;
    }
  }
  for (size_t i = 0; i < laws->entries.count && most > 1; i++)
    if (length_of(laws->entries.data[i]) == length)
      vector_push(found, i);
}

static int by_strength(const void *left, const void *right) {
  double a = fabs(((const struct dependent_pair *)left)->correlation);
  double b = fabs(((const struct dependent_pair *)right)->correlation);
  return a < b ? 1 : a > b ? -1 : 0;
}

static void test_pairs(struct dependence_test *test, const struct laws *laws,
                       const entry_list *entries) {
  test->tested = entries->count * (entries->count - 1) / 2;
  for (size_t i = 0; i < entries->count; i++)
    for (size_t k = i + 1; k < entries->count; k++) {
      const struct law_entry *a = laws->entries.data[entries->data[i]];
      const struct law_entry *b = laws->entries.data[entries->data[k]];
      struct rank_correlation found =
          rank_correlation(a->sample.series, b->sample.series, test->rows);
      struct coincidence slow = coincidence(a->sample.series, b->sample.series, test->rows);
      double each = level / 2 / (double)test->tested;
      bool correlated = found.chance < each;
      if (correlated)
        slow.chance = 1;
      if (correlated || slow.chance < each)
        vector_push(&test->pairs,
                    (struct dependent_pair){a->name, b->name, found.correlation, slow});
    }
  if (test->pairs.count != 0)
    qsort(test->pairs.data, test->pairs.count, sizeof *test->pairs.data, by_strength);
}

/* Whether all of them are columns of one table. */
static bool are_joined(const struct laws *laws, const entry_list *entries) {
  size_t table = laws->entries.data[entries->data[0]]->table;
  for (size_t i = 1; i < entries->count; i++)
    if (laws->entries.data[entries->data[i]]->table != table)
      return false;
  return table != TABLE_NONE;
}

void dependence_test(struct dependence_test *test, const struct calculation *calculation) {
  const struct laws *laws = &calculation->laws;
  *test = (struct dependence_test){0};
  sample_init(&test->row_by_row);
  entry_list entries = {0};
  find_alike(&entries, laws);
  if (entries.count > 1 && entries.count <= SERIES_MOST) {
    test->rows = laws->entries.data[entries.data[0]]->sample.series_count;
    test->joined = are_joined(laws, &entries);
    test_pairs(test, laws, &entries);
    if (!test->joined && test->pairs.count != 0)
      draws_row_by_row(&test->row_by_row, laws, calculation->expression, test->rows);
  }
  vector_clear(&entries);
}

void dependence_clear(struct dependence_test *test) {
  vector_clear(&test->pairs);
  sample_clear(&test->row_by_row);
}

enum { PAIRS_SHOWN = 4 };

void dependence_print(struct text *text, const struct dependence_test *test) {
  for (size_t i = 0; i < test->pairs.count && i < PAIRS_SHOWN; i++) {
    const struct dependent_pair *pair = &test->pairs.data[i];
    text_format(text, "%s%s and %s ", i == 0 ? "" : ", ", pair->a, pair->b);
    if (pair->slow.chance < 1)
      text_format(text, "(both among their slowest in %" PRIu64 " of %zu rows, by chance in %.1f)",
                  pair->slow.together, test->rows, pair->slow.expected);
    else
      text_format(text, "(rank correlation %.2f)", pair->correlation);
  }
  if (test->pairs.count > PAIRS_SHOWN)
    text_format(text, " and %zu more of %zu pairs", test->pairs.count - PAIRS_SHOWN, test->tested);
}

void dependence_warn(const struct dependence_test *test, struct ledger *ledger) {
  if (test->pairs.count == 0)
    return;
  struct text text;
  text_init(&text);
  dependence_print(&text, test);
  if (test->joined) {
    ledger_add(ledger, LEDGER_DATA, "not independent of each other are %s", text.data);
  } else {
    ledger_warn(ledger, LEDGER_DATA,
                "not independent: %s, row by row; if rows belong to one request, give them with "
                "--joint",
                text.data);
  }
  text_clear(&text);
}

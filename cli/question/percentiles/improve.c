/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/improve.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/question/law/draws.h"
#include "cli/question/law/laws.h"
#include "cli/question/percentiles/calculation.h"
#include "cli/question/percentiles/estimate.h"
#include "dist/evaluate/compose_draw.h"
#include "dist/source/joint.h"

enum { FACTOR_STEPS = 1024 };

struct improve_attempt {
  struct calculation *calculation;
  const struct estimate *estimate;
  const struct rational *share;
  size_t entry;
  const bool *also; /* other entries that change with it, or NULL */
  bool finite;
  uint64_t upper_ns;
};

/* What is 0 in any case cannot become faster. */
static bool takes_time(const struct law_entry *entry) {
  if (!entry->is_used)
    return false;
  if (entry->compose == NULL)
    return entry->sample.beyond != 0 || law_entry_largest(entry) != 0;
  return compose_draw_choices(entry->compose) != 0 ||
         compose_draw(entry->compose, &(struct compose_draws){0}).upper_ns != 0;
}

bool improve_tries(const struct laws *laws) {
  size_t count = 0;
  for (size_t i = 0; i < laws->entries.count; i++)
    count += takes_time(laws->entries.data[i]);
  return count <= IMPROVE_MOST;
}

static enum status try_change(struct improve_attempt *a, const struct draws_change *change) {
  if (asker_stopped(a->calculation->request->asker))
    return STATUS_INTERRUPTED;
  enum status status;
  a->upper_ns = 0;
  a->finite = estimate_try(&a->upper_ns, a->estimate, a->calculation, a->share, change, &status);
  return status;
}

/* The percentile with this part of the entry's latencies; 0: as fast as can be, but what is
 * infinite stays so. */
static enum status scaled(struct improve_attempt *a, uint64_t steps) {
  struct draws_change change = {.entry = a->entry, .numerator = steps, .denominator = FACTOR_STEPS};
  return try_change(a, &change);
}

static enum status without(struct improve_attempt *a) {
  struct draws_change change = {.entry = a->entry, .also = a->also, .removed = true};
  return try_change(a, &change);
}

static bool does(const struct improve_attempt *a, const struct slo *slo) {
  return a->finite && slo_allows(slo, a->upper_ns);
}

/* The largest factor that will do, by bisection: `good` does, `bad` does not. */
static enum status bisect(struct improve_attempt *a, struct improvement *found,
                          const struct slo *slo) {
  enum status status = scaled(a, 0);
  if (status != STATUS_OK || !does(a, slo)) {
    found->kind = IMPROVE_SAMPLES;
    return status;
  }
  uint64_t good = 0, bad = FACTOR_STEPS;
  while (bad - good > 1 && status == STATUS_OK) {
    uint64_t middle = (good + bad) / 2;
    status = scaled(a, middle);
    if (does(a, slo))
      good = middle;
    else
      bad = middle;
  }
  found->kind = IMPROVE_FACTOR;
  found->factor = (double)good / FACTOR_STEPS;
  return status;
}

enum status improve_for(improvement_list *list, struct calculation *calculation,
                        const struct estimate *estimate, const struct slo *slo) {
  struct laws *laws = &calculation->laws;
  struct improve_attempt a = {
      .calculation = calculation, .estimate = estimate, .share = &slo->percentile.share};
  enum status status = STATUS_OK;
  bool models = laws->use_models;
  if (!improve_tries(laws))
    return STATUS_OK;
  laws->use_models = false;
  for (a.entry = 0; a.entry < laws->entries.count && status == STATUS_OK; a.entry++) {
    const struct law_entry *entry = laws->entries.data[a.entry];
    if (!takes_time(entry))
      continue;
    struct improvement found = {.name = entry->name, .kind = IMPROVE_NEVER};
    status = without(&a);
    if (status == STATUS_OK && does(&a, slo))
      status = bisect(&a, &found, slo);
    vector_push(list, found);
  }
  laws->use_models = models;
  return status;
}

static int by_drop(const void *left, const void *right) {
  const struct contribution *a = left, *b = right;
  return a->drop_ns < b->drop_ns ? 1 : a->drop_ns > b->drop_ns ? -1 : 0;
}

static void add_contribution(contribution_list *list, const struct improve_attempt *a,
                             const char *name, const struct interval *now) {
  bool drops = now->upper_finite && a->finite && a->upper_ns < now->upper_ns;
  uint64_t drop_ns = drops ? now->upper_ns - a->upper_ns : 0;
  vector_push(list, (struct contribution){name, a->finite, a->upper_ns, drop_ns});
}

/* "d.Tell" of "d.Tell.0" */
static size_t length_without_indices(const char *name) {
  size_t length = strlen(name);
  for (;;) {
    size_t at = length;
    while (at > 0 && isdigit((unsigned char)name[at - 1]))
      at--;
    if (at == length || at < 2 || name[at - 1] != '.')
      return length;
    length = at - 1;
  }
}

static bool in_family(const struct law_entry *a, const struct law_entry *b) {
  size_t length = length_without_indices(a->name);
  return b->compose == NULL && b->rows_of == NULL && a->table == b->table && takes_time(b) &&
         length == length_without_indices(b->name) && strncmp(a->name, b->name, length) == 0;
}

/* Whether no row has two of them: of a choice, of which a request has one. */
static bool are_alternatives(const struct laws *laws, const bool *members, size_t table) {
  const struct joint *joint = laws->tables.data[table];
  for (size_t row = 0; row < joint->rows; row++) {
    size_t present = 0;
    for (size_t i = 0; i < laws->entries.count; i++)
      if (members[i]) {
        struct joint_cell cell = joint->columns.data[laws->entries.data[i]->column].cells[row];
        bool unknown = cell.lower_ns == 0 && cell.upper_ns == SAMPLE_NS_MAX;
        present += cell.lower_ns <= cell.upper_ns && !unknown;
      }
    if (present > 1)
      return false;
  }
  return true;
}

/* A choice spreads requests over its members, so that none of them says much by itself. */
static enum status add_families(contribution_list *list, struct improve_attempt *a,
                                const struct interval *now) {
  struct laws *laws = &a->calculation->laws;
  bool *members = mem_alloc(laws->entries.count, sizeof *members);
  enum status status = STATUS_OK;
  for (a->entry = 0; a->entry < laws->entries.count && status == STATUS_OK; a->entry++) {
    struct law_entry *entry = laws->entries.data[a->entry];
    size_t count = 0, first = laws->entries.count;
    if (entry->table == TABLE_NONE || entry->compose != NULL || !takes_time(entry))
      continue;
    for (size_t i = laws->entries.count; i-- > 0;) {
      members[i] = in_family(entry, laws->entries.data[i]);
      first = members[i] ? i : first;
      count += members[i];
    }
    if (count < 2 || first != a->entry || !are_alternatives(laws, members, entry->table))
      continue;
    if (entry->family == NULL)
      entry->family = mem_copy_text(entry->name, length_without_indices(entry->name));
    a->also = members;
    status = without(a);
    a->also = NULL;
    add_contribution(list, a, entry->family, now);
  }
  mem_free(members);
  return status;
}

enum status improve_contributions(contribution_list *list, struct calculation *calculation,
                                  const struct estimate *estimate, const struct rational *share) {
  struct laws *laws = &calculation->laws;
  struct improve_attempt a = {.calculation = calculation, .estimate = estimate, .share = share};
  struct interval now = estimate_at(estimate, calculation, share, true);
  enum status status = STATUS_OK;
  bool models = laws->use_models;
  if (!improve_tries(laws))
    return STATUS_OK;
  laws->use_models = true;
  for (a.entry = 0; a.entry < laws->entries.count && status == STATUS_OK; a.entry++) {
    const struct law_entry *entry = laws->entries.data[a.entry];
    if (!takes_time(entry))
      continue;
    status = without(&a);
    add_contribution(list, &a, entry->name, &now);
  }
  if (status == STATUS_OK)
    status = add_families(list, &a, &now);
  laws->use_models = models;
  if (list->count != 0)
    qsort(list->data, list->count, sizeof *list->data, by_drop);
  return status;
}

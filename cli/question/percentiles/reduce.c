/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/reduce.h"

#include <string.h>

#include "cli/question/law/draws.h"
#include "cli/question/law/laws.h"
#include "dist/draw/observed.h"
#include "dist/source/joint.h"

#define MIXED (SIZE_MAX - 1) /* of several tables, or of what is in none */

struct reducing {
  struct expression_table *table;
  struct laws *laws;
};

/* The table that covers all occurrences; TABLE_NONE: there are none; else MIXED. */
static size_t cover(const struct reducing *r, const struct expression *e) {
  if (e->kind == EXPRESSION_CONSTANT)
    return TABLE_NONE;
  if (e->kind == EXPRESSION_BARE)
    return MIXED;
  if (e->kind == EXPRESSION_OCCURRENCE) {
    const struct law_entry *entry =
        r->laws->entries.data[laws_entry_of(r->laws, e->occurrence, NULL)];
    return entry->table == TABLE_NONE ? MIXED : entry->table;
  }
  size_t all = TABLE_NONE;
  for (size_t i = 0; i < e->count; i++) {
    size_t one = cover(r, e->parts[i]);
    if (one == TABLE_NONE || one == all)
      continue;
    if (all != TABLE_NONE || one == MIXED)
      return MIXED;
    all = one;
  }
  return all;
}

static struct row_value leaf_of(const struct laws *laws, const struct row_leaf *leaf, size_t row,
                                const struct draws_change *change) {
  size_t index = laws_entry_of(laws, leaf->occurrence, NULL);
  const struct law_entry *entry = laws->entries.data[index];
  struct joint_cell cell = laws->tables.data[entry->table]->columns.data[entry->column].cells[row];
  struct row_value value = {cell.lower_ns, cell.upper_ns};
  return draws_changes(change, index) ? draws_changed(value, change) : value;
}

void reduce_rows(struct sample *sample, const struct laws *laws, const struct law_entry *entry,
                 const struct draws_change *change) {
  struct row_program program;
  const char *why;
  if (!row_program_init(&program, entry->rows_of, &why))
    bug("rows without a value: %s", why);
  struct row_value *leaves = mem_alloc(program.leaves.count, sizeof *leaves);
  for (size_t row = 0; row < laws->tables.data[entry->table]->rows; row++) {
    for (size_t i = 0; i < program.leaves.count; i++)
      leaves[i] = leaf_of(laws, &program.leaves.data[i], row, change);
    observed_add(sample, row_evaluate(&program, leaves));
  }
  sample_finish(sample);
  laws_regard_runs(sample, laws->tables.data[entry->table]);
  mem_free(leaves);
  row_program_clear(&program);
}

/* A new occurrence that is worth `e`. */
static const struct expression *replace(struct reducing *r, const struct expression *e,
                                        size_t table) {
  const struct joint *joint = r->laws->tables.data[table];
  struct text path;
  text_init(&path);
  text_format(&path, "%s, rows of ", joint->path);
  expression_print(&path, e);
  struct law_entry *entry = laws_new_entry(r->laws);
  int64_t index = (int64_t)r->laws->entries.count;
  entry->path = mem_copy_text(path.data, path.length);
  entry->name = mem_copy_text("rows", strlen("rows"));
  entry->component = mem_copy_text("rows", strlen("rows"));
  entry->table = table;
  entry->rows_of = e;
  reduce_rows(&entry->sample, r->laws, entry, NULL);
  text_clear(&path);
  const struct occurrence *occurrence = expression_occurrence(r->table, "rows", NULL, &index, 1);
  vector_push(&r->laws->by_occurrence, r->laws->entries.count - 1);
  r->laws->measured++;
  return expression_term(r->table, occurrence);
}

static const struct expression *reduce_node(struct reducing *r, const struct expression *e);

/* Parts that one table covers go together, where the order of parts does not matter. */
static const struct expression *reduce_parts(struct reducing *r, const struct expression *e) {
  VECTOR(const struct expression *) parts = {0};
  VECTOR(const struct expression *) own = {0};
  for (size_t t = 0; t < r->laws->tables.count && e->kind != EXPRESSION_KTH; t++) {
    own.count = 0;
    for (size_t i = 0; i < e->count; i++)
      if (cover(r, e->parts[i]) == t)
        vector_push(&own, e->parts[i]);
    if (own.count != 0)
      vector_push(&parts,
                  replace(r, expression_combine(r->table, e->kind, own.data, own.count, 0), t));
  }
  for (size_t i = 0; i < e->count; i++) {
    size_t covered = cover(r, e->parts[i]);
    if (e->kind == EXPRESSION_KTH || covered == MIXED || covered == TABLE_NONE)
      vector_push(&parts, reduce_node(r, e->parts[i]));
  }
  const struct expression *made =
      expression_combine(r->table, e->kind, parts.data, parts.count, e->rank);
  vector_clear(&parts);
  vector_clear(&own);
  return made;
}

static const struct expression *reduce_node(struct reducing *r, const struct expression *e) {
  size_t covered = cover(r, e);
  if (covered == TABLE_NONE)
    return e;
  if (covered != MIXED)
    return replace(r, e, covered);
  if (e->kind == EXPRESSION_SCALE)
    return expression_scale(r->table, &e->value, reduce_node(r, e->parts[0]));
  return e->kind == EXPRESSION_OCCURRENCE || e->kind == EXPRESSION_BARE ? e : reduce_parts(r, e);
}

const struct expression *reduce(const struct expression *expression, struct expression_table *table,
                                struct laws *laws) {
  if (laws->tables.count == 0)
    return expression;
  struct reducing r = {table, laws};
  size_t before = laws->entries.count;
  const struct expression *made = reduce_node(&r, expression);
  for (size_t i = 0; i < before; i++)
    if (laws->entries.data[i]->table != TABLE_NONE) {
      laws->entries.data[i]->is_covered = true;
      laws->measured--;
    }
  return made;
}

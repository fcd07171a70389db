/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/evaluate/formula.h"

#include <stdio.h>

#include "base/invariant.h"

struct making_formula {
  struct formula *formula;
  const struct flow_variant *variant;
  const struct span_names *names;
  int64_t *rows; /* durations with what changes, by request */
  int64_t *took; /* by request; of the call that is looked at */
  const struct expression **finish;
  bool *needed;
};

/* --- durations -------------------------------------------------------------------------------- */

static void change_rows(struct making_formula *m) {
  const struct request_flow *flow = m->variant->recorded;
  size_t count = flow->activities.count;
  struct editing editing = {.longest = edits_longest(m->variant)};
  m->rows = mem_alloc(flow->durations.count, sizeof *m->rows);
  for (size_t i = 0; i < flow->durations.count; i++)
    m->rows[i] = flow->durations.data[i];
  for (size_t i = 0; i < flow->requests.count; i++)
    edits_apply(m->rows + i * count, m->variant, &editing);
}

static void fill(struct sample *sample, const int64_t *ns, size_t count, size_t stride) {
  sample_init(sample);
  for (size_t i = 0; i < count; i++)
    sample_add_range(sample, (uint64_t)ns[i * stride], (uint64_t)ns[i * stride], 1);
  sample_finish(sample);
}

/* How long the call was recorded to take, with all it called. */
static void fill_recorded(struct sample *sample, const struct making_formula *m,
                          const struct edit *edit) {
  const struct request_flow *flow = m->variant->recorded;
  size_t count = flow->activities.count;
  int64_t *finish = mem_alloc(count, sizeof *finish);
  for (size_t i = 0; i < flow->requests.count; i++) {
    flow_finish(finish, flow, flow->durations.data + i * count);
    m->took[i] = finish[edit->activity] - (edit->lead == SPAN_NONE ? 0 : finish[edit->lead]);
  }
  fill(sample, m->took, flow->requests.count, 1);
  mem_free(finish);
}

static bool is_constant(const struct making_formula *m, uint32_t activity) {
  const struct request_flow *flow = m->variant->recorded;
  for (size_t i = 1; i < flow->requests.count; i++)
    if (m->rows[i * flow->activities.count + activity] != m->rows[activity])
      return false;
  return true;
}

/* --- expressions ------------------------------------------------------------------------------ */

static const struct expression *whole(struct making_formula *m, int64_t ns) {
  struct rational value;
  rational_init(&value);
  rational_set_integer(&value, ns);
  const struct expression *constant = expression_constant(&m->formula->table, &value);
  rational_clear(&value);
  return constant;
}

/* The occurrence of an activity, which has no other. */
static const struct expression *occurrence_of(struct making_formula *m, uint32_t activity) {
  const struct activity *a = &m->variant->flow.activities.data[activity];
  struct text name;
  text_init(&name);
  flow_call_name(&name, &m->variant->flow, a->position, m->names);
  text_append(&name, a->is_lead ? " lead" : "");
  int64_t index = activity;
  struct expression_table *table = &m->formula->table;
  const struct occurrence *occurrence = expression_occurrence(
      table, arena_text(&table->arena, name.data, name.length), NULL, &index, 1);
  text_clear(&name);
  invariant(occurrence->id == m->formula->leaves.count);
  vector_push(&m->formula->leaves, (struct formula_leaf){.activity = activity, .law = SIZE_MAX});
  return expression_term(table, occurrence);
}

static const struct expression *drawn(struct making_formula *m, const struct edit *edit) {
  const struct expression *term = occurrence_of(m, edit->activity);
  struct formula_leaf *leaf = &m->formula->leaves.data[m->formula->leaves.count - 1];
  leaf->law = edit->law;
  fill_recorded(&leaf->sample, m, edit);
  return term;
}

static const struct expression *scaled(struct making_formula *m, const struct edit *edit,
                                       const struct expression *part) {
  struct rational factor;
  rational_init(&factor);
  char digits[40];
  snprintf(digits, sizeof digits, "%.17g", edit->number);
  rational_parse(&factor, digits);
  const struct expression *product =
      expression_scale(&m->formula->table, edit->factor != NULL ? edit->factor : &factor, part);
  rational_clear(&factor);
  return product;
}

/* What an edit makes of what was drawn before it. */
static const struct expression *edited(struct making_formula *m, const struct edit *edit,
                                       const struct expression *part) {
  if (edit->kind == EDIT_DRAW)
    return drawn(m, edit);
  if (edit->kind == EDIT_SCALE)
    return scaled(m, edit, part);
  if (edit->ns < 0)
    m->formula->why_not = "time is taken from a call that is drawn anew";
  const struct expression *parts[] = {part, whole(m, edit->ns < 0 ? 0 : edit->ns)};
  return expression_combine(&m->formula->table, EXPRESSION_ADD, parts, 2, 0);
}

/* The last draw of an activity: what was before it does not count. */
static size_t last_draw(const struct flow_variant *variant, uint32_t activity) {
  size_t last = SIZE_MAX;
  for (size_t i = 0; i < variant->edits.count; i++)
    if (variant->edits.data[i].kind == EDIT_DRAW && variant->edits.data[i].activity == activity)
      last = i;
  return last;
}

static const struct expression *duration_of(struct making_formula *m, uint32_t activity) {
  const struct request_flow *flow = m->variant->recorded;
  size_t draw = last_draw(m->variant, activity);
  if (draw != SIZE_MAX) {
    const struct expression *part = NULL;
    for (size_t i = draw; i < m->variant->edits.count; i++)
      if (m->variant->edits.data[i].activity == activity)
        part = edited(m, &m->variant->edits.data[i], part);
    return part;
  }
  if (is_constant(m, activity)) {
    m->formula->constants++;
    return whole(m, m->rows[activity]);
  }
  const struct expression *term = occurrence_of(m, activity);
  fill(&m->formula->leaves.data[m->formula->leaves.count - 1].sample, m->rows + activity,
       flow->requests.count, flow->activities.count);
  return term;
}

static const struct expression *ready_of(struct making_formula *m, const struct activity *a) {
  const struct expression **parts = mem_alloc(a->wait_count, sizeof *parts);
  for (uint32_t i = 0; i < a->wait_count; i++)
    parts[i] = m->finish[m->variant->flow.waits.data[a->wait_first + i]];
  enum expression_kind kind = a->rank == a->wait_count ? EXPRESSION_MAX
                              : a->rank == 1           ? EXPRESSION_MIN
                                                       : EXPRESSION_KTH;
  const struct expression *ready =
      a->wait_count == 0 ? whole(m, 0)
      : a->wait_count == 1
          ? parts[0]
          : expression_combine(&m->formula->table, kind, parts, a->wait_count, (int64_t)a->rank);
  mem_free(parts);
  return ready;
}

/* What the end waits for, directly or through others. */
static void find_needed(struct making_formula *m) {
  const struct request_flow *flow = &m->variant->flow;
  m->needed[flow->activities.count - 1] = true;
  for (size_t i = flow->activities.count; i-- > 0;)
    for (uint32_t k = 0; m->needed[i] && k < flow->activities.data[i].wait_count; k++)
      m->needed[flow->waits.data[flow->activities.data[i].wait_first + k]] = true;
}

static void make_expression(struct making_formula *m) {
  const struct request_flow *flow = &m->variant->flow;
  for (uint32_t i = 0; i < flow->activities.count; i++) {
    if (!m->needed[i])
      continue;
    const struct expression *parts[] = {ready_of(m, &flow->activities.data[i]), duration_of(m, i)};
    m->finish[i] = expression_combine(&m->formula->table, EXPRESSION_ADD, parts, 2, 0);
  }
  m->formula->expression = m->finish[flow->activities.count - 1];
}

void formula_make(struct formula *formula, const struct flow_variant *variant,
                  const struct span_names *names) {
  *formula = (struct formula){0};
  expression_table_init(&formula->table);
  size_t count = variant->flow.activities.count;
  struct making_formula m = {.formula = formula, .variant = variant, .names = names};
  m.finish = mem_alloc(count, sizeof *m.finish);
  m.needed = mem_alloc(count, sizeof *m.needed);
  m.took = mem_alloc(variant->flow.requests.count, sizeof *m.took);
  change_rows(&m);
  find_needed(&m);
  make_expression(&m);
  if (variant->limit_of.count != 0)
    formula->why_not = "calls of all requests share servers";
  mem_free(m.finish);
  mem_free(m.needed);
  mem_free(m.took);
  mem_free(m.rows);
}

void formula_clear(struct formula *formula) {
  for (size_t i = 0; i < formula->leaves.count; i++)
    sample_clear(&formula->leaves.data[i].sample);
  vector_clear(&formula->leaves);
  expression_table_clear(&formula->table);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/judge/valuation.h"
#include "base/expression.h"
#include "lang/model.h"

#include <string.h>

static struct value_cell *cells_new(size_t count) {
  struct value_cell *cells = mem_alloc(count, sizeof *cells);
  for (size_t i = 0; i < count; i++)
    rational_init(&cells[i].value);
  return cells;
}

static void cells_clear(struct value_cell *cells, size_t count) {
  for (size_t i = 0; i < count; i++)
    rational_clear(&cells[i].value);
}

static void cells_reset(struct value_cell *cells, size_t count) {
  for (size_t i = 0; i < count; i++) {
    rational_set_integer(&cells[i].value, 0);
    cells[i].set = false;
  }
}

static void cell_set(struct value_cell *cell, const struct rational *value) {
  rational_set(&cell->value, value);
  cell->set = true;
}

static void cells_copy(struct value_cell *cells, const struct value_cell *from, size_t count) {
  for (size_t i = 0; i < count; i++) {
    rational_set(&cells[i].value, &from[i].value);
    cells[i].set = from[i].set;
  }
}

static struct value_cell *term_cell(struct values *values, size_t id) {
  while (values->terms.count <= id) {
    struct value_cell cell = {.set = false};
    rational_init(&cell.value);
    vector_push(&values->terms, cell);
  }
  return &values->terms.data[id];
}

void values_init(struct values *values, const struct model *model) {
  memset(values, 0, sizeof *values);
  values->model = model;
  values->largest = cells_new(model->components.count);
  values->fixed = cells_new(model->components.count);
  rational_init(&values->zero);
}

void values_clear(struct values *values) {
  size_t count = values->model->components.count;
  cells_clear(values->terms.data, values->terms.count);
  cells_clear(values->largest, count);
  cells_clear(values->fixed, count);
  vector_clear(&values->terms);
  mem_free(values->largest);
  mem_free(values->fixed);
  rational_clear(&values->zero);
}

void values_reset(struct values *values) {
  size_t count = values->model->components.count;
  cells_reset(values->terms.data, values->terms.count);
  cells_reset(values->largest, count);
  cells_reset(values->fixed, count);
}

void values_copy(struct values *values, const struct values *from) {
  size_t count = values->model->components.count;
  values_reset(values);
  if (from->terms.count != 0)
    term_cell(values, from->terms.count - 1);
  cells_copy(values->terms.data, from->terms.data, from->terms.count);
  cells_copy(values->largest, from->largest, count);
  cells_copy(values->fixed, from->fixed, count);
}

const struct component *values_component(const struct model *model,
                                         const struct occurrence *occurrence) {
  for (size_t i = 0; i < model->components.count; i++)
    if (strcmp(model->components.items[i]->name, occurrence->component) == 0)
      return model->components.items[i];
  if (strcmp(occurrence->component, VALUES_CLOCK_READ) == 0)
    return NULL;
  bug("occurrence %s of no component", occurrence->label);
}

void values_set(struct values *values, const struct occurrence *occurrence,
                const struct rational *value) {
  cell_set(term_cell(values, occurrence->id), value);
  const struct component *component = values_component(values->model, occurrence);
  if (component == NULL)
    return;
  struct value_cell *largest = &values->largest[component->id];
  if (!largest->set || rational_compare(&largest->value, value) < 0)
    cell_set(largest, value);
}

bool values_is_set(const struct values *values, const struct occurrence *occurrence) {
  return occurrence->id < values->terms.count && values->terms.data[occurrence->id].set;
}

void values_fix_bare(struct values *values, const struct component *component,
                     const struct rational *value) {
  cell_set(&values->fixed[component->id], value);
}

const struct rational *values_term(const struct values *values,
                                   const struct occurrence *occurrence) {
  if (occurrence->id >= values->terms.count)
    return &values->zero;
  return &values->terms.data[occurrence->id].value;
}

const struct rational *values_bare(const struct values *values, const struct component *component) {
  const struct value_cell *fixed = &values->fixed[component->id];
  return fixed->set ? &fixed->value : &values->largest[component->id].value;
}

static const struct rational *table_term(const struct occurrence *occurrence, void *context) {
  return values_term(context, occurrence);
}

static const struct rational *table_bare(const struct component *component, void *context) {
  return values_bare(context, component);
}

struct valuation values_valuation(const struct values *values) {
  /* The callbacks only read, as their casts back to const show. */
  return (struct valuation){table_term, table_bare, (void *)values};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/assumed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "cli/question/law/laws.h"
#include "cli/question/law/request.h"
#include "cli/question/verify/parameters.h"
#include "dist/evaluate/compose_draw.h"
#include "dist/source/joint.h"
#include "dist/source/source.h"
#include "solver/search/room.h"

/* What was measured of a component. */
struct extent {
  bool measured;
  bool endless;        /* some observations have no end */
  uint64_t low_ns, ns; /* the shortest; the longest of those that have one */
  char *where;         /* the file with the longest */
  struct rational shortest, longest;
};

struct checking {
  const struct laws *laws;
  const struct model *model;
  const struct component *component; /* whose files are visited */
  struct parameters set;
  struct ledger *ledger;
  struct text *message;
  enum status status;
  struct extent *extents; /* by component id */
};

/* --- what was measured ------------------------------------------------------------------------ */

static void take(struct extent *l, const struct sample *sample, const char *where) {
  bool endless = sample->beyond != 0;
  uint64_t ns = sample->count == 0 ? 0 : sample->bins[sample->count - 1].upper_ns;
  uint64_t low_ns = sample->count == 0 ? ns : sample->bins[0].lower_ns;
  l->low_ns = l->measured && l->low_ns < low_ns ? l->low_ns : low_ns;
  if (l->measured && (l->endless || (!endless && ns <= l->ns)))
    return;
  l->measured = true;
  l->endless = endless;
  l->ns = ns;
  mem_free(l->where);
  l->where = mem_copy_text(where, strlen(where));
}

static struct row_value extent_of(void *context, const char *name) {
  const struct laws *laws = context;
  const struct sample *sample = &laws->entries.data[laws_entry_called(laws, name)]->sample;
  struct row_value extent = {ROW_INFINITE, ROW_INFINITE};
  if (sample->count != 0)
    extent = (struct row_value){sample->bins[0].lower_ns, sample->bins[sample->count - 1].upper_ns};
  if (sample->beyond != 0)
    extent.upper_ns = ROW_INFINITE;
  return extent;
}

/* What --law writes, from the measurements it names. */
static void take_composed(struct checking *c, struct extent *l, const struct law_entry *entry) {
  struct compose_draws draws = {extent_of, (void *)(uintptr_t)c->laws, NULL};
  struct sample sample;
  struct text where;
  sample_init(&sample);
  text_init(&where);
  text_format(&where, "--law %s", entry->name);
  struct row_value all = {0, ROW_INFINITE}; /* of too many draws to follow */
  if (compose_draw_size(entry->compose) <= ROW_STEPS_MAX)
    all = compose_extent(entry->compose, &draws);
  if (all.upper_ns >= ROW_INFINITE)
    sample_add_beyond(&sample, 1);
  else
    sample_add_range(&sample, all.lower_ns, all.upper_ns, 1);
  sample_finish(&sample);
  take(l, &sample, text_get(&where));
  text_clear(&where);
  sample_clear(&sample);
}

/* "d" of "d.Ack" is the component's. */
static bool is_named_after(const char *name, const char *component) {
  size_t length = strlen(component);
  return strncmp(name, component, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

static void take_entry(struct checking *c, const struct law_entry *entry) {
  for (size_t i = 0; i < c->model->components.count; i++) {
    const char *component = c->model->components.items[i]->name;
    if (!entry->is_used || entry->rows_of != NULL)
      continue;
    if (entry->compose != NULL && is_named_after(entry->name, component))
      take_composed(c, &c->extents[i], entry);
    else if (entry->compose == NULL && strcmp(component, entry->component) == 0)
      take(&c->extents[i], &entry->sample, entry->path);
  }
}

/* Whether --law stands for all measurements of the component. */
static bool is_written(const struct laws *laws, const struct component *component) {
  for (size_t i = 0; i < laws->entries.count; i++)
    if (laws->entries.data[i]->compose != NULL &&
        strcmp(laws->entries.data[i]->name, component->name) == 0)
      return true;
  return false;
}

static bool is_read(const struct laws *laws, const char *path) {
  for (size_t i = 0; i < laws->entries.count; i++)
    if (laws->entries.data[i]->path != NULL && strcmp(laws->entries.data[i]->path, path) == 0)
      return true;
  return false;
}

static void visit(const char *file, const char *parts, void *context) {
  (void)parts;
  struct checking *c = context;
  struct text path;
  text_init(&path);
  text_format(&path, "%s/%s", c->laws->request->data, file);
  if (c->status == STATUS_OK && !is_read(c->laws, text_get(&path))) {
    struct sample sample;
    struct source_notes notes;
    sample_init(&sample);
    source_notes_init(&notes);
    struct source_options options =
        laws_options(c->laws->request, text_get(&path), c->component->name);
    options.is_delay = c->component->kind == COMPONENT_DELAY;
    c->status = source_read_with(&sample, &notes, NULL, text_get(&path), &options, c->message);
    if (c->status == STATUS_OK)
      take(&c->extents[c->component->id], &sample, text_get(&path));
    source_notes_clear(&notes);
    sample_clear(&sample);
  }
  text_clear(&path);
}

static bool is_assumed(const struct model *model, const struct component *component) {
  bool found = false;
  for (size_t i = 0; i < model->assumptions.count; i++)
    found |= assumption_mentions(model->assumptions.items[i], component);
  return found && component->kind != COMPONENT_CONSTANT;
}

/* Columns of tables that the bound does not need. */
static void take_columns(struct checking *c, const struct component *component) {
  size_t length = strlen(component->name);
  for (size_t t = 0; t < c->laws->tables.count; t++) {
    const struct joint *joint = c->laws->tables.data[t];
    for (size_t k = 0; k < joint->columns.count; k++) {
      const char *name = joint->columns.data[k].name;
      if (strncmp(name, component->name, length) != 0 ||
          (name[length] != '\0' && name[length] != '.'))
        continue;
      struct law_entry column = {.table = t, .column = k};
      sample_init(&column.sample);
      laws_fill_column(&column, joint);
      take(&c->extents[component->id], &column.sample, joint->path);
      sample_clear(&column.sample);
    }
  }
}

static void measure(struct checking *c) {
  for (size_t i = 0; i < c->laws->entries.count; i++)
    take_entry(c, c->laws->entries.data[i]);
  for (size_t i = 0; i < c->model->components.count && c->status == STATUS_OK; i++) {
    c->component = c->model->components.items[i];
    if (!is_assumed(c->model, c->component) || is_written(c->laws, c->component))
      continue;
    take_columns(c, c->component);
    if (c->laws->request->data != NULL)
      source_visit(c->laws->request->data, c->component->name, visit, c);
  }
}

/* --- what they break -------------------------------------------------------------------------- */

static bool is_in_broken(const struct checking *c, const bool *broken,
                         const struct component *component) {
  bool found = false;
  for (size_t i = 0; i < c->model->assumptions.count; i++)
    found |= broken[i] && assumption_mentions(c->model->assumptions.items[i], component);
  return found;
}

static void put_extent(struct text *text, const struct component *component,
                       const struct extent *l) {
  text_format(text, "; %s ", component->name);
  if (l->endless) {
    text_append(text, "has no end in some observations");
  } else {
    text_append(text, "takes ");
    if (component_is_single(component))
      duration_print_lower(text, l->low_ns);
    text_append(text, component_is_single(component) ? " to " : "up to ");
    duration_print_upper(text, l->ns);
  }
  text_format(text, " (%s)", l->where);
}

static void complain(struct checking *c, const bool *broken) {
  const char *separator = "cannot tell: the measurements break ";
  for (size_t i = 0; i < c->model->assumptions.count; i++)
    if (broken[i]) {
      text_format(c->message, "%s`assume %s`", separator, c->model->assumptions.items[i]->text);
      separator = " with ";
    }
  for (size_t i = 0; i < c->model->components.count; i++) {
    const struct component *component = c->model->components.items[i];
    if (!is_in_broken(c, broken, component))
      continue;
    if (component->kind == COMPONENT_CONSTANT && c->set.times[i] != NULL) {
      text_format(c->message, "; %s is ", component->name);
      duration_print_exact(c->message, c->set.times[i]);
    } else if (c->extents[i].measured) {
      put_extent(c->message, component, &c->extents[i]);
    }
  }
  text_append(c->message, ". The bound says nothing of executions that break an assumption: ask "
                          "with other parameters (--set), or measure what keeps it");
}

static enum status judge(struct checking *c) {
  size_t count = c->model->components.count;
  const struct rational **shortest = mem_alloc(count, sizeof *shortest);
  const struct rational **longest = mem_alloc(count, sizeof *longest);
  bool *broken = mem_alloc(c->model->assumptions.count, sizeof *broken);
  for (size_t i = 0; i < count; i++) {
    struct extent *l = &c->extents[i];
    rational_set_integer(&l->shortest, (int64_t)l->low_ns);
    rational_set_integer(&l->longest, l->endless ? INT64_MAX : (int64_t)l->ns);
    if (!l->measured || !is_assumed(c->model, c->model->components.items[i]))
      continue;
    shortest[i] = &l->shortest;
    longest[i] = &l->longest;
  }
  struct room_facts facts = {c->set.values, c->set.given, c->set.times, shortest, longest};
  enum room room = room_find(c->model, &facts, broken);
  if (room == ROOM_NONE)
    complain(c, broken);
  else if (room == ROOM_UNKNOWN)
    ledger_warn(c->ledger, LEDGER_DATA,
                "whether the measurements keep the assumptions could not be decided: they are "
                "taken for granted, as the protocol states them");
  mem_free(broken);
  mem_free(shortest);
  mem_free(longest);
  return room == ROOM_NONE ? STATUS_UNKNOWN : STATUS_OK;
}

static bool any_is_measured(const struct checking *c) {
  bool any = false;
  for (size_t i = 0; i < c->model->components.count; i++)
    any |= c->extents[i].measured && is_assumed(c->model, c->model->components.items[i]);
  return any;
}

enum status assumed_check(const struct laws *laws, const struct model *model, struct ledger *ledger,
                          struct text *message) {
  size_t count = model->components.count;
  struct checking c = {.laws = laws, .model = model, .ledger = ledger, .message = message};
  c.extents = mem_alloc(count, sizeof *c.extents);
  for (size_t i = 0; i < count; i++) {
    rational_init(&c.extents[i].shortest);
    rational_init(&c.extents[i].longest);
  }
  c.status = parameters_read(&c.set, model, &laws->request->set, laws->request->asker);
  if (c.status == STATUS_OK)
    measure(&c);
  if (c.status == STATUS_OK && any_is_measured(&c))
    c.status = judge(&c);
  for (size_t i = 0; i < count; i++) {
    rational_clear(&c.extents[i].shortest);
    rational_clear(&c.extents[i].longest);
    mem_free(c.extents[i].where);
  }
  mem_free(c.extents);
  parameters_clear(&c.set);
  return c.status;
}

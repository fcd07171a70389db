/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/one_request.h"

#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "cli/question/law/laws.h"
#include "cli/question/law/request.h"
#include "dist/source/joint.h"
#include "dist/source/source.h"
#include "lang/alike.h"

struct checking {
  const struct model *model;
  const struct bound *bound;
  const struct component *component;
  const char *directory;
  struct text *message;
  bool found;
};

/* An index in the name of a file or column: of which message, at which place, and its value. */
struct named_index {
  const struct message *message;
  size_t position;
  long long value;
};

static const struct message *find_message(const struct model *model, const char *name,
                                          size_t length) {
  for (size_t i = 0; i < model->messages.count; i++)
    if (strlen(model->messages.items[i]->name) == length &&
        memcmp(model->messages.items[i]->name, name, length) == 0)
      return model->messages.items[i];
  return NULL;
}

/* The first index in "Ack.2.3", or "7", that says which request it is of. */
static bool find_index(struct named_index *index, const struct checking *c, const char *parts) {
  const struct component *component = c->component;
  *index = (struct named_index){0};
  if (component->kind == COMPONENT_DELAY || component->kind == COMPONENT_QUEUEING) {
    size_t length = strcspn(parts, ".");
    index->message = find_message(c->model, parts, length);
    if (index->message == NULL)
      return false;
    parts += length + (parts[length] == '.');
  }
  for (; *parts != '\0'; index->position++) {
    char *end;
    index->value = strtoll(parts, &end, 10);
    if (end != parts && bound_shifts(c->bound, component, index->message, index->position))
      return true;
    parts += strcspn(parts, ".");
    parts += *parts == '.';
  }
  return false;
}

static void visit(const char *file, const char *parts, void *context) {
  struct checking *c = context;
  struct named_index index;
  if (c->found || !find_index(&index, c, parts))
    return;
  c->found = true;
  text_format(c->message,
              "%s/%s is of one request (number %lld), but the bound \"%s\" is of any: put what all "
              "requests took into one file (import without --by index)",
              c->directory, file, index.value, c->bound->name);
}

/* Whether the bound's expression has an occurrence with this index. */
static bool is_meant(const struct expression_table *table, const struct component *component,
                     const struct named_index *index) {
  for (size_t i = 0; i < table->occurrences.count; i++) {
    const struct occurrence *o = table->occurrences.data[i];
    bool same_message = index->message == NULL
                            ? o->message == NULL
                            : o->message != NULL && strcmp(o->message, index->message->name) == 0;
    if (strcmp(o->component, component->name) == 0 && same_message &&
        index->position < o->index_count && o->indices[index->position] == index->value)
      return true;
  }
  return false;
}

static void check_columns(struct checking *c, const struct joint *joint,
                          const struct expression_table *table) {
  size_t length = strlen(c->component->name);
  for (size_t k = 0; k < joint->columns.count && !c->found; k++) {
    const char *name = joint->columns.data[k].name;
    struct named_index index;
    if (strncmp(name, c->component->name, length) != 0 || name[length] != '.' ||
        !find_index(&index, c, name + length + 1) || is_meant(table, c->component, &index))
      continue;
    c->found = true;
    text_format(
        c->message,
        "%s: column %s is of request number %lld, but the bound \"%s\" is of any: a row has "
        "to be one request (replay --out makes such a table; --joint none leaves it out)",
        joint->path, name, index.value, c->bound->name);
  }
}

enum status one_request_check(const struct laws *laws, const struct model *model,
                              const struct bound *bound, const struct expression_table *table,
                              struct text *message) {
  struct checking c = {
      .model = model, .bound = bound, .directory = laws->request->data, .message = message};
  for (size_t i = 0; bound->from != NULL && i < model->components.count && !c.found; i++) {
    c.component = model->components.items[i];
    if (c.directory != NULL)
      source_visit(c.directory, c.component->name, visit, &c);
    for (size_t t = 0; t < laws->tables.count && !c.found; t++)
      check_columns(&c, laws->tables.data[t], table);
  }
  return c.found ? STATUS_DATA : STATUS_OK;
}

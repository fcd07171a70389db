/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/unread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/question/law/laws.h"
#include "cli/question/law/request.h"
#include "cli/question/verify/parameters.h"
#include "dist/source/joint.h"
#include "dist/source/source.h"
#include "lang/instantiate.h"

enum { NAMED_MAX = 4 };

struct unread {
  struct source_notes *warnings;
  const char *directory;
  const struct parameters *set;
  const struct laws *laws;
  const struct component *component;
  struct text why, names; /* of the files that are said together */
  size_t count;           /* how many they are */
};

/* What a part of a name may be, by the occurrence it stands in: "X" or "d(Ack)". */
struct indexed_name {
  const char *label;
  const struct type *type;
  size_t position, count;
};

/* --- why a name is none ----------------------------------------------------------------------- */

static bool is_given(const struct term *term, const struct parameters *set) {
  bool given = term->kind != TERM_PARAM || set->given[term->param->id];
  for (size_t i = 0; i < term->count && given; i++)
    given = is_given(term->args[i], set);
  return given;
}

/* How many values the index has, counted from 0; false when that is open. */
static bool count_values(int64_t *count, const struct type *type, const struct parameters *set) {
  if (type->kind == TYPE_ENUM)
    *count = (int64_t)type->enumeration->count;
  else if (type->kind == TYPE_BOOL)
    *count = 2;
  else if (type->kind != TYPE_NODE ||
           (type->role->count != NULL && !is_given(type->role->count, set)) ||
           !role_size(count, set->model, type->role, set->values))
    return false;
  return true;
}

static void put_range(struct text *why, const struct indexed_name *place, int64_t count) {
  if (place->count > 1)
    text_format(why, "index %zu of %s is", place->position + 1, place->label);
  else
    text_format(why, "%s has the ind%s", place->label, count == 1 ? "ex" : "ices");
  text_append(why, " 0");
  if (count > 1)
    text_format(why, " to %" PRId64, count - 1);
  else
    text_append(why, " only");
  if (place->type->kind == TYPE_NODE)
    text_append(why, " (nodes count from 0)");
}

static bool explain_index(struct text *why, const struct indexed_name *place, const char *part,
                          const struct parameters *set) {
  long long index = strtoll(part, NULL, 10);
  char written[32];
  int64_t count;
  snprintf(written, sizeof written, "%lld", index);
  if (strcmp(written, part) != 0) { /* "01" is looked for as "1" */
    text_format(why, "\"%s\" is no index of %s", part, place->label);
    return true;
  }
  if (!count_values(&count, place->type, set) || (index >= 0 && index < count))
    return false;
  put_range(why, place, count);
  return true;
}

/* The next part of "Ack.2", taken off. */
static char *take_part(const char **parts) {
  size_t length = strcspn(*parts, ".");
  char *part = mem_copy_text(*parts, length);
  *parts += length + ((*parts)[length] == '.');
  return part;
}

/* Whether an index among `parts` is none, and why. */
static bool explain_indices(struct text *why, const char *label, const char *parts,
                            const struct type *const *types, size_t count,
                            const struct parameters *set) {
  bool found = false;
  for (size_t i = 0; *parts != '\0' && !found; i++) {
    char *part = take_part(&parts);
    if (i < count) {
      found = explain_index(why, &(struct indexed_name){label, types[i], i, count}, part, set);
    } else {
      found = true;
      if (count == 0)
        text_format(why, "%s has no index", label);
      else
        text_format(why, "%s has %zu ind%s only", label, count, count == 1 ? "ex" : "ices");
    }
    mem_free(part);
  }
  return found;
}

static const struct message *find_message(const struct model *model,
                                          const struct component *component, const char *name) {
  for (size_t i = 0; i < model->messages.count; i++) {
    const struct message *message = model->messages.items[i];
    bool other = component->kind == COMPONENT_DELAY ? message->delay != component
                                                    : message->receiver->external;
    if (!other && strcmp(message->name, name) == 0)
      return message;
  }
  return NULL;
}

static bool explain_message(struct text *why, const struct unread *u, const char *parts) {
  char *name = take_part(&parts);
  const struct message *message = find_message(u->set->model, u->component, name);
  bool found = message == NULL;
  if (found) {
    text_format(why, "the protocol has no %s(%s)", u->component->name, name);
  } else {
    struct text label;
    VECTOR(const struct type *) types = {0};
    text_init(&label);
    text_format(&label, "%s(%s)", u->component->name, name);
    for (size_t i = 0; i < message->field_count; i++)
      vector_push(&types, &message->fields[i].type);
    found = explain_indices(why, text_get(&label), parts, types.data, types.count, u->set);
    vector_clear(&types);
    text_clear(&label);
  }
  mem_free(name);
  return found;
}

static bool explain(struct text *why, const struct unread *u, const char *parts) {
  const struct component *component = u->component;
  if (component->kind == COMPONENT_DELAY || component->kind == COMPONENT_QUEUEING)
    return explain_message(why, u, parts);
  VECTOR(const struct type *) types = {0};
  for (size_t i = 0; i < component->index_count; i++)
    vector_push(&types, &component->index[i]);
  bool found = explain_indices(why, component->name, parts, types.data, types.count, u->set);
  vector_clear(&types);
  return found;
}

/* --- the files -------------------------------------------------------------------------------- */

static bool is_read(const struct laws *laws, const char *file) {
  for (size_t i = 0; laws != NULL && i < laws->entries.count; i++) {
    const char *path = laws->entries.data[i]->path;
    const char *base = path == NULL ? NULL : strrchr(path, '/');
    if (base != NULL && strcmp(base + 1, file) == 0)
      return true;
  }
  return false;
}

static void say(struct unread *u) {
  if (u->count > NAMED_MAX)
    text_format(&u->names, " and %zu more", u->count - NAMED_MAX);
  if (u->count != 0)
    source_notes_add(u->warnings, "%s: %s %s read by nothing: %s", u->directory,
                     text_get(&u->names), u->count == 1 ? "is" : "are", text_get(&u->why));
  text_clear(&u->names);
  text_clear(&u->why);
  u->count = 0;
}

/* Neighbours with one reason are said together. */
static void visit(const char *file, const char *parts, void *context) {
  struct unread *u = context;
  struct text why;
  text_init(&why);
  if (*parts != '\0' && !is_read(u->laws, file) && explain(&why, u, parts)) {
    if (u->count != 0 && strcmp(text_get(&why), text_get(&u->why)) != 0)
      say(u);
    if (u->count < NAMED_MAX)
      text_format(&u->names, "%s%s", u->count == 0 ? "" : ", ", file);
    if (u->count++ == 0)
      text_append(&u->why, text_get(&why));
  }
  text_clear(&why);
}

static bool is_measured(const struct laws *laws, const struct component *component) {
  if (component->kind == COMPONENT_CONSTANT)
    return false;
  for (size_t i = 0; laws != NULL && i < laws->entries.count; i++)
    if (laws->entries.data[i]->path != NULL &&
        strcmp(laws->entries.data[i]->component, component->name) == 0)
      return true;
  return laws == NULL;
}

void unread_find(struct source_notes *warnings, const char *directory, const struct parameters *set,
                 const struct laws *laws) {
  struct unread u = {.warnings = warnings, .directory = directory, .set = set, .laws = laws};
  text_init(&u.why);
  text_init(&u.names);
  for (size_t i = 0; i < set->model->components.count; i++) {
    u.component = set->model->components.items[i];
    if (!is_measured(laws, u.component))
      continue;
    source_visit(directory, u.component->name, visit, &u);
    say(&u);
  }
}

/* The same of the columns of a table. */
static void find_columns(struct source_notes *warnings, const struct joint *joint,
                         const struct parameters *set, const struct laws *laws) {
  struct unread u = {.warnings = warnings, .directory = joint->path, .set = set, .laws = laws};
  text_init(&u.why);
  text_init(&u.names);
  for (size_t i = 0; i < set->model->components.count; i++) {
    u.component = set->model->components.items[i];
    size_t length = strlen(u.component->name);
    for (size_t k = 0; k < joint->columns.count && is_measured(laws, u.component); k++) {
      const char *name = joint->columns.data[k].name;
      if (strncmp(name, u.component->name, length) == 0 && name[length] == '.')
        visit(name, name + length + 1, &u);
    }
    say(&u);
  }
}

enum status unread_warn(const struct laws *laws, const struct model *model, struct ledger *ledger) {
  struct parameters set;
  struct source_notes warnings;
  source_notes_init(&warnings);
  enum status status = parameters_read(&set, model, &laws->request->set, laws->request->asker);
  if (status == STATUS_OK && laws->request->data != NULL)
    unread_find(&warnings, laws->request->data, &set, laws);
  for (size_t i = 0; i < laws->tables.count && status == STATUS_OK; i++)
    find_columns(&warnings, laws->tables.data[i], &set, laws);
  for (size_t i = 0; i < warnings.count; i++)
    ledger_warn(ledger, LEDGER_DATA, "%s", warnings.lines[i]);
  parameters_clear(&set);
  source_notes_clear(&warnings);
  return status;
}

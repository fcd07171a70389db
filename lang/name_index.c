/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/name_index.h"

#include <stdlib.h>
#include <string.h>

#include "lang/name_scope.h"

const char *name_kind_text(enum name_kind kind) {
  static const char *const texts[NAME_KIND_COUNT] = {
      [NAME_PROTOCOL] = "protocol",   [NAME_PARAM] = "parameter",
      [NAME_CONSTANT] = "time",       [NAME_ENUM] = "enumeration",
      [NAME_VALUE] = "value",         [NAME_ROLE] = "role",
      [NAME_COMPONENT] = "component", [NAME_REPEATED] = "repeated component",
      [NAME_SLOT] = "slot",           [NAME_TIMEOUT] = "timeout",
      [NAME_DELAY] = "delay",         [NAME_QUEUEING] = "queueing term",
      [NAME_MESSAGE] = "message",     [NAME_FIELD] = "field",
      [NAME_STATE] = "state",         [NAME_ACTION] = "action",
      [NAME_INVARIANT] = "invariant", [NAME_BOUND] = "bound",
      [NAME_PHASE] = "phase",         [NAME_ABBREVIATION] = "abbreviation",
      [NAME_VARIABLE] = "variable"};
  return texts[kind];
}

void name_use_add(struct name_walk *walk, struct source_span span, const struct name_entry *entry) {
  if (entry != NULL)
    vector_push(&walk->index->uses, (struct name_use){span, span, entry});
}

struct name_entry *name_declare(struct name_walk *walk, enum name_kind kind,
                                const struct name *name, const struct declaration *declaration) {
  struct name_entry *made = arena_alloc(&walk->index->arena, 1, sizeof *made);
  *made = (struct name_entry){
      .kind = kind, .text = name->text, .span = name->span, .declaration = declaration};
  vector_push(&walk->index->entries, made);
  name_use_add(walk, name->span, made);
  return made;
}

static void declare_list(struct name_walk *walk, enum name_kind kind, const struct list *names,
                         const struct declaration *d) {
  for (size_t i = 0; i < names->count; i++)
    name_declare(walk, kind, names->items[i], d);
}

static void declare_items(struct name_walk *walk, enum name_kind kind, const struct declaration *d,
                          const struct name_entry *owner) {
  for (size_t i = 0; i < d->items.count; i++) {
    const struct item_syntax *item = d->items.items[i];
    struct name_entry *made = name_declare(walk, kind, &item->name, d);
    made->item = item;
    made->owner = owner;
  }
}

static void declare_enumeration(struct name_walk *walk, const struct declaration *d) {
  const struct name_entry *owner = name_declare(walk, NAME_ENUM, &d->name, d);
  size_t first = walk->index->entries.count;
  declare_list(walk, NAME_VALUE, &d->names, d);
  for (size_t i = first; i < walk->index->entries.count; i++)
    walk->index->entries.data[i]->owner = owner;
}

static void declare_parts(struct name_walk *walk, const struct declaration *d) {
  const struct name_entry *phase = name_declare(walk, NAME_PHASE, &d->name, d);
  for (size_t i = 0; i < d->parts.count; i++) {
    const struct declaration *part = d->parts.items[i];
    if (part->kind == DECLARATION_INVARIANT)
      name_declare(walk, NAME_INVARIANT, &part->name, part)->owner = phase;
  }
}

static void declare(struct name_walk *walk, const struct declaration *d) {
  switch (d->kind) {
  case DECLARATION_PARAM:
    name_declare(walk, d->time ? NAME_CONSTANT : NAME_PARAM, &d->name, d);
    break;
  case DECLARATION_ENUM:
    declare_enumeration(walk, d);
    break;
  case DECLARATION_ROLE:
    name_declare(walk, NAME_ROLE, &d->name, d);
    break;
  case DECLARATION_COMPONENT:
    declare_items(walk, NAME_COMPONENT, d, NULL);
    break;
  case DECLARATION_REPEATED:
    declare_list(walk, NAME_REPEATED, &d->names, d);
    break;
  case DECLARATION_TIMEOUT:
    declare_list(walk, NAME_TIMEOUT, &d->names, d);
    break;
  case DECLARATION_DELAY:
    declare_list(walk, NAME_DELAY, &d->names, d);
    break;
  case DECLARATION_QUEUEING:
    name_declare(walk, NAME_QUEUEING, &d->name, d);
    break;
  case DECLARATION_MESSAGE:
    declare_items(walk, NAME_FIELD, d, name_declare(walk, NAME_MESSAGE, &d->name, d));
    break;
  case DECLARATION_INVARIANT:
    name_declare(walk, NAME_INVARIANT, &d->name, d);
    break;
  case DECLARATION_LET:
    name_declare(walk, NAME_ABBREVIATION, &d->name, d);
    break;
  case DECLARATION_BOUND:
    name_declare(walk, NAME_BOUND, &d->name, d);
    break;
  case DECLARATION_PHASE:
    declare_parts(walk, d);
    break;
  default:
    break;
  }
}

static int compare_texts(const void *left, const void *right) {
  const struct name_entry *a = *(struct name_entry *const *)left;
  const struct name_entry *b = *(struct name_entry *const *)right;
  int order = strcmp(a->text, b->text);
  return order != 0 ? order : (a->span.start > b->span.start) - (a->span.start < b->span.start);
}

static void sort_entries(struct name_walk *walk) {
  vector_clear(&walk->sorted);
  for (size_t i = 0; i < walk->index->entries.count; i++)
    vector_push(&walk->sorted, walk->index->entries.data[i]);
  if (walk->sorted.count != 0)
    qsort(walk->sorted.data, walk->sorted.count, sizeof *walk->sorted.data, compare_texts);
}

const struct name_entry *name_find(const struct name_walk *walk, unsigned kinds,
                                   const struct name_entry *owner, const char *text) {
  size_t low = 0, high = walk->sorted.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(walk->sorted.data[middle]->text, text) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < walk->sorted.count && strcmp(walk->sorted.data[low]->text, text) == 0; low++) {
    const struct name_entry *entry = walk->sorted.data[low];
    if ((kinds >> entry->kind & 1) != 0 && (owner == NULL || entry->owner == owner))
      return entry;
  }
  return NULL;
}

/* What belongs to a role, once roles are known. */
static void declare_owned(struct name_walk *walk, const struct declaration *d) {
  static const char slot[] = "slot";
  if (d->kind != DECLARATION_STATE && d->kind != DECLARATION_SCHEDULE &&
      d->kind != DECLARATION_ACTION)
    return;
  const struct name *name = d->kind == DECLARATION_STATE ? &d->name : &d->role;
  const struct name_entry *role = name_find(walk, 1u << NAME_ROLE, NULL, name->text);
  if (d->kind == DECLARATION_STATE) {
    declare_items(walk, NAME_STATE, d, role);
  } else if (d->kind == DECLARATION_ACTION) {
    name_declare(walk, NAME_ACTION, &d->name, d)->owner = role;
  } else {
    /* its hidden variable is declared by the word "schedule" */
    struct source_span word = {d->span.start, d->span.start + (uint32_t)strlen("schedule")};
    struct name hidden = {slot, word};
    name_declare(walk, NAME_STATE, &hidden, d)->owner = role;
    size_t first = walk->index->entries.count;
    declare_list(walk, NAME_SLOT, &d->names, d);
    for (size_t i = first; i < walk->index->entries.count; i++)
      walk->index->entries.data[i]->owner = role;
  }
}

static const char *role_name(const struct type_syntax *type) {
  if (type == NULL)
    return NULL;
  return type->kind == TYPE_SYNTAX_MAP ? type->element->name.text : type->name.text;
}

/* Which nodes fields and states are, or have in them. */
static void find_roles(struct name_walk *walk) {
  for (size_t i = 0; i < walk->index->entries.count; i++) {
    struct name_entry *entry = walk->index->entries.data[i];
    bool typed = entry->kind == NAME_FIELD || entry->kind == NAME_STATE;
    const char *name = typed && entry->item != NULL ? role_name(entry->item->type) : NULL;
    if (name != NULL)
      entry->role = name_find(walk, 1u << NAME_ROLE, NULL, name);
  }
}

static int compare_uses(const void *left, const void *right) {
  const struct name_use *a = left, *b = right;
  return (a->span.start > b->span.start) - (a->span.start < b->span.start);
}

/* The constraint of a parameter repeats the name that declares it. */
static void sort_uses(struct name_index *index) {
  size_t kept = 0;
  if (index->uses.count != 0)
    qsort(index->uses.data, index->uses.count, sizeof *index->uses.data, compare_uses);
  for (size_t i = 0; i < index->uses.count; i++)
    if (kept == 0 || index->uses.data[i].span.start != index->uses.data[kept - 1].span.start)
      index->uses.data[kept++] = index->uses.data[i];
  index->uses.count = kept;
}

struct name_index *name_index_new(const struct ast *ast) {
  struct name_index *index = mem_alloc(1, sizeof *index);
  arena_init(&index->arena);
  struct name_walk walk = {.index = index, .ast = ast};
  if (ast->name.text != NULL)
    name_declare(&walk, NAME_PROTOCOL, &ast->name, NULL);
  for (size_t i = 0; i < ast->declarations.count; i++)
    declare(&walk, ast->declarations.items[i]);
  sort_entries(&walk);
  for (size_t i = 0; i < ast->declarations.count; i++)
    declare_owned(&walk, ast->declarations.items[i]);
  sort_entries(&walk);
  find_roles(&walk);
  name_walk_uses(&walk);
  vector_clear(&walk.sorted);
  vector_clear(&walk.scope);
  sort_uses(index);
  return index;
}

void name_index_free(struct name_index *index) {
  if (index == NULL)
    return;
  vector_clear(&index->entries);
  vector_clear(&index->uses);
  arena_clear(&index->arena);
  mem_free(index);
}

const struct name_use *name_index_at(const struct name_index *index, size_t offset) {
  const struct name_use *best = NULL;
  for (size_t i = 0; i < index->uses.count && index->uses.data[i].span.start <= offset; i++)
    if (offset <= index->uses.data[i].span.end)
      best = &index->uses.data[i];
  return best;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The checker's table of names, and the nearest name for a mistyped one (checker.h).
 */
#include "lang/checker.h"

#include <string.h>

#include "base/hash.h"

static uint64_t hash_of(enum space space, const void *owner, const char *name) {
  return hash_string(hash_word(hash_address(owner), space), name);
}

struct symbol *symbol_find(struct checker *checker, enum space space, const void *owner,
                           const char *name) {
  if (name == NULL)
    return NULL;
  uint64_t hash = hash_of(space, owner, name);
  for (struct index_look look = index_look(&checker->index, hash); index_next(&look);) {
    struct symbol *symbol = checker->symbols.data[look.row];
    if (symbol->space == space && symbol->owner == owner && strcmp(symbol->name, name) == 0)
      return symbol;
  }
  return NULL;
}

const char *symbol_kind_name(const struct symbol *symbol) {
  static const char *const names[] = {
      [SYMBOL_PARAM] = "a parameter",     [SYMBOL_ENUM] = "an enumeration",
      [SYMBOL_VALUE] = "a value",         [SYMBOL_ROLE] = "a role",
      [SYMBOL_COMPONENT] = "a component", [SYMBOL_MESSAGE] = "a message",
      [SYMBOL_STATE] = "a state",         [SYMBOL_ABBREVIATION] = "an abbreviation",
      [SYMBOL_OTHER] = "a declaration"};
  return names[symbol->kind];
}

struct symbol *symbol_add(struct checker *checker, enum space space, const void *owner,
                          struct name name, enum symbol_kind kind) {
  const struct symbol *known = symbol_find(checker, space, owner, name.text);
  if (known != NULL) {
    struct diagnostic *d =
        REPORT(checker, E0201, name.span, "\"%.60s\" is declared twice", name.text);
    diagnostic_note(d, known->span, "\"%.60s\" is first declared here", name.text);
    if (space == SPACE_CLAIM)
      diagnostic_hint(d, "invariants and bounds share their names: rename one of the two");
    return NULL;
  }
  struct symbol *made = arena_alloc(checker->arena, 1, sizeof *made);
  made->space = space;
  made->owner = owner;
  made->kind = kind;
  made->name = keep_text(checker, name.text);
  made->span = name.span;
  index_add(&checker->index, hash_of(space, owner, name.text), (uint32_t)checker->symbols.count);
  vector_push(&checker->symbols, made);
  return made;
}

struct symbol *symbol_of_kind(struct checker *checker, enum symbol_kind kind, const char *name) {
  struct symbol *symbol = symbol_find(checker, SPACE_GLOBAL, NULL, name);
  return symbol != NULL && symbol->kind == kind ? symbol : NULL;
}

const struct variable *scope_find(const struct checker *checker, const char *name) {
  for (size_t i = checker->scope.count; i-- > 0;)
    if (strcmp(checker->scope.data[i]->name, name) == 0)
      return checker->scope.data[i];
  return NULL;
}

struct variable *variable_new(struct checker *checker, struct name name, struct type type) {
  struct variable *made = arena_alloc(checker->arena, 1, sizeof *made);
  made->name = keep_text(checker, name.text);
  made->span = name.span;
  made->id = checker->model->variable_count++;
  made->type = type;
  return made;
}

void scope_push(struct checker *checker, const struct variable *variable) {
  const struct variable *outer = scope_find(checker, variable->name);
  const struct symbol *global = symbol_find(checker, SPACE_GLOBAL, NULL, variable->name);
  const struct symbol *state = NULL;
  if (checker->here != NULL)
    state = symbol_find(checker, SPACE_STATE, checker->here->type.role, variable->name);
  const struct symbol *taken = global != NULL ? global : state;
  if (outer != NULL || taken != NULL) {
    struct diagnostic *d = REPORT(checker, E0201, variable->span,
                                  "\"%.60s\" already means something else here", variable->name);
    diagnostic_note(d, outer != NULL ? outer->span : taken->span, "\"%.60s\" is %s declared here",
                    variable->name, outer != NULL ? "a variable" : symbol_kind_name(taken));
    diagnostic_hint(d, "choose another name for this variable");
  }
  vector_push(&checker->scope, variable);
}

struct nearest {
  const char *name, *best;
  size_t distance;
};

static void consider(struct nearest *nearest, const char *candidate) {
  if (candidate == NULL || strlen(candidate) > 60 || candidate == nearest->name)
    return;
  size_t distance = text_distance(nearest->name, candidate);
  if (distance < nearest->distance) {
    nearest->distance = distance;
    nearest->best = candidate;
  }
}

void hint_nearest(struct checker *checker, struct diagnostic *diagnostic, const char *name,
                  unsigned kinds, const struct role *role) {
  size_t length = strlen(name);
  if (diagnostic == NULL || length > 60)
    return;
  struct nearest nearest = {.name = name, .distance = length / 3 + 2};
  if (length < 3)
    nearest.distance = 2;
  for (size_t i = checker->scope.count; (kinds & SUGGEST_VARIABLES) && i-- > 0;)
    consider(&nearest, checker->scope.data[i]->name);
  for (size_t i = 0; i < checker->symbols.count; i++) {
    const struct symbol *symbol = checker->symbols.data[i];
    if ((kinds >> symbol->kind & 1) == 0 ||
        (symbol->kind == SYMBOL_STATE && role != NULL && symbol->owner != role))
      continue;
    consider(&nearest, symbol->name);
  }
  if (nearest.best != NULL)
    diagnostic_hint(diagnostic, "did you mean \"%s\"?", nearest.best);
}

struct role *find_role(struct checker *checker, struct name name) {
  struct symbol *symbol = symbol_of_kind(checker, SYMBOL_ROLE, name.text);
  if (symbol != NULL)
    return symbol->role;
  struct diagnostic *d = REPORT(checker, E0204, name.span, "unknown role \"%.60s\"", name.text);
  hint_nearest(checker, d, name.text, 1u << SYMBOL_ROLE, NULL);
  return NULL;
}

struct message *find_message(struct checker *checker, struct name name) {
  struct symbol *symbol = symbol_of_kind(checker, SYMBOL_MESSAGE, name.text);
  if (symbol != NULL)
    return symbol->message;
  struct diagnostic *d = REPORT(checker, E0205, name.span, "unknown message \"%.60s\"", name.text);
  hint_nearest(checker, d, name.text, 1u << SYMBOL_MESSAGE, NULL);
  return NULL;
}

struct component *find_component(struct checker *checker, struct name name) {
  struct symbol *symbol = symbol_of_kind(checker, SYMBOL_COMPONENT, name.text);
  if (symbol != NULL)
    return symbol->component;
  struct diagnostic *d =
      REPORT(checker, E0206, name.span, "unknown component \"%.60s\"", name.text);
  hint_nearest(checker, d, name.text, 1u << SYMBOL_COMPONENT, NULL);
  return NULL;
}

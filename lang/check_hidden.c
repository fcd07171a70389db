/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the checker makes by itself: states and actions that no file declares, and invariants that
 * no file states. No file can give their names, such as losses(M). */
#include "lang/checker.h"

static const char *name_of(struct checker *checker, const char *what,
                           const struct message *message) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s(%s)", what, message->name);
  const char *kept = keep_text(checker, text_get(&text));
  text_clear(&text);
  return kept;
}

struct action *hidden_action(struct checker *checker, const struct role *role, const char *what,
                             const char *of, struct name node) {
  struct action *made = arena_alloc(checker->arena, 1, sizeof *made);
  struct text text;
  text_init(&text);
  text_format(&text, "%s.%s(%s)", role->name, what, of);
  made->name = keep_text(checker, text_get(&text));
  text_clear(&text);
  made->span = node.span;
  made->role = role;
  made->node = variable_new(checker, node, type_node(role));
  return made;
}

struct state *hidden_state(struct checker *checker, const char *what, const struct message *message,
                           const struct role *role, struct source_span span) {
  struct state *made = arena_alloc(checker->arena, 1, sizeof *made);
  struct name self = {role->name, span};
  made->name = name_of(checker, what, message);
  made->span = span;
  made->id = checker->states.count;
  made->role = role;
  made->hidden = true;
  made->self = variable_new(checker, self, type_node(role));
  vector_push(&checker->states, made);
  return made;
}

const struct variable **bind_fields(struct checker *checker, const struct message *message,
                                    struct source_span span, const struct term **fields) {
  const struct variable **made = arena_alloc(checker->arena, message->field_count, sizeof *made);
  for (size_t i = 0; i < message->field_count; i++) {
    struct name name = {message->fields[i].name, span};
    struct variable *v = variable_new(checker, name, message->fields[i].type);
    v->domain = v->type.kind == TYPE_NODE  ? DOMAIN_ROLE
                : v->type.kind == TYPE_INT ? DOMAIN_INT
                                           : DOMAIN_NONE;
    made[i] = v;
    fields[i] = term_variable(checker, v, span);
  }
  return made;
}

struct invariant *hidden_invariant(struct checker *checker, const char *what,
                                   const struct message *message, struct source_span span,
                                   const struct variable *const *variables, size_t count,
                                   const struct term *formula) {
  struct invariant *made = arena_alloc(checker->arena, 1, sizeof *made);
  made->name = name_of(checker, what, message);
  made->span = span;
  made->id = checker->invariants.count;
  made->formula = formula;
  made->hidden = true;
  if (count != 0) {
    struct term *all = term_new(checker, TERM_FORALL, type_of(TYPE_BOOL), span, 1);
    all->args[0] = formula;
    all->variable_count = count;
    all->variables = arena_copy(checker->arena, variables, count, sizeof *variables);
    made->formula = all;
  }
  vector_push(&checker->invariants, made);
  return made;
}

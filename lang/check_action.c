/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/checker.h"

#include <string.h>

static struct block check_block(struct checker *checker, const struct list *statements,
                                size_t first);

/* The acting node: named for a family, called like the role for a single node. */
static struct variable *acting_node(struct checker *checker, const struct declaration *d,
                                    const struct role *role) {
  if (role->count != NULL && d->node.text == NULL) {
    struct diagnostic *report =
        REPORT(checker, E0420, d->role.span, "role \"%.60s\" is a family: name the node that acts",
               role->name);
    diagnostic_hint(report, "write \"action %.60s %.1s.%.60s\"", role->name, role->name,
                    d->name.text);
  } else if (role->count == NULL && d->node.text != NULL) {
    struct diagnostic *report = REPORT(checker, E0420, d->node.span,
                                       "role \"%.60s\" is one node and needs no name", role->name);
    diagnostic_hint(report, "write \"action %.60s.%.60s\"", role->name, d->name.text);
  }
  struct name name = d->node.text != NULL ? d->node : d->role;
  struct variable *node = variable_new(checker, name, type_node(role));
  node->domain = DOMAIN_NONE;
  if (d->node.text != NULL)
    scope_push(checker, node);
  return node;
}

static const struct variable *pattern_variable(struct checker *checker, const struct action *action,
                                               const struct name *name, const struct field *field) {
  for (size_t i = checker->scope.count; i-- > 0;) {
    const struct variable *known = checker->scope.data[i];
    if (strcmp(known->name, name->text) != 0)
      continue;
    if (!type_agrees(&known->type, &field->type)) {
      struct diagnostic *d = REPORT(
          checker, E0305, name->span, "field \"%.60s\" is %s, but \"%.60s\" is %s", field->name,
          type_text(checker, &field->type), name->text, type_text(checker, &known->type));
      diagnostic_note(d, known->span, "\"%.60s\" is declared here", name->text);
    }
    return known;
  }
  (void)action;
  struct variable *made = variable_new(checker, *name, field->type);
  made->domain = DOMAIN_NONE;
  scope_push(checker, made);
  return made;
}

static void check_pattern(struct checker *checker, const struct declaration *d,
                          struct action *action) {
  if (d->message.text == NULL)
    return;
  const struct message *message = find_message(checker, d->message);
  if (message == NULL) { /* so that the body does not complain of every field */
    for (size_t i = 0; i < d->names.count; i++) {
      const struct name *name = d->names.items[i];
      if (scope_find(checker, name->text) == NULL)
        scope_push(checker, variable_new(checker, *name, type_of(TYPE_ERROR)));
    }
    return;
  }
  action->message = message;
  if (message->receiver != NULL && message->receiver != action->role) {
    struct diagnostic *report = REPORT(checker, E0407, d->message.span,
                                       "message \"%.60s\" goes to \"%.60s\", not to \"%.60s\"",
                                       message->name, message->receiver->name, action->role->name);
    diagnostic_note(report, message->span, "declared here");
  }
  if (d->names.count != message->field_count) {
    struct diagnostic *report = REPORT(
        checker, E0302, d->message.span, "message \"%.60s\" has %zu %s, not %zu", message->name,
        message->field_count, message->field_count == 1 ? "field" : "fields", d->names.count);
    diagnostic_note(report, message->span, "declared here");
  }
  action->fields = arena_alloc(checker->arena, d->names.count, sizeof *action->fields);
  static const struct field unknown = {.name = "?"};
  for (size_t i = 0; i < d->names.count; i++)
    action->fields[i] = pattern_variable(checker, action, d->names.items[i],
                                         i < message->field_count ? &message->fields[i] : &unknown);
}

struct terms {
  VECTOR(const struct term *) items;
};

static void check_cost(struct checker *checker, const struct syntax *syntax, struct terms *costs) {
  if (syntax->kind == SYNTAX_ADD) {
    check_cost(checker, syntax_arg(syntax, 0), costs);
    check_cost(checker, syntax_arg(syntax, 1), costs);
    return;
  }
  const struct syntax *base = syntax->kind == SYNTAX_INDEX ? syntax_arg(syntax, 0) : syntax;
  if (base->kind != SYNTAX_NAME) {
    struct diagnostic *d =
        REPORT(checker, E0417, syntax->span, "a cost is a component, or a sum of components");
    diagnostic_hint(d, "declare a component for this time: component NAME");
    return;
  }
  const struct component *component = find_component(checker, base->name);
  if (component == NULL)
    return;
  if (component->kind != COMPONENT_STEP) {
    struct diagnostic *d = REPORT(checker, E0417, syntax->span,
                                  "\"%.60s\" is no step, so no action takes it", component->name);
    diagnostic_note(d, component->span, "declared here");
    return;
  }
  symbol_of_kind(checker, SYMBOL_COMPONENT, component->name)->used = true;
  vector_push(&costs->items, term_occurrence(checker, component, syntax));
}

static void check_assign(struct checker *checker, const struct statement_syntax *syntax,
                         struct statement *made) {
  const struct role *role = checker->acting->role;
  const char *name = syntax->name.text;
  const struct symbol *own = symbol_find(checker, SPACE_STATE, role, name);
  if (own == NULL || scope_find(checker, name) != NULL) {
    const struct symbol *global = symbol_find(checker, SPACE_GLOBAL, NULL, name);
    const struct variable *variable = scope_find(checker, name);
    const struct symbol *other = NULL;
    for (size_t i = 0; i < checker->roles.count && other == NULL; i++)
      other = symbol_find(checker, SPACE_STATE, checker->roles.data[i], name);
    struct diagnostic *d;
    if (variable != NULL) {
      d = REPORT(checker, E0411, syntax->name.span, "\"%.60s\" is a variable, not a state", name);
      diagnostic_note(d, variable->span, "declared here");
    } else if (global != NULL) {
      d = REPORT(checker, E0411, syntax->name.span, "\"%.60s\" is %s, not a state", name,
                 symbol_kind_name(global));
      diagnostic_note(d, global->span, "declared here");
    } else if (other != NULL) {
      d = REPORT(checker, E0411, syntax->name.span,
                 "\"%.60s\" is a state of \"%.60s\", not of \"%.60s\"", name,
                 other->state->role->name, role->name);
      diagnostic_note(d, other->span, "declared here");
      diagnostic_hint(d, "an action changes only its own node; send a message");
    } else {
      d = REPORT(checker, E0203, syntax->name.span, "unknown state \"%.60s\"", name);
      hint_nearest(checker, d, name, 1u << SYMBOL_STATE, role);
    }
    check_term(checker, syntax->value);
    return;
  }
  struct type type = own->state->type;
  made->state = own->state;
  if (syntax->key != NULL && type.kind != TYPE_MAP && type.kind != TYPE_ERROR) {
    struct diagnostic *d = REPORT(checker, E0301, syntax->name.span,
                                  "only a map has an index; this is %s", type_text(checker, &type));
    diagnostic_note(d, own->span, "declared here");
  } else if (syntax->key == NULL && type.kind == TYPE_MAP) {
    struct diagnostic *d =
        REPORT(checker, E0308, syntax->name.span, "a map is assigned one entry at a time");
    diagnostic_hint(d, "write %.60s[KEY] := ...", name);
  } else {
    if (syntax->key != NULL && type.kind == TYPE_MAP) {
      struct type key = type_node(type.role);
      made->key = check_typed(checker, syntax->key, &key, "the index of this map");
      type = *type.element;
    }
    made->value = check_typed(checker, syntax->value, &type, "the value assigned here");
  }
}

static void check_sender(struct checker *checker, const struct statement_syntax *syntax,
                         const struct statement *made) {
  const struct message *message = made->message;
  const struct action *action = checker->acting;
  if (message->sender != NULL && message->sender != action->role) {
    struct diagnostic *d = REPORT(checker, E0403, syntax->name.span,
                                  "\"%.60s\" is sent by \"%.60s\", not by \"%.60s\"", message->name,
                                  message->sender->name, action->role->name);
    diagnostic_note(d, message->span, "declared here");
    return;
  }
  if (message->sender_field < 0 || made->arg_count == 0)
    return;
  const struct term *self = made->args[message->sender_field];
  bool own = (self->kind == TERM_VARIABLE && self->variable == action->node) ||
             (self->kind == TERM_NODE && self->type.role == action->role);
  if (own)
    return;
  struct diagnostic *d = REPORT(checker, E0404, self->span,
                                "field \"%.60s\" names the sender, so it must be \"%.60s\"",
                                message->fields[message->sender_field].name, action->node->name);
  diagnostic_note(d, message->span, "declared here");
}

static void check_to(struct checker *checker, const struct statement_syntax *syntax,
                     struct statement *made) {
  const struct message *message = made->message;
  if (message->receiver == NULL)
    return;
  bool needed = message->receiver_field < 0 && message->receiver->count != NULL;
  if (needed && syntax->to == NULL) {
    struct diagnostic *d =
        REPORT(checker, E0408, syntax->span, "to which \"%.60s\" does \"%.60s\" go?",
               message->receiver->name, message->name);
    diagnostic_note(d, message->span, "no field names the receiver");
    diagnostic_hint(d, "write \"to NODE\" behind the message");
  } else if (!needed && syntax->to != NULL) {
    struct diagnostic *d = REPORT(checker, E0409, syntax->to->span,
                                  "the receiver of \"%.60s\" is known", message->name);
    diagnostic_note(d, message->span,
                    message->receiver_field < 0 ? "its receiver is one node"
                                                : "a field names the receiver");
    diagnostic_hint(d, "remove \"to ...\"");
  } else if (needed) {
    struct type node = type_node(message->receiver);
    made->to = check_typed(checker, syntax->to, &node, "the receiver");
  }
}

static void check_send_variables(struct checker *checker, const struct statement_syntax *syntax,
                                 const struct statement *made) {
  for (size_t i = 0; i < made->variable_count; i++) {
    bool found = false;
    for (size_t j = 0; j < made->arg_count; j++)
      found |=
          made->args[j]->kind == TERM_VARIABLE && made->args[j]->variable == made->variables[i];
    if (found)
      continue;
    struct diagnostic *d =
        REPORT(checker, E0410, list_binder(&syntax->binders, i)->name.span,
               "\"%.60s\" is no argument of \"%.60s\": one message would be sent several times",
               made->variables[i]->name, made->message->name);
    diagnostic_note(d, made->message->span, "a message is identified by its fields");
  }
}

static void check_send(struct checker *checker, const struct statement_syntax *syntax,
                       struct statement *made) {
  size_t depth = checker->scope.count;
  const struct message *message = find_message(checker, syntax->name);
  made->variable_count = syntax->binders.count;
  made->variables = check_binders(checker, &syntax->binders);
  if (message != NULL) {
    made->message = message;
    checker->message_sent.data[message->id] = true;
    made->args = arena_alloc(checker->arena, message->field_count, sizeof *made->args);
    bool good = check_arguments(checker, message, syntax->name.span, &syntax->args, made->args);
    made->arg_count = good ? message->field_count : 0;
    check_sender(checker, syntax, made);
    check_to(checker, syntax, made);
    if (good)
      check_send_variables(checker, syntax, made);
  }
  checker->scope.count = depth;
}

static void check_if(struct checker *checker, const struct statement_syntax *syntax,
                     struct statement *made) {
  struct type truth = type_of(TYPE_BOOL);
  made->condition = check_typed(checker, syntax->value, &truth, "the condition after \"if\"");
  made->then_block = check_block(checker, &syntax->then_block->statements, 0);
  if (syntax->else_block != NULL)
    made->else_block = check_block(checker, &syntax->else_block->statements, 0);
}

static struct block check_block(struct checker *checker, const struct list *statements,
                                size_t first) {
  struct block block = {0};
  block.statements = arena_alloc(checker->arena, statements->count, sizeof *block.statements);
  for (size_t i = first; i < statements->count; i++) {
    const struct statement_syntax *syntax = statements->items[i];
    if (syntax->kind == STATEMENT_SYNTAX_WHEN) {
      struct diagnostic *d =
          REPORT(checker, E0412, syntax->span, "a guard comes before all other statements");
      diagnostic_hint(d, "move it to the start of the action, or use \"if\"");
      continue;
    }
    struct statement *made = arena_alloc(checker->arena, 1, sizeof *made);
    made->span = syntax->span;
    switch (syntax->kind) {
    case STATEMENT_SYNTAX_ASSIGN:
      made->kind = STATEMENT_ASSIGN;
      check_assign(checker, syntax, made);
      break;
    case STATEMENT_SYNTAX_IF:
      made->kind = STATEMENT_IF;
      check_if(checker, syntax, made);
      break;
    default:
      made->kind = STATEMENT_SEND;
      check_send(checker, syntax, made);
      break;
    }
    block.statements[block.count++] = made;
  }
  return block;
}

static const struct term **keep_terms(struct checker *checker, struct terms *terms, size_t *count) {
  const struct term **kept =
      arena_copy(checker->arena, terms->items.data, terms->items.count, sizeof *kept);
  *count = terms->items.count;
  vector_clear(&terms->items);
  return kept;
}

static void check_body(struct checker *checker, const struct declaration *d,
                       struct action *action) {
  struct type truth = type_of(TYPE_BOOL);
  struct terms guards = {0}, costs = {0};
  const struct list *statements = &d->block->statements;
  size_t first = 0;
  for (; first < statements->count; first++) {
    const struct statement_syntax *syntax = statements->items[first];
    if (syntax->kind != STATEMENT_SYNTAX_WHEN)
      break;
    vector_push(&guards.items, check_typed(checker, syntax->value, &truth, "a guard"));
  }
  if (d->cost != NULL)
    check_cost(checker, d->cost, &costs);
  action->guards = keep_terms(checker, &guards, &action->guard_count);
  action->costs = keep_terms(checker, &costs, &action->cost_count);
  action->body = check_block(checker, statements, first);
}

static const char *full_name(struct checker *checker, const struct declaration *d) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s.%s", d->role.text, d->name.text);
  const char *kept = keep_text(checker, text_get(&text));
  text_clear(&text);
  return kept;
}

void check_action(struct checker *checker, const struct declaration *d) {
  const struct role *role = find_role(checker, d->role);
  if (role == NULL)
    return;
  if (role->external) {
    struct diagnostic *report = REPORT(checker, E0405, d->role.span,
                                       "role \"%.60s\" is external and takes no steps", role->name);
    diagnostic_note(report, role->span, "declared here");
    return;
  }
  symbol_add(checker, SPACE_ACTION, role, d->name, SYMBOL_OTHER);
  struct action *action = arena_alloc(checker->arena, 1, sizeof *action);
  action->name = full_name(checker, d);
  action->span = (struct span){d->role.span.start, d->name.span.end};
  action->id = checker->actions.count;
  action->role = role;
  checker->position = POSITION_ACTION;
  action->node = acting_node(checker, d, role);
  checker->acting = action;
  checker->here = term_variable(checker, action->node, action->node->span);
  check_pattern(checker, d, action);
  check_body(checker, d, action);
  checker->acting = NULL;
  checker->here = NULL;
  checker->scope.count = 0;
  vector_push(&checker->actions, action);
}

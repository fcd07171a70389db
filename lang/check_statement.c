/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The statements of an action. */
#include "lang/checker.h"

#include <string.h>

/* What is wrong with assigning to this name. */
static void report_target(struct checker *checker, const struct statement_syntax *syntax) {
  const struct role *role = checker->acting->role;
  const char *name = syntax->name.text;
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
}

static bool is_slot(struct checker *checker, const struct state *state,
                    const struct statement_syntax *syntax) {
  const struct schedule *schedule = find_schedule(checker, state->role);
  if (schedule == NULL || schedule->state != state)
    return false;
  struct diagnostic *d =
      REPORT(checker, E0436, syntax->name.span, "\"slot\" belongs to the schedule");
  diagnostic_note(d, schedule->span, "the schedule is declared here");
  diagnostic_hint(d, "every action of a slot moves on to the next slot by itself");
  return true;
}

static void check_assign(struct checker *checker, const struct statement_syntax *syntax,
                         struct statement *made) {
  const struct role *role = checker->acting->role;
  const char *name = syntax->name.text;
  const struct symbol *own = symbol_find(checker, SPACE_STATE, role, name);
  if (own == NULL || scope_find(checker, name) != NULL) {
    report_target(checker, syntax);
    check_term(checker, syntax->value);
    return;
  }
  if (is_slot(checker, own->state, syntax))
    return;
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
    checker->in_ghost = own->state->ghost;
    made->value = check_typed(checker, syntax->value, &type, "the value assigned here");
    checker->in_ghost = false;
  }
}

static bool is_acting(const struct checker *checker, const struct term *node) {
  const struct action *action = checker->acting;
  return (node->kind == TERM_VARIABLE && node->variable == action->node) ||
         (node->kind == TERM_NODE && node->type.role == action->role);
}

/* Whether the field that names the sender tells the acting node: it is the node, or its pair, or
 * runs over all that belong to it. */
static bool is_own(struct checker *checker, const struct statement *made, const struct term *self) {
  const struct variable *v = self->kind == TERM_VARIABLE ? self->variable : NULL;
  for (size_t i = 0; i < made->variable_count && v != NULL; i++)
    if (made->variables[i] == v && v->domain == DOMAIN_SET && v->set->kind == TERM_OWNED_SET &&
        is_acting(checker, v->set->args[0]))
      return true;
  return is_acting(checker,
                   term_of_role(checker, self, made->message->sender, made->message->span));
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
  if (self->type.kind != TYPE_NODE || message->sender == NULL || is_own(checker, made, self))
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
    check_paced_send(checker, made);
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

struct block check_block(struct checker *checker, const struct list *statements, size_t first) {
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

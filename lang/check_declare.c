/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Declares parameters, types, roles, components, messages and states before anything is checked
 * (checker.h).
 */
#include "lang/checker.h"
#include "lang/owner.h"
#include "lang/source.h"

#include <stdlib.h>
#include <string.h>

/* Is it this declaration's, not that of an earlier one of the same name? */
static bool is_of(const struct symbol *symbol, struct name name) {
  return symbol != NULL && symbol->span.start == name.span.start;
}

enum { ALLOW_BOOL = 1, ALLOW_ENUM = 2, ALLOW_COLLECTION = 4, ALLOW_TIME = 8 };

static struct type unknown_type(struct checker *checker, struct name name) {
  struct diagnostic *d = REPORT(checker, E0207, name.span, "unknown type \"%.60s\"", name.text);
  hint_nearest(checker, d, name.text, 1u << SYMBOL_ROLE | 1u << SYMBOL_ENUM, NULL);
  return type_of(TYPE_ERROR);
}

static struct type named_type(struct checker *checker, struct name name) {
  if (strcmp(name.text, "int") == 0)
    return type_of(TYPE_INT);
  if (strcmp(name.text, "bool") == 0)
    return type_of(TYPE_BOOL);
  const struct symbol *symbol = symbol_find(checker, SPACE_GLOBAL, NULL, name.text);
  if (symbol != NULL && symbol->kind == SYMBOL_ROLE)
    return type_node(symbol->role);
  if (symbol != NULL && symbol->kind == SYMBOL_ENUM)
    return (struct type){.kind = TYPE_ENUM, .enumeration = symbol->enumeration};
  if (symbol == NULL && strcmp(name.text, "time") == 0)
    return type_of(TYPE_TIME);
  return unknown_type(checker, name);
}

static struct type collection_type(struct checker *checker, const struct type_syntax *syntax) {
  const struct role *role = find_role(checker, syntax->name);
  if (role == NULL)
    return type_of(TYPE_ERROR);
  if (syntax->kind == TYPE_SYNTAX_SET)
    return type_set(role);
  struct type element = named_type(checker, syntax->element->name);
  if (element.kind == TYPE_ERROR)
    return element;
  if (element.kind == TYPE_TIME) {
    struct diagnostic *d =
        REPORT(checker, E0308, syntax->element->span, "the element of a map cannot be time");
    diagnostic_hint(d, "keep the times in a state of type time for each node");
    return type_of(TYPE_ERROR);
  }
  return (struct type){.kind = TYPE_MAP,
                       .role = role,
                       .element = arena_copy(checker->arena, &element, 1, sizeof element)};
}

static struct type check_type(struct checker *checker, const struct type_syntax *syntax,
                              unsigned allowed, const char *what, const char *hint) {
  struct type type = syntax->kind == TYPE_SYNTAX_NAME ? named_type(checker, syntax->name)
                                                      : collection_type(checker, syntax);
  bool collection = type.kind == TYPE_SET || type.kind == TYPE_MAP;
  if ((type.kind == TYPE_BOOL && !(allowed & ALLOW_BOOL)) ||
      (type.kind == TYPE_ENUM && !(allowed & ALLOW_ENUM)) ||
      (type.kind == TYPE_TIME && !(allowed & ALLOW_TIME)) ||
      (collection && !(allowed & ALLOW_COLLECTION))) {
    struct diagnostic *d =
        REPORT(checker, E0308, syntax->span, "%s cannot be %s", what, type_text(checker, &type));
    diagnostic_hint(d, "%s", hint);
    return type_of(TYPE_ERROR);
  }
  return type;
}

/* "n >= 1", without the ": int" between. */
static const char *constraint_text(struct checker *checker, const struct declaration *d) {
  static const char *const words[] = {[SYNTAX_EQ] = "==", [SYNTAX_NE] = "!=", [SYNTAX_LT] = "<",
                                      [SYNTAX_LE] = "<=", [SYNTAX_GT] = ">",  [SYNTAX_GE] = ">="};
  struct text text;
  text_init(&text);
  text_format(&text, "%s %s %s", d->name.text, words[d->formula->kind],
              source_slice(checker->source, syntax_arg(d->formula, 1)->span, checker->arena));
  const char *kept = keep_text(checker, text_get(&text));
  text_clear(&text);
  return kept;
}

/* HB <= 1 s, of a time: an assumption like others. */
static void declare_constant(struct checker *checker, const struct declaration *d) {
  struct symbol *symbol = symbol_of_kind(checker, SYMBOL_COMPONENT, d->name.text);
  if (d->formula == NULL || !is_of(symbol, d->name))
    return;
  struct type truth = type_of(TYPE_BOOL);
  bool used = symbol->used;
  checker->position = POSITION_ASSUME;
  struct assumption *made = arena_alloc(checker->arena, 1, sizeof *made);
  made->span = d->formula->span;
  made->formula = check_typed(checker, d->formula, &truth, "a constraint");
  made->text = constraint_text(checker, d);
  vector_push(&checker->assumptions, made);
  symbol->used = used;
}

static void declare_param(struct checker *checker, const struct declaration *d) {
  if (d->time) {
    declare_constant(checker, d);
    return;
  }
  const struct symbol *symbol = symbol_of_kind(checker, SYMBOL_PARAM, d->name.text);
  if (d->formula == NULL || !is_of(symbol, d->name))
    return;
  struct type truth = type_of(TYPE_BOOL), integer = type_of(TYPE_INT);
  bool used = symbol->used;
  checker->position = POSITION_COUNT;
  checker->params_visible = symbol->param->id + 1;
  const struct syntax *right = syntax_arg(d->formula, 1);
  checker->params_visible--;
  if (check_typed(checker, right, &integer, "what a parameter is compared with")->type.kind ==
      TYPE_ERROR)
    return;
  checker->params_visible++;
  struct assumption *made = arena_alloc(checker->arena, 1, sizeof *made);
  made->span = d->formula->span;
  made->formula = check_typed(checker, d->formula, &truth, "a constraint");
  made->text = constraint_text(checker, d);
  vector_push(&checker->assumptions, made);
  /* Its own constraint is no use of a parameter. */
  symbol_of_kind(checker, SYMBOL_PARAM, d->name.text)->used = used;
}

static void declare_role(struct checker *checker, const struct declaration *d) {
  struct symbol *symbol = symbol_of_kind(checker, SYMBOL_ROLE, d->name.text);
  if (d->formula == NULL || !is_of(symbol, d->name))
    return;
  struct type integer = type_of(TYPE_INT);
  checker->position = POSITION_COUNT;
  checker->params_visible = checker->params.count;
  if (!check_owned_role(checker, d, symbol->role))
    symbol->role->count = check_typed(checker, d->formula, &integer, "the size of a family");
}

static void declare_components(struct checker *checker, const struct declaration *d) {
  for (size_t i = 0; i < d->items.count; i++) {
    const struct item_syntax *item = d->items.items[i];
    struct symbol *symbol = symbol_of_kind(checker, SYMBOL_COMPONENT, item->name.text);
    if (!is_of(symbol, item->name))
      continue;
    struct type *index = arena_alloc(checker->arena, item->index.count, sizeof *index);
    for (size_t j = 0; j < item->index.count; j++)
      index[j] = check_type(checker, item->index.items[j], 0, "the index of a component",
                            "an index is a node or an integer");
    symbol->component->index = index;
    symbol->component->index_count = item->index.count;
  }
}

static int side_field(struct checker *checker, const struct message *message,
                      const struct side_syntax *side, const struct role *role) {
  if (side->field.text == NULL || role == NULL)
    return -1;
  for (size_t i = 0; i < message->field_count; i++) {
    const struct field *field = &message->fields[i];
    if (strcmp(field->name, side->field.text) != 0)
      continue;
    struct type node = type_node(role);
    bool tells = field->type.kind == TYPE_NODE && field->type.role != NULL &&
                 role_tells(field->type.role, role);
    if (!tells && !type_agrees(&field->type, &node)) {
      struct diagnostic *d =
          REPORT(checker, E0305, side->field.span, "field \"%.60s\" is %s, not %s", field->name,
                 type_text(checker, &field->type), role->name);
      diagnostic_note(d, field->span, "declared here");
      return -1;
    }
    return (int)i;
  }
  struct diagnostic *d =
      REPORT(checker, E0208, side->field.span, "message \"%.60s\" has no field \"%.60s\"",
             message->name, side->field.text);
  diagnostic_hint(d, "declare it: %.60s(%.60s: %.60s)", message->name, side->field.text,
                  role->name);
  return -1;
}

/* The delay of a message: the one it names, or the only one. */
static const struct component *delay_of(struct checker *checker, const struct declaration *d) {
  const struct component *first = checker->delays.count == 0 ? NULL : checker->delays.data[0];
  if (d->over.text != NULL) {
    const struct component *named = find_component(checker, d->over);
    if (named == NULL || named->kind == COMPONENT_DELAY)
      return named == NULL ? first : named;
    struct diagnostic *report =
        REPORT(checker, E0309, d->over.span, "\"%.60s\" is no delay", named->name);
    diagnostic_note(report, named->span, "declared here");
    diagnostic_hint(report, "declare it: delay NAME");
  } else if (checker->delays.count > 1) {
    struct diagnostic *report = REPORT(checker, E0429, d->name.span,
                                       "which delay does message \"%.60s\" have?", d->name.text);
    diagnostic_note(report, checker->delays.data[1]->span, "there are several");
    diagnostic_hint(report, "say it behind the receiver: over %.60s", first->name);
  }
  return first;
}

static void check_fifo(struct checker *checker, const struct message *message) {
  const struct role *sender = message->sender;
  if (!message->fifo || sender == NULL || sender->count == NULL || message->sender_field >= 0)
    return;
  struct diagnostic *d =
      REPORT(checker, E0428, message->span,
             "the channel of \"%.60s\" is FIFO, but which \"%.60s\" sends it cannot be told",
             message->name, sender->name);
  diagnostic_note(d, sender->span, "the sender is one of a family");
  diagnostic_hint(d,
                  "give the message a field that names its sender: %.60s(from: %.60s) : %.60s "
                  "from -> ...",
                  message->name, sender->name, sender->name);
}

enum { PRIORITY_MOST = 1000000 };

/* Of equal priorities any message is taken first. */
static int64_t priority_of(struct checker *checker, const struct declaration *d,
                           const struct role *receiver) {
  if (d->priority.text == NULL)
    return 0;
  struct diagnostic *report;
  int64_t value = strtoll(d->priority.text, NULL, 10);
  if (checker->model->timing != TIMING_EAGER) {
    report = REPORT(checker, E0471, d->priority.span,
                    "nothing makes a node take one message before another in this timing model");
    diagnostic_hint(report, "write \"timing eager\", in which all steps have one order");
  } else if (receiver != NULL && receiver->external) {
    report = REPORT(checker, E0471, d->priority.span,
                    "\"%.60s\" goes to \"%.60s\", which is external and takes no message",
                    d->name.text, receiver->name);
    diagnostic_note(report, receiver->span, "declared here");
    diagnostic_hint(report, "leave \"priority\" out");
  } else if (strlen(d->priority.text) > 7 || value > PRIORITY_MOST) {
    report = REPORT(checker, E0471, d->priority.span, "a priority is at most %d", PRIORITY_MOST);
    diagnostic_hint(report, "only their order counts: 1, 2, 3");
  }
  return value;
}

static void declare_message(struct checker *checker, const struct declaration *d) {
  struct symbol *symbol = symbol_of_kind(checker, SYMBOL_MESSAGE, d->name.text);
  if (!is_of(symbol, d->name))
    return;
  struct message *message = symbol->message;
  struct field *fields = arena_alloc(checker->arena, d->items.count + 1, sizeof *fields);
  for (size_t i = 0; i < d->items.count; i++) {
    const struct item_syntax *item = d->items.items[i];
    for (size_t j = 0; j < i; j++)
      if (strcmp(fields[j].name, item->name.text) == 0) {
        struct diagnostic *report = REPORT(checker, E0201, item->name.span,
                                           "field \"%.60s\" is declared twice", item->name.text);
        diagnostic_note(report, fields[j].span, "\"%.60s\" is first declared here",
                        item->name.text);
      }
    fields[i].name = keep_text(checker, item->name.text);
    fields[i].span = item->name.span;
    fields[i].type = check_type(checker, item->type, ALLOW_BOOL | ALLOW_ENUM, "a field",
                                "a field is a node, an integer, a bool or a value");
  }
  message->fields = fields;
  message->field_count = d->items.count;
  message->delay = delay_of(checker, d);
  message->fifo = d->fifo;
  message->sender = find_role(checker, d->sender.role);
  message->receiver = find_role(checker, d->receiver.role);
  message->priority = priority_of(checker, d, message->receiver);
  message->sender_field = side_field(checker, message, &d->sender, message->sender);
  message->receiver_field = side_field(checker, message, &d->receiver, message->receiver);
  check_fifo(checker, message);
  if (checker->delays.count == 0 && message->id == 0) {
    struct diagnostic *report =
        REPORT(checker, E0401, d->name.span, "message \"%.60s\" has no delay", d->name.text);
    diagnostic_hint(report, "declare how long messages travel: delay d");
  }
}

static void check_node_name(struct checker *checker, const struct declaration *d,
                            const struct role *role) {
  if (role->count != NULL || d->node.text == NULL)
    return;
  struct diagnostic *report = REPORT(checker, E0420, d->node.span,
                                     "role \"%.60s\" is one node and needs no name", role->name);
  diagnostic_hint(report, "remove \"%.60s\"", d->node.text);
}

static void name_states(struct checker *checker, const struct declaration *d) {
  const struct role *role = find_role(checker, d->name);
  if (role == NULL)
    return;
  if (role->external) {
    struct diagnostic *report = REPORT(checker, E0406, d->name.span,
                                       "role \"%.60s\" is external and has no state", role->name);
    diagnostic_note(report, role->span, "declared here");
  }
  check_node_name(checker, d, role);
  for (size_t i = 0; i < d->items.count; i++) {
    const struct item_syntax *item = d->items.items[i];
    struct symbol *symbol = symbol_add(checker, SPACE_STATE, role, item->name, SYMBOL_STATE);
    const struct symbol *global = symbol_find(checker, SPACE_GLOBAL, NULL, item->name.text);
    if (symbol == NULL)
      continue;
    if (global != NULL) {
      struct diagnostic *report =
          REPORT(checker, E0201, item->name.span, "\"%.60s\" is declared twice", item->name.text);
      diagnostic_note(report, global->span, "\"%.60s\" is %s declared here", item->name.text,
                      symbol_kind_name(global));
    }
    struct state *state = symbol->state = arena_alloc(checker->arena, 1, sizeof *state);
    state->name = symbol->name;
    state->span = symbol->span;
    state->id = checker->states.count;
    state->role = role;
    state->type =
        check_type(checker, item->type, ALLOW_BOOL | ALLOW_ENUM | ALLOW_COLLECTION | ALLOW_TIME,
                   "a state", "");
    state->ghost = item->ghost;
    vector_push(&checker->states, state);
  }
}

static void declare_states(struct checker *checker, const struct declaration *d) {
  const struct symbol *role = symbol_of_kind(checker, SYMBOL_ROLE, d->name.text);
  if (role == NULL)
    return;
  checker->position = POSITION_INITIAL;
  for (size_t i = 0; i < d->items.count; i++) {
    const struct item_syntax *item = d->items.items[i];
    struct symbol *symbol = symbol_find(checker, SPACE_STATE, role->role, item->name.text);
    if (!is_of(symbol, item->name))
      continue;
    struct name name = d->node.text != NULL ? d->node : d->name;
    struct variable *self = variable_new(checker, name, type_node(role->role));
    self->domain = DOMAIN_NONE;
    if (d->node.text != NULL)
      scope_push(checker, self);
    struct type type =
        symbol->state->type.kind == TYPE_MAP ? *symbol->state->type.element : symbol->state->type;
    symbol->state->self = self;
    symbol->state->initial = check_typed(checker, item->initial, &type, "the initial value");
    if (type.kind == TYPE_TIME)
      check_time_value(checker, symbol->state->initial);
    checker->scope.count = 0;
  }
}

struct type check_parameter_type(struct checker *checker, const struct type_syntax *syntax) {
  bool map = syntax->kind == TYPE_SYNTAX_MAP;
  return check_type(checker, syntax,
                    ALLOW_BOOL | ALLOW_ENUM | ALLOW_TIME | (map ? 0 : ALLOW_COLLECTION),
                    "a parameter of an abbreviation", "take the element: m[b]");
}

/* The parameters of an abbreviation; its body is checked where it is used. */
static void declare_abbreviation(struct checker *checker, const struct declaration *d) {
  for (size_t i = 0; i < d->items.count; i++) {
    const struct item_syntax *item = d->items.items[i];
    struct type type = check_parameter_type(checker, item->type);
    scope_push(checker, variable_new(checker, item->name, type));
  }
  checker->scope.count = 0;
}

void check_declarations(struct checker *checker, const struct ast *ast) {
  static void (*const passes[])(struct checker *, const struct declaration *) = {
      declare_param,  declare_role,   declare_components, declare_message,
      check_schedule, name_states,    declare_states,     declare_abbreviation,
      check_paced,    check_arrivals, check_loss};
  static const enum declaration_kind kinds[] = {
      DECLARATION_PARAM,    DECLARATION_ROLE,     DECLARATION_COMPONENT, DECLARATION_MESSAGE,
      DECLARATION_SCHEDULE, DECLARATION_STATE,    DECLARATION_STATE,     DECLARATION_LET,
      DECLARATION_MESSAGE,  DECLARATION_ARRIVALS, DECLARATION_MESSAGE};
  for (size_t pass = 0; pass < sizeof passes / sizeof *passes; pass++)
    for (size_t i = 0; i < ast->declarations.count; i++) {
      const struct declaration *d = ast->declarations.items[i];
      if (d->kind == kinds[pass])
        passes[pass](checker, d);
    }
}

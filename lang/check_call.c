/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Checks what is written like a call: occurrences, messages, sent(..), time(..), next(..), d(..)
 * (checker.h).
 */
#include "lang/checker.h"

#include <string.h>

bool check_arguments(struct checker *checker, const struct message *message,
                     struct source_span span, const struct list *syntaxes,
                     const struct term **terms) {
  if (syntaxes->count != message->field_count) {
    struct diagnostic *d = REPORT(checker, E0302, span, "message \"%.60s\" has %zu %s, not %zu",
                                  message->name, message->field_count,
                                  message->field_count == 1 ? "field" : "fields", syntaxes->count);
    diagnostic_note(d, message->span, "declared here");
    return false;
  }
  bool outer = checker->in_index, good = true;
  checker->in_index = true;
  for (size_t i = 0; i < message->field_count; i++) {
    struct text what;
    text_init(&what);
    text_format(&what, "field \"%.60s\" of \"%.60s\"", message->fields[i].name, message->name);
    terms[i] = check_typed(checker, syntaxes->items[i], &message->fields[i].type, text_get(&what));
    good &= terms[i]->type.kind != TYPE_ERROR;
    text_clear(&what);
  }
  checker->in_index = outer;
  return good;
}

/* A term over one message's identity, written name or name(args). */
static struct term *over_message(struct checker *checker, enum term_kind kind, struct type type,
                                 const struct syntax *whole, struct name name,
                                 const struct list *args) {
  const struct message *message = find_message(checker, name);
  if (message == NULL)
    return term_error(checker, whole->span);
  struct term *term = term_new(checker, kind, type, whole->span, message->field_count);
  term->message = message;
  struct source_span span = {name.span.start, whole->span.end};
  if (!check_arguments(checker, message, span, args, term->args))
    return term_error(checker, whole->span);
  return term;
}

struct term *check_message_predicate(struct checker *checker, const struct syntax *syntax,
                                     enum term_kind kind) {
  if (is_forbidden(checker, syntax->span, is_formula_position(checker), "which messages were sent"))
    return term_error(checker, syntax->span);
  struct term *term =
      over_message(checker, kind, type_of(TYPE_BOOL), syntax, syntax->name, &syntax->args);
  if (kind == TERM_LOST && term->type.kind != TYPE_ERROR &&
      !is_lossy(checker, term->message, syntax->span))
    return term_error(checker, syntax->span);
  return term;
}

struct term *check_charged(struct checker *checker, const struct syntax *syntax) {
  if (is_forbidden(checker, syntax->span, is_formula_position(checker), "what was charged"))
    return term_error(checker, syntax->span);
  const struct component *component = find_component(checker, syntax->name);
  if (component == NULL)
    return term_error(checker, syntax->span);
  if (component->repeated) {
    struct diagnostic *d = REPORT(checker, E0435, syntax->span,
                                  "the executions of \"%.60s\" have no names", component->name);
    diagnostic_note(d, component->span, "it is executed any number of times");
    diagnostic_hint(d, "keep what was executed in a state of the node");
    return term_error(checker, syntax->span);
  }
  if (component->kind != COMPONENT_STEP || component->index_count != syntax->args.count) {
    struct diagnostic *d = REPORT(
        checker, E0302, syntax->span,
        "\"charged\" names one occurrence of a step, with its %zu indices", component->index_count);
    diagnostic_note(d, component->span, "declared here");
    return term_error(checker, syntax->span);
  }
  struct term *term =
      term_new(checker, TERM_CHARGED, type_of(TYPE_BOOL), syntax->span, syntax->args.count);
  term->component = component;
  for (size_t i = 0; i < term->count; i++)
    term->args[i] = check_typed(checker, syntax_arg(syntax, i), &component->index[i],
                                "the index of a component");
  return term;
}

static bool has_count(struct checker *checker, const struct syntax *syntax, size_t count) {
  if (syntax->args.count == count)
    return true;
  REPORT(checker, E0302, syntax->span, "\"%.60s\" takes %zu argument%s, not %zu", syntax->name.text,
         count, count == 1 ? "" : "s", syntax->args.count);
  return false;
}

/* first(ROLE), last(ROLE) */
static struct term *call_end(struct checker *checker, const struct syntax *syntax) {
  const struct syntax *arg = syntax_arg(syntax, 0);
  if (is_forbidden(checker, syntax->span, may_mention_nodes(checker), "a node"))
    return term_error(checker, syntax->span);
  if (arg->kind != SYNTAX_NAME) {
    REPORT(checker, E0307, arg->span, "\"%s\" takes the name of a family", syntax->name.text);
    return term_error(checker, syntax->span);
  }
  struct role *role = find_role(checker, arg->name);
  if (role == NULL)
    return term_error(checker, syntax->span);
  if (role->count == NULL) {
    struct diagnostic *d =
        REPORT(checker, E0307, arg->span, "role \"%.60s\" is one node, not a family", role->name);
    diagnostic_note(d, role->span, "declared here");
    return term_error(checker, syntax->span);
  }
  role->ordered = true;
  enum term_kind kind = syntax->name.text[0] == 'f' ? TERM_FIRST : TERM_LAST;
  return term_new(checker, kind, type_node(role), syntax->span, 0);
}

/* next(i), prev(i), index(i) */
static struct term *call_order(struct checker *checker, const struct syntax *syntax) {
  struct term *node = check_term(checker, syntax_arg(syntax, 0));
  if (node->type.kind == TYPE_ERROR)
    return node;
  const struct role *role = node->type.role;
  if (node->type.kind != TYPE_NODE) {
    REPORT(checker, E0301, syntax_arg(syntax, 0)->span, "\"%s\" takes a node, not %s",
           syntax->name.text, type_text(checker, &node->type));
    return term_error(checker, syntax->span);
  }
  if (role->count == NULL) {
    REPORT(checker, E0307, syntax_arg(syntax, 0)->span, "role \"%.60s\" is one node, not a family",
           role->name);
    return term_error(checker, syntax->span);
  }
  checker->roles.data[role->id]->ordered = true;
  char word = syntax->name.text[0];
  struct term *term = term_new(checker,
                               word == 'n'   ? TERM_NEXT
                               : word == 'p' ? TERM_PREV
                                             : TERM_INDEX,
                               word == 'i' ? type_of(TYPE_INT) : node->type, syntax->span, 1);
  term->args[0] = node;
  return term;
}

static bool is_message_syntax(struct checker *checker, const struct syntax *arg) {
  return arg->kind == SYNTAX_CALL
             ? symbol_of_kind(checker, SYMBOL_MESSAGE, arg->name.text) != NULL
             : arg->kind == SYNTAX_NAME && scope_find(checker, arg->name.text) == NULL &&
                   symbol_of_kind(checker, SYMBOL_MESSAGE, arg->name.text) != NULL;
}

static struct term *rewrap(struct term *term, struct source_span span) {
  term->span = span;
  return term;
}

/* time(M(..)), time(NODE) */
static struct term *call_time(struct checker *checker, const struct syntax *syntax) {
  if (is_forbidden(checker, syntax->span, is_formula_position(checker),
                   "clocks and delivery times"))
    return term_error(checker, syntax->span);
  const struct syntax *arg = syntax_arg(syntax, 0);
  if (is_message_syntax(checker, arg))
    return rewrap(
        over_message(checker, TERM_TIME_MESSAGE, type_of(TYPE_TIME), arg, arg->name, &arg->args),
        syntax->span);
  struct term *node = check_term(checker, arg);
  if (node->type.kind == TYPE_ERROR)
    return node;
  if (node->type.kind != TYPE_NODE) {
    struct diagnostic *d =
        REPORT(checker, E0301, arg->span, "\"time\" takes a message or a node, not %s",
               type_text(checker, &node->type));
    if (node->kind == TERM_ROLE_SET)
      diagnostic_hint(d, "name one node: forall i in %s. time(i) ...", node->type.role->name);
    return term_error(checker, syntax->span);
  }
  struct term *term = term_new(checker, TERM_TIME_NODE, type_of(TYPE_TIME), syntax->span, 1);
  term->args[0] = node;
  return term;
}

/* arrival(NODE) */
static struct term *call_arrival(struct checker *checker, const struct syntax *syntax) {
  if (is_forbidden(checker, syntax->span, is_formula_position(checker), "arrival times"))
    return term_error(checker, syntax->span);
  struct term *node = check_term(checker, syntax_arg(syntax, 0));
  if (node->type.kind == TYPE_ERROR)
    return node;
  if (node->type.kind != TYPE_NODE) {
    REPORT(checker, E0301, syntax_arg(syntax, 0)->span, "\"arrival\" takes a node, not %s",
           type_text(checker, &node->type));
    return term_error(checker, syntax->span);
  }
  if (checker->model->timing != TIMING_ADVANCED) {
    struct diagnostic *d =
        REPORT(checker, E0427, syntax->span, "only the advanced timing model has arrival times");
    if (checker->timing != NULL)
      diagnostic_note(d, checker->timing->span, "the model is chosen here");
    diagnostic_hint(d, "write \"timing advanced\", or use time(NODE)");
    return term_error(checker, syntax->span);
  }
  return term_pair(checker, TERM_ARRIVAL, type_of(TYPE_TIME), syntax->span, node, NULL);
}

/* The message that paced, handed or released takes; or an error term. */
static struct term *call_of_pacer(struct checker *checker, const struct syntax *syntax,
                                  enum term_kind kind) {
  const struct syntax *arg = syntax_arg(syntax, 0);
  if (is_forbidden(checker, syntax->span, is_formula_position(checker), "when a message is let go"))
    return term_error(checker, syntax->span);
  if (arg->kind != SYNTAX_NAME && arg->kind != SYNTAX_CALL) {
    REPORT(checker, E0309, arg->span, "\"%.60s\" takes a message", syntax->name.text);
    return term_error(checker, syntax->span);
  }
  return over_message(checker, kind, type_of(TYPE_TIME), arg, arg->name, &arg->args);
}

/* handed(M(..)), released(M(..)): the end of the step that sends it, and when it leaves */
static struct term *call_held(struct checker *checker, const struct syntax *syntax) {
  bool handed = syntax->name.text[0] == 'h';
  struct term *term = call_of_pacer(checker, syntax, handed ? TERM_HANDED : TERM_TIME_MESSAGE);
  const struct message *message = term->message;
  if (term->type.kind == TYPE_ERROR || message->delay == NULL) /* reported */
    return term_error(checker, syntax->span);
  if (message->pacer == NULL || !message->pacer->holds) {
    struct diagnostic *d =
        REPORT(checker, E0449, syntax->span, "no pacer holds \"%.60s\": it leaves when it is sent",
               message->name);
    diagnostic_note(d, message->span, "declared here");
    diagnostic_hint(d,
                    "when it is sent is time(%.60s(..)) - %.60s(%.60s(..)); for a pacer write "
                    "behind its receiver: paced every T burst B",
                    message->name, message->delay->name, message->name);
    return term_error(checker, syntax->span);
  }
  if (handed)
    return rewrap(term, syntax->span);
  struct term *delay = term_new(checker, TERM_DELAY, type_of(TYPE_TIME), syntax->span, term->count);
  delay->message = message;
  delay->component = message->delay;
  for (size_t i = 0; i < term->count; i++)
    delay->args[i] = term_copy(checker, term->args[i], NULL, NULL, 0);
  return term_pair(checker, TERM_SUB, type_of(TYPE_TIME), syntax->span, term, delay);
}

/* paced(M(..)) */
static struct term *call_paced(struct checker *checker, const struct syntax *syntax) {
  struct term *term = call_of_pacer(checker, syntax, TERM_PACED);
  const struct message *message = term->message;
  if (term->type.kind == TYPE_ERROR || message->pacer != NULL)
    return rewrap(term, syntax->span);
  struct diagnostic *d = REPORT(checker, E0449, syntax->span,
                                "nothing is declared of the arrivals of \"%.60s\"", message->name);
  diagnostic_note(d, message->span, "declared here");
  diagnostic_hint(d, "declare how often it is sent: arrivals %.60s every T burst B", message->name);
  return term_error(checker, syntax->span);
}

static struct term *call_receiver(struct checker *checker, const struct syntax *syntax) {
  const struct syntax *arg = syntax_arg(syntax, 0);
  if (is_forbidden(checker, syntax->span, is_formula_position(checker), "who receives a message"))
    return term_error(checker, syntax->span);
  if (arg->kind != SYNTAX_NAME && arg->kind != SYNTAX_CALL) {
    REPORT(checker, E0309, arg->span, "\"receiver\" takes a message");
    return term_error(checker, syntax->span);
  }
  struct term *term =
      over_message(checker, TERM_RECEIVER, type_of(TYPE_NODE), arg, arg->name, &arg->args);
  if (term->type.kind == TYPE_NODE)
    term->type.role = term->message->receiver;
  if (term->type.kind == TYPE_NODE && term->type.role == NULL) /* an unknown role, reported */
    return term_error(checker, syntax->span);
  return rewrap(term, syntax->span);
}

/* d(M(..)), Queuing(M(..)) */
static struct term *call_delay(struct checker *checker, const struct syntax *syntax,
                               const struct component *component) {
  bool allowed = is_formula_position(checker) || checker->position == POSITION_EXPRESSION;
  if (is_forbidden(checker, syntax->span, allowed, "the delay of one message"))
    return term_error(checker, syntax->span);
  const struct syntax *arg = syntax_arg(syntax, 0);
  if (arg->kind != SYNTAX_NAME && arg->kind != SYNTAX_CALL) {
    REPORT(checker, E0309, arg->span, "\"%.60s\" takes a message", component->name);
    return term_error(checker, syntax->span);
  }
  struct term *term =
      over_message(checker, TERM_DELAY, type_of(TYPE_TIME), arg, arg->name, &arg->args);
  term->component = component;
  const struct message *message = term->message;
  if (message != NULL && component->kind == COMPONENT_DELAY && message->delay != component &&
      message->delay != NULL) {
    struct diagnostic *d =
        REPORT(checker, E0430, syntax->span, "\"%.60s\" is not the delay of message \"%.60s\"",
               component->name, message->name);
    diagnostic_note(d, message->span, "it travels over \"%.60s\"", message->delay->name);
    diagnostic_hint(d, "write %.60s(...)", message->delay->name);
    return term_error(checker, syntax->span);
  }
  return rewrap(term, syntax->span);
}

static struct term *unknown_function(struct checker *checker, const struct syntax *syntax) {
  const char *name = syntax->name.text;
  const struct symbol *symbol = symbol_find(checker, SPACE_GLOBAL, NULL, name);
  struct diagnostic *d;
  if (symbol != NULL && symbol->kind == SYMBOL_COMPONENT &&
      (symbol->component->repeated || symbol->component->kind == COMPONENT_CONSTANT)) {
    d = REPORT(checker, E0309, syntax->span, "\"%.60s\" is no function", name);
    diagnostic_hint(d, "write %s", name);
  } else if (symbol != NULL && symbol->kind == SYMBOL_COMPONENT) {
    d = REPORT(checker, E0309, syntax->span, "\"%.60s\" is a step: its index is in brackets", name);
    diagnostic_hint(d, "write %s[...]", name);
  } else if (symbol != NULL && symbol->kind == SYMBOL_MESSAGE) {
    d = REPORT(checker, E0309, syntax->span, "\"%.60s\" is a message, not a value", name);
    diagnostic_hint(d, "say what of it is meant: sent %s(...), time(%s(...)), ...", name, name);
  } else {
    d = REPORT(checker, E0212, syntax->name.span, "unknown function \"%.60s\"", name);
    hint_nearest(checker, d, name, 1u << SYMBOL_COMPONENT, NULL);
  }
  return term_error(checker, syntax->span);
}

/* Files that were written before these words were have names of their own. */
static bool is_declared(struct checker *checker, const char *name) {
  return symbol_find(checker, SPACE_GLOBAL, NULL, name) != NULL;
}

struct term *check_call(struct checker *checker, const struct syntax *syntax) {
  static const struct {
    const char *name;
    struct term *(*check)(struct checker *checker, const struct syntax *syntax);
  } functions[] = {{"first", call_end},         {"last", call_end},        {"next", call_order},
                   {"prev", call_order},        {"index", call_order},     {"time", call_time},
                   {"receiver", call_receiver}, {"arrival", call_arrival}, {"paced", call_paced},
                   {"handed", call_held},       {"released", call_held}};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp(syntax->name.text, functions[i].name) == 0 &&
        (functions[i].check != call_held || !is_declared(checker, syntax->name.text)))
      return has_count(checker, syntax, 1) ? functions[i].check(checker, syntax)
                                           : term_error(checker, syntax->span);
  const struct symbol *role = symbol_of_kind(checker, SYMBOL_ROLE, syntax->name.text);
  if (role != NULL)
    return has_count(checker, syntax, 1) ? check_conversion(checker, syntax, role->role)
                                         : term_error(checker, syntax->span);
  const struct symbol *symbol = symbol_of_kind(checker, SYMBOL_COMPONENT, syntax->name.text);
  if (symbol == NULL && strcmp(syntax->name.text, "upto") == 0)
    return check_upto(checker, syntax);
  if (symbol == NULL && strcmp(syntax->name.text, "losses") == 0)
    return check_losses(checker, syntax);
  if (symbol == NULL ||
      (symbol->component->kind != COMPONENT_DELAY && symbol->component->kind != COMPONENT_QUEUEING))
    return unknown_function(checker, syntax);
  return has_count(checker, syntax, 1) ? call_delay(checker, syntax, symbol->component)
                                       : term_error(checker, syntax->span);
}

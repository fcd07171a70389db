/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes and types terms: literals, coercions, and which check a term goes to (checker.h).
 */
#include "lang/checker.h"

#include "base/duration.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *keep_text(struct checker *checker, const char *text) {
  return arena_text(checker->arena, text, strlen(text));
}

struct type type_of(enum type_kind kind) {
  return (struct type){.kind = kind};
}

struct type type_node(const struct role *role) {
  return (struct type){.kind = TYPE_NODE, .role = role};
}

struct type type_set(const struct role *role) {
  return (struct type){.kind = TYPE_SET, .role = role};
}

struct term *term_new(struct checker *checker, enum term_kind kind, struct type type,
                      struct source_span span, size_t count) {
  struct term *made = arena_alloc(checker->arena, 1, sizeof *made);
  made->kind = kind;
  made->type = type;
  made->span = span;
  made->count = count;
  if (count != 0)
    made->args = arena_alloc(checker->arena, count, sizeof *made->args);
  return made;
}

struct term *term_integer_literal(struct checker *checker, int64_t value, struct source_span span) {
  struct term *made = term_new(checker, TERM_INT, type_of(TYPE_INT), span, 0);
  made->integer = value;
  return made;
}

struct term *term_pair(struct checker *checker, enum term_kind kind, struct type type,
                       struct source_span span, const struct term *left, const struct term *right) {
  struct term *made = term_new(checker, kind, type, span, right == NULL ? 1 : 2);
  made->args[0] = left;
  if (right != NULL)
    made->args[1] = right;
  return made;
}

struct term *term_zero_time(struct checker *checker, struct source_span span) {
  struct term *zero = term_new(checker, TERM_TIME, type_of(TYPE_TIME), span, 0);
  rational_init(&zero->value);
  vector_push(&checker->model->rationals, &zero->value);
  return zero;
}

struct term *term_error(struct checker *checker, struct source_span span) {
  return term_new(checker, TERM_BOOL, type_of(TYPE_ERROR), span, 0);
}

bool type_agrees(const struct type *a, const struct type *b) {
  if (a->kind == TYPE_ERROR || b->kind == TYPE_ERROR)
    return true;
  if (a->kind != b->kind)
    return false;
  if (a->kind == TYPE_MAP)
    return a->role == b->role && type_agrees(a->element, b->element);
  return a->role == b->role && a->enumeration == b->enumeration;
}

void type_append(struct text *text, const struct type *type) {
  switch (type->kind) {
  case TYPE_ERROR:
    text_append(text, "unknown");
    return;
  case TYPE_BOOL:
    text_append(text, "bool");
    return;
  case TYPE_INT:
    text_append(text, "int");
    return;
  case TYPE_TIME:
    text_append(text, "time");
    return;
  case TYPE_ENUM:
    text_append(text, type->enumeration->name);
    return;
  case TYPE_NODE:
    text_append(text, type->role->name);
    return;
  case TYPE_SET:
    text_format(text, "set of %s", type->role == NULL ? "?" : type->role->name);
    return;
  case TYPE_MAP:
    text_format(text, "map %s to ", type->role->name);
    type_append(text, type->element);
    return;
  }
}

const char *type_text(struct checker *checker, const struct type *type) {
  struct text text;
  text_init(&text);
  type_append(&text, type);
  const char *kept = keep_text(checker, text_get(&text));
  text_clear(&text);
  return kept;
}

bool is_formula_position(const struct checker *checker) {
  return checker->position == POSITION_INVARIANT || checker->position == POSITION_TARGET;
}

bool is_forbidden(struct checker *checker, struct source_span span, bool allowed,
                  const char *what) {
  if (allowed)
    return false;
  struct diagnostic *d;
  switch (checker->position) {
  case POSITION_ACTION:
    d = REPORT(checker, E0413, span, "an action cannot see %s", what);
    diagnostic_hint(d, "guards, costs and statements see the node's own state, the parameters and "
                       "the fields of the received message");
    break;
  case POSITION_EXPRESSION:
    d = REPORT(checker, E0415, span, "the expression of a bound cannot depend on %s", what);
    diagnostic_hint(d, "it is built from components, delays, parameters and indices");
    break;
  case POSITION_ASSUME:
    d = REPORT(checker, E0418, span, "an assumption cannot mention %s", what);
    diagnostic_hint(d, "assumptions are over parameters and the bare names of components; what "
                       "holds of the state is an invariant");
    break;
  default:
    d = REPORT(checker, E0421, span, "%s is not a constant", what);
    diagnostic_hint(d, checker->position == POSITION_INITIAL
                           ? "an initial value is made of parameters and the node"
                           : "parameters and sizes are made of the parameters declared before");
  }
  return true;
}

/* 0 is a time, {} a set of any role, and what is computed from such follows. */
static bool is_flexible(const struct term *term) {
  if (term->kind == TERM_INT)
    return term->integer == 0;
  if (term->kind == TERM_SET)
    return term->type.role == NULL;
  bool follows = term->kind == TERM_ADD || term->kind == TERM_MAX || term->kind == TERM_MIN ||
                 term->kind == TERM_ITE || term->kind == TERM_UNION ||
                 term->kind == TERM_DIFFERENCE || term->kind == TERM_INTERSECTION;
  for (size_t i = term->kind == TERM_ITE ? 1 : 0; follows && i < term->count; i++)
    follows = is_flexible(term->args[i]);
  return follows;
}

static struct term *bend(struct checker *checker, const struct term *term,
                         const struct type *type) {
  if (term->kind == TERM_INT)
    return term_zero_time(checker, term->span);
  struct term *made = term_new(checker, term->kind, *type, term->span, term->count);
  for (size_t i = 0; i < term->count; i++)
    made->args[i] =
        i == 0 && term->kind == TERM_ITE ? term->args[i] : bend(checker, term->args[i], type);
  return made;
}

struct term *term_coerce(struct checker *checker, struct term *term, const struct type *type) {
  if (type_agrees(&term->type, type))
    return term;
  bool zero = term->type.kind == TYPE_INT && type->kind == TYPE_TIME;
  bool empty = term->type.kind == TYPE_SET && type->kind == TYPE_SET && term->type.role == NULL;
  return (zero || empty) && is_flexible(term) ? bend(checker, term, type) : NULL;
}

struct term *check_typed(struct checker *checker, const struct syntax *syntax,
                         const struct type *type, const char *what) {
  return term_typed(checker, syntax, check_term(checker, syntax), type, what);
}

struct term *term_typed(struct checker *checker, const struct syntax *syntax, struct term *term,
                        const struct type *type, const char *what) {
  struct term *fitting = term_coerce(checker, term, type);
  if (fitting != NULL)
    return fitting;
  const char *found = type_text(checker, &term->type), *wanted = type_text(checker, type);
  bool units = (type->kind == TYPE_TIME && term->type.kind == TYPE_INT) ||
               (type->kind == TYPE_INT && term->type.kind == TYPE_TIME);
  bool roles = (type->kind == TYPE_NODE && term->type.kind == TYPE_NODE) ||
               (type->kind == TYPE_SET && term->type.kind == TYPE_SET && term->type.role != NULL);
  if (units) {
    struct diagnostic *d = REPORT(checker, E0303, syntax->span, "%s must be %s, not %s", what,
                                  type->kind == TYPE_TIME ? "a time" : "an integer",
                                  type->kind == TYPE_TIME ? "an integer" : "a time");
    if (term->kind == TERM_INT)
      diagnostic_hint(d, "a duration needs a unit: %s ms", syntax->name.text);
  } else if (roles) {
    REPORT(checker, E0305, syntax->span, "%s must be %s, not %s", what, wanted, found);
  } else {
    struct diagnostic *d =
        REPORT(checker, E0301, syntax->span, "%s must be %s, not %s", what, wanted, found);
    if (type->kind == TYPE_NODE && term->kind == TERM_ROLE_SET)
      diagnostic_hint(d, "\"%.60s\" is the set of all its nodes", syntax->name.text);
    if (type->kind == TYPE_SET && term->type.kind == TYPE_NODE)
      diagnostic_hint(d, "put the node into braces to make a set of it");
  }
  return term_error(checker, syntax->span);
}

static struct term *check_integer(struct checker *checker, const struct syntax *syntax) {
  errno = 0;
  long long value = strtoll(syntax->name.text, NULL, 10);
  if (errno != 0) {
    REPORT(checker, E0103, syntax->span, "the number is too large (64 bits)");
    return term_error(checker, syntax->span);
  }
  struct term *term = term_new(checker, TERM_INT, type_of(TYPE_INT), syntax->span, 0);
  term->integer = value;
  return term;
}

static struct term *check_duration(struct checker *checker, const struct syntax *syntax) {
  struct term *term = term_new(checker, TERM_TIME, type_of(TYPE_TIME), syntax->span, 0);
  size_t digits = strspn(syntax->name.text, "0123456789.");
  if (digits > 400) {
    REPORT(checker, E0103, syntax->span, "the number is too large");
    return term_error(checker, syntax->span);
  }
  rational_init(&term->value);
  vector_push(&checker->model->rationals, &term->value);
  if (!duration_parse(&term->value, syntax->name.text))
    bug("the scanner passed the duration %s", syntax->name.text);
  return term;
}

static struct term *check_set(struct checker *checker, const struct syntax *syntax) {
  struct term *term = term_new(checker, TERM_SET, type_set(NULL), syntax->span, syntax->args.count);
  struct type member = type_of(TYPE_ERROR);
  for (size_t i = 0; i < term->count; i++) {
    const struct syntax *arg = syntax_arg(syntax, i);
    struct term *node = i == 0 ? check_term(checker, arg)
                               : check_typed(checker, arg, &member, "every member of this set");
    term->args[i] = node;
    if (i == 0 && node->type.kind != TYPE_NODE && node->type.kind != TYPE_ERROR)
      REPORT(checker, E0301, arg->span, "a member of a set must be a node, not %s",
             type_text(checker, &node->type));
    if (node->type.kind != TYPE_NODE)
      return term_error(checker, syntax->span);
    member = node->type;
    term->type.role = node->type.role;
  }
  return term;
}

/* An argument of an abbreviation, where the body mentions its parameter. */
static struct term *check_argument(struct checker *checker, const struct syntax *syntax) {
  struct type type = check_parameter_type(checker, syntax->type);
  struct text what;
  text_init(&what);
  text_format(&what, "the argument \"%.60s\"", syntax->name.text);
  struct term *term = check_typed(checker, syntax_arg(syntax, 0), &type, text_get(&what));
  text_clear(&what);
  return term;
}

struct term *check_term(struct checker *checker, const struct syntax *syntax) {
  struct term *term;
  switch (syntax->kind) {
  case SYNTAX_TRUE:
  case SYNTAX_FALSE:
    term = term_new(checker, TERM_BOOL, type_of(TYPE_BOOL), syntax->span, 0);
    term->integer = syntax->kind == SYNTAX_TRUE;
    return term;
  case SYNTAX_INTEGER:
    return check_integer(checker, syntax);
  case SYNTAX_TIME:
    return check_duration(checker, syntax);
  case SYNTAX_NAME:
    return check_name(checker, syntax);
  case SYNTAX_CALL:
    return check_call(checker, syntax);
  case SYNTAX_INDEX:
    return check_index(checker, syntax);
  case SYNTAX_FIELD:
    return check_field(checker, syntax);
  case SYNTAX_SET:
    return check_set(checker, syntax);
  case SYNTAX_SENT:
    return check_message_predicate(checker, syntax, TERM_SENT);
  case SYNTAX_PENDING:
    return check_message_predicate(checker, syntax, TERM_PENDING);
  case SYNTAX_RECEIVED:
    return check_message_predicate(checker, syntax, TERM_RECEIVED);
  case SYNTAX_LOST:
    return check_message_predicate(checker, syntax, TERM_LOST);
  case SYNTAX_CHARGED:
    return check_charged(checker, syntax);
  case SYNTAX_FORALL:
  case SYNTAX_EXISTS:
  case SYNTAX_MAX_OVER:
  case SYNTAX_MIN_OVER:
  case SYNTAX_SUM_OVER:
  case SYNTAX_KTH_OVER:
    return check_binding(checker, syntax);
  case SYNTAX_ARGUMENT:
    return check_argument(checker, syntax);
  case SYNTAX_ERROR:
  case SYNTAX_RANGE:
  case SYNTAX_BEFORE:
  case SYNTAX_ALL_INTEGERS:
    return term_error(checker, syntax->span);
  default:
    return check_operator(checker, syntax);
  }
}

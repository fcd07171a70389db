/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/checker.h"

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
                      struct span span, size_t count) {
  struct term *made = arena_alloc(checker->arena, 1, sizeof *made);
  made->kind = kind;
  made->type = type;
  made->span = span;
  made->count = count;
  if (count != 0)
    made->args = arena_alloc(checker->arena, count, sizeof *made->args);
  return made;
}

struct term *term_error(struct checker *checker, struct span span) {
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

bool is_forbidden(struct checker *checker, struct span span, bool allowed, const char *what) {
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
  if (term->kind == TERM_INT) {
    struct term *zero = term_new(checker, TERM_TIME, *type, term->span, 0);
    rational_init(&zero->value);
    vector_push(&checker->model->rationals, &zero->value);
    return zero;
  }
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
  struct term *term = check_term(checker, syntax);
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
  char *number = mem_copy_text(syntax->name.text, digits);
  const char *unit = syntax->name.text + digits + 1;
  int64_t scale = unit[0] == 'n'   ? 1
                  : unit[0] == 'u' ? 1000
                  : unit[0] == 'm' ? 1000000
                                   : 1000000000;
  struct rational factor;
  rational_init(&factor);
  rational_set_integer(&factor, scale);
  rational_init(&term->value);
  vector_push(&checker->model->rationals, &term->value);
  if (!rational_parse(&term->value, number))
    bug("the scanner passed the duration %s", number);
  rational_mul(&term->value, &term->value, &factor);
  rational_clear(&factor);
  mem_free(number);
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

static void domain_range(struct checker *checker, const struct syntax *domain,
                         struct variable *variable) {
  struct type integer = type_of(TYPE_INT);
  variable->domain = DOMAIN_RANGE;
  variable->type = integer;
  variable->low = check_typed(checker, syntax_arg(domain, 0), &integer, "the start of a range");
  variable->high = check_typed(checker, syntax_arg(domain, 1), &integer, "the end of a range");
}

static void domain_all_integers(struct checker *checker, const struct syntax *domain,
                                struct variable *variable) {
  variable->domain = DOMAIN_INT;
  variable->type = type_of(TYPE_INT);
  if (checker->position == POSITION_INVARIANT)
    return;
  struct diagnostic *d =
      REPORT(checker, E0419, domain->span, "only an invariant can speak of all integers");
  diagnostic_hint(d, "give a range: 0..n - 1");
}

static void domain_set(struct checker *checker, const struct syntax *domain,
                       struct variable *variable) {
  struct term *set = check_term(checker, domain);
  variable->domain = DOMAIN_SET;
  variable->set = set;
  variable->type = set->type.kind == TYPE_SET ? type_node(set->type.role) : type_of(TYPE_ERROR);
  if (set->kind == TERM_ROLE_SET) {
    variable->domain = DOMAIN_ROLE;
    variable->set = NULL;
  }
  if (set->type.kind == TYPE_SET && set->type.role == NULL) {
    REPORT(checker, E0306, domain->span, "this set is empty");
    variable->type = type_of(TYPE_ERROR);
  } else if (set->type.kind != TYPE_SET && set->type.kind != TYPE_ERROR) {
    struct diagnostic *d = REPORT(checker, E0301, domain->span,
                                  "a variable ranges over a role, a set or a range, not over %s",
                                  type_text(checker, &set->type));
    if (set->type.kind == TYPE_INT)
      diagnostic_hint(d, "a range has two ends: 0..n - 1");
  }
}

struct variable *check_binder(struct checker *checker, const struct binder *binder) {
  struct variable *variable = variable_new(checker, binder->name, type_of(TYPE_ERROR));
  const struct syntax *domain = binder->domain;
  const struct symbol *role = domain->kind != SYNTAX_NAME || scope_find(checker, domain->name.text)
                                  ? NULL
                                  : symbol_of_kind(checker, SYMBOL_ROLE, domain->name.text);
  if (domain->kind == SYNTAX_RANGE) {
    domain_range(checker, domain, variable);
  } else if (domain->kind == SYNTAX_ALL_INTEGERS) {
    domain_all_integers(checker, domain, variable);
  } else if (role != NULL) {
    variable->domain = DOMAIN_ROLE;
    variable->type = type_node(role->role);
  } else {
    domain_set(checker, domain, variable);
  }
  scope_push(checker, variable);
  return variable;
}

const struct variable **check_binders(struct checker *checker, const struct list *binders) {
  if (binders->count == 0)
    return NULL;
  const struct variable **made = arena_alloc(checker->arena, binders->count, sizeof *made);
  for (size_t i = 0; i < binders->count; i++)
    made[i] = check_binder(checker, list_binder(binders, i));
  return made;
}

static void check_over_domain(struct checker *checker, const struct syntax *syntax,
                              const struct variable *variable) {
  if (syntax->kind != SYNTAX_SUM_OVER)
    return;
  if (variable->domain == DOMAIN_SET) {
    struct diagnostic *d = REPORT(checker, E0422, list_binder(&syntax->binders, 0)->domain->span,
                                  "a sum ranges over a role or lo..hi, not over a set");
    diagnostic_hint(d, "sum over the whole role; a maximum may range over a set");
  }
  if (variable->domain == DOMAIN_ROLE && variable->type.kind == TYPE_NODE)
    checker->roles.data[variable->type.role->id]->ordered = true;
}

static struct term *check_binding(struct checker *checker, const struct syntax *syntax) {
  static const enum term_kind kinds[] = {[SYNTAX_FORALL] = TERM_FORALL,
                                         [SYNTAX_EXISTS] = TERM_EXISTS,
                                         [SYNTAX_MAX_OVER] = TERM_MAX_OVER,
                                         [SYNTAX_MIN_OVER] = TERM_MIN_OVER,
                                         [SYNTAX_SUM_OVER] = TERM_SUM_OVER};
  bool quantifier = syntax->kind == SYNTAX_FORALL || syntax->kind == SYNTAX_EXISTS;
  struct type type = type_of(quantifier ? TYPE_BOOL : TYPE_TIME);
  struct term *term = term_new(checker, kinds[syntax->kind], type, syntax->span, 1);
  size_t depth = checker->scope.count;
  term->variable_count = syntax->binders.count;
  term->variables = check_binders(checker, &syntax->binders);
  check_over_domain(checker, syntax, term->variables[0]);
  if (!quantifier && term->variables[0]->domain == DOMAIN_INT)
    REPORT(checker, E0419, list_binder(&syntax->binders, 0)->domain->span,
           "only a quantifier of an invariant can range over all integers");
  term->args[0] = check_typed(checker, syntax_arg(syntax, 0), &type,
                              quantifier ? "the formula of a quantifier" : "what is taken here");
  checker->scope.count = depth;
  return term->args[0]->type.kind == TYPE_ERROR ? term_error(checker, syntax->span) : term;
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
  case SYNTAX_CHARGED:
    return check_charged(checker, syntax);
  case SYNTAX_FORALL:
  case SYNTAX_EXISTS:
  case SYNTAX_MAX_OVER:
  case SYNTAX_MIN_OVER:
  case SYNTAX_SUM_OVER:
    return check_binding(checker, syntax);
  case SYNTAX_ERROR:
  case SYNTAX_RANGE:
  case SYNTAX_ALL_INTEGERS:
    return term_error(checker, syntax->span);
  default:
    return check_operator(checker, syntax);
  }
}

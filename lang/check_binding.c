/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Terms that bind a variable: quantifiers, and maxima, minima, sums and ranks over a domain. */
#include <string.h>

#include "lang/checker.h"
#include "lang/instantiate.h"

static void domain_range(struct checker *checker, const struct syntax *domain,
                         struct variable *variable) {
  struct type integer = type_of(TYPE_INT);
  variable->domain = DOMAIN_RANGE;
  variable->type = integer;
  variable->low = check_typed(checker, syntax_arg(domain, 0), &integer, "the start of a range");
  variable->high = check_typed(checker, syntax_arg(domain, 1), &integer, "the end of a range");
}

/* The node of the family; `first` and `last` are its own, however many families there are. */
static const struct term *end_node(struct checker *checker, const struct syntax *syntax,
                                   const struct role *role) {
  struct type node = type_node(role);
  const char *name = syntax->kind == SYNTAX_NAME ? syntax->name.text : "";
  bool first = strcmp(name, "first") == 0, last = strcmp(name, "last") == 0;
  bool known =
      scope_find(checker, name) != NULL || symbol_find(checker, SPACE_GLOBAL, NULL, name) != NULL;
  if ((first || last) && !known)
    return term_new(checker, first ? TERM_FIRST : TERM_LAST, node, syntax->span, 0);
  return check_typed(checker, syntax, &node, "what stands behind \"before\"");
}

/* stage before i: of a family that stands in a row. */
static void domain_before(struct checker *checker, const struct syntax *domain,
                          struct variable *variable) {
  const struct syntax *family = syntax_arg(domain, 0);
  const struct symbol *symbol =
      family->kind == SYNTAX_NAME ? symbol_of_kind(checker, SYMBOL_ROLE, family->name.text) : NULL;
  struct type integer = type_of(TYPE_INT);
  struct diagnostic *d;
  if (symbol == NULL || symbol->role->count == NULL || symbol->role->owner != NULL) {
    d = REPORT(checker, E0475, family->span,
               "what stands before \"before\" is a family of its own");
    diagnostic_hint(d,
                    "write FAMILY before NODE, with a role that has a size, such as role stage[n]");
    return;
  }
  if (checker->in_heading ||
      !(is_formula_position(checker) || checker->position == POSITION_EXPRESSION)) {
    d = REPORT(checker, E0475, domain->span,
               "\"before\" stands in invariants, events and expressions of bounds alone");
    diagnostic_hint(d, "elsewhere compare positions: index(x) < index(%.60s)",
                    syntax_arg(domain, 1)->kind == SYNTAX_NAME ? syntax_arg(domain, 1)->name.text
                                                               : "i");
    return;
  }
  struct type node = type_node(symbol->role);
  const struct term *end = end_node(checker, syntax_arg(domain, 1), symbol->role);
  if (end->type.kind == TYPE_ERROR)
    return;
  symbol->role->ordered = true;
  variable->domain = DOMAIN_RANGE;
  variable->type = node;
  variable->low = term_integer_literal(checker, 0, domain->span);
  variable->high = term_pair(checker, TERM_SUB, integer, domain->span,
                             term_pair(checker, TERM_INDEX, integer, domain->span, end, NULL),
                             term_integer_literal(checker, 1, domain->span));
}

static void domain_all_integers(struct checker *checker, const struct syntax *domain,
                                struct variable *variable) {
  variable->domain = DOMAIN_INT;
  variable->type = type_of(TYPE_INT);
  if (checker->position == POSITION_INVARIANT)
    return;
  struct diagnostic *d =
      REPORT(checker, E0419, domain->span, "only an invariant can speak of all integers");
  if (checker->in_heading)
    hint_parameter(d, variable->name);
  else
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
  } else if (domain->kind == SYNTAX_BEFORE) {
    domain_before(checker, domain, variable);
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

/* Is it made of occurrences, bare names, + and multiples of such? So the members' parts add up. */
static bool is_addable(const struct term *term) {
  switch (term->kind) {
  case TERM_OCCURRENCE:
  case TERM_DELAY:
  case TERM_BARE:
    return true;
  case TERM_ADD:
    return is_addable(term->args[0]) && is_addable(term->args[1]);
  case TERM_MUL:
    return term->args[0]->kind == TERM_INT && is_addable(term->args[1]);
  default:
    return false;
  }
}

static void check_set_sum(struct checker *checker, const struct term *term) {
  const struct term *body = term->args[0];
  struct diagnostic *d;
  if (term->variables[0]->domain != DOMAIN_SET || body->type.kind == TYPE_ERROR)
    return;
  if (!is_formula_position(checker) && term->variables[0]->set->kind != TERM_OWNED_SET) {
    d = REPORT(checker, E0422, term->variables[0]->set->span,
               "here a sum ranges over a role or lo..hi, not over a set");
    diagnostic_hint(d, "sum over the whole role; a maximum may range over a set");
  } else if (!is_addable(body)) {
    d = REPORT(checker, E0422, body->span,
               "a sum over a set adds up occurrences, bare names and multiples of them");
    diagnostic_note(d, term->variables[0]->set->span, "the sum ranges over this set");
    diagnostic_hint(d, "use +, NUMBER * TIME and names such as C[%.60s]", term->variables[0]->name);
  }
}

static void check_rank(struct checker *checker, const struct term *term) {
  const struct term *rank = term->args[1];
  const struct variable *v = term->variables[0];
  if (rank->kind == TERM_NEG && rank->args[0]->kind == TERM_INT) {
    struct diagnostic *d = REPORT(checker, E0434, rank->span, "a rank is at least 1");
    diagnostic_hint(d, "kth(1, ...) is the smallest");
  }
  if (rank->kind != TERM_INT)
    return;
  const struct role *role = v->domain == DOMAIN_ROLE ? v->type.role : NULL;
  bool known = role != NULL && (role->count == NULL || role->count->kind == TERM_INT);
  int64_t size = !known ? INT64_MAX : role->count == NULL ? 1 : role->count->integer;
  struct diagnostic *d;
  if (rank->integer < 1) {
    d = REPORT(checker, E0434, rank->span, "a rank is at least 1");
    diagnostic_hint(d, "kth(1, ...) is the smallest");
  } else if (rank->integer > size) {
    d = REPORT(checker, E0434, rank->span, "\"%.60s\" has only %lld node%s", role->name,
               (long long)size, size == 1 ? "" : "s");
    diagnostic_note(d, role->span, "declared here");
    diagnostic_hint(d, "kth(%lld, ...) is the largest", (long long)size);
  }
}

/* What is ranked: times where the times of an execution are known, integers where states are. NULL:
 * something else, which is reported. */
static struct term *check_ranked(struct checker *checker, const struct syntax *syntax) {
  struct type time = type_of(TYPE_TIME), number = type_of(TYPE_INT);
  bool action = checker->position == POSITION_ACTION, formula = is_formula_position(checker);
  struct term *body = check_term(checker, syntax);
  bool integer = body->type.kind == TYPE_INT && (action || formula);
  if (integer && (action || term_coerce(checker, body, &time) == NULL))
    return body;
  if (action && body->type.kind == TYPE_TIME) {
    is_forbidden(checker, syntax->span, false, "the k-th smallest of times");
    return NULL;
  }
  body = term_typed(checker, syntax, body, action ? &number : &time, "what is taken here");
  return body->type.kind == TYPE_ERROR ? NULL : body;
}

/* A step takes the value whatever it is, so that it must be one of the nodes': of a whole role, at
 * a rank whose place in it follows from the assumptions (solver/prove/quorum.c). */
static bool is_rank_known(struct checker *checker, const struct syntax *syntax,
                          const struct term *term) {
  struct diagnostic *d;
  const struct variable *v = term->variables[0];
  if (v->type.kind != TYPE_NODE)
    return false; /* that was reported */
  if (v->domain == DOMAIN_SET) {
    d = REPORT(checker, E0465, list_binder(&syntax->binders, 0)->domain->span,
               "\"kth\" of integers ranges over a role");
    diagnostic_hint(d, "of a set count the members: |S|");
    return false;
  }
  if (term_is_of_parameters(term->args[1]))
    return true;
  d = REPORT(checker, E0465, term->args[1]->span,
             "the rank of integers is made of numbers and parameters");
  diagnostic_hint(d, "of n numbers kth(n - n/2, ...) is the largest that a majority reaches");
  return false;
}

static struct term *check_kth(struct checker *checker, const struct syntax *syntax) {
  struct type integer = type_of(TYPE_INT);
  bool allowed = is_formula_position(checker) || checker->position == POSITION_EXPRESSION ||
                 checker->position == POSITION_ACTION;
  if (is_forbidden(checker, syntax->span, allowed, "the k-th smallest of times"))
    return term_error(checker, syntax->span);
  struct term *term = term_new(checker, TERM_KTH_OVER, integer, syntax->span, 2);
  struct term *rank = check_typed(checker, syntax_arg(syntax, 1), &integer, "the rank");
  size_t depth = checker->scope.count;
  term->variable_count = 1;
  term->variables = check_binders(checker, &syntax->binders);
  const struct variable *v = term->variables[0];
  if (v->domain == DOMAIN_RANGE || v->domain == DOMAIN_INT) {
    struct diagnostic *d = REPORT(checker, E0301, list_binder(&syntax->binders, 0)->domain->span,
                                  "\"kth\" ranges over a role or a set of nodes");
    diagnostic_hint(d, "write kth(K, x in ROLE (...))");
  }
  term->args[0] = check_ranked(checker, syntax_arg(syntax, 0));
  term->args[1] = rank;
  checker->scope.count = depth;
  if (term->args[0] == NULL || rank->type.kind == TYPE_ERROR)
    return term_error(checker, syntax->span);
  term->type = term->args[0]->type;
  if (term->type.kind == TYPE_INT && !is_rank_known(checker, syntax, term))
    return term_error(checker, syntax->span);
  check_rank(checker, term);
  return term;
}

/* What to write for a sum or an extremum of integers, which was refused last. */
static void hint_integers(struct checker *checker, const struct syntax *syntax,
                          const struct term *term) {
  const struct diagnostics *queue = checker->diagnostics;
  if (term->args[0]->type.kind != TYPE_ERROR || queue->items.count == 0)
    return;
  struct diagnostic *d = &queue->items.data[queue->items.count - 1];
  const struct syntax *body = syntax_arg(syntax, 0);
  if (d->code != DIAGNOSTIC_E0303 || d->span.start != body->span.start ||
      d->span.end != body->span.end)
    return;
  if (syntax->kind == SYNTAX_SUM_OVER)
    diagnostic_hint(d,
                    "integers are added in actions and invariants; n times the same is a product");
  else
    diagnostic_hint(d, "say it with a quantifier: forall x in D. E <= k");
}

/* Integers are added where states are known; 0 is a time where times are. */
static bool is_integer_sum(struct checker *checker, struct term *body) {
  struct type time = type_of(TYPE_TIME);
  bool action = checker->position == POSITION_ACTION;
  return body->type.kind == TYPE_INT && (action || is_formula_position(checker)) &&
         (action || term_coerce(checker, body, &time) == NULL);
}

struct term *check_binding(struct checker *checker, const struct syntax *syntax) {
  static const enum term_kind kinds[] = {[SYNTAX_FORALL] = TERM_FORALL,
                                         [SYNTAX_EXISTS] = TERM_EXISTS,
                                         [SYNTAX_MAX_OVER] = TERM_MAX_OVER,
                                         [SYNTAX_MIN_OVER] = TERM_MIN_OVER,
                                         [SYNTAX_SUM_OVER] = TERM_SUM_OVER};
  if (syntax->kind == SYNTAX_KTH_OVER)
    return check_kth(checker, syntax);
  bool quantifier = syntax->kind == SYNTAX_FORALL || syntax->kind == SYNTAX_EXISTS;
  struct type type = type_of(quantifier ? TYPE_BOOL : TYPE_TIME);
  struct term *term = term_new(checker, kinds[syntax->kind], type, syntax->span, 1);
  size_t depth = checker->scope.count;
  term->variable_count = syntax->binders.count;
  term->variables = check_binders(checker, &syntax->binders);
  const struct variable *first = term->variables[0];
  if (!quantifier && term->variables[0]->domain == DOMAIN_INT)
    REPORT(checker, E0419, list_binder(&syntax->binders, 0)->domain->span,
           "only a quantifier of an invariant can range over all integers");
  const struct syntax *inner = syntax_arg(syntax, 0);
  struct term *body = check_term(checker, inner);
  bool adds = syntax->kind == SYNTAX_SUM_OVER && is_integer_sum(checker, body);
  term->args[0] =
      adds ? body
           : term_typed(checker, inner, body, &type,
                        quantifier ? "the formula of a quantifier" : "what is taken here");
  checker->scope.count = depth;
  if (adds)
    return check_integer_sum(checker, syntax, term);
  if (syntax->kind == SYNTAX_SUM_OVER && first->domain == DOMAIN_ROLE &&
      first->type.kind == TYPE_NODE)
    checker->roles.data[first->type.role->id]->ordered = true;
  if (!quantifier && inner->kind != SYNTAX_INTEGER)
    hint_integers(checker, syntax, term);
  if (term->kind == TERM_SUM_OVER)
    check_set_sum(checker, term);
  return term->args[0]->type.kind == TYPE_ERROR ? term_error(checker, syntax->span) : term;
}

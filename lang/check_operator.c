/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Checks operators and makes both sides agree on a type (checker.h).
 */
#include "lang/checker.h"

/* Both sides as one type: 0 and {} follow the other side. False when they have none in common. */
static bool unify(struct checker *checker, struct term **left, struct term **right) {
  struct term *bent = term_coerce(checker, *right, &(*left)->type);
  if (bent != NULL) {
    *right = bent;
    return true;
  }
  bent = term_coerce(checker, *left, &(*right)->type);
  if (bent == NULL)
    return false;
  *left = bent;
  return true;
}

static const char *symbol_of(enum syntax_kind kind) {
  static const char *const symbols[] = {[SYNTAX_NOT] = "not",
                                        [SYNTAX_AND] = "and",
                                        [SYNTAX_OR] = "or",
                                        [SYNTAX_IFF] = "iff",
                                        [SYNTAX_IMPLIES] = "implies",
                                        [SYNTAX_EQ] = "==",
                                        [SYNTAX_NE] = "!=",
                                        [SYNTAX_LT] = "<",
                                        [SYNTAX_LE] = "<=",
                                        [SYNTAX_GT] = ">",
                                        [SYNTAX_GE] = ">=",
                                        [SYNTAX_ADD] = "+",
                                        [SYNTAX_SUB] = "-",
                                        [SYNTAX_INTERSECTION] = "&",
                                        [SYNTAX_MUL] = "*",
                                        [SYNTAX_DIV] = "/",
                                        [SYNTAX_POWER] = "^",
                                        [SYNTAX_MAX] = "max",
                                        [SYNTAX_MIN] = "min",
                                        [SYNTAX_ITE] = "if",
                                        [SYNTAX_NEG] = "-",
                                        [SYNTAX_IN] = "in",
                                        [SYNTAX_CARDINALITY] = "|...|"};
  return symbols[kind];
}

static struct term *mismatch(struct checker *checker, const struct syntax *syntax,
                             const struct term *left, const struct term *right) {
  enum type_kind a = left->type.kind, b = right->type.kind;
  const char *first = type_text(checker, &left->type), *second = type_text(checker, &right->type);
  const char *symbol = symbol_of(syntax->kind);
  if ((a == TYPE_INT && b == TYPE_TIME) || (a == TYPE_TIME && b == TYPE_INT)) {
    const struct term *integer = a == TYPE_INT ? left : right;
    struct diagnostic *d =
        REPORT(checker, E0303, syntax->span,
               "\"%s\" has an integer on one side and a time on the other", symbol);
    diagnostic_note(d, integer->span, "this is an integer");
    if (integer->kind == TERM_INT)
      diagnostic_hint(d, "a duration needs a unit: %lld ms", (long long)integer->integer);
  } else if ((a == TYPE_NODE && b == TYPE_NODE) || (a == TYPE_SET && b == TYPE_SET)) {
    REPORT(checker, E0305, syntax->span, "\"%s\" has %s on one side and %s on the other", symbol,
           first, second);
  } else {
    struct diagnostic *d =
        REPORT(checker, E0301, syntax->span, "\"%s\" has %s on the left and %s on the right",
               symbol, first, second);
    if (a == TYPE_SET && b == TYPE_NODE)
      diagnostic_hint(d, "put the node into braces to make a set of it");
  }
  return term_error(checker, syntax->span);
}

static bool is_wrong(const struct term *left, const struct term *right) {
  return left->type.kind == TYPE_ERROR || right->type.kind == TYPE_ERROR;
}

static struct term *wrong_operand(struct checker *checker, const struct syntax *syntax,
                                  const struct term *operand, const char *wanted) {
  REPORT(checker, E0301, operand->span, "\"%s\" works on %s, not on %s", symbol_of(syntax->kind),
         wanted, type_text(checker, &operand->type));
  return term_error(checker, syntax->span);
}

static struct term *check_logic(struct checker *checker, const struct syntax *syntax,
                                enum term_kind kind) {
  struct type truth = type_of(TYPE_BOOL);
  struct text what;
  text_init(&what);
  text_format(&what, "the operand of \"%s\"", symbol_of(syntax->kind));
  struct term *left = check_typed(checker, syntax_arg(syntax, 0), &truth, text_get(&what));
  struct term *right = syntax->args.count == 1
                           ? NULL
                           : check_typed(checker, syntax_arg(syntax, 1), &truth, text_get(&what));
  text_clear(&what);
  if (is_wrong(left, right == NULL ? left : right))
    return term_error(checker, syntax->span);
  return term_pair(checker, kind, truth, syntax->span, left, right);
}

static struct term *check_comparison(struct checker *checker, const struct syntax *syntax,
                                     enum term_kind kind) {
  struct term *left = check_term(checker, syntax_arg(syntax, 0));
  struct term *right = check_term(checker, syntax_arg(syntax, 1));
  if (is_wrong(left, right))
    return term_error(checker, syntax->span);
  if (!unify(checker, &left, &right))
    return mismatch(checker, syntax, left, right);
  enum type_kind type = left->type.kind;
  bool order = kind != TERM_EQ && kind != TERM_NE;
  if (order && type != TYPE_INT && type != TYPE_TIME)
    return wrong_operand(checker, syntax, left, "integers or times");
  if (type == TYPE_MAP)
    return wrong_operand(checker, syntax, left, "everything but maps");
  if (type == TYPE_SET && left->type.role == NULL) {
    REPORT(checker, E0306, syntax->span, "both sides are empty sets, of no known role");
    return term_error(checker, syntax->span);
  }
  return term_pair(checker, kind, type_of(TYPE_BOOL), syntax->span, left, right);
}

static struct term *check_in(struct checker *checker, const struct syntax *syntax) {
  struct term *node = check_term(checker, syntax_arg(syntax, 0));
  struct term *set = check_term(checker, syntax_arg(syntax, 1));
  if (is_wrong(node, set))
    return term_error(checker, syntax->span);
  if (node->type.kind != TYPE_NODE)
    return wrong_operand(checker, syntax, node, "a node and a set");
  if (set->type.kind != TYPE_SET)
    return wrong_operand(checker, syntax, set, "a node and a set");
  struct type type = type_set(node->type.role);
  struct term *fitting = term_coerce(checker, set, &type);
  if (fitting == NULL)
    return mismatch(checker, syntax, node, set);
  return term_pair(checker, TERM_IN, type_of(TYPE_BOOL), syntax->span, node, fitting);
}

static bool is_number(const struct term *term) {
  return term->type.kind == TYPE_INT || term->type.kind == TYPE_TIME;
}

static struct term *check_sum(struct checker *checker, const struct syntax *syntax) {
  struct term *left = check_term(checker, syntax_arg(syntax, 0));
  struct term *right = check_term(checker, syntax_arg(syntax, 1));
  if (is_wrong(left, right))
    return term_error(checker, syntax->span);
  if (!unify(checker, &left, &right))
    return mismatch(checker, syntax, left, right);
  bool set = left->type.kind == TYPE_SET;
  if (syntax->kind == SYNTAX_INTERSECTION && !set)
    return wrong_operand(checker, syntax, left, "sets");
  if (!set && !is_number(left))
    return wrong_operand(checker, syntax, left, "integers, times or sets");
  enum term_kind kind = syntax->kind == SYNTAX_INTERSECTION ? TERM_INTERSECTION
                        : syntax->kind == SYNTAX_ADD        ? (set ? TERM_UNION : TERM_ADD)
                                                            : (set ? TERM_DIFFERENCE : TERM_SUB);
  return term_pair(checker, kind, left->type, syntax->span, left, right);
}

static struct term *check_product(struct checker *checker, const struct syntax *syntax) {
  struct term *left = check_term(checker, syntax_arg(syntax, 0));
  struct term *right = check_term(checker, syntax_arg(syntax, 1));
  if (is_wrong(left, right))
    return term_error(checker, syntax->span);
  if (!is_number(left))
    return wrong_operand(checker, syntax, left, "integers, or an integer and a time");
  if (!is_number(right))
    return wrong_operand(checker, syntax, right, "integers, or an integer and a time");
  if (left->type.kind == TYPE_TIME && right->type.kind == TYPE_TIME) {
    REPORT(checker, E0303, syntax->span, "a time cannot be multiplied by a time");
    return term_error(checker, syntax->span);
  }
  bool swap = left->type.kind == TYPE_TIME;
  struct type type = swap ? left->type : right->type;
  return term_pair(checker, TERM_MUL, type, syntax->span, swap ? right : left, swap ? left : right);
}

/* The value of a term of numbers alone. */
static bool number_of(int64_t *value, const struct term *term) {
  int64_t a = 0, b = 0;
  if (term->kind == TERM_INT) {
    *value = term->integer;
    return true;
  }
  bool computed = term->kind >= TERM_ADD && term->kind <= TERM_MUL && term->type.kind == TYPE_INT;
  if (!computed || !number_of(&a, term->args[0]) ||
      (term->count > 1 && !number_of(&b, term->args[1])))
    return false;
  return !(term->kind == TERM_ADD   ? __builtin_add_overflow(a, b, value)
           : term->kind == TERM_SUB ? __builtin_sub_overflow(a, b, value)
           : term->kind == TERM_MUL ? __builtin_mul_overflow(a, b, value)
                                    : __builtin_sub_overflow((int64_t)0, a, value));
}

/* The number that the right side is; reports any other, and one below `least`. */
static bool right_number(struct checker *checker, const struct syntax *syntax,
                         const struct term *right, int64_t least, int64_t *value) {
  if (number_of(value, right) && *value >= least)
    return true;
  struct diagnostic *d =
      REPORT(checker, E0452, right->span, "what stands behind \"%s\" is a number of at least %lld",
             symbol_of(syntax->kind), (long long)least);
  if (syntax->kind == SYNTAX_DIV)
    diagnostic_hint(d, "multiply instead: \"q == a / b\" is \"b*q <= a and a < b*q + b\"");
  return false;
}

static bool are_integers(struct checker *checker, const struct syntax *syntax,
                         const struct term *left, const struct term *right) {
  const struct term *other = left->type.kind != TYPE_INT ? left : right;
  if (is_wrong(left, right))
    return false;
  if (other->type.kind == TYPE_INT)
    return true;
  if (syntax->kind == SYNTAX_DIV && left->type.kind == TYPE_TIME) {
    struct diagnostic *d = REPORT(checker, E0303, syntax->span, "a time cannot be divided");
    diagnostic_hint(d, "multiply the other side: 2*A <= B for A <= B / 2");
  } else {
    wrong_operand(checker, syntax, other, "integers");
  }
  return false;
}

static struct term *check_quotient(struct checker *checker, const struct syntax *syntax) {
  struct term *left = check_term(checker, syntax_arg(syntax, 0));
  struct term *right = check_term(checker, syntax_arg(syntax, 1));
  int64_t by = 1;
  if (!are_integers(checker, syntax, left, right) || !right_number(checker, syntax, right, 1, &by))
    return term_error(checker, syntax->span);
  return term_pair(checker, TERM_DIV, left->type, syntax->span, left,
                   term_integer_literal(checker, by, right->span));
}

/* 2^k: the base is a number, at least 2, and k any integer. */
static struct term *open_power(struct checker *checker, const struct syntax *syntax,
                               const struct term *left, const struct term *right) {
  int64_t base = 0;
  if (number_of(&base, left) && base >= 2)
    return term_pair(checker, TERM_POWER, left->type, syntax->span,
                     term_integer_literal(checker, base, left->span), right);
  struct diagnostic *d = REPORT(checker, E0452, left->span,
                                "what stands before \"^\" is a number of at least 2, where what "
                                "stands behind it is none");
  diagnostic_hint(d, "give the power a parameter of its own, with what is known of it in "
                     "\"assume\"");
  return term_error(checker, syntax->span);
}

static struct term *check_power(struct checker *checker, const struct syntax *syntax) {
  struct term *left = check_term(checker, syntax_arg(syntax, 0));
  struct term *right = check_term(checker, syntax_arg(syntax, 1));
  int64_t base = 0, exponent = 0, power = 1;
  if (!are_integers(checker, syntax, left, right))
    return term_error(checker, syntax->span);
  if (!number_of(&exponent, right))
    return open_power(checker, syntax, left, right);
  if (!right_number(checker, syntax, right, 0, &exponent))
    return term_error(checker, syntax->span);
  bool fits = exponent < 64 && number_of(&base, left);
  for (int64_t i = 0; i < exponent && fits; i++)
    fits = !__builtin_mul_overflow(power, base, &power);
  if (fits)
    return term_integer_literal(checker, power, syntax->span);
  struct diagnostic *d =
      REPORT(checker, E0452, syntax->span,
             exponent < 64 && !number_of(&base, left) ? "what stands before \"^\" is a number"
                                                      : "this power does not fit in 64 bits");
  diagnostic_hint(d, "write the product: k*k*k");
  return term_error(checker, syntax->span);
}

static struct term *check_negation(struct checker *checker, const struct syntax *syntax) {
  struct term *operand = check_term(checker, syntax_arg(syntax, 0));
  if (operand->type.kind == TYPE_ERROR)
    return operand;
  if (!is_number(operand))
    return wrong_operand(checker, syntax, operand, "integers and times");
  if (operand->kind == TERM_TIME) {
    struct diagnostic *d = REPORT(checker, E0304, syntax->span, "a duration cannot be negative");
    diagnostic_hint(d, "move it to the other side of the comparison");
    return term_error(checker, syntax->span);
  }
  return term_pair(checker, TERM_NEG, operand->type, syntax->span, operand, NULL);
}

static struct term *check_choice(struct checker *checker, const struct syntax *syntax) {
  struct type truth = type_of(TYPE_BOOL);
  struct term *test =
      check_typed(checker, syntax_arg(syntax, 0), &truth, "the condition after \"if\"");
  struct term *yes = check_term(checker, syntax_arg(syntax, 1));
  struct term *no = check_term(checker, syntax_arg(syntax, 2));
  if (is_wrong(yes, no) || test->type.kind == TYPE_ERROR)
    return term_error(checker, syntax->span);
  if (!unify(checker, &yes, &no))
    return mismatch(checker, syntax, yes, no);
  if (yes->type.kind == TYPE_MAP) {
    REPORT(checker, E0308, syntax->span, "a whole map cannot be used here");
    return term_error(checker, syntax->span);
  }
  struct term *term = term_new(checker, TERM_ITE, yes->type, syntax->span, 3);
  term->args[0] = test;
  term->args[1] = yes;
  term->args[2] = no;
  return term;
}

static struct term *check_extreme(struct checker *checker, const struct syntax *syntax) {
  size_t count = syntax->args.count;
  enum term_kind kind = syntax->kind == SYNTAX_MAX ? TERM_MAX : TERM_MIN;
  struct term *term = term_new(checker, kind, type_of(TYPE_INT), syntax->span, count);
  struct term **made = arena_alloc(checker->arena, count, sizeof(struct term *));
  for (size_t i = 0; i < count; i++) {
    made[i] = check_term(checker, syntax_arg(syntax, i));
    if (made[i]->type.kind == TYPE_ERROR)
      return made[i];
    if (!is_number(made[i]))
      return wrong_operand(checker, syntax, made[i], "integers or times");
    if (made[i]->type.kind == TYPE_TIME)
      term->type = made[i]->type;
  }
  for (size_t i = 0; i < count; i++) {
    term->args[i] = term_coerce(checker, made[i], &term->type);
    for (size_t j = 0; term->args[i] == NULL && j < count; j++)
      if (made[j]->type.kind == TYPE_TIME)
        return mismatch(checker, syntax, made[i], made[j]);
  }
  return term;
}

static struct term *check_cardinality(struct checker *checker, const struct syntax *syntax) {
  bool allowed = checker->position == POSITION_ACTION || is_formula_position(checker);
  if (is_forbidden(checker, syntax->span, allowed, "the size of a set"))
    return term_error(checker, syntax->span);
  struct term *set = check_term(checker, syntax_arg(syntax, 0));
  if (set->type.kind == TYPE_ERROR)
    return set;
  if (set->type.kind != TYPE_SET)
    return wrong_operand(checker, syntax, set, "sets");
  if (set->type.role == NULL) {
    REPORT(checker, E0306, syntax->span, "this set is empty");
    return term_error(checker, syntax->span);
  }
  return term_pair(checker, TERM_CARDINALITY, type_of(TYPE_INT), syntax->span, set, NULL);
}

struct term *check_operator(struct checker *checker, const struct syntax *syntax) {
  switch (syntax->kind) {
  case SYNTAX_NOT:
    return check_logic(checker, syntax, TERM_NOT);
  case SYNTAX_AND:
    return check_logic(checker, syntax, TERM_AND);
  case SYNTAX_OR:
    return check_logic(checker, syntax, TERM_OR);
  case SYNTAX_IMPLIES:
    return check_logic(checker, syntax, TERM_IMPLIES);
  case SYNTAX_IFF:
    return check_logic(checker, syntax, TERM_IFF);
  case SYNTAX_EQ:
    return check_comparison(checker, syntax, TERM_EQ);
  case SYNTAX_NE:
    return check_comparison(checker, syntax, TERM_NE);
  case SYNTAX_LT:
    return check_comparison(checker, syntax, TERM_LT);
  case SYNTAX_LE:
    return check_comparison(checker, syntax, TERM_LE);
  case SYNTAX_GT:
    return check_comparison(checker, syntax, TERM_GT);
  case SYNTAX_GE:
    return check_comparison(checker, syntax, TERM_GE);
  case SYNTAX_IN:
    return check_in(checker, syntax);
  case SYNTAX_ADD:
  case SYNTAX_SUB:
  case SYNTAX_INTERSECTION:
    return check_sum(checker, syntax);
  case SYNTAX_MUL:
    return check_product(checker, syntax);
  case SYNTAX_DIV:
    return check_quotient(checker, syntax);
  case SYNTAX_POWER:
    return check_power(checker, syntax);
  case SYNTAX_NEG:
    return check_negation(checker, syntax);
  case SYNTAX_ITE:
    return check_choice(checker, syntax);
  case SYNTAX_MAX:
  case SYNTAX_MIN:
    return check_extreme(checker, syntax);
  case SYNTAX_CARDINALITY:
    return check_cardinality(checker, syntax);
  default:
    bug("no check for syntax %d", (int)syntax->kind);
  }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Terms of a protocol as C and as ACSL (write.h). Negations are pushed inwards, so that a guard
 * that fails reads `epoch <= self->epoch` and not `!(epoch > self->epoch)`. */
#include <inttypes.h>

#include "generate/range.h"
#include "generate/write.h"

static bool is_c(const struct code_writer *w) {
  return w->dialect == DIALECT_C;
}

static void put_open(struct code_writer *w, bool parentheses) {
  if (parentheses)
    put(w, "(");
  w->nesting += parentheses;
}

static void put_close(struct code_writer *w, bool parentheses) {
  if (parentheses)
    put(w, ")");
  w->nesting -= parentheses;
}

/* --- conditions ------------------------------------------------------------------------------- */

static const char *comparison_word(enum term_kind kind, bool negative) {
  switch (kind) {
  case TERM_EQ:
    return negative ? "!=" : "==";
  case TERM_NE:
    return negative ? "==" : "!=";
  case TERM_LT:
    return negative ? ">=" : "<";
  case TERM_LE:
    return negative ? ">" : "<=";
  case TERM_GT:
    return negative ? "<=" : ">";
  default:
    return negative ? "<" : ">=";
  }
}

static bool is_empty_set(const struct term *term) {
  return term->kind == TERM_SET && term->count == 0;
}

static void put_same(struct code_writer *w, const struct term *term, bool negative) {
  const struct term *a = term->args[0], *b = term->args[1];
  put(w, "%s", negative != (term->kind == TERM_NE) ? "!" : "");
  if (!is_c(w) && is_empty_set(b)) {
    put(w, "tp_empty(");
    put_value(w, a, LEVEL_OPEN);
    put(w, ")");
    return;
  }
  put(w, is_c(w) ? "tp_set_same(" : "tp_same(");
  w->nesting++;
  put_value(w, a, LEVEL_OPEN);
  put_break(w, ",", 2);
  put_value(w, b, LEVEL_OPEN);
  w->nesting--;
  put(w, ")");
}

/* Two conditions that are equal, or not. */
static void put_equal(struct code_writer *w, const struct term *term, bool negative,
                      enum code_level level) {
  bool differ = negative != (term->kind == TERM_NE);
  put_open(w, is_c(w) ? level > LEVEL_COMPARISON : true);
  put_truth(w, term->args[0], !is_c(w) && differ, LEVEL_UNARY + 1);
  put(w, is_c(w) ? differ ? " != " : " == " : " <==> ");
  put_truth(w, term->args[1], false, LEVEL_UNARY + 1);
  put_close(w, is_c(w) ? level > LEVEL_COMPARISON : true);
}

static void put_comparison(struct code_writer *w, const struct term *term, bool negative,
                           enum code_level level) {
  enum type_kind kind = term->args[0]->type.kind;
  if (kind == TYPE_SET) {
    put_same(w, term, negative);
    return;
  }
  if (kind == TYPE_BOOL) {
    put_equal(w, term, negative, level);
    return;
  }
  put_open(w, level > LEVEL_COMPARISON);
  put_wide(w, term->args[0], LEVEL_SUM);
  put(w, " %s ", comparison_word(term->kind, negative));
  put_wide(w, term->args[1], LEVEL_SUM);
  put_close(w, level > LEVEL_COMPARISON);
}

/* Whether the term is printed as a chain of || (or of &&). */
bool is_chain(const struct term *term, bool negative, bool either) {
  while (term->kind == TERM_NOT) {
    term = term->args[0];
    negative = !negative;
  }
  if (term->kind == TERM_IMPLIES)
    return either != negative;
  return (term->kind == TERM_OR || term->kind == TERM_AND) &&
         ((term->kind == TERM_OR) != negative) == either;
}

static void put_chain(struct code_writer *w, const struct term *term, bool negative,
                      enum code_level level) {
  bool either = is_chain(term, negative, true);
  enum code_level own = either ? LEVEL_OR : LEVEL_AND;
  /* compilers want parentheses around && in || */
  bool parentheses = level > own;
  put_open(w, parentheses);
  for (size_t i = 0; i < 2; i++) {
    bool flip = negative != (term->kind == TERM_IMPLIES && i == 0);
    if (i == 1)
      put_break(w, either ? " ||" : " &&", either ? 0 : 1);
    put_truth(w, term->args[i], flip,
              is_chain(term->args[i], flip, either) ? own : LEVEL_COMPARISON);
  }
  put_close(w, parentheses);
}

static void put_member(struct code_writer *w, const struct term *term, bool negative) {
  put(w, "%s%s(", negative ? "!" : "", is_c(w) ? "tp_set_has" : "tp_in");
  w->nesting++;
  put_value(w, term->args[1], LEVEL_OPEN);
  put_break(w, ",", 2);
  put_value(w, term->args[0], LEVEL_OPEN);
  w->nesting--;
  put(w, ")");
}

static void put_choice_of_truth(struct code_writer *w, const struct term *term, bool negative,
                                enum code_level level) {
  put_open(w, level > LEVEL_OPEN);
  if (is_c(w)) {
    put_truth(w, term->args[0], false, LEVEL_OR);
    put(w, " ? ");
    put_truth(w, term->args[1], negative, LEVEL_OR);
    put(w, " : ");
    put_truth(w, term->args[2], negative, LEVEL_OPEN);
  } else {
    for (int i = 1; i <= 2; i++) {
      put(w, "(");
      put_truth(w, term->args[0], i == 2, LEVEL_COMPARISON);
      put_break(w, " &&", 1);
      put_truth(w, term->args[i], negative, LEVEL_COMPARISON);
      put(w, ")");
      if (i == 1)
        put_break(w, " ||", 0);
    }
  }
  put_close(w, level > LEVEL_OPEN);
}

/* A choice of which one side is certain is no choice: c or x, c and x, ... */
static const struct term *without_choice(struct code_writer *w, const struct term *term) {
  struct plan_context *context = w->context;
  for (int i = 1; i <= 2; i++) {
    if (term->args[i]->kind != TERM_BOOL)
      continue;
    bool is = term->args[i]->integer != 0;
    const struct term *condition = term->args[0], *other = term->args[3 - i];
    if (is != (i == 1))
      condition = term_negated(context, condition);
    if (other->kind == TERM_BOOL && (other->integer != 0) != is)
      return condition;
    return term_made(context, is ? TERM_OR : TERM_AND, &term->type, condition, other);
  }
  return term;
}

void put_truth(struct code_writer *w, const struct term *term, bool negative,
               enum code_level level) {
  switch (term->kind) {
  case TERM_BOOL:
    if (is_c(w))
      put(w, "%s", (term->integer != 0) != negative ? "true" : "false");
    else
      put(w, "%s", (term->integer != 0) != negative ? "\\true" : "\\false");
    return;
  case TERM_NOT:
    put_truth(w, term->args[0], !negative, level);
    return;
  case TERM_AND:
  case TERM_OR:
  case TERM_IMPLIES:
    put_chain(w, term, negative, level);
    return;
  case TERM_IFF:
    put_equal(w, term, negative, level);
    return;
  case TERM_IN:
    put_member(w, term, negative);
    return;
  case TERM_ITE:
    if (without_choice(w, term) != term)
      put_truth(w, without_choice(w, term), negative, level);
    else
      put_choice_of_truth(w, term, negative, level);
    return;
  case TERM_EQ:
  case TERM_NE:
  case TERM_LT:
  case TERM_LE:
  case TERM_GT:
  case TERM_GE:
    put_comparison(w, term, negative, level);
    return;
  default:
    put(w, "%s", negative ? "!" : "");
    put_value(w, term, LEVEL_UNARY);
    return;
  }
}

/* --- values ----------------------------------------------------------------------------------- */

static void put_call(struct code_writer *w, const char *in_c, const char *in_logic,
                     const struct term *const *args, size_t count) {
  put(w, "%s(", is_c(w) ? in_c : in_logic);
  w->nesting++;
  for (size_t i = 0; i < count; i++) {
    if (i != 0)
      put_break(w, ",", 2);
    put_value(w, args[i], LEVEL_OPEN);
  }
  w->nesting--;
}

/* {a, b, c} */
static void put_set(struct code_writer *w, const struct term *term, size_t count) {
  if (count == 0) {
    put(w, is_c(w) ? "tp_set_none()" : "0");
    return;
  }
  if (count > 1) {
    put(w, is_c(w) ? "tp_set_union(" : "tp_union(");
    put_set(w, term, count - 1);
    put(w, ", ");
  }
  put_call(w, "tp_set_one", "tp_one", term->args + count - 1, 1);
  put(w, count > 1 ? "))" : ")");
}

static void put_set_operation(struct code_writer *w, const struct term *term) {
  static const char *const words[][2] = {{"tp_set_union", "tp_union"},
                                         {"tp_set_difference", "tp_difference"},
                                         {"tp_set_intersection", "tp_intersection"}};
  const char *const *word = words[term->kind - TERM_UNION];
  put_call(w, word[0], word[1], term->args, 2);
  put(w, ")");
}

/* A function of something and a number of nodes. */
static void put_of_family(struct code_writer *w, const struct term *term, const char *in_c,
                          const char *in_logic, const struct role *role) {
  put_call(w, in_c, in_logic, term->args, term->count);
  put(w, "%s", term->count > 0 ? ", " : "");
  if (role->count == NULL)
    put(w, "1");
  else
    put_count(w, role);
  put(w, ")");
}

static void put_state(struct code_writer *w, const struct term *term) {
  enum dialect dialect = w->dialect;
  const struct term *map = term->kind == TERM_MAP_GET ? term->args[0] : term;
  put(w, dialect == DIALECT_AFTER ? "\\old(" : dialect == DIALECT_STEP ? "\\at(" : "");
  put(w, "self->%s", plain(w, map->state->name));
  if (map != term) {
    w->dialect = dialect == DIALECT_C ? dialect : DIALECT_LOGIC;
    put(w, "[");
    put_value(w, term->args[1], LEVEL_OPEN);
    put(w, "]");
    w->dialect = dialect;
  }
  put(w, dialect == DIALECT_AFTER ? ")" : dialect == DIALECT_STEP ? ", K)" : "");
}

static bool is_computed(const struct term *term) {
  return term->kind == TERM_ADD || term->kind == TERM_SUB || term->kind == TERM_NEG ||
         term->kind == TERM_MUL || term->kind == TERM_DIV;
}

/* wide: in 64 bits, which the first operand is made to have. */
static void put_arithmetic(struct code_writer *w, const struct term *term, enum code_level level,
                           bool wide) {
  enum code_level own = term->kind >= TERM_MUL   ? LEVEL_PRODUCT
                        : term->kind == TERM_NEG ? LEVEL_UNARY
                                                 : LEVEL_SUM;
  static const char *const words[] = {" + ", " - ", "-", " * ", " / "};
  put_open(w, level > own);
  if (term->kind == TERM_NEG)
    put(w, "-");
  const struct plan_context *context = w->context;
  for (size_t i = 0; i < term->count; i++) {
    if (i == 1)
      put(w, "%s", words[term->kind - TERM_ADD]);
    const struct term *arg = term->args[i];
    enum code_level operand = i == 0 && term->kind != TERM_NEG ? own : own + 1;
    if (!wide || (i == 1 && range_is_small(context->model, arg)))
      put_value(w, arg, operand);
    else if (is_computed(arg))
      put_arithmetic(w, arg, operand, true);
    else {
      put(w, "(int64_t)");
      put_value(w, arg, LEVEL_UNARY);
    }
  }
  put_close(w, level > own);
}

/* The first or second of two, or of more one after the other. */
static void put_extreme(struct code_writer *w, const struct term *term, size_t count,
                        enum code_level level) {
  if (count == 1) {
    put_wide(w, term->args[0], level);
    return;
  }
  put_open(w, level > LEVEL_OPEN);
  put_extreme(w, term, count - 1, LEVEL_SUM);
  put(w, term->kind == TERM_MAX ? " > " : " < ");
  put_wide(w, term->args[count - 1], LEVEL_SUM);
  put(w, " ? ");
  put_extreme(w, term, count - 1, LEVEL_OR);
  put(w, " : ");
  put_wide(w, term->args[count - 1], LEVEL_OR);
  put_close(w, level > LEVEL_OPEN);
}

static void put_choice(struct code_writer *w, const struct term *term, enum code_level level) {
  put_open(w, level > LEVEL_OPEN);
  put_truth(w, term->args[0], false, LEVEL_OR);
  put_break(w, " ?", 0);
  put_wide(w, term->args[1], LEVEL_OR);
  put_break(w, " :", 0);
  put_wide(w, term->args[2], LEVEL_OPEN);
  put_close(w, level > LEVEL_OPEN);
}

static void put_time(struct code_writer *w, const struct term *term) {
  int64_t value = 0;
  if (!rational_ceil(&value, &term->value))
    plan_refuse(w->context, term->span, "this time does not fit in 64 bits of nanoseconds");
  put(w, "%" PRId64, value);
}

static void put_operation(struct code_writer *w, const struct term *term, enum code_level level) {
  switch (term->kind) {
  case TERM_ADD:
  case TERM_SUB:
  case TERM_NEG:
  case TERM_MUL:
  case TERM_DIV:
    put_arithmetic(w, term, level, false);
    return;
  case TERM_MAX:
  case TERM_MIN:
    put_extreme(w, term, term->count, level);
    return;
  case TERM_ITE:
    put_choice(w, term, level);
    return;
  case TERM_UNION:
  case TERM_DIFFERENCE:
  case TERM_INTERSECTION:
    put_set_operation(w, term);
    return;
  case TERM_SET:
    put_set(w, term, term->count);
    return;
  case TERM_ROLE_SET:
    put_of_family(w, term, "tp_set_all", "tp_all", term->type.role);
    return;
  case TERM_CARDINALITY:
    put_of_family(w, term, "tp_set_count", "tp_card", term->args[0]->type.role);
    return;
  default:
    plan_refuse(w->context, term->span, "this has no C");
  }
}

static void put_parameter(struct code_writer *w, const char *name) {
  put(w, "%s%s->%s%s", parameter_begin(w), w->params, plain(w, name), parameter_end(w));
}

void put_value(struct code_writer *w, const struct term *term, enum code_level level) {
  switch (term->kind) {
  case TERM_INT:
    put(w, "%" PRId64, term->integer);
    return;
  case TERM_TIME:
    put_time(w, term);
    return;
  case TERM_ENUM:
    put(w, "%s_%s", term->type.enumeration->name, term->type.enumeration->values[term->integer]);
    return;
  case TERM_PARAM:
    put_parameter(w, term->param->name);
    return;
  case TERM_BARE:
    put_parameter(w, term->component->name);
    return;
  case TERM_VARIABLE:
    put(w, "%s", plain(w, term->variable->name));
    return;
  case TERM_STATE:
  case TERM_MAP_GET:
    put_state(w, term);
    return;
  case TERM_NODE:
  case TERM_FIRST:
    put(w, "0");
    return;
  case TERM_LAST:
    put_open(w, level > LEVEL_SUM);
    put_count(w, term->type.role);
    put(w, " - 1");
    put_close(w, level > LEVEL_SUM);
    return;
  case TERM_NEXT:
  case TERM_PREV:
    put_of_family(w, term, term->kind == TERM_NEXT ? "tp_next" : "tp_prev",
                  term->kind == TERM_NEXT ? "tp_after" : "tp_before", term->type.role);
    return;
  case TERM_INDEX:
  case TERM_OWNER: /* a node and its pair have one number (generate.c) */
  case TERM_OWNED:
    put_value(w, term->args[0], level);
    return;
  default:
    break;
  }
  if (term->type.kind == TYPE_BOOL)
    put_truth(w, term, false, level);
  else
    put_operation(w, term, level);
}

void put_wide(struct code_writer *w, const struct term *term, enum code_level level) {
  if (is_c(w) && term->type.kind == TYPE_INT && is_computed(term) &&
      !range_is_small(w->context->model, term))
    put_arithmetic(w, term, level, true);
  else
    put_value(w, term, level);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A model's term becomes syntax again, so that one printer knows the precedences. */
#include <inttypes.h>
#include <string.h>

#include "lang/print.h"

#include "base/duration.h"
#include "lang/printer.h"

struct unparser {
  struct arena arena;
  const struct model *model;
};

static const struct syntax *unparse(struct unparser *u, const struct term *term);

static struct syntax *made(struct unparser *u, enum syntax_kind kind, const char *name) {
  struct syntax *syntax = ast_term(&u->arena, kind, (struct source_span){0, 0}, NULL, NULL);
  syntax->name.text = name;
  return syntax;
}

static void add_args(struct unparser *u, struct syntax *syntax, const struct term *term) {
  for (size_t i = 0; i < term->count; i++)
    list_add(&u->arena, &syntax->args, unparse(u, term->args[i]));
}

static const struct syntax *with_args(struct unparser *u, enum syntax_kind kind, const char *name,
                                      const struct term *term) {
  struct syntax *syntax = made(u, kind, name);
  add_args(u, syntax, term);
  if (kind == SYNTAX_CALL && term->count == 0)
    syntax->kind = SYNTAX_NAME;
  return syntax;
}

static const struct syntax *call(struct unparser *u, const char *name, const struct syntax *arg) {
  struct syntax *syntax = made(u, SYNTAX_CALL, name);
  list_add(&u->arena, &syntax->args, arg);
  return syntax;
}

static const struct syntax *integer(struct unparser *u, int64_t value) {
  struct text text;
  text_init(&text);
  uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
  text_format(&text, "%" PRIu64, size);
  struct syntax *syntax = made(u, SYNTAX_INTEGER, arena_text(&u->arena, text.data, text.length));
  text_clear(&text);
  if (value >= 0)
    return syntax;
  struct syntax *negative = made(u, SYNTAX_NEG, NULL);
  list_add(&u->arena, &negative->args, syntax);
  return negative;
}

static const struct syntax *duration(struct unparser *u, const struct rational *value) {
  struct text text;
  text_init(&text);
  duration_print_exact(&text, value);
  const char *kept = arena_text(&u->arena, text.data, text.length);
  text_clear(&text);
  return made(u, SYNTAX_TIME, kept);
}

static const struct syntax *end_of_family(struct unparser *u, const struct term *term) {
  const char *word = term->kind == TERM_FIRST ? "first" : "last";
  size_t families = 0;
  for (size_t i = 0; i < u->model->roles.count; i++)
    families += u->model->roles.items[i]->count != NULL;
  if (families == 1)
    return made(u, SYNTAX_NAME, word);
  return call(u, word, made(u, SYNTAX_NAME, term->type.role->name));
}

/* losses(M), losses(M, NODE) */
static const struct syntax *losses(struct unparser *u, const struct term *term) {
  struct syntax *syntax = made(u, SYNTAX_CALL, "losses");
  list_add(&u->arena, &syntax->args, made(u, SYNTAX_NAME, term->state->loses->name));
  if (term->state->role->count != NULL)
    add_args(u, syntax, term);
  return syntax;
}

static const struct syntax *state(struct unparser *u, const struct term *term) {
  const struct role *role = term->state->role;
  if (term->state->loses != NULL)
    return losses(u, term);
  size_t same = 0; /* states of single nodes that have this name */
  for (size_t i = 0; role->count == NULL && i < u->model->states.count; i++) {
    const struct state *other = u->model->states.items[i];
    same += other->role->count == NULL && strcmp(other->name, term->state->name) == 0;
  }
  if (same == 1)
    return made(u, SYNTAX_NAME, term->state->name);
  struct syntax *syntax = made(u, SYNTAX_FIELD, term->state->name);
  if (same == 0)
    add_args(u, syntax, term);
  else
    list_add(&u->arena, &syntax->args, made(u, SYNTAX_NAME, role->name));
  return syntax;
}

static const struct syntax *subscript(struct unparser *u, const struct term *term) {
  struct syntax *syntax = made(u, SYNTAX_INDEX, NULL);
  if (term->kind == TERM_OCCURRENCE)
    list_add(&u->arena, &syntax->args, made(u, SYNTAX_NAME, term->component->name));
  if (term->kind == TERM_OWNED_SET)
    list_add(&u->arena, &syntax->args, made(u, SYNTAX_NAME, term->type.role->name));
  add_args(u, syntax, term);
  return syntax;
}

/* Of nodes: those before another one, from 0 to its index less 1. */
static const struct syntax *before(struct unparser *u, const struct variable *v) {
  struct syntax *syntax = made(u, SYNTAX_BEFORE, NULL);
  list_add(&u->arena, &syntax->args, made(u, SYNTAX_NAME, v->type.role->name));
  const struct term *node = v->high->args[0]->args[0];
  bool end = node->kind == TERM_FIRST || node->kind == TERM_LAST;
  list_add(&u->arena, &syntax->args,
           end ? made(u, SYNTAX_NAME, node->kind == TERM_FIRST ? "first" : "last")
               : unparse(u, node));
  return syntax;
}

static const struct syntax *domain(struct unparser *u, const struct variable *v) {
  struct syntax *range;
  if (v->domain == DOMAIN_RANGE && v->type.kind == TYPE_NODE)
    return before(u, v);
  switch (v->domain) {
  case DOMAIN_SET:
    return unparse(u, v->set);
  case DOMAIN_RANGE:
    range = made(u, SYNTAX_RANGE, NULL);
    list_add(&u->arena, &range->args, unparse(u, v->low));
    list_add(&u->arena, &range->args, unparse(u, v->high));
    return range;
  case DOMAIN_INT:
    return made(u, SYNTAX_ALL_INTEGERS, NULL);
  default:
    return made(u, SYNTAX_NAME, v->type.role->name);
  }
}

static const struct syntax *binding(struct unparser *u, enum syntax_kind kind,
                                    const struct term *term) {
  struct syntax *syntax = made(u, kind, NULL);
  for (size_t i = 0; i < term->variable_count; i++) {
    struct binder *binder = arena_alloc(&u->arena, 1, sizeof *binder);
    binder->name.text = term->variables[i]->name;
    binder->domain = domain(u, term->variables[i]);
    list_add(&u->arena, &syntax->binders, binder);
  }
  add_args(u, syntax, term);
  return syntax;
}

static enum syntax_kind operator_of(enum term_kind kind) {
  static const enum syntax_kind kinds[] = {
      [TERM_UNION] = SYNTAX_ADD,
      [TERM_DIFFERENCE] = SYNTAX_SUB,
      [TERM_INTERSECTION] = SYNTAX_INTERSECTION,
      [TERM_IN] = SYNTAX_IN,
      [TERM_NOT] = SYNTAX_NOT,
      [TERM_AND] = SYNTAX_AND,
      [TERM_OR] = SYNTAX_OR,
      [TERM_IMPLIES] = SYNTAX_IMPLIES,
      [TERM_IFF] = SYNTAX_IFF,
      [TERM_EQ] = SYNTAX_EQ,
      [TERM_NE] = SYNTAX_NE,
      [TERM_LT] = SYNTAX_LT,
      [TERM_LE] = SYNTAX_LE,
      [TERM_GT] = SYNTAX_GT,
      [TERM_GE] = SYNTAX_GE,
      [TERM_ADD] = SYNTAX_ADD,
      [TERM_SUB] = SYNTAX_SUB,
      [TERM_NEG] = SYNTAX_NEG,
      [TERM_MUL] = SYNTAX_MUL,
      [TERM_DIV] = SYNTAX_DIV,
      [TERM_POWER] = SYNTAX_POWER,
      [TERM_ITE] = SYNTAX_ITE,
      [TERM_SET] = SYNTAX_SET,
      [TERM_MAX] = SYNTAX_MAX,
      [TERM_MIN] = SYNTAX_MIN,
      [TERM_FORALL] = SYNTAX_FORALL,
      [TERM_EXISTS] = SYNTAX_EXISTS,
      [TERM_MAX_OVER] = SYNTAX_MAX_OVER,
      [TERM_MIN_OVER] = SYNTAX_MIN_OVER,
      [TERM_SUM_OVER] = SYNTAX_SUM_OVER,
      [TERM_KTH_OVER] = SYNTAX_KTH_OVER,
      [TERM_CARDINALITY] = SYNTAX_CARDINALITY,
  };
  if ((size_t)kind >= sizeof kinds / sizeof *kinds || kinds[kind] == SYNTAX_ERROR)
    bug("term kind %d has no operator", (int)kind);
  return kinds[kind];
}

static const struct syntax *message_term(struct unparser *u, const struct term *term) {
  const char *name = term->message->name;
  switch (term->kind) {
  case TERM_SENT:
    return with_args(u, SYNTAX_SENT, name, term);
  case TERM_PENDING:
    return with_args(u, SYNTAX_PENDING, name, term);
  case TERM_RECEIVED:
    return with_args(u, SYNTAX_RECEIVED, name, term);
  case TERM_LOST:
    return with_args(u, SYNTAX_LOST, name, term);
  case TERM_RECEIVER:
    return call(u, "receiver", with_args(u, SYNTAX_CALL, name, term));
  case TERM_DELAY:
    return call(u, term->component->name, with_args(u, SYNTAX_CALL, name, term));
  case TERM_PACED:
    return call(u, "paced", with_args(u, SYNTAX_CALL, name, term));
  case TERM_HANDED:
    return call(u, "handed", with_args(u, SYNTAX_CALL, name, term));
  case TERM_ORDER: /* of generated invariants: nobody writes it */
    return call(u, "order", with_args(u, SYNTAX_CALL, name, term));
  default:
    return call(u, "time", with_args(u, SYNTAX_CALL, name, term));
  }
}

/* --- sums of slots --------------------------------------------------------------------------- */

static bool is_same(const struct term *a, const struct term *b) {
  bool same = a->kind == b->kind && a->count == b->count && a->variable_count == 0 &&
              b->variable_count == 0 && a->integer == b->integer && a->state == b->state &&
              a->variable == b->variable && a->param == b->param && a->message == b->message &&
              a->component == b->component;
  for (size_t i = 0; same && i < a->count; i++)
    same = is_same(a->args[i], b->args[i]);
  return same;
}

/* `k`, when the term is `if k > place then SLOT else 0`; else NULL. */
static const struct term *choice_of(const struct term *term, const struct component *slot,
                                    size_t place) {
  if (term->kind != TERM_ITE || term->args[0]->kind != TERM_GT || term->type.kind != TYPE_TIME)
    return NULL;
  const struct term *const *sides = term->args[0]->args;
  bool fits = sides[1]->kind == TERM_INT && sides[1]->integer == (int64_t)place &&
              term->args[1]->kind == TERM_BARE && term->args[1]->component == slot &&
              term->args[2]->kind == TERM_TIME && rational_sign(&term->args[2]->value) == 0;
  return fits ? sides[0] : NULL;
}

/* Whether the term is the sum of the first slots, as upto makes it; with a choice each, *k says of
 * what. */
static bool is_prefix(const struct schedule *schedule, const struct term *term, size_t count,
                      const struct term **k) {
  for (size_t i = count; i-- > 0;) {
    const struct term *part = i == 0 ? term : term->kind == TERM_ADD ? term->args[1] : NULL;
    const struct term *here = part == NULL ? NULL : choice_of(part, schedule->slots[i], i);
    bool plain = part != NULL && part->kind == TERM_BARE && part->component == schedule->slots[i];
    if (i + 1 == count)
      *k = here;
    if (here == NULL ? *k != NULL || !plain : *k == NULL || !is_same(here, *k))
      return false;
    term = i == 0 ? term : term->args[0];
  }
  return true;
}

static size_t addend_count(const struct term *term) {
  size_t count = 1;
  for (; term->kind == TERM_ADD; term = term->args[0])
    count++;
  return count;
}

/* upto(ROLE, K) for the sum that it stands for, else NULL. */
static const struct syntax *upto(struct unparser *u, const struct term *term) {
  size_t count = addend_count(term);
  for (size_t i = 0; i < u->model->schedules.count && count > 1; i++) {
    const struct schedule *schedule = u->model->schedules.items[i];
    const struct term *k = NULL;
    if (count > schedule->slot_count || !is_prefix(schedule, term, count, &k) ||
        (k != NULL && count != schedule->slot_count))
      continue;
    struct syntax *syntax = made(u, SYNTAX_CALL, "upto");
    list_add(&u->arena, &syntax->args, made(u, SYNTAX_NAME, schedule->role->name));
    if (k != NULL || count != schedule->slot_count)
      list_add(&u->arena, &syntax->args, k != NULL ? unparse(u, k) : integer(u, (int64_t)count));
    return syntax;
  }
  return NULL;
}

/* Of a term that is written as a name alone; else NULL. */
static const char *name_of(const struct term *term) {
  switch (term->kind) {
  case TERM_ENUM:
    return term->type.enumeration->values[term->integer];
  case TERM_PARAM:
    return term->param->name;
  case TERM_VARIABLE:
    return term->variable->name;
  case TERM_NODE:
  case TERM_ROLE_SET:
    return term->type.role->name;
  case TERM_NOW:
    return "now";
  case TERM_BEGAN:
    return "began";
  case TERM_OCCURRENCE:
    return term->count == 0 ? term->component->name : NULL;
  case TERM_BARE:
    return term->component->name;
  default:
    return NULL;
  }
}

static const char *call_of(enum term_kind kind) {
  switch (kind) {
  case TERM_NEXT:
    return "next";
  case TERM_PREV:
    return "prev";
  case TERM_INDEX:
    return "index";
  case TERM_TIME_NODE:
    return "time";
  default:
    return "arrival";
  }
}

static const struct syntax *unparse(struct unparser *u, const struct term *term) {
  const struct syntax *slots = term->kind == TERM_ADD ? upto(u, term) : NULL;
  if (slots != NULL)
    return slots;
  const char *name = name_of(term);
  if (name != NULL)
    return made(u, SYNTAX_NAME, name);
  switch (term->kind) {
  case TERM_BOOL:
    return made(u, term->integer != 0 ? SYNTAX_TRUE : SYNTAX_FALSE, NULL);
  case TERM_INT:
    return integer(u, term->integer);
  case TERM_TIME:
    return rational_sign(&term->value) == 0 ? integer(u, 0) : duration(u, &term->value);
  case TERM_STATE:
    return state(u, term);
  case TERM_FIRST:
  case TERM_LAST:
    return end_of_family(u, term);
  case TERM_NEXT:
  case TERM_PREV:
  case TERM_INDEX:
  case TERM_TIME_NODE:
  case TERM_ARRIVAL:
    return with_args(u, SYNTAX_CALL, call_of(term->kind), term);
  case TERM_OWNER:
  case TERM_OWNED:
    return with_args(u, SYNTAX_CALL, term->type.role->name, term);
  case TERM_MAP_GET:
  case TERM_OWNED_SET:
    return subscript(u, term);
  case TERM_SENT:
  case TERM_PENDING:
  case TERM_RECEIVED:
  case TERM_LOST:
  case TERM_RECEIVER:
  case TERM_DELAY:
  case TERM_ORDER:
  case TERM_PACED:
  case TERM_HANDED:
  case TERM_TIME_MESSAGE:
    return message_term(u, term);
  case TERM_CHARGED:
    return with_args(u, SYNTAX_CHARGED, term->component->name, term);
  case TERM_OCCURRENCE:
    return subscript(u, term);
  case TERM_FORALL:
  case TERM_EXISTS:
  case TERM_MAX_OVER:
  case TERM_MIN_OVER:
  case TERM_SUM_OVER:
  case TERM_KTH_OVER:
    return binding(u, operator_of(term->kind), term);
  default:
    return with_args(u, operator_of(term->kind), NULL, term);
  }
}

void print_term(struct text *out, const struct model *model, const struct term *term) {
  struct unparser u = {.model = model};
  arena_init(&u.arena);
  struct line line;
  line_init(&line);
  line_term(&line, unparse(&u, term));
  text_append(out, text_get(&line.text));
  line_clear(&line);
  arena_clear(&u.arena);
}

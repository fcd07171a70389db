/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Terms as values of proofs/theory/Syntax.v. */
#include <inttypes.h>

#include "solver/theory/coq.h"

static void size_of(struct coq *q, const struct role *role) {
  text_append(q->out, "size_");
  coq_append_name(q->out, q->names[COQ_ROLE][role->id] + 2);
}

static const char *sort_of(const struct type *type) {
  switch (type->kind) {
  case TYPE_BOOL:
    return "Bool";
  case TYPE_TIME:
    return "Time";
  case TYPE_SET:
    return "NodeSet";
  case TYPE_MAP:
    return "Map";
  default:
    return "Int";
  }
}

void coq_numbers(struct coq *q, const struct term *const *terms, size_t count) {
  text_append(q->out, "[");
  for (size_t i = 0; i < count; i++) {
    text_append(q->out, i == 0 ? "" : "; ");
    coq_number(q, terms[i]);
  }
  text_append(q->out, "]");
}

void coq_number(struct coq *q, const struct term *t) {
  bool truth = t->type.kind == TYPE_BOOL;
  text_append(q->out, truth ? "(NumberOf " : "");
  coq_term(q, t);
  text_append(q->out, truth ? ")" : "");
}

/* "(NAME a b ...)" of the first `count` arguments. */
static void apply(struct coq *q, const char *name, const struct term *t, size_t count) {
  text_format(q->out, "(%s", name);
  for (size_t i = 0; i < count; i++) {
    text_append(q->out, " ");
    coq_term(q, t->args[i]);
  }
  text_append(q->out, ")");
}

static void of_message(struct coq *q, const char *name, const struct term *t) {
  text_format(q->out, "(%s %s ", name, q->names[COQ_MESSAGE][t->message->id]);
  coq_numbers(q, t->args, t->count);
  text_append(q->out, ")");
}

static void of_component(struct coq *q, const char *name, const struct term *t) {
  text_format(q->out, "(%s %s ", name, q->names[COQ_COMPONENT][t->component->id]);
  if (t->kind == TERM_DELAY)
    text_format(q->out, "%s ", q->names[COQ_MESSAGE][t->message->id]);
  coq_numbers(q, t->args, t->count);
  text_append(q->out, ")");
}

static void of_node(struct coq *q, const char *name, const struct term *t) {
  text_format(q->out, "(%s %s ", name, q->names[COQ_ROLE][t->args[0]->type.role->id]);
  coq_term(q, t->args[0]);
  text_append(q->out, ")");
}

/* The head of a term that speaks of all nodes of a family. */
static void of_family(struct coq *q, const char *name, const struct role *role) {
  text_format(q->out, "(%s ", name);
  size_of(q, role);
}

static void with_family(struct coq *q, const char *name, const struct role *role,
                        const struct term *t) {
  of_family(q, name, role);
  for (size_t i = 0; i < t->count; i++) {
    text_append(q->out, " ");
    coq_term(q, t->args[i]);
  }
  text_append(q->out, ")");
}

static void literal(struct coq *q, const struct term *t) {
  int64_t number = 0;
  if (!rational_is_integer(&t->value) || !rational_floor(&number, &t->value))
    q->fraction = true;
  text_format(q->out, "(Literal %" PRId64 ")", number);
}

/* Values of type BOOL that are numbers in the theory: variables, and elements of maps. */
static void truth_of(struct coq *q, const struct term *t) {
  bool truth = t->type.kind == TYPE_BOOL;
  text_append(q->out, truth ? "(IntEq " : "");
  if (t->kind == TERM_VARIABLE)
    text_format(q->out, "(Var %zu (*%s*))", t->variable->id, t->variable->name);
  else
    apply(q, "Get", t, 2);
  text_append(q->out, truth ? " (Integer 1))" : "");
}

static void owner(struct coq *q, const struct term *t) {
  const struct role *owned = t->args[0]->type.role;
  if (t->kind == TERM_OWNED || owned->each == NULL) {
    coq_term(q, t->args[0]);
    return;
  }
  apply(q, "Div", t, 1);
  q->out->data[--q->out->length] = '\0';
  text_append(q->out, " ");
  coq_term(q, owned->each);
  text_append(q->out, ")");
}

static void owned_set(struct coq *q, const struct term *t) {
  text_append(q->out, "(OwnedNodes ");
  if (t->type.role->each == NULL)
    text_append(q->out, "(Integer 1)");
  else
    coq_term(q, t->type.role->each);
  text_append(q->out, " ");
  coq_term(q, t->args[0]);
  text_append(q->out, ")");
}

void coq_domain(struct coq *q, const struct variable *v) {
  switch (v->domain) {
  case DOMAIN_SET:
    of_family(q, "Among", v->type.role);
    text_append(q->out, " ");
    coq_term(q, v->set);
    text_append(q->out, ")");
    return;
  case DOMAIN_RANGE:
    text_append(q->out, "(Range ");
    coq_term(q, v->low);
    text_append(q->out, " ");
    coq_term(q, v->high);
    text_append(q->out, ")");
    return;
  default:
    if (v->type.kind == TYPE_NODE) {
      of_family(q, "Family", v->type.role);
      text_append(q->out, ")");
    } else if (v->type.kind == TYPE_BOOL) {
      text_append(q->out, "(Family (Integer 2))");
    } else if (v->type.kind == TYPE_ENUM) {
      text_format(q->out, "(Family (Integer %zu))", v->type.enumeration->count);
    } else {
      text_append(q->out, "Integers");
    }
  }
}

void coq_binder(struct coq *q, const struct variable *v) {
  text_format(q->out, "(%zu (*%s*), ", v->id, v->name);
  coq_domain(q, v);
  text_append(q->out, ")");
}

void coq_values(struct coq *q, const struct type *type) {
  const struct type *of = type->kind == TYPE_MAP ? type->element : type;
  if (of->kind == TYPE_NODE)
    of_family(q, "Some", of->role), text_append(q->out, ")");
  else if (of->kind == TYPE_ENUM)
    text_format(q->out, "(Some (Integer %zu))", of->enumeration->count);
  else if (of->kind == TYPE_BOOL && type->kind != TYPE_BOOL)
    text_append(q->out, "(Some (Integer 2))");
  else
    text_append(q->out, "None");
}

/* "(NAME v domain body ...)", for each variable one inside the other. */
static void quantified(struct coq *q, const char *name, const struct term *t, size_t index) {
  const struct variable *v = t->variables[index];
  text_format(q->out, "(%s %zu (*%s*) ", name, v->id, v->name);
  coq_domain(q, v);
  text_append(q->out, " ");
  if (index + 1 < t->variable_count)
    quantified(q, name, t, index + 1);
  else
    for (size_t i = 0; i < t->count; i++) {
      text_append(q->out, i == 0 ? "" : " ");
      coq_term(q, t->args[i]);
    }
  text_append(q->out, ")");
}

/* max(a, b, c): one, and the others. */
static void several(struct coq *q, const char *name, const struct term *t) {
  text_format(q->out, "(%s%s ", t->type.kind == TYPE_TIME ? "Time" : "Int", name);
  coq_term(q, t->args[0]);
  text_append(q->out, " [");
  for (size_t i = 1; i < t->count; i++) {
    text_append(q->out, i == 1 ? "" : "; ");
    coq_term(q, t->args[i]);
  }
  text_append(q->out, "])");
}

static void same(struct coq *q, const struct term *t) {
  const struct type *type = &t->args[0]->type, *other = &t->args[1]->type;
  if (t->kind == TERM_NE)
    text_append(q->out, "(Not ");
  if (type->kind == TYPE_SET)
    with_family(q, "SameSet", type->role != NULL ? type->role : other->role, t);
  else
    apply(q, type->kind == TYPE_BOOL ? "Iff" : type->kind == TYPE_TIME ? "TimeEq" : "IntEq", t, 2);
  if (t->kind == TERM_NE)
    text_append(q->out, ")");
}

static void negative(struct coq *q, const struct term *t) {
  text_append(q->out, t->type.kind == TYPE_TIME ? "(Times (Integer (-1)) " : "(Sub (Integer 0) ");
  coq_term(q, t->args[0]);
  text_append(q->out, ")");
}

/* Of two names that of the sort of the arguments. */
static void by_sort(struct coq *q, const char *times, const char *integers, const struct term *t) {
  bool time = t->args[t->count - 1]->type.kind == TYPE_TIME;
  apply(q, time ? times : integers, t, t->count);
}

static void connective(struct coq *q, const struct term *t) {
  static const char *const names[][2] = {
      [TERM_NOT] = {"Not", "Not"},
      [TERM_AND] = {"And", "And"},
      [TERM_OR] = {"Or", "Or"},
      [TERM_IMPLIES] = {"Implies", "Implies"},
      [TERM_IFF] = {"Iff", "Iff"},
      [TERM_LT] = {"TimeLt", "IntLt"},
      [TERM_LE] = {"TimeLe", "IntLe"},
      [TERM_GT] = {"TimeGt", "IntGt"},
      [TERM_GE] = {"TimeGe", "IntGe"},
      [TERM_ADD] = {"TimeAdd", "Add"},
      [TERM_SUB] = {"TimeSub", "Sub"},
      [TERM_MUL] = {"Times", "Mul"},
      [TERM_DIV] = {NULL, "Div"},
      [TERM_POWER] = {NULL, "Power"},
      [TERM_UNION] = {NULL, "Union"},
      [TERM_DIFFERENCE] = {NULL, "Difference"},
      [TERM_INTERSECTION] = {NULL, "Intersection"},
      [TERM_IN] = {NULL, "In_"},
  };
  bool known = (size_t)t->kind < sizeof names / sizeof *names && names[t->kind][1] != NULL;
  if (!known)
    bug("a term that the theory does not cover");
  by_sort(q, names[t->kind][0], names[t->kind][1], t);
}

static void binder(struct coq *q, const struct term *t) {
  bool time = t->type.kind == TYPE_TIME;
  const char *name = t->kind == TERM_FORALL     ? "Forall"
                     : t->kind == TERM_EXISTS   ? "Exists"
                     : t->kind == TERM_MAX_OVER ? "MaxOver"
                     : t->kind == TERM_MIN_OVER ? "MinOver"
                     : t->kind == TERM_SUM_OVER ? (time ? "SumOver" : "IntSumOver")
                     : time                     ? "KthOver"
                                                : "IntKthOver";
  quantified(q, name, t, 0);
}

static void place(struct coq *q, const struct term *t) {
  switch (t->kind) {
  case TERM_LAST:
    of_family(q, "Sub", t->type.role);
    text_append(q->out, " (Integer 1))");
    return;
  case TERM_NEXT:
  case TERM_PREV:
    with_family(q, t->kind == TERM_NEXT ? "Next" : "Prev", t->type.role, t);
    return;
  case TERM_INDEX:
    coq_term(q, t->args[0]);
    return;
  case TERM_OWNER:
  case TERM_OWNED:
    owner(q, t);
    return;
  default:
    text_append(q->out, "(Integer 0)");
  }
}

static void event(struct coq *q, const struct term *t) {
  switch (t->kind) {
  case TERM_SENT:
    of_message(q, "Sent", t);
    return;
  case TERM_PENDING:
    of_message(q, "Pending", t);
    return;
  case TERM_RECEIVED:
    of_message(q, "Received", t);
    return;
  case TERM_LOST:
    of_message(q, "Lost", t);
    return;
  case TERM_RECEIVER:
    of_message(q, "Receiver", t);
    return;
  case TERM_PACED:
    of_message(q, "Paced", t);
    return;
  case TERM_HANDED:
    of_message(q, "Handed", t);
    return;
  case TERM_ORDER:
    of_message(q, "Place", t);
    return;
  default:
    of_message(q, "TimeOf", t);
  }
}

static void constant(struct coq *q, const struct term *t) {
  if (t->kind == TERM_BOOL)
    text_append(q->out, t->integer != 0 ? "(Boolean true)" : "(Boolean false)");
  else if (t->kind == TERM_TIME)
    literal(q, t);
  else if (t->kind == TERM_PARAM)
    text_format(q->out, "(Param %s)", q->names[COQ_PARAM][t->param->id]);
  else
    text_format(q->out, t->integer < 0 ? "(Integer (%" PRId64 "))" : "(Integer %" PRId64 ")",
                t->integer);
}

/* The message of whose pacer it is the hidden state, or NULL. */
static const struct message *paced_by(const struct coq *q, const struct state *state) {
  for (size_t i = 0; i < q->model->messages.count; i++) {
    const struct message *m = q->model->messages.items[i];
    if (m->pacer != NULL && m->pacer->state == state)
      return m;
  }
  return NULL;
}

static void reading(struct coq *q, const struct term *t) {
  const struct message *pacer = t->kind == TERM_STATE ? paced_by(q, t->state) : NULL;
  if (pacer != NULL) {
    text_format(q->out, "(PacerNext %s %s ", q->names[COQ_MESSAGE][pacer->id],
                q->names[COQ_ROLE][t->state->role->id]);
    coq_term(q, t->args[0]);
    text_append(q->out, ")");
  } else if (t->kind == TERM_STATE) {
    text_format(q->out, "(State %s %s %s ", sort_of(&t->type), q->names[COQ_STATE][t->state->id],
                q->names[COQ_ROLE][t->state->role->id]);
    coq_term(q, t->args[0]);
    text_append(q->out, ")");
  } else if (t->kind == TERM_VARIABLE && t->type.kind == TYPE_TIME) {
    text_append(q->out, "Read");
  } else {
    truth_of(q, t);
  }
}

static void choice(struct coq *q, const struct term *t) {
  text_format(q->out, "(Ite %s", sort_of(&t->type));
  for (size_t i = 0; i < 3; i++) {
    text_append(q->out, " ");
    coq_term(q, t->args[i]);
  }
  text_append(q->out, ")");
}

static void set(struct coq *q, const struct term *t) {
  if (t->kind == TERM_ROLE_SET) {
    text_append(q->out, "AllNodes");
  } else if (t->kind == TERM_OWNED_SET) {
    owned_set(q, t);
  } else {
    text_append(q->out, "(SetOf ");
    coq_numbers(q, t->args, t->count);
    text_append(q->out, ")");
  }
}

/* What has no number, time or truth as its argument, or is about one thing. */
static bool leaf(struct coq *q, const struct term *t) {
  switch (t->kind) {
  case TERM_BOOL:
  case TERM_INT:
  case TERM_TIME:
  case TERM_ENUM:
  case TERM_PARAM:
    constant(q, t);
    return true;
  case TERM_VARIABLE:
  case TERM_STATE:
  case TERM_MAP_GET:
    reading(q, t);
    return true;
  case TERM_NODE:
  case TERM_FIRST:
  case TERM_LAST:
  case TERM_NEXT:
  case TERM_PREV:
  case TERM_INDEX:
  case TERM_OWNER:
  case TERM_OWNED:
    place(q, t);
    return true;
  case TERM_ROLE_SET:
  case TERM_OWNED_SET:
  case TERM_SET:
    set(q, t);
    return true;
  default:
    return false;
  }
}

/* What is said of messages, nodes and components. */
static bool fact(struct coq *q, const struct term *t) {
  switch (t->kind) {
  case TERM_SENT:
  case TERM_PENDING:
  case TERM_RECEIVED:
  case TERM_LOST:
  case TERM_RECEIVER:
  case TERM_TIME_MESSAGE:
  case TERM_PACED:
  case TERM_HANDED:
  case TERM_ORDER:
    event(q, t);
    return true;
  case TERM_TIME_NODE:
  case TERM_ARRIVAL:
    of_node(q, t->kind == TERM_TIME_NODE ? "Clock" : "Arrival", t);
    return true;
  case TERM_NOW:
  case TERM_BEGAN:
    text_append(q->out, t->kind == TERM_NOW ? "Now" : "Began");
    return true;
  case TERM_CHARGED:
  case TERM_OCCURRENCE:
    of_component(q, t->kind == TERM_CHARGED ? "Charged" : "Occurrence", t);
    return true;
  case TERM_DELAY:
    of_component(q, "Delay", t);
    return true;
  case TERM_BARE:
    text_format(q->out, "(Bare %s)", q->names[COQ_COMPONENT][t->component->id]);
    return true;
  default:
    return false;
  }
}

void coq_term(struct coq *q, const struct term *t) {
  if (leaf(q, t) || fact(q, t))
    return;
  switch (t->kind) {
  case TERM_CARDINALITY:
    with_family(q, "Cardinality", t->args[0]->type.role, t);
    return;
  case TERM_EQ:
  case TERM_NE:
    same(q, t);
    return;
  case TERM_NEG:
    negative(q, t);
    return;
  case TERM_ITE:
    choice(q, t);
    return;
  case TERM_MAX:
  case TERM_MIN:
    several(q, t->kind == TERM_MAX ? "Max" : "Min", t);
    return;
  case TERM_FORALL:
  case TERM_EXISTS:
  case TERM_MAX_OVER:
  case TERM_MIN_OVER:
  case TERM_SUM_OVER:
  case TERM_KTH_OVER:
    binder(q, t);
    return;
  default:
    connective(q, t);
  }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A checked protocol: every name resolved, every term typed. lang/check makes it from the syntax
 * tree; the encoder, the interpreter and the instantiation of bounds read it and change nothing.
 *
 * Everything lives in the model's arena; pointers into it stay valid until model_free. The numbers
 * called `id` index dense arrays of their kind in the model.
 *
 * Meaning (the standard timing model). A state gives every node its state variables and its clock
 * (time since the start, initially 0), every message identity whether it was sent and received, its
 * delivery time and its receiver, and every occurrence whether it was charged. A step picks an
 * action, a node of its role and, with `message`, a pending message (sent, not received) whose
 * receiver is that node. All guards hold in the state before. The statements run in order, each
 * seeing the assignments before it. With tN the node's clock and tM the message's delivery time:
 *
 *     start = tN, or max(tN, tM) with a message; then tN <= tM + Queuing(message) is required
 *             (when the protocol declares a queueing term; otherwise nothing is required)
 *     end   = start + the sum of the action's costs = the node's new clock
 *     every message m sent by the step gets delivery time end + d(m)
 *
 * Occurrences (costs, delays, waits) are non-negative unknown reals, each at most the constant that
 * its bare name stands for. A component without an index has a single occurrence, which is its bare
 * name. An identity is sent at most once and an occurrence charged at most once: a step that would
 * break this is an error of the model, found by the verifier and by the interpreter alike.
 */
#ifndef LANG_MODEL_H
#define LANG_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/rational.h"
#include "base/vector.h"

/* Half-open range of byte offsets in the source; both 0 for what has no place of its own. */
struct span {
  uint32_t start, end;
};

enum type_kind {
  TYPE_ERROR, /* of a term already reported; agrees with every type. Not in a checked model. */
  TYPE_BOOL,
  TYPE_INT,
  TYPE_TIME,
  TYPE_ENUM, /* enumeration */
  TYPE_NODE, /* role */
  TYPE_SET,  /* of nodes of role */
  TYPE_MAP,  /* from nodes of role to *element, a BOOL, INT, ENUM or NODE */
};

struct role;
struct enumeration;

struct type {
  enum type_kind kind;
  const struct role *role;
  const struct enumeration *enumeration;
  const struct type *element;
};

struct enumeration {
  const char *name;
  struct span span;
  size_t id, count;
  const char **values; /* value k is represented by the integer k */
};

/* A named integer parameter of the protocol; its constraints are among the assumptions. */
struct param {
  const char *name;
  struct span span;
  size_t id;
};

struct role {
  const char *name;
  struct span span;
  size_t id;
  const struct term *count; /* of a family: an INT term over parameters; of a single node: NULL.
                             * A node is represented by the integer 0 .. count - 1. */
  bool external;            /* takes no steps and has no state */
  bool ordered;             /* the model uses first, last, next, prev, index or sum on it */
};

enum component_kind { COMPONENT_STEP, COMPONENT_DELAY, COMPONENT_QUEUEING };

struct component {
  const char *name;
  struct span span;
  size_t id;
  enum component_kind kind;
  size_t index_count;       /* of a step; delays and waits are indexed by a message */
  const struct type *index; /* INT or NODE each */
};

struct field {
  const char *name;
  struct span span;
  struct type type; /* INT, NODE, ENUM or BOOL */
};

struct message {
  const char *name;
  struct span span;
  size_t id;
  size_t field_count;
  const struct field *fields;
  const struct role *sender, *receiver;
  int sender_field;   /* which field names the sending node, or -1 */
  int receiver_field; /* which field names the receiving node, or -1: then the receiver is the
                       * single node of its role, or (a family) the `to` of the send */
};

enum domain_kind {
  DOMAIN_NONE,  /* the acting node of an action, a field of a received message */
  DOMAIN_ROLE,  /* every node of type.role */
  DOMAIN_SET,   /* every node in `set` */
  DOMAIN_RANGE, /* low .. high, both included; empty when high < low */
  DOMAIN_INT,   /* every integer (formulas of invariants only) */
};

struct variable {
  const char *name;
  struct span span;
  size_t id; /* 0 .. model.variable_count - 1, unique in the model: no two binders share one */
  struct type type;
  enum domain_kind domain;
  const struct term *set, *low, *high;
};

/* A state variable of every node of a role. */
struct state {
  const char *name;
  struct span span;
  size_t id;
  const struct role *role;
  struct type type;
  const struct variable *self; /* the node, free in `initial` */
  const struct term *initial;  /* of `type`; of a MAP: the element that every key gets first */
};

enum term_kind {
  TERM_BOOL,     /* integer: 0 or 1 */
  TERM_INT,      /* integer */
  TERM_TIME,     /* value, in ns, >= 0 */
  TERM_ENUM,     /* integer: position in type.enumeration */
  TERM_PARAM,    /* param */
  TERM_VARIABLE, /* variable */
  TERM_STATE,    /* state, at node args[0] */
  TERM_NODE,     /* the single node of type.role */
  TERM_FIRST,    /* node 0 of type.role */
  TERM_LAST,     /* node count - 1 of type.role */
  TERM_NEXT,     /* the node after args[0]; after the last comes the first */
  TERM_PREV,     /* the node before args[0]; before the first comes the last */
  TERM_INDEX,    /* INT: the position 0 .. count - 1 of node args[0] */

  TERM_ROLE_SET,     /* the set of all nodes of type.role */
  TERM_SET,          /* the set of the nodes args[0..count-1] */
  TERM_UNION,        /* args[0] + args[1] */
  TERM_DIFFERENCE,   /* args[0] - args[1] */
  TERM_INTERSECTION, /* args[0] & args[1] */
  TERM_IN,           /* BOOL: node args[0] is in set args[1] */
  TERM_MAP_GET,      /* element of map args[0] at node args[1] */

  TERM_SENT,         /* BOOL: message with fields args was sent */
  TERM_PENDING,      /* BOOL: sent and not received */
  TERM_RECEIVED,     /* BOOL */
  TERM_RECEIVER,     /* NODE: the receiver of message with fields args (meaningful once sent) */
  TERM_CHARGED,      /* BOOL: the occurrence of step `component` with indices args was charged */
  TERM_TIME_MESSAGE, /* TIME: delivery time of message with fields args (meaningful once sent) */
  TERM_TIME_NODE,    /* TIME: clock of node args[0] */

  TERM_OCCURRENCE, /* TIME: step `component` with indices args */
  TERM_DELAY,      /* TIME: delay or wait `component` of message with fields args */
  TERM_BARE,       /* TIME: the constant named by `component` (never a step without an index) */

  TERM_NOT,
  TERM_AND, /* two args, as the next ones */
  TERM_OR,
  TERM_IMPLIES,
  TERM_IFF,
  TERM_EQ, /* args of one type, any but MAP; of sets: the same members */
  TERM_NE,
  TERM_LT, /* args both INT or both TIME */
  TERM_LE,
  TERM_GT,
  TERM_GE,
  TERM_ADD, /* args both INT or both TIME */
  TERM_SUB,
  TERM_NEG,
  TERM_MUL, /* INT * INT, or args[0] INT and args[1] TIME */
  TERM_ITE, /* if args[0] then args[1] else args[2] */

  TERM_FORALL, /* variables; body args[0] */
  TERM_EXISTS,
  TERM_MAX, /* largest of args, one or more; INT or TIME */
  TERM_MIN,
  TERM_MAX_OVER, /* TIME; one variable with domain ROLE, SET or RANGE; body args[0]; empty: 0 */
  TERM_MIN_OVER, /* same; empty: 0 */
  TERM_SUM_OVER, /* same, domain ROLE or RANGE; empty: 0 */
};

struct term {
  enum term_kind kind;
  struct type type;
  struct span span;
  size_t count;
  const struct term **args;
  int64_t integer;
  struct rational value; /* initialised for TERM_TIME only; cleared by model_free */
  const struct param *param;
  const struct variable *variable;
  const struct state *state;
  const struct message *message;
  const struct component *component;
  size_t variable_count; /* binders */
  const struct variable **variables;
};

enum statement_kind { STATEMENT_ASSIGN, STATEMENT_IF, STATEMENT_SEND };

struct block {
  size_t count;
  const struct statement **statements;
};

struct statement {
  enum statement_kind kind;
  struct span span;
  /* ASSIGN: state (of the acting node), at `key` when it is a map, else NULL; value */
  const struct state *state;
  const struct term *key, *value;
  /* IF */
  const struct term *condition;
  struct block then_block, else_block;
  /* SEND: message with fields args; `to` when the message's receiver_field is -1 and its receiver
   * a family, else NULL; once for every value of `variables` (each with domain ROLE, SET or RANGE;
   * each is itself one of args, so that the identities differ) */
  const struct message *message;
  size_t arg_count;
  const struct term **args;
  const struct term *to;
  size_t variable_count;
  const struct variable **variables;
};

struct action {
  const char *name; /* "primary.Broadcast" */
  struct span span;
  size_t id;
  const struct role *role;
  const struct variable *node;    /* the acting node, domain NONE; also for a single node */
  const struct message *message;  /* received, or NULL */
  const struct variable **fields; /* message->field_count; a variable may be `node` or occur twice:
                                   * the fields are then equal */
  size_t guard_count;
  const struct term **guards;
  size_t cost_count;
  const struct term **costs; /* TERM_OCCURRENCE each, over the state before */
  struct block body;
};

/* No mention of time(...) in guards, costs and statements: control does not depend on clocks. */

struct assumption {
  struct span span;
  const struct term *formula; /* over parameters and bare names */
  const char *text;           /* as written, on one line */
};

struct invariant {
  const char *name;
  struct span span;
  size_t id;
  const struct term *formula;
  bool timing; /* mentions a time */
};

enum target_kind {
  TARGET_SENT,      /* `message` with `args` was sent: counts until the end of the sending step */
  TARGET_DELIVERED, /* same, counts until its delivery time */
  TARGET_WHEN,      /* `formula` holds, at clock of `node` */
};

struct bound {
  const char *name;
  struct span span;
  size_t id;
  size_t variable_count; /* for all ... (usually none) */
  const struct variable **variables;
  enum target_kind target;
  const struct message *message;
  size_t arg_count;
  const struct term **args;
  const struct term *formula, *node;
  const struct term *expression; /* TIME, >= 0, over parameters, occurrences and bare names; of
                                  * times only + , INT * TIME, max, min, sum */
  const char *target_text, *expression_text; /* as written, on one line each */
};

#define MODEL_LIST(type)                                                                           \
  struct {                                                                                         \
    size_t count;                                                                                  \
    const struct type **items;                                                                     \
  }

struct model {
  const char *name; /* of the protocol */
  MODEL_LIST(param) params;
  MODEL_LIST(assumption) assumptions;
  MODEL_LIST(enumeration) enumerations;
  MODEL_LIST(role) roles;
  MODEL_LIST(component) components;
  MODEL_LIST(message) messages;
  MODEL_LIST(state) states;
  MODEL_LIST(action) actions;
  MODEL_LIST(invariant) invariants;
  MODEL_LIST(bound) bounds;
  const struct component *delay;    /* of every message; NULL only without messages */
  const struct component *queueing; /* or NULL */
  size_t variable_count;
  struct arena arena;
  VECTOR(struct rational *) rationals; /* of TERM_TIME, to clear */
};

void model_free(struct model *model);

#endif

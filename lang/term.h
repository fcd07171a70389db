/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Terms of a checked protocol and the variables that they bind (lang/model.h has what they are
 * about).
 */
#ifndef LANG_TERM_H
#define LANG_TERM_H

#include "base/rational.h"
#include "lang/type.h"

struct component;
struct message;
struct param;
struct state;
struct term;

enum domain_kind {
  DOMAIN_NONE,  /* the acting node of an action, a field of a received message, a clock read; all
                 * values of a bool or an enumeration (generated invariants only) */
  DOMAIN_ROLE,  /* every node of type.role */
  DOMAIN_SET,   /* every node in `set` */
  DOMAIN_RANGE, /* low .. high, both included; empty when high < low. Of a variable that is a node:
                 * those before another node of the ordered family; `low` is 0, and `high` the
                 * other's TERM_INDEX less 1 */
  DOMAIN_INT,   /* every integer (in formulas of invariants, and of what a bound counts from) */
};

struct variable {
  const char *name;
  struct source_span span;
  size_t id; /* 0 .. model.variable_count - 1, unique in the model: no two binders share one */
  struct type type;
  enum domain_kind domain;
  const struct term *set, *low, *high;
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
  TERM_OWNER,    /* the node of type.role to which node args[0] belongs */
  TERM_OWNED,    /* the node of type.role that belongs to node args[0], of which there is one */

  TERM_ROLE_SET,     /* the set of all nodes of type.role */
  TERM_OWNED_SET,    /* the set of the nodes of type.role that belong to node args[0] */
  TERM_SET,          /* the set of the nodes args[0..count-1] */
  TERM_UNION,        /* args[0] + args[1] */
  TERM_DIFFERENCE,   /* args[0] - args[1] */
  TERM_INTERSECTION, /* args[0] & args[1] */
  TERM_IN,           /* BOOL: node args[0] is in set args[1] */
  TERM_CARDINALITY,  /* INT: of set args[0] */
  TERM_MAP_GET,      /* element of map args[0] at node args[1] */

  TERM_SENT,         /* BOOL: message with fields args was sent */
  TERM_PENDING,      /* BOOL: sent and not received */
  TERM_RECEIVED,     /* BOOL */
  TERM_LOST,         /* BOOL: sent, and lost: neither pending nor received, ever */
  TERM_RECEIVER,     /* NODE: the receiver of message with fields args (meaningful once sent) */
  TERM_CHARGED,      /* BOOL: the occurrence of step `component` with indices args was charged */
  TERM_TIME_MESSAGE, /* TIME: delivery time of message with fields args (meaningful once sent) */
  TERM_TIME_NODE,    /* TIME: clock of node args[0] */
  TERM_ARRIVAL,      /* TIME: arrival time of node args[0] (advanced model) */
  TERM_PLACEHOLDER,  /* TIME: of solver/infer while it solves, in no model: of unknown `integer` */
  TERM_NOW,          /* TIME: start of the latest step (eager model) */
  TERM_PACED,  /* TIME: when the pacer lets message with fields args go (meaningful once sent) */
  TERM_HANDED, /* TIME: the end of the step that sends the message with fields args, which has a
                * pacer (meaningful once sent) */
  TERM_BEGAN,  /* TIME: when the phase began (in the formulas of a phase) */
  TERM_ORDER,  /* INT: place of FIFO message with fields args in the order of sending, larger
                * for a later one (meaningful once sent; generated invariants only) */

  TERM_OCCURRENCE, /* TIME: step `component` with indices args; of a repeated one only as a cost */
  TERM_DELAY,      /* TIME: delay or wait `component` of message with fields args */
  TERM_BARE,       /* TIME: the constant named by `component`: a step with an index or repeated, a
                    * delay, wait, timeout or constant */

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
  TERM_DIV, /* INT: the largest integer that is at most args[0] / args[1]; args[1] is a TERM_INT of
             * at least 1 */
  TERM_POWER, /* INT: args[0] to the power args[1]; args[0] is a TERM_INT of at least 2, and of a
               * power below 0 the value is 0 (a fraction, rounded down) */
  TERM_ITE,   /* if args[0] then args[1] else args[2] */

  TERM_FORALL, /* variables; body args[0] */
  TERM_EXISTS,
  TERM_MAX, /* largest of args, one or more; INT or TIME */
  TERM_MIN,
  TERM_MAX_OVER, /* TIME; one variable with domain ROLE, SET or RANGE; body args[0]; empty: 0 */
  TERM_MIN_OVER, /* same; empty: 0 */
  TERM_SUM_OVER, /* same; over a SET the body is built from occurrences, bare names, +, and
                  * non-negative integer literal * time. Empty: 0. Or INT, in invariants and
                  * actions, with domain ROLE; the body then reads states as x.s of its variable x
                  * alone, or as m[x] of a node that is none of the state; each state in one way */
  TERM_KTH_OVER, /* TIME; one variable with domain ROLE or SET; the args[1]-th smallest (INT, over
                  * parameters, variables and, in invariants, the state) of body args[0]; 0 when the
                  * rank is below 1, and unspecified when it exceeds the number of members. Or INT,
                  * in invariants and actions, with domain ROLE and a rank over parameters alone */
};

struct term {
  enum term_kind kind;
  struct type type;
  struct source_span span;
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

#endif

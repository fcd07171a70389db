/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The syntax tree of a protocol file, as written: nothing resolved, parentheses gone, comments in
 * a list of their own. Every node has the span of its text.
 *
 * The tree and its texts live in the arena of the `struct ast`, until ast_free. No term and no
 * statement is nested deeper than AST_DEPTH, where a chain (a + b + c, a and b and c) is one level
 * however many terms it has; and no tree is higher than AST_HEIGHT, so whoever walks it may
 * recurse.
 */
#ifndef LANG_AST_H
#define LANG_AST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "lang/model.h"

enum { AST_DEPTH = 400, AST_HEIGHT = 4000 };

struct name {
  const char *text; /* NULL: absent */
  struct source_span span;
};

/* A growing array in the arena. */
struct list {
  void **items;
  size_t count, capacity;
};

enum syntax_kind {
  SYNTAX_ERROR, /* already reported */
  SYNTAX_TRUE,
  SYNTAX_FALSE,
  SYNTAX_INTEGER, /* name: digits */
  SYNTAX_TIME,    /* name: "1.5 ms" */
  SYNTAX_NAME,
  SYNTAX_CALL,  /* name(args): first(role), time(M(x)), d(M(x)), M(x) inside those, ... */
  SYNTAX_INDEX, /* args[0][args[1], ...] */
  SYNTAX_FIELD, /* args[0].name */
  SYNTAX_SET,   /* {args} */
  SYNTAX_SENT,  /* sent name(args), as the next two */
  SYNTAX_PENDING,
  SYNTAX_RECEIVED,
  SYNTAX_LOST,
  SYNTAX_CHARGED, /* charged name[args] */
  SYNTAX_NOT,
  SYNTAX_NEG,
  SYNTAX_AND,
  SYNTAX_OR,
  SYNTAX_IMPLIES,
  SYNTAX_IFF,
  SYNTAX_EQ,
  SYNTAX_NE,
  SYNTAX_LT,
  SYNTAX_LE,
  SYNTAX_GT,
  SYNTAX_GE,
  SYNTAX_IN,
  SYNTAX_ADD,
  SYNTAX_SUB,
  SYNTAX_INTERSECTION,
  SYNTAX_MUL,
  SYNTAX_DIV,
  SYNTAX_POWER,
  SYNTAX_ITE,
  SYNTAX_FORALL, /* binders; body args[0] */
  SYNTAX_EXISTS,
  SYNTAX_MAX, /* args */
  SYNTAX_MIN,
  SYNTAX_MAX_OVER, /* one binder; body args[0] */
  SYNTAX_MIN_OVER,
  SYNTAX_SUM_OVER,
  SYNTAX_KTH_OVER,     /* one binder; body args[0], rank args[1] */
  SYNTAX_CARDINALITY,  /* |args[0]| */
  SYNTAX_RANGE,        /* args[0]..args[1], a domain */
  SYNTAX_BEFORE,       /* args[0] before args[1], a domain: of an ordered family */
  SYNTAX_ALL_INTEGERS, /* int, a domain */
  SYNTAX_ARGUMENT, /* args[0], for the parameter `name` of an abbreviation, of `type`; only where
                    * abbreviations are written out (expand.h) */
};

struct type_syntax;

struct binder {
  struct name name;
  const struct syntax *domain;
};

struct syntax {
  enum syntax_kind kind;
  struct source_span span;
  unsigned depth, height; /* of a leaf 1 */
  struct name name;
  struct list args;               /* of const struct syntax */
  struct list binders;            /* of const struct binder */
  const struct type_syntax *type; /* ARGUMENT */
};

enum type_syntax_kind { TYPE_SYNTAX_NAME, TYPE_SYNTAX_SET, TYPE_SYNTAX_MAP };

struct type_syntax {
  enum type_syntax_kind kind;
  struct source_span span;
  struct name name; /* of the type ("int", "bool", an enumeration, a role); of the set or map: the
                     * role */
  const struct type_syntax *element; /* of the map */
};

enum statement_syntax_kind {
  STATEMENT_SYNTAX_WHEN,
  STATEMENT_SYNTAX_ASSIGN,
  STATEMENT_SYNTAX_IF,
  STATEMENT_SYNTAX_SEND
};

struct block_syntax {
  struct source_span span;
  struct list statements;
  bool has_else_if; /* of an else block: written `else if`, its only statement */
};

struct statement_syntax {
  enum statement_syntax_kind kind;
  struct source_span span;
  unsigned depth;
  struct name name;                                   /* ASSIGN: what; SEND: message */
  const struct syntax *key;                           /* ASSIGN name[key], or NULL */
  const struct syntax *value;                         /* WHEN, IF: formula; ASSIGN: value */
  struct list args;                                   /* SEND */
  const struct syntax *to;                            /* SEND, or NULL */
  struct list binders;                                /* SEND */
  const struct block_syntax *then_block, *else_block; /* IF; else_block may be NULL */
};

/* A component, a message's field or a state variable. */
struct item_syntax {
  struct source_span span;
  struct name name;
  struct list index;              /* component: of struct type_syntax */
  const struct type_syntax *type; /* field, state variable */
  const struct syntax *initial;   /* state variable */
  bool ghost;                     /* state variable */
};

struct side_syntax {
  struct name role, field; /* field may be absent */
};

/* `paced every T burst B`; NULL both: it has no pacer. */
struct paced_syntax {
  const struct syntax *every, *burst;
};

enum declaration_kind {
  DECLARATION_TIMING,    /* name */
  DECLARATION_PARAM,     /* name, time, formula: the constraint or NULL */
  DECLARATION_ASSUME,    /* formula */
  DECLARATION_LET,       /* name, items: parameters, formula: what it stands for, of any type */
  DECLARATION_ENUM,      /* name, names: of struct name */
  DECLARATION_ROLE,      /* name, external, formula: the count, the owner or NULL; expression: how
                          * many each of the owner's has, or NULL */
  DECLARATION_COMPONENT, /* items */
  DECLARATION_REPEATED,  /* names */
  DECLARATION_TIMEOUT,   /* names */
  DECLARATION_DELAY,     /* names */
  DECLARATION_QUEUEING,  /* name */
  DECLARATION_MESSAGE,   /* name, items: fields, sender, receiver, over, fifo; formula: how
                          * many are lost at most, or NULL; expression, burst: of its pacer,
                          * or NULL both; priority: digits, may be absent */
  DECLARATION_STATE,     /* name: the role, node, items */
  DECLARATION_ARRIVALS,  /* message, expression: every, formula: burst, or (time) jitter */
  DECLARATION_SCHEDULE,  /* role, names: the slots, timeout */
  DECLARATION_ACTION, /* role, node, name, slot; message, names: its fields; or timeout; or timer;
                       * read, cost, block */
  DECLARATION_INVARIANT, /* name, formula */
  DECLARATION_BOUND,     /* name, binders, target, formula, node, expression, by_phases */
  DECLARATION_PHASE,     /* name, parts: declarations, each a START, an INVARIANT or an END */
  DECLARATION_START,     /* formula */
  DECLARATION_END,       /* as BOUND; no name, no binders */
};

struct declaration {
  enum declaration_kind kind;
  struct source_span span;
  struct source_span head; /* STATE, ACTION, PHASE: up to and with the "{" */
  struct name name, role, node, message, over, slot, timeout, read, priority;
  bool external, fifo, time, by_phases;
  bool joined;            /* PARAM, ROLE, MESSAGE: written behind the one before, `role a, b` */
  bool any_time, at_once; /* ACTION: starts at any time; as soon as it can */
  const struct syntax *formula;
  struct list items, names, binders, parts;
  struct side_syntax sender, receiver;
  const struct syntax *timer, *cost, *burst;
  const struct block_syntax *block;
  /* BOUND. For SENT and DELIVERED `message` and `args` say which; for WHEN formula and `at`. */
  enum target_kind target;
  struct list args;
  struct name from; /* the message from whose sending it counts; absent: from time 0 */
  struct list from_args;
  const struct syntax *at, *expression; /* expression of a bound: NULL when written "?" */
  struct source_span target_span;
};

/* A comment, without its line end. */
struct comment {
  struct source_span span;
  bool alone; /* nothing but white space before it on its line */
};

struct ast {
  struct arena arena;
  struct name name;        /* of the protocol */
  struct source_span head; /* protocol NAME */
  struct list declarations;
  struct list comments; /* in order */
  const char *bytes;    /* of the source, copied: printing needs to see blank lines */
  size_t length;
};

struct ast *ast_new(const char *bytes, size_t length);
void ast_free(struct ast *ast);

void list_add(struct arena *arena, struct list *list, const void *item);

/* A node with up to two (non-NULL) args; depth and height follow from them. */
struct syntax *ast_term(struct arena *arena, enum syntax_kind kind, struct source_span span,
                        const struct syntax *first, const struct syntax *second);

/* Sets depth and height of a term by its args and the domains of its binders. */
void ast_measure(struct syntax *term);

/* Do two files say the same (spans and comments apart)? */
bool ast_equal(const struct ast *a, const struct ast *b);

static inline const struct syntax *syntax_arg(const struct syntax *term, size_t i) {
  return term->args.items[i];
}
static inline const struct binder *list_binder(const struct list *list, size_t i) {
  return list->items[i];
}

#endif

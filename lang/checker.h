/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of the check share: check_declare.c (names and their types), check_scope.c (who is
 * called what), check_term.c, check_binding.c, check_name.c, check_call.c, check_operator.c
 * (terms), check_action.c, check_statement.c, check_time.c, check_schedule.c, check_bound.c,
 * check_event.c, check_phase.c, check_arrivals.c, check_bucket.c, check_loss.c, check_sum.c. Only
 * those and check.c include it. The checker owns its vectors; all it makes for the model lives in
 * the model's arena.
 *
 * A term with a mistake has TYPE_ERROR, which agrees with every type, so a mistake is reported
 * once.
 */
#ifndef LANG_CHECKER_H
#define LANG_CHECKER_H

#include "base/index.h"
#include "lang/ast.h"
#include "lang/diagnostic.h"
#include "lang/term_same.h"

/* Name spaces: what may be called the same. */
enum space {
  SPACE_GLOBAL, /* parameters, types, enumeration values, roles, components, messages,
                 * abbreviations */
  SPACE_STATE,  /* of one role */
  SPACE_ACTION, /* of one role */
  SPACE_CLAIM,  /* invariants and bounds */
  SPACE_PHASE
};

enum symbol_kind {
  SYMBOL_PARAM,
  SYMBOL_ENUM,
  SYMBOL_VALUE, /* enumeration, position */
  SYMBOL_ROLE,
  SYMBOL_COMPONENT,
  SYMBOL_MESSAGE,
  SYMBOL_STATE,
  SYMBOL_ABBREVIATION,
  SYMBOL_OTHER
};

struct symbol {
  enum space space;
  const void *owner; /* the role of a state or action, else NULL */
  enum symbol_kind kind;
  const char *name;
  struct source_span span;
  union {
    struct param *param;
    struct enumeration *enumeration;
    struct role *role;
    struct component *component;
    struct message *message;
    struct state *state;
  };
  int64_t position;
  bool used;
};

/* Where a term stands: what it may mention. */
enum position {
  POSITION_COUNT,      /* role counts, constraints: parameters declared so far */
  POSITION_ASSUME,     /* parameters, bare names */
  POSITION_INITIAL,    /* parameters, the node */
  POSITION_ACTION,     /* own state, parameters, variables */
  POSITION_INVARIANT,  /* everything */
  POSITION_TARGET,     /* everything but quantifiers over int */
  POSITION_EXPRESSION, /* of a bound: components, parameters, variables */
};

struct checker {
  struct model *model;
  const struct source *source;
  struct diagnostics *diagnostics;
  struct arena *arena; /* the model's */

  VECTOR(struct symbol *) symbols; /* in order of declaration */
  struct index index;              /* of symbols */

  VECTOR(struct param *) params;
  VECTOR(struct assumption *) assumptions;
  VECTOR(struct enumeration *) enumerations;
  VECTOR(struct role *) roles;
  VECTOR(struct component *) components;
  VECTOR(struct message *) messages;
  VECTOR(struct state *) states;
  VECTOR(struct action *) actions;
  VECTOR(struct invariant *) invariants;
  VECTOR(struct bound *) bounds;
  VECTOR(struct schedule *) schedules;
  VECTOR(struct phase *) phases;
  VECTOR(bool) message_sent; /* by message id */
  VECTOR(const struct component *) delays;
  const struct declaration *timing; /* the one that says it, or NULL */

  VECTOR(const struct variable *) scope; /* visible variables, innermost last */
  enum position position;
  size_t params_visible;       /* in POSITION_COUNT */
  bool in_index;               /* inside C[...] or the fields of a message */
  const struct term *here;     /* the node whose states need no node before them, or NULL */
  const struct action *acting; /* the action, or NULL */
  bool in_upto;                /* inside the number of slots of upto */
  bool in_ghost;               /* inside the value of a ghost variable */
  bool in_heading;             /* inside the variables of a bound */
  const struct phase *phase;   /* in one's start or invariants, or NULL */
};

/* check_scope.c */
struct symbol *symbol_add(struct checker *checker, enum space space, const void *owner,
                          struct name name,
                          enum symbol_kind kind); /* NULL: reported, declared twice */
struct symbol *symbol_find(struct checker *checker, enum space space, const void *owner,
                           const char *name);
struct symbol *symbol_of_kind(struct checker *checker, enum symbol_kind kind, const char *name);
const struct variable *scope_find(const struct checker *checker, const char *name);
struct variable *variable_new(struct checker *checker, struct name name, struct type type);
/* Makes a variable visible; reports a name that is taken. */
void scope_push(struct checker *checker, const struct variable *variable);
/* The visible name nearest to `name`: "did you mean". kinds is a mask of 1 << symbol_kind, plus
 * SUGGEST_VARIABLES. For states of one role give it, else NULL. */
enum { SUGGEST_VARIABLES = 1 << 16 };
void hint_nearest(struct checker *checker, struct diagnostic *diagnostic, const char *name,
                  unsigned kinds, const struct role *role);
const char *symbol_kind_name(const struct symbol *symbol);
struct role *find_role(struct checker *checker, struct name name);
struct message *find_message(struct checker *checker, struct name name);
struct component *find_component(struct checker *checker, struct name name);

/* check_term.c */
#define REPORT(checker, code, span, ...)                                                           \
  diagnostics_add((checker)->diagnostics, DIAGNOSTIC_##code, span, __VA_ARGS__)

struct term *term_new(struct checker *checker, enum term_kind kind, struct type type,
                      struct source_span span, size_t count);
struct term *term_error(struct checker *checker, struct source_span span);
bool type_agrees(const struct type *a, const struct type *b);
void type_append(struct text *text, const struct type *type);
const char *type_text(struct checker *checker, const struct type *type);
struct type type_of(enum type_kind kind);
struct type type_node(const struct role *role);
struct type type_set(const struct role *role);

/* The term of a syntax, of whatever type. */
struct term *check_term(struct checker *checker, const struct syntax *syntax);
/* The same, of this type: reports another. */
struct term *check_typed(struct checker *checker, const struct syntax *syntax,
                         const struct type *type, const char *what);
/* The same of a term that was made of the syntax. */
struct term *term_typed(struct checker *checker, const struct syntax *syntax, struct term *term,
                        const struct type *type, const char *what);
/* `term` as a term of this type: 0 as a time, {} as a set of a role; NULL when it is none. */
struct term *term_coerce(struct checker *checker, struct term *term, const struct type *type);
struct term *term_pair(struct checker *checker, enum term_kind kind, struct type type,
                       struct source_span span, const struct term *left,
                       const struct term *right); /* right may be NULL */
struct term *term_zero_time(struct checker *checker, struct source_span span);
struct term *term_integer_literal(struct checker *checker, int64_t value, struct source_span span);
/* Reports that `what` may not stand here, if so. */
bool is_forbidden(struct checker *checker, struct source_span span, bool allowed, const char *what);
bool is_formula_position(const struct checker *checker); /* invariants and targets */

/* check_name.c */
struct term *check_name(struct checker *checker, const struct syntax *syntax);
struct term *check_field(struct checker *checker, const struct syntax *syntax);
struct term *check_index(struct checker *checker, const struct syntax *syntax);
struct term *term_component(struct checker *checker, const struct component *component,
                            struct source_span span);
struct term *term_state(struct checker *checker, const struct state *state, const struct term *node,
                        struct source_span span);
struct term *term_variable(struct checker *checker, const struct variable *variable,
                           struct source_span span);
bool may_mention_nodes(const struct checker *checker);
/* The occurrence that C or C[i, j] names. */
struct term *term_occurrence(struct checker *checker, const struct component *component,
                             const struct syntax *syntax);
struct role *only_family(struct checker *checker, const struct syntax *syntax);

/* check_declare.c: what a parameter of an abbreviation may be */
struct type check_parameter_type(struct checker *checker, const struct type_syntax *syntax);

/* check_binding.c */
/* Adds a variable with this domain to the scope. */
struct variable *check_binder(struct checker *checker, const struct binder *binder);
const struct variable **check_binders(struct checker *checker, const struct list *binders);
/* forall, exists, max, min, sum, kth over a domain */
struct term *check_binding(struct checker *checker, const struct syntax *syntax);

/* check_sum.c: a sum over the variable of `term`, whose body is an integer. */
struct term *check_integer_sum(struct checker *checker, const struct syntax *syntax,
                               struct term *term);

/* check_call.c */
struct term *check_call(struct checker *checker, const struct syntax *syntax);
struct term *check_message_predicate(struct checker *checker, const struct syntax *syntax,
                                     enum term_kind kind);
struct term *check_charged(struct checker *checker, const struct syntax *syntax);
/* Arguments of a message, checked against its fields; false when reported. */
bool check_arguments(struct checker *checker, const struct message *message,
                     struct source_span span, const struct list *syntaxes,
                     const struct term **terms);

/* check_owner.c: families that belong to a family. */
/* Whether the declaration says to whom the role belongs; then its sizes are checked. */
bool check_owned_role(struct checker *checker, const struct declaration *declaration,
                      struct role *role);
/* The node of `role` that `node` tells (role_tells). */
const struct term *term_of_role(struct checker *checker, const struct term *node,
                                const struct role *role, struct source_span span);
/* ROLE(node), ROLE[node] */
struct term *check_conversion(struct checker *checker, const struct syntax *syntax,
                              const struct role *role);
struct term *check_owned_set(struct checker *checker, const struct syntax *syntax,
                             const struct role *role);
void check_orders(struct checker *checker);

/* check_operator.c */
struct term *check_operator(struct checker *checker, const struct syntax *syntax);

/* check_statement.c */
/* The statements from `first` on, without guards. */
struct block check_block(struct checker *checker, const struct list *statements, size_t first);

/* check_time.c: where an action may mention times; each reports what is wrong. */
void check_guard_times(struct checker *checker, const struct term *guard);
/* Of a timer, or of what is assigned to a state of type TIME. */
void check_time_value(struct checker *checker, const struct term *term);
void check_no_time(struct checker *checker, const struct term *term);
void check_block_times(struct checker *checker, const struct block *block);

/* check_schedule.c */
void check_schedule(struct checker *checker, const struct declaration *declaration);
/* The timeout of this name; NULL: reported. */
const struct component *find_timeout(struct checker *checker, struct name name);
const struct schedule *find_schedule(const struct checker *checker, const struct role *role);
/* What a slot adds to its action: guard, assignment, cost. */
void check_slot(struct checker *checker, const struct declaration *declaration,
                struct action *action);
const struct term *slot_guard(struct checker *checker, const struct action *action);
const struct statement *slot_step(struct checker *checker, const struct action *action);
const struct term *slot_cost(struct checker *checker, const struct action *action);
void make_idle_actions(struct checker *checker);
/* upto(ROLE), upto(ROLE, K) */
struct term *check_upto(struct checker *checker, const struct syntax *syntax);

/* check_arrivals.c: the pacer of a message, with what is known of it as invariants. */
void check_arrivals(struct checker *checker, const struct declaration *declaration);
/* `paced` of a message declaration. */
void check_paced(struct checker *checker, const struct declaration *declaration);
void check_paced_send(struct checker *checker, const struct statement *send);

/* check_bucket.c: warns of steps that send more of the message at once than its arrivals allow. */
void warn_bucket(struct checker *checker, const struct message *message);

/* That an INT term over parameters is at least `least`: an assumption, unless the file says it. */
void assume_at_least(struct checker *checker, const struct term *term, int64_t least);

/* check_loss.c: the losses of a message, with what is known of them as invariants; the action of a
 * loss, once all others are made; losses(M), losses(M, NODE). */
void check_loss(struct checker *checker, const struct declaration *declaration);
void make_losses(struct checker *checker);
struct term *check_losses(struct checker *checker, const struct syntax *syntax);
/* Whether the message may be lost: else that is reported of the place that asks for its losses. */
bool is_lossy(struct checker *checker, const struct message *message, struct source_span span);

/* check_copy.c: a copy with its own bound variables, in which `from[i]` has become `to[i]`. */
const struct term *term_copy(struct checker *checker, const struct term *term,
                             const struct variable *const *from, const struct variable *const *to,
                             size_t count);

/* check_phase.c */
void check_phase(struct checker *checker, const struct declaration *declaration);
void check_by_phases(struct checker *checker, const struct ast *ast);

/* check_declare.c, check_names.c, check_action.c, check_bound.c */
/* Hints that a bound about every integer `name` is one with a parameter. */
void hint_parameter(struct diagnostic *diagnostic, const char *name);
void check_target(struct checker *checker, const struct declaration *declaration,
                  struct bound *bound);
void check_expression(struct checker *checker, const struct declaration *declaration,
                      struct bound *bound);
void check_names(struct checker *checker, const struct ast *ast);
void check_declarations(struct checker *checker, const struct ast *ast);
void check_action(struct checker *checker, const struct declaration *declaration);
void check_invariant(struct checker *checker, const struct declaration *declaration);
void check_bound(struct checker *checker, const struct declaration *declaration);
void check_assumption(struct checker *checker, const struct declaration *declaration);

/* check_event.c: reports the event of a bound that another node than the one whose clock counts may
 * bring about. Every action has been checked before. */
void check_event(struct checker *checker, const struct bound *bound);

const char *keep_text(struct checker *checker, const char *text);

/* check_hidden.c: an action "ROLE.what(of)" without an id yet, where the node's name stands. */
struct action *hidden_action(struct checker *checker, const struct role *role, const char *what,
                             const char *of, struct name node);

/* A state "what(M)" of every node of the role; type and initial value are the caller's to give. */
struct state *hidden_state(struct checker *checker, const char *what, const struct message *message,
                           const struct role *role, struct source_span span);

/* An invariant "what(M)", for all values of the variables. */
struct invariant *hidden_invariant(struct checker *checker, const char *what,
                                   const struct message *message, struct source_span span,
                                   const struct variable *const *variables, size_t count,
                                   const struct term *formula);

/* A variable for each field of the message, and (`fields`) terms that mention them. */
const struct variable **bind_fields(struct checker *checker, const struct message *message,
                                    struct source_span span, const struct term **fields);

#endif

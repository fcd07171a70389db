/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the grammar's actions call: constructors of the syntax tree (grammar.c) and the report of a
 * syntax error (parse.c). Everything made lives in the tree's arena.
 */
#ifndef LANG_GRAMMAR_H
#define LANG_GRAMMAR_H

#include "lang/parser_state.h"

/* For the actions: where they allocate, and the span of what a rule makes of its parts. */
#define ARENA (&state->ast->arena)
#define YYLLOC_DEFAULT(current, rhs, n)                                                            \
  ((current) = (n) != 0 ? (struct source_span){YYRHSLOC(rhs, 1).start, YYRHSLOC(rhs, n).end}       \
                        : (struct source_span){YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end})

/* Terms. Each is replaced by SYNTAX_ERROR, and reported once a file, when it would be too deep. */
const struct syntax *grammar_leaf(struct parser_state *state, enum syntax_kind kind,
                                  struct name name);
const struct syntax *grammar_branch(struct parser_state *state, enum syntax_kind kind,
                                    struct source_span span, const struct syntax *first,
                                    const struct syntax *second);
const struct syntax *grammar_node(struct parser_state *state, enum syntax_kind kind,
                                  struct source_span span, struct name name, struct list args);
const struct syntax *grammar_field(struct parser_state *state, struct source_span span,
                                   const struct syntax *base, struct name name);
const struct syntax *grammar_subscript(struct parser_state *state, struct source_span span,
                                       const struct syntax *base, struct list keys);
const struct syntax *grammar_choice(struct parser_state *state, struct source_span span,
                                    const struct syntax *test, const struct syntax *yes,
                                    const struct syntax *no);
const struct syntax *grammar_binding(struct parser_state *state, enum syntax_kind kind,
                                     struct source_span span, struct list binders,
                                     const struct syntax *body);
const struct syntax *grammar_kth(struct parser_state *state, struct source_span span,
                                 const struct syntax *rank, const struct binder *binder,
                                 const struct syntax *body);
const struct binder *grammar_bind(struct parser_state *state, struct name name,
                                  const struct syntax *domain);
struct list grammar_binder_list(struct parser_state *state, const struct binder *binder);

/* The name with one space before the unit. */
struct name grammar_duration(struct parser_state *state, struct name name);

struct type_syntax *grammar_type(struct parser_state *state, enum type_syntax_kind kind,
                                 struct source_span span, struct name name);
struct item_syntax *grammar_item(struct parser_state *state, struct source_span span,
                                 struct name name);
void grammar_add_name(struct parser_state *state, struct list *list, struct name name);
struct statement_syntax *grammar_statement(struct parser_state *state,
                                           enum statement_syntax_kind kind,
                                           struct source_span span);
void grammar_measure_statement(struct statement_syntax *statement);
void grammar_add_statement(struct parser_state *state, struct list *list,
                           struct statement_syntax *statement);
struct declaration *grammar_declare(struct parser_state *state, enum declaration_kind kind,
                                    struct name name);
struct declaration *grammar_names(struct parser_state *state, enum declaration_kind kind,
                                  struct name name, struct list names);
/* Everything that a message declaration says behind its names. */
struct channel_syntax {
  struct side_syntax from, to;
  struct name over, priority;
  bool fifo;
  const struct syntax *loses;
  struct paced_syntax paced;
};

/* Lists of declarations: parameters, of which each is compared with `term` (NULL: none is), roles,
 * messages; and their place among the others, where `span` is that of the whole list. */
struct list grammar_params(struct parser_state *state, const struct list *names, bool time,
                           enum syntax_kind comparison, const struct syntax *term);
void grammar_external(const struct list *roles);
void grammar_send_over(const struct list *messages, const struct channel_syntax *channel);
void grammar_add_listed(struct parser_state *state, struct list *declarations,
                        const struct list *listed, struct source_span span);
struct declaration *grammar_let(struct parser_state *state, struct name name,
                                struct list parameters, const struct syntax *body);
struct declaration *grammar_schedule(struct parser_state *state, struct name role,
                                     struct list slots, struct name timeout);
struct declaration *grammar_arrivals(struct parser_state *state, struct name message,
                                     const struct syntax *every, bool jitter,
                                     const struct syntax *most);
struct declaration *grammar_target(struct parser_state *state, enum target_kind kind,
                                   const struct syntax *message);
/* when `formula` at `at`, and `more`, which may be NULL: more of the formula. */
struct declaration *grammar_when(struct parser_state *state, const struct syntax *formula,
                                 const struct syntax *at, const struct syntax *more);

void grammar_too_deep(struct parser_state *state, struct source_span span);

/* The tokens that could have come instead of a wrong one, by their names in the grammar. */
struct expectation {
  size_t count;
  const char *tokens[128];
};
void report_syntax_error(struct parser_state *state, const struct expectation *expected);

#endif

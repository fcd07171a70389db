/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The interpreter of checked models: a model at concrete parameter values. It is the independent
 * judge of the verifier: it implements the meaning in lang/model.h directly, on concrete worlds
 * (solver/judge/world.h) by concrete steps (solver/judge/step.h), and shares no code with the
 * encoding for solvers.
 *
 * Scalars (BOOL, INT, ENUM, NODE) are int64_t; a set is a bit mask in an int64_t, which is why a
 * family has at most 64 nodes. Integer arithmetic that leaves 64 bits, and a range with more values
 * than are tried, raise `overflow`, which stays raised: whoever explores must not claim
 * completeness then.
 *
 * The interpreter owns the table of occurrences, which grows while it runs: one thread at a time.
 * It refers to the model, which must outlive it.
 */
#ifndef SOLVER_JUDGE_INTERPRETER_H
#define SOLVER_JUDGE_INTERPRETER_H

#include "base/expression.h"
#include "lang/model.h"

struct text;
struct valuation;

enum {
  FAMILY_SIZE_MAX = 64,
  INDEX_COUNT_MAX = 8, /* fields of a message, indices of a component */
};

struct interpreter {
  const struct model *model;
  int64_t *params;      /* by param id */
  int64_t *role_sizes;  /* by role id; 1 of a single node */
  size_t *node_offsets; /* by role id: where its nodes start in the dense numbering */
  size_t node_count;
  size_t *cell_offsets; /* by state id: where its values start in a world's cells */
  size_t *cell_widths;  /* by state id: cells per node, the number of keys of a map, else 1 */
  size_t cell_count;
  size_t *time_offsets; /* by state id: of type TIME, where its values start in a world's times */
  size_t time_count;
  bool *reads_others; /* by action id: its terms read messages, charges or other nodes' state, so
                       * that its steps need not commute with those of other nodes */
  bool *idles;        /* by action id: its steps change nothing but the slot of the node's loop, and
                       * depend on nothing but the node's own state */
  bool *times_guards; /* by action id: some guard of it mentions a time */
  struct expression_table table;
  int64_t *scratch; /* bindings of the step at hand, by variable id */
  bool overflow;
};

/* `params` by param id (copied). NULL, with one line in `message`, when an assumption over the
 * parameters does not hold, a family is empty or too large, or the model has more fields or
 * indices than fit a step. Assumptions that mention times are not judged here. */
struct interpreter *interpreter_new(const struct model *model, const int64_t *params,
                                    struct text *message);
void interpreter_free(struct interpreter *interpreter);

/* The node in the dense numbering 0 .. node_count - 1 over all roles. */
size_t interpreter_node(const struct interpreter *interpreter, const struct role *role,
                        int64_t node);

/* The occurrences of a step, of a message's delay and of its wait (NULL without queueing). */
const struct occurrence *interpreter_cost(struct interpreter *interpreter,
                                          const struct component *component,
                                          const int64_t *indices);
const struct occurrence *interpreter_delay(struct interpreter *interpreter,
                                           const struct message *message, const int64_t *fields);
const struct occurrence *interpreter_wait(struct interpreter *interpreter,
                                          const struct message *message, const int64_t *fields);

/* What has no name of its own: in the step that is number `step` of an execution (from 0), the
 * execution of a repeated component for cost number `choice` or of a timeout (`choice` is then the
 * number of costs); and how long after its start that step reads its clock. They are occurrences
 * like all others, so that whatever gives values to occurrences gives them to these. */
const struct occurrence *interpreter_execution(struct interpreter *interpreter,
                                               const struct component *component, size_t step,
                                               size_t choice);
const struct occurrence *interpreter_read(struct interpreter *interpreter, size_t step);

/* Whether every assumption holds with these values; else *broken is the first that does not. */
bool interpreter_assumptions_hold(struct interpreter *interpreter,
                                  const struct valuation *valuation,
                                  const struct assumption **broken);

/* Appends "backup[2]" or "primary"; a scalar or set as a user reads it; "Ack(2)". */
void interpreter_print_node(struct text *text, const struct role *role, int64_t node);
void interpreter_print_value(struct text *text, const struct type *type, int64_t value);
void interpreter_print_message(struct text *text, const struct message *message,
                               const int64_t *fields);

#endif

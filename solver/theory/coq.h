/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A checked model as a value of proofs/theory/Syntax.v; for the files of solver/theory only. What
 * theory_covers refuses is never handed to these functions, and is a bug there.
 */
#ifndef SOLVER_THEORY_COQ_H
#define SOLVER_THEORY_COQ_H

#include "base/text.h"
#include "solver/prove/property.h"

/* What has a number in the theory, and a name of its own for it in the file. */
enum coq_kind { COQ_PARAM, COQ_ROLE, COQ_COMPONENT, COQ_MESSAGE, COQ_STATE, COQ_ACTION, COQ_KINDS };

struct coq {
  struct text *out;
  const struct model *model;
  struct arena arena;
  const char **names[COQ_KINDS]; /* by id: "s_node_held" */
  bool fraction;                 /* a literal is no whole number of nanoseconds, their unit */
};

void coq_init(struct coq *coq, struct text *out, const struct model *model);
void coq_clear(struct coq *coq);

/* `name` with what no name in Coq has made a line: "losses(M)" is "losses_M_". */
void coq_append_name(struct text *out, const char *name);

/* Appends a term, in parentheses; as a field or an index: a number, of a bool 1 or 0. */
void coq_term(struct coq *coq, const struct term *term);
void coq_number(struct coq *coq, const struct term *term);
void coq_numbers(struct coq *coq, const struct term *const *terms, size_t count);
/* "(Family size_node)", and "(3, ...)" with the variable's number. */
void coq_domain(struct coq *coq, const struct variable *variable);
void coq_binder(struct coq *coq, const struct variable *variable);
/* The size of what a value of the type is one of: "(Some size_node)", "None". */
void coq_values(struct coq *coq, const struct type *type);

/* Appends "Definition NAME : action := ...", in several lines. */
void coq_action(struct coq *coq, const struct action *action);
/* The same of all that is declared, then of the protocol: "Definition the_protocol". */
void coq_protocol(struct coq *coq);

/* Appends "{| bound_variables := ... |}". */
void coq_bound(struct coq *coq, const struct bound *bound);

/* In the arena of `coq`: "ph_NAME", and of an invariant of the phase "in_0_NAME". */
const char *coq_phase_name(struct coq *coq, const struct phase *phase);
const char *coq_during_name(struct coq *coq, const struct phase *phase, const char *invariant);

/* Appends definitions of all these names, then "Definition phases : list phase". */
void coq_phases(struct coq *coq);

/* Appends a record of proofs/theory/Once.v for a component of which charge_follows_message; false,
 * and nothing is appended, where that does not fit. `coq` may be NULL: only the answer is wanted. */
bool coq_follows(struct coq *coq, const struct model *model, const struct component *component);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The functions behind solver/encode/cardinality.h, with their axioms.
 */
#ifndef SOLVER_ENCODE_CARDINALITY_FUNCTION_H
#define SOLVER_ENCODE_CARDINALITY_FUNCTION_H

#include "solver/encode/cardinality.h"

/* What a member counts: 1, or an occurrence. */
struct weight {
  const char *key;
  const struct term *addend; /* NULL: 1 */
  const struct variable *variable;
  const struct symbolic *state; /* of an addend that reads the state */
  struct variable_list free;
};

/* A set that is not reduced any further, as a function of `count` arguments. */
struct measured_set {
  const char *key;
  const struct role *role;
  size_t count;
  const smt_sort *sorts;
  const struct state *owner; /* a state variable of the unknown state `at`, or NULL: then */
  const struct symbolic *at; /* (of the owner) */
  smt_function predicate;    /* (args, node) */
  bool by_owner; /* the first argument is a node of the role to whose nodes the members belong */
};

struct measure {
  const struct measured_set *set;
  const struct weight *weight;
  size_t count; /* arguments: of the set, then the weight's free variables */
  const smt_sort *sorts;
  smt_function function;
  size_t id;
};

/* The state variable of an unknown state; its argument is the node, none for a single one. */
const struct measured_set *measured_state(struct encoder *encoder, const struct state *state,
                                          const struct symbolic *at);
/* A set term in a state; its arguments are its free variables. */
const struct measured_set *measured_term(struct encoder *encoder, const struct term *set,
                                         const struct symbolic *at,
                                         const struct variable_list *free);
/* What belongs to a node of the owner of `role`; its argument is that node. */
const struct measured_set *measured_owned(struct encoder *encoder, const struct role *role);

const struct measure *cardinality_of(struct encoder *encoder, const struct measured_set *set,
                                     const struct weight *weight);

/* What a node counts, with the free variables as the environment has them. */
smt_term weight_of(struct encoder *encoder, const struct weight *weight, smt_term node);
extern const struct weight weight_one;

/* The sum of the weights of a whole ordered role. */
smt_term weight_of_role(struct encoder *encoder, const struct weight *weight,
                        const struct role *role);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Terms of a checked model at numbers: integers over parameters, and whole bounds as ground
 * expressions. `params` is indexed by a parameter's id, `variables` by a variable's id.
 */
#ifndef LANG_INSTANTIATE_H
#define LANG_INSTANTIATE_H

#include "base/status.h"
#include "base/text.h"
#include "base/expression.h"
#include "lang/model.h"

/* More nodes than this are refused. */
enum { INSTANTIATE_LIMIT = 10 * 1000 * 1000 };

/* The value of an INT, BOOL, ENUM or NODE term (model.h says how each is represented). `variables`
 * may be NULL when the term has no free variable and no binder. False, with *result unchanged, when
 * the term has no such value: it overflows, or it depends on the state or on times. */
bool term_integer(int64_t *result, const struct model *model, const struct term *term,
                  const int64_t *params, int64_t *variables);

/* The same of a term that may compare durations and parameters that are times: times[id] is the
 * value of the component with this id, or NULL; `times` NULL: none is given. */
bool term_integer_given(int64_t *result, const struct model *model, const struct term *term,
                        const int64_t *params, int64_t *variables,
                        const struct rational *const *times);

/* Whether the term is made of numbers, parameters and what computes integers of them. */
bool term_is_of_parameters(const struct term *term);

/* The number of nodes: 1 for a single node. False when it overflows or is negative. */
bool role_size(int64_t *size, const struct model *model, const struct role *role,
               const int64_t *params);

/* Whether the assumptions hold whose parameters are all given (and whose times, as below).
 * STATUS_USAGE: the values given break one; STATUS_DATA: one cannot be met or computed. `message`
 * then gets one line. */
enum status assumptions_meet(const struct model *model, const int64_t *params, const bool *given,
                             const struct rational *const *times, struct text *message);

/* The bound's expression at these parameters, in the table's arena. Of a bound `for all x in ROLE`
 * the largest over all x, which is a bound for every one; of one `from sent M(k)` that of any k,
 * after a check that they are alike (lang/alike.h). The assumptions over parameters that are
 * all given must hold (those over times are not looked at). Parameters that are times stay bare
 * names.
 * STATUS_USAGE: a parameter that the bound needs is not given, or the values given break an
 * assumption; STATUS_DATA: an assumption cannot be met, a factor or size is negative, a rank is not
 * one of the members', the bound has no expression, differs from one k to another, or is too large.
 * `message` then gets one line and *out is unchanged. */
enum status bound_instantiate(const struct expression **out, struct expression_table *table,
                              const struct model *model, const struct bound *bound,
                              const int64_t *params, const bool *given, struct text *message);

/* The same for one choice of the bound's variables, nodes[i] being the value of the i-th (`nodes`
 * NULL: the largest over all; then a bound that subtracts times has none, STATUS_DATA). Only with
 * `nodes` are there differences in the expression. times[id] is the value in ns, >= 0, of the
 * component of kind COMPONENT_CONSTANT with this id, or NULL: not given; `times` NULL: none is.
 * Assumptions over times that are all given must hold too. */
enum status bound_instantiate_at(const struct expression **out, struct expression_table *table,
                                 const struct model *model, const struct bound *bound,
                                 const int64_t *nodes, const int64_t *params, const bool *given,
                                 const struct rational *const *times, struct text *message);

/* The same, of at most so many terms (STATUS_DATA: there are more). */
enum status bound_instantiate_within(const struct expression **out, struct expression_table *table,
                                     const struct model *model, const struct bound *bound,
                                     const int64_t *nodes, const int64_t *params, const bool *given,
                                     const struct rational *const *times, size_t nodes_max,
                                     struct text *message);

#endif

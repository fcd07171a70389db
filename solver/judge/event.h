/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bounded event of a bound, judged in a concrete world. A target `sent` counts until the end of
 * the sending step, `delivered` until the delivery time, `when` until the clock of its node; the
 * latter is due in every state in which the formula holds.
 *
 * `bindings` hold a value for every variable of the model by id; of them the bound's own for-all
 * variables matter. Times are exact, in ns.
 */
#ifndef SOLVER_JUDGE_EVENT_H
#define SOLVER_JUDGE_EVENT_H

#include "solver/judge/evaluate.h"

/* Whether what the bound counts from has been sent, for its variables as bound; `time`, when not
 * NULL, gets when. A bound that counts from time 0 has always begun. */
bool event_begun(struct rational *time, const struct world *world, const struct bound *bound,
                 int64_t *bindings);

/* Whether the event has happened, and what it counts from, for the bound's variables as bound.
 * `time`, when not NULL, gets when, since time 0; the world must be timed then. `valuation` is NULL
 * in an untimed world: a formula that compares times may then hold, and counts as holding. */
bool event_happened(struct rational *time, const struct world *world, const struct bound *bound,
                    const struct valuation *valuation, int64_t *bindings);

/* Calls visit with the values of the bound's variables, in ascending order and in the evaluation's
 * bindings, until it returns false; whether it never did. Left out are values for which the event
 * cannot have begun (`_happened`: cannot have happened), as no message with them was sent: the
 * number of calls depends on how many messages there are, not on how large their numbers are. */
bool event_each_begun(const struct interpretation *evaluation, const struct bound *bound,
                      bool (*visit)(const struct interpretation *evaluation, void *context),
                      void *context);
bool event_each_happened(const struct interpretation *evaluation, const struct bound *bound,
                         bool (*visit)(const struct interpretation *evaluation, void *context),
                         void *context);

/* Whether it has happened for any value of the bound's variables; they are left in `bindings`. */
bool event_happened_for_any(const struct world *world, const struct bound *bound,
                            const struct valuation *valuation, int64_t *bindings);

/* The value of the bound's expression in an evaluation that has times; false where it takes more
 * than the interpreter can calculate (solver/judge/interpreter.h, overflow). */
bool event_limit(struct rational *limit, const struct interpretation *evaluation,
                 const struct bound *bound);

/* Of all values of the bound's variables for which the event has happened, those with the largest
 * excess time - limit (a limit of 0 when the bound has no expression), left in `bindings`; false
 * when it has happened for none. `time` is what the bound limits: since what it counts from. A
 * limit that is not known is 1 ns more than the time: neither exceeded nor attained. */
bool event_worst(struct rational *time, struct rational *limit, const struct world *world,
                 const struct bound *bound, const struct valuation *valuation, int64_t *bindings);

#endif

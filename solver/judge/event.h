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

#include "solver/judge/world.h"

/* Whether what the bound counts from has been sent, for its variables as bound; `time`, when not
 * NULL, gets when. A bound that counts from time 0 has always begun. */
bool event_begun(struct rational *time, const struct world *world, const struct bound *bound,
                 int64_t *bindings);

/* Whether the event has happened, and what it counts from, for the bound's variables as bound.
 * `time`, when not NULL, gets when, since time 0; the world must be timed then. `valuation` is NULL
 * in an untimed world: a formula that compares times may then hold, and counts as holding. */
bool event_happened(struct rational *time, const struct world *world, const struct bound *bound,
                    const struct valuation *valuation, int64_t *bindings);

/* Whether it has happened for any value of the bound's variables; they are left in `bindings`. */
bool event_happened_for_any(const struct world *world, const struct bound *bound,
                            const struct valuation *valuation, int64_t *bindings);

/* Of all values of the bound's variables for which the event has happened, those with the largest
 * excess time - limit (a limit of 0 when the bound has no expression), left in `bindings`; false
 * when it has happened for none. `time` is what the bound limits: since what it counts from. */
bool event_worst(struct rational *time, struct rational *limit, const struct world *world,
                 const struct bound *bound, const struct valuation *valuation, int64_t *bindings);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a bound that counts from a message, `from sent Request(k) ... within E`, says the same of
 * every k. Handle[k] + Handle[k - 1] does: with another k it is about other requests, and nothing
 * else changes. k*Tick and max(0, k - 3) do not: then there is no law of "a request", only one of
 * request k.
 *
 * Adding s to k has to rename the occurrences one to one. So each integer of the expression must
 * grow by c*s for some c that does not depend on k (its pace); indices at one place of a component
 * must have one pace; a range must have one at both ends; and whatever decides how often, how many
 * times or whether something counts must have the pace 0.
 */
#ifndef LANG_ALIKE_H
#define LANG_ALIKE_H

#include "lang/model.h"

/* The first integer of the bound's variables for which it is not so; NULL: it says the same of
 * all. What it says does not count when the expression is asked for (`within ?`): NULL. False
 * alarms are possible: 2*k - k is understood, k*k - k*k is not. */
const struct variable *bound_unlike(const struct bound *bound);

/* Whether index number `position` of the component's occurrences (of a delay or wait: of this
 * message, else NULL) is another one in the bound of another request: in Handle[k] the first. */
bool bound_shifts(const struct bound *bound, const struct component *component,
                  const struct message *message, size_t position);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which actions can matter to whether a bound's event happens, judged by the text: they send a
 * message or assign a state variable that the event, or another action that matters, depends on.
 * Searches try these first; nothing rests on it.
 */
#ifndef SOLVER_SEARCH_RELEVANCE_H
#define SOLVER_SEARCH_RELEVANCE_H

#include "lang/model.h"

/* `relevant` by action id; all true for `bound` NULL. */
void relevance(bool *relevant, const struct model *model, const struct bound *bound);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an action may say that has no C here: each is refused with its place, the reason and what to
 * write instead.
 */
#ifndef GENERATE_REFUSE_H
#define GENERATE_REFUSE_H

#include "generate/plan.h"

void refuse_action(struct plan_context *context, const struct action *action);

#endif

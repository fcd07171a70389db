/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The part of a drafted protocol that takes steps: states, actions, and what is known of them. For
 * the files of trace/draft only.
 */
#ifndef TRACE_DRAFT_ACTIONS_H
#define TRACE_DRAFT_ACTIONS_H

#include "trace/draft/plan.h"

void draft_states(struct text *text, const struct draft_plan *plan);
void draft_actions(struct text *text, const struct draft_plan *plan);

/* What has been sent and charged once a step has taken several answers; all else follows from the
 * text of the protocol. */
void draft_invariants(struct text *text, const struct draft_plan *plan);

#endif

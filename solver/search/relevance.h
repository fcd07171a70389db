/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a question depends on, judged by the text: the messages and state variables that it
 * mentions, and those that actions depend on which send or assign one of these. Searches try the
 * actions that matter first, and proofs leave facts out that are about others; nothing rests on it.
 */
#ifndef SOLVER_SEARCH_RELEVANCE_H
#define SOLVER_SEARCH_RELEVANCE_H

#include "base/arena.h"
#include "lang/model.h"

/* `relevant` by action id: those that can matter to whether the bound's event happens; all true for
 * `bound` NULL. */
void relevance(bool *relevant, const struct model *model, const struct bound *bound);

/* Owns its arrays. */
struct needs {
  const struct model *model; /* borrowed */
  bool *states, *messages;   /* by id: they matter */
  bool *actions;             /* by id: what they depend on does */
  bool but_delays;           /* how long a message takes or waits is no mention of it */
};

void needs_init(struct needs *needs, const struct model *model);
void needs_clear(struct needs *needs);

/* What the term mentions matters; NULL mentions nothing. */
void needs_add_term(struct needs *needs, const struct term *term);

/* What the action depends on matters. */
void needs_add_action(struct needs *needs, const struct action *action);

/* What the action changes matters: what it assigns, sends and receives. */
void needs_add_effects(struct needs *needs, const struct action *action);

/* And what those depend on that bring it about, until there is no more. */
void needs_close(struct needs *needs);

/* Whether the term mentions something that matters. */
bool needs_meet(const struct needs *needs, const struct term *term);

/* Whether all that the term mentions matters, but for variables that nobody declared. */
bool needs_cover(const struct needs *needs, const struct term *term);

/* What the formula says of what matters: it follows from the formula, and may be the formula
 * itself. NULL: it says nothing of that. New terms are in the arena. */
const struct term *needs_part(const struct needs *needs, struct arena *arena,
                              const struct term *formula);

#endif

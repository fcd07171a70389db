/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * That time goes on (lang/model.h): no step that must be taken stands in its way.
 *
 * Two kinds of obligations. PACE: where an action that waits for a message or a timer can be taken
 * but for the pacers of what it sends, these let it send. PROGRESS, of the eager model: at no node
 * do steps that wait for timers, and must be taken at one moment, go on for ever. Why these are
 * enough is said in SOUNDNESS.md.
 *
 * For PROGRESS, take the actions of one role that wait for timers, and their steps that take no
 * time. A rank is an integer of the acting node:
 *
 *   a flag   1 where one of the actions is due by now, as its guards hold and its timer has passed,
 *            and would take no time; else 0
 *   a value  of the node's state: what a guard compares, how many are in a set, how far a range
 *            reaches from which a step chooses, and the like
 *   a timer  of one of them, by how much it has passed: an action falls in it that sets it later.
 *            Times are no integers, but this does not go on for ever either (SOUNDNESS.md)
 *
 * An action falls in a rank if each such step of it makes the rank smaller, from 0 or more; it
 * keeps a rank if none makes it larger. If all actions keep a rank and some fall in it, then those
 * are not taken for ever at one moment. They are left out, and the same is asked of the others,
 * until none is left (a lexicographic ranking function: Alias et al., SAS 2010; that such loops
 * make proofs of safety void: Bowman, Gomez, How to stop time stopping, FAC 2006). Each "falls" and
 * "keeps" is one query; those that the argument uses are the obligations.
 */
#ifndef SOLVER_PROVE_PROGRESS_H
#define SOLVER_PROVE_PROGRESS_H

#include "solver/prove/session.h"

/* Whether a step of the action can take no time and must be taken when it is due: who asks of
 * progress asks of these. */
bool progress_concerns(const struct model *model, const struct action *action);

/* The ranks of all roles, in the proof's arena. */
void progress_find_ranks(struct proof *proof);

/* Settles which queries make the argument: of the sessions' results those of PROGRESS that are not
 * part of it are no longer `open` where it succeeds. Appends to the proof's obligations those that
 * are, and for each role where it fails one that is not proved, with the actions that are left. */
void progress_resolve(struct proof *proof);

/* Whether it is no query of PROGRESS that the argument does without. */
bool progress_is_used(const struct proof *proof, const struct obligation *obligation);

/* "write "when not expired"": what to do about an action that lets no time pass. */
void progress_advise(struct text *text, const struct model *model, const struct action *action);

#endif

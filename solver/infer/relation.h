/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Candidates that relate times with 0 and with each other, without any cost or delay: who is idle
 * when. They decide which clocks start at 0 and which messages never wait.
 *
 *   where an action without a message is enabled, its node has done nothing yet
 *   a node that has not received M has done nothing, or nothing since it sent M'
 *   a node has a message behind it that it received, and nothing behind a message on its way
 *   whoever is in a state (holds a token) has the latest clock
 */
#ifndef SOLVER_INFER_RELATION_H
#define SOLVER_INFER_RELATION_H

#include "solver/infer/term.h"

struct ahead;
struct infer_tick;

struct relation {
  const struct invariant *invariant;
  const struct action *fresh;  /* says: where it is enabled the clock is 0; else NULL */
  const struct action *prompt; /* says: where it is enabled its timer is not over; else NULL */
  const struct message *idle;  /* says: its receiver's clock is no later than it; else NULL */
  const struct message *paced; /* says: who takes it is ready for it no later than its pacer lets it
                                * go, and its delay; else NULL */
  const struct ahead *ahead, *spaced;   /* solver/infer/ahead.h; else NULL */
  const struct infer_tick *late, *soon; /* solver/infer/tick.h; else NULL */
  const struct message *never;          /* says: it is not sent; else NULL */
  const struct term *cost;   /* says: this cost is charged whenever its action is enabled, */
  bool charged;              /* or never; else NULL */
  const struct state *set;   /* says: it has at most `most` members, or: none as long as */
  const struct state *after; /* `after` has none; else NULL */
  const struct term *most;
};
typedef VECTOR(struct relation) relations;

/* Appends a relation with this formula, whose free variables are quantified. */
void relation_add(relations *list, struct term_maker *m, const struct model *model,
                  const struct term *formula, struct relation says);

void relations_make(relations *list, struct term_maker *m, const struct model *model);

/* The guards of an action but for that of its slot, with its node renamed; NULL: none. */
const struct term *action_guard(struct term_maker *m, const struct action *action,
                                const struct term *node);

/* Without what they say of times: when a step starts does not depend on that. */
const struct term *action_untimed_guard(struct term_maker *m, const struct action *action,
                                        const struct term *node);

/* An invariant in the maker's arena. */
const struct invariant *invariant_make(struct term_maker *m, const char *name,
                                       const struct term *formula);

#endif

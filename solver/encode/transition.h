/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One step of an action on a symbolic state, by the timing rules of lang/model.h.
 */
#ifndef SOLVER_ENCODE_TRANSITION_H
#define SOLVER_ENCODE_TRANSITION_H

#include "solver/encode/once.h"
#include "solver/encode/symbolic.h"

struct transition {
  const struct symbolic *before, *after;
  smt_term enabled;           /* all that the step requires of the state before, but for pacers */
  smt_term may_send;          /* that the pacers let it send what it sends; NULL: it sends nothing
                               * that has one */
  smt_term node;              /* who acts */
  smt_term start;             /* when; NULL of a loss */
  smt_term *fields, *choices; /* of the message received; what the step chooses */
  VECTOR(struct once) once;
};

/* `before` is any state. The acting node and the fields become new constants, also in the
 * environment. Charges that cannot repeat because they are numbered by the message received (see
 * charge_follows_message) get no goal. */
void transition_init(struct transition *transition, struct encoder *encoder,
                     const struct action *action, const struct symbolic *before);
void transition_clear(struct transition *transition);

/* Whether every action that charges the component receives the same kind of message and numbers
 * the occurrence by fields that identify the message: a message is received at most once, so such
 * an occurrence is charged at most once. */
bool charge_follows_message(const struct model *model, const struct component *component);

#endif

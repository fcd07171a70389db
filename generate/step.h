/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PROTO_message.h and .c: the kinds of a protocol's messages, and which of what comes over the
 * network is one. PROTO_ROLE_step.h and .c: a message that came to the action that takes it,
 * and the next action that waits for none.
 */
#ifndef GENERATE_STEP_H
#define GENERATE_STEP_H

#include "generate/role.h"

void write_message_header(struct code_writer *w);
void write_message_body(struct code_writer *w);

/* Whether some action of the role takes a message; whether some waits neither for a message nor for
 * a timeout; whether some waits for a timer. */
bool role_receives(const struct plan_role *plan);
bool role_acts(const struct plan_role *plan);
bool role_has_timers(const struct plan_role *plan);
/* Whether several of them are to have their turns (ROLE_act). */
bool role_takes_turns(const struct plan_role *plan);
/* "node_did_Accept": which action a step was. It stays until the arena goes. */
const char *action_number(struct code_writer *w, const struct plan_action *action);
/* enum ROLE_action */
void write_action_numbers(struct code_writer *w);
void write_step_header(struct code_writer *w);
void write_step_body(struct code_writer *w);

/* --- the dispatchers, piece by piece: for step.c, step_turn.c, step_contract.c and
 * loop_cost.c only */

/* ROLE_take: of a message that came. ROLE_act: of what the node does by itself. ROLE_try: of one
 * such action. */
enum dispatcher { DISPATCH_TAKE, DISPATCH_OWN, DISPATCH_TRY };

/* The i-th action of the role if the dispatcher tries it, or NULL. */
const struct plan_action *dispatched(const struct plan_role *plan, enum dispatcher dispatch,
                                     size_t i);
/* Whether one of these is given the time. */
bool dispatch_needs_time(const struct plan_role *plan, enum dispatcher dispatch);

/* That the message is one for the action, and its guard holds: into the line. */
void put_dispatched_when(struct code_writer *w, const struct plan_action *action);
/* "(action == node_did_Accept && CONDITION) || ...", of all that ROLE_try may be asked for. */
typedef void put_condition(struct code_writer *w, const struct plan_action *action);
void put_asked_for(struct code_writer *w, put_condition *condition);
/* What the message gives an argument of the action: into the line. */
void put_field_argument(struct code_writer *w, const struct plan_action *action, size_t argument);

/* "(self, params, i, now, m->field[1])"; "self, params, i, now" as parameters or arguments. */
void put_call_arguments(struct code_writer *w, const struct plan_action *action, bool logic);
void put_common(struct code_writer *w, enum dispatcher dispatch, const char *self,
                const char *params, const char *integer, const char *clock);

/* step_turn.c: ROLE_ACTION_ready, whether an action is enabled; that it is: into the line. */
void write_question(struct code_writer *w, const struct plan_action *action);
void put_asking(struct code_writer *w, const struct plan_action *action);
/* ROLE_ACTION_ready of all that ROLE_act may take, ROLE_ready, and what is in ROLE_act. */
void write_questions(struct code_writer *w);
void write_turns(struct code_writer *w);

void write_dispatch_contract(struct code_writer *w, enum dispatcher dispatch);

#endif

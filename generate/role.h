/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The two files of a role, PROTO_ROLE.h and PROTO_ROLE.c, piece by piece.
 */
#ifndef GENERATE_ROLE_H
#define GENERATE_ROLE_H

#include "generate/write.h"

void write_role_header(struct code_writer *w);
void write_role_body(struct code_writer *w);
void write_role_template(struct code_writer *w); /* bodies to be written */

/* PROTO_ROLE_own.h and PROTO_ROLE_own.acsl, to be written: what a state has beside the variables of
 * the protocol, and what is always true of it. */
void write_own_state(struct code_writer *w);
void write_own_predicate(struct code_writer *w);

/* The name of a slot of the sends: "Reply", "Reply_2". It stays until the arena goes. */
const char *send_name(struct code_writer *w, const struct plan_message *send);
const struct effect_send *send_of(const struct plan_action *action,
                                  const struct statement *statement);
const struct plan_message *plan_of(const struct code_writer *w, const struct effect_send *send);

/* Whether a field of the message is a member of the sends: not the varying one, and not the sender,
 * who knows. */
bool send_has_field(const struct plan_message *send, size_t field);
/* Whether the receiver is one: a node of a family that no field names. */
bool send_has_to(const struct plan_message *send);

/* The member that is the receiver: "to", unless a field is called that. */
const char *receiver_name(const struct plan_message *send);

bool role_is_family(const struct code_writer *w);
bool role_has_state(const struct code_writer *w);
bool role_has_map(const struct code_writer *w);
bool role_sends(const struct code_writer *w);
bool role_has_own(const struct code_writer *w); /* a part of the state that is the user's */

/* "requires own: ..." where the state has a part that is the user's. */
void write_own_clause(struct code_writer *w, const char *keyword, bool *begun);

/* The parts of an action that more than one printer needs. */
bool action_may_be_disabled(const struct plan_action *action);
bool action_may_not_fit(const struct plan_action *action);

/* "enum tp_verdict node_Accept(struct node *self, ...)" into the line. */
void put_signature(struct code_writer *w, const struct plan_action *action);
/* "static bool node_Accept_ready(const struct node *self, ...)": whether its guard holds. */
void put_question(struct code_writer *w, const struct plan_action *action);
void put_init_signature(struct code_writer *w);
/* Its arguments but `out`: "self, params, i, e", and the same with logic types. */
void put_logic_arguments(struct code_writer *w, const struct plan_action *action);
void put_logic_parameters(struct code_writer *w, const struct plan_action *action);

/* What is sent is nothing, until a statement sends something. */
void write_send_nothing(struct code_writer *w);

/* A guard that holds: "self->held && e > self->epoch", into the line. */
void put_guard(struct code_writer *w, const struct action *action);

/* "(void)params, (void)i" of the arguments that the body does not mention, and the end of that. */
void put_unused(struct code_writer *w, const char *body, const char *name);
void end_unused(struct code_writer *w);
/* The same of all but `out`, in front of the body. */
void write_unused(struct code_writer *w, const struct plan_action *action, const char *body);

/* contract.c: the predicates of an action, and its contract. */
void write_predicates(struct code_writer *w, const struct plan_action *action);
void write_contract(struct code_writer *w, const struct plan_action *action);
void write_init_contract(struct code_writer *w);
/* ROLE_ACTION_step{K, L}: the whole step as a relation between two states. */
void write_step_predicate(struct code_writer *w, const struct plan_action *action);
/* ROLE_same{K, L}: the state has not changed. */
void write_same(struct code_writer *w);

/* That what a message sends can be encoded; true when something was put. */
bool put_send_valid(struct code_writer *w, const struct plan_message *send, bool more);

/* Parts of contracts. A clause is what is in the line; the first of a contract opens it. */
void end_clause(struct code_writer *w, bool *begun);
/* State and sends are valid. */
void write_valid_after(struct code_writer *w, const struct plan_action *action, bool *begun);
/* What an action's function may rely on besides its storage. */
void write_given(struct code_writer *w, const struct plan_action *action, bool *begun);
/* A clause for each variable that may change and each message. */
void write_effects(struct code_writer *w, const struct plan_action *action, bool *begun);
/* What of a state variable may change: "self->x", "self->map[key]", "self->map[0 .. TP_NODES - 1]";
 * and the same as it is after the step. The one key at which a map changes; NULL: there are
 * several, or none. */
void put_changed(struct code_writer *w, const struct plan_action *action,
                 const struct state *state);
const char *changed_now(struct code_writer *w, const struct plan_action *action,
                        const struct state *state);
const struct term *only_key(const struct state *map, const struct term *element);

/* LHS has the value: conditions split a clause into several. */
void put_equation(struct code_writer *w, const struct type *type, const char *place,
                  const struct term *value, bool behind_arrow);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PROTO_ROLE_loop.h and .c: a role as the loop around it knows it (steps/loop/tp_loop.h), its names
 * as `replay` does. PROTO_ROLE_main.c: a node's program.
 */
#ifndef GENERATE_LOOP_H
#define GENERATE_LOOP_H

#include "generate/role.h"

/* loop_kind.c: kinds of messages as the loop knows them, with the order in which they are taken.
 * Whether a kind is recorded with its receiver, a node of a family that no field names. */
bool names_receiver(const struct message *message);
/* How many priorities there are among the messages of a role, beside 0. */
size_t role_priorities(const struct model *model, const struct role *role);
void write_kind_table(struct code_writer *w);
/* Messages of one step leave in the order of the role's sends; on a FIFO channel that has to be
 * the order of the action's statements. */
void refuse_order(struct plan_context *context, const struct plan_role *plan,
                  const struct plan_action *action);

/* Refuses what a loop cannot do or record. */
void refuse_loop(struct code_writer *w);

/* "if (...)" over the guards of an action, if it has some. */
void put_guards(struct code_writer *w, const struct action *action, size_t indent);

/* loop_rest.c: actions that come when the node has rested (on timeouts, at any time, idle slots),
 * and limits on arrivals, which such actions keep. */
bool rests(const struct action *action);
bool role_rests(const struct plan_role *plan);
/* Whether the role's sending of a message has a limit; whether that of some message. */
bool is_limited(const struct plan_role *plan, const struct message *message);
bool role_is_limited(const struct plan_role *plan);
void refuse_limited(struct plan_context *context, const struct plan_role *plan,
                    const struct plan_action *action);
/* The member of struct ROLE_node that says how long the node rests (NULL: it does not), and what
 * --set calls it; whether the action is the first of its role with this one. */
const char *rest_member(struct code_writer *w, const struct action *action);
const char *rest_name(const struct model *model, const struct action *action);
bool is_first_rest(const struct model *model, const struct action *action);
void write_rest_members(struct code_writer *w);
/* rests(), wake() and pass() */
void write_resting(struct code_writer *w);
/* limit_M() of a message with a pacer: what that lets one be too early. */
void write_pacer(struct code_writer *w, const struct message *message);

/* loop_hold.c: messages that wait for their pacer. Whether the role sends such a message; or any.
 */
bool is_held(const struct plan_role *plan, const struct message *message);
bool role_holds(const struct plan_role *plan);
void write_hold_members(struct code_writer *w);
void write_release(struct code_writer *w); /* release() */

/* loop_cost.c: steps whose cost is several components, or one that is not always charged. */
enum { COST_PARTS_MOST = 136 }; /* TP_PARTS */
enum { ARGUMENTS_MOST = 7 };    /* TAILPROOF_ARGUMENTS */
bool has_parts(const struct action *action);
bool role_has_parts(const struct plan_role *plan);
/* Whether an action that takes a message has (or, of the node's own). */
bool dispatch_has_parts(const struct plan_role *plan, bool messages);
void refuse_parts(struct plan_context *context, const struct action *action);
/* The names of the components that are parts; how many. */
size_t write_part_names(struct code_writer *w);
/* charge(), which says what a step charges. */
void write_parts(struct code_writer *w);

void write_loop_header(struct code_writer *w);
void write_loop_body(struct code_writer *w);
void write_main(struct code_writer *w);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PROTO_ROLE_loop.h and .c: a role as the loop around it knows it (steps/loop/tp_loop.h), its names
 * as `replay` does. PROTO_ROLE_main.c: a node's program.
 */
#ifndef GENERATE_LOOP_H
#define GENERATE_LOOP_H

#include "generate/role.h"

/* Whether the message is recorded with its receiver, a node of a family that no field names. */
bool names_receiver(const struct message *message);

/* Refuses what a loop cannot do or record. */
void refuse_loop(struct code_writer *w);

/* loop_cost.c: steps whose cost is several components, or one that is not always charged. */
enum { COST_PARTS_MOST = 8 }; /* TP_PARTS */
enum { ARGUMENTS_MOST = 7 };  /* TAILPROOF_ARGUMENTS */
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

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
 * a time. */
bool role_receives(const struct plan_role *plan);
bool role_acts(const struct plan_role *plan);
/* "node_did_Accept": which action a step was. It stays until the arena goes. */
const char *action_number(struct code_writer *w, const struct plan_action *action);
void write_step_header(struct code_writer *w);
void write_step_body(struct code_writer *w);

#endif

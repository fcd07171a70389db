/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PROTO_message.h and .c: the kinds of a protocol's messages, and which of what comes over the
 * network is one. PROTO_ROLE_step.h and .c: a message that came to the action that takes it.
 */
#ifndef GENERATE_STEP_H
#define GENERATE_STEP_H

#include "generate/role.h"

void write_message_header(struct code_writer *w);
void write_message_body(struct code_writer *w);

/* Whether some action of the role takes a message. */
bool role_receives(const struct plan_role *plan);
void write_step_header(struct code_writer *w);
void write_step_body(struct code_writer *w);

#endif

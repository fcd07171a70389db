/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PROTO_ROLE_loop.h and .c: a role as the loop around it knows it (steps/loop/tp_loop.h), its names
 * as `replay` does. PROTO_ROLE_main.c: a node's program.
 */
#ifndef GENERATE_LOOP_H
#define GENERATE_LOOP_H

#include "generate/role.h"

/* Refuses what a loop cannot do or record. */
void refuse_loop(struct code_writer *w);

void write_loop_header(struct code_writer *w);
void write_loop_body(struct code_writer *w);
void write_main(struct code_writer *w);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PROTO.h: what all roles of a protocol share: its parameters, how many nodes there are, its
 * enumerations.
 */
#ifndef GENERATE_PROTOCOL_H
#define GENERATE_PROTOCOL_H

#include "generate/write.h"

void write_protocol(struct code_writer *w);

/* Whether the formula is about parameters alone, not about how long steps take. */
bool is_of_parameters(const struct term *term);

#endif

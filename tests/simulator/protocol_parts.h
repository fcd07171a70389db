/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of which plan_write makes a file. */
#ifndef TESTS_SIMULATOR_PROTOCOL_PARTS_H
#define TESTS_SIMULATOR_PROTOCOL_PARTS_H

#include "tests/simulator/protocol.h"

/* The time up to the sending of M<hops>, without the term `drop`; `bare`: with bare names for the
 * messages' delays and waits. */
void plan_way(struct text *out, const struct plan *plan, size_t hops, int drop, bool bare);

/* What the server's own work takes, its gate's and the other; from when it can begin. */
void plan_own_work(struct text *out, const struct hop *hop, size_t k, bool opened, bool busied);

/* Whether M<k> is sent in every execution, and in time. */
bool plan_is_certain(const struct plan *plan, size_t k);

/* Known from arrivals, what is due is done behind the server's own step. */
bool plan_comes_second(const struct plan *plan, const struct hop *hop);

/* protocol_family.c: of the hop k that goes to all of w and of what answers it, "v" or "w" or
 * "u". */
const char *family_name(const struct hop *hop); /* of who answers */
void family_roles(struct text *out, const struct plan *plan);
void family_messages(struct text *out, const struct plan *plan, size_t k, const char *from);
void family_actions(struct text *out, const struct hop *hop, size_t k);
void family_invariants(struct text *out, const struct plan *plan, size_t k);
/* From the sending of the message to the delivery of the answer of x, one of w, or of all of x, one
 * of u. */
void family_way(struct text *out, const struct hop *hop, size_t k, bool waits);

void plan_actions(struct text *out, const struct plan *plan);
void plan_claims(struct text *out, const struct plan *plan); /* invariants and bounds */

/* protocol_stream.c */
void stream_draw(struct stream *stream, struct random *random);
void stream_write(struct text *out, const struct stream *stream);

#endif

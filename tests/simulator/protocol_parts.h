/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of which plan_write makes a file. */
#ifndef TESTS_SIMULATOR_PROTOCOL_PARTS_H
#define TESTS_SIMULATOR_PROTOCOL_PARTS_H

#include "tests/simulator/protocol.h"

/* A time in an invariant, in a bound, or in a bound in bare names. */
enum way { WAY_KNOWN, WAY_BOUND, WAY_BARE };

/* The time up to the sending of M<hops>, without the term `drop`. Where the start is at any time, a
 * bound counts from the sending of M0. */
void plan_way(struct text *out, const struct plan *plan, size_t hops, int drop, enum way way);

/* What the server's own work takes, its gate's and the other; from when it can begin. */
void plan_own_work(struct text *out, const struct hop *hop, size_t k, bool opened, bool busied);

/* Whether M<k> is sent in every execution, and in time. */
bool plan_is_certain(const struct plan *plan, size_t k);

/* How long the message of a hop with rivals waits for its server, of whose steps of its own it is
 * said that one may be taken before (`other`). */
void plan_rival_wait(struct text *out, const struct hop *hop, size_t k, bool other);

/* Known from arrivals, what is due is done behind the server's own step. */
bool plan_comes_second(const struct plan *plan, const struct hop *hop);

/* In an invariant: the time up to when the server s<k> has taken M<k>, and asks one of w. */
void plan_way_asked(struct text *out, const struct plan *plan, size_t k);

/* Whether M<k> is sent in copies: then it has their number as its field. */
bool plan_copies(const struct plan *plan, size_t k);

/* "received M<k>", or that the server has taken one of its copies. */
void plan_taken(struct text *out, const struct plan *plan, size_t k);

/* What the bounds count from where the start is at any time, "from sent M0 "; else nothing. */
void plan_from(struct text *out, const struct plan *plan);

/* protocol_family.c: of the hop k that is about w, and of what answers it. */
const char *family_asked(const struct hop *hop);   /* whom the message goes to, "w" or "u" */
const char *family_answers(const struct hop *hop); /* by whom the answers are told apart */
const char *family_size(const struct hop *hop);    /* how many those are */
bool family_has_groups(const struct hop *hop);
void family_roles(struct text *out, const struct plan *plan);
void family_components(struct text *out, const struct hop *hop);
void family_messages(struct text *out, const struct plan *plan, size_t k, const char *from);
void family_states(struct text *out, const struct hop *hop);
void family_actions(struct text *out, const struct hop *hop, size_t k);
/* From the sending of the message to the delivery of the answer of x. */
void family_way(struct text *out, const struct hop *hop, size_t k, bool waits);
void family_bare_way(struct text *out, const struct hop *hop, bool waits); /* in bare names */

/* protocol_known.c: what is known of the family's messages. */
void family_invariants(struct text *out, const struct plan *plan, size_t k);

void plan_actions(struct text *out, const struct plan *plan);
void plan_claims(struct text *out, const struct plan *plan); /* invariants and bounds */

/* protocol_restless.c */
void restless_draw(struct plan *plan, struct random *random);
void restless_write(struct text *out, const struct plan *plan);

/* protocol_stream.c */
void stream_draw(struct stream *stream, struct random *random);
void stream_write(struct text *out, const struct stream *stream);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Our own stores (measure/core/format.h). The stores of a folder are one run, and an instance
 * number of it other than 0 is a request. Its root is what was recorded as a request, or else lasts
 * from its first moment to its last. Below it stand, each as a call of its own,
 *
 *   - the steps of all nodes, as NODE/ROLE.Action, and in them the components recorded within;
 *   - the messages, of the receiver: NODE/d.Request, or, where waits are recorded, NODE/Request
 * with its delay d.Request and its wait Queuing.Request below it; "Ack from backup[2]" where
 * several nodes have the sender's role.
 *
 * That a step waits for a message, and that for the step that sent it, is not in the spans but in
 * their order, which is the same in every request. Private to trace/span.
 */
#ifndef TRACE_SPAN_TPS_H
#define TRACE_SPAN_TPS_H

#include "trace/span/intake.h"

struct tps;

struct tps *tps_new(struct intake *intake);
void tps_free(struct tps *tps); /* NULL is accepted */

/* Reads a store. */
enum status tps_read(struct tps *tps, const char *path);

/* The file beside stores that says how many requests could not be paired
 * (measure/outside/left_over.h). */
#define TPS_LEFT_OVER "left_over"

/* Gives the requests of all stores to the intake. */
enum status tps_finish(struct tps *tps);

#endif

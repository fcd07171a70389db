/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Commands to Redis, or to another server of its protocol, for dispatch.h.
 *
 * All go over one connection, in the order they are due, and none waits for the answers before it:
 * a slot is a command under way. After the connection was lost the next command opens another.
 */
#ifndef MEASURE_LOAD_REDIS_H
#define MEASURE_LOAD_REDIS_H

#include "measure/load/dispatch.h"

struct redis_carrier;

/* Whether it is an address that this carrier takes: redis://HOST[:PORT][/]. */
bool redis_is_address(const char *text);

/* `command`: words with blanks between, such as "SET key:# x"; '#' stands for the request's number.
 * Finds the host. NULL after a line in `message`: the address is not one, or there is no word
 * (*status USAGE), or the host is not known (UNAVAILABLE). `url` and `command` outlive it. */
struct redis_carrier *redis_carrier_new(enum status *status, const char *url, const char *command,
                                        struct text *message);
struct carrier redis_carrier(struct redis_carrier *redis);
size_t redis_opened(const struct redis_carrier *redis); /* connections, over time */
void redis_carrier_free(struct redis_carrier *redis);

#endif

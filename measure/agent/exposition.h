/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The agent's metrics over HTTP, from the agent's own thread: GET /metrics, and with
 * ?name[]=METRIC and peer=NAME (each may be left out; name[] repeated) only these. A page is sent
 * in parts, so that no question waits for a whole one; each histogram is of one moment, the page
 * need not be. exposition.c is the only file that knows the HTTP library.
 */
#ifndef MEASURE_AGENT_EXPOSITION_H
#define MEASURE_AGENT_EXPOSITION_H

#include "base/text.h"
#include "measure/agent/page.h"

enum { EXPOSITION_CONNECTIONS = 60, EXPOSITION_PER_ADDRESS = 8 };
#define EXPOSITION_REQUEST_NS UINT64_C(20000000000)

struct exposition;

/* Serves on a listening socket, which it owns from then on, also when it fails: NULL then, and
 * `message` says why. `source` must outlive it. */
struct exposition *exposition_open(int listener, const struct page_source *source,
                                   struct text *message);
void exposition_close(struct exposition *exposition); /* NULL is accepted */

/* To be watched for reading. */
int exposition_descriptor(const struct exposition *exposition);

/* Does what there is to do, without waiting, at that reading of the agent's clock; true when it is
 * to be called again at once. A request that is not through after EXPOSITION_REQUEST_NS is cut off.
 * Of one address at most EXPOSITION_PER_ADDRESS connections are kept, and EXPOSITION_CONNECTIONS of
 * all: where another one comes, the one whose request began first is cut off. So slow clients
 * take the place of their own, and of others only together. */
bool exposition_run(struct exposition *exposition, uint64_t now_ns);

#endif

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

struct exposition;

/* Serves on a listening socket, which it owns from then on, also when it fails: NULL then, and
 * `message` says why. `source` must outlive it. */
struct exposition *exposition_open(int listener, const struct page_source *source,
                                   struct text *message);
void exposition_close(struct exposition *exposition); /* NULL is accepted */

/* To be watched for reading. */
int exposition_descriptor(const struct exposition *exposition);

/* Does what there is to do, without waiting; true when it is to be called again at once. */
bool exposition_run(struct exposition *exposition);

#endif

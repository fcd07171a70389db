/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the latencies would have been without some causes (causes.h): the loop is replayed once for
 * each set of causes, and the result is kept. Private to causes.c.
 */
#ifndef TRACE_LOOP_WITHOUT_H
#define TRACE_LOOP_WITHOUT_H

#include "trace/loop/causes.h"

/* Makes the replay of each route's causes. More sets than there is time for are not replayed: their
 * parts are taken away from the latency instead. */
void loop_without_make(struct loop_causes *causes);
void loop_without_clear(struct loop_causes *causes);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why the recording of an event loop stopped before the program did, in words: a number of the
 * system's (ENOSPC), or that the recorder itself failed.
 */
#ifndef TRACE_EVENT_STOPPED_H
#define TRACE_EVENT_STOPPED_H

#include <stdint.h>

enum { NODE_ERRNO_MOST = 4095 }; /* what is greater is no number of the system's */

/* "No space left on device; make room, ...": the reason, and what to do. `why` is not 0. The text
 * is the caller's to read until the next call. */
const char *node_stopped_reason(uint32_t why);
const char *node_stopped_remedy(uint32_t why);

#endif

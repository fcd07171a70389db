/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which part of a JavaScript runtime (V8) a stack is in, by the names of its frames. Any frame in
 * the collector makes it collection; else any in a compiler compilation; else any that handles
 * misses of inline caches that; else JavaScript where the innermost frame was compiled at run time
 * or is a built-in of it; else native.
 */
#ifndef TRACE_HOT_RUNTIME_H
#define TRACE_HOT_RUNTIME_H

#include "trace/hot/judge.h"

/* By node; owned by the caller. *runtime: whether it is V8 at all. */
uint8_t *hot_runtime_of_nodes(const struct stack_profile *profile, bool *runtime);

/* "garbage collection", "compilation", "inline caches", "JavaScript", "native" */
const char *hot_runtime_name(enum hot_runtime part);

#endif

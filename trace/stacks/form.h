/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a file is that no reader of profiles reads, so that it is refused by its name; private to
 * trace/stacks.
 */
#ifndef TRACE_STACKS_FORM_H
#define TRACE_STACKS_FORM_H

#include "base/slice.h"

/* "is perf's own file; print it with `perf script`", by the first bytes of the file; NULL: it may
 * be a profile. */
const char *stack_form_foreign(struct slice ahead);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words that several formats have in common; private to trace/span.
 */
#ifndef TRACE_SPAN_KIND_H
#define TRACE_SPAN_KIND_H

#include <stdint.h>

#include "base/slice.h"
#include "trace/span/store.h"

/* "server", "SERVER", "SPAN_KIND_SERVER" or OTLP's number 2; else SPAN_UNKNOWN. */
enum span_kind kind_of_word(struct slice word);

/* "ERROR", "STATUS_CODE_ERROR" or OTLP's number 2; else SPAN_UNSET. */
enum span_status status_of_word(struct slice word);

/* How well the tag of a process says on which machine it runs, and so by which clock: 0, not at
 * all. */
uint8_t kind_instance_rank(struct slice key);

#endif

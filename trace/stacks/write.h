/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles as other tools read them. What is written depends on the stacks and their weights alone,
 * not on the order in which they were added. Names come from foreign programs: each writer escapes
 * what its form needs, and bytes that are no UTF-8 become U+FFFD where the form wants UTF-8.
 */
#ifndef TRACE_STACKS_WRITE_H
#define TRACE_STACKS_WRITE_H

#include <stdbool.h>

#include "base/text.h"
#include "trace/stacks/profile.h"

/* Folded stacks, sorted by their bytes: `outer;inner COUNT`. `marks` as stack_frame_text. What the
 * numbers are is in none of them: stack_unit_write (trace/stacks/unit.h) says it before them. */
void stack_write_folded(const struct stack_profile *profile, bool marks, struct text *text);

/* A profile of google/pprof, not compressed (trace/stacks/pprof.h); what Tailproof reads back is
 * the same profile, moments and threads of samples included. */
void stack_write_pprof(const struct stack_profile *profile, struct text *out);

/* JSON of speedscope (https://www.speedscope.app/file-format-schema.json): one profile of weighted
 * stacks called `name`. Behind the exporter's name stands what stack_unit_write says. */
void stack_write_speedscope(const struct stack_profile *profile, const char *name,
                            struct text *out);

/* Names in metrics are no longer: of longer ones the beginning and a number made of all of it. */
#define STACK_METRIC_NAME_MAX 120

/* Text of Prometheus (exposition format 0.0.4): of the `top` functions with the most weight of
 * their own, each with its share and the share's 99 % interval, and of all others together. As many
 * lines as asked for, whatever runs; a function has the same name on every machine. */
void stack_write_prometheus(const struct stack_profile *profile, size_t top, struct text *out);

#endif

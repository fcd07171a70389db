/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The readers of the several forms of profiles; private to trace/stacks. Each adds what it finds to
 * an initialised profile, as stack_profile_read says.
 */
#ifndef TRACE_STACKS_READERS_H
#define TRACE_STACKS_READERS_H

#include "trace/stacks/lines.h"
#include "trace/stacks/read.h"

/* The longest file that is read whole. */
#define STACK_MOST_BYTES ((size_t)1 << 30)

/* What a reader works with. */
struct stack_intake {
  struct stack_profile *profile;
  const struct stack_reading *reading;
  struct stack_lines *lines;
  struct text *message;
};

enum status stack_read_folded(struct stack_intake *intake);
enum status stack_read_perf(struct stack_intake *intake);
enum status stack_read_pprof(struct stack_intake *intake);
enum status stack_read_speedscope(struct stack_intake *intake);
enum status stack_read_cpuprofile(struct stack_intake *intake);
enum status stack_read_stackprof(struct stack_intake *intake);
enum status stack_read_jfr_text(struct stack_intake *intake);

/* Says FILE:LINE: what, of the line taken last. Returns STATUS_DATA. */
enum status stack_intake_fail(struct stack_intake *intake, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A number of decimal digits and nothing else, below 2^64. */
bool stack_number(struct slice digits, uint64_t *number);

/* The stack and the number of a folded line: what stands before and behind its last space. False:
 * the latter is no decimal number. */
bool stack_folded_split(struct slice line, struct slice *stack, struct slice *number);

/* A number without a unit as `reading.weight` says: of a time, in ns. Fails where it does not fit. */
enum status stack_intake_weigh(struct stack_intake *intake, uint64_t *number);

#define STACK_UNIT_DIFFERS                                                                         \
  "its numbers are no numbers of samples, as those before are; say what they are: --weight ns"

#endif

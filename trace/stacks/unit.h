/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the weights of a profile are: samples, time, periods of an event, or nobody knows.
 *
 * Folded text has numbers and no unit: stackcollapse-perf.pl writes periods, others ns, us or
 * samples. Numbers that all are multiples of one, or that add up to more than TAKEN_MOST, are no
 * numbers of samples; what they are has to be said. Of smaller ones it is an assumption that they
 * are. Our own folded text says it in a comment, which flamegraph.pl, inferno and speedscope leave
 * out, as it does not end in a space and a number:
 *
 *     # unit=ns samples=416 heaviest=40404040 rate=0 event=cpu-clock
 *     # unit=periods event=alloc_space measure=bytes
 */
#ifndef TRACE_STACKS_UNIT_H
#define TRACE_STACKS_UNIT_H

#include <stdbool.h>

#include "base/slice.h"
#include "base/text.h"
#include "trace/stacks/profile.h"

/* What a user says of folded text that does not say it itself. */
struct stack_weight {
  bool said;
  bool time;         /* the numbers are times of `multiply` ns each, else: */
  uint64_t multiply; /* what makes ns of a number */
  uint64_t sample;   /* what one sample weighs */
};

/* "samples", "ns", "us", "ms", "s", or the weight of one sample, a whole number from 1. */
bool stack_weight_parse(struct stack_weight *weight, const char *text);

/* Appends "samples", "ns of processor time", "ns of wall", "cycles", "events" ... */
void stack_unit_append(struct text *text, const struct stack_profile *profile);

/* Of ns: whether they are of processor time, by the name of the clock or without any. */
bool stack_unit_is_processor_time(const struct stack_profile *profile);

/* Of ns: "cpu" for processor time, else the name of what they are of. */
const char *stack_unit_time(const struct stack_profile *profile);

/* Whether a sample is a wait, and weighs the ns that it took (profile --off-cpu). */
bool stack_unit_is_waiting(const struct stack_profile *profile);

/* Of waits: whether a node is of threads that could have gone on, and had no processor. */
bool stack_unit_is_preempted(const struct stack_profile *profile, uint32_t node);

/* Whether weights of both may be added: of one unit, and of one event where that matters. Those
 * that nobody knows the unit of are alike. */
bool stack_unit_same(const struct stack_profile *a, const struct stack_profile *b);

/* The comment before our folded text, a line. */
void stack_unit_write(const struct stack_profile *profile, struct text *text);

/* What such a comment says. */
struct stack_unit_line {
  enum stack_unit unit;
  uint64_t samples, heaviest, lost, throttled, pruned, unseen; /* 0: not said */
  uint32_t rate;
  bool assumed, torn;
  struct slice event, measure; /* empty: not said */
};

/* False where the line is no such comment. */
bool stack_unit_read(struct stack_unit_line *said, struct slice line);

/* The numbers of one file of folded text. */
struct stack_numbers {
  uint64_t stacks; /* lines with a number above 0 */
  uint64_t divisor, total;
};

void stack_numbers_add(struct stack_numbers *numbers, uint64_t number);

enum stack_numbers_kind {
  NUMBERS_OF_SAMPLES, /* nothing speaks against it */
  NUMBERS_DOUBTFUL,   /* all are multiples of one, which may be chance: they are few */
  NUMBERS_OF_OTHER,   /* these are no numbers of samples */
};

/* What the numbers are by what the user says, or by themselves. */
struct stack_unit_line stack_numbers_say(const struct stack_numbers *numbers,
                                         const struct stack_weight *weight);

/* Gives a profile the unit of what was added to it last; `before` was the weight in it before. The
 * number of samples is that of all, or not known. False, and nothing changed, of another unit. */
bool stack_unit_take(struct stack_profile *profile, const struct stack_unit_line *said,
                     uint64_t before);

/* Samples have a common divisor of g or more with a chance of about g^-k for k stacks; below 1/1000
 * it is none. */
enum stack_numbers_kind stack_numbers_judge(const struct stack_numbers *numbers);

#endif

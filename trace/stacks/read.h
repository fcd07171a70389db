/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of sampled stacks, told apart by what is in them; gzip is expanded:
 *
 *     folded       main;work;hash 3                      a line a stack, outermost function first;
 *                                                        what numbers are: trace/stacks/unit.h
 *     perf script  the text that `perf script` prints    a sample a paragraph, innermost first
 *     pprof        profile.proto of google/pprof         with the moments of samples in labels
 *     .tpp         what `tailproof profile` keeps        trace/stacks/tpp.h
 *     speedscope   its JSON, sampled and evented
 *     .cpuprofile  of V8: Node.js, Chrome
 *     stackprof    of Ruby, as JSON
 *     jfr print    its text, of a recording of Java
 *
 * A recording of perf (perf.data) or of Java (.jfr) is printed by `perf script` or `jfr print`, where
 * those are installed.
 */
#ifndef TRACE_STACKS_READ_H
#define TRACE_STACKS_READ_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"
#include "trace/stacks/profile.h"
#include "trace/stacks/unit.h"

/* What the outermost frame of a stack from `perf script` says. */
enum stack_first {
  STACK_FIRST_COMMAND, /* java */
  STACK_FIRST_PROCESS, /* java-3236, `?` for a process that is not known */
  STACK_FIRST_THREAD,  /* java-3236/3244 */
};

struct stack_known; /* trace/stacks/known.h */
struct phases;      /* measure/profile/phases.h */

struct stack_reading {
  enum stack_first first;
  /* Of text of `perf script` the event, of pprof the type of the value, of speedscope the profile
   * that counts, where there are several; NULL: not said. */
  const char *event;
  bool addresses;             /* frames without a symbol keep their address */
  bool signatures;            /* functions of C++ in text of `perf script` keep their parameters */
  struct stack_weight weight; /* what numbers of folded text are, where it does not say it */
  /* Stacks of folded files that were added to the same profile before; NULL: none are kept. */
  struct stack_known *known;
  /* Where the rate changed and the profile is empty: the phases of its samples, for
   * stack_profile_pool. NULL: not asked for. */
  struct phases *phases;
  /* Of files in other forms, and of folded text that says what its numbers are, nothing is read:
   * STATUS_UNKNOWN without a message. */
  bool folded_only;
};

enum stack_format {
  STACK_FOLDED,
  STACK_PERF,
  STACK_PPROF,
  STACK_TPP,
  STACK_SPEEDSCOPE,
  STACK_CPUPROFILE,
  STACK_STACKPROF,
  STACK_JFR_TEXT,
  STACK_PRINTED, /* perf.data, .jfr: what another program prints of it is read */
};

/* Adds what a file holds to an initialised profile; "-" is standard input, and `reading` NULL takes
 * everything as it is. Several files may be added one after another: `unit` and `event` are those
 * of the first that says them. STATUS_NO_INPUT: missing; STATUS_DATA: not such a file, or broken;
 * `message` then has one line that names the file, the place and the remedy, and the profile holds
 * some of the file. */
enum status stack_profile_read(struct stack_profile *profile, const char *path,
                               const struct stack_reading *reading, struct text *message);

/* The same of bytes in memory that are not compressed; `name` is for messages. */
enum status stack_profile_read_bytes(struct stack_profile *profile, struct slice bytes,
                                     const char *name, const struct stack_reading *reading,
                                     struct text *message);

/* Whether a file looks like a profile rather than any other file that Tailproof reads: folded
 * stacks count when one of the first has a semicolon. */
bool stack_profile_is(const char *path);

#endif

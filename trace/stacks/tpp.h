/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tailproof's own file of sampled stacks (measure/profile/tpp_format.h), read. A file whose writer
 * was killed is read up to where it ends; functions that it does not name yet are named from the
 * programs, where they are still those that were sampled.
 */
#ifndef TRACE_STACKS_TPP_H
#define TRACE_STACKS_TPP_H

#include <stdbool.h>

#include "base/slice.h"
#include "base/status.h"
#include "base/text.h"
#include "measure/profile/phases.h"
#include "measure/profile/tpp_format.h"
#include "trace/stacks/profile.h"

/* What a file says beside its stacks. */
struct stack_recording {
  unsigned rate;           /* samples wanted for a second of processor time */
  uint64_t processor_time; /* ns that the sampled threads used; 0: not known */
  uint64_t cut;            /* weight of stacks whose outermost callers are not known */
  bool user_only;          /* the kernel was left out */
  bool whole;              /* ended in order */
  int64_t calendar;        /* start in ns since 1970 */
  struct tpp_waits waits;  /* of a file of waits */
};

/* Whether bytes begin such a file; the first 16 are enough. */
bool stack_is_tpp(struct slice bytes);

/* Adds a file's stacks to an initialised profile; *recording (or NULL) is what it says. `name` is
 * for messages. STATUS_DATA, with a line in `message`, where the bytes are no such file. */
enum status stack_read_tpp(struct stack_profile *profile, struct stack_recording *recording,
                           struct slice bytes, const char *name, struct text *message);

/* The same, without what the file says beside; *phases (NULL: not asked for) becomes the phases of
 * its samples, none where the rate did not change or the profile was not empty. The caller clears
 * them. */
enum status stack_read_tpp_phases(struct stack_profile *profile, struct phases *phases,
                                  struct slice bytes, const char *name, struct text *message);

#endif

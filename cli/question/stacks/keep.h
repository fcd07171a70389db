/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A profile as a file, in the form that its name says.
 */
#ifndef CLI_QUESTION_STACKS_KEEP_H
#define CLI_QUESTION_STACKS_KEEP_H

#include "base/status.h"
#include "base/text.h"
#include "trace/stacks/profile.h"

/* NAME.pb.gz and NAME.pb: pprof; others: folded stacks, compressed where the name ends in .gz.
 * STATUS_INTERNAL with `message` when it cannot be written. */
enum status stacks_keep(const struct stack_profile *profile, const char *path,
                        struct text *message);

#endif

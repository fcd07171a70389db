/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a summary counts all shards that it should, as they are now.
 */
#ifndef CLI_QUESTION_FOLD_EXPECT_H
#define CLI_QUESTION_FOLD_EXPECT_H

#include "base/asker.h"
#include "cli/question/setting.h"
#include "trace/fold/fold.h"

/* Looks at the bytes of each file, and of each that holds traces in a folder; STATUS_DATA, after a
 * message that names some, where one is not counted. */
enum status fold_expect(const struct trace_fold *fold, const texts *paths,
                        const struct asker *asker);

#endif

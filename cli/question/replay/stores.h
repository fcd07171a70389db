/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of `tailproof replay --out` straight from the stores, for those who calculate with
 * it.
 */
#ifndef CLI_QUESTION_REPLAY_STORES_H
#define CLI_QUESTION_REPLAY_STORES_H

#include "base/status.h"
#include "base/text.h"
#include "cli/question/setting.h"
#include "dist/source/source.h"
#include "lang/model.h"

struct replay_request;

/* Whether the path is a store (.tps), or a folder that holds one and no table (joint.csv, .gz). */
bool stores_are_at(const char *path);

/* Judges the stores of one run at the paths as `tailproof replay` does, by the bound alone, and
 * appends what it would write (cli/question/replay/joint.h); `notes` says how much of the run that
 * is. The request's asker, path of the protocol and parameters count. On failure one line in
 * `message` that names the stores and the first event that does not fit: STATUS_NO_INPUT,
 * STATUS_USAGE, STATUS_DATA (also of a run that does not follow the protocol), STATUS_INTERRUPTED
 * (without a line). */
enum status stores_table(struct text *table, struct source_notes *notes, const struct model *model,
                         const struct bound *bound, const struct replay_request *request,
                         const char *const *paths, size_t count, struct text *message);

#endif

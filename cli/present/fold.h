/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `trace fold`, `trace merge` and `trace summary`, as text and as JSON, on stdout.
 */
#ifndef CLI_PRESENT_FOLD_H
#define CLI_PRESENT_FOLD_H

#include "cli/question/fold/fold.h"

/* That a summary was written, and of what. */
void fold_print_written(const struct fold_answer *answer, bool json);

/* What it says; `full`: all flows, parts and orders, and how long each call takes. */
void fold_print_text(const struct fold_report *report, bool full);
void fold_print_json(const struct fold_report *report);

#endif

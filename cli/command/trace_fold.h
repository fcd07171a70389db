/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions of `tailproof trace` about traces on several machines.
 */
#ifndef CLI_COMMAND_TRACE_FOLD_H
#define CLI_COMMAND_TRACE_FOLD_H

#include "cli/command/option.h"

extern const struct command trace_fold_question, trace_merge_question, trace_summary_question;

#endif

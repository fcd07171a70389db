/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof trace diff`.
 */
#ifndef CLI_COMMAND_TRACE_DIFF_H
#define CLI_COMMAND_TRACE_DIFF_H

#include "cli/command/option.h"

extern const struct command trace_diff_question;

#endif

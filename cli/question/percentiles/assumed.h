/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether measurements keep what a protocol assumes of times. A bound is proved of executions in
 * which its assumptions hold; where a measured time breaks `assume Handle <= T`, it says nothing.
 */
#ifndef CLI_QUESTION_PERCENTILES_ASSUMED_H
#define CLI_QUESTION_PERCENTILES_ASSUMED_H

#include "base/status.h"

struct laws;
struct ledger;
struct model;
struct text;

/* Holds all measurements against the assumptions, with the parameters of the request: those that
 * the laws have, and those of components that only assumptions mention, which are read here. An
 * observation counts as the longest it may be.
 * STATUS_UNKNOWN where the assumptions cannot be met; `message` then gets one line with what breaks
 * them. A file that cannot be read: as source_read says. */
enum status assumed_check(const struct laws *laws, const struct model *model, struct ledger *ledger,
                          struct text *message);

#endif

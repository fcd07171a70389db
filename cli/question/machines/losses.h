/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which share of the messages that may be lost is lost in a simulation. */
#ifndef CLI_QUESTION_MACHINES_LOSSES_H
#define CLI_QUESTION_MACHINES_LOSSES_H

#include "base/ledger.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/question/setting.h"
#include "lang/model.h"

/* "Data" = "0.01". By message id, each 0 .. 1; owned, mem_free. NULL: STATUS_USAGE, with one line
 * in `message`. The ledger gets what each kind that may be lost was given. */
double *losses_read(const struct model *model, const settings *given, struct ledger *ledger,
                    struct text *message);

#endif

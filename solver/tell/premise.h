/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a verdict takes for granted about the protocol, its timing model and the solver, and what
 * would discharge each premise. verify prints the texts in its ledger; audit prints all of it.
 */
#ifndef SOLVER_TELL_PREMISE_H
#define SOLVER_TELL_PREMISE_H

#include <stdbool.h>

#include "base/ledger.h"
#include "lang/model.h"

struct premise {
  bool stated; /* in the protocol file; otherwise it comes with the model or the solver */
  enum ledger_source source;
  const char *text;      /* one sentence without a full stop; valid during the call */
  const char *discharge; /* what to do to rely on it no longer, or on less */
};

void premises(const struct model *model, void (*add)(const struct premise *premise, void *context),
              void *context);

#endif

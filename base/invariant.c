/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/invariant.h"

#include "base/memory.h"

#ifdef TAILPROOF_CHECKS
bool invariant_costly_on = true;
#else
bool invariant_costly_on = false;
#endif

void invariant_broken(const char *condition, const char *file, int line) {
  bug("%s:%d: this does not hold: %s", file, line, condition);
}

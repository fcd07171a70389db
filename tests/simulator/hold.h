/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Protocols judged: the verifier says which bounds are proved, and these are held against runs. */
#ifndef TESTS_SIMULATOR_HOLD_H
#define TESTS_SIMULATOR_HOLD_H

#include "base/status.h"
#include "tests/simulator/simulator.h"

struct demand {
  struct simulation simulation;
  size_t random, jobs; /* random protocols, and threads for them */
  unsigned limit_ms;   /* of the verifier, for one obligation */
  const char *only;    /* the one bound to hold; NULL: all that are proved */
  bool all;            /* hold every bound: nothing is verified */
  bool print;
};

/* Of one protocol. */
struct result {
  size_t bounds, held;
  struct outcome outcome; /* outcome_clear */
};

void hold(struct result *result, const struct model *model, const struct demand *demand);
void result_print(const struct result *result, const char *name);

/* STATUS_REFUTED: a bound that was held is broken; STATUS_UNKNOWN: nothing was tested. */
enum status result_status(size_t broken, size_t events);

#endif

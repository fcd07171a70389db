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
  unsigned most_ms; /* processor time for the proof of one protocol: a verdict that takes longer is
                     * not waited for; 0: as long as it takes */
  const char *kind; /* only random protocols with such a family (sample.h); NULL: all */
  const char *only; /* the one bound to hold; NULL: all that are proved */
  bool all;         /* hold every bound: nothing is verified */
  bool print;
};

/* Of one protocol. */
struct result {
  size_t bounds, held;
  bool undecided;         /* the proof was not waited for; none is held */
  struct outcome outcome; /* outcome_clear */
};

/* `stop` becomes non-zero to end the proof early; may be NULL. */
void hold(struct result *result, const struct model *model, const struct demand *demand,
          const volatile int *stop);
void result_print(const struct result *result, const char *name);

/* STATUS_REFUTED: a bound that was held is broken; STATUS_UNKNOWN: nothing was tested. */
enum status result_status(size_t broken, size_t events);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Computing a graph of laws, each once, on one thread or two. The first thread goes depth first
 * from the law that is wanted; the second goes the same way from the other end, so that it finds
 * the parts done that the first has not come to, and the two meet. Who needs a law that the other
 * one is computing waits for it; that cannot go round in a circle, since laws do not.
 */
#ifndef DIST_EVALUATE_LAW_COMPUTATION_H
#define DIST_EVALUATE_LAW_COMPUTATION_H

#include <pthread.h>

#include "dist/evaluate/law.h"

enum law_state { LAW_UNTOUCHED, LAW_UNDER_WAY, LAW_DONE };

struct computation {
  const struct law_table *table;
  const struct law *wanted;
  size_t *uses;               /* by law id: how many laws above it still need it, ... */
  struct survival *survivals; /* ... and its survival function while they do */
  enum law_state *states;
  bool *seen;  /* by the second thread */
  size_t held; /* survival functions */
  bool finished;
  pthread_mutex_t mutex; /* of uses, survivals, states, held, finished */
  pthread_cond_t changed;
};

/* The survival function of a law, valid until computation_release has been called once for each
 * law that needs it. */
const struct survival *computation_need(struct computation *c, const struct law *law);
void computation_release(struct computation *c, const struct law *law);

/* Initialises and computes *s from the laws that the law is made of, and releases them. */
void computation_make(struct computation *c, struct survival *s, const struct law *law);

#endif

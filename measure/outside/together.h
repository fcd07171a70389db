/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Programs of BPF at places in files, put there together. Where the kernel has links for many places
 * (measure/outside/attach.h), all places in one file and for one process are one link: it is taken
 * away in the time that a single place takes (50 ms), and is no event of perf, whose existence makes
 * every switch of threads slower. The link's own program passes on to that of the place. Else each
 * place is an event.
 */
#ifndef MEASURE_OUTSIDE_TOGETHER_H
#define MEASURE_OUTSIDE_TOGETHER_H

#include "base/vector.h"
#include "measure/outside/target.h"

/* A place, and what is to run there. */
struct together_place {
  const struct outside_target *target; /* whose file it is in */
  uint64_t offset, semaphore;
  uint32_t probe;  /* its number, for messages */
  uint32_t number; /* of the program */
  int32_t process; /* the one that it is put into, or ATTACH_ALL */
  bool at_return;
};

typedef VECTOR(struct together_place) together_places;
typedef VECTOR(int) together_descriptors;

/* Attaches all: what is at entries before what waits for returns, else in the order of the list.
 * `programs` are those that places have numbers of; loaded for links where `links`. Appends to
 * `open` what holds them, also when some could not be attached: then errno is returned, else 0, and
 * *probe is the number of one that cannot. Of processes that have ended nothing is said. */
int together_attach(together_descriptors *open, const together_places *places, const int *programs,
                    bool links, uint32_t *probe);

#endif

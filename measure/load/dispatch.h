/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Begins requests when they are due, on as many slots as are allowed.
 *
 * A slot is a connection or a process. A request that finds no free slot waits for one, and this
 * counts: its latency is that from the moment it was due.
 */
#ifndef MEASURE_LOAD_DISPATCH_H
#define MEASURE_LOAD_DISPATCH_H

#include "measure/load/arrivals.h"

struct dispatch;

/* What carries requests. `slot` is below `slots`. */
struct carrier {
  void *context;
  /* Begins the request on a free slot; what happens to it comes as events of descriptors that were
   * watched. Calls dispatch_done at once when it cannot be begun. */
  void (*begin)(void *context, struct dispatch *dispatch, size_t slot, size_t arrival);
  /* epoll's events of the slot's descriptor. */
  void (*event)(void *context, struct dispatch *dispatch, size_t slot, uint32_t events);
  /* Gives up what the slot does: it took too long. No event of it comes any more. */
  void (*abandon)(void *context, struct dispatch *dispatch, size_t slot);
};

struct dispatch_options {
  size_t slots;         /* >= 1 */
  uint64_t patience_ns; /* a request that is not over so long after it was due has timed out */
  volatile int *stop;   /* not 0: no more requests are begun; may be NULL */
};

/* Runs all; then each arrival has an end, but for those that were not begun before *stop. A status
 * with one line when the machine has no timer or memory. */
enum status dispatch_run(arrival_vector *arrivals, const struct carrier *carrier,
                         const struct dispatch_options *options, struct text *message);

/* For carriers: epoll on a descriptor of a slot (events 0: no more), and the end of its request. */
bool dispatch_watch(struct dispatch *dispatch, size_t slot, int descriptor, uint32_t events,
                    bool again);
void dispatch_done(struct dispatch *dispatch, size_t slot, enum arrival_end end, uint16_t status);
/* No further request is begun: the first of all could not be, and `why` says it. */
void dispatch_refuse(struct dispatch *dispatch, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const struct load_arrival *dispatch_arrival(const struct dispatch *dispatch, size_t number);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests that last until their messages are consumed. A producer's span ends when the message is
 * sent; who consumes it is below it, or in another trace with a link back to it. Here a consumer is
 * below its producer, which lasts, with all that it is below, until the last consumer has ended. So
 * what is asked of a request is asked of it to its last consumer: what comes between the sending
 * and the consumer is its time in the queue.
 */
#ifndef TRACE_SPAN_FOLLOW_H
#define TRACE_SPAN_FOLLOW_H

#include "trace/span/store.h"

struct follow_notes {
  uint64_t requests; /* that have messages */
  uint64_t messages; /* consumers below their producers, */
  uint64_t joined;   /* of them from other traces */
  uint64_t lost;     /* links of consumers to spans that are not recorded */
};

/* Joins them; a consumer of several messages is below each. A request that is nothing but a consumer
 * is no request of its own any more. The store was read with `keeps_foreign`, and with ids; those of
 * its spans are other ones afterwards. */
void span_follow(struct span_store *store, struct follow_notes *notes);

#endif

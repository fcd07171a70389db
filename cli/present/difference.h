/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `tail` says of slow requests beside the others (trace/tail/report.h), as keys of objects:
 * means, their difference with its interval, and shares of requests.
 */
#ifndef CLI_PRESENT_DIFFERENCE_H
#define CLI_PRESENT_DIFFERENCE_H

#include "show/objects.h"
#include "trace/tail/report.h"

/* A mean that is not known is left out. */
#define KEYS_OF_DIFFERENCE                                                                         \
  KEY("slow_ns", NS, .marks = MARK_MAYBE, .note = "a mean"),                                       \
      KEY("rest_ns", NS, .marks = MARK_MAYBE, .note = "a mean"),                                   \
      KEY("difference_ns", NS, .marks = MARK_MAYBE),                                               \
      KEY("least_ns", NS, .marks = MARK_MAYBE | MARK_LOWER),                                       \
      KEY("most_ns", NS, .marks = MARK_MAYBE | MARK_UPPER)

/* "necessary.count" and so on, with the interval of the share; `more`: marks of all four. */
#define KEYS_OF_SHARE(key, more)                                                                   \
  KEY(key ".count", COUNT, .marks = (more)), KEY(key ".of", COUNT, .marks = (more)),               \
      KEY(key ".least", SHARE, .marks = (more) | MARK_LOWER),                                      \
      KEY(key ".most", SHARE, .marks = (more) | MARK_UPPER)

void object_difference(struct objects *objects, const struct tail_difference *difference);
void object_share(struct objects *objects, const char *key, const struct tail_share *share);

#endif

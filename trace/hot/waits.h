/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What requests waited in, of a profile whose samples are waits (profile --off-cpu): a wait belongs
 * to a request by its thread, for as long as both go on at once. Of several requests that a thread
 * has open each waited in full, and they are one cluster.
 *
 * Requests of no thread that is known have no waits that are known. A process with one thread in the
 * profile says it by its id.
 */
#ifndef TRACE_HOT_WAITS_H
#define TRACE_HOT_WAITS_H

#include "trace/hot/clock.h"
#include "trace/hot/join.h"

#define HOT_ANY_THREAD (UINT32_MAX - 1) /* of several, nobody knows which */
#define HOT_NO_THREAD UINT32_MAX        /* of the profile: it did not wait, or is not in it */

/* The thread of the profile that a stretch is of, or one of these. */
uint32_t hot_waits_thread(const struct hot_stretch *stretch, const struct stack_profile *profile);

/* Calls `add` for each wait and each stretch, of those that may count, that go on at once, with the
 * ns of it. Stretches are in the order of their starts. */
void hot_waits_walk(const hot_stretches *stretches, const struct stack_profile *profile,
                    void (*add)(void *context, const struct hot_stretch *stretch, size_t sample,
                                int64_t ns),
                    void *context);

/* Whether the clocks can be one: a thread that notes when a request begins or ends is running, so
 * these moments lie in none of its waits. Of `samples` such moments `inside` are in a wait of more
 * than 0.2 ms, and not near its ends; `random`: as good as when the clocks have nothing to do with
 * each other. */
void hot_waits_clock(struct hot_clock *clock, const hot_stretches *stretches,
                     const struct stack_profile *profile);

/* What a cluster waited in something, as a part of its time. */
struct hot_part {
  double part;
  bool slow;
};

/* The chance that so many of the clusters that waited most are slow, if which are slow has nothing
 * to do with it: of as many clusters as are slow, those with the greatest parts, and with ties
 * (Fisher 1935). Parts of 0 are left out of `parts`, which gets sorted. */
double hot_waits_chance(struct hot_part *parts, size_t count, size_t slow, size_t rest);

#endif

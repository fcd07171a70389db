/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A prediction held against a measurement: the change is measured on services that run, where it
 * makes one of them faster (measure/throughput/experiment/speedup.h).
 *
 * The measurement *agrees* when its interval and the predicted one allow a difference of at most
 * CONFIRM_MARGIN. It *disagrees* when it does not agree and the intervals have nothing in common.
 * Else it *cannot tell*, nor can it when the services are no longer what they were when the traces
 * were recorded: the latencies without the change disagree with the recorded ones.
 */
#ifndef CLI_QUESTION_LATENCY_CONFIRM_H
#define CLI_QUESTION_LATENCY_CONFIRM_H

#include "base/status.h"

struct latency_answer;
struct latency_range;

#define CONFIRM_MARGIN 0.1

enum confirm_verdict { CONFIRM_AGREES, CONFIRM_DISAGREES, CONFIRM_CANNOT_TELL };

/* Whether the changes are one that can be measured so; else STATUS_USAGE, and the asker is told. To
 * be called when the changes are read. */
enum status confirm_check(const struct latency_answer *answer);

/* Measures, and sets answer->speedup, the doubt and what is confirmed of each percentile:
 * STATUS_OK, STATUS_REFUTED when any disagrees, else STATUS_UNKNOWN when any cannot tell; or as
 * speedup_ask. */
enum status confirm_measure(struct latency_answer *answer);

/* By how much what is in `to` may be off what is in `from`: *least and *most, as parts of `from`;
 * *most is infinite when that is. */
enum confirm_verdict confirm_compare(double *least, double *most, const struct latency_range *from,
                                     const struct latency_range *to);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `tail --profile` about event logs: which functions run while slow requests
 * execute, and while they wait for others; and how much of that is the collector, a compiler or an
 * inline cache.
 */
#ifndef CLI_QUESTION_LOOPS_PROFILE_H
#define CLI_QUESTION_LOOPS_PROFILE_H

#include "base/status.h"

struct hot_answer; /* cli/question/tail/hot.h */
struct hot_request;
struct loops_answer; /* cli/question/loops/loops.h */

/* Joins the profile to the requests of all routes that the answer, which was found, is about: slow
 * are those that are slow for their route. Initialises `hot` in any case; notes go to the answer's
 * ledger. */
enum status loops_profile(struct hot_answer *hot, struct loops_answer *answer,
                          const struct hot_request *request);

#endif

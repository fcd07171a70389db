/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sampling that spares: a rate that follows what is seen, and threads that are left out.
 */
#ifndef CLI_QUESTION_PROFILE_SPARE_H
#define CLI_QUESTION_PROFILE_SPARE_H

#include "cli/question/profile/profile.h"

/* Reads what was asked for into answer->adapt and answer->window_ns; STATUS_USAGE after a message.
 */
enum status profile_read_spare(struct profile_answer *answer);

/* Leaves out threads, where that was asked for, and says so in the ledger. */
void profile_spare(struct profile_answer *answer);

#endif

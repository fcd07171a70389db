/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `pair` found, as text or as JSON.
 */
#ifndef CLI_PRESENT_PAIR_H
#define CLI_PRESENT_PAIR_H

#include "cli/question/pair/pair.h"

void pair_print(const struct pair_answer *answer, bool json);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the statements of an action do, whichever way they go.
 */
#ifndef LANG_BLOCK_H
#define LANG_BLOCK_H

#include "lang/model.h"

/* Whether a statement of the block, also one behind a condition, sends the message. */
bool block_sends(const struct block *block, const struct message *message);

#endif

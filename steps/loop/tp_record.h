/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a loop records, under the names that `tailproof replay` knows; for tp_loop.c only.
 */
#ifndef TP_RECORD_H
#define TP_RECORD_H

#include "tp_loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Registers the role's names in the store, and opens the loop's writer. NULL, or what is wrong. */
const char *tp_record_names(struct tp_loop *loop, struct tailproof_store *store);

/* All that is below does nothing where nothing is recorded. */

/* The message, which loop->last sends, leaves at `at` (ticks); its stamp, TAILPROOF_STAMP_BYTES, is
 * zeros where nothing is recorded. `index`: of its receiver among those of its role. */
void tp_record_sent(struct tp_loop *loop, const struct tp_message *m, int32_t index, uint64_t at,
                    uint8_t *stamp);
/* A message that no action takes was delivered; of loop->last the time when it was sent. */
void tp_record_delivered(struct tp_loop *loop, const struct tp_waiting *delivered);
void tp_record_refused(struct tp_loop *loop, uint64_t arrived);
/* The instance began. */
void tp_record_beginning(struct tp_loop *loop);
/* loop->last has ended, which took the message (NULL: none), with its parts; of loop->last the
 * times of the message. */
void tp_record_step(struct tp_loop *loop, const struct tp_waiting *taken);

#ifdef __cplusplus
}
#endif

#endif

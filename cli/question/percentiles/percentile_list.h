/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Percentiles as users name them: "50,99.9".
 */
#ifndef CLI_QUESTION_PERCENTILES_PERCENTILE_LIST_H
#define CLI_QUESTION_PERCENTILES_PERCENTILE_LIST_H

#include "base/rational.h"
#include "base/asker.h"
#include "base/status.h"
#include "base/vector.h"

struct wanted {
  char *text;            /* "99.9" */
  struct rational share; /* 0.999; above 0 and below 1 */
};
typedef VECTOR(struct wanted) wanted_list;

/* STATUS_USAGE, after the asker was told, for anything that is not numbers between 0 and 100
 * separated by commas. The list owns its items, in any case. */
enum status wanted_read(wanted_list *list, const char *text, const struct asker *asker);
/* Sets the share, initialised, from the text. False when that is no number between 0 and 100. */
bool wanted_share(struct wanted *wanted);

void wanted_clear(wanted_list *list);

#endif

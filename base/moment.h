/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Moments as people write them: "2026-01-31T12:00:00Z", with a fraction of a second or an offset
 * ("+01:00") if wanted (RFC 3339), or seconds since 1970 ("1700000000.5").
 */
#ifndef BASE_MOMENT_H
#define BASE_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* In ns since 1970, 0 or more and below 2^63; false: it is no such moment. */
bool moment_read(int64_t *ns, const char *text);

/* Whether a recording's time is one of a calendar: 2000 or later. Less counts from when a machine
 * or a program started. */
bool moment_is_calendar(int64_t ns);

/* Appends one of 0 ns or more, as moment_read takes it: "2026-01-31T12:00:00.250Z", with 0, 3, 6 or
 * 9 digits of a second. */
void moment_print(struct text *out, int64_t ns);

#endif

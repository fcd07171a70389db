/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When and where a report was made.
 */
#ifndef SHOW_MADE_H
#define SHOW_MADE_H

#include <stddef.h>

/* The time, in UTC, as strftime has it; "" when it is no date. It is SOURCE_DATE_EPOCH's where that
 * is set (https://reproducible-builds.org). */
void made_when(char *text, size_t size, const char *format);

/* The name of this host, or "unnamed host"; `size` at least 16. */
void made_where(char *text, size_t size);

#endif

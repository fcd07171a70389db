/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first column of a table, as wide as the longest name in it: printf("%-*s", width, name).
 */
#ifndef CLI_PRESENT_COLUMN_H
#define CLI_PRESENT_COLUMN_H

/* Makes *width at least the length of the name, of which a column takes at most COLUMN_MOST. */
void column_fit(int *width, const char *name);

enum { COLUMN_MOST = 60 };

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the difference between requests and their bounds lies, as a part of the answer of
 * `percentiles`. Nothing where there is no difference to speak of.
 */
#ifndef CLI_PRESENT_MISSING_TIME_H
#define CLI_PRESENT_MISSING_TIME_H

struct percentiles;

void missing_time_print_text(const struct percentiles *run);
void missing_time_print_json(const struct percentiles *run);

#endif

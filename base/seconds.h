/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two clocks, in seconds since some moment. What a verdict depends on is limited by the first: it
 * stands still while the thread waits for a processor, so a busy machine changes nothing. What
 * people are told is of the second.
 */
#ifndef BASE_SECONDS_H
#define BASE_SECONDS_H

double seconds_worked(void);  /* processor time of the calling thread */
double seconds_elapsed(void); /* monotonic; the same for all threads */

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What this process may do, given up once its probes are in place: to read what they leave takes no
 * capability, and a mistake in what reads it should not be one of a process that may do all.
 */
#ifndef MEASURE_OUTSIDE_RIGHTS_H
#define MEASURE_OUTSIDE_RIGHTS_H

#include <stdbool.h>

/* Gives up all capabilities, and to gain any by exec (PR_SET_NO_NEW_PRIVS), for this thread and
 * those that it starts from now on. Kept are those without which something that is left to do is
 * refused, as is tried: CAP_DAC_OVERRIDE and CAP_FOWNER to write files in somebody else's folder;
 * CAP_BPF where the kernel wants it to look up values of maps (before Linux 5.19); and CAP_KILL with
 * `signals`, which are passed on to a program that may have become another user's.
 *
 * `written`: files and folders that are made, read, replaced or removed later, up to a NULL. `map`:
 * a map of BPF whose key has 4 bytes and whose values have less than 64 KB; -1: none. */
void rights_give_up(const char *const *written, int map, bool signals);

#endif

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

/* The same for a sampler, which goes on to ask for counters of new threads and to read what others run: kept are CAP_PERFMON
 * (CAP_SYS_ADMIN before Linux 5.8), CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH and CAP_SYSLOG (addresses of the kernel). */
void rights_keep_sampling(const char *const *written, bool signals);

#endif

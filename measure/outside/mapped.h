/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether processes run a file, by /proc/PID/maps.
 */
#ifndef MEASURE_OUTSIDE_MAPPED_H
#define MEASURE_OUTSIDE_MAPPED_H

#include <stdbool.h>
#include <stdint.h>

enum mapped {
  MAPPED_NOT,      /* nor anything of that name */
  MAPPED_THIS,     /* this very file */
  MAPPED_REPLACED, /* another file that had this name when it was started */
  MAPPED_UNKNOWN,  /* the process is gone, or may not be looked at */
};

enum mapped mapped_by(uint32_t process, const char *path, uint64_t inode);

/* The path by which a file of this name is reached that a process has there, where it sees other
 * files than we do (a container, a root of its own): /proc/PID/root/PATH, owned. NULL where it sees
 * the same, or has no such file. */
char *mapped_inside(uint32_t process, const char *path);

/* The letter of a process's state in /proc/PID/stat: T stopped, Z ended; 0: there is none. */
char process_state(uint32_t process);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads that run already, as /proc has them.
 */
#ifndef MEASURE_PROFILE_TASKS_H
#define MEASURE_PROFILE_TASKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vector.h"

typedef VECTOR(uint32_t) task_ids;

/* Adds the threads of a process that are not in the list. False where there is no such process. */
bool tasks_threads(task_ids *threads, uint32_t process);

/* Adds the process and all that it started, and they, and so on, that are not in the list. */
void tasks_family(task_ids *processes, uint32_t process);

/* Adds all processes of the system. */
void tasks_all(task_ids *processes);

/* The name of a thread, at most `size` bytes with its NUL; "" where it is gone. */
void tasks_name(char *name, size_t size, uint32_t process, uint32_t thread);

#endif

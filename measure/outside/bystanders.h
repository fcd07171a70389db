/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether probes in files would harm a process that uses the files, traced or not, as it runs now.
 *
 *  - A translator of programs (Valgrind, QEMU) reads the breakpoint as an instruction of the
 *    program, and the program dies of it.
 *  - The kernel waits for returns in the order of calls. Of a program that switches stacks
 *    (coroutines, fibers) functions return in another order, and the kernel then sends a thread to
 *    where it did not come from, or kills it. Such a program is told by the names of functions that
 *    switch: those of the C library, Boost.Context, Ruby, PHP, OCaml and others.
 *    A signal handler that has a stack of its own (sigaltstack) is no different, if it calls a
 *    function whose return is waited for: the kernel then forgets those below.
 *  - Kernels 6.11 to 6.13 end a return's probe with a system call, which a seccomp filter sees.
 *
 * A probe that is only in named processes (children: no) is asked about for these alone.
 */
#ifndef MEASURE_OUTSIDE_BYSTANDERS_H
#define MEASURE_OUTSIDE_BYSTANDERS_H

#include "measure/outside/probe_plan.h"

/* The function by which an image switches stacks, as its symbols say; NULL: none is known. */
const char *stacks_switched_by(const struct image *image);

/* A function by which an image has exceptions, or NULL: one that leaves a function whose return is
 * waited for finds no way past that, and ends the program. */
const char *exceptions_by(const struct image *image);
/* Whether it gives signal handlers a stack of their own. */
bool stacks_for_signals(const struct image *image);

/* STATUS_OK, or STATUS_DATA with one line in `message` that names the process, the probe and the
 * remedy. `named` are the processes that the user named. */
enum status bystanders_check(const struct outside_plan *plan, const uint32_t *named, size_t count,
                             struct text *message);
/* The same of a program that is not started yet, looked up on the PATH. */
enum status bystanders_check_program(const struct outside_plan *plan, const char *program,
                                     struct text *message);

/* Whether a process that is filtered by seccomp cannot come back from system call `number` as if
 * there were no filter. */
bool seccomp_sees(long number);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The functions of Z3 that are used, without "Z3_": z3.mk_add(context, ...). It is loaded when the
 * first solver is made (base/loaded.h): most commands need none. For the files of this folder that
 * know Z3.
 */
#ifndef SOLVER_SMT_Z3_LOADED_H
#define SOLVER_SMT_Z3_LOADED_H

#include <z3.h>

#define FUNCTION(name) __typeof__(Z3_##name) *name;
extern struct z3_functions {
#include "solver/smt/z3_functions.def"
} z3;
#undef FUNCTION

/* What a context and the start of a proof take. Without it Z3 returns NULL, faults, or the run-time
 * linker ends the process, as the first call of a thread needs memory for its variables. */
enum { Z3_START_BYTES = 32 << 20 };

/* Before any of them. Ends the process where it is missing, or Z3_START_BYTES are. From any thread. */
void z3_need(void);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which step comes next (machines.h says by which rules); for the files of solver/simulate only.
 */
#ifndef SOLVER_SIMULATE_NEXT_H
#define SOLVER_SIMULATE_NEXT_H

struct machines;

enum next_result { NEXT_TAKEN, NEXT_NONE, NEXT_FAULT };

/* Takes it, and appends it to machines->steps. */
enum next_result next_step(struct machines *machines);

#endif

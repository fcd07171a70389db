/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The three verdicts on a bound; solver/verify.c finds them.
 */
#ifndef SOLVER_VERDICT_H
#define SOLVER_VERDICT_H

enum verdict { VERDICT_PROVED, VERDICT_REFUTED, VERDICT_UNKNOWN };

const char *verdict_name(enum verdict verdict);

#endif

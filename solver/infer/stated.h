/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the expression of a bound says by the order of its addends. Who writes
 *
 *     Begin + max p in range (wan(Write(p)) + Propose[p] + wan(Done(p))) + Reply
 *
 * means that Write(p) is delivered by Begin + wan(Write(p)), and Done(p) by Begin + wan(Write(p)) +
 * Propose[p] + wan(Done(p)): up to each delay, all that stands before it. The same for each constant
 * that a timer is set with. Of a sum over a range what stands before is the part of it that is
 * below the running variable, or the part above it.
 *
 * All of it is a guess to be proved: the order of addends means nothing in the language.
 */
#ifndef SOLVER_INFER_STATED_H
#define SOLVER_INFER_STATED_H

#include <stdbool.h>
#include <stddef.h>

struct infer_work;

/* Adds what the bounds asked for say, as guesses, but for what is guessed already. How many. */
size_t stated_guess(struct infer_work *w);

/* After an attempt that did not prove all: once more with everything that it guessed, and this.
 * Whether all is proved. */
bool stated_try(struct infer_work *w);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What samples at a changing rate show, once it is known where the phases of the program are
 * (adapt.h). The samples of all windows of a phase are pooled: those taken fast at its beginning
 * speak for the rest, too; where shares drift the fewer the farther (drifts.h).
 *
 * Example. At 1000 Hz for a second and at 20 Hz for the nine behind it a program in one phase gives
 * 1180 samples. Each of them stands for 10 s / 1180 of it, and not each of the slow ones for 50 ms.
 *
 * A window with a change in it, the slow ones judged together before it, and one in which nothing
 * could be told, is a mixture of the phases on its sides, in the most likely parts, by expectation
 * and maximisation (Dempster, Laird, Rubin, J. R. Stat. Soc. B 39, 1977). Its samples of functions
 * that neither phase has stand for themselves, and so do all of a window that was sampled fast
 * enough.
 */
#ifndef MEASURE_PROFILE_PHASES_H
#define MEASURE_PROFILE_PHASES_H

#include "measure/profile/adapt.h"

struct drifts;

struct phase_window {
  size_t first;   /* of its samples */
  uint32_t phase; /* that it is in, or the one behind it */
  bool border;    /* the change is in it, or it was too short to tell */
  bool alone;     /* speaks for itself if it is at a border */
};

/* All zeros is none. Owns its windows. */
struct phases {
  VECTOR(struct phase_window) windows;
  size_t samples; /* of all windows */
  uint32_t phase; /* that goes on, */
  size_t untold;  /* since when nothing could be told, */
  size_t judged;  /* and the first window that was judged together with those before that */
};

/* A window with so many samples was judged so. */
void phases_add(struct phases *phases, enum adapt_verdict verdict, size_t samples, bool alone);
void phases_clear(struct phases *phases);

/* What is shown of a window: parts of two phases and of its own samples; now + past + own = 1, or
 * all are 0 where there is neither a phase nor a sample. By function, 0 .. 1: */
struct phase_mixture {
  size_t window, first, end; /* its samples */
  size_t behind,
      before; /* what speaks for the phases: this window, or the next ones at no border */
  double now, past, own;
  const struct drifts *drifts;      /* and what speaks for those in turn, drifts_parts */
  const double *pool, *pool_before; /* shares in them */
  const double *shown;              /* and in the window */
  bool alone;
};

/* Whether the window's samples of a function stand for themselves. */
bool phase_is_own(const struct phase_mixture *mixture, uint32_t function);

/* Calls `show` for each window, in order. functions[i] is that of sample i, below `functions`. */
void phases_show(const struct phases *phases, const uint32_t *function_of, size_t functions,
                 void (*show)(void *context, const struct phase_mixture *mixture), void *context);

#endif

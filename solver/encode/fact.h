/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the encoder tells the solver beside a protocol's own formulas: schemas, by name. Each is
 * true of what it speaks of; proofs/theory/Facts.v proves it.
 */
#ifndef SOLVER_ENCODE_FACT_H
#define SOLVER_ENCODE_FACT_H

enum encoder_fact {
#define FACT(name, says) FACT_##name,
#include "solver/encode/fact.def"
#undef FACT
  FACT_COUNT /* at most 64: sets of facts are bits */
};

extern const char *const encoder_fact_names[FACT_COUNT]; /* "SUM_GROWS", ... */

#endif

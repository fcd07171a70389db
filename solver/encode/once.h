/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What may happen once only: an identity sent, an occurrence charged.
 */
#ifndef SOLVER_ENCODE_ONCE_H
#define SOLVER_ENCODE_ONCE_H

#include "lang/model.h"
#include "solver/smt/smt.h"

enum once_kind { ONCE_SENT, ONCE_CHARGED };

/* What an action must respect wherever it is enabled: an identity not yet sent, an occurrence not
 * yet charged. */
struct once {
  enum once_kind kind;
  const struct message *message;
  const struct component *component;
  struct source_span span;
  smt_term goal;
};

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Digests of terms that depend on nothing but what they mean: not on the order in which a solver
 * made them, nor on the names of bound variables. Two terms with one digest are the same formula
 * over the same functions of the same sorts. For solver/smt/z3.c, which owns the terms.
 */
#ifndef SOLVER_SMT_TERM_DIGEST_H
#define SOLVER_SMT_TERM_DIGEST_H

#include <stdbool.h>
#include <z3.h>

#include "base/digest.h"
#include "base/vector.h"

struct term_digests {
  VECTOR(char *) by_id; /* Z3's number of the term; NULL where nobody asked; owned */
};

/* "" where the term has something that is not known here. It lives as long as the digests; the
 * term must live so long, too, as its number is used again when it is gone. */
const char *term_digest(struct term_digests *digests, Z3_context context, Z3_ast term);

/* The digest of all terms (NULL: none) but those in `without`; false: one of them has none. */
bool term_digest_all(struct term_digests *digests, Z3_context context, const Z3_ast *terms,
                     size_t count, const Z3_ast *without, size_t without_count,
                     char digest[DIGEST_LENGTH + 1]);

void term_digests_clear(struct term_digests *digests);

#endif

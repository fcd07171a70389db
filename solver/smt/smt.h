/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The solver seen from the rest of the program: terms, quantifiers, one assertion stack, checks
 * with limits, models. solver/smt/z3.c is the only file that knows Z3.
 *
 * A `struct smt` is one solver with its own memory; different threads use different ones. Terms,
 * sorts and functions belong to the smt they were made in and live until smt_free. Booleans,
 * integers and reals have the obvious sorts; a node family may have a sort of its own.
 */
#ifndef SOLVER_SMT_SMT_H
#define SOLVER_SMT_SMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/rational.h"

struct smt;
struct text;
typedef struct _Z3_ast *smt_term;
typedef struct _Z3_sort *smt_sort;
typedef struct _Z3_func_decl *smt_function;

struct smt *smt_new(void);
/* For many small questions without quantifiers: with the solver's older procedure for arithmetic,
 * which answers those sooner. After smt_clear, what is asserted in the same order as before need
 * not be taken in again; so models depend on earlier questions. */
struct smt *smt_new_ground(void);
/* The seed decides ties in the solver's search. With smt_new it is 0. */
struct smt *smt_new_seeded(unsigned seed);
void smt_free(struct smt *smt);

smt_sort smt_sort_bool(struct smt *smt);
smt_sort smt_sort_int(struct smt *smt);
smt_sort smt_sort_real(struct smt *smt);
smt_sort smt_sort_named(struct smt *smt, const char *name); /* non-empty, otherwise unknown */

/* The function of that name; with no arguments a constant. Same name, same function. */
smt_function smt_declare(struct smt *smt, const char *name, const smt_sort *domain, size_t count,
                         smt_sort range);
smt_term smt_apply(struct smt *smt, smt_function function, const smt_term *args, size_t count);
/* A constant nobody else has. `name` only helps the reader. */
smt_term smt_fresh(struct smt *smt, const char *name, smt_sort sort);

smt_term smt_bool(struct smt *smt, bool value);
smt_term smt_int(struct smt *smt, int64_t value);
smt_term smt_real(struct smt *smt, const struct rational *value);
smt_term smt_real_zero(struct smt *smt);
bool smt_is_true(struct smt *smt, smt_term a);
bool smt_is_false(struct smt *smt, smt_term a);
bool smt_is_numeral(struct smt *smt, smt_term a, int64_t *value); /* an integer literal */

/* Connectives; and, or of none are true, false. Obvious cases are simplified. */
smt_term smt_not(struct smt *smt, smt_term a);
smt_term smt_and(struct smt *smt, const smt_term *args, size_t count);
smt_term smt_or(struct smt *smt, const smt_term *args, size_t count);
smt_term smt_and2(struct smt *smt, smt_term a, smt_term b);
smt_term smt_or2(struct smt *smt, smt_term a, smt_term b);
smt_term smt_implies(struct smt *smt, smt_term a, smt_term b);
smt_term smt_equal(struct smt *smt, smt_term a, smt_term b); /* also iff */
smt_term smt_if(struct smt *smt, smt_term condition, smt_term a, smt_term b);

/* Arithmetic; an int and a real may be mixed in none but smt_mul (int * real). */
smt_term smt_add(struct smt *smt, smt_term a, smt_term b);
/* Of many terms, at least one, all of one sort: taken in at once, where one by one the solver would
 * look at each sum on the way. */
smt_term smt_sum(struct smt *smt, const smt_term *args, size_t count);
smt_term smt_sub(struct smt *smt, smt_term a, smt_term b);
smt_term smt_mul(struct smt *smt, smt_term a, smt_term b);
/* An int divided by a positive int literal, rounded down. */
smt_term smt_div(struct smt *smt, smt_term a, smt_term by);
smt_term smt_le(struct smt *smt, smt_term a, smt_term b);
smt_term smt_lt(struct smt *smt, smt_term a, smt_term b);

/* Quantifiers over constants made with smt_fresh. `pattern` (may be NULL, pattern_count 0) is one
 * multi-pattern that says when a hypothesis is used. */
smt_term smt_forall(struct smt *smt, const smt_term *variables, size_t count, smt_term body,
                    const smt_term *pattern, size_t pattern_count);
smt_term smt_exists(struct smt *smt, const smt_term *variables, size_t count, smt_term body);

/* As if nothing had been asserted or asked: a solver without what it learned, its terms kept. Much
 * cheaper than smt_free and smt_new. */
void smt_clear(struct smt *smt);

/* The same assertions, in a solver that has learned nothing yet. */
void smt_renew(struct smt *smt);

void smt_push(struct smt *smt);
void smt_pop(struct smt *smt);
void smt_assert(struct smt *smt, smt_term a);

enum smt_answer { SMT_UNSAT, SMT_SAT, SMT_UNKNOWN };

enum smt_strategy {
  SMT_QUICK,    /* without candidate models for quantifiers: a non-proof is quickly UNKNOWN */
  SMT_OTHER,    /* so too, afresh, with the solver's other procedure for arithmetic */
  SMT_ALL,      /* so too, afresh, with instances for all terms, not only for those on which hangs
                 * what the solver has assumed so far */
  SMT_THOROUGH, /* also builds candidate models for quantifiers; slower */
};
enum { SMT_STRATEGIES = SMT_THOROUGH + 1 };

/* `resources` counts the solver's own steps, so that the answer is the same on every machine;
 * `limit_ms` is processor time of the calling thread, a safety net. 0: no limit. */
struct smt_effort {
  enum smt_strategy strategy;
  unsigned resources, limit_ms;
  unsigned reseed; /* not 0: afresh, with another seed for each number */
};

/* Checks what is asserted. `reason` may be NULL; on UNKNOWN it gets why. */
enum smt_answer smt_try(struct smt *smt, const struct smt_effort *effort, struct text *reason);

/* Checks what is asserted together with `marks`, boolean constants; used[i] as for smt_core. */
enum smt_answer smt_try_marks(struct smt *smt, const smt_term *marks, size_t count,
                              const struct smt_effort *effort, bool *used);

/* Checks what is asserted together with `facts`. On UNSAT used[i] says whether facts[i] is needed
 * for that answer; the others can be left out together, but even fewer may do. */
enum smt_answer smt_core(struct smt *smt, const smt_term *facts, size_t count,
                         const struct smt_effort *effort, bool *used);

/* Checks what is asserted within `limit_ms` of processor time. `thorough` lets the solver also
 * build candidate models for quantifiers (slower; without it a non-proof is quickly UNKNOWN).
 * `reason` may be NULL; on UNKNOWN it gets why. */
enum smt_answer smt_check(struct smt *smt, unsigned limit_ms, bool thorough, struct text *reason);

/* After SMT_SAT: the value of a term in the model found. */
bool smt_value_bool(struct smt *smt, smt_term a);
bool smt_value_int(struct smt *smt, smt_term a, int64_t *value); /* false: not an int64 */
bool smt_value_real(struct smt *smt, smt_term a, struct rational *value);

/* Whether any of the functions is applied in the term. */
bool smt_mentions(struct smt *smt, smt_term a, const smt_function *functions, size_t count);

/* Appends what is asserted as a complete script in SMT-LIB 2 that any solver reads: logic,
 * declarations, assertions, (check-sat). */
void smt_print(struct smt *smt, struct text *text);

/* Digest of what a term says (solver/smt/term_digest.h); in the smt. "": it has none. */
const char *smt_term_digest(struct smt *smt, smt_term a);

/* The same of everything that is asserted, but for `without`; false: it has none. Where two of
 * them are equal, be they of different smts, the one has a model exactly when the other has. */
bool smt_digest(struct smt *smt, const smt_term *without, size_t count,
                char digest[DIGEST_LENGTH + 1]);

/* "Z3 4.8.12", for the ledger. The text lives for ever. */
const char *smt_name(void);

#endif

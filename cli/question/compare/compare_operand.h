/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One of the two things that are compared: a measurement file, or a law: a saved one, or that of a
 * bound.
 */
#ifndef CLI_QUESTION_COMPARE_COMPARE_OPERAND_H
#define CLI_QUESTION_COMPARE_COMPARE_OPERAND_H

#include "cli/question/compare/compare.h"
#include "dist/statistics/serial.h"

struct operand {
  bool is_sample;
  struct sample sample;
  struct serial serial; /* of a sample: what its order says */
  bool wanders;         /* of a sample of one run, whose level moves more slowly than it lasts */
  bool assumes_draws;   /* of a sample whose order is not known, and matters */
  struct survival sides[2]; /* of a law, by side; a NULL tail: nothing is known on that side */
};

void operand_init(struct operand *operand);
void operand_clear(struct operand *operand);

/* Reads the file, which is a saved law when it is named .law or begins like one. Adds to the
 * ledger, with warnings of what makes a sample doubtful. Several paths are runs of the same. On failure one line in
 * `message`. */
enum status operand_read(struct operand *operand, const texts *paths,
                         const struct source_options *options, bool exchangeable,
                         struct ledger *ledger, struct text *message);

/* Independent observations that a sample is worth. */
uint64_t operand_worth(const struct operand *operand);

/* Makes a law of a sample: a band on each side, each with `alpha`, in units of 10^-18. */
void operand_make_law(struct operand *operand, uint64_t alpha);

/* Where the percentile of a law is. */
struct range operand_range(const struct operand *operand, const struct rational *share);

#endif

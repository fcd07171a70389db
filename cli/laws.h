/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The laws of a bound's occurrences: which file measures which, read once each, with its confidence
 * bands. The registry owns all of it.
 */
#ifndef CLI_LAWS_H
#define CLI_LAWS_H

#include "cli/options.h"
#include "dist/evaluate/evaluate.h"
#include "dist/source/sample.h"
#include "dist/source/source.h"
#include "lang/ground.h"

struct law_file {
  char *name; /* the file's, without folder and endings: "d.Ack" */
  char *path;
  struct sample sample;
  struct survival band[2];           /* by side, on the grid; made by laws_make_bands */
  const struct survival *instead[2]; /* by side: what counts for the time being, or NULL */
};

struct laws {
  const struct options *options;
  struct grid grid;
  uint64_t alpha; /* of each law, in units of 2^-61; 0: the sample is the whole truth */
  VECTOR(struct law_file *) files;
  VECTOR(size_t) by_occurrence; /* by occurrence id: index of its file */
  enum survival_side side;      /* of the laws that `find` gives */
  struct evaluate_laws find;    /* for evaluate_survival */
};

/* Finds and reads a file for every occurrence of the table and every bare name of the expression
 * that is mentioned; adds to the ledger. On failure one line in `message`. `laws` is initialised in
 * any case. */
enum status laws_init(struct laws *laws, const struct options *options,
                      const struct ground *expression, const struct ground_table *table,
                      struct ledger *ledger, struct text *message);
void laws_clear(struct laws *laws);

/* Splits 1 - confidence over the files and makes both bands of each on laws->grid; before any
 * evaluation, and again after a change of the grid. Adds to the ledger. */
void laws_make_bands(struct laws *laws, struct ledger *ledger);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The laws of a bound's occurrences: which file measures which, read once each, with its confidence
 * bands; or the law that --law writes. The registry owns all of it.
 */
#ifndef CLI_CALCULATE_LAWS_H
#define CLI_CALCULATE_LAWS_H

#include "cli/options.h"
#include "dist/evaluate/compose.h"
#include "dist/evaluate/evaluate.h"
#include "dist/source/sample.h"
#include "dist/source/source.h"
#include "lang/ground.h"

struct together;

/* A measured law, from a file, or one that is composed of measured ones. */
struct law_entry {
  char *name;      /* the file's, without folder and endings, "d.Ack"; or that of --law */
  char *path;      /* NULL: composed */
  char *component; /* that the file was first found for */
  struct sample sample;
  struct compose *compose; /* NULL: measured */
  bool is_used;            /* by an occurrence or a bare name, not only in other laws */
  bool has_cap;
  struct rational cap_ns;
  struct survival band[2];           /* by side, on the grid; made by laws_make_bands */
  struct survival modelled;          /* upper, with a modelled tail; without one it has no array */
  const struct survival *instead[2]; /* by side: what counts for the time being, or NULL */
};

struct laws {
  const struct options *options;
  struct grid grid;
  size_t measured; /* entries that are files */
  uint64_t alpha;  /* of each of them, in units of 10^-18; 0: the sample is the whole truth */
  VECTOR(struct law_entry *) entries;
  VECTOR(size_t) by_occurrence; /* by occurrence id: index of its entry */
  enum survival_side side;      /* of the laws that `find` gives */
  bool use_models;              /* whether they have their modelled tails */
  struct evaluate_laws find;    /* for evaluate_survival; its context is this */
  struct together *together;    /* of the calculation; for its groups */
};

/* Finds and reads a file for every occurrence of the table, every bare name of the expression that
 * is drawn and every name in laws that are composed; adds to the ledger. On failure one line in
 * `message`. `laws` is initialised in any case. */
enum status laws_init(struct laws *laws, const struct options *options,
                      const struct ground *expression, const struct ground_table *table,
                      struct ledger *ledger, struct text *message);
void laws_clear(struct laws *laws);

/* What --unit says of a measured entry, by its name or that of its component; NULL: nothing. */
const char *laws_unit(const struct options *options, const struct law_entry *entry);

/* The entry of an occurrence, or of a bare name when `occurrence` is NULL. */
size_t laws_entry_of(const struct laws *laws, const struct occurrence *occurrence,
                     const char *component);

/* Splits 1 - confidence over the files and makes both bands of each entry on laws->grid; before any
 * evaluation, and again after a change of the grid. `samples`, by entry: as if that many
 * observations with the same shares had been made; NULL: as there are. Adds to the ledger. */
enum status laws_make_bands(struct laws *laws, const uint64_t *samples, struct ledger *ledger,
                            struct text *message);

/* Says on stderr and in the ledger what makes the samples doubtful: units that are not plausible,
 * observations that do not look independent. `observed` may be NULL. */
void laws_warn(const struct laws *laws, const struct sample *observed, struct ledger *ledger);

/* The largest finite observation or cap of a measured entry, in ns. */
uint64_t law_entry_largest(const struct law_entry *entry);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times for simulated machines (solver/simulate), drawn from what was measured: each time an
 * observation of the most specific file, as for `percentiles --data`, any of them with the same
 * chance, and again and again. One that is known to lie between two edges is drawn uniformly
 * between them. Of a table joint.csv one row is drawn for each execution, and what it has columns
 * of is taken from it.
 */
#ifndef CLI_QUESTION_MACHINES_SUPPLY_H
#define CLI_QUESTION_MACHINES_SUPPLY_H

#include "base/random.h"
#include "cli/question/setting.h"
#include "cli/question/verify/parameters.h"
#include "dist/source/joint.h"
#include "dist/source/sample.h"
#include "solver/simulate/machines.h"

struct supply_entry {
  char *path; /* of the file, or "--always NAME" */
  struct sample sample;
  uint64_t *upto; /* by bin: observations in it and those before */
};

struct supply {
  const char *data;                      /* folder, or NULL */
  const settings *units, *always;        /* "us"; "3ms" */
  const settings *selects;               /* of a file with several kinds of requests */
  const struct parameters *parameters;   /* for names of times */
  VECTOR(struct supply_entry *) entries; /* owned */
  VECTOR(size_t) by_occurrence;          /* index + 1; 0: not looked for yet */
  size_t *by_component;                  /* the same, of what has no name of its own */
  size_t component_count;
  struct joint joint;
  bool has_joint;
  size_t row;
  struct random random;
  struct source_notes notes; /* of the files that were read */
  struct text message;       /* why there is no time */
  enum status status;
  struct rational bare; /* the latest bare name's worth */
};

/* Fills in all behind `parameters`. STATUS_NO_INPUT, STATUS_DATA or STATUS_USAGE with `message`. */
enum status supply_init(struct supply *supply, const struct model *model);
void supply_clear(struct supply *supply);

/* For a new execution. */
void supply_begin(struct supply *supply, uint64_t seed);

/* As machines ask for them; a draw that is false leaves `status` and `message`. */
struct machines_supply supply_of(struct supply *supply);

#endif

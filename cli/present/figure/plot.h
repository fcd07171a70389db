/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The picture of a result: the distribution function and the tail of a bound and of what it is held
 * against, as SVG, PNG or one HTML page that needs nothing else. Curves are thinned to what can be
 * seen, outward: a drawn upper bound is never left of the computed one, a lower one never right.
 *
 * A plot borrows everything that it points to until plot_clear, which releases only its lists.
 */
#ifndef CLI_PRESENT_FIGURE_PLOT_H
#define CLI_PRESENT_FIGURE_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"
#include "base/ledger.h"
#include "show/table.h"
#include "dist/source/sample.h"
#include "dist/survival/survival.h"

enum plot_kind {
  PLOT_UPPER,      /* the bound, upper side */
  PLOT_LOWER,      /* the bound, lower side */
  PLOT_UNKNOWN,    /* the upper bound for any dependence */
  PLOT_OBSERVED,   /* end-to-end observations */
  PLOT_BAND_UPPER, /* confidence band of the observations; the legend has the upper's name */
  PLOT_BAND_LOWER,
  PLOT_FIRST,       /* observations that others are compared with, which are PLOT_OBSERVED */
  PLOT_FIRST_UPPER, /* their band, or both sides of a law */
  PLOT_FIRST_LOWER,
};
#define PLOT_KINDS 9

struct plot_curve {
  const char *name; /* for the legend: "bound", "observed, 10000 rounds" */
  enum plot_kind kind;
  const struct survival *survival; /* all but PLOT_OBSERVED, on the side of its kind */
  const struct sample *sample;     /* PLOT_OBSERVED and PLOT_FIRST; not empty */
  /* Tails of at most this, in units of 10^-18, rest on a model and are drawn dashed; 0: none. */
  uint64_t model_tail;
};

/* A value that may be missing, or infinite. */
struct plot_value {
  bool given, finite;
  uint64_t ns;
};

struct plot_row {
  const char *percentile; /* "99.9" */
  double share;           /* 0.999 */
  struct plot_value upper;
};

/* What a component contributes to the chosen percentile: by how much the percentile would drop if
 * the component took no time. Such drops need not add up. */
struct plot_part {
  const char *name;
  struct plot_value drop;
  const char *instead; /* what is said where there is no number, or NULL */
};

/* What was measured of a component. */
struct plot_source {
  const char *name;
  uint64_t samples;
  const struct sample *sample; /* NULL: its curve is not drawn */
};

/* A time that is marked in both panels. */
struct plot_mark {
  double ns;
  const char *label;
};

/* One occurrence of those that make the bound, one after the other. */
struct plot_link {
  const char *name;
  double ns; /* > 0 */
};

struct plot {
  VECTOR(struct plot_source) sources;
  VECTOR(struct plot_link) links; /* none: no chain */
  const char *chain;              /* of what the chain is, in a sentence */
  VECTOR(struct plot_mark) marks;
  VECTOR(struct plot_curve) curves;
  VECTOR(struct plot_row) rows;
  VECTOR(struct plot_part) parts;
  size_t chosen; /* the row that the parts are about */
};

/* One that is all zero is empty. */
void plot_clear(struct plot *plot);

#endif

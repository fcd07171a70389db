/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `tailproof compare A B` finds: for each subject (a component of two folders, or all there
 * is) and each percentile, between which values A's and B's lie, and what follows.
 */
#ifndef CLI_QUESTION_COMPARE_COMPARE_H
#define CLI_QUESTION_COMPARE_COMPARE_H

#include "cli/question/law/request.h"
#include "cli/question/percentiles/calculation.h"
#include "cli/question/percentiles/percentile_list.h"
#include "base/ledger.h"
#include "dist/statistics/serial.h"
#include "dist/statistics/two_sample.h"
#include "dist/survival/survival.h"

struct range {
  bool lower_finite, upper_finite;
  uint64_t lower_ns, upper_ns;
};

/* Without a margin the question is whether B is slower, with one whether it is at most that many
 * times A. */
enum compared_verdict {
  COMPARED_SLOWER,        /* B certainly is, by more than the margin */
  COMPARED_FASTER,        /* B certainly is; without a margin */
  COMPARED_NO_DIFFERENCE, /* neither is shown; without a margin */
  COMPARED_WITHIN,        /* B is certainly at most the margin times A */
  COMPARED_UNDECIDED,     /* these data cannot tell */
};

struct compared {
  size_t wanted;   /* which percentile */
  uint64_t needed; /* independent observations of each for a finite end, at least; 0: not said */
  struct range a, b;
  enum compared_verdict verdict;
};

/* P(b > a) of one observation of each, ties half; of few observations instead whether they are of
 * one law (rank_exact.h). */
struct tendency {
  bool tested;        /* then: */
  bool exact;         /* few observations: only `chance`, factor_least and factor_most */
  double least, most; /* it lies between */
  double chance;      /* of ranks so far apart, were both of one law; both directions together */
  double factor_least, factor_most; /* B over A, were one a multiple of the other; 0 to INFINITY */
  enum compared_verdict
      verdict; /* undecided: a series drifts, or depends on its past for too long */
};

/* What both have above an edge that buckets of both have. */
struct compared_edge {
  uint64_t ns;
  uint64_t a_above, b_above; /* observations */
  double chance;             /* that they are so far apart, one way, if one share of both is */
  enum compared_verdict verdict;
};

/* What a picture needs of A or B; owned. */
struct compared_curve {
  struct sample sample;     /* without observations where a law was compared */
  struct survival sides[2]; /* by side, each with its share of the confidence; a NULL tail: none */
};

/* What a sample that was compared knows of itself; owned. */
struct compared_evidence {
  struct evidence evidence;
  bool ordered;
  struct serial serial;
};

struct subject {
  char *name;                      /* the component; NULL: all there is */
  struct compared_curve curves[2]; /* of A and B, where the request keeps them */
  VECTOR(struct compared) rows;
  bool has_samples; /* then: */
  struct compared_evidence evidence[2];
  uint64_t a_count, b_count;
  uint64_t a_runs, b_runs;   /* that they come from and are held against each other; 0: one */
  uint64_t a_worth, b_worth; /* independent observations that they are worth */
  bool assumes_draws; /* the order of some is not known: what is found holds if they are independent
                       */
  bool wanders;   /* the level of one run moves more slowly than it lasts: it is of these runs */
  bool unsettled; /* they drift or depend on each other for too long: nothing can be said */
  struct two_sample_gap a_slower, b_slower;
  struct tendency tendency;
  VECTOR(struct compared_edge) edges; /* then the tendency was not tested */
  uint64_t a_total, b_total;          /* observations that these are of */
};

struct compare_request {
  struct calculation_request of; /* of.path NULL: the measurements themselves, not a bound */
  const char *paths[2];          /* A and B: files, folders, saved laws */
  settings runs;                 /* A=PATH or B=PATH: further runs of it, files or folders */
  const char *percentiles;       /* "50,90,99.9" */
  const char *margin;            /* "1.05" or NULL */
  bool keep;                     /* the curves, for a picture */
};

/* How the bound was proved with which percentiles are compared. */
struct compare_proof {
  struct calculation_request request;
  struct calculation calculation;
};

/* The answer. */
struct compare {
  const struct compare_request *request;
  enum status status;          /* the exit code; where it is a failure the asker knows why */
  bool found;                  /* whether there is a comparison */
  struct compare_proof *proof; /* NULL: no bound was proved; owned */
  wanted_list wanted;
  bool has_margin;
  struct rational margin; /* > 0 */
  VECTOR(struct subject) subjects;
  VECTOR(char *) alone; /* components that only one of the two folders has */
  struct ledger ledger;
};

/* `request` must outlive the answer, which is initialised in any case. */
enum status compare_ask(struct compare *compare, const struct compare_request *request);
void compare_clear(struct compare *compare);

/* Appends a row to the subject, with its verdict; undecided where the subject is unsettled. */
void compare_add(struct compare *compare, struct subject *subject, size_t wanted,
                 const struct range *a, const struct range *b);

/* What is found if draws whose order is not known are independent: as compare_status. */
enum status compare_status_of_draws(const struct compare *compare);

/* Whether that is only so on this condition. */
bool compare_is_conditional(const struct compare *compare);

/* Exit code of the whole: 4 where it is so of these runs alone, 3 where it is on that condition, else 1 when B is slower somewhere, else
 * 2 when something is undecided, else 0. */
enum status compare_status(const struct compare *compare);

/* "slower", "no difference shown" */
const char *compared_name(enum compared_verdict verdict);

/* B / A: the least and the most that it can be; most may be infinite. Rounded outward. */
double range_ratio_least(const struct range *a, const struct range *b);
double range_ratio_most(const struct range *a, const struct range *b);

#endif

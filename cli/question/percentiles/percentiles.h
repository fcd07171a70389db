/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `tailproof percentiles` calculates, and how it is shown. Every percentile is an interval:
 * the bound's percentile is in it.
 */
#ifndef CLI_QUESTION_PERCENTILES_PERCENTILES_H
#define CLI_QUESTION_PERCENTILES_PERCENTILES_H

#include "cli/question/percentiles/calculation.h"
#include "cli/question/percentiles/dependence.h"
#include "cli/question/percentiles/estimate.h"
#include "cli/question/percentiles/improve.h"
#include "cli/question/percentiles/missing_time.h"
#include "cli/question/percentiles/percentile_list.h"
#include "cli/question/percentiles/slo.h"
#include "dist/source/sample.h"
#include "dist/statistics/compare.h"
#include "dist/statistics/levels.h"

/* What an observation says of a percentile of the bound. */
enum observation {
  OBSERVATION_DOMINATED,     /* exit 0: the system's percentile is at most the bound's */
  OBSERVATION_WITHIN_CHANCE, /* 0: nothing contradicts that, but it is not shown either */
  OBSERVATION_NOT_DOMINATED, /* 1: it is above it, by more than chance */
  OBSERVATION_CANNOT_TELL,   /* 2 */
};

enum observation_why {
  OBSERVATION_CLEAR,
  OBSERVATION_NO_BOUND,  /* the bound is infinite there */
  OBSERVATION_COARSE,    /* the bound lies inside the bucket of the observation */
  OBSERVATION_FEW,       /* so few observations leave both possible */
  OBSERVATION_UNSETTLED, /* observations drift, of the system or of its components */
};

/* What was found of one percentile. */
struct percentile {
  struct rational share;
  struct interval interval, proved; /* with modelled tails, where there are any; without */
  uint64_t samples_needed; /* of each component, for an upper end that is finite; 0: no number */
  enum endless endless;    /* why it is infinite with any number of samples */
  /* with observations: */
  bool observed_finite;
  uint64_t observed_ns;             /* the percentile of what was observed, by upper edges */
  uint64_t least_ns, most_ns;       /* the system's percentile lies between, with the confidence of
                                     * the whole for each end; most SAMPLE_NS_MAX: infinite */
  bool least_settled, most_settled; /* else the end shows nothing */
  enum observation observation;
  enum observation_why why;
};

/* What was found under one assumption on dependence. */
struct curve {
  struct estimate estimate;
  struct comparison comparison;          /* with the observations, if there are any */
  bool settled;                          /* whether the comparison may be believed */
  VECTOR(struct percentile) percentiles; /* of each share that anything asks for */
};

#define CURVES_MAX 2

/* Why an objective is in its state. */
enum slo_basis {
  SLO_BY_BOUND,        /* the interval of the percentile */
  SLO_BY_ANY,          /* that for any dependence */
  SLO_BY_ASSUMPTION,   /* that for independence, which the user asserts */
  SLO_BY_OBSERVATION,  /* what was observed end to end */
  SLO_NOT_INDEPENDENT, /* undecided: it would be decided if independent, which rows refute */
  SLO_BY_RUN,          /* the requests of this run, whatever the next one does */
};

/* One objective on one curve. */
struct slo_result {
  size_t slo, curve;
  enum slo_state state;
  enum slo_basis basis;
  uint64_t any_upper_ns, any_lower_ns; /* SLO_BY_ANY */
  uint64_t run_lower_ns;               /* SLO_BY_RUN */
  bool in_bucket; /* undecided: also if these observations were the whole truth, as their percentile
                   * is in a bucket that the limit is within; then that bucket: */
  uint64_t bucket_lower_ns, bucket_upper_ns; /* upper SAMPLE_NS_MAX: without an end */
  improvement_list improvements;             /* unless it is met */
};

/* --above: a time. */
struct above {
  const char *text;
  struct rational ns;
};

struct percentiles_request {
  struct calculation_request of;
  const char *percentiles;     /* "50,90,99.9" */
  texts slo, slo_files, above; /* "p99<50ms"; files of objectives; "20ms" */
  const char *contributions;   /* to this percentile, or NULL */
  enum dependence_wish dependence;
  bool chain; /* also to some percentile, for a picture */
};

/* The answer. */
struct percentiles {
  const struct percentiles_request *request;
  enum status status; /* the exit code; where it is a failure the asker knows why */
  bool found;         /* whether there are percentiles */
  bool has_calculation;
  struct calculation calculation;
  wanted_list wanted;
  VECTOR(struct curve) curves; /* at least one */
  struct sample observed;
  struct levels *observed_levels;        /* what its order says; owned */
  bool has_observed, observed_is_column; /* column: of a table of --joint */
  struct sample paired;                  /* what was observed without what could not be paired, */
  uint64_t unpaired;                     /* and how many those are */
  bool bound_assumes_draws, observed_assumes_draws; /* as nobody knows their order */
  bool bound_wanders, observed_wanders; /* the level of one run moves more slowly than it lasts */
  bool one_run;      /* some limits are of one run, and what differs from run to run is not known */
  size_t not_within; /* requests whose upper edge is above that of the bound evaluated for them */
  size_t exceeding;  /* requests that certainly took longer than the bound evaluated for them; where
                      * the observation is a column of the table that the bound is evaluated with */
  bool is_paired;
  struct missing_time missing;
  struct dependence_test test;
  slo_list slos;
  VECTOR(struct slo_result) results;
  bool has_any;        /* then: */
  struct estimate any; /* for any dependence */
  VECTOR(struct above) above;
  size_t chosen; /* the percentile that the contributions are to, an index of wanted */
  contribution_list contributions; /* to the first curve */
};

/* What can be refused without reading the protocol: the percentiles, objectives and times. `run` is
 * initialised in any case, and cleared by the caller. */
enum status percentiles_init(struct percentiles *run, const struct percentiles_request *request);
/* Reads protocol and measurements, and evaluates: all but the proof. */
enum status percentiles_prepare(struct percentiles *run);
/* Proves the bound; nothing is to be said of percentiles without STATUS_OK. */
enum status percentiles_prove(struct percentiles *run);
/* Tests what rests on independence, and finds the percentiles. */
void percentiles_conclude(struct percentiles *run);
/* All of it, one after the other, with the answers to objectives. `request` must outlive the
 * answer. */
enum status percentiles_ask(struct percentiles *run, const struct percentiles_request *request);
void percentiles_clear(struct percentiles *run);

/* Finds the percentiles of all shares that are asked for; after the evaluation, the reading of the
 * observation and of the questions. */
void percentiles_find(struct percentiles *run);

/* One that was found; a bug when nothing asked for the share. */
const struct percentile *percentiles_at(const struct percentiles *run, const struct curve *curve,
                                        const struct rational *share);

/* Of an objective on several curves the result that counts: what holds for any dependence holds for
 * independence too. */
const struct slo_result *percentiles_decisive(const struct percentiles *run, size_t slo);

/* Of the observation on one curve: the exit code. */
enum status percentiles_status_of_curve(const struct percentiles *run, const struct curve *curve);

/* Of all percentiles, observations and objectives: the exit code. */
enum status percentiles_status(const struct percentiles *run);

/* Appends where the excess is, in percent: "97.14", rounded up. */
void excess_print(struct text *text, const struct excess *excess);

/* "independent", "unknown" */
const char *dependence_name(enum dependence dependence);

/* Bounds of the chance that the bound's value exceeds a time, in units of 10^-18. */
struct chance {
  uint64_t lower, upper;
  bool model_based; /* the upper one rests on a modelled tail */
};
struct chance percentiles_above(const struct percentiles *run, const struct curve *curve,
                                const struct rational *ns);

/* Appends a chance in units of 10^-18 in four digits, rounded to the side. */
void chance_print(struct text *text, uint64_t chance, enum survival_side side);

/* Reads --slo, --above and --contributions; STATUS_USAGE after the asker was told. */
enum status percentiles_read_questions(struct percentiles *run);
/* Judges every objective on every curve. */
enum status percentiles_judge(struct percentiles *run);
/* The same, and looks for what would make it hold. */
enum status percentiles_answer(struct percentiles *run);
void percentiles_clear_questions(struct percentiles *run);

/* The reason of a verdict, as a sentence: "p99.9 is at most 4.1 ms". */
void slo_explain(struct text *text, const struct percentiles *run, const struct slo_result *result);

#endif

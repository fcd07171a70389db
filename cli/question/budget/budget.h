/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `budget`: from an objective of the whole to promises of its parts that suffice.
 *
 * A *part* is a component, the delays of one message, or a group of these. Its *promise*, "p99.9 of
 * each of its occurrences is at most 5 ms", can be kept and checked without knowing the others. The
 * promises suffice whatever the dependence, or where it is asked for, if occurrences are
 * independent (dist/budget/spend.h).
 */
#ifndef CLI_QUESTION_BUDGET_BUDGET_H
#define CLI_QUESTION_BUDGET_BUDGET_H

#include "cli/question/percentiles/calculation.h"
#include "cli/question/percentiles/estimate.h"
#include "cli/question/percentiles/slo.h"
#include "dist/budget/split.h"

struct budget_request {
  struct calculation_request of;
  texts slo;         /* one: "p99<50ms" */
  settings weights;  /* by part: how much of the room it gets, "2" */
  settings fixed;    /* by part: what it promises already, "p99.9<5ms" */
  settings groups;   /* NAME=PART,PART: parts that make one promise */
  const char *costs; /* a table of what promises cost, or NULL (cli/question/budget/costs.h) */
  bool each;         /* a part is a series of measurements, such as one host's */
  bool independent;  /* rest on independence */
  const char *also;  /* percentiles that each part promises besides, "50,90", or NULL */
  bool round;        /* percentiles such as p99.9 and times of two digits */
};

struct budget_part {
  char *name; /* owned */
  double weight;
  bool is_fixed;
  VECTOR(size_t) entries; /* of the laws */
  uint64_t observations;  /* the least of its entries' */
  size_t occurrences;     /* that the bound has of it, */
  size_t alone_in_sum;    /* and of these, that are in no order statistic */
  struct split_point *points;
  size_t point_count;
  struct promise promise;
  double base_ns;              /* what the promise's limit is without any room */
  struct promise settled;      /* as the search left it, before it was shortened */
  VECTOR(struct promise) also; /* further points of its curve */
  VECTOR(double) also_ns;      /* the same of these */
  bool is_edge;                /* the limit is an edge of the buckets that it was measured in */
  uint64_t now_ns;             /* what it takes today at the same miss */
  bool is_seen;                /* observations reach so far: the miss is at least one in as many */
  uint64_t lower, upper;       /* the chance that it exceeds the limit today lies between */
  double cost;                 /* of its promise, by the table */
  bool has_alone;              /* then: */
  double alone;                /* its room if all others stay as they are; 0.2: 20 % slower */
};

/* Of an order statistic of the bound: how it spends. */
struct budget_quorum {
  char *name; /* owned: "the 2nd of 3 of d.Write + Apply" */
  struct quorum_spend spend;
};

/* Of a message, from the request on. */
struct budget_deadline {
  const char *message;
  uint64_t timeout_ns; /* it has come if all parts keep their promises */
  uint64_t until_ns; /* the objective is met if it has come, and all that follows is as promised */
};

struct budget {
  const struct budget_request *request;
  enum status status;
  bool found; /* promises that suffice; with a room_left below 0 parts have to become faster */
  bool has_calculation;
  struct calculation calculation;
  slo_list slos;
  uint64_t chance; /* that the objective allows */
  VECTOR(struct budget_part) parts;
  VECTOR(size_t) part_of;    /* by occurrence id */
  struct budget_nodes nodes; /* of the bound's expression */
  VECTOR(struct budget_quorum) quorums;
  VECTOR(struct budget_deadline) deadlines; /* by the time-out */
  double room;                              /* 0 by a table of costs */
  double without_room_ns; /* the bound, if each part had its limit without any room */
  double room_left;       /* of room, when limits have few digits or are edges of buckets */
  bool by_curves;     /* the room is more than the promises alone allow, without those besides */
  double cost;        /* of all promises, by the table; then: */
  bool is_least_cost; /* no others that suffice cost less */
  bool within;        /* with each part at its limit the bound keeps to the objective */
  uint64_t spent;     /* by the sum of the rules */
  uint64_t confirmed; /* by the evaluators */
  bool is_refuted_independent; /* rows show that the occurrences are not */
  bool has_joint;              /* whole requests were measured; then: */
  struct interval joint;       /* the objective's percentile, with the dependence that they had */
};

/* `request` must outlive the answer, which is initialised in any case. The status is STATUS_OK
 * where all parts keep their promises today, STATUS_REFUTED where one does not, or no room is left;
 * STATUS_UNKNOWN where the measurements do not tell, STATUS_CONDITIONAL where they do if they are
 * independent draws, or if occurrences are independent, STATUS_OF_RUN where they do of the one run that was measured. */
enum status budget_ask(struct budget *budget, const struct budget_request *request);
void budget_clear(struct budget *budget);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why the slow requests are slow: what each cause adds to them over the rest, and whether that is
 * more than chance.
 *
 *   difference   of the means of the slow and the rest (trace/tail/difference.h); the differences of
 *                all causes add up to that of the latency
 *   significant  the cause tends to take longer in slow requests, or its highest times are more
 *                often in them, beyond chance (significance.h): with chance at most `level` any
 *                service or cause is named wrongly
 *   necessary    of the slow requests, the share that would not exceed the threshold if the cause,
 *                or all of a service, had taken its usual time, the median of the rest
 *   sufficient   of the requests of the rest below the threshold, the share that would exceed it if
 *                the cause had taken as long as in a slow request drawn at random
 *
 * Shares have the intervals of Clopper and Pearson (1934).
 */
#ifndef TRACE_TAIL_REPORT_H
#define TRACE_TAIL_REPORT_H

#include <stdbool.h>

#include "trace/tail/difference.h"
#include "trace/tail/split.h"

enum {
  TAIL_LEAST = 20,     /* requests of each side of which something can be told */
  TAIL_CLUSTERS = 5,   /* clusters of slow requests, where requests have any */
  TAIL_TOGETHER = 4,   /* causes that a group is told by, at most */
  TAIL_REPLAYED = 4000 /* requests of a side that are replayed, evenly spread over all */
};

struct tail_share {
  size_t count, of;
  double least, most; /* of the share; 0 and 1 of none */
};

/* How chance was told from the course of time (blocks.h). */
enum tail_course {
  TAIL_UNTESTED,
  TAIL_WITHIN, /* compared within blocks of time */
  TAIL_APART,  /* slow requests come at another time than the rest: blocks of the one side are held
                    against those of the other */
  TAIL_IN_TURNS, /* the same, and these times take turns */
};

struct tail_finding {
  uint32_t cause;
  struct tail_difference difference;
  bool other; /* of CAUSE_OTHER: never tested */
  bool significant;
  enum tail_course course;                 /* of its parts */
  struct tail_share necessary, sufficient; /* of significant ones */
};

struct tail_service_finding {
  uint32_t service;
  size_t causes; /* of it */
  struct tail_difference difference;
  bool significant;
  enum tail_course course;
  struct tail_share necessary, sufficient; /* of significant ones */
};

/* Slow requests that the same causes make slow: without the excess of all of them, and not without
 * the larger ones alone, they would be below the threshold. */
struct tail_group {
  size_t count; /* of causes; 0: no significant causes do that, or more than TAIL_TOGETHER */
  uint32_t causes[TAIL_TOGETHER]; /* in the order of the findings; from the number of causes on,
                                     services none of whose causes is significant */
  struct tail_share share;        /* of the slow requests above the threshold */
};

struct tail_report {
  struct tail_difference latency;
  size_t slow_observed, rest_observed; /* observations: requests, or clusters of them */
  bool enough; /* TAIL_LEAST requests or more on each side; of clusters, TAIL_CLUSTERS slow ones */
  bool slower; /* the slow ones are significantly slower; always by a threshold */
  bool faster; /* they are significantly faster, where both ways are looked for */
  enum tail_course course;                  /* of the latency, where a label says what is slow */
  struct tail_share slow_above, rest_above; /* the threshold */
  size_t tested, significant;               /* causes */
  size_t named;                             /* services that are significant */
  VECTOR(struct tail_service_finding) services; /* the largest difference first */
  VECTOR(struct tail_finding) findings;         /* the largest difference first; CAUSE_OTHER last */
  VECTOR(struct tail_group) groups;             /* the largest first */
};

/* How the sides of a split are compared. It depends on the sides alone. */
enum tail_course tail_course_of(const struct tail_split *split);

/* `level` of significance, 0 < level < 1; the intervals have confidence 1 - level. There are
 * requests on both sides, and what is usual is settled. */
void tail_report_make(struct tail_report *report, const struct tail_causes *causes,
                      const struct tail_split *split, double level);
/* The same, with causes that are significant by another split of the same requests, which calls
 * more of them slow: where the slow ones are few clusters. The report's `enough`, `slower` and
 * observations are its. */
void tail_report_judge(struct tail_report *report, const struct tail_causes *causes,
                       const struct tail_split *split, const struct tail_split *judged,
                       double level);
void tail_report_clear(struct tail_report *report);

/* Of how many slow requests the cause is necessary, at confidence 1 - level. */
struct tail_share tail_necessary(const struct tail_causes *causes, const struct tail_split *split,
                                 uint32_t cause, double level);

/* count of n, with its interval. */
struct tail_share tail_share_of(size_t count, size_t of, double level);

#endif

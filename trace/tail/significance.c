/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/tail/significance.h"

#include <math.h>

#include "dist/statistics/special.h"

/* The part of all values that is called the highest; TAIL_LEAST of them or more. */
static const double TAIL_HIGHEST = 0.05;

/* --- one difference --------------------------------------------------------------------------- */

/* By time; with `above`, of whether values are above it. */
static enum rank_verdict test_blocks(const int64_t *values, const struct tail_split *split,
                                     double alpha, const int64_t *above, bool means) {
  int64_t *both = mem_alloc(split->requests, sizeof *both);
  bool *slow = mem_alloc(split->requests, sizeof *slow);
  size_t count = 0;
  for (size_t i = 0; i < split->requests; i++) {
    if (split->sides[i] == TAIL_NEITHER)
      continue;
    slow[count] = split->sides[i] == TAIL_SLOW;
    both[count++] = above == NULL ? values[i] : values[i] > *above;
  }
  enum rank_verdict verdict = (means ? blocks_means_test : blocks_test)(both, slow, count, alpha);
  mem_free(both);
  mem_free(slow);
  return verdict;
}

enum tail_course tail_course_of(const struct tail_split *split) {
  bool *slow = mem_alloc(split->requests, sizeof *slow);
  size_t count = 0;
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] != TAIL_NEITHER)
      slow[count++] = split->sides[i] == TAIL_SLOW;
  enum blocks_place place = blocks_place_of(slow, count);
  mem_free(slow);
  return place == BLOCKS_WITHIN ? TAIL_WITHIN : place == BLOCKS_APART ? TAIL_APART : TAIL_IN_TURNS;
}

/* The value that the highest of both sides exceed. */
static int64_t highest(const int64_t *values, const struct tail_split *split) {
  int64_t *both = mem_alloc(split->requests, sizeof *both);
  size_t count = 0;
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] != TAIL_NEITHER)
      both[count++] = values[i];
  double part = fmax(TAIL_HIGHEST, (double)TAIL_LEAST / (double)count);
  int64_t above = tail_percentile(both, count, 100 * (1 - part));
  mem_free(both);
  return above;
}

/* Fisher's exact test, of one direction: so many of a side above or more. */
static double chance_of(const struct tail_split *split, uint64_t slow, uint64_t all, bool b) {
  return b ? special_hypergeometric_from(slow, split->slow, split->rest, all)
           : special_hypergeometric_from(all - slow, split->rest, split->slow, all);
}

/* Fisher's exact test takes observations for independent, the test of blocks takes only blocks so
 * and is asymptotic: both must agree. */
static enum rank_verdict test_highest(const int64_t *values, const struct tail_split *split,
                                      double alpha) {
  int64_t above = highest(values, split);
  uint64_t slow = 0, all = 0;
  for (size_t i = 0; i < split->requests; i++) {
    slow += split->sides[i] == TAIL_SLOW && values[i] > above;
    all += split->sides[i] != TAIL_NEITHER && values[i] > above;
  }
  bool b = chance_of(split, slow, all, true) <= alpha / 2;
  if (!b && chance_of(split, slow, all, false) > alpha / 2)
    return RANK_UNDECIDED;
  enum rank_verdict said = b ? RANK_B_SLOWER : RANK_A_SLOWER;
  if (split->slow < TAIL_LEAST)
    return said;
  return test_blocks(values, split, alpha, &above, false) == said ? said : RANK_UNDECIDED;
}

/* `alpha` is of both directions together. */
static enum rank_verdict test_observations(enum tail_course *course, const int64_t *values,
                                           const struct tail_split *split, double alpha) {
  if (split->slow < TAIL_LEAST)
    return test_highest(values, split, alpha / 2);
  *course = tail_course_of(split);
  enum rank_verdict verdict = test_blocks(values, split, alpha / 2, NULL, false);
  if (verdict != RANK_UNDECIDED)
    return verdict;
  return *course == TAIL_APART ? test_blocks(values, split, alpha / 2, NULL, true)
                               : test_highest(values, split, alpha / 2);
}

enum rank_verdict tail_test(enum tail_course *course, const int64_t *values,
                            const struct tail_split *split, double level) {
  double alpha = fmin(split->both_ways ? level : 2 * level, 1);
  *course = TAIL_UNTESTED;
  if (split->cluster == NULL)
    return test_observations(course, values, split, alpha);
  struct tail_split collapsed;
  int64_t *means = tail_split_collapse(&collapsed, split, values);
  enum rank_verdict verdict = test_observations(course, means, &collapsed, alpha);
  mem_free(means);
  tail_split_clear(&collapsed);
  return verdict;
}

/* Whether the values differ in the direction in which their means do. */
static bool differs(enum tail_course *course, const int64_t *values, const struct tail_split *split,
                    double difference, double level) {
  if (difference == 0 || (difference < 0 && !split->both_ways))
    return false;
  return tail_test(course, values, split, level) ==
         (difference > 0 ? RANK_B_SLOWER : RANK_A_SLOWER);
}

/* --- all of them ------------------------------------------------------------------------------ */

/* A service, or a cause that is of none, with the causes in it. */
struct family {
  int64_t *parts;                       /* of a service; else NULL */
  struct tail_service_finding *service; /* NULL: of no service */
  double weight;
  bool significant;
  VECTOR(struct tail_finding *) causes;
  double *weights; /* by cause; they add up to 2 */
  size_t named;    /* causes that are significant */
};

struct judgement {
  const struct tail_causes *causes;
  const struct tail_split *split;
  double level;
  VECTOR(struct family) families;
};

static void add_family(struct judgement *j, struct tail_service_finding *service,
                       struct tail_finding *cause) {
  vector_push(&j->families, (struct family){.service = service});
  if (cause != NULL)
    vector_push(&j->families.data[j->families.count - 1].causes, cause);
}

/* The variance over the requests of both sides. */
static double spread_of(const int64_t *values, const struct tail_split *split) {
  double mean = 0, squares = 0, n = (double)(split->slow + split->rest);
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] != TAIL_NEITHER)
      mean += (double)values[i] / n;
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] != TAIL_NEITHER)
      squares += ((double)values[i] - mean) * ((double)values[i] - mean);
  return squares / n;
}

/* Half of what there is equally, half by spread. */
static double weight_of(double spread, double all, size_t count) {
  return 1 / (double)count + (all > 0 ? spread / all : 1 / (double)count);
}

static const int64_t *parts_of(const struct judgement *j, const struct tail_finding *finding) {
  return j->causes->causes.data[finding->cause].parts;
}

static void weigh_causes(const struct judgement *j, struct family *family) {
  double all = 0;
  size_t count = family->causes.count;
  family->weights = mem_alloc(count, sizeof *family->weights);
  for (size_t i = 0; i < count; i++)
    all += family->weights[i] = spread_of(parts_of(j, family->causes.data[i]), j->split);
  for (size_t i = 0; i < count; i++)
    family->weights[i] = weight_of(family->weights[i], all, count);
}

static void weigh(struct judgement *j) {
  double all = 0;
  for (size_t i = 0; i < j->families.count; i++) {
    struct family *family = &j->families.data[i];
    weigh_causes(j, family);
    family->weight = spread_of(
        family->parts == NULL ? parts_of(j, family->causes.data[0]) : family->parts, j->split);
    all += family->weight;
  }
  for (size_t i = 0; i < j->families.count; i++)
    j->families.data[i].weight = weight_of(j->families.data[i].weight, all, j->families.count);
}

static void find_families(struct judgement *j, struct tail_report *report) {
  for (size_t i = 0; i < report->services.count; i++) {
    struct tail_service_finding *service = &report->services.data[i];
    add_family(j, service, NULL);
    struct family *family = &j->families.data[i];
    family->parts = tail_service_parts(j->causes, service->service);
    for (size_t c = 0; c < report->findings.count; c++)
      if (j->causes->causes.data[report->findings.data[c].cause].service == service->service)
        vector_push(&family->causes, &report->findings.data[c]);
  }
  for (size_t c = 0; c < report->findings.count; c++) {
    struct tail_finding *finding = &report->findings.data[c];
    if (!finding->other && j->causes->causes.data[finding->cause].service == TAIL_NO_SERVICE)
      add_family(j, NULL, finding);
  }
}

/* Families of which something is left to be named share the level. */
static double level_of_weight(const struct judgement *j) {
  double open = 0;
  for (size_t i = 0; i < j->families.count; i++) {
    const struct family *f = &j->families.data[i];
    open += !f->significant || f->named < f->causes.count ? f->weight : 0;
  }
  return open <= 0 ? 0 : j->level / open;
}

static void name_cause(struct family *family, struct tail_finding *finding) {
  finding->significant = true;
  family->named++;
}

static bool judge_family(const struct judgement *j, struct family *family, double level) {
  struct tail_finding *first = family->causes.data[0];
  enum tail_course *course = family->service == NULL ? &first->course : &family->service->course;
  const int64_t *parts = family->service == NULL ? parts_of(j, first) : family->parts;
  double difference = family->service == NULL ? first->difference.difference
                                              : family->service->difference.difference;
  if (!differs(course, parts, j->split, difference, level))
    return false;
  family->significant = true;
  if (family->service != NULL)
    family->service->significant = true;
  if (family->causes.count == 1) {
    first->course = *course;
    name_cause(family, first);
  }
  return true;
}

/* The most that causes which do not differ can weigh: one of a service that differs does. */
static double weight_left(const struct family *family) {
  double left = 0, least = INFINITY;
  for (size_t i = 0; i < family->causes.count; i++) {
    left += family->causes.data[i]->significant ? 0 : family->weights[i];
    least = fmin(least, family->weights[i]);
  }
  return family->named == 0 ? left - least : left;
}

static bool judge_causes(const struct judgement *j, struct family *family, double level) {
  bool more = false;
  double left = weight_left(family);
  for (size_t i = 0; i < family->causes.count; i++) {
    struct tail_finding *finding = family->causes.data[i];
    if (finding->significant ||
        !differs(&finding->course, parts_of(j, finding), j->split, finding->difference.difference,
                 level * family->weights[i] / left))
      continue;
    name_cause(family, finding);
    more = true;
  }
  return more;
}

/* Without probabilities: what passes at the levels of what is named so far is named, until nothing
 * is added. */
static void judge_all(struct judgement *j) {
  for (bool more = true; more;) {
    more = false;
    double level = level_of_weight(j);
    for (size_t i = 0; i < j->families.count; i++) {
      struct family *family = &j->families.data[i];
      if (!family->significant)
        more |= judge_family(j, family, level * family->weight);
      else if (family->named < family->causes.count)
        more |= judge_causes(j, family, level * family->weight);
    }
  }
}

void tail_significant_find(struct tail_report *report, const struct tail_causes *causes,
                           const struct tail_split *split, double level) {
  struct judgement j = {.causes = causes, .split = split, .level = level};
  find_families(&j, report);
  weigh(&j);
  judge_all(&j);
  for (size_t i = 0; i < j.families.count; i++) {
    mem_free(j.families.data[i].parts);
    mem_free(j.families.data[i].weights);
    vector_clear(&j.families.data[i].causes);
  }
  vector_clear(&j.families);
  for (size_t i = 0; i < report->findings.count; i++)
    report->significant += report->findings.data[i].significant;
  for (size_t i = 0; i < report->services.count; i++)
    report->named += report->services.data[i].significant;
}

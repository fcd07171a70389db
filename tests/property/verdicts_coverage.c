/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Verdicts where requests and components depend on each other: evaluated row by row (rows), from
 * files of their own (apart), and with an observation of 2000 other requests beside those (seen).
 * Whatever is claimed of the system's p50, p90, p99 is held against the truth:
 *
 *   interval   where it is settled, and rests on nothing that the scene breaks, its ends
 *   observed   the ends that the observation alone gives
 *   objective  met or broken, for limits of 0.9, 1, 1.1 times the truth; "in this run" is a claim
 *              about the mean law of the run's requests
 *   dominated  the system's percentile against the bound's upper end, and so for not dominated
 *
 * Each is wrong no more often than 1 - confidence allows. Claims under a condition (met if
 * independent) are only counted, where the condition does not hold.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "tests/property/verdicts.h"
#include "tests/property/verdicts_scene.h"

enum { SHARES = 3, FACTORS = 3, OBSERVED = 2000, WAYS = 3, STATES = 9, RUN = SLO_BROKEN_IN_RUN };
static const double shares[SHARES] = {0.5, 0.9, 0.99};
static const char *const percents[SHARES] = {"50", "90", "99"};
static const double factors[FACTORS] = {0.9, 1, 1.1};

static const struct scene scenes[] = {
    {"shared stalls", "sum3", SCENE_STALLS, 0, false},
    {"comonotone pair", "sum3", SCENE_COMONOTONE, 0, false},
    {"AR 0.3", "sum3", SCENE_REGRESSION, 0.3, true},
    {"AR 0.6", "sum3", SCENE_REGRESSION, 0.6, true},
    {"AR 0.9", "sum3", SCENE_REGRESSION, 0.9, true},
    {"regimes", "sum3", SCENE_REGIMES, 0, false},
    {"drift", "sum3", SCENE_DRIFT, 0, false},
    {"shared component", "paths", SCENE_SHARED, 0, true},
};

enum asked_way { ROWS, APART, SEEN };
static const char *const ways[WAYS] = {"rows", "apart", "seen"};

/* What may be wrong, how often it was said and how often it was. */
struct claim {
  size_t said, wrong;
};

struct counts {
  struct claim upper[SHARES], lower[SHARES], most[SHARES], least[SHARES];
  struct claim met[SHARES][FACTORS], broken[SHARES][FACTORS], in_run[SHARES][FACTORS];
  struct claim dominated[SHARES], above[SHARES];
  size_t states[STATES], observations[4];
};

struct trial {
  const struct scene *scene;
  size_t n;
  const char *confidence;
  const uint64_t *truth; /* the quantiles at the shares */
  uint64_t *parts[SCENE_PARTS];
  struct moment *moments;
  struct counts counts[WAYS];
};

static void note(struct claim *claim, bool wrong) {
  claim->said++;
  claim->wrong += wrong;
}

/* --- one answer ------------------------------------------------------------------------------- */

static void judge_interval(struct counts *c, const struct trial *t, enum asked_way way,
                           const struct percentile *p, size_t s) {
  const struct interval *i = &p->interval;
  if (!i->settled || (way != ROWS && !t->scene->independent))
    return;
  note(&c->upper[s], i->upper_finite && i->upper_ns < t->truth[s]);
  note(&c->lower[s], !i->lower_finite || i->lower_ns > t->truth[s]);
}

static void judge_observation(struct counts *c, const struct trial *t, const struct percentile *p,
                              size_t s) {
  c->observations[p->observation]++;
  if (p->why != OBSERVATION_UNSETTLED) {
    note(&c->most[s], p->most_ns < t->truth[s]);
    note(&c->least[s], p->least_ns > t->truth[s]);
  }
  if (p->observation == OBSERVATION_DOMINATED)
    note(&c->dominated[s], t->truth[s] > p->proved.upper_ns);
  if (p->observation == OBSERVATION_NOT_DOMINATED)
    note(&c->above[s], t->truth[s] <= p->proved.upper_ns);
}

static uint64_t limit_of(const struct trial *t, size_t s, size_t f) {
  return (uint64_t)((double)t->truth[s] * factors[f]);
}

static void judge_objective(struct counts *c, const struct trial *t,
                            const struct slo_result *result, size_t s, size_t f) {
  uint64_t limit = limit_of(t, s, f);
  bool holds = t->truth[s] <= limit, by_run = result->basis == SLO_BY_RUN;
  bool met = result->state == SLO_MET || result->state == SLO_MET_IF_INDEPENDENT;
  c->states[result->state]++;
  bool conditional =
      result->state == SLO_MET_IF_INDEPENDENT || result->state == SLO_BROKEN_IF_INDEPENDENT;
  bool wanders = slo_status(result->state) == STATUS_OF_RUN && !by_run;
  if (result->state == SLO_UNDECIDED || wanders || (conditional && !t->scene->independent))
    return;
  if (by_run)
    note(&c->in_run[s][f], scene_exceeding(t->scene, t->moments, t->n, limit) <= 1 - shares[s]);
  else
    note(met ? &c->met[s][f] : &c->broken[s][f], met != holds);
}

static void ask_one(struct trial *t, enum asked_way way) {
  struct ask ask = {
      .bound = t->scene->bound, .confidence = t->confidence, .percentiles = "50,90,99"};
  struct counts *c = &t->counts[way];
  struct asked asked;
  ask.joint = way == ROWS;
  ask.observed = way == SEEN;
  for (size_t s = 0; s < SHARES; s++)
    for (size_t f = 0; f < FACTORS; f++)
      snprintf(ask.slos[ask.slo_count++], sizeof ask.slos[0], "p%s<=%" PRIu64 "ns", percents[s],
               limit_of(t, s, f));
  asked_init(&asked, &ask);
  for (size_t s = 0; s < SHARES; s++) {
    const struct percentile *p = asked_at(&asked, s);
    judge_interval(c, t, way, p, s);
    if (way == SEEN)
      judge_observation(c, t, p, s);
    for (size_t f = 0; f < FACTORS; f++)
      judge_objective(c, t, &asked.run.results.data[s * FACTORS + f], s, f);
  }
  asked_clear(&asked);
}

/* --- a cell ----------------------------------------------------------------------------------- */

static void observe(const struct trial *t, struct random *random) {
  uint64_t *latencies = mem_alloc(OBSERVED, sizeof *latencies), *parts[SCENE_PARTS];
  struct moment *moments = mem_alloc(OBSERVED, sizeof *moments);
  for (size_t k = 0; k < SCENE_PARTS; k++)
    parts[k] = mem_alloc(OBSERVED, sizeof *parts[k]);
  scene_draw(parts, moments, OBSERVED, t->scene, random);
  for (size_t i = 0; i < OBSERVED; i++)
    latencies[i] = scene_latency(t->scene, (uint64_t[]){parts[0][i], parts[1][i], parts[2][i]});
  file_series("observed.csv", latencies, OBSERVED);
  for (size_t k = 0; k < SCENE_PARTS; k++)
    mem_free(parts[k]);
  mem_free(moments);
  mem_free(latencies);
}

static void run_trial(struct trial *t, size_t sets) {
  struct random random = {t->n + (uint64_t)t->scene->kind * 7 + (uint64_t)(10 * t->scene->memory)};
  for (size_t k = 0; k < SCENE_PARTS; k++)
    t->parts[k] = mem_alloc(t->n, sizeof *t->parts[k]);
  t->moments = mem_alloc(t->n, sizeof *t->moments);
  for (size_t set = 0; set < sets; set++) {
    scene_draw(t->parts, t->moments, t->n, t->scene, &random);
    observe(t, &random);
    file_rows(t->parts, SCENE_PARTS, t->n);
    file_parts(t->parts, SCENE_PARTS, t->n);
    for (int way = ROWS; way <= SEEN; way++)
      ask_one(t, (enum asked_way)way);
  }
  for (size_t k = 0; k < SCENE_PARTS; k++)
    mem_free(t->parts[k]);
  mem_free(t->moments);
}

/* Wrong no more often than of `sets` it may be; an interval, of those that are said. */
static bool check_claim(const struct claim *claim, size_t sets, double level, const char *what,
                        const char *way, size_t s) {
  bool good = claim->wrong <= allowance(sets, level);
  if (!good)
    printf("#   %s: %s of p%s wrong %zu of %zu, at most %zu\n", way, what, percents[s],
           claim->wrong, claim->said, allowance(sets, level));
  return good;
}

static bool check_counts(const struct counts *c, const char *way, size_t sets, double level) {
  bool good = true;
  for (size_t s = 0; s < SHARES; s++) {
    good &= check_claim(&c->upper[s], c->upper[s].said, level, "upper end", way, s);
    good &= check_claim(&c->lower[s], c->lower[s].said, level, "lower end", way, s);
    good &= check_claim(&c->most[s], c->most[s].said, level, "observed upper end", way, s);
    good &= check_claim(&c->least[s], c->least[s].said, level, "observed lower end", way, s);
    good &= check_claim(&c->dominated[s], sets, level, "dominated", way, s);
    good &= check_claim(&c->above[s], sets, level, "not dominated", way, s);
    for (size_t f = 0; f < FACTORS; f++) {
      good &= check_claim(&c->met[s][f], sets, level, "met", way, s);
      good &= check_claim(&c->broken[s][f], sets, level, "broken", way, s);
      good &= check_claim(&c->in_run[s][f], sets, level, "broken in this run", way, s);
    }
  }
  return good;
}

static void print_claims(const char *what, const struct claim *claims) {
  printf(" %s", what);
  for (size_t s = 0; s < SHARES; s++)
    printf("%s%zu", s == 0 ? " " : "/", claims[s].wrong);
}

static void print_counts(const struct counts *c, enum asked_way way) {
  printf("#   %-5s settled", ways[way]);
  for (size_t s = 0; s < SHARES; s++)
    printf("%s%zu", s == 0 ? " " : "/", c->upper[s].said);
  print_claims(" missed above", c->upper);
  print_claims("below", c->lower);
  printf("  met %zu broken %zu in run %zu undecided %zu if independent %zu+%zu", c->states[0],
         c->states[1], c->states[RUN], c->states[2], c->states[3], c->states[4]);
  if (way == SEEN) {
    printf("\n#         dominated %zu within chance %zu not dominated %zu cannot tell %zu",
           c->observations[0], c->observations[1], c->observations[2], c->observations[3]);
    print_claims(" missed above", c->most);
    print_claims("below", c->least);
  }
  putchar('\n');
}

/* Found when the scene's first cell is wanted. */
static void find_truth(uint64_t *truth, const struct plan *plan, const struct scene *scene) {
  if (truth[0] == 0)
    truth_find(truth, shares, SHARES, scene_draw_any, scene, plan->full ? 40000000 : 500000);
}

static bool check(const struct plan *plan, const struct scene *scene, uint64_t *truth, size_t n,
                  double level) {
  char title[120], confidence[16];
  struct trial t = {.scene = scene, .n = n, .confidence = confidence};
  size_t sets = plan_sets(plan, 4, 400);
  snprintf(confidence, sizeof confidence, "%g", 1 - level);
  snprintf(title, sizeof title, "coverage: %s, %zu requests, confidence %s", scene->name, n,
           confidence);
  if (!plan_wants(plan, title))
    return true;
  find_truth(truth, plan, scene);
  t.truth = truth;
  run_trial(&t, sets);
  printf("# %s: %zu data sets\n", title, sets);
  bool good = true;
  for (int way = ROWS; way <= SEEN; way++) {
    print_counts(&t.counts[way], (enum asked_way)way);
    good &= check_counts(&t.counts[way], ways[way], sets, level);
  }
  return cell_end(good, title);
}

bool verdicts_coverage(const struct plan *plan) {
  bool good = true;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    uint64_t truth[SHARES] = {0};
    good &= check(plan, &scenes[i], truth, 2000, 0.1);
    if (!plan->full)
      continue;
    good &= check(plan, &scenes[i], truth, 2000, 0.01);
    good &= check(plan, &scenes[i], truth, 20000, 0.1);
    good &= check(plan, &scenes[i], truth, 20000, 0.01);
  }
  return good;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Null and power at 99 %. Two samples of one law are no different, and the observations of a system
 * whose components were measured are not above their bound: 200 times each, of which at most 4 say
 * otherwise. A tenth more of 2000 is seen in at least 90 of 100.
 */
#include <stdio.h>

#include "base/memory.h"
#include "cli/question/percentiles/observation.h"
#include "tests/property/verdicts.h"
#include "tests/property/verdicts_scene.h"

struct law {
  const char *name;
  double memory;
};

static const struct law laws[] = {{"independent", 0}, {"AR 0.9", 0.9}};

/* --- compare ---------------------------------------------------------------------------------- */

struct compared_counts {
  size_t sets, otherwise, cannot_tell;
};

/* Both ways round: the exit code is 1 for slower alone. */
static struct compared_counts compare_many(const struct law *law, size_t n, double factor,
                                           size_t sets) {
  struct compared_counts counts = {.sets = sets};
  uint64_t *a = mem_alloc(n, sizeof *a), *b = mem_alloc(n, sizeof *b);
  struct random random = {n + (uint64_t)(10 * law->memory)};
  for (size_t set = 0; set < sets; set++) {
    scene_series(a, n, law->memory, &random);
    scene_series(b, n, law->memory, &random);
    for (size_t i = 0; i < n; i++)
      b[i] = (uint64_t)((double)b[i] * factor);
    file_series("a.csv", a, n);
    file_series("b.csv", b, n);
    enum status forth = ask_compare();
    file_series("a.csv", b, n);
    file_series("b.csv", a, n);
    enum status back = factor > 1 ? STATUS_OK : ask_compare();
    counts.otherwise += forth == STATUS_REFUTED || back == STATUS_REFUTED;
    counts.cannot_tell += forth == STATUS_UNKNOWN;
  }
  mem_free(a);
  mem_free(b);
  return counts;
}

static size_t most_of(size_t sets) {
  return sets < 100 ? 1 : sets / 50;
}

static bool check_compare(const struct plan *plan) {
  bool good = true;
  for (size_t l = 0; l < 2; l++) {
    char title[120];
    snprintf(title, sizeof title, "null: compare of one law, %s", laws[l].name);
    if (!plan_wants(plan, title))
      continue;
    struct compared_counts c = compare_many(&laws[l], 2000, 1, plan_sets(plan, 8, 200));
    printf("# %s: %zu of %zu slower or faster, %zu cannot tell\n", title, c.otherwise, c.sets,
           c.cannot_tell);
    good &= cell_end(c.otherwise <= most_of(c.sets), title);
  }
  const char *title = "null: compare sees a tenth more of 2000";
  if (plan_wants(plan, title)) {
    struct compared_counts c = compare_many(&laws[0], 2000, 1.1, plan_sets(plan, 8, 200));
    printf("# %s: %zu of %zu\n", title, c.otherwise, c.sets);
    good &= cell_end(10 * c.otherwise >= 9 * c.sets, title);
  }
  return good;
}

/* --- percentiles --observed ------------------------------------------------------------------- */

struct system {
  const char *bound;
  size_t parts;
};

static const struct system systems[] = {{"one", 1}, {"sum3", 3}, {"max5", 5}};

static void draw_system(uint64_t *const *values, const struct system *system, size_t n,
                        const struct law *law, struct random *random) {
  for (size_t k = 0; k < system->parts; k++)
    scene_series(values[k], n, law->memory, random);
}

static uint64_t latency_of(uint64_t *const *values, const struct system *system, size_t i) {
  uint64_t sum = 0, most = 0;
  for (size_t k = 0; k < system->parts; k++) {
    sum += values[k][i];
    most = values[k][i] > most ? values[k][i] : most;
  }
  return system->parts == 5 ? most : sum;
}

enum { VALUES = 20000, KINDS = 4 };

struct observed_counts {
  size_t sets, by[KINDS]; /* enum observation */
};

static struct observed_counts observe_many(const struct law *law, const struct system *system,
                                           size_t measured, size_t observed, size_t sets) {
  struct observed_counts counts = {.sets = sets};
  struct ask ask = {
      .bound = system->bound, .confidence = "0.99", .percentiles = "50,90,99", .observed = true};
  struct random random = {measured * 3 + observed + (uint64_t)(10 * law->memory)};
  uint64_t *values[PARTS_MAX], *seen = mem_alloc(observed, sizeof *seen);
  for (size_t k = 0; k < PARTS_MAX; k++)
    values[k] = mem_alloc(VALUES, sizeof *values[k]);
  for (size_t set = 0; set < sets; set++) {
    draw_system(values, system, observed, law, &random);
    for (size_t i = 0; i < observed; i++)
      seen[i] = latency_of(values, system, i);
    draw_system(values, system, measured, law, &random);
    file_series("observed.csv", seen, observed);
    file_parts(values, system->parts, measured);
    struct asked asked;
    asked_init(&asked, &ask);
    counts.by[observation_of_curve(&asked.run, &asked.run.curves.data[0])]++;
    asked_clear(&asked);
  }
  for (size_t k = 0; k < PARTS_MAX; k++)
    mem_free(values[k]);
  mem_free(seen);
  return counts;
}

static bool check_observed(const struct plan *plan, const struct law *law,
                           const struct system *system) {
  static const size_t sizes[][2] = {{20000, 300}, {20000, 2000}, {2000, 300}, {2000, 2000}};
  bool good = true;
  for (size_t s = 0; s < 4; s++) {
    char title[160];
    snprintf(title, sizeof title, "null: observations of %s, %s, %zu measured, %zu observed",
             system->bound, law->name, sizes[s][0], sizes[s][1]);
    if (!plan_wants(plan, title))
      continue;
    struct observed_counts c =
        observe_many(law, system, sizes[s][0], sizes[s][1], plan_sets(plan, 4, 200));
    printf("# %s: dominated %zu, within chance %zu, not dominated %zu, cannot tell %zu\n", title,
           c.by[0], c.by[1], c.by[2], c.by[3]);
    good &= cell_end(c.by[OBSERVATION_NOT_DOMINATED] <= most_of(c.sets), title);
  }
  return good;
}

/* --- matched draws ---------------------------------------------------------------------------- */

/* The values that are matched of three components whose latencies are `factor` times the same. */
static void match(uint64_t *matched, size_t n, uint64_t factor) {
  struct ask ask = {.bound = "sum3", .confidence = "0.9", .percentiles = "50"};
  struct random random = {8};
  struct asked asked;
  uint64_t *values[PARTS_MAX];
  for (size_t k = 0; k < 3; k++)
    values[k] = mem_alloc(n, sizeof *values[k]);
  draw_system(values, &systems[1], n, &laws[0], &random);
  for (size_t k = 0; k < 3; k++)
    for (size_t i = 0; i < n; i++)
      values[k][i] *= factor;
  file_parts(values, 3, n);
  asked_init(&asked, &ask);
  for (size_t i = 0; i < n; i++)
    matched[i] = asked.run.calculation.draws.values.series[i];
  asked_clear(&asked);
  for (size_t k = 0; k < 3; k++)
    mem_free(values[k]);
}

/* Else the same ranks meet in all data of files with these names, and their limits are wrong too
 * often, or never. */
static bool check_order(const struct plan *plan) {
  enum { N = 500 };
  const char *title = "null: other data are matched in another order";
  uint64_t once[N], twice[N];
  size_t same = 0;
  if (!plan_wants(plan, title))
    return true;
  match(once, N, 1);
  match(twice, N, 2);
  for (size_t i = 0; i < N; i++)
    same += 2 * once[i] == twice[i];
  return cell_end(same < N / 10, title);
}

bool verdicts_null(const struct plan *plan) {
  bool good = check_compare(plan);
  good &= check_order(plan);
  for (size_t l = 0; l < 2; l++)
    for (size_t s = 0; s < 3; s++)
      good &= check_observed(plan, &laws[l], &systems[s]);
  return good;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/hot/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dist/statistics/holm.h"
#include "dist/statistics/special.h"
#include "trace/hot/runtime.h"
#include "trace/hot/waits.h"
#include "trace/stacks/unit.h"

/* What a cluster has of an item, by side. */
struct hot_count {
  uint32_t item, cluster;
  double slow, rest;                 /* ns of processor time */
  double slow_samples, rest_samples; /* distinct ones */
};

typedef VECTOR(struct hot_count) hot_counts;

struct hot_judge {
  struct hot_report *report;
  const struct hot_join *join;
  const struct stack_profile *profile;
  const struct stack_functions *functions;
  const enum tail_side *sides;
  double worth, level;
  double *slow, *rest;                         /* ns of stretches, by cluster */
  double slow_squares, rest_squares, products; /* sums over the clusters of shares of the time */
  bool *outermost;                             /* by node */
  uint8_t *runtimes;                           /* by node */
  bool waits;                                  /* the profile is of waits; and then: */
  uint32_t *alike;                             /* by node: the first that counts as the same */
};

/* ---- time */

static bool counts(const struct hot_judge *judge, size_t request) {
  return judge->join->time[request] > 0 && judge->sides[request] != TAIL_NEITHER;
}

static void take_request(struct hot_judge *judge, size_t request) {
  struct hot_report *report = judge->report;
  double time = (double)judge->join->time[request];
  uint32_t cluster = judge->join->cluster[request];
  if (judge->sides[request] == TAIL_SLOW) {
    report->slow_clusters += judge->slow[cluster] == 0;
    judge->slow[cluster] += time;
    report->slow_time += time;
    report->slow++;
  } else {
    report->rest_clusters += judge->rest[cluster] == 0;
    judge->rest[cluster] += time;
    report->rest_time += time;
    report->rest++;
  }
}

static void take_time(struct hot_judge *judge) {
  const struct hot_report *report = judge->report;
  for (size_t r = 0; r < judge->join->requests; r++)
    if (counts(judge, r))
      take_request(judge, r);
  for (size_t c = 0; c < judge->join->clusters && report->slow != 0 && report->rest != 0; c++) {
    double slow = judge->slow[c] / report->slow_time, rest = judge->rest[c] / report->rest_time;
    judge->slow_squares += slow * slow;
    judge->rest_squares += rest * rest;
    judge->products += slow * rest;
  }
}

/* ---- counts */

static int by_item(const void *a, const void *b) {
  const struct hot_count *x = a, *y = b;
  if (x->item != y->item)
    return x->item < y->item ? -1 : 1;
  return (x->cluster > y->cluster) - (x->cluster < y->cluster);
}

static struct hot_count count_of(const struct hot_judge *judge, const struct hot_cell *cell) {
  bool slow = judge->sides[cell->request] == TAIL_SLOW;
  double time = cell->weight * judge->worth;
  struct hot_count count = {.cluster = judge->join->cluster[cell->request]};
  *(slow ? &count.slow : &count.rest) = time;
  *(slow ? &count.slow_samples : &count.rest_samples) = cell->samples;
  return count;
}

/* Whether no node above is of the same function. */
static void find_outermost(struct hot_judge *judge) {
  const uint32_t *functions = judge->functions->of_node;
  judge->outermost = mem_alloc(judge->profile->nodes.count, sizeof(bool));
  for (uint32_t n = 1; n < judge->profile->nodes.count; n++) {
    uint32_t above = judge->profile->nodes.data[n].parent;
    while (above != 0 && functions[above] != functions[n])
      above = judge->profile->nodes.data[above].parent;
    judge->outermost[n] = above == 0;
  }
}

/* A thread is preempted wherever it happens to be. */
static void find_alike(struct hot_judge *judge) {
  const struct stack_profile *profile = judge->profile;
  uint32_t preempted = 0;
  judge->alike = mem_alloc(profile->nodes.count, sizeof *judge->alike);
  for (uint32_t n = 1; n < profile->nodes.count; n++) {
    judge->alike[n] = n;
    if (!stack_unit_is_preempted(profile, n))
      continue;
    preempted = preempted == 0 ? n : preempted;
    judge->alike[n] = preempted;
  }
}

static void add_cell(const struct hot_judge *judge, hot_counts *list, enum hot_kind kind,
                     const struct hot_cell *cell) {
  struct hot_count count = count_of(judge, cell);
  if (kind == HOT_RUNTIME)
    count.item = judge->runtimes[cell->node];
  if (kind == HOT_OWN)
    count.item = judge->waits ? judge->alike[cell->node] : judge->functions->of_node[cell->node];
  if (kind != HOT_WITH_CALLEES) {
    vector_push(list, count);
    return;
  }
  for (uint32_t node = cell->node; node != 0; node = judge->profile->nodes.data[node].parent) {
    count.item = judge->functions->of_node[node];
    if (judge->outermost[node])
      vector_push(list, count);
  }
}

static void add_up(hot_counts *list) {
  size_t kept = 0;
  if (list->count != 0)
    qsort(list->data, list->count, sizeof *list->data, by_item);
  for (size_t i = 1; i < list->count; i++) {
    struct hot_count *last = &list->data[kept];
    const struct hot_count *count = &list->data[i];
    if (by_item(last, count) == 0) {
      last->slow += count->slow;
      last->rest += count->rest;
      last->slow_samples += count->slow_samples;
      last->rest_samples += count->rest_samples;
    } else {
      list->data[++kept] = *count;
    }
  }
  list->count = list->count == 0 ? 0 : kept + 1;
}

static void count_kind(const struct hot_judge *judge, hot_counts *list, enum hot_kind kind) {
  for (size_t i = 0; i < judge->join->cells.count; i++)
    if (counts(judge, judge->join->cells.data[i].request))
      add_cell(judge, list, kind, &judge->join->cells.data[i]);
  add_up(list);
}

/* ---- tests */

/* The variance of the difference of the rates: of each cluster what it adds by having more or less
 * of the item than its time would say. Clusters without it come in by the sums. */
static double variance_of(const struct hot_judge *judge, const struct hot_finding *finding,
                          const struct hot_count *list, size_t count) {
  const struct hot_report *report = judge->report;
  double s = finding->slow, r = finding->rest;
  double sum =
      s * s * judge->slow_squares + r * r * judge->rest_squares - 2 * s * r * judge->products;
  for (size_t i = 0; i < count; i++) {
    double slow = judge->slow[list[i].cluster], rest = judge->rest[list[i].cluster];
    double without = r * rest / report->rest_time - s * slow / report->slow_time;
    double with = without + list[i].slow / report->slow_time - list[i].rest / report->rest_time;
    sum += with * with - without * without;
  }
  double clusters = (double)report->slow_clusters;
  return fmax(sum, 0) * clusters / (clusters - 1);
}

/* Of that many or more of the samples in slow requests, by their share of the time. */
static double exact_chance(const struct hot_report *report, const struct hot_finding *finding) {
  double all = finding->slow_samples + finding->rest_samples;
  double share = report->slow_time / (report->slow_time + report->rest_time);
  return special_binomial_from((uint64_t)floor(finding->slow_samples + 1e-9), share,
                               (uint64_t)ceil(all - 1e-9));
}

/* Of that many of the clusters that waited most being slow. */
static double waits_chance(const struct hot_judge *judge, const struct hot_count *list,
                           size_t count) {
  struct hot_part *parts = mem_alloc(2 * count, sizeof *parts);
  size_t filled = 0;
  for (size_t i = 0; i < count; i++) {
    if (list[i].slow > 0)
      parts[filled++] = (struct hot_part){list[i].slow / judge->slow[list[i].cluster], true};
    if (list[i].rest > 0)
      parts[filled++] = (struct hot_part){list[i].rest / judge->rest[list[i].cluster], false};
  }
  double chance =
      hot_waits_chance(parts, filled, judge->report->slow_clusters, judge->report->rest_clusters);
  mem_free(parts);
  return chance;
}

static void test(const struct hot_judge *judge, struct hot_finding *finding,
                 const struct hot_count *list, size_t count) {
  double freedom = (double)judge->report->slow_clusters - 1;
  double error = sqrt(variance_of(judge, finding, list, count));
  double t = special_student_quantile_above(judge->level / 2, freedom);
  finding->difference = finding->slow - finding->rest;
  finding->least = finding->difference - t * error;
  finding->most = finding->difference + t * error;
  double chance = error > 0 ? special_student_above(finding->difference / error, freedom) : 1;
  double exact =
      judge->waits ? waits_chance(judge, list, count) : exact_chance(judge->report, finding);
  finding->chance = fmin(1, 2 * fmax(chance, exact));
}

/* The counts of one item. */
static void add_finding(struct hot_judge *judge, enum hot_kind kind, const struct hot_count *list,
                        size_t count) {
  struct hot_report *report = judge->report;
  struct hot_finding finding = {.kind = kind, .item = list->item, .chance = 1, .node = STACK_NONE};
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    finding.slow += list[i].slow / report->slow_time;
    finding.rest += list[i].rest / report->rest_time;
    finding.slow_samples += list[i].slow_samples;
    finding.rest_samples += list[i].rest_samples;
    largest = fmax(largest, list[i].slow / report->slow_time);
  }
  finding.largest = finding.slow > 0 ? largest / finding.slow : 0;
  if (judge->waits && kind == HOT_OWN) {
    finding.node = list->item;
    finding.item = judge->functions->of_node[list->item];
  }
  test(judge, &finding, list, count);
  vector_push(&report->findings, finding);
}

static void judge_kind(struct hot_judge *judge, enum hot_kind kind) {
  hot_counts list = {0};
  count_kind(judge, &list, kind);
  for (size_t i = 0, end; i < list.count; i = end) {
    for (end = i + 1; end < list.count && list.data[end].item == list.data[i].item;)
      end++;
    add_finding(judge, kind, &list.data[i], end - i);
  }
  vector_clear(&list);
}

/* ---- the report */

static int by_chance(const void *a, const void *b) {
  const struct hot_finding *const *x = a, *const *y = b;
  return ((*x)->chance > (*y)->chance) - ((*x)->chance < (*y)->chance);
}

static bool is_tested(const struct hot_finding *finding) {
  return finding->slow_samples + finding->rest_samples >= HOT_LEAST_SAMPLES;
}

/* Parts of the runtime are few, and are corrected for by themselves. */
static void correct(struct hot_judge *judge, bool runtime) {
  struct hot_report *report = judge->report;
  struct hot_finding **tested = mem_alloc(report->findings.count, sizeof(struct hot_finding *));
  size_t count = 0;
  for (size_t i = 0; i < report->findings.count; i++) {
    struct hot_finding *finding = &report->findings.data[i];
    if ((finding->kind == HOT_RUNTIME) == runtime && is_tested(finding))
      tested[count++] = finding;
  }
  qsort(tested, count, sizeof(struct hot_finding *), by_chance);
  for (size_t i = 0; i < count && tested[i]->chance <= holm_level(judge->level, count, i); i++)
    tested[i]->significant = true;
  report->tested += runtime ? 0 : count;
  mem_free(tested);
}

static int by_rank(const void *a, const void *b) {
  const struct hot_finding *x = a, *y = b;
  if (x->significant != y->significant)
    return x->significant ? -1 : 1;
  if (x->difference != y->difference)
    return x->difference < y->difference ? 1 : -1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return (x->item > y->item) - (x->item < y->item);
}

/* Where most of a function's own samples in slow requests are. */
static void find_node(const struct hot_judge *judge, struct hot_finding *finding) {
  double most = 0, sum = 0;
  uint32_t node = STACK_NONE, heaviest = STACK_NONE;
  for (size_t i = 0; i < judge->join->cells.count; i++) {
    const struct hot_cell *cell = &judge->join->cells.data[i];
    sum = cell->node == node ? sum : 0;
    node = cell->node;
    if (judge->functions->of_node[node] != finding->item ||
        (judge->waits && judge->alike[node] != judge->alike[finding->node]) ||
        !counts(judge, cell->request) || judge->sides[cell->request] != TAIL_SLOW)
      continue;
    sum += cell->weight;
    if (sum > most) {
      most = sum;
      heaviest = node;
    }
  }
  finding->node = heaviest;
}

static void finish(struct hot_judge *judge) {
  struct hot_report *report = judge->report;
  correct(judge, false);
  correct(judge, true);
  if (report->findings.count != 0)
    qsort(report->findings.data, report->findings.count, sizeof *report->findings.data, by_rank);
  for (size_t i = 0; i < report->findings.count; i++) {
    struct hot_finding *finding = &report->findings.data[i];
    if (finding->significant && finding->kind == HOT_OWN)
      find_node(judge, finding);
    if (finding->significant && finding->kind != HOT_RUNTIME)
      report->verdict = HOT_FOUND;
  }
}

static void count_sides(struct hot_judge *judge) {
  struct hot_report *report = judge->report;
  for (size_t i = 0; i < judge->join->cells.count; i++) {
    const struct hot_cell *cell = &judge->join->cells.data[i];
    if (counts(judge, cell->request))
      *(judge->sides[cell->request] == TAIL_SLOW ? &report->slow_samples : &report->rest_samples) +=
          cell->samples;
  }
}

static bool are_enough(const struct hot_report *report, bool waits) {
  bool requests = report->slow >= HOT_LEAST_REQUESTS && report->rest >= HOT_LEAST_REQUESTS &&
                  report->slow_clusters >= HOT_LEAST_CLUSTERS;
  if (waits) /* all are there, and none is an answer, too */
    return requests;
  return requests && report->slow_samples >= HOT_LEAST_SIDE &&
         report->rest_samples >= HOT_LEAST_SIDE;
}

static void judge_all(struct hot_judge *judge) {
  bool runtime;
  if (judge->waits)
    find_alike(judge);
  judge->runtimes = hot_runtime_of_nodes(judge->profile, &runtime);
  judge->report->verdict = HOT_NOTHING;
  find_outermost(judge);
  judge_kind(judge, HOT_OWN);
  judge_kind(judge, HOT_WITH_CALLEES);
  if (runtime && !judge->waits)
    judge_kind(judge, HOT_RUNTIME);
  finish(judge);
  mem_free(judge->runtimes);
  mem_free(judge->outermost);
  mem_free(judge->alike);
}

void hot_report_make(struct hot_report *report, const struct hot_join *join,
                     const struct stack_profile *profile, const struct stack_functions *functions,
                     const struct tail_split *split, double worth, double level) {
  *report = (struct hot_report){.verdict = HOT_TOO_FEW};
  struct hot_judge judge = {.report = report,
                            .join = join,
                            .profile = profile,
                            .functions = functions,
                            .sides = split->sides,
                            .worth = worth,
                            .level = level,
                            .waits = stack_unit_is_waiting(profile),
                            .slow = mem_alloc(join->clusters, sizeof(double)),
                            .rest = mem_alloc(join->clusters, sizeof(double))};
  take_time(&judge);
  count_sides(&judge);
  if (are_enough(report, judge.waits))
    judge_all(&judge);
  mem_free(judge.slow);
  mem_free(judge.rest);
}

void hot_report_clear(struct hot_report *report) {
  vector_clear(&report->findings);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a fold says (fold.h). Shares of critical paths are of kept requests: each stands for as many
 * of its flow as were not kept, and so has that weight.
 */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/index.h"
#include "cli/question/fold/fold.h"
#include "dist/statistics/chance.h"
#include "dist/statistics/limits.h"
#include "trace/graph/path.h"

#define ALPHA UINT64_C(25000000000000000) /* 2.5 % on each side, of 10^18 */

static const struct {
  const char *name;
  unsigned long share;
} percentiles[FOLD_PERCENTILES] = {{"50", 500}, {"90", 900}, {"99", 990}, {"99.9", 999}};

const char *fold_percentile_name(size_t index) {
  return percentiles[index].name;
}

void fold_percentile_of(struct fold_percentile *percentile, const struct sample *sample,
                        size_t index) {
  struct rational share;
  rational_init(&share);
  rational_set_fraction(&share, (long)percentiles[index].share, 1000);
  *percentile = (struct fold_percentile){0};
  sample_quantile(&percentile->ns, sample, &share);
  percentile->lower_ns = limit_lower(sample, &share, sample->real, ALPHA);
  percentile->finite = limit_upper(&percentile->upper_ns, sample, &share, sample->real, ALPHA);
  rational_clear(&share);
}

static struct fold_share share_of(uint64_t count, uint64_t all) {
  struct fold_share share = {.share = (double)count / (double)all, .upper = 1};
  if (count < all)
    share.upper = (double)chance_upper(count, all, ALPHA) / 1e18;
  share.lower = 1 - (double)chance_upper(all - count, all, ALPHA) / 1e18;
  return share;
}

/* ---- critical paths */

/* The time that the requests spend on each part, their latency, and products of the two: for the
 * variance of a ratio (Cochran, Sampling Techniques, 1977, 6.13). */
struct part_sums {
  double time, squared, product; /* weighted once; twice; twice */
};

struct adding {
  struct fold_report *report;
  VECTOR(struct part_sums) sums; /* beside report->parts */
  double latency, squared;
  VECTOR(double) now; /* by part: of the request that is being added */
  struct index index; /* of report->parts */
};

static uint32_t part_of(struct adding *adding, const struct request_flow *flow,
                        const struct activity *activity) {
  const struct flow_call *owner = &flow->calls.data[activity->owner];
  struct fold_report *report = adding->report;
  uint64_t hash = hash_word(hash_word(activity->kind, owner->service), owner->operation);
  for (struct index_look look = index_look(&adding->index, hash); index_next(&look);) {
    const struct fold_part *part = &report->parts.data[look.row];
    if (part->service == owner->service && part->operation == owner->operation &&
        part->kind == activity->kind)
      return look.row;
  }
  uint32_t number = (uint32_t)report->parts.count;
  index_add(&adding->index, hash, number);
  vector_push(&report->parts, (struct fold_part){.service = owner->service,
                                                 .operation = owner->operation,
                                                 .kind = activity->kind});
  vector_push(&adding->sums, (struct part_sums){0});
  vector_push(&adding->now, 0);
  return number;
}

static void add_request(struct adding *adding, const struct request_path *path,
                        const uint32_t *of_activity, double latency, double weight) {
  for (size_t s = 0; s < path->steps.count; s++)
    adding->now.data[of_activity[path->steps.data[s].activity]] +=
        (double)path->steps.data[s].duration;
  adding->latency += weight * latency;
  adding->squared += weight * weight * latency * latency;
  for (size_t s = 0; s < path->steps.count; s++) {
    uint32_t part = of_activity[path->steps.data[s].activity];
    double time = adding->now.data[part];
    struct part_sums *sums = &adding->sums.data[part];
    sums->time += weight * time;
    sums->squared += weight * weight * time * time;
    sums->product += weight * weight * time * latency;
    adding->now.data[part] = 0; /* the others of this part then add nothing */
  }
}

static void add_flow(struct adding *adding, size_t f) {
  const struct fold_view *view = &adding->report->view;
  const struct request_flow *flow = view->graph.flows.data[f];
  size_t count = flow->activities.count;
  uint32_t *of_activity = mem_alloc(count, sizeof *of_activity);
  int64_t *finish = mem_alloc(count, sizeof *finish);
  struct request_path path = {0};
  double weight = (double)view->flows.data[f]->requests / (double)flow->requests.count;
  for (size_t a = 0; a < count; a++)
    of_activity[a] = part_of(adding, flow, &flow->activities.data[a]);
  for (size_t i = 0; i < flow->requests.count; i++) {
    const int64_t *durations = flow->durations.data + i * count;
    int64_t latency = flow_finish(finish, flow, durations);
    flow_path(&path, flow, finish, durations);
    add_request(adding, &path, of_activity, (double)latency, weight);
  }
  request_path_clear(&path);
  mem_free(of_activity);
  mem_free(finish);
}

/* Of few requests the normal law says nothing. */
static struct fold_share ratio_of(const struct adding *adding, const struct part_sums *sums) {
  enum { FEW = 30 };
  struct fold_share share = {.upper = 1};
  if (adding->latency <= 0)
    return share;
  double ratio = sums->time / adding->latency;
  double variance = sums->squared - 2 * ratio * sums->product + ratio * ratio * adding->squared;
  double margin = 1.96 * sqrt(fmax(variance, 0)) / adding->latency;
  share.share = ratio;
  if (adding->report->kept >= FEW) {
    share.lower = fmax(ratio - margin, 0);
    share.upper = fmin(ratio + margin, 1);
  }
  return share;
}

static int part_compare(const void *a, const void *b) {
  const struct fold_part *x = a, *y = b;
  if (x->share.share != y->share.share)
    return x->share.share > y->share.share ? -1 : 1;
  if (x->service != y->service)
    return x->service < y->service ? -1 : 1;
  if (x->operation != y->operation)
    return x->operation < y->operation ? -1 : 1;
  return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static void add_parts(struct fold_report *report) {
  struct adding adding = {.report = report};
  for (size_t f = 0; f < report->view.flows.count; f++)
    add_flow(&adding, f);
  for (size_t i = 0; i < report->parts.count; i++)
    report->parts.data[i].share = ratio_of(&adding, &adding.sums.data[i]);
  if (report->parts.count > 1)
    qsort(report->parts.data, report->parts.count, sizeof *report->parts.data, part_compare);
  vector_clear(&adding.sums);
  vector_clear(&adding.now);
  index_clear(&adding.index);
}

/* ---- all of it */

static void note(struct fold_answer *answer, const struct fold_report *report) {
  ledger_add(&answer->ledger, LEDGER_DATA,
             "what a call waited for is learned from when calls ran: a common cause that delays "
             "two calls in the same requests is not told from a wait");
  if (report->kept < report->requests)
    ledger_note(&answer->ledger, LEDGER_DATA,
                "counts, percentiles and refuted orders are of all requests; the evidence for "
                "orders and the shares of critical paths are of the %llu that are kept, by the "
                "hash of their trace ids",
                (unsigned long long)report->kept);
}

/* Flows as frequent as the one before have its share: there may be very many that occur once. */
static void add_share(struct fold_report *report, size_t f) {
  uint64_t count = report->view.flows.data[f]->requests;
  bool same = f > 0 && report->view.flows.data[f - 1]->requests == count;
  struct fold_share share = same ? report->shares.data[f - 1] : share_of(count, report->requests);
  vector_push(&report->shares, share);
}

void fold_report_make(struct fold_report *report, struct fold_answer *answer) {
  const struct graph_options options = {.undecided = UNDECIDED_WAITS, .level = 0.05};
  struct sample sample;
  *report = (struct fold_report){.requests = fold_requests(&answer->fold)};
  fold_view_make(&report->view, &answer->fold, &options);
  sample_init(&sample);
  for (size_t f = 0; f < report->view.flows.count; f++) {
    fold_view_latencies(&sample, &report->view, f);
    add_share(report, f);
    report->kept += report->view.graph.flows.data[f]->requests.count;
  }
  sample_finish(&sample);
  for (size_t i = 0; i < FOLD_PERCENTILES; i++)
    fold_percentile_of(&report->latencies[i], &sample, i);
  sample_clear(&sample);
  add_parts(report);
  note(answer, report);
}

void fold_report_clear(struct fold_report *report) {
  fold_view_clear(&report->view);
  vector_clear(&report->shares);
  vector_clear(&report->parts);
}

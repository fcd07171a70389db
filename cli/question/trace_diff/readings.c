/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `trace diff` with both readings of undecided orders: where a call is waited for in the one
 * recording by one reading, and in the other by another, its time moves on or off the path though
 * nothing changed.
 */
#include <string.h>

#include "cli/question/trace_diff/trace_diff.h"

/* The same findings, if no undecided order is a wait. */
struct other_reading {
  struct request_graph graph;
  struct tail_causes causes;
  struct tail_report report;
};

static void read_free(struct other_reading *other, const struct trace_diff *d) {
  const struct graph_options options = {.undecided = UNDECIDED_FREE, .level = 0.05};
  uint32_t *order;
  request_graph_make(&other->graph, &d->store, &options);
  tail_requests_causes(&other->causes, &order, &other->graph, &d->store);
  tail_causes_settle(&other->causes, d->split.sides);
  tail_report_make(&other->report, &other->causes, &d->split, d->level);
  mem_free(order);
}

static void clear(struct other_reading *other) {
  tail_report_clear(&other->report);
  tail_causes_clear(&other->causes);
  request_graph_clear(&other->graph);
}

static bool is_service(const struct tail_service *x, const struct tail_service *y) {
  return x->way == y->way && strcmp(x->name, y->name) == 0;
}

static bool is_alike(const struct tail_difference *x, const struct tail_difference *y) {
  return (x->difference > 0) == (y->difference > 0);
}

/* Whether the other reading names the cause, too, as changed in the same direction. */
static bool has_cause(const struct other_reading *other, const struct trace_diff *d,
                      const struct tail_finding *finding) {
  const struct tail_cause *cause = &d->causes.causes.data[finding->cause];
  for (size_t i = 0; i < other->report.findings.count; i++) {
    const struct tail_finding *twin = &other->report.findings.data[i];
    const struct tail_cause *of = &other->causes.causes.data[twin->cause];
    if (of->kind == cause->kind && strcmp(of->name, cause->name) == 0 &&
        is_service(&other->causes.services.data[of->service],
                   &d->causes.services.data[cause->service]))
      return twin->significant && is_alike(&twin->difference, &finding->difference);
  }
  return false;
}

static bool has_service(const struct other_reading *other, const struct trace_diff *d,
                        const struct tail_service_finding *finding) {
  for (size_t i = 0; i < other->report.services.count; i++) {
    const struct tail_service_finding *twin = &other->report.services.data[i];
    if (is_service(&other->causes.services.data[twin->service],
                   &d->causes.services.data[finding->service]))
      return twin->significant && is_alike(&twin->difference, &finding->difference);
  }
  return false;
}

void trace_diff_read_otherwise(struct trace_diff *d) {
  struct other_reading other;
  d->either_way = mem_alloc(d->report.findings.count, sizeof *d->either_way);
  d->services_too = mem_alloc(d->report.services.count, sizeof *d->services_too);
  if (d->undecided)
    read_free(&other, d);
  for (size_t i = 0; i < d->report.findings.count; i++)
    d->either_way[i] = !d->undecided || has_cause(&other, d, &d->report.findings.data[i]);
  for (size_t i = 0; i < d->report.services.count; i++)
    d->services_too[i] = !d->undecided || has_service(&other, d, &d->report.services.data[i]);
  if (d->undecided)
    clear(&other);
}

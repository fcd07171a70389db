/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/compare/compare_edges.h"

#include "cli/question/compare/compare_operand.h"
#include "dist/statistics/common_edges.h"

static bool has_buckets(const struct sample *sample) {
  return sample->evidence.edges == EDGES_OPEN_BELOW || sample->evidence.edges == EDGES_BETWEEN;
}

/* Each edge has a test in either direction. */
static enum compared_verdict judge(const struct common_edge *edge, size_t count, double chance) {
  double level = chance / (2 * (double)count);
  return edge->b_chance <= level   ? COMPARED_SLOWER
         : edge->a_chance <= level ? COMPARED_FASTER
                                   : COMPARED_NO_DIFFERENCE;
}

bool compare_at_edges(const struct compare *compare, struct subject *subject,
                      const struct operand *a, const struct operand *b, uint64_t alpha) {
  struct common_edges edges;
  if (compare->has_margin || (!has_buckets(&a->sample) && !has_buckets(&b->sample)) ||
      !common_edges_find(&edges, &a->sample, operand_worth(a), &b->sample, operand_worth(b)))
    return false;
  for (size_t i = 0; i < edges.count; i++) {
    const struct common_edge *edge = &edges.all[i];
    double chance = (double)alpha / (double)SURVIVAL_ONE;
    const struct compared_edge at = {
        .ns = edge->ns,
        .a_above = edge->a_above,
        .b_above = edge->b_above,
        .chance = edge->a_chance < edge->b_chance ? edge->a_chance : edge->b_chance,
        .verdict = subject->unsettled ? COMPARED_UNDECIDED : judge(edge, edges.count, chance)};
    vector_push(&subject->edges, at);
  }
  subject->a_total = a->sample.total;
  subject->b_total = b->sample.total;
  return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/poker/pacing.h"

/* Of a step that comes later than that, nobody knows what went on meanwhile. */
static const uint64_t step_most_ns = 1000000000;

void pacing_init(struct pacing *pacing, uint64_t saved_ppm, uint64_t pause_ns, uint64_t now_ns) {
  *pacing = (struct pacing){
      .saved_ppm = saved_ppm, .pause_ns = pause_ns, .at_ns = now_ns, .until_ns = now_ns};
}

static uint64_t least_of(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

bool pacing_step(struct pacing *pacing, uint64_t now_ns, bool working) {
  uint64_t from_ns = pacing->at_ns;
  if (now_ns < from_ns)
    return false;
  pacing->at_ns = now_ns;
  if (!working)
    return false;
  uint64_t worked_ns = least_of(now_ns - from_ns, step_most_ns);
  uint64_t stood_ns =
      pacing->until_ns > from_ns ? least_of(pacing->until_ns - from_ns, worked_ns) : 0;
  pacing->owed += (int64_t)(worked_ns * pacing->saved_ppm) - (int64_t)(stood_ns * PACING_MILLION);
  if (now_ns < pacing->until_ns || pacing->owed * 2 < (int64_t)(pacing->pause_ns * PACING_MILLION))
    return false;
  pacing->until_ns = now_ns + pacing->pause_ns;
  return true;
}

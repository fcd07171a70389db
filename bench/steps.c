/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * steps: nanoseconds of a generated step (the leader of raft counts an answer) and of the same by
 * hand, with the processor's own count of bits, in one run.
 */
#include <stdio.h>
#include <time.h>

#include "tests/generate/golden/raft/raft_leader.h"

enum { STEPS = 20000000 };

__attribute__((noinline)) static enum tp_verdict by_hand(struct leader *self,
                                                         const struct raft_params *params,
                                                         struct leader_sends *out, int32_t r) {
  *out = (struct leader_sends){0};
  self->matched |= (uint64_t)1 << r;
  if (self->durable && !self->committed && __builtin_popcountll(self->matched) >= params->f)
    out->Reply = self->committed = true;
  return TP_DONE;
}

static double run(enum tp_verdict (*step)(struct leader *, const struct raft_params *,
                                          struct leader_sends *, int32_t)) {
  const struct raft_params params = {3};
  struct leader self;
  struct leader_sends out;
  struct timespec start, end;
  size_t replies = 0;
  leader_init(&self, &params);
  self.durable = true;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
  for (int32_t i = 0; i < STEPS; i++) {
    step(&self, &params, &out, i % 6);
    replies += out.Reply;
    if (i % 6 == 5)
      self.matched = 0, self.committed = false;
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  if (replies != STEPS / 6 + (STEPS % 6 >= 3))
    fprintf(stderr, "steps: %zu replies\n", replies);
  return ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) /
         STEPS;
}

int main(void) {
  const double generated = run(leader_Count), hand = run(by_hand);
  printf("%-58s %11.1f ns   %s\n", "a generated step over one by hand (raft, 6 followers)",
         generated - hand, "< 30 ns");
  return 0;
}

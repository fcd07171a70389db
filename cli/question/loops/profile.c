/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/loops/profile.h"

#include "cli/question/loops/loops.h"
#include "cli/question/tail/hot.h"
#include "trace/hot/loops.h"

/* The sides of each route's requests, by chain. */
static void split_chains(struct tail_split *split, const struct loops_answer *answer) {
  tail_split_init(split, answer->chains.chains.count);
  for (size_t c = 0; c < split->requests; c++)
    split->sides[c] = TAIL_NEITHER;
  for (size_t r = 0; r < answer->routes.count; r++) {
    const struct loop_judgement *judgement = &answer->routes.data[r].judgement;
    for (size_t i = 0; i < judgement->split.requests; i++)
      split->sides[judgement->route->chains.data[i]] = judgement->split.sides[i];
  }
}

static void find_extent(const struct event_chains *chains, int64_t *start, int64_t *end) {
  *start = INT64_MAX;
  *end = INT64_MIN;
  for (size_t c = 0; c < chains->chains.count; c++) {
    const struct event_chain *chain = &chains->chains.data[c];
    if (chain->state != CHAIN_COMPLETE)
      continue;
    *start = chain->arrived < *start ? chain->arrived : *start;
    *end = chain->answer > *end ? chain->answer : *end;
  }
}

enum status loops_profile(struct hot_answer *hot, struct loops_answer *answer,
                          const struct hot_request *request) {
  int64_t start, end;
  find_extent(&answer->chains, &start, &end);
  enum status status = hot_open(hot, request, start, end, &answer->ledger, answer->request->asker);
  if (status != STATUS_OK)
    return status;
  struct tail_split split;
  split_chains(&split, answer);
  hot_stretches_of_loops(&hot->stretches, &answer->log, &answer->chains);
  for (size_t i = 0; i < hot->stretches.count; i++) {
    hot->stretches.data[i].start -= hot->shift;
    hot->stretches.data[i].end -= hot->shift;
  }
  hot_judge_all(hot, &split, true, answer->level, &answer->ledger);
  tail_split_clear(&split);
  return STATUS_OK;
}

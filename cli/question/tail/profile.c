/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `tail --profile`, of recorded traces.
 */
#include "cli/question/tail/asking.h"
#include "cli/question/tail/hot.h"
#include "trace/hot/spans.h"

/* From the first start to the last end. */
static void find_extent(const struct tail_answer *a, int64_t *start, int64_t *end) {
  *start = INT64_MAX;
  *end = INT64_MIN;
  for (size_t i = 0; i < a->store.start.count; i++) {
    *start = a->store.start.data[i] < *start ? a->store.start.data[i] : *start;
    *end = a->store.end.data[i] > *end ? a->store.end.data[i] : *end;
  }
}

enum status tail_ask_profile(struct tail_answer *a) {
  int64_t start, end;
  find_extent(a, &start, &end);
  a->hot = mem_alloc(1, sizeof *a->hot);
  const struct hot_request request = {a->request->profile, a->request->profile_offset};
  enum status status = hot_open(a->hot, &request, start, end, &a->ledger, a->request->asker);
  if (status != STATUS_OK)
    return status;
  size_t unknown =
      hot_stretches_of_spans(&a->hot->stretches, &a->graph, &a->store, a->order, -a->hot->shift);
  if (unknown != 0)
    ledger_note(&a->ledger, LEDGER_DATA,
                "%zu of %zu stretches of work do not say their process (a tag process.pid): every "
                "sample of the profile may be theirs",
                unknown, a->hot->stretches.count);
  hot_judge_all(a->hot, &a->split, false, a->level, &a->ledger);
  return STATUS_OK;
}

void tail_clear_profile(struct tail_answer *a) {
  if (a->hot == NULL)
    return;
  hot_answer_clear(a->hot);
  mem_free(a->hot);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "cli/present/arrivals.h"
#include "cli/present/audit.h"
#include "cli/present/compare.h"
#include "cli/present/draft.h"
#include "cli/present/draft_sockets.h"
#include "cli/present/fold.h"
#include "cli/present/latency.h"
#include "cli/present/load.h"
#include "cli/present/loops.h"
#include "cli/present/loops_whatif.h"
#include "cli/present/measured.h"
#include "cli/present/more_runs.h"
#include "cli/present/machines.h"
#include "cli/present/meaning.h"
#include "cli/present/node_loops.h"
#include "cli/present/outside.h"
#include "cli/present/path.h"
#include "cli/present/percentiles.h"
#include "cli/present/budget.h"
#include "cli/present/budget_check.h"
#include "cli/present/plan.h"
#include "cli/present/prediction.h"
#include "cli/present/profile.h"
#include "cli/present/replay.h"
#include "cli/present/replay_traces.h"
#include "cli/present/protocols.h"
#include "cli/present/runs.h"
#include "cli/present/simulate.h"
#include "cli/present/stacks.h"
#include "cli/present/stores.h"
#include "cli/present/tail.h"
#include "cli/present/throughput.h"
#include "cli/present/trace_diff.h"
#include "cli/present/tune.h"
#include "cli/present/verify.h"

static int by_name(const void *a, const void *b) {
  const struct object_kind *x = *(const struct object_kind *const *)a;
  const struct object_kind *y = *(const struct object_kind *const *)b;
  int order = strcmp(x->name, y->name);
  return order != 0 ? order
                    : strcmp(x->note == NULL ? "" : x->note, y->note == NULL ? "" : y->note);
}

const struct object_kind **kinds_all(void) {
  const struct object_kind *const *const answers[] = {
      arrivals_kinds,      folded_kinds,      summary_kinds,   compare_kinds,
      load_kinds,          loops_kinds,       path_kinds,      latency_kinds,
      loops_whatif_kinds,  percentiles_kinds, measured_kinds,  budget_kinds,
      budget_check_kinds,  plan_kinds,        profile_kinds,   stacks_kinds,
      change_kinds,        simulate_kinds,    runs_kinds,      more_runs_kinds,
      tail_kinds,          verify_kinds,      instance_kinds,  draft_kinds,
      draft_sockets_kinds, check_kinds,       certified_kinds, theory_kinds,
      recheck_kinds,       meaning_kinds,     generated_kinds, pair_kinds,
      imported_kinds,      recorded_kinds,    merged_kinds,    node_kinds,
      outside_plan_kinds,  outside_run_kinds, audit_kinds,     machines_kinds,
      tuning_kinds,        replay_kinds,      followed_kinds,  prediction_kinds,
      throughput_kinds,    trace_diff_kinds,
  };
  VECTOR(const struct object_kind *) all = {0};
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    for (size_t k = 0; answers[i][k] != NULL; k++) {
      size_t at = 0;
      while (at < all.count && all.data[at] != answers[i][k])
        at++;
      if (at == all.count)
        vector_push(&all, answers[i][k]);
    }
  qsort(all.data, all.count, sizeof *all.data, by_name);
  vector_push(&all, NULL);
  return all.data;
}

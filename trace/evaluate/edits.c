/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Durations with what a scenario makes of them (scenario.h).
 */
#include <math.h>

#include "trace/evaluate/scenario.h"

int64_t edits_longest(const struct flow_variant *variant) {
  return INT64_MAX / 4 / (int64_t)(variant->flow.activities.count + 1);
}

static int64_t scale(int64_t longest, int64_t ns, double factor) {
  double product = (double)ns * factor;
  return product >= (double)longest ? longest : (int64_t)floor(product + 0.5);
}

/* Takes away what there is; returns what is left to take. */
static int64_t shorten(int64_t *duration, int64_t by) {
  int64_t taken = *duration < by ? *duration : by;
  *duration -= taken;
  return by - taken;
}

static void add(int64_t *durations, const struct edit *edit, struct editing *editing) {
  int64_t *duration = &durations[edit->activity];
  if (edit->ns >= 0) {
    *duration = edit->ns > editing->longest || *duration > editing->longest - edit->ns
                    ? editing->longest
                    : *duration + edit->ns;
    return;
  }
  int64_t left = shorten(duration, edit->ns == INT64_MIN ? INT64_MAX : -edit->ns);
  if (left != 0 && edit->other != SPAN_NONE)
    left = shorten(&durations[edit->other], left);
  editing->shortened += left != 0;
}

void edits_apply(int64_t *durations, const struct flow_variant *variant, struct editing *editing) {
  for (size_t i = 0; i < variant->edits.count; i++) {
    const struct edit *edit = &variant->edits.data[i];
    int64_t *duration = &durations[edit->activity];
    if (edit->kind == EDIT_SCALE && edit->number != 1)
      *duration = scale(editing->longest, *duration, edit->number);
    else if (edit->kind == EDIT_ADD)
      add(durations, edit, editing);
    else if (edit->kind == EDIT_DRAW && editing->draw != NULL)
      *duration = editing->draw(editing->context, edit);
  }
}

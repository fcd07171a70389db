/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/replay/gaps.h"

#include <stdlib.h>

#include "cli/question/replay/judge.h"

/* One request's. */
struct one_gap {
  struct replay_gap place;
  int64_t ns;
};

typedef VECTOR(struct one_gap) one_gap_vector;

static int compare_actions(const struct action *a, const struct action *b) {
  size_t x = a == NULL ? 0 : a->id + 1, y = b == NULL ? 0 : b->id + 1;
  return (x > y) - (x < y);
}

static int by_place(const struct replay_gap *a, const struct replay_gap *b) {
  int order = compare_actions(a->action, b->action);
  if (order == 0)
    order = compare_actions(a->after, b->after);
  return order != 0 ? order : a->inside - b->inside;
}

static int by_place_and_size(const void *a, const void *b) {
  const struct one_gap *x = a, *y = b;
  int order = by_place(&x->place, &y->place);
  return order != 0 ? order : (x->ns > y->ns) - (x->ns < y->ns);
}

static int by_requests(const void *a, const void *b) {
  const struct replay_gap *x = a, *y = b;
  if (x->requests != y->requests)
    return x->requests < y->requests ? 1 : -1;
  return by_place(x, y);
}

static void look_at(struct replay_gaps *gaps, one_gap_vector *seen, struct conform *conform,
                    const struct conform_event *events, size_t count) {
  enum conform_verdict verdict = conform_instance(conform, events, count);
  gaps->requests++;
  gaps->misfits += verdict == CONFORM_MISFIT;
  struct conform_gap gap = conform_gap(conform);
  if (verdict != CONFORM_MISFIT || gap.ns == 0)
    return;
  vector_push(seen, (struct one_gap){{.action = conform_culprit(conform)->what.action,
                                      .after = gap.after == NULL ? NULL : gap.after->what.action,
                                      .inside = gap.inside},
                                     gap.ns});
}

/* The size that `percent` of the requests keep to, of sizes in rising order. */
static int64_t size_at(const struct one_gap *first, size_t count, size_t percent) {
  return first[(count * percent + 99) / 100 - 1].ns;
}

static void add_up(struct replay_gaps *gaps, one_gap_vector *seen) {
  if (seen->count != 0)
    qsort(seen->data, seen->count, sizeof *seen->data, by_place_and_size);
  for (size_t at = 0, next; at < seen->count; at = next) {
    const struct one_gap *first = &seen->data[at];
    next = at + 1;
    while (next < seen->count && by_place(&first->place, &seen->data[next].place) == 0)
      next++;
    struct replay_gap gap = first->place;
    gap.requests = next - at;
    gap.p50_ns = size_at(first, next - at, 50);
    gap.p90_ns = size_at(first, next - at, 90);
    gap.p99_ns = size_at(first, next - at, 99);
    vector_push(&gaps->all, gap);
  }
  if (gaps->all.count != 0)
    qsort(gaps->all.data, gaps->all.count, sizeof *gaps->all.data, by_requests);
}

void replay_gaps_find(struct replay_gaps *gaps, struct replay_run *run,
                      struct interpreter *interpreter, const struct parameters *parameters) {
  const struct recording *recording = &run->recording;
  struct conform *conform = judge_new(run, interpreter, parameters);
  one_gap_vector seen = {0};
  for (size_t at = 0, next; at < recording->events.count; at = next) {
    const struct conform_event *first = &recording->events.data[at];
    next = at + 1;
    while (next < recording->events.count &&
           recording->events.data[next].instance == first->instance)
      next++;
    if (!asker_stopped(run->request->asker) &&
        !recording_lacks_beginning(recording, first, next - at))
      look_at(gaps, &seen, conform, first, next - at);
  }
  add_up(gaps, &seen);
  vector_clear(&seen);
  conform_free(conform);
}

void replay_gaps_clear(struct replay_gaps *gaps) {
  vector_clear(&gaps->all);
}

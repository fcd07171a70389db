/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/witness.h"

#include "solver/search/attack.h"
#include "solver/judge/event.h"
#include "solver/search/hunt.h"

struct shortening {
  struct interpreter *interpreter;
  const struct bound *bound;
  int64_t *bindings;
};

/* Whether control allows the path without step `at`, and the event has still happened. */
static bool can_do_without(const struct shortening *s, const struct path *path, size_t at) {
  struct world *world = world_new(s->interpreter, NULL);
  bool taken = true;
  for (size_t i = 0; i < path->steps.count && taken; i++)
    taken = i == at || step_take(world, &path->steps.data[i], NULL, NULL) == STEP_TAKEN;
  bool happened = taken && event_happened_for_any(world, s->bound, NULL, s->bindings);
  world_free(world);
  return happened;
}

static void shorten(const struct shortening *s, struct path *path) {
  for (size_t i = path->steps.count; i > 0; i--) {
    if (!can_do_without(s, path, i - 1))
      continue;
    for (size_t j = i; j < path->steps.count; j++)
      path->steps.data[j - 1] = path->steps.data[j];
    path->steps.count--;
  }
}

/* The values of the bound's variables may be others once the path is shorter. */
static void bind(const struct shortening *s, struct path *path) {
  struct replay replay;
  replay_init(&replay);
  replay_run(&replay, s->interpreter, s->bound, path->steps.data, path->steps.count, NULL);
  path->binding.count = 0;
  for (size_t i = 0; i < replay.binding.count; i++)
    vector_push(&path->binding, replay.binding.data[i]);
  replay_clear(&replay);
}

bool witness_find(struct values *values, struct replay *replay, struct path *path,
                  struct interpreter *in, const struct bound *bound,
                  const struct hunt_options *options, size_t *work) {
  struct hunt hunt;
  hunt_init(&hunt, in);
  hunt_event(&hunt, in, bound, options);
  *work += hunt.work;
  bool found = hunt.verdict == HUNT_HAPPENED;
  if (found) {
    struct shortening s = {in, bound, mem_alloc(in->model->variable_count, sizeof(int64_t))};
    path_copy(path, &hunt.path);
    shorten(&s, path);
    bind(&s, path);
    if (!attack_path(values, replay, in, bound, path, ATTACK_HAPPEN, NULL)) {
      path_copy(path, &hunt.path);
      values_copy(values, &hunt.values);
      struct valuation valuation = values_valuation(values);
      replay_run(replay, in, bound, path->steps.data, path->steps.count, &valuation);
    }
    mem_free(s.bindings);
  }
  hunt_clear(&hunt);
  return found;
}

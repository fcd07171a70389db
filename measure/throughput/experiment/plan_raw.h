/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A plan as texts: between plan.c, which knows its shape, and plan_check.c, which knows what it
 * means. NULL: not given. Owned by plan.c.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_PLAN_RAW_H
#define MEASURE_THROUGHPUT_EXPERIMENT_PLAN_RAW_H

#include "measure/throughput/experiment/plan.h"

struct raw_service {
  char *name, *command, *poker, *proxy, *relay, *counted_by, *calls, *resource, *count_pipe,
      *workers, *work, *slow;
  char **neighbours;
  uint32_t neighbours_count;
};

struct raw_resource {
  char *name, *processors;
};

struct raw_repetitions {
  char *least, *most;
};

struct raw_plan {
  char *entry, *load, *users, *key, *pause, *warmup, *window, *precision, *budget, *batch;
  struct raw_service *services;
  uint32_t services_count;
  struct raw_resource *resources;
  uint32_t resources_count;
  char **not_waited_for;
  uint32_t not_waited_for_count;
  char **targets, **levels;
  uint32_t targets_count, levels_count;
  bool targets_given, levels_given; /* also when there are none */
  struct raw_repetitions *repetitions;
};

/* Fills an empty plan; false with `message`: "key: what was found; remedy". */
bool plan_check(struct experiment_plan *plan, const struct raw_plan *raw,
                char message[PLAN_MESSAGE]);

#endif

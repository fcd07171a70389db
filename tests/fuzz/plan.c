/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a plan of an experiment: one message, or a plan in which every value is in its
 * range, and whose changes can be asked for. With clang -fsanitize=fuzzer a libFuzzer target; with
 * -DSTANDALONE a program that replays the files it is given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/throughput/poker/director.h"
#include "measure/throughput/experiment/change.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "%s\n", what);
    abort();
  }
}

static void check_services(const struct experiment_plan *plan) {
  uint64_t known = plan->count == 64 ? UINT64_MAX : ((uint64_t)1 << plan->count) - 1;
  for (uint32_t i = 0; i < plan->count; i++) {
    const struct plan_service *service = &plan->services[i];
    require((service->command == NULL) != (service->poker == NULL), "a service from nowhere");
    require(plan_find(plan, service->name) == i, "a name twice");
    require((service->neighbours & ~known) == 0 && !(service->neighbours >> i & 1), "a neighbour");
    require(plan->count == 1 || service->neighbours != 0, "a service that hears of no rounds");
    require((service->resource != NULL) == (service->processors != 0), "a machine");
  }
  require((plan->targets & ~known) == 0, "a target");
}

static void check_plan(const struct experiment_plan *plan) {
  require(plan->count >= 1 && plan->count <= PLAN_SERVICES && plan->entry < plan->count, "entry");
  require(plan->level_count <= PLAN_LEVELS, "too many levels");
  for (uint32_t i = 0; i < plan->level_count; i++)
    require(plan->levels_ppm[i] < PLAN_PPM &&
                plan->levels_ppm[i] > (i == 0 ? 0 : plan->levels_ppm[i - 1]),
            "levels do not rise");
  require(plan->least >= 1 && plan->least <= plan->most, "repetitions");
  require(plan->batch >= 1 && plan->window_ns != 0 && plan->budget_ns != 0, "a window of nothing");
  check_services(plan);
}

/* Pauses for a change of each service. */
static void check_changes(const struct experiment_plan *plan) {
  static struct profile profile;
  struct change_pauses pauses;
  char message[PLAN_MESSAGE];
  for (uint32_t s = 0; s < plan->count; s++) {
    uint64_t work_ns = plan->services[s].work_ns != 0 ? plan->services[s].work_ns : 1000;
    uint32_t workers = plan->services[s].workers != 0 ? plan->services[s].workers : 1;
    profile.services[s] = (struct profile_service){
        .calls = 1.0 / (s + 1), .work_ns = (double)work_ns, .workers = workers};
  }
  for (uint32_t s = 0; s < plan->count; s++) {
    struct change change = {.count = 1, .parts = {{.service = s, .share_ppm = 999999}}};
    if (!change_pauses(&pauses, &change, plan, &profile, message))
      continue;
    require(pauses.pause_ns[s] == 0 && pauses.leader == s, "the target pauses");
    for (uint32_t i = 0; i < plan->count; i++)
      require(pauses.pause_ns[i] <= DIRECTOR_PAUSE_MOST, "a pause that is refused");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct experiment_plan plan;
  char message[PLAN_MESSAGE] = "";
  if (plan_parse(&plan, "f", (const char *)data, size, message) == 0) {
    check_plan(&plan);
    check_changes(&plan);
  } else {
    require(strncmp(message, "f: ", 3) == 0 && strpbrk(message, "\n\t\033") == NULL,
            "the message is not one line about the file");
    require(plan.path == NULL && plan.count == 0, "a plan in spite of the mistake");
  }
  plan_clear(&plan);
  return 0;
}

#include "tests/fuzz/standalone.h"

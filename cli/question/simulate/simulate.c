/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/simulate/simulate.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/number.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/read.h"
#include "trace/stacks/unit.h"

enum { TOP = 50 };

/* The published error of the top 50 functions when threads with 99 % of the samples are kept. */
static const double ERROR_LIMIT = 0.0058;

static enum status complain(const struct simulate_request *request, const char *option,
                            const char *value, const char *remedy) {
  return asker_fail(request->asker, STATUS_USAGE, "--%s %s: %s", option, value, remedy);
}

static enum status set_window(struct simulate_answer *a) {
  const char *window = a->request->window;
  struct rational ns;
  rational_init(&ns);
  bool good =
      window == NULL || (duration_parse(&ns, window) && rational_floor(&a->options.window, &ns));
  rational_clear(&ns);
  return good && a->options.window >= 1000000
             ? STATUS_OK
             : complain(a->request, "window", window, "give a time of 1 ms or more, such as 250ms");
}

static enum status set_options(struct simulate_answer *a) {
  const struct simulate_request *request = a->request;
  double budget = 1;
  a->options = simulate_defaults();
  a->options.seed = request->seed;
  a->options.rate = request->rate;
  if (request->cost != 0)
    a->options.cost = request->cost;
  if (request->floor != 0)
    a->options.adapt.limits.floor = request->floor < RATE_MAX ? request->floor : RATE_MAX;
  if (request->overhead != NULL && !number_share_real(&budget, request->overhead))
    return complain(request, "overhead", request->overhead,
                    "give a part of a processor, such as 1% or 0.01");
  a->options.adapt.limits.budget = (uint32_t)(budget * 1e9);
  a->limit = ERROR_LIMIT;
  if (request->error != NULL && !number_share_real(&a->limit, request->error))
    return complain(request, "error", request->error, "give a share, such as 0.5% or 0.005");
  return set_window(a);
}

static enum status read_profile(struct simulate_answer *a, struct stack_profile *profile) {
  struct text message;
  text_init(&message);
  enum status status = stack_profile_read(profile, a->request->path, NULL, &message);
  if (status != STATUS_OK)
    asker_say(a->request->asker, SAYING_FAILURE, "%s", text_get(&message));
  else if (stack_unit_is_waiting(profile))
    status = asker_fail(a->request->asker, STATUS_DATA,
                        "%s: it has waits (profile --off-cpu), which are not sampled; give what "
                        "`profile` without --off-cpu wrote",
                        a->request->path);
  text_clear(&message);
  return status;
}

/* Without times there is still the curve of pruning. */
static enum status run(struct simulate_answer *a, const struct stack_profile *profile) {
  const char *path = a->request->path;
  enum simulate_failure failure = simulate(&a->simulation, profile, &a->options);
  if (profile->total == 0)
    return asker_fail(a->request->asker, STATUS_DATA, "%s: no sample in it", path);
  if (failure == SIMULATE_SHORT)
    return asker_fail(a->request->asker, STATUS_DATA,
                      "%s: fewer than %d windows with samples; record for longer or faster, or "
                      "give a shorter --window",
                      path, SIMULATE_LEAST);
  a->timed = failure == SIMULATE_OK;
  if (!a->timed)
    ledger_warn(&a->ledger, LEDGER_DATA,
                "%s has no times of samples: only the leaving out of threads can be simulated",
                path);
  prune_curve_make(&a->curve, profile, TOP, a->limit);
  if (a->curve.chosen.worst_frame != STACK_NONE)
    stack_frame_text(profile, a->curve.chosen.worst_frame, false, &a->worst);
  a->found = true;
  return STATUS_OK;
}

static void note(struct simulate_answer *a) {
  if (a->timed)
    ledger_add(
        &a->ledger, LEDGER_DATA,
        "half of the samples, drawn at random, are what each way chooses from, and the other "
        "half is what it is held against; the full rate is half that of the recording");
  if (a->timed && a->request->rate == 0 && !a->said)
    ledger_note(&a->ledger, LEDGER_DATA,
                "the recording's rate is taken to be %.0f samples a second: one over the median "
                "time between samples of a thread; --rate states it",
                2 * a->simulation.rate);
}

enum status simulate_ask(struct simulate_answer *a, const struct simulate_request *request) {
  struct stack_profile profile;
  *a = (struct simulate_answer){.request = request};
  ledger_init(&a->ledger);
  stack_profile_init(&profile);
  a->status = set_options(a);
  if (a->status == STATUS_OK)
    a->status = read_profile(a, &profile);
  a->said = profile.rate != 0;
  if (a->status == STATUS_OK)
    a->status = run(a, &profile);
  if (a->found)
    note(a);
  stack_profile_clear(&profile);
  return a->status;
}

void simulate_clear_answer(struct simulate_answer *a) {
  simulation_clear(&a->simulation);
  prune_curve_clear(&a->curve);
  text_clear(&a->worst);
  ledger_clear(&a->ledger);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/profile/spare.h"

#include <inttypes.h>

#include "base/duration.h"
#include "base/number.h"
#include "cli/question/simulate/simulate.h"
#include "trace/stacks/pool.h"
#include "trace/stacks/prune.h"

static enum status complain(const struct profile_request *r, const char *option, const char *value,
                            const char *remedy) {
  return asker_fail(r->asker, STATUS_USAGE, "--%s %s: %s", option, value, remedy);
}

static enum status read_window(struct profile_answer *a) {
  const char *window = a->request->window == NULL ? "10s" : a->request->window;
  struct rational ns;
  int64_t length = 0;
  rational_init(&ns);
  bool good = duration_parse(&ns, window) && rational_floor(&length, &ns) && length >= 100000000;
  rational_clear(&ns);
  a->window_ns = (uint64_t)length;
  return good ? STATUS_OK
              : complain(a->request, "window", window, "give a time of 100 ms or more: 10s");
}

static enum status read_adaptive(struct profile_answer *a) {
  const struct profile_request *r = a->request;
  struct rate_limits *limits = &a->adapt.limits;
  double budget = 0.01;
  if (r->overhead != NULL && (!number_share_real(&budget, r->overhead) || budget < 1e-6))
    return complain(r, "overhead", r->overhead, "give a part of a processor, such as 1% or 0.01");
  limits->ceiling = r->counters.rate;
  limits->budget = (uint32_t)(budget * 1e9);
  if (r->floor != 0)
    limits->floor = r->floor;
  if (limits->floor > limits->ceiling)
    return asker_fail(r->asker, STATUS_USAGE,
                      "--floor %u is above --rate %u, which is the most with --adaptive",
                      limits->floor, limits->ceiling);
  return read_window(a);
}

static enum status read_least(struct profile_answer *a) {
  const char *least = a->request->least == NULL ? "10us" : a->request->least;
  struct rational ns;
  int64_t length = -1;
  rational_init(&ns);
  bool good = duration_parse(&ns, least) && rational_floor(&length, &ns) && length >= 0 &&
              length <= 1000000000;
  rational_clear(&ns);
  a->least_ns = (uint64_t)length;
  return good ? STATUS_OK
              : complain(a->request, "off-cpu-min", least, "give a time of at most 1s: 10us");
}

enum status profile_read_spare(struct profile_answer *a) {
  const struct profile_request *r = a->request;
  double keep;
  a->adapt = adapt_defaults();
  if (!r->adaptive && (r->floor != 0 || r->overhead != NULL || r->window != NULL))
    return asker_fail(
        r->asker, STATUS_USAGE,
        "--floor, --overhead and --window are of a rate that changes; give --adaptive, "
        "too");
  if (r->keep != NULL && (!number_share_real(&keep, r->keep) || keep <= 0))
    return complain(r, "keep", r->keep, "give a share above 0, such as 99% or 0.99");
  return r->off_cpu ? read_least(a) : r->adaptive ? read_adaptive(a) : STATUS_OK;
}

/* Intervals are as wide as without pooling: what changes by less than is seen makes pooled shares
 * no surer. */
static void pool(struct profile_answer *a) {
  a->worth = stack_evidence_of(&a->profile, 0, a->request->level).samples;
  bool pooled = stack_profile_pool(&a->profile, &a->phases);
  ledger_note(
      &a->ledger, LEDGER_DATA,
      "the rate was between %u and %u samples a second; the hot functions changed %u time%s; "
      "a sample weighs the processor time that it stands for",
      a->adapt.limits.floor, a->adapt.limits.ceiling, a->changes, a->changes == 1 ? "" : "s");
  ledger_note(&a->ledger, LEDGER_DATA,
              "a sample costs the program that it interrupts %.1f us, as %s",
              (double)a->interrupt.ns / 1e3,
              a->interrupt.measured ? "measured before sampling, of a short stack"
                                    : "assumed, since it could not be measured");
  if (pooled && a->phases.windows.count != 0)
    ledger_note(&a->ledger, LEDGER_DATA,
                "between two changes samples speak for all windows, the fewer the farther where "
                "shares drift, as nothing else changed by more than the divergence that is looked "
                "for (%g nats)%s",
                a->adapt.theta,
                a->request->out == NULL
                    ? ""
                    : "; the file has the phases and the weight of each sample's rate");
}

void profile_spare(struct profile_answer *a) {
  double keep;
  if (a->request->adaptive)
    pool(a);
  if (a->request->keep != NULL && number_share_real(&keep, a->request->keep)) {
    a->kept = stack_profile_keep(&a->profile, (uint32_t)(keep * 1e6 + 0.5), &a->threads);
    ledger_note(&a->ledger, LEDGER_DATA,
                "the callers in %zu of %zu threads are left out, with %" PRIu64
                " of the samples' weight",
                a->threads - a->kept, a->threads, a->profile.pruned);
  }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/tail/hot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "trace/stacks/read.h"
#include "trace/stacks/simulate.h"

static enum status read_profile(struct hot_answer *a, const struct hot_request *request,
                                const struct asker *asker) {
  struct text message;
  text_init(&message);
  enum status status = stack_profile_read(&a->profile, request->path, NULL, &message);
  if (status != STATUS_OK)
    asker_say(asker, SAYING_FAILURE, "%s", text_get(&message));
  else if (a->profile.samples.count == 0)
    status = asker_fail(asker, STATUS_DATA,
                        "%s: its samples have no times, so nobody knows in which request they were "
                        "taken; give what `tailproof profile` or `perf script` wrote",
                        request->path);
  text_clear(&message);
  return status;
}

/* ---- clocks */

static bool parse_offset(int64_t *shift, const char *text) {
  bool back = text[0] == '-';
  struct rational ns;
  rational_init(&ns);
  bool good = duration_parse(&ns, text + back) && rational_floor(shift, &ns);
  rational_clear(&ns);
  *shift = back ? -*shift : *shift;
  return good;
}

/* Whether the profile, put forward so far, has a moment in common with the requests. */
static bool overlaps(const struct hot_answer *a, int64_t shift, int64_t start, int64_t end) {
  const struct stack_profile *profile = &a->profile;
  int64_t first = profile->samples.data[0].time;
  int64_t last = profile->samples.data[profile->samples.count - 1].time;
  int64_t sum;
  return !__builtin_add_overflow(first, shift, &sum) && sum <= end &&
         !__builtin_add_overflow(last, shift, &sum) && sum >= start;
}

static enum status fail_clock(const struct hot_answer *a, const struct hot_request *request,
                              int64_t start, const struct asker *asker) {
  return asker_fail(asker, STATUS_DATA,
                    "%s: its clock is not that of the requests: it begins at %.3f s%s, they at "
                    "%.3f s; record both at the same time, the profile with `tailproof profile`, "
                    "which notes the time of day, or say by how much the profile's clock is to be "
                    "put forward: --profile-offset 1.5s",
                    request->path, (double)a->profile.samples.data[0].time / 1e9,
                    a->profile.realtime == 0 ? " of a clock that does not say the time of day" : "",
                    (double)start / 1e9);
}

static enum status find_shift(struct hot_answer *a, const struct hot_request *request,
                              int64_t start, int64_t end, struct ledger *ledger,
                              const struct asker *asker) {
  int64_t realtime = a->profile.realtime;
  if (request->offset != NULL) {
    if (!parse_offset(&a->shift, request->offset))
      return asker_fail(asker, STATUS_USAGE,
                        "--profile-offset %s: give a time with its unit, such as 1.5s or -20ms",
                        request->offset);
    ledger_note(ledger, LEDGER_DATA, "the profile's clock is put forward by %s, as was said",
                request->offset);
    return overlaps(a, a->shift, start, end) ? STATUS_OK : fail_clock(a, request, start, asker);
  }
  if (overlaps(a, 0, start, end)) {
    ledger_note(ledger, LEDGER_DATA,
                "the profile's times are taken to be of the requests' clock, since they fit");
    return STATUS_OK;
  }
  if (realtime == 0 || !overlaps(a, realtime, start, end))
    return fail_clock(a, request, start, asker);
  a->shift = realtime;
  ledger_add(ledger, LEDGER_DATA,
             "the profile's times are put to the time of day as its recording noted it");
  return STATUS_OK;
}

enum status hot_open(struct hot_answer *a, const struct hot_request *request, int64_t start,
                     int64_t end, struct ledger *ledger, const struct asker *asker) {
  *a = (struct hot_answer){0};
  stack_profile_init(&a->profile);
  enum status status = read_profile(a, request, asker);
  if (status == STATUS_OK)
    status = find_shift(a, request, start, end, ledger, asker);
  if (status == STATUS_OK)
    a->rate = simulate_rate(&a->profile);
  return status;
}

/* ---- judgement */

/* ns of processor time that a unit of weight stands for. */
static double worth_of(const struct hot_answer *a) {
  const struct stack_profile *profile = &a->profile;
  if (profile->unit == STACK_NANOSECONDS)
    return 1;
  double weights = 0;
  for (size_t i = 0; i < profile->samples.count; i++)
    weights += (double)profile->samples.data[i].weight;
  return a->rate <= 0 || weights <= 0 ? 0
                                      : (double)profile->samples.count / weights * 1e9 / a->rate;
}

static void note_join(const struct hot_answer *a, const struct hot_join *join,
                      struct ledger *ledger) {
  if (join->outside != 0)
    ledger_note(ledger, LEDGER_DATA,
                "%zu request%s left out of what functions say: the profile does not cover %s",
                join->outside, join->outside == 1 ? " is" : "s are",
                join->outside == 1 ? "it" : "them");
  if (join == &a->joins[HOT_EXECUTING] && join->shared != 0)
    ledger_note(ledger, LEDGER_DATA,
                "%" PRIu64 " of %" PRIu64 " samples in requests were taken while several were "
                "executing there, and count for each in part",
                join->shared, join->matched);
  if (join->blocks)
    ledger_note(ledger, LEDGER_DATA,
                "requests wait together so often that they are compared by %d blocks of time; "
                "dependence beyond a block is neglected",
                HOT_BLOCKS);
  if (a->profile.lost != 0)
    ledger_warn(ledger, LEDGER_DATA, "%" PRIu64 " samples were lost while the profile was taken",
                a->profile.lost);
}

void hot_judge_all(struct hot_answer *a, const struct tail_split *split, double level,
                   struct ledger *ledger) {
  stack_functions_find(&a->functions, &a->profile);
  a->found = true;
  for (size_t i = 0; i < a->stretches.count; i++)
    a->waits |= a->stretches.data[i].waiting;
  for (int role = 0; role < HOT_ROLES; role++) {
    hot_join_make(&a->joins[role], &a->stretches, role == HOT_WAITING, split->requests,
                  &a->profile);
    hot_report_make(&a->reports[role], &a->joins[role], &a->profile, &a->functions, split,
                    worth_of(a), level);
    if (role == HOT_EXECUTING || a->waits)
      note_join(a, &a->joins[role], ledger);
  }
  ledger_add(ledger, LEDGER_DATA,
             "what functions take is sampled: rates are estimates, and samples of one request "
             "depend on each other, which the intervals allow for");
}

void hot_answer_clear(struct hot_answer *a) {
  stack_profile_clear(&a->profile);
  vector_clear(&a->stretches);
  if (!a->found)
    return;
  stack_functions_clear(&a->functions);
  for (int role = 0; role < HOT_ROLES; role++) {
    hot_join_clear(&a->joins[role]);
    hot_report_clear(&a->reports[role]);
  }
}

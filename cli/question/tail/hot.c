/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/tail/hot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "trace/hot/waits.h"
#include "trace/stacks/read.h"
#include "trace/stacks/unit.h"

static const double NS_A_SECOND = 1e9;
static const double BUSY_LEAST = 0.05;   /* of slow requests' time, without a warning */
static const double OUTSIDE_MOST = 0.05; /* of the requests, without a warning */

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
    a->told = true;
    if (!parse_offset(&a->shift, request->offset))
      return asker_fail(asker, STATUS_USAGE,
                        "--profile-offset %s: give a time with its unit, such as 1.5s or -20ms",
                        request->offset);
    ledger_note(ledger, LEDGER_DATA, "the profile's clock is put forward by %s, as was said",
                request->offset);
    return overlaps(a, a->shift, start, end) ? STATUS_OK : fail_clock(a, request, start, asker);
  }
  if (overlaps(a, 0, start, end)) {
    ledger_note(
        ledger, LEDGER_DATA,
        "the profile's times are taken to be of the requests' clock, as both cover the same time");
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
  return status;
}

/* ---- judgement */

/* ns of processor time that a unit of weight stands for; 0: not known. */
static double worth_of(const struct stack_profile *profile) {
  if (profile->unit == STACK_NANOSECONDS)
    return stack_unit_is_processor_time(profile) ? 1 : 0;
  return profile->unit == STACK_SAMPLES && profile->rate != 0 ? 1e9 / profile->rate : 0;
}

static double find_worth(struct hot_answer *a, struct ledger *ledger) {
  double worth = a->off_cpu ? 1 : worth_of(&a->profile);
  a->processor = worth > 0;
  if (!a->processor)
    ledger_note(ledger, LEDGER_DATA,
                "the profile does not say what processor time a sample stands for, so that "
                "functions have no percentages of a processor; `tailproof profile` and `perf "
                "record -e cpu-clock` say it");
  return a->processor ? worth : NS_A_SECOND;
}

/* A part of the requests that nobody can overlook is not left out in silence. */
static void note_outside(const struct hot_join *join, struct ledger *ledger) {
  bool many = (double)join->outside > OUTSIDE_MOST * (double)join->requests;
  (many ? ledger_warn : ledger_note)(
      ledger, LEDGER_DATA,
      "%zu of %zu request%s left out of what functions say: the profile does not cover %s%s",
      join->outside, join->requests, join->outside == 1 ? " is" : "s are",
      join->outside == 1 ? "it" : "them",
      many ? "; record both at the same time, and see that their clocks agree" : "");
}

static void note_join(const struct hot_answer *a, const struct hot_join *join,
                      struct ledger *ledger) {
  if (join->outside != 0)
    note_outside(join, ledger);
  if (join->nobody != 0)
    ledger_warn(ledger, LEDGER_DATA,
                "%zu stretches of work do not say their thread (a tag thread.id, the system's "
                "number), and several of the process waited: their requests are left out of what "
                "was waited in",
                join->nobody);
  if (a->off_cpu && join->shared != 0)
    ledger_note(ledger, LEDGER_DATA,
                "%" PRIu64 " of %" PRIu64 " waits in requests were in several at once, which each "
                "waited in full",
                join->shared, join->matched);
  else if (join == &a->joins[HOT_EXECUTING] && join->shared != 0)
    ledger_note(ledger, LEDGER_DATA,
                "%" PRIu64 " of %" PRIu64 " samples in requests were taken while several were "
                "executing there, and count for each in part",
                join->shared, join->matched);
  if (join->blocks)
    ledger_note(ledger, LEDGER_DATA,
                "requests wait together so often that they are compared by %d blocks of time; "
                "dependence beyond a block is neglected",
                HOT_BLOCKS);
  if (a->profile.torn)
    ledger_warn(ledger, LEDGER_DATA,
                "the profile's end is missing: it was cut off on its way, or its sampler was "
                "killed");
  if (a->profile.lost != 0 && a->off_cpu)
    ledger_warn(ledger, LEDGER_DATA,
                "%" PRIu64 " records were lost while the profile was taken; waits at that time "
                "are missing",
                a->profile.lost);
  else if (a->profile.lost != 0)
    ledger_warn(ledger, LEDGER_DATA, "%" PRIu64 " samples were lost while the profile was taken",
                a->profile.lost);
}

/* --- whether the clocks agree --- */

static double part_inside(const struct hot_clock *clock) {
  return clock->samples == 0 ? 0 : (double)clock->inside / (double)clock->samples;
}

/* A thread that notes when a request begins or ends does not wait. */
static void note_waits_clock(const struct hot_answer *a, struct ledger *ledger) {
  const struct hot_clock *clock = &a->clock;
  ledger_note(ledger, LEDGER_DATA,
              "of %" PRIu64 " moments at which requests begin or end their work %" PRIu64
              " are in a wait of their thread%s",
              clock->samples, clock->inside,
              clock->seen || a->told ? ""
              : clock->random        ? ", as if the clocks had nothing to do with each other"
                                     : ": too few waits to see whether the clocks agree");
}

static void note_clock(const struct hot_answer *a, struct ledger *ledger) {
  const struct hot_clock *clock = &a->clock;
  if (a->off_cpu) {
    note_waits_clock(a, ledger);
    return;
  }
  if (clock->samples != 0)
    ledger_note(ledger, LEDGER_DATA,
                "of %" PRIu64 " samples of the threads that requests executed on, %.1f %% were "
                "taken in requests",
                clock->samples, 100 * part_inside(clock));
  if (!clock->seen && !a->told)
    ledger_note(ledger, LEDGER_DATA,
                "whether the profile's clock is that of the requests cannot be seen from the "
                "samples, as no shift differs from others: %s",
                clock->samples < HOT_CLOCK_LEAST ? "they are too few"
                                                 : "threads run the same at any other moment");
  if (clock->apart && a->told)
    ledger_warn(ledger, LEDGER_DATA,
                "put forward by %.6f s the profile has %.1f %% of them in requests: "
                "--profile-offset does not fit",
                (double)(a->shift + clock->shift) / 1e9, 100 * clock->share);
}

/* What a user says of the clocks counts. */
static bool is_refused(const struct hot_answer *a, bool same) {
  return !a->told && (a->clock.apart || (a->clock.random && !same));
}

static void refuse(struct hot_report *report, enum hot_verdict verdict) {
  report->verdict = verdict;
  report->findings.count = 0;
}

/* Of waits that may be of any thread nothing can be told. */
static bool has_no_threads(const struct hot_answer *a, const struct hot_join *join) {
  size_t known = 0;
  for (size_t r = 0; r < join->requests; r++)
    known += join->time[r] > 0;
  return a->off_cpu && join->nobody != 0 && known == 0;
}

/* Who lacks processors makes others wait who wait for him. */
static void note_busy(const struct hot_answer *a, struct ledger *ledger) {
  const struct hot_report *report = &a->reports[HOT_EXECUTING];
  for (size_t i = 0; i < report->findings.count; i++) {
    const struct hot_finding *finding = &report->findings.data[i];
    if (finding->kind == HOT_OWN && finding->slow >= BUSY_LEAST && finding->node != STACK_NONE &&
        stack_unit_is_preempted(&a->profile, finding->node))
      ledger_warn(ledger, LEDGER_DATA,
                  "slow requests had no processor for %.0f %% of their time though they could have "
                  "gone on: the machine was busy, and whom they waited for may have been held up "
                  "by that, too",
                  100 * finding->slow);
  }
}

static void find_clock(struct hot_answer *a, double worth) {
  if (a->off_cpu)
    hot_waits_clock(&a->clock, &a->stretches, &a->profile);
  else
    hot_clock_find(&a->clock, &a->stretches, &a->profile, &a->functions, a->processor ? worth : 0);
}

void hot_judge_all(struct hot_answer *a, const struct tail_split *split, bool same, double level,
                   struct ledger *ledger) {
  a->off_cpu = stack_unit_is_waiting(&a->profile);
  double worth = find_worth(a, ledger);
  stack_functions_find(&a->functions, &a->profile);
  a->found = true;
  for (size_t i = 0; i < a->stretches.count; i++)
    a->waits |= a->stretches.data[i].waiting && !a->off_cpu;
  find_clock(a, worth);
  a->refused = is_refused(a, same);
  note_clock(a, ledger);
  for (int role = 0; role < HOT_ROLES; role++) {
    hot_join_make(&a->joins[role], &a->stretches, role == HOT_WAITING, split->requests,
                  &a->profile);
    hot_report_make(&a->reports[role], &a->joins[role], &a->profile, &a->functions, split, worth,
                    level);
    if (a->refused)
      refuse(&a->reports[role], HOT_CLOCKS);
    if (role == HOT_EXECUTING && has_no_threads(a, &a->joins[role])) {
      a->refused = true;
      refuse(&a->reports[role], HOT_THREADS);
    }
    if (role == HOT_EXECUTING || a->waits)
      note_join(a, &a->joins[role], ledger);
  }
  if (a->off_cpu)
    note_busy(a, ledger);
  if (a->off_cpu)
    ledger_add(ledger, LEDGER_DATA,
               "a wait lasts until the thread has a processor again, and belongs to the request "
               "that its thread was working for; waits of one request depend on each other, which "
               "the intervals allow for");
  else
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

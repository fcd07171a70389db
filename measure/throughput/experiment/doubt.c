/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/doubt.h"

#include "measure/throughput/experiment/doubt_inside.h"
#include "measure/throughput/experiment/sizes.h"
#include "measure/throughput/experiment/slowing.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double busy_least = 0.9;  /* "all the time" */
static const double users_least = 0.8; /* of those that there can be, in flight at each time */
static const double drift = 0.04;      /* between two runs of the same, at different times */
static const double ceiling_slack = 0.02;
static const double wide = 0.1;  /* half of an interval: more is no prediction */
static const double near = 0.08; /* half of what is between two ends: less is a number */
/* What a machine whose processors are full serves of the same, from one run to the next: what a request takes of them
 * depends on what runs beside it. */
static const double full_slack = 0.1;
static const double open_slack = 1.03; /* within which ends are those that always hold */
/* By so much longer a call may take while others are under way than alone, as it was learnt. */
static const double load_slack = 0.15;
static const double own_least =
    0.2; /* of a call's time: what is not spent in calls that it makes */
enum { BATCH_LEAST = 4 };

/* The largest share of its time that a changed service saves. */
static double share_of(const struct cell *cell, const struct profile *profile) {
  double most = 0;
  for (uint32_t i = 0; i < cell->change.count; i++) {
    const struct change_part *part = &cell->change.parts[i];
    double share = part->share_ppm / (double)PLAN_PPM;
    if (part->workers != 0)
      share = 1 - (double)profile->services[part->service].workers / part->workers;
    most = fmax(most, share);
  }
  return most;
}

/* --- the throughput now ----------------------------------------------------------------------- */

/* The lowest and highest of both baselines, each with what another run of the same differs by. */
static bool find_now(struct doubt_verdict *verdict) {
  const struct experiment *experiment = verdict->experiment;
  size_t count = 0;
  for (size_t c = BASE_CELL; c < FIRST_CHANGE; c++) {
    const struct throughput_estimate *known = &experiment->cells.data[c].estimate;
    if (!known->given)
      continue;
    double low = known->low * (1 - drift), high = known->high * (1 + drift);
    verdict->now_low = count == 0 ? low : fmin(verdict->now_low, low);
    verdict->now_high = fmax(verdict->now_high, high);
    verdict->now = count == 0 ? known->value : verdict->now;
    count++;
  }
  double share = share_of(verdict->cell, &experiment->profile);
  verdict->most = share < 1 ? verdict->now_high / (1 - share) : INFINITY;
  return count != 0;
}

/* --- too large -------------------------------------------------------------------------------- */

static void doubt_uncounted(struct doubt_verdict *verdict) {
  const struct experiment_plan *plan = verdict->experiment->plan;
  for (uint32_t s = 0; s < plan->count; s++)
    if (verdict->experiment->profile.services[s].calls <= 0) {
      verdict->large = true;
      doubt_say(
          verdict,
          "no call of %s was counted, so it never pauses and counts as infinitely fast; count its "
          "calls, or leave it out if no request waits for it",
          plan->services[s].name);
    }
}

/* What the plan leaves out never pauses, and may be what limits. */
static void doubt_talks(struct doubt_verdict *verdict) {
  const struct experiment_plan *plan = verdict->experiment->plan;
  const struct talks *talks = &verdict->experiment->profile.talks;
  for (uint32_t s = 0; s < plan->count; s++) {
    if (talks->outside[s][0] == '\0')
      continue;
    verdict->large = true;
    doubt_say(
        verdict,
        "%s talks to %s, not in the plan, so counted as infinitely fast: put it there, or under "
        "not_waited_for if no request waits for it",
        plan->services[s].name, talks->outside[s]);
  }
}

/* How long a service stands in the larger of the two sizes of rounds, in ns. */
static double longest_pause(const struct doubt_verdict *verdict, const struct sizes *sizes,
                            uint32_t service) {
  const struct profile_service *services = verdict->experiment->profile.services;
  const struct change_pauses *pauses = &sizes->changed->pauses;
  double batch = fmax((double)sizes->one->batch, (double)sizes->other->batch);
  double calls = services[service].calls / services[pauses->leader].calls;
  return batch * calls * (double)pauses->pause_ns[service];
}

/* Whether rounds of two sizes give the same, of which one stops a service for as long as a call of it
 * takes, with all that the call waits for: of a wait the larger ones would have charged a part. */
static bool charges_waits(const struct doubt_verdict *verdict, uint32_t service) {
  struct sizes sizes = sizes_of(verdict->experiment, verdict->cell);
  return sizes.changed != NULL && !sizes_differ(&sizes.one->estimate, &sizes.other->estimate) &&
         verdict->experiment->profile.services[service].work_ns <=
             longest_pause(verdict, &sizes, service);
}

/* A service that calls nobody and has requests in flight, of which hardly any runs or waits for a
 * processor, while no thread is busy in whose queue they could be: they wait for what no pause stops. */
static void doubt_waits(struct doubt_verdict *verdict) {
  const struct experiment *experiment = verdict->experiment;
  const struct experiment_plan *plan = experiment->plan;
  for (uint32_t s = 0; s < plan->count; s++) {
    const struct profile *profile = &experiment->profile;
    if (doubt_is_changed(&verdict->cell->change, s) || !slowing_waits(profile, plan, s) ||
        profile->services[s].held || charges_waits(verdict, s))
      continue;
    verdict->large = true;
    doubt_say(
        verdict,
        "%s has %.2g requests in flight, and its threads run or want to for %.2g of the time: they "
        "wait for a timer, a disk or another host, which no pause stops; say how many `workers` it "
        "has, so that its answers are held",
        plan->services[s].name, slowing_in_flight(profile, s), profile->use.services[s].wanted);
  }
}

static void doubt_risen(struct doubt_verdict *verdict) {
  const struct throughput_estimate *known = &verdict->cell->estimate;
  if (known->measured <= verdict->now_high * (1 + known->chance))
    return;
  verdict->large = true;
  doubt_say(
      verdict,
      "with the others paused there were %.0f requests/s, and %.0f as it is: pauses left something "
      "to those that ran, processors most often; give the services more processors",
      known->measured, verdict->now);
}

/* Whether what is known of a service says how much it can serve. What was measured of one that is
 * busy all the time does not: users wait in it for whoever limits, and users over the time that
 * they wait are today's throughput, whatever it could do (Little, 1961). */
static bool tells_ceiling(const struct doubt_verdict *verdict, uint32_t service, bool *stated) {
  const struct experiment *experiment = verdict->experiment;
  const struct profile_service *known = &experiment->profile.services[service];
  const struct profile_service *leader =
      &experiment->profile.services[verdict->cell->pauses.leader];
  const struct plan_service *planned = &experiment->plan->services[service];
  *stated = planned->work_ns != 0 && planned->workers != 0;
  bool waits = (planned->proxy != NULL ||
                planned->relay != NULL) && /* for who changes, perhaps: its time is that long */
               known->calls * known->work_ns >= leader->calls * leader->work_ns;
  return known->calls > 0 && known->work_ns > 0 && known->workers != 0 &&
         (*stated || (known->busy < busy_least && !waits));
}

/* What others can serve, by workers over the time of their calls. What the plan states is a bound;
 * of what was measured it is not known whether there are more workers than were seen. */
static void doubt_workers(struct doubt_verdict *verdict) {
  const struct experiment *experiment = verdict->experiment;
  const struct throughput_estimate *estimate = &verdict->cell->estimate;
  for (uint32_t s = 0; s < experiment->plan->count; s++) {
    const struct profile_service *known = &experiment->profile.services[s];
    bool stated;
    if (doubt_is_changed(&verdict->cell->change, s) || !tells_ceiling(verdict, s, &stated) ||
        (known->held && !stated)) /* its workers are held as long as they are to seem to work */
      continue;
    double ceiling = known->workers * 1e9 / (known->calls * known->work_ns);
    double reach = ceiling * (1 + fmax(ceiling_slack, estimate->chance));
    if (stated)
      verdict->ceiling = fmin(verdict->ceiling, reach);
    if (estimate->value <= reach)
      continue;
    verdict->large = verdict->large || !stated || estimate->low > reach;
    doubt_say(
        verdict,
        "it would be %.0f requests/s, but %s can serve %.0f (%u at once, %.3f ms each, %.3g calls "
        "a request): pauses do not slow what waits for a timer, a disk or another host, or it has "
        "more workers than were seen; then say how many in the plan",
        estimate->value, experiment->plan->services[s].name, ceiling, known->workers,
        known->work_ns / 1e6, known->calls);
  }
}

/* Answers are held for as long as a call takes in pauses, when hardly another is under way: of one that
 * is at work for nearly all of the time as it is, it is not known whether it can serve more. */
static void doubt_held(struct doubt_verdict *verdict) {
  const struct experiment *experiment = verdict->experiment;
  for (uint32_t s = 0; s < experiment->plan->count; s++) {
    const struct profile_service *known = &experiment->profile.services[s];
    const struct plan_service *planned = &experiment->plan->services[s];
    double at_work = verdict->now * known->calls * change_time_ns(known, planned) / 1e9 /
                     change_workers(known, planned);
    bool stated = planned->work_ns != 0 && planned->workers != 0;
    bool told = stated || known->work_alone || change_is_learnt(known, planned);
    if (!known->held || !told || at_work < 1 - load_slack ||
        doubt_is_changed(&verdict->cell->change, s) ||
        verdict->cell->estimate.value <= verdict->now_high)
      continue;
    verdict->large = true;
    doubt_say(
        verdict,
        "%s, whose answers are held, is at work for %.0f %% of the time as it is, by the time "
        "that a call takes alone, and may be as fast as it can; ask about both (`--together`)",
        planned->name, 100 * at_work);
  }
}

/* What a held service that calls others is held for is a share of its time, its own. Without one user that
 * is a difference of times, and where it is a small part of them their errors are larger. */
static void doubt_own(struct doubt_verdict *verdict) {
  const struct experiment *experiment = verdict->experiment;
  for (uint32_t s = 0; s < experiment->plan->count; s++) {
    const struct profile_service *known = &experiment->profile.services[s];
    bool alone = experiment->profile.knee[s].alone_ns > 0;
    if (!known->held || known->own_ns == 0 || alone ||
        (double)known->own_ns >= own_least * known->work_ns ||
        doubt_is_changed(&verdict->cell->change, s))
      continue;
    verdict->large = verdict->small = true;
    doubt_say(
        verdict,
        "%s is held for what it takes itself, without the calls that it makes, and of %.3g ms "
        "that is too small a part to be known; give the load `{users}`",
        experiment->plan->services[s].name, known->work_ns / 1e6);
  }
}

/* --- rounds ----------------------------------------------------------------------------------- */

static void doubt_blocked(struct doubt_verdict *verdict, const struct sizes *sizes) {
  const struct experiment *experiment = verdict->experiment;
  uint64_t batch =
      sizes->one->batch < sizes->other->batch ? sizes->one->batch : sizes->other->batch;
  if (!sizes_blocked(experiment, sizes->changed, batch))
    return;
  verdict->small = true;
  doubt_say(verdict,
            "in each pause of %" PRIu64 " requests workers of %s wait for those that it calls, for "
            "longer than they work between two calls; a smaller `batch` would decide",
            batch, experiment->plan->services[sizes->changed->pauses.leader].name);
}

static void doubt_rounds(struct doubt_verdict *verdict) {
  struct sizes sizes = sizes_of(verdict->experiment, verdict->cell);
  if (sizes.changed == NULL) { /* either error may be in these */
    verdict->large = verdict->small = true;
    doubt_say(verdict,
              "rounds of another size, which are to give the same, were not measured; give the "
              "experiment a larger budget");
    return;
  }
  const struct throughput_estimate *one = &sizes.one->estimate, *other = &sizes.other->estimate;
  if (!sizes_differ(one, other)) {
    doubt_blocked(verdict, &sizes);
    return;
  }
  verdict->large = verdict->small = true;
  char where[CHANGE_LABEL + 16] = "";
  if (sizes.changed != verdict->cell)
    snprintf(where, sizeof where, "for %s ", sizes.changed->change.label);
  doubt_say(
      verdict,
      "%srounds of %" PRIu64 " requests give %.0f requests/s, and of %" PRIu64 " %.0f: either part "
      "of a pause costs nothing, where a service waits for a timer, a disk or another host, or it "
      "outlasts the work, where who is to seem faster waits for who pauses; more users and another "
      "`batch` would decide",
      where, sizes.one->batch, one->raw, sizes.other->batch, other->raw);
}

/* --- too small -------------------------------------------------------------------------------- */

static void doubt_users(struct doubt_verdict *verdict) {
  const struct profile *profile = &verdict->experiment->profile;
  const struct cell *cell = verdict->cell;
  const char *leader = verdict->experiment->plan->services[cell->pauses.leader].name;
  struct sizes sizes = sizes_of(verdict->experiment, cell);
  bool agreed = cell->held && sizes.changed != NULL &&
                !sizes_differ(&sizes.one->estimate, &sizes.other->estimate);
  if (cell->few && cell->batch != 0 && cell->batch < BATCH_LEAST && !agreed) {
    verdict->large = verdict->small = true;
    doubt_say(verdict,
              "%.3g users in flight allow no more than %" PRIu64
              " requests a round, or %s would run out "
              "of work in a pause; give the load more users",
              profile->users, cell->batch, leader);
  }
  if (profile->users > 0 && profile->users < users_least * profile->users_most) {
    verdict->large = verdict->small = true;
    doubt_say(
        verdict,
        "of the %.0f users that were seen at once %.3g are in flight: they think, or what loads is "
        "busy itself, so who limits may be none of the services; give the load users who ask again "
        "at once",
        profile->users_most, profile->users);
  }
}

/* Of several that change each stands for the others, and where they are held, all of them at once: what one
 * has no work for is lost. The loss grows with the pauses, so where two sizes agree there is none. */
static void doubt_together(struct doubt_verdict *verdict) {
  const struct cell *cell = verdict->cell;
  const struct experiment *experiment = verdict->experiment;
  struct sizes sizes = sizes_of(experiment, cell);
  if (sizes.changed == cell && !sizes_differ(&sizes.one->estimate, &sizes.other->estimate))
    return;
  for (uint32_t s = 0; s < experiment->plan->count; s++) {
    bool held = experiment->profile.services[s].held && cell->pauses.pause_ns[s] != 0;
    if (!held || !doubt_is_changed(&cell->change, s))
      continue;
    verdict->small = true;
    doubt_say(
        verdict,
        "answers of %s are held for what others are to be faster, at the same time as theirs for "
        "it, "
        "so that less is served than if they stood in turn; ask about one at a time",
        experiment->plan->services[s].name);
  }
}

/* A faster service takes nothing away. */
static void doubt_fallen(struct doubt_verdict *verdict) {
  const struct throughput_estimate *known = &verdict->cell->estimate;
  if (known->high >= verdict->now_low)
    return;
  verdict->small = true;
  doubt_say(
      verdict,
      "it would be %.0f requests/s, less than the %.0f as it is: pauses cost more than they stand "
      "for, as who is to seem faster waits for who pauses; smaller rounds (`batch`) would decide",
      known->value, verdict->now);
}

/* --- together --------------------------------------------------------------------------------- */

/* Whether the law of who is busy says the same as the pauses, which tell a gain from none. */
static bool law_agrees(const struct doubt_verdict *verdict) {
  const struct throughput_estimate *known = &verdict->cell->estimate;
  const struct utilization_law *law = &verdict->law;
  bool tells = law->value <= verdict->now_high || known->low > verdict->now;
  return law->known && law->high >= known->low && law->low <= known->high && tells;
}

/* The number that a loop's law gives, which chance has less of than the pauses: their errors grow
 * with what is saved. */
static bool conclude_by_loop(struct cell *cell, const struct doubt_verdict *verdict, double most) {
  struct throughput_estimate *estimate = &cell->estimate;
  const struct utilization_law *law = &verdict->law;
  if (law->loop == PLAN_SERVICES || law->value > most || !law_agrees(verdict))
    return false;
  estimate->answer = ANSWER_PREDICTED;
  estimate->value = law->value;
  estimate->low = law->low;
  estimate->high = fmin(law->high, most);
  estimate->base = law->now;
  estimate->refused[0] = '\0';
  return true;
}

/* Half of an interval, as a share of the number between its ends that is off by as much at either. */
static double half_of(const struct throughput_estimate *estimate) {
  return (estimate->high - estimate->low) / (estimate->high + estimate->low);
}

/* Both ends hold whatever is wrong with the prediction: near each other they say as much as one, if its
 * own interval, [paused_low, paused_high], has a part in them: else what the ends rest on is contradicted. */
static void conclude_by_ends(struct throughput_estimate *estimate,
                             const struct doubt_verdict *verdict, double paused_low,
                             double paused_high) {
  double low = estimate->low, high = estimate->high;
  bool open = low <= open_slack * verdict->now_low && high * open_slack >= verdict->most;
  bool within = paused_low <= high && paused_high >= low && !verdict->crowded;
  estimate->by_ends = estimate->given && !open && within && half_of(estimate) <= near;
  if (estimate->by_ends) {
    estimate->answer = ANSWER_PREDICTED;
    estimate->value = 2 * low * high / (low + high);
    return;
  }
  estimate->answer = !estimate->given || open ? ANSWER_CANNOT_TELL : ANSWER_BETWEEN;
  estimate->given = false;
  if (verdict->crowded) {
    estimate->low = low * (1 - full_slack);
    estimate->high = high * (1 + full_slack);
  }
}

/* What is left, cut off where contradictions and limits say so; a number only where that is narrow. */
static void conclude(struct cell *cell, struct doubt_verdict *verdict) {
  struct throughput_estimate *estimate = &cell->estimate;
  double most = fmin(verdict->most, verdict->ceiling), value = estimate->value;
  double paused_low = estimate->low, paused_high = estimate->high;
  bool measured = estimate->given, agrees = measured && law_agrees(verdict);
  bool contradicted = !measured || verdict->large || verdict->small;
  estimate->bounded = true;
  if (!contradicted && conclude_by_loop(cell, verdict, most))
    return;
  contradicted = contradicted || value > most || verdict->crowded;
  if (!measured || verdict->large || estimate->low > most)
    estimate->low = verdict->now_low;
  if (!measured || verdict->small || verdict->crowded)
    estimate->high = verdict->most;
  if (agrees && verdict->crowded)
    estimate->high = fmin(estimate->high, verdict->law.high);
  if (!measured || contradicted) {
    estimate->high = fmin(fmax(estimate->high, verdict->now_high), most);
    estimate->low = fmin(fmax(estimate->low, verdict->now_low), estimate->high);
  }
  estimate->high = fmin(estimate->high, most);
  if (value > most) /* neither is more exact than that where they differ */
    estimate->low = fmin(estimate->low, most * (1 - DOUBT_METHOD));
  double half = half_of(estimate);
  if (!contradicted && half <= wide) {
    estimate->answer = ANSWER_PREDICTED;
    estimate->value = fmin(fmax(value, estimate->low), estimate->high);
    estimate->refused[0] = '\0';
    return;
  }
  if (!contradicted)
    doubt_say(verdict,
              "the interval is +- %.0f %% of the prediction, as windows scatter; longer windows "
              "(`window`), "
              "more of them (`budget`), or a machine with less to do would decide",
              100 * half);
  estimate->high = fmin(fmax(estimate->high, verdict->now_high), most);
  estimate->low = fmin(fmax(estimate->low, verdict->now_low), estimate->high);
  conclude_by_ends(estimate, verdict, paused_low, paused_high);
}

static void doubt_cell(struct cell *cell, const struct experiment *experiment) {
  struct throughput_estimate *estimate = &cell->estimate;
  char why[sizeof estimate->refused] = "";
  struct doubt_verdict verdict = {
      .experiment = experiment, .cell = cell, .ceiling = INFINITY, .why = why, .room = sizeof why};
  if (!find_now(&verdict)) {
    if (estimate->given)
      snprintf(estimate->refused, sizeof estimate->refused,
               "the throughput as it is was not measured; give the experiment a larger budget");
    estimate->given = estimate->bounded = false;
    estimate->answer = ANSWER_CANNOT_TELL;
    return;
  }
  if (estimate->given) {
    doubt_uncounted(&verdict);
    doubt_talks(&verdict);
    doubt_waits(&verdict);
    doubt_users(&verdict);
    doubt_flight(&verdict);
    doubt_quotas(&verdict);
    doubt_threads(&verdict);
    doubt_workers(&verdict);
    doubt_held(&verdict);
    doubt_own(&verdict);
    doubt_risen(&verdict);
    if (estimate->value > verdict.most)
      doubt_say(
          &verdict,
          "it would be %.0f requests/s, and if everything were as much faster there would be %.0f",
          estimate->value, verdict.most);
    doubt_together(&verdict);
    doubt_fallen(&verdict);
    doubt_processors(&verdict);
    doubt_rounds(&verdict);
    law_find(&verdict.law, experiment, cell, verdict.now);
  }
  bool concerned = estimate->given || cell->possible;
  if (concerned)
    conclude(cell, &verdict);
  if (why[0] != '\0' && concerned && (estimate->answer != ANSWER_PREDICTED || estimate->by_ends))
    memcpy(estimate->refused, why, sizeof why);
}

void doubt_all(struct experiment *experiment) {
  for (size_t c = FIRST_CHANGE; c < experiment->checks; c++)
    doubt_cell(&experiment->cells.data[c], experiment);
}

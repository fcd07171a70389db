/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/machines/machines.h"

#include <inttypes.h>
#include <string.h>

#include "cli/question/law/draws.h"
#include "cli/question/machines/losses.h"
#include "cli/question/machines/supply.h"
#include "cli/question/replay/needed.h"
#include "cli/question/verify/reuse.h"
#include "cli/question/verify/verify.h"
#include "solver/judge/replay.h"
#include "dist/statistics/limits.h"
#include "dist/statistics/serial.h"

/* At the beginning of a stream its machines are at rest: this part of the requests does not count.
 */
enum { REQUESTS = 1000, STEPS = 5000, STEPS_OF_REQUEST = 50, WARMUP_PART = 10 };

/* What no execution may show of a proved bound. */
struct contradiction {
  bool found;
  uint64_t seed;
  int64_t time_ns, limit_ns;
  char *invalid; /* owned: it is no execution of the model at all, and why */
};

struct simulating {
  struct machines_answer *answer;
  const struct machines_question *question;
  struct parameters parameters;
  struct supply supply;
  struct machines machines;
  double *losses; /* owned */
  moments arrivals;
  struct text message;
  struct contradiction contradiction;
};

static enum status fail(struct simulating *s, enum status status) {
  if (s->message.length != 0)
    asker_say(s->question->of.asker, status == STATUS_USAGE ? SAYING_MISTAKE : SAYING_FAILURE, "%s",
              text_get(&s->message));
  return status;
}

/* --- what runs -------------------------------------------------------------------------------- */

static const struct message *arriving(const struct model *model, const struct bound *bound) {
  for (size_t i = 0; bound->from != NULL && i < model->actions.count; i++)
    if (machines_is_arrival(model->actions.items[i], bound->from))
      return bound->from;
  return NULL;
}

static enum status check_arrivals(struct simulating *s) {
  const struct bound *bound = s->answer->bound;
  const char *given = s->question->arrivals;
  if (bound->from != NULL && bound->target == TARGET_WHEN) {
    text_format(&s->message,
                "bound %s counts from a message up to a state (when ..), which passes; simulate "
                "follows requests up to messages alone: sent or delivered",
                bound->name);
    return STATUS_USAGE;
  }
  if (s->machines.arriving == NULL && given == NULL)
    return STATUS_OK;
  if (s->machines.arriving != NULL && given != NULL)
    return STATUS_OK;
  if (given == NULL)
    text_format(&s->message,
                "bound %s counts from each %s, which is sent when its sender likes; say when that "
                "is: --arrivals poisson:RATE, constant:RATE or a table of times",
                bound->name, bound->from->name);
  else if (bound->from == NULL)
    text_format(&s->message,
                "--arrivals: bound %s counts from time 0, so that each execution has one request; "
                "leave it out",
                bound->name);
  else
    text_format(&s->message,
                "--arrivals: the protocol says itself when %s is sent (no action with a timeout "
                "sends it); leave it out",
                bound->from->name);
  return STATUS_USAGE;
}

static enum status make_machines(struct simulating *s) {
  struct machines_answer *answer = s->answer;
  const struct model *model = answer->protocol.model;
  enum status status = STATUS_OK;
  s->machines.bound = answer->bound;
  s->machines.arriving = arriving(model, answer->bound);
  s->machines.requests = s->question->requests == 0 ? REQUESTS : s->question->requests;
  status = check_arrivals(s);
  if (status == STATUS_OK && s->machines.arriving != NULL)
    status =
        process_make(&s->arrivals, s->question, s->machines.requests, &answer->ledger, &s->message);
  if (status == STATUS_OK) {
    s->losses = losses_read(model, &s->question->lose, &answer->ledger, &s->message);
    status = s->losses == NULL ? STATUS_USAGE : STATUS_OK;
  }
  if (status != STATUS_OK)
    return status;
  s->machines.losses = s->losses;
  s->machines.arrivals_ns = s->arrivals.data;
  s->machines.arrival_count = s->arrivals.count;
  s->machines.steps_max =
      answer->bound->from == NULL ? STEPS : STEPS + STEPS_OF_REQUEST * s->machines.requests;
  s->machines.interpreter = needed_interpreter(&status, model, &s->parameters, &s->message);
  return s->machines.interpreter == NULL ? status : STATUS_OK;
}

/* --- executions ------------------------------------------------------------------------------- */

static void note_breach(struct simulating *s, const struct replay *replay, uint64_t seed) {
  s->answer->exceeding++;
  if (s->contradiction.found)
    return;
  s->contradiction.found = true;
  s->contradiction.seed = seed;
  rational_ceil(&s->contradiction.time_ns, &replay->time);
  rational_floor(&s->contradiction.limit_ns, &replay->limit);
}

static void note_invalid(struct simulating *s, const struct replay *replay, uint64_t seed) {
  s->contradiction.found = true;
  s->contradiction.seed = seed;
  mem_free(s->contradiction.invalid);
  s->contradiction.invalid = mem_copy_text(replay->reason, strlen(replay->reason));
}

/* The theorem speaks of executions whose times meet the file's assumptions. */
static void judge(struct simulating *s, uint64_t seed) {
  const struct assumption *broken = NULL;
  struct valuation valuation = values_valuation(&s->machines.values);
  if (!interpreter_assumptions_hold(s->machines.interpreter, &valuation, &broken)) {
    s->answer->broken = s->answer->outside++ == 0 ? broken->text : s->answer->broken;
    return;
  }
  struct replay replay;
  replay_init(&replay);
  machines_judge(&replay, &s->machines);
  if (replay.verdict == REPLAY_EXCEEDED)
    note_breach(s, &replay, seed);
  else if (replay.reason != NULL)
    note_invalid(s, &replay, seed);
  replay_clear(&replay);
}

static void add(struct sample *sample, bool happened, int64_t ns) {
  bool ever = happened && ns < MACHINES_ENDLESS / 2;
  uint64_t value = ever ? (uint64_t)ns : SAMPLE_NS_MAX;
  if (ever)
    sample_add_range(sample, value, value, 1);
  else
    sample_add_beyond(sample, 1);
  sample_add_to_series(sample, value);
}

static void note_end(struct simulating *s, enum machines_end end) {
  struct machines_answer *answer = s->answer;
  answer->standing += end == MACHINES_STANDS;
  answer->cut += end == MACHINES_LIMITED;
  if (end == MACHINES_STANDS && answer->why == NULL)
    answer->why = mem_copy_text(s->machines.why, strlen(s->machines.why));
}

static void show(struct simulating *s, bool at_rest) {
  machines_requests requests = {0};
  machines_show(&requests, &s->machines);
  size_t warmup = s->answer->bound->from == NULL ? 0 : requests.count / WARMUP_PART;
  s->answer->warmup = warmup;
  for (size_t i = warmup; i < requests.count; i++) {
    const struct machines_request *request = &requests.data[i];
    if (!request->happened && at_rest && !s->machines.endless) {
      s->answer->otherwise++;
      continue;
    }
    bool ended = request->happened && request->time_ns < MACHINES_ENDLESS / 2;
    s->answer->unfinished += !ended;
    s->answer->requests++;
    add(&s->answer->times, request->happened, request->time_ns);
    add(&s->answer->limits, request->happened, request->limit_ns);
  }
  vector_clear(&requests);
}

static enum status run_once(struct simulating *s, uint64_t seed) {
  supply_begin(&s->supply, seed ^ UINT64_C(0x5851f42d4c957f2d));
  enum machines_end end = machines_run(&s->machines, seed);
  if (end == MACHINES_STOPPED) {
    text_append(&s->message, text_get(&s->supply.message));
    return s->supply.status;
  }
  if (end == MACHINES_FAULT) {
    text_format(&s->message, "%s: %s", s->question->of.path, s->machines.fault);
    return STATUS_DATA;
  }
  s->answer->executions++;
  if (s->machines.late_ns > s->answer->late_ns)
    s->answer->late_ns = s->machines.late_ns;
  note_end(s, end);
  show(s, end == MACHINES_AT_REST);
  judge(s, seed);
  return STATUS_OK;
}

static enum status run_all(struct simulating *s) {
  size_t count = s->answer->bound->from == NULL ? s->machines.requests : 1;
  enum status status = STATUS_OK;
  struct machines_supply supply = supply_of(&s->supply);
  s->machines.supply = &supply;
  machines_init(&s->machines);
  for (size_t i = 0; i < count && status == STATUS_OK; i++)
    status = asker_stopped(s->question->of.asker) ? STATUS_INTERRUPTED
                                                  : run_once(s, s->question->seed + i);
  machines_clear(&s->machines);
  sample_finish(&s->answer->times);
  sample_finish(&s->answer->limits);
  if (status == STATUS_OK && s->answer->requests == 0) {
    text_format(&s->message,
                "%s: the event of bound %s did not happen in any simulated execution: each came to "
                "rest without it",
                s->question->of.path, s->answer->bound->name);
    status = STATUS_DATA;
  }
  return status;
}

/* --- the proof -------------------------------------------------------------------------------- */

static enum status prove(struct simulating *s) {
  struct machines_answer *answer = s->answer;
  const struct calculation_request *of = &s->question->of;
  struct verify_options how = effort_options(&of->effort, of->asker);
  how.only = answer->bound;
  struct verification proof;
  reuse_or_verify(&proof, answer->protocol.model, answer->protocol.source, &how, of->effort.reuse);
  answer->verdict = proof.bounds.count == 0 ? VERDICT_UNKNOWN : proof.bounds.data[0].verdict;
  verification_assumptions(&proof, &answer->ledger);
  verification_clear(&proof);
  return asker_stopped(of->asker) ? STATUS_INTERRUPTED : verdict_status(answer->verdict);
}

/* A proved bound, an execution that the judge accepts, and yet it takes longer. */
static enum status check_contradiction(struct simulating *s) {
  const struct contradiction *c = &s->contradiction;
  if (!c->found || (c->invalid == NULL && s->answer->verdict != VERDICT_PROVED))
    return STATUS_OK;
  const struct bound *bound = s->answer->bound;
  if (c->invalid != NULL)
    text_format(&s->message,
                "internal error: a simulated execution is none of the model: %s. Please report it "
                "with the protocol; ",
                c->invalid);
  else
    text_format(&s->message,
                "internal error: bound %s is proved, but a simulated execution takes %" PRId64
                " ns where its own times allow %" PRId64
                " ns. Please report it with the protocol; ",
                bound->name, c->time_ns, c->limit_ns);
  text_format(&s->message,
              "it is to be seen again with the same options and --seed %" PRIu64 " --requests %zu",
              c->seed, bound->from == NULL ? (size_t)1 : s->machines.requests);
  return STATUS_INTERNAL;
}

/* --- percentiles ------------------------------------------------------------------------------ */

static uint64_t quantile(const struct sample *sample, const struct rational *share) {
  uint64_t ns = UINT64_MAX;
  return limit_upper(&ns, sample, share, 1, 0) && ns < SAMPLE_NS_MAX ? ns : UINT64_MAX;
}

/* Requests of one execution depend on each other; executions do not. */
static struct serial order_of(const struct machines_answer *answer, const struct rational *share) {
  const struct sample *times = &answer->times;
  if (answer->bound->from == NULL || times->series_count == 0)
    return serial_independent();
  return serial_at(times->series, times->series_count, share_double(share));
}

static void add_percentile(struct simulating *s, const struct wanted *wanted, uint64_t chance) {
  struct machines_answer *answer = s->answer;
  const struct sample *times = &answer->times;
  struct serial serial = order_of(answer, &wanted->share);
  struct machines_percentile p = {.wanted = wanted, .most_ns = UINT64_MAX};
  p.ns = quantile(times, &wanted->share);
  p.limit_ns = quantile(&answer->limits, &wanted->share);
  p.least_ns = limit_lower(times, &wanted->share, serial_worth_lower(&serial, times->real), chance);
  if (!limit_upper(&p.most_ns, times, &wanted->share, serial_worth_upper(&serial, times->real),
                   chance) ||
      p.most_ns >= SAMPLE_NS_MAX)
    p.most_ns = UINT64_MAX;
  p.settled = chance == 0 || serial.settled;

  if (answer->has_bound)
    p.bound = percentiles_at(&answer->measured, &answer->measured.curves.data[0], &wanted->share);
  vector_push(&answer->percentiles, p);
}

static void keep_saying(void *context, enum saying saying, const char *line) {
  struct text *text = context;
  (void)saying;
  if (text->length == 0)
    text_append(text, line);
}

/* The bound's own percentiles, where the measurements are enough for them. */
static void measure(struct simulating *s) {
  struct machines_answer *answer = s->answer;
  if (s->question->of.data == NULL || answer->verdict != VERDICT_PROVED) {
    text_append(&answer->why_not,
                answer->verdict != VERDICT_PROVED ? "it is not proved" : "nothing was measured");
    return;
  }
  struct asker quiet = {&answer->why_not, keep_saying, NULL, s->question->of.asker->stop};
  answer->asked =
      (struct percentiles_request){.of = s->question->of, .percentiles = s->question->percentiles};
  answer->asked.of.asker = &quiet;
  answer->has_measured = true;
  enum status status = percentiles_init(&answer->measured, &answer->asked);
  if (status == STATUS_OK)
    status = percentiles_prepare(&answer->measured);
  if (status == STATUS_OK)
    percentiles_conclude(&answer->measured);
  answer->has_bound = status == STATUS_OK;
  answer->asked.of.asker = s->question->of.asker;
}

static void conclude(struct simulating *s) {
  uint64_t chance = 0;
  if (rational_sign(&s->question->of.confidence) > 0)
    survival_tail_of(&chance, &s->question->of.confidence);
  measure(s);

  for (size_t i = 0; i < s->answer->wanted.count; i++)
    add_percentile(s, &s->answer->wanted.data[i], chance);
  struct ledger *ledger = &s->answer->ledger;
  for (size_t i = 0; i < s->supply.notes.count; i++)
    ledger_note(ledger, LEDGER_DATA, "%s", s->supply.notes.lines[i]);
  ledger_note(ledger, LEDGER_MODEL,
              "a simulation proves nothing: it shows executions that happened to be drawn, of "
              "machines that never rest while there is work");
  ledger_note(ledger, LEDGER_DIST,
              "times are drawn anew from what was measured, each by itself: the intervals are of "
              "the simulation, not of the measurements");
}

/* --- all of it -------------------------------------------------------------------------------- */

static enum status simulate_all(struct simulating *s) {
  struct machines_answer *answer = s->answer;
  enum status status = make_machines(s);
  if (status == STATUS_OK) {
    status = supply_init(&s->supply, answer->protocol.model);
    if (status != STATUS_OK)
      text_append(&s->message, text_get(&s->supply.message));
    if (status == STATUS_OK)
      status = run_all(s);
    if (status != STATUS_OK) {
      supply_clear(&s->supply);
      return fail(s, status);
    }
    enum status verdict = prove(s);
    status = verdict == STATUS_INTERRUPTED ? verdict : check_contradiction(s);
    if (status == STATUS_OK) {
      conclude(s);
      answer->found = true;
    }
    supply_clear(&s->supply);
    /* what did not end says nothing for the bound, and may say that there is no real system */
    bool silent = answer->standing != 0 || (answer->cut != 0 && answer->unfinished != 0);
    if (verdict == STATUS_OK && silent)
      verdict = STATUS_UNKNOWN;
    return status == STATUS_OK ? verdict : fail(s, status);
  }
  return fail(s, status);
}

enum status machines_ask(struct machines_answer *answer, const struct machines_question *question) {
  *answer = (struct machines_answer){.verdict = VERDICT_UNKNOWN};
  ledger_init(&answer->ledger);
  text_init(&answer->why_not);
  sample_init(&answer->times);
  sample_init(&answer->limits);
  const struct asker *asker = question->of.asker;
  struct simulating s = {.answer = answer, .question = question};
  s.supply.data = question->of.data;
  s.supply.units = &question->of.units;
  s.supply.selects = &question->of.selects;
  s.supply.always = &question->always;
  s.supply.parameters = &s.parameters;
  text_init(&s.message);
  answer->status = wanted_read(&answer->wanted, question->percentiles, asker);
  if (answer->status == STATUS_OK)
    answer->status = protocol_load(&answer->protocol, question->of.path, asker);
  if (answer->status == STATUS_OK) {
    answer->bound = protocol_bound(&answer->protocol, question->of.bound, asker);
    answer->status = answer->bound == NULL ? STATUS_USAGE : STATUS_OK;
  }
  if (answer->status == STATUS_OK) {
    answer->status =
        parameters_read(&s.parameters, answer->protocol.model, &question->of.set, asker);
    if (answer->status == STATUS_OK)
      answer->status = simulate_all(&s);
    parameters_clear(&s.parameters);
  }
  if (s.machines.interpreter != NULL)
    interpreter_free(s.machines.interpreter);
  mem_free(s.contradiction.invalid);
  mem_free(s.losses);
  vector_clear(&s.arrivals);
  text_clear(&s.message);
  return answer->status;
}

void machines_answer_clear(struct machines_answer *answer) {
  if (answer->has_measured)
    percentiles_clear(&answer->measured);
  vector_clear(&answer->percentiles);
  wanted_clear(&answer->wanted);
  sample_clear(&answer->times);
  sample_clear(&answer->limits);
  ledger_clear(&answer->ledger);
  text_clear(&answer->why_not);
  mem_free(answer->why);
  protocol_clear(&answer->protocol);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/plan/more_runs.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "cli/question/law/laws.h"
#include "dist/source/source.h"
#include "dist/statistics/between_runs.h"
#include "dist/survival/survival.h"

struct planned {
  struct more_runs *answer;
  struct sample all, *runs;
  uint64_t alpha;
};

static enum status read_run(struct planned *p, struct sample *sample, const char *path,
                            struct text *message) {
  const struct more_runs_request *request = p->answer->request;
  const struct source_options options = {.unit = laws_unit(&request->units, path, "data"),
                                         .select = laws_unit(&request->selects, path, "data")};
  struct source_notes notes;
  source_notes_init(&notes);
  enum status status = source_read_with(sample, &notes, NULL, path, &options, message);
  for (size_t i = 0; i < notes.count; i++)
    ledger_note(&p->answer->ledger, LEDGER_DATA, "%s", notes.lines[i]);
  source_notes_clear(&notes);
  if (status == STATUS_OK && sample->real == 0) {
    text_format(message, "%s: no observation in it is real; nothing can be said of them", path);
    status = STATUS_DATA;
  }
  return status;
}

static struct level_ends ends_with(const struct planned *p, size_t then) {
  const struct more_runs *answer = p->answer;
  struct source_order order;
  uint64_t real = (uint64_t)((double)p->all.real / (double)answer->count * (double)then);
  between_runs_predict(&order, &p->all, p->runs, answer->count, then);
  struct levels *levels = levels_of_order(&order, real);
  struct level_ends ends = levels_ends(levels, &p->all, &answer->wanted.share, real, p->alpha);
  levels_free(levels);
  return ends;
}

static double width_of(const struct level_ends *ends) {
  return ends->upper_finite ? (double)(ends->upper_ns - ends->lower_ns) : INFINITY;
}

static enum slo_state state_of(const struct more_runs *answer, const struct level_ends *ends) {
  return slo_judge(&answer->slos.data[0], ends->lower_ns < SAMPLE_NS_MAX, ends->lower_ns,
                   ends->upper_finite, ends->upper_ns);
}

static bool does(const struct more_runs *answer, const struct level_ends *ends) {
  if (answer->slos.count != 0)
    return state_of(answer, ends) != SLO_UNDECIDED;
  double now = width_of(&answer->now), then = width_of(ends);
  return isinf(now) ? !isinf(then) : then * answer->factor <= now;
}

/* The least number that does: the ends come together with it, but for what rounding does. */
static void search(struct planned *p) {
  struct more_runs *answer = p->answer;
  size_t low = answer->count, high = low;
  answer->ends = answer->now;
  while (high < MORE_RUNS_MOST && !does(answer, &answer->ends)) {
    low = high;
    high = 2 * high < MORE_RUNS_MOST ? 2 * high : MORE_RUNS_MOST;
    answer->ends = ends_with(p, high);
  }
  if (!does(answer, &answer->ends))
    return;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    struct level_ends ends = ends_with(p, middle);
    bool good = does(answer, &ends);
    *(good ? &high : &low) = middle;
    if (good)
      answer->ends = ends;
  }
  answer->then = high;
}

static enum status read_request(struct more_runs *answer) {
  const struct more_runs_request *request = answer->request;
  const struct asker *asker = request->asker;
  wanted_list list = {0};
  if (request->runs.count == 0)
    return asker_fail(asker, STATUS_USAGE,
                      "how many runs it takes follows from how runs differ: give at least one "
                      "further run with --run FILE");
  if (rational_sign(&request->confidence) == 0)
    return asker_fail(asker, STATUS_USAGE,
                      "--confidence 0: more runs change nothing when these are the whole truth");
  answer->factor = 2;
  if (request->factor != NULL && (!number_real(&answer->factor, request->factor) ||
                                  !(answer->factor > 1) || answer->factor > 1e9))
    return asker_fail(asker, STATUS_USAGE, "--factor %s: give a number above 1", request->factor);
  enum status status = STATUS_OK;
  if (request->slo != NULL)
    status = slo_read(&answer->slos, request->slo, asker);
  else if (strchr(request->percentile, ',') != NULL)
    status = asker_fail(asker, STATUS_USAGE,
                        "name the one percentile to plan for, -p 99, or an objective, --slo "
                        "'p99<5ms'");
  if (status == STATUS_OK)
    status = wanted_read(
        &list, request->slo == NULL ? request->percentile : answer->slos.data[0].percentile.text,
        asker);
  if (status == STATUS_OK) {
    answer->wanted = list.data[0];
    list.count = 0;
  }
  wanted_clear(&list);
  return status;
}

static enum status read_all(struct planned *p) {
  struct more_runs *answer = p->answer;
  const struct more_runs_request *request = answer->request;
  struct text message;
  text_init(&message);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < answer->count && status == STATUS_OK; i++)
    status = read_run(p, &p->runs[i], i == 0 ? request->path : request->runs.data[i - 1], &message);
  if (status == STATUS_OK && !between_runs(&p->all, p->runs, answer->count, &message))
    status = STATUS_DATA;
  if (status != STATUS_OK)
    asker_fail(request->asker, status, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

static void predict(struct planned *p) {
  struct more_runs *answer = p->answer;
  survival_tail_of(&p->alpha, &answer->request->confidence);
  answer->observations = p->all.real;
  answer->now = ends_with(p, answer->count);
  answer->settled = p->all.evidence.order->all.settled;
  answer->ends = answer->now;
  if (answer->settled)
    search(p);
  answer->found = true;
  if (answer->slos.count != 0)
    answer->state = state_of(answer, &answer->ends);
  ledger_add(&answer->ledger, LEDGER_DATA,
             "the runs are independent draws of one law of runs, and further ones are as long and "
             "differ as these do; what is predicted of them is no promise");
}

enum status more_runs_ask(struct more_runs *answer, const struct more_runs_request *request) {
  *answer = (struct more_runs){.request = request, .count = 1 + request->runs.count};
  struct planned p = {.answer = answer, .runs = mem_alloc(answer->count, sizeof *p.runs)};
  sample_init(&p.all);
  for (size_t i = 0; i < answer->count; i++)
    sample_init(&p.runs[i]);
  ledger_init(&answer->ledger);
  answer->status = read_request(answer);
  if (answer->status == STATUS_OK)
    answer->status = read_all(&p);
  if (answer->status == STATUS_OK) {
    predict(&p);
    answer->status = answer->then == 0 ? STATUS_UNKNOWN : STATUS_OK;
  }
  for (size_t i = 0; i < answer->count; i++)
    sample_clear(&p.runs[i]);
  mem_free(p.runs);
  sample_clear(&p.all);
  return answer->status;
}

void more_runs_clear(struct more_runs *answer) {
  if (answer->wanted.text != NULL) {
    mem_free(answer->wanted.text);
    rational_clear(&answer->wanted.share);
  }
  slo_clear(&answer->slos);
  ledger_clear(&answer->ledger);
}

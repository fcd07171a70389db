/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/tune/tune.h"

#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/seconds.h"

enum { SIZE_MOST = 4096, PAIRS_USUAL = 24, OPTIONS_MS = 10000 };

typedef VECTOR(uint32_t) size_list;

static const uint32_t usual_sizes[] = {1, 4, 8, 32, 64, 128};
/* Small enough to be collected more often, and beyond what a server of today needs. */
static const uint32_t usual_olds[] = {512, 4096};

/* --- what was asked --- */

static enum status sizes_read(size_list *sizes, const struct heap_tuning_request *request) {
  for (size_t i = 0; request->sizes == NULL && i < sizeof usual_sizes / sizeof *usual_sizes; i++)
    vector_push(sizes, usual_sizes[i]);
  const char *at = request->sizes;
  while (at != NULL && *at != '\0') {
    char *end;
    unsigned long size = strtoul(at, &end, 10);
    if (*at < '0' || *at > '9' || (*end != ',' && *end != '\0') || size == 0 || size > SIZE_MOST)
      break;
    vector_push(sizes, (uint32_t)size);
    at = *end == ',' && end[1] != '\0' ? end + 1 : end;
  }
  if (sizes->count > 0 && (at == NULL || *at == '\0'))
    return STATUS_OK;
  return asker_fail(request->asker, STATUS_USAGE,
                    "unusable sizes \"%s\"; give megabytes from 1 to %d, such as --sizes 4,64",
                    request->sizes, SIZE_MOST);
}

static enum status check(struct heap_tuning *tuning) {
  const struct heap_tuning_request *request = tuning->request;
  if (request->word_count == 0)
    return asker_fail(request->asker, STATUS_USAGE,
                      "name the server's command behind --: -- node app.js");
  if (!heap_command_is_node(request->words[0]))
    return asker_fail(request->asker, STATUS_USAGE,
                      "unusable command \"%s\"; settings of the heap are options of node, so begin "
                      "it with that: -- node app.js",
                      request->words[0]);
  if (request->load == NULL)
    return asker_fail(request->asker, STATUS_USAGE,
                      "name the command that asks the server for something with --load 'COMMAND'");
  if (request->metric == NULL || request->metric[0] != 'p')
    return asker_fail(request->asker, STATUS_USAGE,
                      "name the percentile that is to be small with --metric p99.9");
  if (request->pairs != 0 && (request->pairs < TUNE_PAIRS_LEAST || request->pairs > PAIRED_MAX))
    return asker_fail(request->asker, STATUS_USAGE, "unusable --pairs %zu; give %d to %d",
                      request->pairs, TUNE_PAIRS_LEAST, PAIRED_MAX);
  enum status status = wanted_read(&tuning->wanted, request->metric + 1, request->asker);
  if (status == STATUS_OK && tuning->wanted.count != 1)
    status = asker_fail(request->asker, STATUS_USAGE, "--metric %s: name one percentile",
                        request->metric);
  return status;
}

/* Whether this Node.js can start with a given size of the young generation. */
static bool has_min_option(const struct heap_trial *trial) {
  const char *const words[] = {trial->program, "--v8-options", NULL};
  struct text output;
  text_init(&output);
  enum process_end end = process_run(words, "", 0, OPTIONS_MS, NULL, &output);
  bool found = end == PROCESS_ENDED && strstr(text_get(&output), "--min-semi-space-size") != NULL;
  text_clear(&output);
  return found;
}

/* --- asking --- */

struct asking {
  const struct heap_tuning_request *request;
  struct heap_trial *trial;
  double start;
};

static enum tune_outcome measure(void *context, const struct tune_step *step,
                                 struct tune_measured *measured) {
  const struct asking *asking = context;
  const struct heap_tuning_request *request = asking->request;
  double each = step->done == 0 ? 0 : (seconds_elapsed() - asking->start) / (double)step->done;
  if (request->progress != NULL)
    request->progress(request->progress_context, step, each * (double)(step->most - step->done));
  return trial_run(asking->trial, step->setting, measured);
}

static void search(struct heap_tuning *tuning, struct heap_trial *trial, const size_list *sizes) {
  const struct heap_tuning_request *request = tuning->request;
  struct asking asking = {request, trial, seconds_elapsed()};
  const struct tune_request of = {.sizes = sizes->data,
                                  .size_count = sizes->count,
                                  .olds = usual_olds,
                                  .old_count = sizeof usual_olds / sizeof *usual_olds,
                                  .has_min = has_min_option(trial),
                                  .pairs = request->pairs == 0 ? PAIRS_USUAL : request->pairs,
                                  .alpha = 1 - rational_double(&request->confidence),
                                  .seed = request->seed,
                                  .measure = measure,
                                  .context = &asking};
  tune_search(&tuning->answer, &of);
  tuning->asked = true;
  tuning->observations = trial->least;
  tuning->unsure = trial->unsure;
  if (trial->unsure != 0)
    ledger_warn(
        &tuning->ledger, LEDGER_DATA,
        "the load was not sure of its own measurement in %zu of %zu runs: it %s; give it less "
        "to do, or the machine less beside it",
        trial->unsure, tuning->answer.runs, text_get(&trial->doubt));
  if (trial->unusable.length != 0)
    tuning->unusable = text_take(&trial->unusable);
}

static void account(struct heap_tuning *tuning) {
  struct ledger *ledger = &tuning->ledger;
  double left = 1 - rational_double(&tuning->wanted.data[0].share);
  ledger_add(ledger, LEDGER_DATA,
             "The load is the same in every run, and runs differ by chance and by the setting "
             "alone: within a pair their order is drawn");
  ledger_add(ledger, LEDGER_DIST,
             "The setting multiplies the percentile by a constant; the interval holds it at all "
             "looks together, by the exact law of signed ranks, whatever the law of the runs");
  ledger_add(ledger, LEDGER_DATA,
             "Memory is the most that each process of the server has had (VmHWM), added up");
  if (tuning->observations < SIZE_MAX && (double)tuning->observations * left < 1)
    ledger_warn(ledger, LEDGER_DATA,
                "a run had %zu requests, of which the largest stands for %s; more requests a run "
                "make it say more",
                tuning->observations, tuning->request->metric);
}

static enum status verdict(const struct heap_tuning *tuning, const struct heap_trial *trial) {
  switch (tuning->answer.verdict) {
  case TUNE_BETTER:
    return STATUS_OK;
  case TUNE_NO_GAIN:
  case TUNE_NOTHING:
    return STATUS_UNKNOWN;
  case TUNE_GIVEN_UP:
    return trial->status;
  }
  return STATUS_INTERNAL;
}

enum status heap_tuning_ask(struct heap_tuning *tuning, const struct heap_tuning_request *request) {
  *tuning = (struct heap_tuning){.request = request, .answer.verdict = TUNE_GIVEN_UP};
  ledger_init(&tuning->ledger);
  size_list sizes = {0};
  tuning->status = check(tuning);
  if (tuning->status == STATUS_OK)
    tuning->status = sizes_read(&sizes, request);
  if (tuning->status == STATUS_OK) {
    struct heap_trial trial;
    const struct heap_trial_request of = {.asker = request->asker,
                                          .words = request->words,
                                          .word_count = request->word_count,
                                          .load = request->load,
                                          .unit = request->unit,
                                          .share = &tuning->wanted.data[0].share};
    tuning->status = trial_init(&trial, &of);
    if (tuning->status == STATUS_OK) {
      search(tuning, &trial, &sizes);
      account(tuning);
      tuning->status = verdict(tuning, &trial);
    }
    trial_clear(&trial);
  }
  vector_clear(&sizes);
  return tuning->status;
}

void heap_tuning_clear(struct heap_tuning *tuning) {
  tune_answer_clear(&tuning->answer);
  wanted_clear(&tuning->wanted);
  mem_free(tuning->unusable);
  ledger_clear(&tuning->ledger);
}

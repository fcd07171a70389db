/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/probe_record.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/command/voice.h"
#include "cli/present/outside.h"

/* What the events mean, where the probe file says it and stores are wanted. */
static enum status prepare_pairs(struct live_pairs **pairs, const struct probe_record *record,
                                 const struct asker *asker) {
  *pairs = NULL;
  if (record->dry_run)
    return live_pairs_check(asker, record->probes);
  if (record->out == NULL)
    return STATUS_OK;
  enum status status = pair_check_folder(asker, record->out);
  if (status == STATUS_OK)
    *pairs = live_pairs_new(&status, asker, record->probes);
  return status;
}

/* Of what is on the disk by now. */
static enum status end_pairs(struct document *document, struct live_pairs *pairs,
                             const struct probe_record *record,
                             const struct outside_answer *recorded) {
  struct pair_answer answer = {0};
  struct outside_run run;
  const char *const files[] = {recorded->request->keep, NULL};
  enum status status = live_pairs_read(pairs, &run, files);
  if (status == STATUS_OK)
    status = live_pairs_end(pairs, &answer, &recorded->run, record->out);
  if (status == STATUS_OK && record->keep == NULL)
    unlink(recorded->request->keep);
  pair_show(document, &answer);
  pair_answer_clear(&answer);
  return status;
}

static void present_plan(struct output *output, const struct outside_answer *answer) {
  struct document document;
  outside_plan_document(&document, answer);
  output_answer(output, &document, false);
}

static enum status record_with(const struct outside_request *request, struct output *output,
                               const struct probe_record *record, struct live_pairs *pairs) {
  struct outside_answer answer;
  struct document document;
  enum status status = outside_ask(&answer, request);
  if (status == STATUS_OK && record->dry_run)
    present_plan(output, &answer);
  if (answer.recorded) {
    outside_run_document(&document, &answer);
    if (pairs != NULL)
      status = status_worst(status, end_pairs(&document, pairs, record, &answer));
    output_answer_beside(output, &document, false);
  }
  outside_wait(&answer);
  if (status == STATUS_OK && answer.exit != 0)
    status = (enum status)answer.exit;
  outside_clear_answer(&answer);
  return status;
}

static enum capture_means means_of(const char *word) {
  if (word == NULL)
    return CAPTURE_ANY;
  return strcmp(word, "bpf") == 0 ? CAPTURE_BPF : CAPTURE_PERF;
}

static volatile int hung_up;

static void on_hang_up(int number) {
  (void)number;
  hung_up = 1;
}

enum status probe_record_run(const struct command_line *line, const struct probe_record *record) {
  struct output output;
  struct voice voice;
  struct live_pairs *pairs;
  output_init_document(&output, &record->output);
  voice_init(&voice, line, &output);
  voice_watch_ends();
  if (record->reopen)
    sigaction(SIGHUP, &(struct sigaction){.sa_handler = on_hang_up, .sa_flags = SA_RESTART}, NULL);
  VECTOR(const char *) pids = {0};
  for (size_t i = 0; i < record->pids.count; i++)
    vector_push(&pids, record->pids.data[i]);
  vector_push(&pids, NULL);
  enum status status = prepare_pairs(&pairs, record, &voice.asker);
  struct capture_interest interest = {0};
  struct text spool = {0}; /* events, until they are paired */
  if (pairs != NULL)
    text_format(&spool, "%s.events", record->out);
  if (pairs != NULL && record->keep == NULL)
    interest = live_pairs_interest(pairs);
  struct outside_request request = {
      .probes = record->probes,
      .pids = pids.data,
      .argv = line->file_count == 0 ? NULL : line->files,
      .keep = pairs != NULL && record->keep == NULL ? text_get(&spool) : record->keep,
      .out = record->out,
      .keep_limit =
          record->rotate == 0 && record->reopen ? UINT64_MAX : (uint64_t)record->rotate << 20,
      .turn = record->reopen ? &hung_up : NULL,
      .keep_files = record->files,
      .seconds = record->seconds,
      .ready_file = record->ready_file,
      .ready_fd = record->ready_fd == 0 ? -1 : (int)record->ready_fd,
      .means = means_of(record->means),
      .only_plan = record->dry_run,
      .quiet = output.format != OUTPUT_TEXT,
      .interest = interest,
      .asker = &voice.asker};
  if (status == STATUS_OK)
    status = record_with(&request, &output, record, pairs);
  live_pairs_free(pairs);
  text_clear(&spool);
  vector_clear(&pids);
  output_clear(&output);
  return status;
}

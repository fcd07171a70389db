/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/probe_record.h"

#include "cli/command/voice.h"
#include "cli/present/outside.h"

enum status probe_record_run(const struct command_line *line, const struct probe_record *record) {
  struct output output;
  struct voice voice;
  struct outside_answer answer;
  output_init_plain(&output, record->json);
  voice_init(&voice, line, &output);
  voice_watch_ends();
  VECTOR(const char *) pids = {0};
  for (size_t i = 0; i < record->pids.count; i++)
    vector_push(&pids, record->pids.data[i]);
  vector_push(&pids, NULL);
  struct outside_request request = {.probes = record->probes,
                                    .pids = pids.data,
                                    .argv = line->file_count == 0 ? NULL : line->files,
                                    .keep = record->keep,
                                    .seconds = record->seconds,
                                    .only_plan = record->dry_run,
                                    .quiet = record->json,
                                    .asker = &voice.asker};
  enum status status = outside_ask(&answer, &request);
  if (status == STATUS_OK && record->dry_run)
    outside_print_plan(&answer, record->json);
  if (answer.recorded)
    outside_print_run(&answer, record->json);
  outside_wait(&answer);
  if (status == STATUS_OK && answer.exit != 0)
    status = (enum status)answer.exit;
  outside_clear_answer(&answer);
  vector_clear(&pids);
  output_clear(&output);
  return status;
}

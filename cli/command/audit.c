/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof audit`: its options, and the answer of cli/question/audit/audit.h as text or JSON.
 */
#include <stdio.h>

#include "base/jsonl.h"
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "show/wrapped.h"
#include "cli/question/audit/audit.h"

struct arguments {
  struct command_line line;
  struct audit_request request;
  bool json;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROW_JSON(FIELD(json)),
    ROW_SET(FIELD(request.set)),
    ROW_DATA(FIELD(request.data)),
    ROW_UNIT(FIELD(request.units)),
    ROW_SELECT(FIELD(request.selects)),
    {0},
};

static void present_json(const struct audit_answer *answer, const char *file) {
  for (size_t i = 0; i < answer->lines.count; i++) {
    const struct audit_line *l = &answer->lines.data[i];
    if (l->is_warning)
      fprintf(stderr, "tailproof: warning: %s\n", l->text);
    struct jsonl *line = jsonl_new("audit");
    jsonl_text(line, "file", file);
    jsonl_text(line, "status", audit_kind_name(l->kind));
    jsonl_text(line, "source", ledger_source_name(l->source));
    jsonl_text(line, "text", l->text);
    jsonl_text(line, "discharge", l->discharge);
    jsonl_print(line);
  }
  struct jsonl *summary = jsonl_new("audit_summary");
  jsonl_text(summary, "file", file);
  for (int i = 0; i < AUDIT_KIND_COUNT; i++)
    jsonl_integer(summary, audit_kind_name((enum audit_kind)i), (int64_t)answer->counts[i]);
  jsonl_print(summary);
}

static void present_text(const struct audit_answer *answer, const char *file) {
  const size_t *counts = answer->counts;
  wrapped_format(0, 4, "%s: protocol %s: %zu stated, %zu of the model, %zu measured, %zu invented",
                 file, answer->protocol.model->name, counts[AUDIT_STATED], counts[AUDIT_MODEL],
                 counts[AUDIT_MEASURED], counts[AUDIT_INVENTED]);
  putchar('\n');
  for (size_t i = 0; i < answer->lines.count; i++) {
    const struct audit_line *l = &answer->lines.data[i];
    wrapped_print(
        l->text,
        (size_t)printf("  %-8s  %-6s  ", audit_kind_name(l->kind), ledger_source_name(l->source)),
        20);
    wrapped_print(l->discharge, (size_t)printf("%20s-> ", ""), 23);
  }
  if (!answer->free_order)
    return;
  putchar('\n');
  wrapped_format(2, 2,
                 "Not assumed: that a message arrives at all, or, where it is not declared fifo, "
                 "in the order of sending.");
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  const struct command_line *line = &arguments->line;
  enum status worst = need_files(line, 1, SIZE_MAX, "protocol files");
  struct output output;
  struct voice voice;
  output_init_plain(&output, arguments->json);
  voice_init(&voice, line, &output);
  if (worst == STATUS_OK && arguments->request.data != NULL)
    worst = audit_check_folder(arguments->request.data, &voice.asker);
  if (worst != STATUS_OK)
    return worst;
  for (size_t i = 0; i < line->file_count; i++) {
    struct audit_request request = arguments->request;
    struct audit_answer answer;
    request.asker = &voice.asker;
    request.path = line->files[i];
    if (i != 0 && !arguments->json)
      putchar('\n');
    worst = status_worst(worst, audit_ask(&answer, &request));
    if (answer.protocol.model != NULL)
      (arguments->json ? present_json : present_text)(&answer, answer.protocol.source->name);
    audit_answer_clear(&answer);
  }
  return worst;
}

const struct command audit_command = {
    "audit",
    "FILE...",
    "list every assumption of protocols, and what would discharge it; proves nothing",
    rows,
    sizeof(struct arguments),
    NULL,
    run,
    NULL};

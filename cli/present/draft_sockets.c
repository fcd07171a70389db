/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/draft_sockets.h"

#include <inttypes.h>
#include <string.h>

#include "cli/question/draft/sockets.h"

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key call_keys[] = {
    KEY("asked", TEXT, .marks = MARK_NAMES, .note = "the name of what is asked, in both files"),
    KEY("by", TEXT, .note = "who asks it"),
    KEY("program", TEXT, .marks = MARK_NULL, .note = "null where it is of another host"),
    KEY("port", COUNT, .marks = MARK_NULL, .note = "null where members have different ones"),
    KEY("members", COUNT, .note = "of which each request asks one"),
    KEY("stage", COUNT, .note = "calls of one number run side by side"),
    {0}};
static const struct object_kind call_kind = {"drafted_call", NULL, call_keys};

static const struct object_key note_keys[] = {
    KEY("guess", FLAG, .note = "false: it could not be told"), KEY("text", TEXT), {0}};
static const struct object_kind note_kind = {"drafted_note", NULL, note_keys};

static const struct object_key draft_keys[] = {
    KEY("folder", TEXT, .marks = MARK_NAMES),
    KEY("name", TEXT, .marks = MARK_NULL, .note = "of the files; null where nothing was drafted"),
    KEY("reason", TEXT, .marks = MARK_NULL, .note = "why nothing was"),
    KEY("requests", COUNT, .note = "that were recorded"),
    KEY("paired", COUNT, .note = "of these by the drafted files"),
    KEY("calls", OBJECTS, .objects = &call_kind),
    KEY("notes", OBJECTS, .objects = &note_kind),
    {0}};
static const struct object_kind draft_kind = {"draft_probes", "of `draft --probes`", draft_keys};

const struct object_kind *const draft_sockets_kinds[] = {&draft_kind, NULL};

/* --- the answer ------------------------------------------------------------------------------- */

static void put_call(struct objects *calls, const struct sockets_answer *answer, size_t number) {
  const struct shape_call *call = &answer->shape.calls[number];
  const char *program = answer->parts.list.data[call->part[0]].program;
  objects_add(calls);
  object_text(calls, "asked", answer->names.call[number]);
  object_text(calls, "by", call->caller == TALK_NONE ? "client" : answer->names.call[call->caller]);
  object_text(calls, "program", *program == '\0' ? NULL : program);
  if (call->port == 0)
    object_null(calls, "port");
  else
    object_count(calls, "port", call->port);
  object_count(calls, "members", call->members);
  object_count(calls, "stage", call->stage + 1);
}

static void show_calls(struct document *document, struct objects *drafts,
                       const struct sockets_answer *answer) {
  static const struct object_column columns[] = {
      {.title = "asked", .key = "asked"},
      {.title = "by", .key = "by"},
      {.title = "program", .key = "program"},
      {.title = "port", .align = TABLE_RIGHT, .key = "port"},
      {.title = "one of", .align = TABLE_RIGHT, .key = "members"},
      {.title = "order", .align = TABLE_RIGHT, .key = "stage"},
  };
  struct objects *calls = object_list(drafts, "calls");
  for (size_t i = 0; answer->name != NULL && i < answer->shape.count; i++)
    put_call(calls, answer, i);
  document_table(document, LINES_APART, 2, calls, columns, sizeof columns / sizeof *columns);
}

static void put_notes(struct objects *drafts, const struct sockets_answer *answer) {
  struct objects *notes = object_list(drafts, "notes");
  for (size_t i = 0; i < answer->shape.notes.count; i++) {
    objects_add(notes);
    object_flag(notes, "guess", answer->shape.notes.data[i].guess);
    object_text(notes, "text", answer->shape.notes.data[i].text);
  }
}

static void say_lines(struct document *document, const char *lines) {
  struct text text = {0};
  while (*lines != '\0') {
    size_t length = strcspn(lines, "\n");
    text_format(&text, "    %.*s\n", (int)length, lines);
    lines += length + (lines[length] == '\n');
  }
  document_pre(document, LINES_CLOSE, &text);
}

static void say_notes(struct document *document, const struct sockets_answer *answer) {
  for (size_t i = 0; i < answer->shape.notes.count; i++) {
    const struct shape_note *note = &answer->shape.notes.data[i];
    document_say(document, i == 0 ? LINES_APART : LINES_CLOSE, "%s: %s.",
                 note->guess ? "Guess" : "Cannot tell", note->text);
  }
  if (answer->name != NULL && answer->shape.count == 0)
    document_say(document, LINES_APART,
                 "Guess: %s passes each message on in the thread that took it, to one receiver; "
                 "nothing is answered.",
                 answer->name);
  if (answer->connections_told != NULL && *answer->connections_told != '\0')
    say_lines(document, answer->connections_told);
  if (*answer->sockets_told == '\0')
    return;
  document_say(
      document, LINES_APART,
      "Not followed, as sockets of this kind have no positions (docs/outside.md has moments "
      "that compare what is in the messages):");
  say_lines(document, answer->sockets_told);
}

/* " --set n_up=2" */
static void append_settings(struct text *text, const struct sockets_answer *answer) {
  for (size_t i = 0; i < answer->shape.count; i++) {
    bool said = !answer->shape.calls[i].chosen;
    for (size_t k = 0; k < i; k++)
      said = said || strcmp(answer->names.role[k], answer->names.role[i]) == 0;
    if (!said)
      text_format(text, " --set n_%s=%u", answer->names.role[i], answer->shape.calls[i].members);
  }
}

/* Probes of all ports are put into the processes that were met alone: " --pid 12 --pid 13". */
static void append_pids(struct text *text, const struct sockets_answer *answer) {
  bool any = false;
  for (size_t i = 0; i < answer->shape.count; i++)
    any = any || answer->shape.calls[i].port == 0;
  for (size_t i = 0; any && i < answer->parts.list.count; i++) {
    const struct talk_part *part = &answer->parts.list.data[i];
    bool drafted = (long)i == answer->shape.client;
    for (size_t c = 0; c < answer->shape.count; c++)
      drafted = drafted ||
                answer->parts.list.data[answer->shape.calls[c].part[0]].service == part->service;
    for (size_t k = 0; drafted && k < part->processes.count; k++)
      text_format(text, " --pid %" PRIu32, part->processes.data[k]);
  }
}

static void say_next(struct document *document, const struct sockets_answer *answer,
                     const struct sockets_request *request) {
  struct text set = {0}, text = {0}, pids = {0};
  append_settings(&set, answer);
  append_pids(&pids, answer);
  const char *out = request->out, *name = answer->name;
  text_format(&text,
              "    tailproof verify --infer --write %s/%s.tp\n"
              "    tailproof record --probes %s/%s.yaml%s --seconds 30 --out store\n"
              "    tailproof replay %s/%s.tp store%s\n"
              "    tailproof import --out components store\n"
              "    tailproof percentiles %s/%s.tp --joint components --observed request.request "
              "-p 50,90,99%s\n",
              out, name, out, name, text_get(&pids), out, name, text_get(&set), out, name,
              text_get(&set));
  document_say(document, LINES_APART, "Next:");
  document_pre(document, LINES_CLOSE, &text);
  if (pids.length != 0)
    document_say(document, LINES_APART,
                 "Name the client of the next recording with --pid, too, or give it behind --.");
  text_clear(&pids);
  text_clear(&set);
}

void draft_sockets_document(struct document *document, const struct sockets_answer *answer,
                            const struct sockets_request *request) {
  document_init(document, "draft", draft_sockets_kinds);
  document_title(document, "A probe file and a protocol of running processes");
  struct objects *drafts = document_objects(document, &draft_kind);
  objects_add(drafts);
  object_text(drafts, "folder", request->out);
  object_text(drafts, "name", answer->name);
  object_text(drafts, "reason", answer->shape.stopped);
  object_count(drafts, "requests", answer->requests);
  object_count(drafts, "paired", answer->paired);
  if (answer->name == NULL)
    document_say(document, LINES_CLOSE, "Cannot tell: %s.", answer->shape.stopped);
  else
    document_say(
        document, LINES_CLOSE,
        "%s/%s.yaml and %s/%s.tp: of %" PRIu64 " recorded requests %" PRIu64
        " are paired (%.2f %%).",
        request->out, answer->name, request->out, answer->name, answer->requests, answer->paired,
        answer->requests == 0 ? 0 : 100 * (double)answer->paired / (double)answer->requests);
  show_calls(document, drafts, answer);
  put_notes(drafts, answer);
  say_notes(document, answer);
  if (answer->name != NULL)
    say_next(document, answer, request);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/node_loops.h"

#include "trace/event/stopped.h"

static const struct object_key loop_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("process", COUNT, .marks = MARK_NAMES),
    KEY("thread", COUNT, .marks = MARK_NAMES),
    KEY("start_ns", NS),
    KEY("end_ns", NS),
    KEY("seconds", SECONDS),
    KEY("answered", COUNT),
    KEY("aborted", COUNT),
    KEY("unanswered", COUNT),
    KEY("upgraded", COUNT),
    KEY("incomplete", COUNT, .note = "requests"),
    KEY("under_way", COUNT, .note = "requests when the recording began: none of the others"),
    KEY("left_out", COUNT, .note = "records"),
    KEY("stopped", TEXT, .marks = MARK_MAYBE, .note = "why its recording stopped early"),
    {0}};
static const struct object_kind loop_kind = {"loop", "of `record --node`", loop_keys};

static const struct object_key unrecorded_keys[] = {KEY("name", TEXT, .marks = MARK_NAMES),
                                                    KEY("process", COUNT, .marks = MARK_NAMES),
                                                    KEY("thread", COUNT, .marks = MARK_NAMES),
                                                    KEY("stopped", TEXT, .note = "why"),
                                                    {0}};
static const struct object_kind unrecorded_kind = {
    "unrecorded",
    "of `record --node`: a program, or a thread of it, of which nothing could be written",
    unrecorded_keys};

static const struct object_key end_keys[] = {KEY("folder", TEXT, .marks = MARK_NAMES),
                                             KEY("loops", COUNT),
                                             KEY("exit", COUNT, .note = "of the program"),
                                             KEY("signal", COUNT, .note = "0: none"),
                                             {0}};
static const struct object_kind end_kind = {"recorded", "of `record --node`", end_keys};

const struct object_kind *const node_kinds[] = {&end_kind, &loop_kind, &unrecorded_kind, NULL};

static void put_loop(struct objects *loops, const struct node_tally *tally) {
  static const char *const states[NODE_STATES] = {"answered", "aborted", "unanswered", "upgraded",
                                                  "incomplete"};
  objects_add(loops);
  object_text(loops, "name", tally->name);
  object_count(loops, "process", tally->process);
  object_count(loops, "thread", tally->thread);
  object_ns(loops, "start_ns", tally->start);
  object_ns(loops, "end_ns", tally->end);
  object_number(loops, "seconds", (double)(tally->end - tally->start) / 1e9);
  for (size_t k = 0; k < NODE_STATES; k++)
    object_count(loops, states[k], tally->states[k]);
  object_count(loops, "under_way", tally->under_way);
  object_count(loops, "left_out", tally->dropped);
  if (tally->stopped != 0)
    object_text(loops, "stopped", node_stopped_reason(tally->stopped));
}

void node_document(struct document *document, const node_tallies *tallies, const char *folder) {
  static const struct object_column columns[] = {
      {.title = "loop", .key = "name"},
      {.title = "process", .align = TABLE_RIGHT, .key = "process"},
      {.title = "recorded", .align = TABLE_RIGHT, .key = "seconds", .decimals = 1},
      {.title = "answered", .align = TABLE_RIGHT, .key = "answered"},
      {.title = "aborted", .align = TABLE_RIGHT, .key = "aborted"},
      {.title = "unanswered", .align = TABLE_RIGHT, .key = "unanswered"},
      {.title = "upgraded", .align = TABLE_RIGHT, .key = "upgraded"},
      {.title = "incomplete", .align = TABLE_RIGHT, .key = "incomplete"},
      {.title = "begun before", .align = TABLE_RIGHT, .key = "under_way"},
      {.title = "records left out", .align = TABLE_RIGHT, .key = "left_out"},
  };
  struct text text;
  document_init(document, "record", node_kinds);
  document_title(document, "What was recorded of event loops");
  text_init(&text);
  text_format(&text, "tailproof record: %s: %zu event loop%s", folder, tallies->count,
              tallies->count == 1 ? "" : "s");
  document_take(document, LINES_CLOSE, 0, &text);
  struct objects *loops = document_objects(document, &loop_kind);
  for (size_t i = 0; i < tallies->count; i++)
    put_loop(loops, &tallies->data[i]);
  document_table(document, LINES_CLOSE, 2, loops, columns, sizeof columns / sizeof *columns);
}

void node_put_unrecorded(struct document *document, const char *name, uint32_t process,
                         uint32_t thread, uint32_t why) {
  struct objects *unrecorded = document_objects(document, &unrecorded_kind);
  objects_add(unrecorded);
  object_text(unrecorded, "name", name);
  object_count(unrecorded, "process", process);
  object_count(unrecorded, "thread", thread);
  object_text(unrecorded, "stopped", node_stopped_reason(why));
}

void node_put_end(struct document *document, const node_tallies *tallies, const char *folder,
                  int code, int by_signal) {
  struct objects *end = document_objects(document, &end_kind);
  objects_add(end);
  object_text(end, "folder", folder);
  object_count(end, "loops", tallies->count);
  object_integer(end, "exit", code);
  object_integer(end, "signal", by_signal);
}

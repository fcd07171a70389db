/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/profile_waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/present/profile.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/unit.h"

enum { SHOWN_CALLERS = 6 };

static const struct object_key waits_keys[] = {
    KEY("waits", COUNT),
    KEY("waited_ns", NS),
    KEY("preempted_ns", NS, .note = "of it, ready to run and without a processor"),
    KEY("longest_ns", NS),
    KEY("ran_ns", NS, .note = "processor time of the same threads; 0: not known"),
    KEY("least_ns", NS),
    KEY("brief", COUNT, .note = "shorter than that"),
    KEY("brief_ns", NS),
    KEY("begun", COUNT, .note = "that went on when the recording began: no stack"),
    KEY("begun_ns", NS),
    KEY("cut", COUNT, .note = "that went on when it ended"),
    KEY("cut_ns", NS),
    KEY("doubtful", COUNT, .note = "left out, as records were lost meanwhile"),
    {0}};
const struct object_kind waits_kind = {"waits", "of `profile --off-cpu`", waits_keys};

static const struct object_key waiting_keys[] = {
    KEY("thread", TEXT, .marks = MARK_NAMES, .note = "by its name: several may have one"),
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("module", TEXT, .marks = MARK_NAMES | MARK_NULL),
    KEY("waited_ns", NS),
    KEY("share", SHARE, .note = "of all waiting"),
    KEY("waits", COUNT),
    KEY("longest_ns", NS),
    KEY("longest_share", SHARE, .note = "of this row"),
    KEY("called_by", TEXT, .marks = MARK_MAYBE),
    {0}};
const struct object_kind waiting_kind = {"waiting", "of `profile --off-cpu`", waiting_keys};

/* --- rows ------------------------------------------------------------------------------------- */

struct row {
  uint32_t command, node; /* name of the thread; the stack */
  uint64_t waited, count, longest;
};

struct rows {
  struct row *data;
  size_t count;
  uint64_t longest, preempted;
};

static int by_stack(const void *a, const void *b) {
  const struct row *x = a, *y = b;
  if (x->command != y->command)
    return x->command < y->command ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

static int most_first(const void *a, const void *b) {
  const struct row *x = a, *y = b;
  if (x->waited != y->waited)
    return x->waited < y->waited ? 1 : -1;
  return by_stack(a, b);
}

static void rows_make(struct rows *rows, const struct stack_profile *profile) {
  size_t count = profile->samples.count, kept = 0;
  *rows = (struct rows){.data = mem_alloc(count + 1, sizeof *rows->data)};
  for (size_t i = 0; i < count; i++) {
    const struct stack_sample *wait = &profile->samples.data[i];
    rows->data[i] = (struct row){profile->threads.data[wait->thread].command, wait->node,
                                 wait->weight, 1, wait->weight};
    rows->longest = wait->weight > rows->longest ? wait->weight : rows->longest;
    rows->preempted += stack_unit_is_preempted(profile, wait->node) ? wait->weight : 0;
  }
  qsort(rows->data, count, sizeof *rows->data, by_stack);
  for (size_t i = 1; i < count; i++) {
    struct row *last = &rows->data[kept];
    const struct row *row = &rows->data[i];
    if (by_stack(last, row) == 0) {
      last->waited += row->waited;
      last->count++;
      last->longest = row->longest > last->longest ? row->longest : last->longest;
    } else {
      rows->data[++kept] = *row;
    }
  }
  rows->count = count == 0 ? 0 : kept + 1;
  qsort(rows->data, rows->count, sizeof *rows->data, most_first);
}

/* --- words ------------------------------------------------------------------------------------ */

static double seconds(uint64_t ns) {
  return (double)ns / 1e9;
}

static void append_callers(struct text *text, const struct stack_profile *profile, uint32_t node) {
  for (unsigned i = 0; node != 0 && (node = profile->nodes.data[node].parent) != 0; i++) {
    text_append(text, i == 0 ? "" : " < ");
    if (i == SHOWN_CALLERS) {
      text_append(text, "...");
      return;
    }
    stack_frame_text(profile, profile->nodes.data[node].frame, false, text);
  }
}

static void put_row(struct objects *waiting, const struct profile_answer *a,
                    const struct row *row) {
  const struct stack_profile *profile = &a->profile;
  struct text text;
  text_init(&text);
  objects_add(waiting);
  object_text(waiting, "thread", names_text(&profile->names, row->command));
  if (row->node == 0)
    text_append(&text, "[no stack]");
  else
    profile_function_say(&text, profile, profile->nodes.data[row->node].frame);
  object_text(waiting, "name", text_get(&text));
  text.length = 0;
  if (row->node != 0)
    profile_module_say(&text, profile, profile->nodes.data[row->node].frame);
  object_text(waiting, "module", text.length == 0 ? NULL : text_get(&text));
  object_ns(waiting, "waited_ns", (int64_t)row->waited);
  object_number(waiting, "share", (double)row->waited / (double)profile->total);
  object_count(waiting, "waits", row->count);
  object_ns(waiting, "longest_ns", (int64_t)row->longest);
  object_number(waiting, "longest_share", (double)row->longest / (double)row->waited);
  text.length = 0;
  append_callers(&text, profile, row->node);
  if (text.length != 0)
    object_text(waiting, "called_by", text_get(&text));
  text_clear(&text);
}

static void show_rows(struct document *document, const struct profile_answer *a,
                      const struct rows *rows, size_t top) {
  static const struct object_column columns[] = {
      {.title = "waited", .align = TABLE_RIGHT, .key = "waited_ns"},
      {.title = "share", .align = TABLE_RIGHT, .key = "share", .decimals = 1},
      {.title = "waits", .align = TABLE_RIGHT, .key = "waits"},
      {.title = "longest\nof these", .align = TABLE_RIGHT, .key = "longest_ns"},
      {.title = "thread", .key = "thread"},
      {.title = "waits in", .key = "name"},
      {.title = "called by", .key = "called_by"},
  };
  struct objects *waiting = document_objects(document, &waiting_kind);
  size_t count = top == 0 || top > rows->count ? rows->count : top;
  for (size_t i = 0; i < count; i++)
    put_row(waiting, a, &rows->data[i]);
  document_table(document, LINES_APART, 2, waiting, columns, sizeof columns / sizeof *columns);
  if (count < rows->count)
    document_say(document, LINES_APART, "%zu more with --full.", rows->count - count);
}

static void put_waits(struct document *document, const struct profile_answer *a,
                      const struct rows *rows) {
  const struct tpp_waits *counts = &a->recording.waits;
  struct objects *waits = document_objects(document, &waits_kind);
  objects_add(waits);
  object_count(waits, "waits", a->profile.count);
  object_ns(waits, "waited_ns", (int64_t)a->profile.total);
  object_ns(waits, "preempted_ns", (int64_t)rows->preempted);
  object_ns(waits, "longest_ns", (int64_t)rows->longest);
  object_ns(waits, "ran_ns", (int64_t)a->recording.processor_time);
  object_ns(waits, "least_ns", (int64_t)counts->least);
  object_count(waits, "brief", counts->brief);
  object_ns(waits, "brief_ns", (int64_t)counts->brief_ns);
  object_count(waits, "begun", counts->begun);
  object_ns(waits, "begun_ns", (int64_t)counts->begun_ns);
  object_count(waits, "cut", counts->cut);
  object_ns(waits, "cut_ns", (int64_t)counts->cut_ns);
  object_count(waits, "doubtful", counts->doubtful);
}

/* What is not in the table, and what is cut in it. */
static void say_ends(struct document *document, const struct profile_answer *a) {
  const struct tpp_waits *counts = &a->recording.waits;
  if (counts->brief != 0)
    document_say(document, LINES_CLOSE,
                 "%" PRIu64 " waits of less than %" PRIu64 " us are left out; they took %.3f s in "
                 "all (--off-cpu-min).",
                 counts->brief, counts->least / 1000, seconds(counts->brief_ns));
  if (counts->begun != 0)
    document_say(document, LINES_CLOSE,
                 "%" PRIu64 " waits went on when the recording began, and for %.3f s of it; where "
                 "is not known, and they are left out.",
                 counts->begun, seconds(counts->begun_ns));
  if (counts->cut != 0)
    document_say(document, LINES_CLOSE,
                 "%" PRIu64 " waits went on when the recording ended, and count up to there, with "
                 "%.3f s.",
                 counts->cut, seconds(counts->cut_ns));
  if (counts->doubtful != 0 || a->profile.lost != 0)
    document_say(document, LINES_CLOSE,
                 "%" PRIu64 " records were lost for want of space, and %" PRIu64 " waits are left "
                 "out, as nobody knows what happened meanwhile: ask for a larger --ring or a "
                 "smaller --stack.",
                 a->profile.lost, counts->doubtful);
}

void profile_waits_say(struct document *document, const struct profile_answer *a, size_t top) {
  struct rows rows;
  struct text text;
  rows_make(&rows, &a->profile);
  put_waits(document, a, &rows);
  text_init(&text);
  text_format(&text, "%" PRIu64 " waits took %.3f s, of all threads in %.2f s", a->profile.count,
              seconds(a->profile.total), a->seconds);
  if (a->recording.processor_time != 0)
    text_format(&text, ", in which they ran for %.3f s", seconds(a->recording.processor_time));
  text_format(&text,
              ". The longest took %.3f s. %.3f s of all is waiting for a processor, of threads "
              "that could have gone on.",
              seconds(rows.longest), seconds(rows.preempted));
  document_take(document, LINES_APART, 2, &text);
  say_ends(document, a);
  if (rows.count != 0) {
    document_say(document, LINES_CLOSE,
                 "Threads that wait for work to come are in it, too. What requests waited in says "
                 "`tailproof tail TRACES --profile FILE`, of a file of --out.");
    document_section(document, "waits", "Waits");
    show_rows(document, a, &rows, top);
  }
  mem_free(rows.data);
}

void profile_ran_say(struct document *document, uint64_t used, double elapsed_ns) {
  double share = elapsed_ns > 0 ? 100 * (double)used / elapsed_ns : 100;
  if (used == 0 || share >= 50)
    return;
  document_say(document, LINES_CLOSE,
               "The program waited for %.*f %% of the time; this shows the %.*f %% that it ran: "
               "`profile --off-cpu` shows the rest.",
               share < 1 ? 1 : 0, 100 - share, share < 1 ? 1 : 0, share);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/outside.h"

#include <inttypes.h>

#include "measure/outside/mapped.h"
#include "measure/profile/tasks.h"

/* --- the plan --------------------------------------------------------------------------------- */

static const struct object_key planned_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("at", TEXT),
    KEY("with", TEXT, .words = "any|bpf|perf",
        .note = "`any`: by BPF, or `perf` where that is not permitted"),
    KEY("file", TEXT, .marks = MARK_MAYBE, .note = "this and the rest of a probe in a file"),
    KEY("offsets", TEXT, .marks = MARK_MAYBE),
    KEY("build_id", TEXT, .marks = MARK_MAYBE | MARK_NULL),
    KEY("processes", TEXT, .marks = MARK_MAYBE, .note = "that run it now"),
    {0}};
static const struct object_kind planned_kind = {"planned_probe", "of `record --probes --dry-run`",
                                                planned_keys};

const struct object_kind *const outside_plan_kinds[] = {&planned_kind, NULL};

/* "4711, 4712 and 3 more" of those that have mapped the file. */
static void append_users(struct text *text, const char *path, uint64_t inode) {
  enum { NAMED = 3 };
  task_ids all = {0};
  unsigned found = 0;
  tasks_all(&all);
  for (size_t i = 0; i < all.count; i++) {
    if (mapped_by(all.data[i], path, inode) != MAPPED_THIS)
      continue;
    if (found++ < NAMED)
      text_format(text, "%s%" PRIu32, found == 1 ? "" : ", ", all.data[i]);
  }
  if (found == 0)
    text_append(text, "none now");
  else if (found > NAMED)
    text_format(text, " and %u more", found - NAMED);
  vector_clear(&all);
}

static void append_places(struct text *text, const struct planned_probe *planned) {
  for (size_t k = 0; k < planned->target.places.count; k++)
    text_format(text, "%s0x%" PRIx64, k == 0 ? "" : " ", planned->target.places.data[k].offset);
}

static void put_planned(struct objects *probes, const struct outside_answer *answer, size_t i) {
  static const char *const means[] = {
      [CAPTURE_ANY] = "any", [CAPTURE_BPF] = "bpf", [CAPTURE_PERF] = "perf"};
  const struct outside_site *site = &answer->probes.sites.data[i];
  const struct planned_probe *planned = &answer->plan.list.data[i];
  struct text text;
  text_init(&text);
  objects_add(probes);
  object_text(probes, "name", answer->probes.list.data[i].name);
  probe_plan_describe(&text, site);
  object_text(probes, "at", text_get(&text));
  object_text(probes, "with", means[answer->request->means]);
  text_clear(&text);
  if (site->path == NULL) {
    object_words(probes, "file", "the kernel");
    return;
  }
  object_text(probes, "file", site->path);
  append_places(&text, planned);
  object_text(probes, "offsets", text_get(&text));
  object_text(probes, "build_id", planned->target.build_id);
  text_clear(&text);
  append_users(&text, site->path, planned->target.inode);
  object_text(probes, "processes", text_get(&text));
  text_clear(&text);
}

void outside_plan_document(struct document *document, const struct outside_answer *answer) {
  static const struct object_column columns[] = {
      {.title = "probe", .key = "name"},        {.title = "at", .key = "at"},
      {.title = "in", .key = "file"},           {.title = "offset", .key = "offsets"},
      {.title = "build-id", .key = "build_id"}, {.title = "processes", .key = "processes"},
  };
  static const char *const means[] = {
      [CAPTURE_ANY] = "BPF; where that is not permitted, by perf_event_open (--with perf)",
      [CAPTURE_BPF] = "BPF",
      [CAPTURE_PERF] = "perf_event_open"};
  document_init(document, "record", outside_plan_kinds);
  document_title(document, "Where probes would be attached");
  struct objects *probes = document_objects(document, &planned_kind);
  for (size_t i = 0; i < answer->probes.list.count; i++)
    put_planned(probes, answer, i);
  document_table(document, LINES_CLOSE, 2, probes, columns, sizeof columns / sizeof *columns);
  document_say(document, LINES_CLOSE, "attached by %s", means[answer->request->means]);
}

/* --- the run ---------------------------------------------------------------------------------- */

static const struct object_key probe_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("hits", COUNT),
    KEY("lost", COUNT),
    KEY("unread", COUNT),
    KEY("aside", COUNT, .note = "at which no moment looks for the probe"),
    KEY("cost_ns", NS, .note = "of one passage; 0: not known"),
    KEY("processor_share", SHARE, .marks = MARK_MAYBE),
    {0}};
static const struct object_kind probe_kind = {"probe", "of `record --probes`", probe_keys};

static const struct object_key run_keys[] = {
    KEY("start_ns", NS),
    KEY("end_ns", NS),
    KEY("others", COUNT, .note = "passages of processes that are not traced"),
    KEY("followed", COUNT, .note = "processes that traced ones started"),
    KEY("exit", COUNT),
    {0}};
static const struct object_kind run_kind = {"recorded", "of `record --probes`", run_keys};

const struct object_kind *const outside_run_kinds[] = {&probe_kind, &run_kind, &pair_kind, NULL};

static double seconds_of(const struct outside_run *run) {
  return (double)(run->end_ns - run->start_ns) / 1e9;
}

static double cost_of_probe(const struct outside_answer *answer, size_t i) {
  return cost_of(answer->cost_ns, &answer->probes.sites.data[i], &answer->plan.list.data[i]);
}

static void put_probe(struct objects *probes, const struct outside_answer *answer, size_t i) {
  const struct outside_count *count = &answer->run.count[i];
  double cost = cost_of_probe(answer, i);
  objects_add(probes);
  object_text(probes, "name", answer->probes.list.data[i].name);
  object_count(probes, "hits", count->hits);
  object_count(probes, "lost", count->lost);
  object_count(probes, "unread", count->unread);
  object_count(probes, "aside", count->aside);
  object_ns(probes, "cost_ns", (int64_t)cost);
  if (cost > 0)
    object_number(probes, "processor_share",
                  (double)(count->hits + count->aside) * cost / 1e9 / seconds_of(&answer->run));
  else
    object_words(probes, "cost_ns", "not known");
}

static void say_counted(struct document *document, uint64_t count, const char *what) {
  if (count != 0)
    document_say(document, LINES_CLOSE, "%" PRIu64 " %s", count, what);
}

static void say_notes(struct document *document, const struct outside_answer *answer) {
  uint64_t lost = 0, never = 0, aside = 0;
  for (size_t i = 0; i < answer->probes.list.count; i++) {
    lost += answer->run.count[i].lost;
    never += answer->run.count[i].hits == 0;
    aside += answer->run.count[i].aside;
  }
  say_counted(document, lost,
              "events were lost: leave out probes that are come by often, or give this program a "
              "processor.");
  say_counted(document, never,
              "probes were never come by: was there work, and does --dry-run name the processes?");
  say_counted(document, answer->others,
              "times a process came by that is not traced: it pays as much each time.");
  say_counted(document, aside,
              "times a process came by at which no moment looks for the probe: not recorded.");
}

void outside_run_document(struct document *document, const struct outside_answer *answer) {
  static const struct object_column columns[] = {
      {.title = "probe", .key = "name"},
      {.title = "events", .align = TABLE_RIGHT, .key = "hits"},
      {.title = "lost", .align = TABLE_RIGHT, .key = "lost"},
      {.title = "field not read", .align = TABLE_RIGHT, .key = "unread"},
      {.title = "cost each", .align = TABLE_RIGHT, .key = "cost_ns"},
      {.title = "of a processor", .align = TABLE_RIGHT, .key = "processor_share", .decimals = 3},
  };
  struct text text;
  document_init(document, "record", outside_run_kinds);
  document_title(document, "What probes saw");
  text_init(&text);
  text_format(&text, "tailproof record: %.1f s", seconds_of(&answer->run));
  document_take(document, LINES_CLOSE, 0, &text);
  struct objects *probes = document_objects(document, &probe_kind);
  for (size_t i = 0; i < answer->probes.list.count; i++)
    put_probe(probes, answer, i);
  document_table(document, LINES_CLOSE, 2, probes, columns, sizeof columns / sizeof *columns);
  say_notes(document, answer);
  struct objects *recorded = document_objects(document, &run_kind);
  objects_add(recorded);
  object_count(recorded, "start_ns", answer->run.start_ns);
  object_count(recorded, "end_ns", answer->run.end_ns);
  object_count(recorded, "others", answer->others);
  object_count(recorded, "followed", answer->followed);
  object_integer(recorded, "exit", answer->exit);
}

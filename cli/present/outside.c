/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/outside.h"

#include <inttypes.h>
#include <string.h>

#include "base/jsonl.h"
#include "show/table.h"
#include "measure/outside/mapped.h"
#include "measure/profile/tasks.h"

/* --- the plan --- */

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

static const char *const words_of_means[] = {
    [CAPTURE_ANY] = "any", [CAPTURE_BPF] = "bpf", [CAPTURE_PERF] = "perf"};

static void print_plan_json(const struct outside_answer *answer, size_t i) {
  const struct outside_site *site = &answer->probes.sites.data[i];
  const struct planned_probe *planned = &answer->plan.list.data[i];
  struct text what = {0}, places = {0}, users = {0};
  struct jsonl *json = jsonl_new("planned_probe");
  probe_plan_describe(&what, site);
  append_places(&places, planned);
  jsonl_text(json, "name", answer->probes.list.data[i].name);
  jsonl_text(json, "at", text_get(&what));
  jsonl_text(json, "with", words_of_means[answer->request->means]);
  if (site->path != NULL) {
    append_users(&users, site->path, planned->target.inode);
    jsonl_text(json, "file", site->path);
    jsonl_text(json, "offsets", text_get(&places));
    jsonl_text(json, "build_id", planned->target.build_id);
    jsonl_text(json, "processes", text_get(&users));
  }
  jsonl_print(json);
  text_clear(&what);
  text_clear(&places);
  text_clear(&users);
}

static void print_plan_row(struct table *table, const struct outside_answer *answer, size_t i) {
  const struct outside_site *site = &answer->probes.sites.data[i];
  const struct planned_probe *planned = &answer->plan.list.data[i];
  struct text cell = {0};
  table_cell(table, "%s", answer->probes.list.data[i].name);
  probe_plan_describe(&cell, site);
  table_take(table, &cell);
  if (site->path == NULL) {
    for (unsigned k = 0; k < 4; k++)
      table_cell(table, "%s", k == 0 ? "the kernel" : "");
    return;
  }
  table_cell(table, "%s", site->path);
  append_places(&cell, planned);
  table_take(table, &cell);
  table_cell(table, "%s", planned->target.build_id);
  append_users(&cell, site->path, planned->target.inode);
  table_take(table, &cell);
}

void outside_print_plan(const struct outside_answer *answer, bool json) {
  static const char *const titles[] = {"probe", "at", "in", "offset", "build-id", "processes"};
  static const char *const means[] = {
      [CAPTURE_ANY] = "BPF; where that is not permitted, by perf_event_open (--with perf)",
      [CAPTURE_BPF] = "BPF",
      [CAPTURE_PERF] = "perf_event_open"};
  struct table table;
  table_init(&table);
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    table_column(&table, TABLE_LEFT, titles[i]);
  for (size_t i = 0; i < answer->probes.list.count; i++)
    if (json)
      print_plan_json(answer, i);
    else
      print_plan_row(&table, answer, i);
  table_print(stdout, &table, 2);
  table_clear(&table);
  if (!json)
    printf("  attached by %s\n", means[answer->request->means]);
}

/* --- the run --- */

static double seconds_of(const struct outside_run *run) {
  return (double)(run->end_ns - run->start_ns) / 1e9;
}

static double cost_of_probe(const struct outside_answer *answer, size_t i) {
  return cost_of(answer->cost_ns, &answer->probes.sites.data[i], &answer->plan.list.data[i]);
}

static void print_run_json(const struct outside_answer *answer) {
  for (size_t i = 0; i < answer->probes.list.count; i++) {
    const struct outside_count *count = &answer->run.count[i];
    struct jsonl *json = jsonl_new("probe");
    jsonl_text(json, "name", answer->probes.list.data[i].name);
    jsonl_integer(json, "hits", (int64_t)count->hits);
    jsonl_integer(json, "lost", (int64_t)count->lost);
    jsonl_integer(json, "unread", (int64_t)count->unread);
    jsonl_integer(json, "aside", (int64_t)count->aside);
    jsonl_integer(json, "cost_ns", (int64_t)cost_of_probe(answer, i));
    jsonl_print(json);
  }
  struct jsonl *json = jsonl_new("recorded");
  jsonl_integer(json, "start_ns", (int64_t)answer->run.start_ns);
  jsonl_integer(json, "end_ns", (int64_t)answer->run.end_ns);
  jsonl_integer(json, "others", (int64_t)answer->others);
  jsonl_integer(json, "followed", answer->followed);
  jsonl_integer(json, "exit", answer->exit);
  jsonl_print(json);
}

static void print_run_row(struct table *table, const struct outside_answer *answer, size_t i) {
  const struct outside_count *count = &answer->run.count[i];
  double cost = cost_of_probe(answer, i);
  table_cell(table, "%s", answer->probes.list.data[i].name);
  table_cell(table, "%" PRIu64, count->hits);
  table_cell(table, "%" PRIu64, count->lost);
  table_cell(table, "%" PRIu64, count->unread);
  table_cell(table, cost > 0 ? "%.2f us" : "not known", cost / 1e3);
  if (cost > 0)
    table_cell(table, "%.3f %%",
               (double)(count->hits + count->aside) * cost / 1e7 / seconds_of(&answer->run));
  else
    table_cell(table, "%s", "");
}

static void print_notes(const struct outside_answer *answer) {
  uint64_t lost = 0, never = 0, aside = 0;
  for (size_t i = 0; i < answer->probes.list.count; i++) {
    lost += answer->run.count[i].lost;
    never += answer->run.count[i].hits == 0;
    aside += answer->run.count[i].aside;
  }
  if (lost != 0)
    fprintf(stderr,
            "  %" PRIu64 " events were lost: leave out probes that are come by often, or "
            "give this program a processor.\n",
            lost);
  if (never != 0)
    fprintf(stderr,
            "  %" PRIu64 " probes were never come by: was there work, and does --dry-run "
            "name the processes?\n",
            never);
  if (answer->others != 0)
    fprintf(stderr,
            "  %" PRIu64
            " times a process came by that is not traced: it pays as much each time.\n",
            answer->others);
  if (aside != 0)
    fprintf(stderr,
            "  %" PRIu64
            " times a process came by at which no moment looks for the probe: not recorded.\n",
            aside);
}

static void print_run_text(const struct outside_answer *answer) {
  static const char *const titles[] = {"probe",          "events",    "lost",
                                       "field not read", "cost each", "of a processor"};
  struct table table;
  table_init(&table);
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    table_column(&table, i == 0 ? TABLE_LEFT : TABLE_RIGHT, titles[i]);
  for (size_t i = 0; i < answer->probes.list.count; i++)
    print_run_row(&table, answer, i);
  fprintf(stderr, "\ntailproof record: %.1f s\n", seconds_of(&answer->run));
  table_print(stderr, &table, 2);
  print_notes(answer);
  table_clear(&table);
}

void outside_print_run(const struct outside_answer *answer, bool json) {
  if (json)
    print_run_json(answer);
  else
    print_run_text(answer);
}

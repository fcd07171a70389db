/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/replay.h"

#include "base/file.h"
#include "base/duration.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/jsonl.h"
#include "show/table.h"
#include "show/wrapped.h"

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

static uint64_t count_refused(const struct recording *recording) {
  uint64_t refused = 0;
  for (size_t i = 0; i < recording->stores.count; i++)
    refused += recording->stores.data[i].refused + recording->stores.data[i].torn;
  return refused;
}

static void take_duration(struct table *table, int64_t ns) {
  struct text text;
  text_init(&text);
  duration_print_nearest(&text, ns);
  table_take(table, &text);
}

static void append_gap(struct text *text, const struct replay_gap *gap) {
  text_format(text, gap->inside ? "inside %s" : "before %s", gap->action->name);
  if (gap->after != NULL)
    text_format(text, ", after %s", gap->after->name);
  else if (!gap->inside && gap->action->message != NULL)
    text_format(text, ", after %s came", gap->action->message->name);
}

/* Over all requests; the first place was told in full. */
static void tell_gaps(const struct replay_gaps *gaps) {
  if (gaps->misfits < 2 || gaps->all.count == 0)
    return;
  static const char *const titles[] = {"requests", "p50", "p90", "p99"};
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    table_column(&table, TABLE_RIGHT, titles[i]);
  for (size_t i = 0; i < gaps->all.count; i++) {
    const struct replay_gap *gap = &gaps->all.data[i];
    struct text place;
    text_init(&place);
    append_gap(&place, gap);
    table_take(&table, &place);
    table_cell(&table, "%" PRIu64, gap->requests);
    take_duration(&table, gap->p50_ns);
    take_duration(&table, gap->p90_ns);
    take_duration(&table, gap->p99_ns);
  }
  printf("\n");
  wrapped_format(0, 2,
                 "%" PRIu64 " of %" PRIu64 " requests do not follow it. Time that belongs to no "
                 "component, by the first place in each:",
                 gaps->misfits, gaps->requests);
  table_print(stdout, &table, 2);
  table_clear(&table);
}

static void tell_misfit(const struct replay_run *run, const struct conform *conform) {
  struct text text;
  text_init(&text);
  replay_append_misfit(&text, run, conform, "\n  ");
  text_append(&text, "\n");
  const char *allowed = conform_allowed(conform);
  if (*allowed != '\0')
    text_append(&text, "  the protocol allowed that node:\n");
  for (const char *line = allowed; *line != '\0'; line += strcspn(line, "\n") + 1)
    text_format(&text, "    %.*s\n", (int)strcspn(line, "\n"), line);
  uint64_t refused = count_refused(&run->recording);
  if (refused != 0)
    text_format(&text, "  (%" PRIu64 " recording%s refused or cut off in these stores)\n", refused,
                refused == 1 ? " was" : "s were");
  uint64_t fitting = conform_counts(conform)->complete;
  text_format(&text,
              "\n%" PRIu64 " of %" PRIu64
              " instances do not follow it; this is the first of them.\n",
              run->misfits, run->misfits + fitting);
  text_format(&text, "The run does not follow %s; no bound of it can be applied to it.\n",
              file_name(run->request->path));
  fputs(text_get(&text), stdout);
  text_clear(&text);
  tell_gaps(&run->gaps);
}

void replay_tell_bounds(const struct replay_run *run, const struct conform *conform) {
  const struct conform_tightness *tightness = conform_tightness(conform);
  for (size_t i = 0; i < run->bounds.count; i++) {
    const struct bound *bound = run->bounds.data[i];
    struct text text;
    text_init(&text);
    text_format(&text, "bound %s: ", bound->name);
    if (!run->recording.one_clock)
      text_append(&text, "not judged without times");
    else if (tightness[i].happened == 0)
      text_append(&text, "its event never happened");
    else if (bound->expression == NULL)
      text_append(&text, "has no expression to hold the run against");
    else {
      text_format(&text, "held %" PRIu64 " time%s; closest ", tightness[i].happened,
                  plural(tightness[i].happened));
      duration_print_nearest(&text, tightness[i].time_ns);
      text_append(&text, " of ");
      duration_print_nearest(&text, tightness[i].limit_ns);
      text_format(&text, ", in instance %" PRIu32, tightness[i].instance);
    }
    wrapped_format(2, 4, "%s", text.data);
    text_clear(&text);
  }
  for (const char *line = text_get(&run->missing); *line != '\0'; line += strcspn(line, "\n") + 1)
    wrapped_format(2, 4, "%.*s", (int)strcspn(line, "\n"), line);
}

static void tell_departures(const char *what, uint64_t count, int64_t most_ns) {
  if (count == 0)
    return;
  struct text text;
  text_init(&text);
  duration_print_nearest(&text, most_ns);
  wrapped_format(2, 4, "%" PRIu64 " step%s started up to %s %s", count, plural(count),
                 text_get(&text), what);
  text_clear(&text);
}

static void tell_incomplete(const struct replay_run *run, const struct conform_counts *counts) {
  uint64_t lost = 0;
  for (size_t i = 0; i < run->recording.stores.count; i++)
    lost += run->recording.stores.data[i].overwritten;
  if (counts->incomplete + run->cut_off != 0)
    wrapped_format(2, 4, "not claimed: %" PRIu64 " without an end, cut off or still under way",
                   counts->incomplete + run->cut_off);
  if (run->overwritten != 0)
    wrapped_format(2, 4,
                   "not claimed: %" PRIu64 " whose beginning was overwritten (%" PRIu64
                   " records; a larger log keeps more)",
                   run->overwritten, lost);
  for (const char *line = text_get(&run->recording.unpaired); *line != '\0';
       line += strcspn(line, "\n") + 1)
    wrapped_format(2, 4, "%.*s", (int)strcspn(line, "\n"), line);
  uint64_t refused = count_refused(&run->recording);
  if (refused != 0)
    printf("  %" PRIu64 " recording%s refused or cut off in these stores\n", refused,
           refused == 1 ? " was" : "s were");
}

void replay_tell_text(const struct replay_run *run, const struct conform *conform, bool misfit) {
  if (misfit) {
    tell_misfit(run, conform);
    return;
  }
  const struct conform_counts *counts = conform_counts(conform);
  const struct recording *recording = &run->recording;
  uint64_t judged = counts->complete;
  bool claims = recording->one_clock && judged != 0;
  wrapped_format(0, 4,
                 "%s: %s: %" PRIu64 " complete instance%s of %zu store%s, %" PRIu64
                 " step%s, %" PRIu64 " message%s",
                 file_name(run->request->path),
                 claims ? "the run follows it" : "nothing to object to", judged, plural(judged),
                 recording->stores.count, plural(recording->stores.count), counts->steps,
                 plural(counts->steps), counts->messages, plural(counts->messages));
  if (counts->lost != 0)
    wrapped_format(2, 4, "%" PRIu64 " message%s lost, as the protocol allows", counts->lost,
                   counts->lost == 1 ? " was" : "s were");
  replay_tell_bounds(run, conform);
  if (!recording->one_clock)
    wrapped_format(
        2, 2,
        "the stores' clocks cannot be compared (different hosts, or kinds of clock): steps "
        "were put in order by their messages alone; times, bounds and assumptions are not "
        "judged");
  tell_incomplete(run, counts);
  struct text slack;
  text_init(&slack);
  text_append(&slack, "off, within the slack of ");
  duration_print_nearest(&slack, run->slack_ns);
  text_append(&slack, "; the bounds were given as much");
  tell_departures(text_get(&slack), counts->tolerated, counts->tolerated_ns);
  text_clear(&slack);
  tell_departures("late, which counts as part of what they cost; no bound judged mentions it",
                  counts->counted_in, counts->counted_in_ns);
  tell_departures("late, and nothing in their instance says why; queueing pays for it, but no "
                  "proof knows of it",
                  counts->covered, counts->covered_ns);
}

void replay_tell_json_bounds(struct jsonl *line, const struct replay_run *run,
                             const struct conform *conform) {
  const struct conform_tightness *tightness = conform_tightness(conform);
  struct jsonl *list = jsonl_list(line, "bounds");
  for (size_t i = 0; i < run->bounds.count && run->recording.one_clock; i++) {
    struct jsonl *item = jsonl_item(list);
    jsonl_text(item, "bound", run->bounds.data[i]->name);
    jsonl_integer(item, "happened", (int64_t)tightness[i].happened);
    jsonl_integer(item, "closest_ns", tightness[i].time_ns);
    jsonl_integer(item, "allowed_ns", tightness[i].limit_ns);
    jsonl_integer(item, "instance", tightness[i].instance);
  }
}

static void tell_json_gaps(struct jsonl *line, const struct replay_gaps *gaps) {
  jsonl_integer(line, "requests", (int64_t)gaps->requests);
  jsonl_integer(line, "misfits", (int64_t)gaps->misfits);
  struct jsonl *list = jsonl_list(line, "gaps");
  for (size_t i = 0; i < gaps->all.count; i++) {
    const struct replay_gap *gap = &gaps->all.data[i];
    struct jsonl *item = jsonl_item(list);
    jsonl_text(item, "where", gap->inside ? "inside" : "before");
    jsonl_text(item, "step", gap->action->name);
    jsonl_text(item, "after", gap->after == NULL ? NULL : gap->after->name);
    jsonl_integer(item, "requests", (int64_t)gap->requests);
    jsonl_integer(item, "p50_ns", gap->p50_ns);
    jsonl_integer(item, "p90_ns", gap->p90_ns);
    jsonl_integer(item, "p99_ns", gap->p99_ns);
  }
}

static void tell_json_misfit(struct jsonl *line, const struct replay_run *run,
                             const struct conform *conform) {
  const struct conform_event *event = conform_culprit(conform);
  struct text text;
  text_init(&text);
  conform_print_event(&text, event);
  const struct recorded_store *store = recording_store(&run->recording, event);
  jsonl_text(line, "store", store->path);
  jsonl_integer(line, "writer", event->source & 0xffff);
  jsonl_integer(line, "record", (int64_t)event->position);
  jsonl_text(line, "node", store->node);
  jsonl_text(line, "event", text_get(&text));
  jsonl_integer(line, "instance", event->instance);
  if (run->recording.one_clock)
    jsonl_integer(line, "time_ns", event->start - conform_origin(conform));
  jsonl_text(line, "reason", conform_reason(conform));
  struct jsonl *allowed = jsonl_list(line, "allowed");
  for (const char *at = conform_allowed(conform); *at != '\0'; at += strcspn(at, "\n") + 1) {
    text.length = 0;
    text_append_bytes(&text, at, strcspn(at, "\n"));
    jsonl_item_text(allowed, text_get(&text));
  }
  text_clear(&text);
}

void replay_tell_json(const struct replay_run *run, const struct conform *conform, bool misfit) {
  const struct conform_counts *counts = conform_counts(conform);
  struct jsonl *line = jsonl_new("replay");
  jsonl_text(line, "protocol", file_name(run->request->path));
  jsonl_flag(line, "follows", !misfit);
  jsonl_flag(line, "timed", run->recording.one_clock);
  jsonl_integer(line, "complete", (int64_t)counts->complete);
  jsonl_integer(line, "incomplete", (int64_t)(counts->incomplete + run->cut_off));
  jsonl_integer(line, "overwritten", (int64_t)run->overwritten);
  jsonl_integer(line, "steps", (int64_t)counts->steps);
  jsonl_integer(line, "messages", (int64_t)counts->messages);
  jsonl_integer(line, "lost", (int64_t)counts->lost);
  jsonl_integer(line, "slack_ns", run->slack_ns);
  struct jsonl *unpaired = jsonl_list(line, "unpaired");
  struct text share;
  text_init(&share);
  for (const char *at = text_get(&run->recording.unpaired); *at != '\0';
       at += strcspn(at, "\n") + 1) {
    share.length = 0;
    text_append_bytes(&share, at, strcspn(at, "\n"));
    jsonl_item_text(unpaired, text_get(&share));
  }
  text_clear(&share);
  jsonl_integer(line, "tolerated", (int64_t)counts->tolerated);
  jsonl_integer(line, "counted_in", (int64_t)counts->counted_in);
  jsonl_integer(line, "covered", (int64_t)counts->covered);
  jsonl_integer(line, "covered_ns", counts->covered_ns);
  replay_tell_json_bounds(line, run, conform);
  jsonl_integer(line, "misfits", (int64_t)run->misfits);
  if (misfit)
    tell_json_misfit(line, run, conform);
  if (misfit && run->recording.one_clock)
    tell_json_gaps(line, &run->gaps);
  jsonl_print(line);
}

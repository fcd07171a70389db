/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/replay.h"

#include <inttypes.h>
#include <string.h>

#include "base/duration.h"
#include "base/file.h"

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key bound_keys[] = {
    KEY("bound", TEXT, .marks = MARK_NAMES),
    KEY("happened", COUNT),
    KEY("closest_ns", NS, .marks = MARK_MAYBE),
    KEY("allowed_ns", NS, .marks = MARK_MAYBE | MARK_LOWER),
    KEY("instance", COUNT, .marks = MARK_MAYBE, .note = "these where it happened"),
    {0}};
const struct object_kind replayed_bound_kind = {"bound", NULL, bound_keys};

static const struct object_key gap_keys[] = {
    KEY("where", TEXT, .marks = MARK_NAMES, .words = "before|inside"),
    KEY("step", TEXT, .marks = MARK_NAMES),
    KEY("after", TEXT, .marks = MARK_NAMES | MARK_NULL),
    KEY("requests", COUNT),
    KEY("p50_ns", NS),
    KEY("p90_ns", NS),
    KEY("p99_ns", NS),
    {0}};
static const struct object_kind gap_kind = {"gap", NULL, gap_keys};

static const struct object_key replay_keys[] = {
    KEY("protocol", TEXT, .marks = MARK_NAMES),
    KEY("follows", FLAG),
    KEY("timed", FLAG, .marks = MARK_NAMES, .note = "false: clocks cannot be compared"),
    KEY("complete", COUNT),
    KEY("incomplete", COUNT),
    KEY("overwritten", COUNT, .note = "instances"),
    KEY("steps", COUNT),
    KEY("messages", COUNT),
    KEY("lost", COUNT, .note = "of the messages"),
    KEY("slack_ns", NS),
    KEY("unpaired", TEXTS, .note = "shares of requests that `pair` could not pair"),
    KEY("tolerated", COUNT, .note = "steps that start off by the slack"),
    KEY("counted_in", COUNT, .note = "late, in their cost"),
    KEY("covered", COUNT, .note = "late, in queueing"),
    KEY("covered_ns", NS),
    KEY("bounds", OBJECTS, .objects = &replayed_bound_kind),
    KEY("misfits", COUNT, .note = "instances that do not fit"),
    KEY("store", TEXT, .marks = MARK_MAYBE,
        .note = "this and what follows of the first event "
                "that does not fit"),
    KEY("writer", COUNT, .marks = MARK_MAYBE),
    KEY("record", COUNT, .marks = MARK_MAYBE),
    KEY("node", TEXT, .marks = MARK_MAYBE),
    KEY("event", TEXT, .marks = MARK_MAYBE),
    KEY("instance", COUNT, .marks = MARK_MAYBE),
    KEY("time_ns", NS, .marks = MARK_MAYBE),
    KEY("reason", TEXT, .marks = MARK_MAYBE),
    KEY("allowed", TEXTS, .marks = MARK_MAYBE),
    KEY("requests", COUNT, .marks = MARK_MAYBE, .note = "all of them"),
    KEY("gaps", OBJECTS, .marks = MARK_MAYBE, .objects = &gap_kind),
    {0}};
static const struct object_kind replay_kind = {"replay", "of stores", replay_keys};

const struct object_kind *const replay_kinds[] = {&replay_kind, NULL};

/* --- of all runs ------------------------------------------------------------------------------ */

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

static uint64_t count_refused(const struct recording *recording) {
  uint64_t refused = 0;
  for (size_t i = 0; i < recording->stores.count; i++)
    refused += recording->stores.data[i].refused + recording->stores.data[i].torn;
  return refused;
}

static void say_refused(struct document *document, const struct recording *recording) {
  uint64_t refused = count_refused(recording);
  if (refused != 0)
    document_say(document, LINES_CLOSE,
                 "%" PRIu64 " recording%s refused or cut off in these stores", refused,
                 refused == 1 ? " was" : "s were");
}

/* Each line as an item. */
static void say_lines(struct document *document, size_t indent, const char *lines) {
  for (const char *line = lines; *line != '\0'; line += strcspn(line, "\n") + 1) {
    struct text text;
    text_init(&text);
    text_append_bytes(&text, line, strcspn(line, "\n"));
    document_item(document, LINES_CLOSE, indent, &text);
  }
}

static void put_lines(struct objects *objects, const char *key, const char *lines) {
  struct text text;
  text_init(&text);
  object_texts(objects, key);
  for (const char *line = lines; *line != '\0'; line += strcspn(line, "\n") + 1) {
    text.length = 0;
    text_append_bytes(&text, line, strcspn(line, "\n"));
    object_item(objects, key, text_get(&text));
  }
  text_clear(&text);
}

/* --- bounds ----------------------------------------------------------------------------------- */

static void append_bound(struct text *text, const struct replay_run *run, const struct bound *bound,
                         const struct conform_tightness *tightness) {
  if (!run->recording.one_clock)
    text_append(text, "not judged without times");
  else if (tightness->happened == 0)
    text_append(text, "its event never happened");
  else if (bound->expression == NULL)
    text_append(text, "has no expression to hold the run against");
  else {
    text_format(text, "held %" PRIu64 " time%s; closest ", tightness->happened,
                plural(tightness->happened));
    duration_print_nearest(text, tightness->time_ns);
    text_append(text, " of ");
    duration_print_nearest(text, tightness->limit_ns);
    text_format(text, ", in instance %" PRIu32, tightness->instance);
  }
}

void replay_say_bounds(struct document *document, const struct replay_run *run,
                       const struct conform *conform) {
  for (size_t i = 0; i < run->bounds.count; i++) {
    struct text text;
    text_init(&text);
    text_format(&text, "bound %s: ", run->bounds.data[i]->name);
    append_bound(&text, run, run->bounds.data[i], &conform_tightness(conform)[i]);
    document_item(document, LINES_CLOSE, 2, &text);
  }
  say_lines(document, 2, text_get(&run->missing));
}

void replay_put_bounds(struct objects *bounds, const struct replay_run *run,
                       const struct conform *conform) {
  for (size_t i = 0; i < run->bounds.count && run->recording.one_clock; i++) {
    const struct conform_tightness *tightness = &conform_tightness(conform)[i];
    objects_add(bounds);
    object_text(bounds, "bound", run->bounds.data[i]->name);
    object_count(bounds, "happened", tightness->happened);
    if (tightness->happened == 0 || run->bounds.data[i]->expression == NULL)
      continue;
    object_ns(bounds, "closest_ns", tightness->time_ns);
    object_ns(bounds, "allowed_ns", tightness->limit_ns);
    object_count(bounds, "instance", tightness->instance);
  }
}

/* --- a run that does not fit ------------------------------------------------------------------ */

/* "before node.Grant, after node.Accept", "inside node.Grant" */
static void append_place(struct text *text, const struct replay_gap *gap) {
  text_format(text, gap->inside ? "inside %s" : "before %s", gap->action->name);
  if (gap->after != NULL)
    text_format(text, ", after %s", gap->after->name);
  else if (!gap->inside && gap->action->message != NULL)
    text_format(text, ", after %s came", gap->action->message->name);
}

static void put_gaps(struct objects *objects, const struct replay_gaps *gaps) {
  for (size_t i = 0; i < gaps->all.count; i++) {
    const struct replay_gap *gap = &gaps->all.data[i];
    struct text place;
    text_init(&place);
    append_place(&place, gap);
    objects_add(objects);
    object_text(objects, "where", gap->inside ? "inside" : "before");
    object_text(objects, "step", gap->action->name);
    object_words(objects, "step", "%s", text_get(&place));
    object_text(objects, "after", gap->after == NULL ? NULL : gap->after->name);
    object_count(objects, "requests", gap->requests);
    object_ns(objects, "p50_ns", gap->p50_ns);
    object_ns(objects, "p90_ns", gap->p90_ns);
    object_ns(objects, "p99_ns", gap->p99_ns);
    text_clear(&place);
  }
}

/* Over all requests; the first place was told in full. */
static void show_gaps(struct document *document, const struct replay_gaps *gaps,
                      struct objects *objects) {
  static const struct object_column columns[] = {
      {.title = "", .key = "step"},
      {.title = "requests", .align = TABLE_RIGHT, .key = "requests"},
      {.title = "p50", .align = TABLE_RIGHT, .key = "p50_ns"},
      {.title = "p90", .align = TABLE_RIGHT, .key = "p90_ns"},
      {.title = "p99", .align = TABLE_RIGHT, .key = "p99_ns"},
  };
  if (gaps->misfits < 2 || gaps->all.count == 0)
    return;
  document_say(document, LINES_APART,
               "%" PRIu64 " of %" PRIu64 " requests do not follow it. Time that belongs to no "
               "component, by the first place in each:",
               gaps->misfits, gaps->requests);
  document_table(document, LINES_CLOSE, 2, objects, columns, sizeof columns / sizeof *columns);
}

static void put_culprit(struct objects *objects, const struct replay_run *run,
                        const struct conform *conform) {
  const struct conform_event *event = conform_culprit(conform);
  const struct recorded_store *store = recording_store(&run->recording, event);
  struct text text;
  text_init(&text);
  conform_print_event(&text, event);
  object_text(objects, "store", store->path);
  object_count(objects, "writer", event->source & 0xffff);
  object_count(objects, "record", event->position);
  object_text(objects, "node", store->node);
  object_text(objects, "event", text_get(&text));
  object_count(objects, "instance", event->instance);
  if (run->recording.one_clock)
    object_ns(objects, "time_ns", event->start - conform_origin(conform));
  object_text(objects, "reason", conform_reason(conform));
  put_lines(objects, "allowed", conform_allowed(conform));
  text_clear(&text);
}

static void say_misfit(struct document *document, const struct replay_run *run,
                       const struct conform *conform) {
  uint64_t fitting = conform_counts(conform)->complete;
  struct text text;
  text_init(&text);
  replay_append_place(&text, run, conform);
  document_take(document, LINES_CLOSE, 2, &text);
  document_hang(document, 2);
  replay_append_fault(&text, run, conform);
  document_take(document, LINES_CLOSE, 4, &text);
  document_hang(document, 2);
  if (*conform_allowed(conform) != '\0')
    document_say(document, LINES_CLOSE, "the protocol allowed that node:");
  say_lines(document, 4, conform_allowed(conform));
  say_refused(document, &run->recording);
  document_say(document, LINES_CLOSE,
               "%" PRIu64 " of %" PRIu64 " instances do not follow it; this is the first of them.",
               run->misfits, run->misfits + fitting);
}

/* --- a run that fits -------------------------------------------------------------------------- */

static void say_departures(struct document *document, const char *what, uint64_t count,
                           int64_t most_ns) {
  struct text text;
  if (count == 0)
    return;
  text_init(&text);
  text_format(&text, "%" PRIu64 " step%s started up to ", count, plural(count));
  duration_print_nearest(&text, most_ns);
  text_format(&text, " %s", what);
  document_item(document, LINES_CLOSE, 2, &text);
}

static void say_incomplete(struct document *document, const struct replay_run *run,
                           const struct conform_counts *counts) {
  uint64_t lost = 0;
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < run->recording.stores.count; i++)
    lost += run->recording.stores.data[i].overwritten;
  if (counts->incomplete + run->cut_off != 0)
    text_format(&text, "not claimed: %" PRIu64 " without an end, cut off or still under way",
                counts->incomplete + run->cut_off);
  document_item(document, LINES_CLOSE, 2, &text);
  if (run->overwritten != 0)
    text_format(&text,
                "not claimed: %" PRIu64 " whose beginning was overwritten (%" PRIu64
                " records; a larger log keeps more)",
                run->overwritten, lost);
  document_item(document, LINES_CLOSE, 2, &text);
  say_lines(document, 2, text_get(&run->recording.unpaired));
  say_refused(document, &run->recording);
}

static void say_late(struct document *document, const struct replay_run *run,
                     const struct conform_counts *counts) {
  struct text slack;
  text_init(&slack);
  text_append(&slack, "off, within the slack of ");
  duration_print_nearest(&slack, run->slack_ns);
  text_append(&slack, "; the bounds were given as much");
  say_departures(document, text_get(&slack), counts->tolerated, counts->tolerated_ns);
  text_clear(&slack);
  say_departures(document,
                 "late, which counts as part of what they cost; no bound judged mentions it",
                 counts->counted_in, counts->counted_in_ns);
  say_departures(document,
                 "late, and nothing in their instance says why; queueing pays for it, but no proof "
                 "knows of it",
                 counts->covered, counts->covered_ns);
}

static void say_fit(struct document *document, const struct replay_run *run,
                    const struct conform *conform) {
  const struct conform_counts *counts = conform_counts(conform);
  struct text text;
  text_init(&text);
  if (counts->lost != 0)
    text_format(&text, "%" PRIu64 " message%s lost, as the protocol allows", counts->lost,
                counts->lost == 1 ? " was" : "s were");
  document_item(document, LINES_CLOSE, 2, &text);
  replay_say_bounds(document, run, conform);
  if (!run->recording.one_clock)
    document_say(document, LINES_CLOSE,
                 "the stores' clocks cannot be compared (different hosts, or kinds of clock): "
                 "steps were put in order by their messages alone; times, bounds and assumptions "
                 "are not judged");
  say_incomplete(document, run, counts);
  say_late(document, run, counts);
}

/* --- the document ----------------------------------------------------------------------------- */

static void say_head(struct document *document, const struct replay_answer *answer) {
  const struct recording *recording = &answer->run.recording;
  const struct conform_counts *counts = conform_counts(answer->conform);
  const char *name = file_name(answer->run.request->path);
  bool claims = recording->one_clock && counts->complete != 0;
  struct text text;
  text_init(&text);
  text_format(&text,
              "%" PRIu64 " complete instance%s of %zu store%s, %" PRIu64 " step%s, %" PRIu64
              " message%s",
              counts->complete, plural(counts->complete), recording->stores.count,
              plural(recording->stores.count), counts->steps, plural(counts->steps),
              counts->messages, plural(counts->messages));
  if (answer->misfit)
    document_head(document, LINES_CLOSE, STATUS_REFUTED, name, "the run does not follow it",
                  "no bound of it can be applied to it");
  else
    document_head(document, LINES_CLOSE, claims ? STATUS_OK : STATUS_UNKNOWN, name,
                  claims ? "the run follows it" : "nothing to object to", text_get(&text));
  text_clear(&text);
}

static void put_counts(struct objects *objects, const struct replay_run *run,
                       const struct conform_counts *counts) {
  object_count(objects, "complete", counts->complete);
  object_count(objects, "incomplete", counts->incomplete + run->cut_off);
  object_count(objects, "overwritten", run->overwritten);
  object_count(objects, "steps", counts->steps);
  object_count(objects, "messages", counts->messages);
  object_count(objects, "lost", counts->lost);
  object_ns(objects, "slack_ns", run->slack_ns);
  put_lines(objects, "unpaired", text_get(&run->recording.unpaired));
  object_count(objects, "tolerated", counts->tolerated);
  object_count(objects, "counted_in", counts->counted_in);
  object_count(objects, "covered", counts->covered);
  object_ns(objects, "covered_ns", counts->covered_ns);
}

void replay_document(struct document *document, const struct replay_answer *answer) {
  const struct replay_run *run = &answer->run;
  bool placed = answer->misfit && run->recording.one_clock;
  document_init(document, "replay", replay_kinds);
  document_title(document, "A recorded run beside %s", file_name(run->request->path));
  say_head(document, answer);
  struct objects *objects = document_objects(document, &replay_kind);
  objects_add(objects);
  object_text(objects, "protocol", file_name(run->request->path));
  object_flag(objects, "follows", !answer->misfit);
  object_flag(objects, "timed", run->recording.one_clock);
  put_counts(objects, run, conform_counts(answer->conform));
  replay_put_bounds(object_list(objects, "bounds"), run, answer->conform);
  object_count(objects, "misfits", placed ? run->gaps.misfits : run->misfits);
  if (!answer->misfit) {
    say_fit(document, run, answer->conform);
    return;
  }
  put_culprit(objects, run, answer->conform);
  say_misfit(document, run, answer->conform);
  if (!placed)
    return;
  object_count(objects, "requests", run->gaps.requests);
  put_gaps(object_list(objects, "gaps"), &run->gaps);
  show_gaps(document, &run->gaps, object_list(objects, "gaps"));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/tail/tail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "cli/question/above.h"
#include "cli/question/tail/asking.h"
#include "format/tell.h"
#include "cli/question/tail/hot.h"

static enum status complain(const struct tail_answer *a, const char *option, const char *value,
                            const char *remedy) {
  return asker_fail(a->request->asker, STATUS_USAGE, "--%s %s: %s", option, value, remedy);
}

/* A name with this ending, or anything whose unit is told. */
/* Rows of spans are traces. */
static bool holds_spans(const char *path) {
  struct format_told told = format_tell_file(path);
  return told.id != KNOWN_NONE && told.other == KNOWN_NONE &&
         format_row(told.id)->yields == YIELDS_SPANS;
}

static bool is_table(const struct tail_request *request) {
  const char *path = request->paths[0];
  size_t length = strlen(path);
  bool named = (length > 4 && strcmp(path + length - 4, ".csv") == 0) ||
               (length > 7 && strcmp(path + length - 7, ".csv.gz") == 0);
  return request->columns == NULL && (request->unit != NULL || (named && !holds_spans(path)));
}

static enum status check_request(struct tail_answer *a, int64_t *threshold) {
  const struct tail_request *request = a->request;
  if (request->above != NULL && request->slow.count != 0)
    return asker_fail(request->asker, STATUS_USAGE,
                      "--above and --slow both say what is slow; give one of them");
  if (request->request != NULL && (request->above != NULL || request->slow.count != 0))
    return asker_fail(
        request->asker, STATUS_USAGE,
        "--request holds one request against all others; leave out --above and --slow");
  if (request->against.count != 0 && request->slow.count == 0)
    return asker_fail(request->asker, STATUS_USAGE,
                      "--against says what --slow is held against; give --slow, too");
  if (request->profile_offset != NULL && request->profile == NULL)
    return asker_fail(request->asker, STATUS_USAGE,
                      "--profile-offset is of a profile; give --profile FILE, too");
  if (request->profile != NULL && (is_table(request) || request->request != NULL))
    return asker_fail(request->asker, STATUS_USAGE,
                      "--profile compares many requests of traces by their times; a table has no "
                      "times, and one request is too few");
  struct rational level;
  rational_init(&level);
  rational_set_integer(&level, 1);
  rational_sub(&level, &level, &request->confidence);
  a->level = rational_double(&level);
  rational_clear(&level);
  if (a->level >= 1)
    return complain(a, "confidence", "0", "give a level such as 0.95");
  return request->slow.count != 0
             ? STATUS_OK
             : above_read(&a->percent, threshold, request->above == NULL ? "p99" : request->above,
                          request->asker);
}

/* --- a table ---------------------------------------------------------------------------------- */

/* Whether the request has all the labels. */
static bool has_labels(const struct call_table *table, size_t row, const settings *wanted) {
  for (size_t i = 0; i < wanted->count; i++) {
    const char *name = wanted->data[i].name;
    size_t column = call_table_find_label(table, (struct slice){name, strlen(name)});
    uint32_t value = table->labels.data[column].values[row];
    if (strcmp(names_text(&table->names, value), wanted->data[i].value) != 0)
      return false;
  }
  return true;
}

static enum status check_labels(const struct tail_answer *a, const settings *wanted,
                                const char *option) {
  for (size_t i = 0; i < wanted->count; i++) {
    const char *name = wanted->data[i].name;
    if (call_table_find_label(&a->table, (struct slice){name, strlen(name)}) == SIZE_MAX)
      return asker_fail(a->request->asker, STATUS_DATA, "%s: --%s %s=%s: no column is called %s",
                        a->table.path, option, name, wanted->data[i].value, name);
  }
  return STATUS_OK;
}

static enum status split_by_labels(struct tail_answer *a) {
  const struct tail_request *request = a->request;
  enum status status = check_labels(a, &request->slow, "slow");
  if (status == STATUS_OK)
    status = check_labels(a, &request->against, "against");
  if (status != STATUS_OK)
    return status;
  for (size_t i = 0; i < a->table.rows; i++)
    a->split.sides[i] = has_labels(&a->table, i, &request->slow)      ? TAIL_SLOW
                        : has_labels(&a->table, i, &request->against) ? TAIL_REST
                                                                      : TAIL_NEITHER;
  tail_split_labelled(&a->split, a->table.latency.ns);
  return STATUS_OK;
}

void tail_split_by_time(struct tail_answer *a, const int64_t *latency, int64_t threshold) {
  tail_split_above(&a->split, latency,
                   a->percent > 0 ? tail_percentile(latency, a->split.requests, a->percent)
                                  : threshold);
}

enum status tail_check_sides(const struct tail_answer *a) {
  size_t requests = a->split.requests;
  if (a->split.slow == 0 || a->split.rest == 0)
    return asker_fail(a->request->asker, STATUS_DATA,
                      "%s: %s of the %zu requests is slow, so there is nothing to hold them "
                      "against; choose another --above or --slow",
                      a->request->paths[0], a->split.slow == 0 ? "none" : "each", requests);
  return STATUS_OK;
}

static enum status split_table(struct tail_answer *a, int64_t threshold) {
  tail_split_init(&a->split, a->table.rows);
  enum status status = STATUS_OK;
  if (a->request->slow.count != 0)
    status = split_by_labels(a);
  else
    tail_split_by_time(a, a->table.latency.ns, threshold);
  return status == STATUS_OK ? tail_check_sides(a) : status;
}

static bool is_of(const settings *list, const char *name) {
  return settings_find(list, name) != NULL;
}

/* Labels that do not say themselves what is slow. */
static void add_marks(struct tail_answer *a) {
  for (size_t c = 0; c < a->table.labels.count; c++) {
    const struct label_column *column = &a->table.labels.data[c];
    if (is_of(&a->request->slow, column->name) || is_of(&a->request->against, column->name))
      continue;
    uint32_t key =
        names_number(&a->table.names, (struct slice){column->name, strlen(column->name)});
    for (size_t r = 0; r < a->table.rows; r++)
      vector_push(&a->marks, (struct tail_mark){key, column->values[r], (uint32_t)r});
  }
  a->names = &a->table.names;
}

static double variance_of(const int64_t *values, size_t count) {
  double mean = 0, squares = 0;
  for (size_t i = 0; i < count; i++)
    mean += (double)values[i] / (double)count;
  for (size_t i = 0; i < count; i++)
    squares += ((double)values[i] - mean) * ((double)values[i] - mean);
  return squares / (double)count;
}

/* What varies as the latency does, more or less, and does not show in it. */
static void note_unwaited(struct tail_answer *a) {
  double latency = variance_of(a->table.latency.ns, a->table.rows);
  for (size_t i = 0; i < a->containment.count; i++)
    if (a->containment.weight[i] < 0.1 &&
        variance_of(a->table.calls.data[i].ns, a->table.rows) > latency / 100)
      ledger_note(&a->ledger, LEDGER_DATA,
                  "nothing waits for %s: how long it takes does not show in the latency",
                  a->table.calls.data[i].name);
}

static void note_table(struct tail_answer *a) {
  if (a->request->calls == NULL)
    ledger_note(&a->ledger, LEDGER_DATA,
                "which call contains which was inferred from the %zu requests of the rest; "
                "--call-graph FILE states it",
                a->split.rest);
  else
    ledger_note(&a->ledger, LEDGER_DATA, "%s says which call contains which", a->request->calls);
  note_unwaited(a);
  for (size_t i = 0; i < a->table.ignored.count; i++)
    ledger_note(&a->ledger, LEDGER_DATA, "column %s is taken for a time stamp or an identity",
                a->table.ignored.data[i]);
  ledger_add(&a->ledger, LEDGER_DIST,
             "a call's own time is its column less a share of the columns of what it calls; calls "
             "of a request follow each other");
}

static bool has_label(const struct call_table *table, const char *name) {
  for (size_t i = 0; i < table->labels.count; i++)
    if (strcmp(table->labels.data[i].name, name) == 0)
      return true;
  return false;
}

static enum status read_table(struct tail_answer *a) {
  const struct tail_request *request = a->request;
  texts labels = {0};
  for (size_t i = 0; i < request->tags.count; i++)
    vector_push(&labels, request->tags.data[i]);
  for (size_t i = 0; i < request->slow.count; i++)
    vector_push(&labels, request->slow.data[i].name);
  for (size_t i = 0; i < request->against.count; i++)
    vector_push(&labels, request->against.data[i].name);
  struct call_reading reading = {request->unit, request->latency, labels.data, labels.count};
  enum status status = call_table_read(&a->table, request->paths[0], &reading, request->asker);
  for (size_t i = 0; i < request->tags.count && status == STATUS_OK; i++)
    if (!has_label(&a->table, request->tags.data[i]))
      status = asker_fail(request->asker, STATUS_USAGE, "--tag %s: %s has no such column",
                          request->tags.data[i], request->paths[0]);
  vector_clear(&labels);
  return status;
}

static enum status find_calls(struct tail_answer *a) {
  call_pairs pairs = {0};
  enum status status = STATUS_OK;
  if (a->request->calls != NULL)
    status = call_pairs_read(&pairs, a->request->calls, &a->table, a->request->asker);
  if (status == STATUS_OK)
    containment_find(&a->containment, &a->table, a->split.sides,
                     a->request->calls == NULL ? NULL : &pairs);
  vector_clear(&pairs);
  return status;
}

static enum status ask_table(struct tail_answer *a, int64_t threshold) {
  if (a->request->path_count != 1)
    return asker_fail(a->request->asker, STATUS_USAGE, "give one table, or any number of traces");
  if (selection_is_given(&a->request->selection))
    return asker_fail(a->request->asker, STATUS_USAGE,
                      "--root, --where, --from, --to and --status choose among traces; leave rows "
                      "out of the table instead");
  if (a->request->selection.fold_names || a->request->selection.follow != NULL)
    return asker_fail(a->request->asker, STATUS_USAGE,
                      "--fold-names and --follow are of traces, not of tables; leave them out");
  if (a->request->request != NULL)
    return complain(a, "request", a->request->request, "a table has no ids; give traces");
  enum status status = read_table(a);
  if (status == STATUS_OK)
    status = split_table(a, threshold);
  if (status == STATUS_OK)
    status = find_calls(a);
  if (status == STATUS_OK) {
    containment_causes(&a->causes, &a->table, &a->containment, a->split.sides);
    add_marks(a);
    note_table(a);
  }
  return status;
}

/* --- of both ---------------------------------------------------------------------------------- */

/* What tells chance from the course of time depends on when slow requests come. */
static void note_course(struct tail_answer *a) {
  switch (tail_course_of(&a->split)) {
  case TAIL_WITHIN:
    ledger_add(&a->ledger, LEDGER_DIST,
               "slow requests and the others are compared within blocks of time: what moves slower "
               "than a block is no difference");
    break;
  case TAIL_APART:
    ledger_note(&a->ledger, LEDGER_DIST,
                "slow requests come at another time than those they are held against: whatever "
                "else differed between these times shows alike");
    break;
  default:
    ledger_note(&a->ledger, LEDGER_DIST,
                "slow requests come in bursts: whatever else was slower then shows alike");
  }
}

static void note_report(struct tail_answer *a) {
  if (a->verdict != TAIL_ONE)
    note_course(a);
  ledger_add(&a->ledger, LEDGER_DIST,
             "requests are independent, or depend on those before them as their order shows");
  ledger_add(
      &a->ledger, LEDGER_DIST,
      "the interval of a difference is that of Welch, widened for skewness (Hall 1992); each "
      "holds by itself");
}

static enum tail_verdict verdict_of(const struct tail_answer *a) {
  if (a->request->request != NULL)
    return TAIL_ONE;
  if (!a->report.enough)
    return TAIL_TOO_FEW;
  if (a->report.significant + a->report.named != 0)
    return TAIL_EXPLAINED;
  return a->report.slower ? TAIL_NO_CAUSE : TAIL_NOT_SLOWER;
}

static void judge(struct tail_answer *a) {
  tail_report_make(&a->report, &a->causes, &a->split, a->level);
  tag_report_make(&a->tags, &a->marks, &a->split, a->level);
  a->verdict = verdict_of(a);
  note_report(a);
  bool told = a->verdict == TAIL_EXPLAINED || a->verdict == TAIL_ONE;
  a->status = told && (a->hot == NULL || !a->hot->refused) ? STATUS_OK : STATUS_UNKNOWN;
  a->found = true;
}

enum status tail_ask(struct tail_answer *a, const struct tail_request *request) {
  *a = (struct tail_answer){.request = request};
  call_table_init(&a->table);
  ledger_init(&a->ledger);
  int64_t threshold = 0;
  a->status = check_request(a, &threshold);
  if (a->status == STATUS_OK)
    a->status = is_table(request) ? ask_table(a, threshold) : tail_ask_traces(a, threshold);
  if (a->status == STATUS_OK)
    judge(a);
  return a->status;
}

void tail_clear_answer(struct tail_answer *a) {
  call_table_clear(&a->table);
  containment_clear(&a->containment);
  tail_split_clear(&a->split);
  tail_causes_clear(&a->causes);
  if (a->traces) {
    request_graph_clear(&a->graph);
    span_store_clear(&a->store);
    mem_free(a->order);
  }
  tail_report_clear(&a->report);
  vector_clear(&a->marks);
  tag_report_clear(&a->tags);
  tail_clear_profile(a);
  ledger_clear(&a->ledger);
}

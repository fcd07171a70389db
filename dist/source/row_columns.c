/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/row_columns.h"

#include <inttypes.h>
#include <string.h>

#include "base/duration.h"

enum { NAME_SHOWN = 64 };

enum status row_columns_init(struct row_columns *columns, const struct reader *reader) {
  *columns = (struct row_columns){.reader = reader};
  arena_init(&columns->texts);
  text_init(&columns->identity);
  return kinds_init(&columns->kinds, reader);
}

void row_columns_forget(struct row_columns *columns) {
  vector_clear(&columns->all);
  columns->identities = 0;
  columns->strict = false;
}

void row_columns_trust_values(struct row_columns *columns) {
  for (size_t i = 0; i < columns->all.count; i++)
    if (column_tells_failure(columns->all.data[i].role))
      columns->all.data[i].role = COLUMN_OTHER;
}

void row_columns_clear(struct row_columns *columns) {
  row_columns_forget(columns);
  kinds_clear(&columns->kinds);
  seen_clear(&columns->seen);
  telling_clear(&columns->telling);
  repeats_clear(&columns->repeats);
  arena_clear(&columns->texts);
  text_clear(&columns->identity);
}

/* Whether --select names the column as a label. */
static bool is_named(const struct row_columns *columns, struct slice name) {
  const struct label_choice *choice = &columns->kinds.choice;
  struct text label;
  bool named = false;
  text_init(&label);
  labels_append(&label, name, (struct slice){"", 0});
  size_t length = strcspn(text_get(&label), "=");
  for (size_t i = 0; i < choice->matches.count && columns->kinds.parsed; i++)
    named =
        named || slice_is((struct slice){text_get(&label), length}, choice->matches.data[i].name);
  text_clear(&label);
  return named;
}

void row_columns_add(struct row_columns *columns, size_t index, struct slice name) {
  enum column_role role = column_role(name);
  if (role == COLUMN_OTHER)
    return;
  if (role == COLUMN_UNKNOWN && is_named(columns, name))
    role = COLUMN_KIND;
  size_t telling = role == COLUMN_UNKNOWN ? telling_column(&columns->telling) : SIZE_MAX;
  const struct row_column column = {index, name, role, {"", 0}, telling};
  vector_push(&columns->all, column);
  columns->identities += role == COLUMN_IDENTITY;
  columns->strict = columns->strict || (column_tells_failure(role) && role != COLUMN_MESSAGE);
}

static bool is_nothing(struct slice cell) {
  return cell.length == 0 || (cell.length == 1 && *cell.start == '-');
}

/* What tells the request from all others: one cell, or several, joined by what no cell holds. */
static struct slice identity_of(struct row_columns *columns) {
  struct slice one = {"", 0};
  columns->identity.length = 0;
  for (size_t i = 0; i < columns->all.count; i++) {
    const struct row_column *column = &columns->all.data[i];
    if (column->role != COLUMN_IDENTITY)
      continue;
    if (is_nothing(column->cell))
      return (struct slice){"", 0};
    one = column->cell;
    text_append_bytes(&columns->identity, one.start, one.length);
    text_append_bytes(&columns->identity, "\n", 1);
  }
  if (columns->identities == 1 || one.length == 0)
    return one;
  size_t length = columns->identity.length;
  return (struct slice){arena_text(&columns->texts, columns->identity.data, length), length};
}

static const struct row_column *first_of(const struct row_columns *columns, enum column_role role) {
  for (size_t i = 0; i < columns->all.count; i++)
    if (columns->all.data[i].role == role)
      return &columns->all.data[i];
  return NULL;
}

static int shown(struct slice name) {
  return name.length > NAME_SHOWN ? NAME_SHOWN : (int)name.length;
}

static enum status check_once(struct row_columns *columns) {
  if (columns->identities == 0)
    return STATUS_OK;
  struct slice identity = identity_of(columns);
  if (identity.length == 0 || seen_add(&columns->seen, identity).start == NULL)
    return STATUS_OK;
  const struct row_column *column = first_of(columns, COLUMN_IDENTITY);
  return reader_fail_found(columns->reader, column->cell,
                           "a \"%.*s\" that an earlier row has%s, so that one request would count "
                           "twice; keep one row for each",
                           shown(column->name), column->name.start,
                           columns->identities > 1 ? ", with all else that tells requests apart"
                                                   : "");
}

static bool is_kind(const struct row_column *column) {
  uint64_t ignored;
  return column->role == COLUMN_KIND ||
         (column->role == COLUMN_KIND_OR_NUMBER &&
          decimal_upper(&ignored, NULL, column->cell, 0) == DECIMAL_NOT);
}

static bool is_taken(struct row_columns *columns, const char *at) {
  kinds_begin(&columns->kinds);
  for (size_t i = 0; i < columns->all.count; i++) {
    const struct row_column *column = &columns->all.data[i];
    if (is_kind(column))
      kinds_label(&columns->kinds, column->name, column->cell);
  }
  return kinds_take(&columns->kinds, at);
}

/* The cells that speak for each side. */
struct testimony {
  const struct row_column *success, *failed, *unknown;
};

static void hear(struct testimony *heard, const struct row_column *column) {
  switch (column_outcome(column->role, column->cell)) {
  case OUTCOME_GOOD:
    if (column->role == COLUMN_SUCCESS)
      heard->success = column;
    break;
  case OUTCOME_FAILED:
    heard->failed = column;
    break;
  case OUTCOME_UNKNOWN:
    heard->unknown = column;
    break;
  case OUTCOME_SILENT:
    break;
  }
}

static enum status fail_both(const struct row_columns *columns, const struct testimony *heard) {
  struct slice said = heard->failed->name, other = heard->success->name;
  return reader_fail_found(columns->reader, heard->failed->cell,
                           "in the column \"%.*s\": the request failed, but \"%.*s\" of the same "
                           "row says that it did not; correct the one that is wrong",
                           shown(said), said.start, shown(other), other.start);
}

static enum status fail_unknown(const struct row_columns *columns,
                                const struct row_column *column) {
  return reader_fail_found(columns->reader, column->cell,
                           "in the column \"%.*s\", which does not say whether the request "
                           "failed; write ok or failed there, or add a column \"success\" with "
                           "true or false",
                           shown(column->name), column->name.start);
}

/* A column called success decides where the meaning of others is not known, and may not contradict
 * what they do say. */
static enum status judge_outcome(bool *failed, const struct row_columns *columns) {
  struct testimony heard = {0};
  for (size_t i = 0; i < columns->all.count; i++) {
    const struct row_column *column = &columns->all.data[i];
    if (column_tells_failure(column->role) && (column->role != COLUMN_MESSAGE || !columns->strict))
      hear(&heard, column);
  }
  *failed = heard.failed != NULL;
  if (heard.failed != NULL && heard.success != NULL)
    return fail_both(columns, &heard);
  if (heard.unknown != NULL && heard.failed == NULL && heard.success == NULL)
    return fail_unknown(columns, heard.unknown);
  return STATUS_OK;
}

enum status row_columns_judge(struct row_verdict *verdict, struct row_columns *columns,
                              const char *at) {
  *verdict = (struct row_verdict){.taken = true};
  if (columns->all.count == 0 && !columns->kinds.chosen)
    return STATUS_OK;
  enum status status = check_once(columns);
  if (status != STATUS_OK)
    return status;
  verdict->taken = is_taken(columns, at);
  if (!verdict->taken)
    return STATUS_OK;
  status = judge_outcome(&verdict->failed, columns);
  columns->judged++;
  columns->failed += verdict->failed;
  return status;
}

void row_columns_time(struct row_columns *columns, uint64_t ns) {
  if (columns->telling.count == 0)
    return;
  for (size_t i = 0; i < columns->all.count; i++)
    if (columns->all.data[i].telling != SIZE_MAX)
      telling_cell(&columns->telling, columns->all.data[i].telling, columns->all.data[i].cell);
  telling_time(&columns->telling, ns);
}

static void put_time(struct text *out, uint64_t ns) {
  if (ns == SAMPLE_NS_MAX)
    text_append(out, "endless");
  else
    duration_print_nearest(out, (int64_t)ns);
}

static enum status fail_telling(const struct row_columns *columns,
                                const struct telling_found *found) {
  const struct row_column *column = columns->all.data;
  struct text median, other, choice;
  while (column->telling != found->column)
    column++;
  text_init(&median);
  text_init(&other);
  text_init(&choice);
  put_time(&median, found->median_ns);
  put_time(&other, found->other_median_ns);
  labels_append(&choice, column->name, found->usual);
  reader_blank(&choice, 0);
  bool whole = choice.length <= 100;
  enum status status = reader_fail_found(
      columns->reader, column->name,
      "a column of unknown meaning that tells slow requests from fast ones: with \"%.*s\" the "
      "median is %s, else %s; choose a kind: --select 'NAME={%s}', or all of them: --select "
      "'NAME={}'; if it says which requests failed, call it \"success\" or \"failed\"",
      shown(found->value), found->value.start, text_get(&median), text_get(&other),
      whole ? text_get(&choice) : "LABEL=\"VALUE\"");
  text_clear(&median);
  text_clear(&other);
  text_clear(&choice);
  return status;
}

/* All of them were asked for by name: --select 'NAME={}'. */
static bool takes_all(const struct kinds *kinds) {
  return kinds->parsed && kinds->choice.metric == NULL && kinds->choice.matches.count == 0;
}

/* Rows without an identity that stand there several times. */
static enum status check_repeats(const struct row_columns *columns) {
  const struct reader *reader = columns->reader;
  struct repeats_found found;
  if (!repeats_find(&found, &columns->repeats))
    return STATUS_OK;
  if (found.times != 0)
    return reader_fail(reader, reader->bytes,
                       "each row stands in the table %zu times, so that each request would count "
                       "as often; keep each once, or add a column \"id\" that tells them apart",
                       found.times);
  source_notes_add(
      reader->notes,
      "%s: %zu rows from row %zu on stand there again from row %zu on, and are taken as "
      "other requests",
      reader->path, found.block, found.first + 1, found.again + 1);
  return STATUS_OK;
}

enum status row_columns_settle(struct row_columns *columns, struct evidence *evidence) {
  if (columns->strict)
    evidence_set_lost(evidence, EVIDENCE_FAILED, columns->failed);
  const struct reader *reader = columns->reader;
  bool labelled = false;
  for (size_t i = 0; i < columns->all.count; i++)
    labelled = labelled || columns->all.data[i].role == COLUMN_KIND ||
               columns->all.data[i].role == COLUMN_KIND_OR_NUMBER ||
               (columns->all.data[i].role == COLUMN_UNKNOWN && takes_all(&columns->kinds));
  if (reader->select != NULL && !labelled)
    return reader_fail(reader, reader->bytes,
                       "--select %.64s: there is nothing to choose, as no column says what kind of "
                       "request a row is of; leave it out",
                       reader->select);
  enum status status = kinds_settle(&columns->kinds, evidence);
  struct telling_found found;
  if (status == STATUS_OK)
    status = check_repeats(columns);
  if (status == STATUS_OK && !takes_all(&columns->kinds) && telling_find(&found, &columns->telling))
    status = fail_telling(columns, &found);
  return status;
}

void row_columns_note_failed(const struct row_columns *columns) {
  if (columns->failed != 0)
    source_notes_add(columns->reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64
                     " requests failed, as their row says, and are taken as infinite",
                     columns->reader->path, columns->failed, columns->judged);
}

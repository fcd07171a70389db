/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/row_columns.h"

#include <inttypes.h>

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
  arena_clear(&columns->texts);
  text_clear(&columns->identity);
}

void row_columns_add(struct row_columns *columns, size_t index, struct slice name) {
  enum column_role role = column_role(name);
  if (role == COLUMN_OTHER)
    return;
  const struct row_column column = {index, name, role, {"", 0}};
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

enum status row_columns_settle(const struct row_columns *columns, struct evidence *evidence) {
  if (columns->strict)
    evidence_set_lost(evidence, EVIDENCE_FAILED, columns->failed);
  const struct reader *reader = columns->reader;
  bool labelled = false;
  for (size_t i = 0; i < columns->all.count; i++)
    labelled = labelled || columns->all.data[i].role == COLUMN_KIND ||
               columns->all.data[i].role == COLUMN_KIND_OR_NUMBER;
  if (reader->select != NULL && !labelled)
    return reader_fail(reader, reader->bytes,
                       "--select %.64s: there is nothing to choose, as no column says what kind of "
                       "request a row is of; leave it out",
                       reader->select);
  return kinds_settle(&columns->kinds, evidence);
}

void row_columns_note_failed(const struct row_columns *columns) {
  if (columns->failed != 0)
    source_notes_add(columns->reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64
                     " requests failed, as their row says, and are taken as infinite",
                     columns->reader->path, columns->failed, columns->judged);
}

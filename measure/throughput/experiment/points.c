/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Many predictions at once, from a table with commas: the columns are named as in the points that
 * the authors of SLOWPOKE recorded, whose own predictions are held against ours where they are
 * there.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "measure/throughput/experiment/calculator.h"

enum column { SLOWDOWN, BEFORE, AFTER, CALLS, WORKERS, SAVED, PREDICTED, COLUMNS };

static const char *const names[COLUMNS] = {
    [SLOWDOWN] = "slowdown_rps",
    [BEFORE] = "target_processing_us_before",
    [AFTER] = "target_processing_us_after",
    [CALLS] = "c_target",
    [WORKERS] = "q_target",
    [SAVED] = "delta_per_user_req_us",
    [PREDICTED] = "predicted_rps",
};

enum { FIELD = 40, BYTES_MOST = 1 << 28 };

struct point_table {
  const char *path, *at, *end;
  unsigned line;
  int places[COLUMNS]; /* which field of a row it is; -1: none */
  const struct asker *asker;
};

struct row {
  char fields[COLUMNS][FIELD]; /* "" where there is none */
};

static enum status complain(const struct point_table *table, const char *what, const char *found,
                            const char *remedy) {
  return asker_fail(table->asker, STATUS_DATA, "%s:%u: %s%s%.60s%s; %s", table->path, table->line,
                    what, found != NULL ? " \"" : "", found != NULL ? found : "",
                    found != NULL ? "\"" : "", remedy);
}

/* The next field of the row, without its separator; *length is its own. False behind the last. */
static bool next_field(const char **field, size_t *length, struct point_table *table, bool first) {
  if (!first && (table->at >= table->end || *table->at != ','))
    return false;
  *field = first ? table->at : table->at + 1;
  const char *stop = *field;
  while (stop < table->end && *stop != ',' && *stop != '\n')
    stop++;
  table->at = stop;
  *length = (size_t)(stop - *field);
  if (*length > 0 && (*field)[*length - 1] == '\r')
    --*length;
  return true;
}

static void end_row(struct point_table *table) {
  table->at += table->at < table->end;
  table->line++;
}

static enum status read_head(struct point_table *table) {
  const char *field;
  size_t length;
  int place = 0;
  for (int c = 0; c < COLUMNS; c++)
    table->places[c] = -1;
  for (bool first = true; next_field(&field, &length, table, first); first = false, place++)
    for (int c = 0; c < COLUMNS; c++)
      if (strlen(names[c]) == length && memcmp(names[c], field, length) == 0)
        table->places[c] = place;
  bool parts = true;
  for (int c = BEFORE; c <= WORKERS; c++)
    parts = parts && table->places[c] >= 0;
  if (table->places[SLOWDOWN] < 0 || (!parts && table->places[SAVED] < 0))
    return complain(table, "the columns are missing", NULL,
                    "the first line names slowdown_rps and either delta_per_user_req_us or "
                    "target_processing_us_before, target_processing_us_after, c_target, q_target");
  end_row(table);
  return STATUS_OK;
}

static enum status read_row(struct row *row, struct point_table *table) {
  const char *field;
  size_t length;
  int place = 0;
  memset(row, 0, sizeof *row);
  for (bool first = true; next_field(&field, &length, table, first); first = false, place++)
    for (int c = 0; c < COLUMNS; c++) {
      if (table->places[c] != place)
        continue;
      if (length >= FIELD || memchr(field, '\0', length) != NULL)
        return complain(table, "a field is no number", NULL, "see that the columns are in order");
      memcpy(row->fields[c], field, length);
    }
  return STATUS_OK;
}

static enum status number(double *value, const struct row *row, enum column column,
                          const struct point_table *table) {
  const char *text = row->fields[column] + strspn(row->fields[column], " ");
  if (!number_real(value, text))
    return complain(table, names[column], text, "a number, 0 or more, is expected");
  return STATUS_OK;
}

/* From its parts where all are there; else as it is given. */
static enum status saved_of(double *saved_us, const struct row *row,
                            const struct point_table *table) {
  double parts[WORKERS + 1];
  bool all = true;
  for (int c = BEFORE; c <= WORKERS; c++)
    all = all && row->fields[c][0] != '\0';
  if (!all)
    return number(saved_us, row, SAVED, table);
  for (int c = BEFORE; c <= WORKERS; c++) {
    enum status status = number(&parts[c], row, (enum column)c, table);
    if (status != STATUS_OK)
      return status;
  }
  if (parts[WORKERS] <= 0)
    return complain(table, names[WORKERS], row->fields[WORKERS], "a number above 0 is expected");
  *saved_us = calculator_saved(parts[BEFORE], parts[AFTER], parts[CALLS], parts[WORKERS]);
  return STATUS_OK;
}

/* How close ours is to what was recorded: "bits", "digits" (all that were printed) or "no". */
static const char *compare(struct points *tally, double predicted, const char *recorded) {
  char text[400];
  const char *point = strchr(recorded, '.');
  int places = point == NULL ? 0 : (int)strlen(point + 1);
  tally->compared++;
  snprintf(text, sizeof text, "%.*f", places, predicted);
  if (strtod(recorded, NULL) == predicted)
    return tally->bits++, "bits";
  if (strcmp(text, recorded) == 0)
    return tally->digits++, "digits";
  return tally->other++, "no";
}

static enum status do_row(struct points *points, struct point_table *table) {
  struct row row;
  struct measured_point point = {.line = table->line};
  double throughput, predicted;
  enum status status = read_row(&row, table);
  if (status == STATUS_OK)
    status = number(&throughput, &row, SLOWDOWN, table);
  if (status == STATUS_OK)
    status = saved_of(&point.saved_us, &row, table);
  if (status != STATUS_OK)
    return status;
  memcpy(point.recorded, row.fields[PREDICTED], sizeof point.recorded);
  bool given = throughput > 0 && calculator_predict(&predicted, throughput, point.saved_us, 0);
  if (given) {
    calculator_digits(point.digits, predicted);
    point.same = point.recorded[0] != '\0' ? compare(points, predicted, point.recorded) : NULL;
  }
  points->refused += !given;
  vector_push(&points->rows, point);
  end_row(table);
  return STATUS_OK;
}

enum status points_ask(struct points *points, const char *path, const struct asker *asker) {
  struct text message;
  char *bytes;
  size_t length;
  *points = (struct points){0};
  text_init(&message);
  enum status status = file_read(path, BYTES_MOST, &bytes, &length, &message);
  if (status != STATUS_OK)
    asker_say(asker, SAYING_MISTAKE, "%s", text_get(&message));
  text_clear(&message);
  if (status != STATUS_OK)
    return status;
  struct point_table table = {
      .path = path, .at = bytes, .end = bytes + length, .line = 1, .asker = asker};
  status = read_head(&table);
  while (status == STATUS_OK && table.at < table.end)
    status = do_row(points, &table);
  mem_free(bytes);
  if (status != STATUS_OK)
    return status;
  return points->other != 0 ? STATUS_REFUTED : points->refused != 0 ? STATUS_UNKNOWN : STATUS_OK;
}

void points_clear(struct points *points) {
  vector_clear(&points->rows);
}

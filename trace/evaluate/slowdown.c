/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table of how much longer work takes on a busy processor (scenario.h):
 *
 *   percent,factor
 *   20,1.1
 *   40,1.35
 */
#include "base/file.h"
#include "base/slice.h"
#include "trace/evaluate/scenario.h"

enum { TABLE_BYTES_MAX = 1 << 20 };

typedef VECTOR(struct slowdown) slowdowns;

static bool read_number(double *value, struct slice cell) {
  struct rational number;
  struct text text;
  rational_init(&number);
  text_init(&text);
  text_append_bytes(&text, cell.start, cell.length);
  bool good =
      cell.length != 0 && rational_parse(&number, text_get(&text)) && rational_sign(&number) >= 0;
  *value = rational_double(&number);
  rational_clear(&number);
  text_clear(&text);
  return good;
}

static enum status read_row(slowdowns *rows, struct slice line, size_t number, const char *path,
                            const struct asker *asker) {
  struct slice percent = {0}, factor = {0}, rest = line;
  struct slowdown row = {0};
  slice_field(&percent, &rest, ',');
  slice_field(&factor, &rest, ',');
  if (line.length == 0 || (number == 1 && slice_is(percent, "percent")))
    return STATUS_OK;
  if (!read_number(&row.percent, percent) || !read_number(&row.factor, factor) || row.factor <= 0)
    return asker_fail(asker, STATUS_DATA,
                      "%s:%zu: expected how busy the processor is and how many times longer work "
                      "takes then, as in 40,1.35",
                      path, number);
  if (rows->count != 0 && rows->data[rows->count - 1].percent >= row.percent)
    return asker_fail(asker, STATUS_DATA,
                      "%s:%zu: the percentages do not rise; sort the rows, and keep one of each",
                      path, number);
  vector_push(rows, row);
  return STATUS_OK;
}

/* Measured, or on the line between two measured ones; an idle processor needs no measurement. */
static enum status look_up(double *factor, const slowdowns *rows, double percent, const char *path,
                           const struct asker *asker) {
  struct slowdown before = {0, 1};
  for (size_t i = 0; i < rows->count; i++) {
    struct slowdown here = rows->data[i];
    if (percent <= here.percent) {
      double part = here.percent > before.percent
                        ? (percent - before.percent) / (here.percent - before.percent)
                        : 1;
      *factor = before.factor + part * (here.factor - before.factor);
      return STATUS_OK;
    }
    before = here;
  }
  return asker_fail(asker, STATUS_DATA,
                    "%s: nothing is measured for a processor that is busy for %.9g %% or more; "
                    "add a row",
                    path, percent);
}

enum status slowdown_read(double *factor, const char *path, double percent,
                          const struct asker *asker) {
  char *bytes = NULL;
  size_t length = 0, number = 1;
  struct text message;
  text_init(&message);
  enum status status = file_read(path, TABLE_BYTES_MAX, &bytes, &length, &message);
  if (status != STATUS_OK)
    asker_fail(asker, status, "%s", text_get(&message));
  slowdowns rows = {0};
  struct slice rest = {bytes, length}, line;
  for (; status == STATUS_OK && slice_field(&line, &rest, '\n'); number++)
    status = read_row(&rows, line, number, path, asker);
  if (status == STATUS_OK)
    status = look_up(factor, &rows, percent, path, asker);
  vector_clear(&rows);
  mem_free(bytes);
  text_clear(&message);
  return status;
}

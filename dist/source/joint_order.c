/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts the rows of a table into the order of the time stamps it has (joint_reader.h). Rows that
 * were sorted by an identity, say, would hide that slow requests came together.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dist/source/joint_reader.h"

struct row_key {
  long double number;
  struct slice word;
  size_t row;
};

/* A number, which the cell is all of. */
static bool read_number(long double *number, struct slice cell) {
  char *end;
  *number = strtold(cell.start, &end);
  return cell.length != 0 && end == cell.start + cell.length && isfinite(*number);
}

/* "2026-11-28T21:00:00.123Z" sorts as it is written, if all have the same digits. */
static bool is_date(struct slice cell) {
  return cell.length > 10 && cell.start[4] == '-' && cell.start[7] == '-';
}

static int compare_numbers(const void *left, const void *right) {
  const struct row_key *a = left, *b = right;
  if (a->number < b->number || a->number > b->number)
    return a->number < b->number ? -1 : 1;
  return (a->row > b->row) - (a->row < b->row);
}

static int compare_words(const void *left, const void *right) {
  const struct row_key *a = left, *b = right;
  int order = memcmp(a->word.start, b->word.start, a->word.length);
  return order != 0 ? order : (a->row > b->row) - (a->row < b->row);
}

static void permute(struct joint *joint, const struct row_key *keys) {
  struct joint_cell *cells = mem_alloc(joint->rows, sizeof *cells);
  for (size_t c = 0; c < joint->columns.count; c++) {
    struct joint_cell *column = joint->columns.data[c].cells;
    for (size_t i = 0; i < joint->rows; i++)
      cells[i] = column[keys[i].row];
    memcpy(column, cells, joint->rows * sizeof *cells);
  }
  mem_free(cells);
}

bool joint_order_rows(struct joint *joint, const struct slice *stamps) {
  struct row_key *keys = mem_alloc(joint->rows, sizeof *keys);
  bool numbers = true, dates = true, sorted = true;
  for (size_t i = 0; i < joint->rows; i++) {
    keys[i] = (struct row_key){.word = stamps[i], .row = i};
    numbers = numbers && read_number(&keys[i].number, stamps[i]);
    dates = dates && is_date(stamps[i]) && stamps[i].length == stamps[0].length;
  }
  int (*compare)(const void *, const void *) = numbers ? compare_numbers : compare_words;
  for (size_t i = 1; i < joint->rows && (numbers || dates); i++)
    sorted = sorted && compare(&keys[i - 1], &keys[i]) < 0;
  if (!sorted) {
    qsort(keys, joint->rows, sizeof *keys, compare);
    permute(joint, keys);
  }
  mem_free(keys);
  return !sorted;
}

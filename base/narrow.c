/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/narrow.h"

#include <stdbool.h>
#include <string.h>

static bool fits(int64_t value) {
  return value >= 0 && value < (int64_t)NARROW_WIDE;
}

void narrow_push(struct narrow *column, int64_t value) {
  size_t index = column->low.count;
  vector_push(&column->low, fits(value) ? (uint32_t)value : NARROW_WIDE);
  if (!fits(value))
    vector_push(&column->wide, (struct narrow_wide){index, value});
}

/* The place in `wide` of the index, or of the first behind it. */
static size_t place_of(const struct narrow *column, size_t index) {
  size_t low = 0, high = column->wide.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (column->wide.data[middle].index < index)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int64_t narrow_get_wide(const struct narrow *column, size_t index) {
  return column->wide.data[place_of(column, index)].value;
}

static void make_room(struct narrow *column, size_t place) {
  vector_push(&column->wide, (struct narrow_wide){0});
  struct narrow_wide *at = column->wide.data + place;
  memmove(at + 1, at, (column->wide.count - 1 - place) * sizeof *at);
}

static void close_room(struct narrow *column, size_t place) {
  struct narrow_wide *at = column->wide.data + place;
  column->wide.count--;
  memmove(at, at + 1, (column->wide.count - place) * sizeof *at);
}

void narrow_set(struct narrow *column, size_t index, int64_t value) {
  bool was_wide = column->low.data[index] == NARROW_WIDE;
  size_t place = was_wide || !fits(value) ? place_of(column, index) : 0;
  if (was_wide && fits(value))
    close_room(column, place);
  if (!was_wide && !fits(value))
    make_room(column, place);
  if (!fits(value))
    column->wide.data[place] = (struct narrow_wide){index, value};
  column->low.data[index] = fits(value) ? (uint32_t)value : NARROW_WIDE;
}

void narrow_cut(struct narrow *column, size_t count) {
  column->low.count = count;
  column->wide.count = place_of(column, count);
}

void narrow_clear(struct narrow *column) {
  vector_clear(&column->low);
  vector_clear(&column->wide);
}

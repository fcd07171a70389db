/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/chrome_track.h"

#include <stdlib.h>
#include <string.h>

void chrome_track_init(struct chrome_track *track) {
  *track = (struct chrome_track){0};
  text_init(&track->id);
  text_init(&track->ids);
}

void chrome_track_clear(struct chrome_track *track) {
  text_clear(&track->id);
  text_clear(&track->ids);
  vector_clear(&track->slices);
  vector_clear(&track->tags);
  vector_clear(&track->stack);
}

static int by_time(const void *a, const void *b) {
  const struct chrome_slice *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

/* The longer of two that start together is around the other. */
static int by_nesting(const void *a, const void *b) {
  const struct chrome_slice *x = a, *y = b;
  if (x->start == y->start && x->end != y->end)
    return x->end > y->end ? -1 : 1;
  return by_time(a, b);
}

enum { OPEN_LOOKED = 1024 }; /* of slices around so many are looked at, so that millions end */

static bool is_end(const struct chrome_slice *slice) {
  return slice->phase == CHROME_END || slice->phase == CHROME_END_ASYNC;
}

static bool have_one_name(const struct chrome_slice *a, const struct chrome_slice *b) {
  return a->name.length == b->name.length &&
         (a->name.length == 0 || memcmp(a->name.start, b->name.start, a->name.length) == 0);
}

/* The place on the stack of what the end ends: of a thread the latest, whatever it is called; of
 * what may overlap the latest of its name, where there is one. */
static size_t find_begun(const struct chrome_track *track, const struct chrome_slice *end,
                         struct intake *intake) {
  size_t top = track->stack.count - 1;
  if (end->phase == CHROME_END || end->name.length == 0)
    return top;
  for (size_t looked = 0; looked < OPEN_LOOKED && looked <= top; looked++) {
    const struct chrome_slice *begun = &track->slices.data[track->stack.data[top - looked]];
    if (have_one_name(begun, end))
      return top - looked;
  }
  intake->notes.misnamed++;
  return top;
}

static void end_slice(struct chrome_track *track, const struct chrome_slice *end,
                      struct intake *intake) {
  size_t place = find_begun(track, end, intake), behind = track->stack.count - place - 1;
  struct chrome_slice *begun = &track->slices.data[track->stack.data[place]];
  begun->end = end->start;
  begun->unfinished = false;
  memmove(&track->stack.data[place], &track->stack.data[place + 1],
          behind * sizeof *track->stack.data);
  track->stack.count--;
}

/* What has no beginning is left out. */
static void pair(struct chrome_track *track, struct intake *intake) {
  struct chrome_slice *slices = track->slices.data;
  size_t kept = 0;
  track->stack.count = 0;
  qsort(slices, track->slices.count, sizeof *slices, by_time);
  for (size_t i = 0; i < track->slices.count; i++) {
    if (is_end(&slices[i]) && track->stack.count == 0) {
      intake->notes.unbegun++;
    } else if (is_end(&slices[i])) {
      end_slice(track, &slices[i], intake);
    } else {
      if (slices[i].phase != CHROME_WHOLE)
        vector_push(&track->stack, kept);
      slices[kept++] = slices[i];
    }
  }
  track->slices.count = kept;
}

/* What was never ended lasts as long as the track. */
static void end_unfinished(struct chrome_track *track) {
  int64_t latest = -SPAN_TIME_MAX;
  for (size_t i = 0; i < track->slices.count; i++)
    latest = track->slices.data[i].end > latest ? track->slices.data[i].end : latest;
  for (size_t i = 0; i < track->slices.count; i++)
    if (track->slices.data[i].unfinished)
      track->slices.data[i].end = latest;
}

/* What a slice is within: the innermost that is open; on an asynchronous track the innermost that
 * is also still open at its end, if there is one. */
static size_t around(const struct chrome_track *track, const struct chrome_slice *slice) {
  const struct chrome_slice *slices = track->slices.data;
  size_t count = track->stack.count;
  for (size_t looked = 0; slice->phase == CHROME_BEGIN_ASYNC && looked < count; looked++) {
    size_t open = track->stack.data[count - 1 - looked];
    if (looked == OPEN_LOOKED)
      break;
    if (slices[open].end >= slice->end)
      return open;
  }
  return count == 0 ? SIZE_MAX : track->stack.data[count - 1];
}

static void nest(struct chrome_track *track) {
  struct chrome_slice *slices = track->slices.data;
  track->stack.count = 0;
  qsort(slices, track->slices.count, sizeof *slices, by_nesting);
  for (size_t i = 0; i < track->slices.count; i++) {
    while (track->stack.count != 0 &&
           slices[track->stack.data[track->stack.count - 1]].end <= slices[i].start)
      track->stack.count--;
    slices[i].above = around(track, &slices[i]);
    vector_push(&track->stack, i);
  }
}

/* "00000007": of fixed width, so that ids are in the order of the slices. */
static struct slice id_of(const struct chrome_track *track, size_t index) {
  return (struct slice){track->ids.data + 8 * index, 8};
}

static void number_slices(struct chrome_track *track) {
  text_clear(&track->ids);
  for (size_t i = 0; i < track->slices.count; i++)
    text_format(&track->ids, "%08zu", i % 100000000);
}

static void add(struct chrome_track *track, struct intake *intake, size_t index) {
  const struct chrome_slice *slice = &track->slices.data[index];
  struct span_record record = {.id = id_of(track, index),
                               .parent = {"", 0},
                               .service = track->process,
                               .operation = slice->name,
                               .instance = {"", 0},
                               .start = slice->start,
                               .end = slice->end,
                               .kind = SPAN_INTERNAL,
                               .status = slice->status,
                               .mark = slice->unfinished ? SPAN_UNFINISHED : 0,
                               .tags = slice->tag_count == 0 ? NULL
                                                             : track->tags.data + slice->tag_first,
                               .tag_count = slice->tag_count};
  if (slice->above != SIZE_MAX)
    record.parent = id_of(track, slice->above);
  intake_add(intake, &record);
}

enum status chrome_track_give(struct chrome_track *track, struct intake *intake) {
  enum status status = STATUS_OK;
  size_t number = 0, i = 0;
  pair(track, intake);
  end_unfinished(track);
  nest(track);
  number_slices(track);
  while (i < track->slices.count && status == STATUS_OK) {
    struct text id;
    text_init(&id);
    text_format(&id, "%s#%zu", text_get(&track->id), ++number);
    intake_begin(intake, (struct slice){id.data, id.length});
    do
      add(track, intake, i++);
    while (i < track->slices.count && track->slices.data[i].above != SIZE_MAX);
    status = intake_finish(intake);
    text_clear(&id);
  }
  track->slices.count = track->tags.count = 0;
  return status;
}

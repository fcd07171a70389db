/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slices of one thread or asynchronous track of Chrome's trace events, nested by time; private
 * to trace/span.
 */
#ifndef TRACE_SPAN_CHROME_TRACK_H
#define TRACE_SPAN_CHROME_TRACK_H

#include "trace/span/intake.h"

/* Events of an asynchronous track may overlap: an end is that of the latest of its name there. */
enum chrome_phase { CHROME_WHOLE, CHROME_BEGIN, CHROME_END, CHROME_BEGIN_ASYNC, CHROME_END_ASYNC };

struct chrome_slice {
  int64_t start, end;
  size_t order;      /* in the file */
  struct slice name; /* lives as long as the names of the store */
  enum chrome_phase phase;
  enum span_status status;
  size_t tag_first, tag_count;
  bool unfinished;
  size_t above; /* of the track's slices; SIZE_MAX: outermost */
};

struct chrome_track {
  struct text id;
  struct slice process;
  VECTOR(struct chrome_slice) slices;
  VECTOR(struct span_tag) tags;
  VECTOR(size_t) stack;
  struct text ids;
};

void chrome_track_init(struct chrome_track *track);
void chrome_track_clear(struct chrome_track *track);

/* Gives the outermost slices to the intake, each with what is within it, as requests; the track has
 * no slices afterwards. */
enum status chrome_track_give(struct chrome_track *track, struct intake *intake);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the kernel says of its tracepoints: their numbers, and where fields are in their records.
 * Read from tracefs, also where it is not mounted: it is then opened without a place in the tree of
 * files, so that nothing stays behind.
 */
#ifndef MEASURE_OUTSIDE_TRACEFS_H
#define MEASURE_OUTSIDE_TRACEFS_H

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"

struct tracepoint_field {
  char name[64];
  unsigned offset, size;
  bool has_sign, is_array, is_elsewhere; /* __data_loc: 16 bits of offset, 16 of length */
};

struct tracepoint {
  unsigned id;
  VECTOR(struct tracepoint_field) fields;
};

/* A descriptor of its folder of events; -1 with one line in `message`: the remedy. */
int tracefs_open(struct text *message);

/* STATUS_DATA where there is no such tracepoint. */
enum status tracepoint_find(struct tracepoint *tracepoint, int events, const char *group,
                            const char *name, struct text *message);
void tracepoint_clear(struct tracepoint *tracepoint);

/* NULL where there is none. */
const struct tracepoint_field *tracepoint_field(const struct tracepoint *tracepoint,
                                                const char *name);

/* Of the text of a format file; lines that are no field are passed over. */
void tracepoint_parse(struct tracepoint *tracepoint, char *format);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines of the text in which Prometheus and OpenMetrics expose metrics; for prometheus_read.c.
 *
 *   name{label="value",le="0.005"} 123 1700000000000 # {trace_id="x"} 0.003
 */
#ifndef DIST_SOURCE_EXPOSITION_H
#define DIST_SOURCE_EXPOSITION_H

#include "dist/source/reader.h"

struct exposed {
  struct slice name;
  struct slice before, after; /* the labels, as written, around "le" and its value */
  struct slice le;            /* the value of the label le, start NULL when there is none */
  bool quantile;              /* there is a label of that name: a line of a summary */
  struct slice value;
};

enum exposed_kind {
  EXPOSED_METRIC,
  EXPOSED_NOTHING, /* blank, or a comment */
  EXPOSED_END,     /* "# EOF" */
  EXPOSED_BAD      /* the message is written */
};

enum exposed_kind exposed_line(struct exposed *exposed, const struct reader *reader,
                               struct slice line);

/* The label at the start of `labels`, which exposed_line has found well formed, the value as
 * written between its quotes; the length up to the next one. An empty name: there is none. */
size_t exposed_label(struct slice *name, struct slice *value, struct slice labels);

#endif

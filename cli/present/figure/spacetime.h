/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An execution as a space-time diagram: a lane for each node, its steps as boxes, messages as
 * arrows from the end of the step that sends to the delivery, time to the right. Steps have
 * numbers, which a list below explains; so names of any length overlap nothing.
 */
#ifndef CLI_PRESENT_FIGURE_SPACETIME_H
#define CLI_PRESENT_FIGURE_SPACETIME_H

#include "show/document.h"
#include "solver/tell/timeline.h"

/* Everything is borrowed. */
struct spacetime {
  const struct timeline *execution; /* at least one row */
  const char *title;                /* "reply is refuted: 7 ns, the bound being 6 ns" */
  const char *claim, *reason;       /* the bound, and why it is unknown; or NULL */
  const char *made;                 /* one line, or NULL */
  const char *limit, *time;         /* the bound's value, and when the event was, in ns; or NULL */
};

/* The diagram alone, as wide as `width` and as high as it has lanes; initialises it. */
void spacetime_draw(struct drawing *drawing, const struct spacetime *spacetime, double width);

/* With title, numbers and a list of the steps, for SVG and PNG; initialises it. */
void spacetime_sheet(struct drawing *drawing, const struct spacetime *spacetime);

/* What happens, in words, for who cannot see it. */
void spacetime_describe(struct text *out, const struct timeline *execution);

/* All of them in one document, the steps of each in a table; initialises it. */
void spacetime_document(struct document *document, const struct spacetime *list, size_t count);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One request as a waterfall: a bar for each span below its caller's, in the colour of its service,
 * time to the right; names of spans that failed are red. What is on
 * the critical path is marked within the bars, and a line leads from what was waited for to what
 * waited; it is dashed where the recordings do not decide that.
 */
#ifndef CLI_PRESENT_FIGURE_TRACE_WATERFALL_H
#define CLI_PRESENT_FIGURE_TRACE_WATERFALL_H

#include "show/document.h"

struct trace_path;

/* As wide as `width` and as high as it has lines; initialises the drawing. `axes`: where a reader
 * may look closer. */
void waterfall_draw(struct drawing *drawing, struct figure_axes *axes,
                    const struct trace_path *answer, double width);

#endif

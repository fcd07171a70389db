/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One request as a waterfall: a bar for each span below its caller's, time to the right. What is on
 * the critical path is marked within the bars, and a line leads from what was waited for to what
 * waited; it is dashed where the recordings do not decide that.
 */
#ifndef CLI_PRESENT_FIGURE_TRACE_WATERFALL_H
#define CLI_PRESENT_FIGURE_TRACE_WATERFALL_H

#include "show/drawing.h"

struct trace_path;

/* As wide as `width` and as high as it has lines; initialises the drawing. */
void waterfall_draw(struct drawing *drawing, const struct trace_path *answer, double width);

#endif

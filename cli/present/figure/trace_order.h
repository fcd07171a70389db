/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The graph of one flow: what waits for what. Each call is a box below its caller's, and stands
 * behind all that it waits for; lengths mean nothing. Arrows come from the end of what is waited
 * for, and look different where the order is undecided and where some of several are enough. The
 * darker a box the larger the share of all latency that calls of its name have.
 */
#ifndef CLI_PRESENT_FIGURE_TRACE_ORDER_H
#define CLI_PRESENT_FIGURE_TRACE_ORDER_H

#include "show/drawing.h"

struct trace_path;

/* As wide as `width` and as high as it has lines; initialises the drawing. */
void flow_draw(struct drawing *drawing, const struct trace_path *answer, size_t flow, double width);

/* Appends "51.2 % of the requests (46.4 to 56.0 %)", of a single flow "all requests". */
void flow_share_say(struct text *out, const struct trace_path *answer, size_t flow);

#endif

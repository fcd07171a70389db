/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What pictures say of the request that `trace path` follows, for who cannot see them.
 */
#ifndef CLI_PRESENT_FIGURE_TRACE_WORDS_H
#define CLI_PRESENT_FIGURE_TRACE_WORDS_H

#include "base/text.h"

struct path_step;
struct request;
struct trace_path;

const struct request *trace_request_shown(const struct trace_path *answer);

/* Appends the critical path in the order of time, of very many steps the longest. */
void trace_request_describe(struct text *out, const struct trace_path *answer);

/* Appends "shop: until it calls cart/get". */
void trace_step_name(struct text *out, const struct trace_path *answer,
                     const struct path_step *step);

/* Appends what is not known of a step whose order is undecided. */
void trace_step_doubt(struct text *out, const struct trace_path *answer,
                      const struct path_step *step);

#endif

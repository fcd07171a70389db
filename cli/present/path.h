/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `trace path` as a document, and its sentences.
 */
#ifndef CLI_PRESENT_PATH_H
#define CLI_PRESENT_PATH_H

#include "cli/question/trace_path/trace_path.h"
#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const path_kinds[];

/* Initialises the document. People see the `top` longest steps and parts; page: NULL without one,
 * else its figures are the request (part 0) and what waits for what (1). */
void path_document(struct document *document, const struct trace_path *answer, size_t top,
                   const struct document_page *page);

/* What an activity is, without whose it is: "until it calls cart/get". Appended. */
void path_activity(struct text *text, const struct trace_path *answer,
                   const struct request_flow *flow, const struct activity *activity);

/* Appends the name of the call at a position. */
void path_call_say(struct text *text, const struct trace_path *answer,
                   const struct request_flow *flow, uint32_t position);

/* Appends which request took how long; of how many that make their calls in how many ways. */
/* "Request ", or which it is. */
void path_followed_say(struct text *text, const struct trace_path *answer);
void path_title_say(struct text *text, const struct trace_path *answer);
void path_flows_say(struct text *text, const struct trace_path *answer);

/* Appends when the request began, "2026-01-31T12:00:00.250Z"; nothing where its times are no
 * calendar's. */
void path_started_say(struct text *text, const struct trace_path *answer);

/* Appends what is undecided, and what would decide it. */
void path_doubt_say(struct text *text, const struct trace_path *answer,
                    const struct path_doubt *doubt);

/* Appends what is suspected of a limit. */
void path_limit_say(struct text *text, const struct trace_path *answer,
                    const struct request_flow *flow, const struct suspected_limit *limit);

/* --- for the files that make the document -------------------------------------------------- */

extern const struct object_kind path_request_kind, path_step_kind, path_slack_kind, path_way_kind,
    path_flow_kind;

/* What a table leaves out: so many, with so much of the latency. */
struct path_rest {
  size_t count;
  int64_t ns;
};

/* 0 of nothing. */
double path_share_of(int64_t part, int64_t whole);

/* Sets the key to the name of the call at a position. */
void path_put_call(struct objects *objects, const char *key, const struct trace_path *answer,
                   const struct request_flow *flow, uint32_t position);

/* The ways in which requests make their calls, and for programs each flow with its orders. */
void path_ways_document(struct document *document, const struct trace_path *answer, bool page);

/* The request that is followed: its steps, and the slack of all activities. */
void path_request_document(struct document *document, const struct trace_path *answer, size_t top);

#endif

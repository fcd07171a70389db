/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The part of the answer of `compare` that is about two samples as a whole, not about percentiles:
 * where one is slower, which of them tends to be, and what they have above edges of buckets.
 */
#ifndef CLI_PRESENT_COMPARE_TESTS_H
#define CLI_PRESENT_COMPARE_TESTS_H

#include "cli/question/compare/compare.h"
#include "show/document.h"

#define COMPARED_WORDS "slower|faster|no difference shown|within the margin|not decidable"
#define KEY_COMPONENT KEY("component", TEXT, .marks = MARK_NAMES | MARK_MAYBE)

extern const struct object_kind compared_gap_kind, compared_edge_kind, compared_tendency_kind;

/* Adds an object, of the subject's component. */
void compare_put_component(struct objects *objects, const struct subject *subject);

/* Sets a factor with three decimals, rounded down or up. */
void compare_put_ratio(struct objects *objects, const char *key, double ratio, bool up);

/* Says where `slower` (A or B) is slower than `faster`, and adds the object; nothing if nowhere. */
void compare_gap(struct document *document, const struct subject *subject,
                 const struct two_sample_gap *gap, const char *slower, const char *faster);

/* Of a tendency that was tested: in words; and its object, nothing of another. */
void compare_say_tendency(struct document *document, const struct tendency *tendency);
void compare_put_tendency(struct document *document, const struct subject *subject);

/* A table of the edges, and their objects; nothing without any. */
void compare_edges(struct document *document, const struct subject *subject);

#endif

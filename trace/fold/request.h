/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A recorded request as one line of text:
 *
 *   ID START OTHERS CALL CALL ...
 *
 * START: of the root, in ns. OTHERS: spans beside the root's tree, which are not kept. A CALL for
 * each call of the flow by position, the root first: OFFSET:LENGTH:KIND, in ns from the root's
 * start, KIND a letter for kind and status; behind it, where there is anything to say, its marks as
 * a number (enum span_mark), and @INSTANCE where that is another one than of the call before.
 * Example: "4bf92f35 1700000000000000000 0 0:8000:g@web-1 1000:5000:g@cart-7".
 *
 * Texts have %XX for each byte that is a space, a control character, a percent sign, or 0x7f; the
 * empty one is "-".
 */
#ifndef TRACE_FOLD_REQUEST_H
#define TRACE_FOLD_REQUEST_H

#include <stdbool.h>

#include "base/text.h"
#include "trace/span/builder.h"

/* Appends a text as it stands in a line. */
void fold_escape(struct text *line, const char *text, size_t length);

/* Appends the text that is written so; false when it is no such text. */
bool fold_unescape(struct text *text, struct slice written);

/* A whole number at the beginning of *rest, which is moved behind it; false: there is none, or it
 * does not fit. */
bool fold_number(int64_t *value, struct slice *rest);

/* Appends the line of a request; `rows` are its calls by position. */
void fold_request_print(struct text *line, const struct span_store *store,
                        const struct request *request, const uint32_t *rows, size_t count);

/* The hash of the trace id as written in a line, by which requests are kept. */
uint64_t fold_request_hash(struct slice line);
struct slice fold_request_id(struct slice line);

/* Whether the line is a request of so many calls. */
bool fold_request_is_valid(struct slice line, size_t count);

/* A flow's calls, taken from its key. */
struct fold_call {
  uint32_t parent; /* position, or SPAN_NONE */
  char *service, *operation;
};

/* Gives the request of a valid line back to a store; returns its index. *others as in the line. */
size_t fold_request_restore(struct builder *builder, struct slice line,
                            const struct fold_call *calls, size_t count, uint64_t *others);

/* The calls of a key: count of them, to be cleared with fold_calls_free. NULL when the text is no
 * list of calls in preorder. */
struct fold_call *fold_calls_new(const char *key, size_t count);
void fold_calls_free(struct fold_call *calls, size_t count);

#endif

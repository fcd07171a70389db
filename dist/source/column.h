/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a column of a table says beside its times, told by the words of its name: which request a
 * row is of, what kind of request, and whether it failed. "responseCode", "response_code" and
 * "response.code" are the same words. Nothing is owned.
 */
#ifndef DIST_SOURCE_COLUMN_H
#define DIST_SOURCE_COLUMN_H

#include <stdbool.h>

#include "base/slice.h"

enum column_role {
  COLUMN_OTHER,           /* where or when a request was made, or how long a part of it took */
  COLUMN_UNKNOWN,         /* nothing is known of it: dist/source/telling.h */
  COLUMN_IDENTITY,        /* of the request: instance, trace_id, request_id, uuid */
  COLUMN_KIND,            /* method, url, endpoint, op, label */
  COLUMN_KIND_OR_NUMBER,  /* request, query: a kind unless it is a number */
  COLUMN_STATUS,          /* of HTTP, or a word: status, code, result, outcome */
  COLUMN_STATUS_OR_SIZE,  /* response, http: a status where it has three digits */
  COLUMN_STATUS_GRPC,     /* the same of gRPC, where 0 is good */
  COLUMN_EXIT,            /* of a process: 0 is good */
  COLUMN_SUCCESS,         /* true or false: success, ok, passed */
  COLUMN_SUCCESS_OR_TIME, /* completed, answered: the same, unless it is no flag */
  COLUMN_FAILURE,         /* true or false: failed, timeout, dropped */
  COLUMN_ERROR,           /* the same, or the text of an error */
  COLUMN_MESSAGE,         /* words for a status: responseMessage, reason */
};

enum column_role column_role(struct slice name);

/* Whether the role says if a request failed. */
bool column_tells_failure(enum column_role role);

/* The next word of "requestStart_at", up to a sign, or a capital behind a small letter; *rest is
 * what follows. false at the end. */
bool column_word(struct slice *word, struct slice *rest);

/* Whether the word, in any case, is one of a list that ends with NULL. */
bool column_word_among(struct slice word, const char *const *words);

/* What a cell of such a column says. */
enum column_outcome { OUTCOME_SILENT, OUTCOME_GOOD, OUTCOME_FAILED, OUTCOME_UNKNOWN };
enum column_outcome column_outcome(enum column_role role, struct slice cell);

#endif

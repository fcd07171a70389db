/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles that are JSON documents: what their readers have in common; private to trace/stacks.
 */
#ifndef TRACE_STACKS_DOCUMENT_H
#define TRACE_STACKS_DOCUMENT_H

#include "base/json.h"
#include "trace/stacks/readers.h"

/* Reads the whole file and parses it. STATUS_DATA with the message, where the JSON is damaged, and an
 * empty document; json_clear in any case. */
enum status stack_document_parse(struct stack_intake *intake, struct json *json);

/* Says "FILE:LINE: what" of the place where a value stands, or of the file without one. Returns
 * STATUS_DATA. */
enum status stack_document_fail(struct stack_intake *intake, const struct json *json, size_t value,
                                const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Numbers from 0: a whole one; one times 10^shift, rounded down. False: it is none. */
bool stack_document_whole(const struct json *json, size_t value, uint64_t *number);
bool stack_document_scaled(const struct json *json, size_t value, int shift, uint64_t *number);

/* The number of a string in the profile's names; 0 where it is none, or empty. */
uint32_t stack_document_name(struct stack_intake *intake, const struct json *json, size_t value);

/* Whether a value is the string. */
bool stack_document_is(const struct json *json, size_t value, const char *string);

#endif

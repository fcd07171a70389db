/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One answer of an HTTP server, whole and in memory, of limited size and within a limited time.
 */
#ifndef CLI_QUESTION_STORE_FETCH_H
#define CLI_QUESTION_STORE_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

/* "http://..." or "https://...". */
bool fetch_is_address(const char *text);

enum fetch_form {
  FETCH_ANY,     /* what the server has; a page of metrics as text */
  FETCH_PROTOBUF /* a page of metrics, in protobuf if the server has it: native histograms have no
                    text that all servers write */
};

/* Asks for `address` in a form and takes what comes, followed by a NUL; owned by the caller.
 * Redirections are not followed. On failure *bytes is NULL and `message` gets one line:
 * STATUS_NO_INPUT when the server cannot be reached or does not answer in time, STATUS_DATA for an
 * answer that is no data, STATUS_UNAVAILABLE without the library. A failure that the server
 * explains in JSON is an answer. timeout_ms 0: 30 s. From one thread. */
enum status fetch(char **bytes, size_t *length, const char *address, enum fetch_form form,
                  unsigned timeout_ms, struct text *message);

/* The address as messages show it: without a password, and without what follows "?"; owned. */
char *fetch_name(const char *address);

/* Appends "NAME=VALUE" with the value escaped for an address. */
void fetch_put_parameter(struct text *address, const char *name, const char *value);

#endif

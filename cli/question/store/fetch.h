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

/* "http://..." or "https://..."; "https://...". */
bool fetch_is_address(const char *text);
bool fetch_is_secure(const char *text);

enum fetch_form {
  FETCH_ANY,     /* what the server has; a page of metrics as text */
  FETCH_PROTOBUF /* a page of metrics, in protobuf if the server has it: native histograms have no
                    text that all servers write */
};

/* Whose answer is taken from https://: of servers with a certificate of an authority that this
 * machine trusts, or that a file has, in PEM; or of any. */
struct fetch_trust {
  const char *ca; /* or NULL */
  bool insecure;
};

struct fetch_options {
  enum fetch_form form;
  unsigned timeout_ms; /* 0: 30 s */
  struct fetch_trust trust;
};

/* Whether an answer from there is anybody's: https, and not checked. */
bool fetch_is_unchecked(const char *address, const struct fetch_trust *trust);

/* Asks for `address` and takes what comes, followed by a NUL; owned by the caller.
 * Redirections are not followed. On failure *bytes is NULL and `message` gets one line:
 * STATUS_NO_INPUT when the server cannot be reached or does not answer in time, STATUS_DATA for an
 * answer that is no data, STATUS_UNAVAILABLE without the library. A failure that the server
 * explains in JSON is an answer. From one thread. */
enum status fetch(char **bytes, size_t *length, const char *address,
                  const struct fetch_options *options, struct text *message);

/* The address as messages show it: without a password, and without what follows "?"; owned. */
char *fetch_name(const char *address);

/* Appends "NAME=VALUE" with the value escaped for an address. */
void fetch_put_parameter(struct text *address, const char *name, const char *value);

#endif

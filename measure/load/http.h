/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests of HTTP/1.1 over keep-alive connections, for dispatch.h.
 *
 * A slot is a connection; it is opened when a request first needs it, and again after it was
 * closed. Nothing blocks: not connecting, not sending.
 */
#ifndef MEASURE_LOAD_HTTP_H
#define MEASURE_LOAD_HTTP_H

#include "measure/load/dispatch.h"

struct http_options {
  const char *url;    /* "http://HOST[:PORT][/PATH]"; outlives the carrier, as all of these */
  const char *method; /* "GET" */
  const char *const *headers; /* "Name: value" */
  size_t header_count;
  const char *body; /* may be NULL */
  size_t body_size;
  const struct arrival_routes *routes; /* what arrivals' routes are */
  size_t connections;
};

struct http_carrier;

/* Whether it is an address that this carrier takes. */
bool http_is_address(const char *text);

/* The path of the address: "/" where it has none. */
const char *http_path(const char *url);

/* Finds the host. NULL after a line in `message`: the address or a header is not one (*status
 * USAGE), or the host is not known (UNAVAILABLE). */
struct http_carrier *http_carrier_new(enum status *status, const struct http_options *options,
                                      struct text *message);
struct carrier http_carrier(struct http_carrier *http);
size_t http_opened(const struct http_carrier *http); /* connections, over time */
void http_carrier_free(struct http_carrier *http);

#endif

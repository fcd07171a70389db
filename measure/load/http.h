/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests of HTTP/1.1 over keep-alive connections, with TLS or without, for dispatch.h.
 *
 * A slot is a connection; it is opened when a request first needs it, and again after it was
 * closed. Nothing blocks: not connecting, not shaking hands, not sending.
 *
 * A server may close a connection that was idle just when the next request is sent on it. Where no
 * byte of an answer came and the method may be repeated (RFC 9110, 9.2.2) the request is sent once
 * more, on a new connection; its latency counts on.
 */
#ifndef MEASURE_LOAD_HTTP_H
#define MEASURE_LOAD_HTTP_H

#include "base/vector.h"
#include "measure/load/dispatch.h"

struct http_options {
  const char *url;    /* "http[s]://HOST[:PORT][/PATH]"; outlives the carrier, as all of these */
  const char *method; /* "GET" */
  const char *const *headers; /* "Name: value" */
  size_t header_count;
  const char *body; /* may be NULL */
  size_t body_size;
  const struct arrival_routes *routes; /* what arrivals' routes are */
  size_t connections;
  const char *ca; /* of https: a file of certificates that are trusted; NULL: the machine's */
  bool insecure;  /* of https: the certificate is not looked at */
};

/* What connections did, over time. */
struct http_counts {
  size_t opened;
  size_t retried;                 /* requests that were sent once more */
  VECTOR(uint64_t) handshakes_ns; /* of TLS, each from the open connection to its end; in order */
};

struct http_carrier;

/* Whether it is an address that this carrier takes; one with TLS. */
bool http_is_address(const char *text);
bool http_is_secure(const char *text);

/* The path of the address: "/" where it has none. */
const char *http_path(const char *url);

/* Finds the host, and who is trusted. NULL after a line in `message`: the address or a header is not
 * one (*status USAGE), the host is not known or TLS not there (UNAVAILABLE), `ca` is no such file
 * (NO_INPUT, DATA). */
struct http_carrier *http_carrier_new(enum status *status, const struct http_options *options,
                                      struct text *message);
struct carrier http_carrier(struct http_carrier *http);
const struct http_counts *http_counts(const struct http_carrier *http);
void http_carrier_free(struct http_carrier *http);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a gateway makes of a head before it passes it on (RFC 9110, 7.6; RFC 9112). Pure.
 */
#ifndef MEASURE_THROUGHPUT_PROXY_FORWARD_H
#define MEASURE_THROUGHPUT_PROXY_FORWARD_H

#include "measure/throughput/proxy/buffer.h"
#include "measure/throughput/proxy/head.h"

/* The request for the backend, always of HTTP/1.1; `host` stands for a Host that was not sent. */
void proxy_request_write(struct proxy_buffer *out, const struct proxy_head *head, const char *host);

/* How an answer reaches its client. */
struct proxy_manner {
  enum proxy_framing framing; /* of the body as the client sees it */
  bool keep;                  /* the connection stays */
};

/* For a client whose request was `request`: an answer without a length is chunked for HTTP/1.1,
 * and ends with the connection for 1.0. */
struct proxy_manner proxy_answer_manner(const struct proxy_head *answer, unsigned request_minor,
                                        bool request_keep);

void proxy_answer_write(struct proxy_buffer *out, const struct proxy_head *head,
                        struct proxy_manner manner, unsigned request_minor);

/* Whether the sender of a head will read or send another message on the connection. */
bool proxy_head_keeps(const struct proxy_head *head);

/* Trailer fields that may be passed on, each with its CRLF. */
void proxy_trailers_write(struct proxy_buffer *out, const struct proxy_fields *fields);

/* A complete answer of the proxy itself, after which the connection is closed; `why` is its text,
 * if it may have one. */
void proxy_own_answer(struct proxy_buffer *out, unsigned status, const char *why, bool body);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/proxy/forward.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static void add(struct proxy_buffer *out, struct proxy_slice slice) {
  proxy_buffer_add(out, slice.at, slice.length);
}

static void add_field(struct proxy_buffer *out, const struct proxy_field *field) {
  add(out, field->name);
  proxy_buffer_text(out, ": ");
  add(out, field->value);
  proxy_buffer_text(out, "\r\n");
}

static bool is_any(struct proxy_slice name, const char *const *names) {
  for (; *names != NULL; names++)
    if (proxy_slice_is(name, *names))
      return true;
  return false;
}

static bool same(struct proxy_slice a, struct proxy_slice b) {
  return a.length == b.length && strncasecmp(a.at, b.at, a.length) == 0;
}

/* Between neighbours only, or written anew by us. */
static bool stays_here(const struct proxy_head *head, struct proxy_slice name) {
  static const char *const hop[] = {"connection", "keep-alive",   "proxy-connection",
                                    "te",         "upgrade",      "transfer-encoding",
                                    "host",       "max-forwards", NULL};
  static const char *const needed[] = {"content-length", NULL};
  if (is_any(name, hop))
    return true;
  for (size_t i = 0; i < head->named_count; i++)
    if (same(name, head->named[i]))
      return !is_any(name, needed); /* naming it must not make the body's end unknown */
  return false;
}

static void add_upgrade(struct proxy_buffer *out, const struct proxy_head *head) {
  for (size_t i = 0; i < head->fields.count; i++)
    if (proxy_slice_is(head->fields.all[i].name, "upgrade"))
      add_field(out, &head->fields.all[i]);
}

/* Fields that only the next gateway needs, and that name us. */
static void add_own(struct proxy_buffer *out, const struct proxy_head *head) {
  char line[64];
  bool limited = head->method == PROXY_METHOD_TRACE || head->method == PROXY_METHOD_OPTIONS;
  if (head->hops_known) {
    uint64_t hops = limited && head->hops > 0 ? head->hops - 1 : head->hops;
    snprintf(line, sizeof line, "Max-Forwards: %" PRIu64 "\r\n", hops);
    proxy_buffer_text(out, line);
  }
  if (head->framing == PROXY_CHUNKED)
    proxy_buffer_text(out, "Transfer-Encoding: chunked\r\n");
  if (head->upgrade)
    add_upgrade(out, head);
  if (head->trailers)
    proxy_buffer_text(out, "TE: trailers\r\n");
  if (head->upgrade || head->trailers) {
    proxy_buffer_text(out, "Connection: ");
    proxy_buffer_text(out, !head->trailers ? "upgrade\r\n"
                           : head->upgrade ? "upgrade, TE\r\n"
                                           : "TE\r\n");
  }
  proxy_buffer_text(out, head->minor == 0 ? "Via: 1.0 tailproof\r\n" : "Via: 1.1 tailproof\r\n");
}

void proxy_request_write(struct proxy_buffer *out, const struct proxy_head *head,
                         const char *host) {
  add(out, head->verb);
  proxy_buffer_text(out, " ");
  add(out, head->target);
  proxy_buffer_text(out, " HTTP/1.1\r\nHost: ");
  if (head->authority.at == NULL)
    proxy_buffer_text(out, host);
  else
    add(out, head->authority);
  proxy_buffer_text(out, "\r\n");
  for (size_t i = 0; i < head->fields.count; i++) {
    struct proxy_slice name = head->fields.all[i].name;
    if (!stays_here(head, name) && (head->minor == 1 || !proxy_slice_is(name, "expect")))
      add_field(out, &head->fields.all[i]);
  }
  add_own(out, head);
  proxy_buffer_text(out, "\r\n");
}

bool proxy_head_keeps(const struct proxy_head *head) {
  return !head->close && (head->minor == 1 || head->keep_alive);
}

struct proxy_manner proxy_answer_manner(const struct proxy_head *answer, unsigned request_minor,
                                        bool request_keep) {
  struct proxy_manner manner = {answer->framing, request_keep};
  if (answer->framing == PROXY_CHUNKED || answer->framing == PROXY_UNTIL_CLOSE) {
    manner.framing = request_minor == 0 ? PROXY_UNTIL_CLOSE : PROXY_CHUNKED;
    manner.keep = request_keep && request_minor == 1;
  }
  return manner;
}

/* An answer with 1xx or 204 may have no length field (RFC 9110, 8.6). */
static bool lengthless(const struct proxy_head *head) {
  return head->status < 200 || head->status == 204;
}

void proxy_answer_write(struct proxy_buffer *out, const struct proxy_head *head,
                        struct proxy_manner manner, unsigned request_minor) {
  char line[32];
  snprintf(line, sizeof line, "HTTP/1.1 %u ", head->status);
  proxy_buffer_text(out, line);
  add(out, head->reason);
  proxy_buffer_text(out, "\r\n");
  for (size_t i = 0; i < head->fields.count; i++) {
    struct proxy_slice name = head->fields.all[i].name;
    if (!stays_here(head, name) && (!lengthless(head) || !proxy_slice_is(name, "content-length")))
      add_field(out, &head->fields.all[i]);
  }
  if (manner.framing == PROXY_CHUNKED)
    proxy_buffer_text(out, "Transfer-Encoding: chunked\r\n");
  if (head->upgrade && (head->status == 101 || head->status == 426)) {
    add_upgrade(out, head);
    proxy_buffer_text(out,
                      manner.keep ? "Connection: upgrade\r\n" : "Connection: upgrade, close\r\n");
  } else if (head->status >= 200 && !manner.keep) {
    proxy_buffer_text(out, "Connection: close\r\n");
  } else if (head->status >= 200 && request_minor == 0) {
    proxy_buffer_text(out, "Connection: keep-alive\r\n");
  }
  proxy_buffer_text(out, "\r\n");
}

void proxy_trailers_write(struct proxy_buffer *out, const struct proxy_fields *fields) {
  /* what changes framing, routing, authority or the meaning of the body may not come late
   * (RFC 9110, 6.5.1) */
  static const char *const early[] = {"connection",
                                      "keep-alive",
                                      "proxy-connection",
                                      "te",
                                      "upgrade",
                                      "transfer-encoding",
                                      "host",
                                      "max-forwards",
                                      "content-length",
                                      "content-encoding",
                                      "content-type",
                                      "content-range",
                                      "trailer",
                                      "authorization",
                                      "cookie",
                                      "set-cookie",
                                      "cache-control",
                                      "expect",
                                      "range",
                                      "proxy-authorization",
                                      NULL};
  for (size_t i = 0; i < fields->count; i++)
    if (!is_any(fields->all[i].name, early))
      add_field(out, &fields->all[i]);
}

static const char *phrase_of(unsigned status) {
  switch (status) {
  case 200:
    return "OK";
  case 400:
    return "Bad Request";
  case 408:
    return "Request Timeout";
  case 431:
    return "Request Header Fields Too Large";
  case 501:
    return "Not Implemented";
  case 504:
    return "Gateway Timeout";
  case 505:
    return "HTTP Version Not Supported";
  default:
    return "Bad Gateway";
  }
}

void proxy_own_answer(struct proxy_buffer *out, unsigned status, const char *why, bool body) {
  char head[256];
  size_t length = *why == '\0' ? 0 : strlen("tailproof poker: \n") + strlen(why);
  snprintf(head, sizeof head,
           "HTTP/1.1 %u %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %zu\r\n"
           "Connection: close\r\n\r\n",
           status, phrase_of(status), length);
  proxy_buffer_text(out, head);
  if (body && length > 0) {
    proxy_buffer_text(out, "tailproof poker: ");
    proxy_buffer_text(out, why);
    proxy_buffer_text(out, "\n");
  }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The proxy's reading of HTTP against http-parser, an independent implementation that is more
 * lenient: whatever ours accepts, of random messages with random damage, the other one accepts too,
 * with the same method, status, version, framing, body and end; likewise what ours passes on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <http_parser.h>

#include "tests/fuzz/proxy_pass.h"

enum { CASES = 60000 };

static uint64_t state = 20260101;

static uint32_t below(uint32_t count) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((state >> 33) % count);
}

#define PICK(list) ((list)[below(sizeof(list) / sizeof *(list))])

/* ---- the other parser */

struct other {
  struct proxy_buffer body;
  bool headed, complete;
  bool lengthy, chunked;
  uint64_t length;
  enum proxy_method method; /* of the request that an answer is to */
  size_t used;
  enum http_errno error;
  unsigned code, minor, verb;
};

static int on_headers(http_parser *parser) {
  struct other *other = parser->data;
  other->headed = true;
  other->lengthy = parser->content_length != UINT64_MAX;
  other->length = other->lengthy ? parser->content_length : 0;
  other->chunked = (parser->flags & F_CHUNKED) != 0;
  other->code = parser->status_code;
  other->minor = parser->http_minor;
  other->verb = parser->method;
  bool none = parser->type == HTTP_RESPONSE &&
              (other->code < 200 || other->code == 204 || other->code == 304);
  return none || other->method == PROXY_METHOD_HEAD ? 1 : 0; /* 1: there is no body */
}

static int on_body(http_parser *parser, const char *bytes, size_t size) {
  struct other *other = parser->data;
  proxy_buffer_add(&other->body, bytes, size);
  return 0;
}

static int on_complete(http_parser *parser) {
  struct other *other = parser->data;
  other->complete = true;
  http_parser_pause(parser, 1);
  return 0;
}

static void ask_other(struct other *other, bool answer, enum proxy_method method, const char *bytes,
                      size_t size) {
  http_parser_settings settings;
  http_parser parser;
  *other = (struct other){.method = answer ? method : PROXY_METHOD_OTHER};
  http_parser_settings_init(&settings);
  settings.on_headers_complete = on_headers;
  settings.on_body = on_body;
  settings.on_message_complete = on_complete;
  http_parser_init(&parser, answer ? HTTP_RESPONSE : HTTP_REQUEST);
  parser.data = other;
  other->used = http_parser_execute(&parser, &settings, bytes, size);
  other->error = HTTP_PARSER_ERRNO(&parser);
  if (other->error == HPE_OK && !other->complete && other->used == size)
    http_parser_execute(&parser, &settings, bytes, 0); /* the sender closes */
  if (other->error == HPE_PAUSED)
    other->error = HPE_OK;
}

/* ---- messages */

static void add(struct proxy_buffer *out, const char *text) {
  proxy_buffer_text(out, text);
}

static void add_chunks(struct proxy_buffer *out) {
  static const char *const sizes[] = {"5\r\nhello",        "05\r\nhello",     "a\r\n0123456789",
                                      "A;x\r\n0123456789", "1;n=\"v\"\r\n\r", "2\r\n\r\n",
                                      "0000003\r\n0\r\n"};
  static const char *const ends[] = {"0\r\n\r\n", "00\r\n\r\n", "0;last\r\n\r\n",
                                     "0\r\nSum: 1\r\nHost: t\r\n\r\n", "0\r\nA:\r\n\r\n"};
  for (uint32_t i = below(4); i > 0; i--) {
    add(out, PICK(sizes));
    add(out, "\r\n");
  }
  add(out, PICK(ends));
}

static void add_fields(struct proxy_buffer *out) {
  static const char *const fields[] = {
      "Accept: */*\r\n",           "X-Empty:\r\n",
      "x-blank: \t a b \t\r\n",    "Cookie: a=b; c=\"d\"\r\n",
      "Connection: close\r\n",     "Connection: keep-alive, X-Empty\r\n",
      "Keep-Alive: timeout=5\r\n", "Expect: 100-continue\r\n",
      "Max-Forwards: 3\r\n",       "TE: trailers\r\n",
      "Trailer: Sum\r\n",          "X-High: \xc3\xa9\r\n",
      "A!#$%&'*+-.^_`|~9: 1\r\n",  "Content-Lengthy: 5\r\n",
      "Via: 1.0 other\r\n"};
  for (uint32_t i = below(5); i > 0; i--)
    add(out, PICK(fields));
}

static void add_framing(struct proxy_buffer *out, struct proxy_buffer *body) {
  static const char *const lengths[] = {"Content-Length: 0\r\n", "content-length: 7\r\n",
                                        "Content-Length:  0007 \r\n", "Content-Length: 7\r\n"};
  static const char *const codings[] = {"Transfer-Encoding: chunked\r\n",
                                        "transfer-encoding:CHUNKED\r\n",
                                        "Transfer-Encoding:\tchunked \r\n"};
  uint32_t kind = below(8);
  if (kind < 3 || kind == 7) {
    const char *length = PICK(lengths);
    add(out, length);
    if (strchr(length, '7') != NULL)
      add(body, "1234567");
  }
  if (kind >= 3 && kind < 5)
    add_chunks(body);
  if ((kind >= 3 && kind < 5) || kind == 7) /* 7: both */
    add(out, PICK(codings));
}

static void make_message(struct proxy_buffer *out, bool answer) {
  static const char *const starts[] = {"GET / HTTP/1.1\r\n",       "POST /a?b=c%20 HTTP/1.1\r\n",
                                       "HEAD /h HTTP/1.1\r\n",     "PUT http://h:8/x HTTP/1.1\r\n",
                                       "OPTIONS * HTTP/1.1\r\n",   "DELETE /d HTTP/1.0\r\n",
                                       "CONNECT h:1 HTTP/1.1\r\n", "PATCH /p HTTP/1.1\r\n"};
  static const char *const answers[] = {"HTTP/1.1 200 OK\r\n",        "HTTP/1.1 404 Not Found\r\n",
                                        "HTTP/1.0 200 \r\n",          "HTTP/1.1 204 None\r\n",
                                        "HTTP/1.1 304 Same\r\n",      "HTTP/1.1 100 Continue\r\n",
                                        "HTTP/1.1 500 \xc3\xa9 x\r\n"};
  struct proxy_buffer body = {0};
  add(out, answer ? PICK(answers) : PICK(starts));
  if (!answer)
    add(out, "Host: h\r\n");
  add_fields(out);
  add_framing(out, &body);
  add_fields(out);
  add(out, "\r\n");
  proxy_buffer_add(out, proxy_buffer_at(&body), proxy_buffer_size(&body));
  add(out, answer ? "HTTP/1.1 200 OK\r\n\r\n" : "GET /next HTTP/1.1\r\nHost: h\r\n\r\n");
  proxy_buffer_free(&body);
}

static void damage(struct proxy_buffer *message) {
  static const char bytes[] = "\r\n\r\n :;,0019aF\0\t\v-chunked\x7f\x80";
  for (uint32_t i = below(4); i > 0; i--) {
    size_t size = proxy_buffer_size(message), at = below((uint32_t)size);
    struct proxy_buffer copy = {0};
    char byte = bytes[below(sizeof bytes - 1)];
    uint32_t kind = below(3);
    proxy_buffer_add(&copy, proxy_buffer_at(message), at);
    if (kind != 0)
      proxy_buffer_add(&copy, &byte, 1);
    size_t rest = kind == 1 ? at : at + 1;
    proxy_buffer_add(&copy, proxy_buffer_at(message) + rest, size - rest);
    proxy_buffer_free(message);
    *message = copy;
  }
}

/* ---- the comparison */

static uint64_t accepted, refused, lenient, wrong;

static void print_message(const struct proxy_buffer *message) {
  printf("# ");
  for (size_t i = 0; i < proxy_buffer_size(message); i++) {
    unsigned char c = (unsigned char)proxy_buffer_at(message)[i];
    printf(c >= ' ' && c < 127 ? "%c" : "\\x%02x", c);
  }
  printf("\n");
}

static void complain(const char *what, const struct proxy_buffer *message) {
  if (++wrong > 5)
    return;
  printf("# %s\n", what);
  print_message(message);
}

static bool same_bytes(const struct proxy_buffer *a, const struct proxy_buffer *b) {
  return proxy_buffer_size(a) == proxy_buffer_size(b) &&
         memcmp(proxy_buffer_at(a), proxy_buffer_at(b), proxy_buffer_size(a)) == 0;
}

/* It takes a name that only begins with Transfer-Encoding for it. */
static bool has_longer_name(const struct proxy_buffer *message) {
  static const char name[] = "\ntransfer-encoding";
  size_t length = sizeof name - 1;
  for (size_t i = 0; i + length < proxy_buffer_size(message); i++) {
    const char *at = proxy_buffer_at(message) + i;
    if (strncasecmp(at, name, length) == 0 && at[length] != ':')
      return true;
  }
  return false;
}

/* What it is known to refuse although it is right: it knows some methods only. */
static bool known_gap(enum http_errno error, const struct proxy_buffer *message) {
  if (error == HPE_INVALID_TRANSFER_ENCODING || error == HPE_UNEXPECTED_CONTENT_LENGTH)
    return has_longer_name(message);
  return error == HPE_INVALID_METHOD || error == HPE_INVALID_URL || error == HPE_INVALID_HOST;
}

/* A copy with a blank for each tab, which it does not take for one behind values and sizes. */
static struct proxy_buffer without_tabs(const struct proxy_buffer *bytes) {
  struct proxy_buffer copy = {0};
  proxy_buffer_add(&copy, proxy_buffer_at(bytes), proxy_buffer_size(bytes));
  for (size_t i = 0; i < copy.to; i++)
    if (copy.bytes[i] == '\t')
      copy.bytes[i] = ' ';
  return copy;
}

/* A length field of a message without a body is no framing. */
static const char *compare_heads(const struct passed *ours, const struct other *other) {
  if (!other->headed)
    return "the other parser finds no head";
  if (ours->code != other->code)
    return "the status is another";
  if ((ours->framing == PROXY_LENGTH) && (!other->lengthy || other->length != ours->length))
    return "the length is another";
  if ((ours->framing == PROXY_CHUNKED) != other->chunked && ours->framing != PROXY_NO_BODY)
    return "only one of them sees chunks";
  return NULL;
}

static void compare(bool answer, enum proxy_method method, const struct proxy_buffer *message) {
  struct passed ours, again;
  struct other other, forwarded;
  pass(&ours, answer, method, proxy_buffer_at(message), proxy_buffer_size(message), 0);
  struct proxy_buffer shown = without_tabs(message), body = without_tabs(&ours.body);
  ask_other(&other, answer, method, proxy_buffer_at(&shown), proxy_buffer_size(&shown));
  if (ours.status != 0 || !ours.headed) {
    refused++;
    lenient += other.headed && other.error == HPE_OK;
    passed_free(&ours);
    proxy_buffer_free(&other.body);
    proxy_buffer_free(&shown);
    proxy_buffer_free(&body);
    return;
  }
  accepted++;
  const char *why = compare_heads(&ours, &other);
  if (!ours.complete) /* what has not ended may still be refused; its head is compared */
    why = other.error == HPE_OK && other.headed ? why : NULL;
  else if (other.error != HPE_OK)
    why = known_gap(other.error, message) ? NULL : http_errno_description(other.error);
  else if (why == NULL && (!other.complete || !same_bytes(&body, &other.body)))
    why = "the body is another";
  else if (why == NULL && ours.used != other.used)
    why = "the end is elsewhere";
  if (why != NULL)
    complain(why, message);
  ask_other(&forwarded, answer, method, proxy_buffer_at(&ours.out), proxy_buffer_size(&ours.out));
  if (!known_gap(forwarded.error, &ours.out) &&
      (forwarded.error != HPE_OK || forwarded.complete != ours.complete ||
       !same_bytes(&ours.body, &forwarded.body) ||
       forwarded.chunked != (ours.framing_out == PROXY_CHUNKED)))
    complain("what is passed on reads differently", message);
  pass(&again, answer, method, proxy_buffer_at(message), proxy_buffer_size(message),
       1 + below(1000));
  if (again.used != ours.used || !same_bytes(&again.body, &ours.body))
    complain("in pieces it reads differently", message);
  passed_free(&again);
  passed_free(&ours);
  proxy_buffer_free(&other.body);
  proxy_buffer_free(&forwarded.body);
  proxy_buffer_free(&shown);
  proxy_buffer_free(&body);
}

int main(int count, char **arguments) {
  static const enum proxy_method methods[] = {PROXY_METHOD_SAFE, PROXY_METHOD_SAFE,
                                              PROXY_METHOD_HEAD};
  if (count > 1) /* another seed */
    state = strtoull(arguments[1], NULL, 10);
  for (uint32_t i = 0; i < CASES; i++) {
    struct proxy_buffer message = {0};
    bool answer = below(3) == 0;
    make_message(&message, answer);
    if (below(4) != 0)
      damage(&message);
    compare(answer, PICK(methods), &message);
    proxy_buffer_free(&message);
  }
  printf("%s 1 - %d messages read as http-parser reads them: %" PRIu64 " accepted, %" PRIu64
         " refused, %" PRIu64 " of these by us alone\n",
         wrong == 0 ? "ok" : "not ok", CASES, accepted, refused, lenient);
  bool both = accepted > CASES / 4 && refused > CASES / 8 && lenient > 100;
  printf("%s 2 - the messages are of both kinds\n1..2\n", both ? "ok" : "not ok");
  return wrong == 0 && both ? 0 : 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/proxy/body.h"

#include "measure/throughput/proxy/forward.h"

#include <inttypes.h>
#include <stdio.h>

void proxy_body_init(struct proxy_body *body, enum proxy_framing from, uint64_t length,
                     enum proxy_framing to) {
  *body = (struct proxy_body){.from = from, .to = to};
  body->left = from == PROXY_LENGTH ? length : 0;
  if (from == PROXY_NO_BODY || (from == PROXY_LENGTH && length == 0))
    body->state = PROXY_BODY_DONE;
  else
    body->state = from == PROXY_CHUNKED ? PROXY_BODY_SIZE : PROXY_BODY_DATA;
}

static void pass_on(const struct proxy_body *body, const char *bytes, size_t size,
                    struct proxy_buffer *out) {
  char line[24];
  if (body->to != PROXY_CHUNKED) {
    proxy_buffer_add(out, bytes, size);
    return;
  }
  snprintf(line, sizeof line, "%zx\r\n", size);
  proxy_buffer_text(out, line);
  proxy_buffer_add(out, bytes, size);
  proxy_buffer_text(out, "\r\n");
}

static void finish(struct proxy_body *body, const struct proxy_fields *trailers,
                   struct proxy_buffer *out) {
  body->state = PROXY_BODY_DONE;
  if (body->to != PROXY_CHUNKED)
    return;
  proxy_buffer_text(out, "0\r\n");
  if (trailers != NULL)
    proxy_trailers_write(out, trailers);
  proxy_buffer_text(out, "\r\n");
}

static int hex_of(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A byte behind the digits of a size: nothing but CR, or an extension after a semicolon. */
static void after_size(struct proxy_body *body, char c) {
  if (c == '\r')
    body->state = PROXY_BODY_SIZE_FEED;
  else if (c == ';')
    body->state = PROXY_BODY_EXTENSION;
  else if (c == ' ' || c == '\t')
    body->state = PROXY_BODY_BLANK;
  else
    body->why = "a chunk's size is not a number";
}

static void take_size(struct proxy_body *body, char c) {
  int digit = hex_of(c);
  if (digit < 0 && body->digits == 0) {
    body->why = "a chunk has no size";
  } else if (digit < 0) {
    after_size(body, c);
  } else if (body->left > (PROXY_LENGTH_MAX - 15) / 16 || body->digits == 16) {
    body->why = "a chunk's size is 2^63 or more, or has more than 16 digits";
  } else {
    body->left = body->left * 16 + (uint64_t)digit;
    body->digits++;
  }
}

static void take_extension(struct proxy_body *body, char c) {
  unsigned char byte = (unsigned char)c;
  if (c == '\r' && body->state == PROXY_BODY_EXTENSION)
    body->state = PROXY_BODY_SIZE_FEED;
  else if (body->state == PROXY_BODY_BLANK && c == ';')
    body->state = PROXY_BODY_EXTENSION;
  else if (body->state == PROXY_BODY_BLANK && c != ' ' && c != '\t')
    body->why = "a chunk's size is followed by something else";
  else if ((byte < ' ' && c != '\t') || byte == 127)
    body->why = "a chunk's extension has a control character";
  else if (++body->extension > PROXY_EXTENSION_MAX)
    body->why = "a chunk's extension is longer than 4 KiB";
}

static void start_chunk(struct proxy_body *body) {
  body->state = body->left == 0 ? PROXY_BODY_TRAILERS : PROXY_BODY_DATA;
  body->digits = 0;
  body->extension = 0;
}

/* One byte of what is neither data nor trailers. */
static void take_byte(struct proxy_body *body, char c) {
  switch (body->state) {
  case PROXY_BODY_SIZE:
    take_size(body, c);
    return;
  case PROXY_BODY_BLANK:
  case PROXY_BODY_EXTENSION:
    take_extension(body, c);
    return;
  case PROXY_BODY_SIZE_FEED:
    if (c == '\n')
      start_chunk(body);
    else
      body->why = "a chunk's size is followed by CR without LF";
    return;
  case PROXY_BODY_DATA_RETURN:
    body->state = PROXY_BODY_DATA_FEED;
    if (c != '\r')
      body->why = "a chunk is longer than its size";
    return;
  default:
    body->state = PROXY_BODY_SIZE;
    if (c != '\n')
      body->why = "a chunk is longer than its size";
  }
}

static size_t take_data(struct proxy_body *body, const char *bytes, size_t size,
                        struct proxy_buffer *out) {
  if (body->from != PROXY_UNTIL_CLOSE && size > body->left)
    size = (size_t)body->left;
  pass_on(body, bytes, size, out);
  if (body->from == PROXY_UNTIL_CLOSE)
    return size;
  body->left -= size;
  if (body->left == 0)
    body->state = body->from == PROXY_CHUNKED ? PROXY_BODY_DATA_RETURN : PROXY_BODY_DONE;
  return size;
}

static size_t take_trailers(struct proxy_body *body, const char *bytes, size_t size,
                            struct proxy_buffer *out) {
  struct proxy_fields fields;
  size_t before = proxy_buffer_size(&body->trailers);
  size_t most = PROXY_HEAD_MAX - before;
  size = size < most ? size : most;
  proxy_buffer_add(&body->trailers, bytes, size);
  if (body->trailers.failed) {
    body->why = "memory ran out";
    return 0;
  }
  const char *held = proxy_buffer_at(&body->trailers);
  ptrdiff_t length = proxy_head_length(held, before + size, &body->seen);
  if (length < 0)
    body->why = "a trailer ends in LF without CR";
  else if (length == 0 && before + size == PROXY_HEAD_MAX)
    body->why = "the trailers are longer than 64 KiB";
  else if (length > 0)
    body->why = proxy_fields_read(&fields, held, (size_t)length);
  if (body->why != NULL || length == 0)
    return size;
  finish(body, &fields, out);
  return (size_t)length - before;
}

size_t proxy_body_take(struct proxy_body *body, const char *bytes, size_t size,
                       struct proxy_buffer *out) {
  size_t taken = 0;
  while (taken < size && body->why == NULL && !proxy_body_done(body)) {
    if (body->state == PROXY_BODY_DATA)
      taken += take_data(body, bytes + taken, size - taken, out);
    else if (body->state == PROXY_BODY_TRAILERS)
      taken += take_trailers(body, bytes + taken, size - taken, out);
    else
      take_byte(body, bytes[taken++]);
  }
  return taken;
}

bool proxy_body_end(struct proxy_body *body, struct proxy_buffer *out) {
  if (body->from == PROXY_UNTIL_CLOSE && body->why == NULL && !proxy_body_done(body))
    finish(body, NULL, out);
  return proxy_body_done(body);
}

void proxy_body_free(struct proxy_body *body) {
  proxy_buffer_free(&body->trailers);
}

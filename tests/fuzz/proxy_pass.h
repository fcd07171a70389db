/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One HTTP message on its way through the proxy without the network: what its connections do with
 * the bytes, in pieces of any sizes.
 */
#ifndef TESTS_FUZZ_PROXY_PASS_H
#define TESTS_FUZZ_PROXY_PASS_H

#include "measure/throughput/proxy/body.h"
#include "measure/throughput/proxy/forward.h"
#include "measure/throughput/proxy/head.h"

struct passed {
  unsigned status;          /* 0, or what the message was refused with */
  bool headed;              /* its head was read */
  bool complete;            /* so was its body */
  size_t used;              /* bytes up to its end, or as far as it is there */
  struct proxy_buffer out;  /* what was passed on */
  struct proxy_buffer body; /* its body alone */
  enum proxy_framing framing, framing_out;
  enum proxy_method method;
  unsigned minor, code;
  uint64_t length;
};

static void passed_free(struct passed *passed) {
  proxy_buffer_free(&passed->out);
  proxy_buffer_free(&passed->body);
}

/* The sizes of the pieces: 0: one piece; else 1 .. 64 bytes, from a seed. */
static size_t next_piece(uint32_t *seed, size_t left) {
  if (*seed == 0)
    return left;
  *seed = *seed * 1664525u + 1013904223u;
  *seed += *seed == 0;
  size_t size = (*seed >> 24) % 64 + 1;
  return size < left ? size : left;
}

struct passing {
  bool answer;
  enum proxy_method method; /* with answer: of its request */
  size_t seen;
  struct proxy_buffer in;
  struct proxy_body body, alone;
};

static void pass_head(struct passed *passed, struct passing *passing) {
  struct proxy_head head;
  const char *why = NULL;
  const char *bytes = proxy_buffer_at(&passing->in);
  size_t size = proxy_buffer_size(&passing->in);
  ptrdiff_t length = proxy_head_length(bytes, size, &passing->seen);
  if (length < 0)
    passed->status = passing->answer ? 502 : 400;
  else if (length > PROXY_HEAD_MAX || (length == 0 && size > PROXY_HEAD_MAX))
    passed->status = passing->answer ? 502 : 431;
  if (passed->status != 0 || length == 0)
    return;
  passed->status = passing->answer
                       ? proxy_answer_read(&head, bytes, (size_t)length, passing->method, &why)
                       : proxy_request_read(&head, bytes, (size_t)length, &why);
  if (passed->status != 0)
    return;
  struct proxy_manner manner = {head.framing, true};
  if (passing->answer) {
    manner = proxy_answer_manner(&head, 1, true);
    proxy_answer_write(&passed->out, &head, manner, 1);
  } else {
    proxy_request_write(&passed->out, &head, "backend:80");
  }
  passed->headed = true;
  passed->framing = head.framing;
  passed->framing_out = manner.framing;
  passed->method = head.method;
  passed->minor = head.minor;
  passed->code = head.status;
  passed->length = head.framing == PROXY_LENGTH ? head.length : 0;
  passed->used = (size_t)length;
  proxy_body_init(&passing->body, head.framing, head.length, manner.framing);
  proxy_body_init(&passing->alone, head.framing, head.length,
                  head.framing == PROXY_CHUNKED ? PROXY_UNTIL_CLOSE : head.framing);
  proxy_buffer_drop(&passing->in, (size_t)length);
}

static void pass_body(struct passed *passed, struct passing *passing) {
  const char *bytes = proxy_buffer_at(&passing->in);
  size_t size = proxy_buffer_size(&passing->in);
  size_t taken = proxy_body_take(&passing->body, bytes, size, &passed->out);
  proxy_body_take(&passing->alone, bytes, size, &passed->body);
  proxy_buffer_drop(&passing->in, taken);
  passed->used += taken;
  if (passing->body.why != NULL)
    passed->status = passing->answer ? 502 : 400;
  passed->complete = proxy_body_done(&passing->body);
}

/* All bytes, after which the sender closes. The result is to be freed. */
static void pass(struct passed *passed, bool answer, enum proxy_method method, const char *bytes,
                 size_t size, uint32_t seed) {
  struct passing passing = {.answer = answer, .method = method};
  *passed = (struct passed){0};
  for (size_t at = 0; at < size && passed->status == 0 && !passed->complete;) {
    size_t piece = next_piece(&seed, size - at);
    proxy_buffer_add(&passing.in, bytes + at, piece);
    at += piece;
    if (!passed->headed)
      pass_head(passed, &passing);
    if (passed->headed)
      pass_body(passed, &passing);
  }
  if (passed->headed && passed->status == 0 && proxy_body_end(&passing.body, &passed->out))
    passed->complete = true;
  proxy_buffer_free(&passing.in);
  proxy_body_free(&passing.body);
  proxy_body_free(&passing.alone);
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a request, or an answer, on its way through the counting proxy: it is refused, or
 * what is passed on is a message that passes again, with the same framing and the same body. The
 * pieces in which the bytes come make no difference. With clang -fsanitize=fuzzer a libFuzzer
 * target; with -DSTANDALONE a program that replays the files it is given. The first byte says what
 * the rest is: bit 0 an answer, bits 1 to 3 the method of its request; the second is a seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/proxy_pass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "%s\n", what);
    abort();
  }
}

static bool same_bytes(const struct proxy_buffer *a, const struct proxy_buffer *b) {
  return proxy_buffer_size(a) == proxy_buffer_size(b) &&
         memcmp(proxy_buffer_at(a), proxy_buffer_at(b), proxy_buffer_size(a)) == 0;
}

/* In pieces the chunks are others, the body is not. */
static void compare_pieces(const struct passed *whole, const struct passed *pieces) {
  require(whole->status == pieces->status, "the pieces decide on refusal");
  if (whole->status != 0)
    return;
  require(whole->headed == pieces->headed && whole->complete == pieces->complete &&
              whole->used == pieces->used,
          "the pieces decide where the message ends");
  require(same_bytes(&whole->body, &pieces->body), "the pieces change the body");
  require(whole->framing_out == PROXY_CHUNKED || same_bytes(&whole->out, &pieces->out),
          "the pieces change what is passed on");
}

/* With the fields that are added it may go beyond what would be taken again. */
static bool crowded(const struct proxy_buffer *out) {
  size_t lines = 0;
  const char *bytes = proxy_buffer_at(out);
  for (size_t i = 0; i < proxy_buffer_size(out); i++)
    lines += bytes[i] == '\n';
  return lines > PROXY_FIELDS || proxy_buffer_size(out) > PROXY_HEAD_MAX;
}

static void pass_again(const struct passed *first, bool answer, enum proxy_method method) {
  struct passed again;
  size_t size = proxy_buffer_size(&first->out);
  pass(&again, answer, method, proxy_buffer_at(&first->out), size, 0);
  require(again.status == 0 || crowded(&first->out), "what was passed on is refused");
  if (again.status == 0) {
    require(again.headed && again.complete == first->complete, "it ends elsewhere");
    require(again.used == size, "something follows what was passed on");
    require(again.framing == first->framing_out && again.length == first->length,
            "its framing is another");
    require(again.method == first->method && again.code == first->code, "it says something else");
    require(same_bytes(&again.body, &first->body), "its body is another");
  }
  passed_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct passed whole, pieces;
  if (size < 2)
    return 0;
  bool answer = (data[0] & 1) != 0;
  enum proxy_method method = (enum proxy_method)((data[0] >> 1 & 7u) % 6);
  const char *bytes = (const char *)data + 2;
  pass(&whole, answer, method, bytes, size - 2, 0);
  pass(&pieces, answer, method, bytes, size - 2, data[1] | 256u);
  require(!whole.out.failed && !whole.body.failed, "memory");
  compare_pieces(&whole, &pieces);
  if (whole.status == 0 && whole.headed)
    pass_again(&whole, answer, method);
  passed_free(&whole);
  passed_free(&pieces);
  return 0;
}

#include "tests/fuzz/standalone.h"

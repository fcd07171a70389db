/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as what an editor sends to the language server. When they begin with "L" each further
 * line is the content of a message; otherwise they are the stream itself, with its headers. What
 * the server answers must be well-formed messages. Nothing is verified, which would take long. With
 * clang -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program that replays the files it
 * is given.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/lsp/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static void feed_lines(struct framing *framing, const char *bytes, size_t size) {
  while (size != 0) {
    const char *end = memchr(bytes, '\n', size);
    size_t length = end == NULL ? size : (size_t)(end - bytes);
    struct text framed;
    text_init(&framed);
    framing_write(&framed, bytes, length);
    framing_feed(framing, framed.data, framed.length);
    text_clear(&framed);
    size -= length + (end != NULL);
    bytes += length + (end != NULL);
  }
}

static void serve(struct lsp_server *server, struct framing *framing, struct text *message) {
  const char *content;
  size_t length;
  enum framing_result result = FRAMING_MESSAGE;
  while (server->state != SERVER_ENDED && result == FRAMING_MESSAGE) {
    result = framing_next(framing, &content, &length, message);
    if (result == FRAMING_MESSAGE)
      server_take(server, content, length);
  }
  require((result == FRAMING_BROKEN) == (message->length != 0), "broken, but not told why");
  require(strchr(text_get(message), '\n') == NULL, "a message of two lines");
}

static void check_answers(const struct text *out) {
  struct framing framing = {0};
  struct text message;
  text_init(&message);
  framing_feed(&framing, text_get(out), out->length);
  const char *content;
  size_t length;
  while (framing_next(&framing, &content, &length, &message) == FRAMING_MESSAGE) {
    json_t *value = rpc_parse(content, length, &message);
    require(json_is_object(value) || json_array_size(value) != 0, "an answer that is none");
    json_decref(value);
  }
  require(framing_is_empty(&framing) && message.length == 0, "answers that do not follow another");
  framing_clear(&framing);
  text_clear(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct lsp_server server;
  struct framing framing = {0};
  struct text message;
  struct job_options options = {.jobs = 0};
  text_init(&message);
  server_init(&server, &options);
  if (size != 0 && data[0] == 'L')
    feed_lines(&framing, (const char *)data + 1, size - 1);
  else
    framing_feed(&framing, (const char *)data, size);
  serve(&server, &framing, &message);
  server_take_end(&server);
  check_answers(&server.out);
  server_clear(&server);
  framing_clear(&framing);
  text_clear(&message);
  return 0;
}

#include "tests/fuzz/standalone.h"

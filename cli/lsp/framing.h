/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How messages follow one another in a stream: headers "Name: value", each with a carriage return
 * and a newline behind it, an empty line, and as many bytes as Content-Length says (Language Server
 * Protocol 3.17, base protocol). No input or output: bytes are given in pieces of any size.
 */
#ifndef CLI_LSP_FRAMING_H
#define CLI_LSP_FRAMING_H

#include "base/status.h"
#include "base/text.h"

enum { FRAMING_HEADER_MAX = 8 * 1024, FRAMING_CONTENT_MAX = 64 * 1024 * 1024 };

/* Owns the bytes that were given and not yet taken. All zero to begin with. */
struct framing {
  struct text bytes;
  size_t taken;
};

void framing_clear(struct framing *framing);
void framing_feed(struct framing *framing, const char *bytes, size_t length);

enum framing_result {
  FRAMING_MORE,    /* the next message is not complete */
  FRAMING_MESSAGE, /* *content is one, *length bytes, valid until more is fed */
  FRAMING_BROKEN,  /* `message` says why in one line; where the next one begins is unknown */
};

enum framing_result framing_next(struct framing *framing, const char **content, size_t *length,
                                 struct text *message);

/* Whether the stream may end here: no message has begun. */
bool framing_is_empty(const struct framing *framing);

/* Appends a message with its header. */
void framing_write(struct text *out, const char *content, size_t length);

#endif

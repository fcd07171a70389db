/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bytes that are added at the end and taken from the beginning.
 */
#ifndef MEASURE_THROUGHPUT_PROXY_BUFFER_H
#define MEASURE_THROUGHPUT_PROXY_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* All zero: empty. */
struct proxy_buffer {
  char *bytes;
  size_t from, to; /* what is held is bytes[from .. to) */
  size_t room;
  bool failed; /* memory ran out: something that was added is missing; stays until it is freed */
};

static inline size_t proxy_buffer_size(const struct proxy_buffer *buffer) {
  return buffer->to - buffer->from;
}

static inline const char *proxy_buffer_at(const struct proxy_buffer *buffer) {
  return buffer->bytes == NULL ? "" : buffer->bytes + buffer->from;
}

void proxy_buffer_add(struct proxy_buffer *buffer, const char *bytes, size_t size);
void proxy_buffer_text(struct proxy_buffer *buffer, const char *text);

/* Takes `size` bytes, at most what is held, from the beginning. */
void proxy_buffer_drop(struct proxy_buffer *buffer, size_t size);

/* Empties it, and gives back memory beyond `keep` bytes. */
void proxy_buffer_clear(struct proxy_buffer *buffer, size_t keep);

/* Frees what it holds; all zero afterwards. */
void proxy_buffer_free(struct proxy_buffer *buffer);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/proxy/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_LEAST = 1024 };

static bool make_room(struct proxy_buffer *buffer, size_t size) {
  if (buffer->room - buffer->to >= size)
    return true;
  size_t held = proxy_buffer_size(buffer);
  if (buffer->from >= held && buffer->room - held >= size) { /* half of it is free in front */
    memcpy(buffer->bytes, buffer->bytes + buffer->from, held);
    buffer->from = 0;
    buffer->to = held;
    return true;
  }
  size_t room = buffer->room < ROOM_LEAST ? ROOM_LEAST : buffer->room;
  while (room - buffer->to < size) {
    if (room > (size_t)-1 / 2)
      return false;
    room *= 2;
  }
  char *bytes = realloc(buffer->bytes, room);
  if (bytes == NULL)
    return false;
  buffer->bytes = bytes;
  buffer->room = room;
  return true;
}

void proxy_buffer_add(struct proxy_buffer *buffer, const char *bytes, size_t size) {
  if (size == 0 || buffer->failed)
    return;
  if (!make_room(buffer, size)) {
    buffer->failed = true;
    return;
  }
  memcpy(buffer->bytes + buffer->to, bytes, size);
  buffer->to += size;
}

void proxy_buffer_text(struct proxy_buffer *buffer, const char *text) {
  proxy_buffer_add(buffer, text, strlen(text));
}

void proxy_buffer_drop(struct proxy_buffer *buffer, size_t size) {
  buffer->from += size;
  if (buffer->from >= buffer->to)
    buffer->from = buffer->to = 0;
}

void proxy_buffer_clear(struct proxy_buffer *buffer, size_t keep) {
  buffer->from = buffer->to = 0;
  if (buffer->room > keep) {
    free(buffer->bytes);
    buffer->bytes = NULL;
    buffer->room = 0;
  }
}

void proxy_buffer_free(struct proxy_buffer *buffer) {
  free(buffer->bytes);
  *buffer = (struct proxy_buffer){0};
}

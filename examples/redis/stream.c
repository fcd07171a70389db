/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/redis/stream.h"

#include <stdlib.h>
#include <string.h>

/* After the word GETACK or ACK the length of its argument follows, then the argument. */
enum { PLAIN, QUESTION_LENGTH, QUESTION_ARGUMENT, ACK_LENGTH, ACK_ARGUMENT };

void stream_init(struct stream *stream) {
  memset(stream, 0, sizeof *stream);
}

static enum stream_event line_judge(struct stream *stream) {
  const char *line = stream->line;
  int state = stream->state;
  stream->state = PLAIN;
  if (state == QUESTION_LENGTH || state == ACK_LENGTH) {
    stream->state = state + 1;
    return STREAM_NOTHING;
  }
  if (state == QUESTION_ARGUMENT)
    return STREAM_QUESTION;
  if (state == ACK_ARGUMENT) {
    stream->value = strtoull(line, NULL, 10);
    return STREAM_ACK;
  }
  if (strcmp(line, "GETACK") == 0)
    stream->state = QUESTION_LENGTH;
  else if (strcmp(line, "ACK") == 0)
    stream->state = ACK_LENGTH;
  else if (line[0] == ':') {
    stream->value = strtoull(line + 1, NULL, 10);
    return STREAM_NUMBER;
  } else if (line[0] == '-')
    return STREAM_ERROR;
  return STREAM_NOTHING;
}

enum stream_event stream_feed(struct stream *stream, char byte) {
  if (byte == '\r')
    return STREAM_NOTHING;
  if (byte != '\n') {
    if (stream->length + 1 < sizeof stream->line)
      stream->line[stream->length++] = byte;
    return STREAM_NOTHING;
  }
  stream->line[stream->length] = '\0';
  stream->length = 0;
  return line_judge(stream);
}

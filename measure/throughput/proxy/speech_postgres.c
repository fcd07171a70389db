/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PostgreSQL's protocol 3 (https://www.postgresql.org/docs/15/protocol.html): a simple query, a
 * function call or a unit of messages up to Sync is a request, and ReadyForQuery its end.
 *
 * Members of struct speech: `started`: the client has named its database; `unit`: it has begun one
 * that no Sync has ended; `asked`: for TLS or GSSAPI, which is answered by one byte; `failed`: the
 * server has said that it could not.
 */
#include "measure/throughput/proxy/speech_inside.h"

#include <string.h>

enum { START_HEAD = 8, MESSAGE_HEAD = 5 };

void postgres_start(struct speech *speech) {
  frames_next(&speech->client, START_HEAD);
  frames_next(&speech->server, MESSAGE_HEAD);
}

/* The head of a message before the client has started. */
static void first_message(struct speech *speech) {
  struct speech_frames *frames = &speech->client;
  uint32_t length = big_endian(frames->kept, 4), code = big_endian(frames->kept + 4, 4);
  if (length < START_HEAD) {
    speech_mistaken(speech);
    return;
  }
  frames->left = length - START_HEAD;
  speech->asked = code == 80877103 || code == 80877104;
  speech->started = code >> 16 == 3;
}

static void client_message(struct speech *speech, uint64_t at_ns) {
  struct speech_frames *frames = &speech->client;
  char type = (char)frames->kept[0];
  uint32_t length = big_endian(frames->kept + 1, 4);
  if (length < 4) {
    speech_mistaken(speech);
    return;
  }
  frames->left = length - 4;
  bool whole = type == 'Q' || type == 'F';
  bool part = type != '\0' && strchr("PBDECHS", type) != NULL;
  if (whole || (part && !speech->unit))
    speech_begin(speech, 0, at_ns);
  if (part)
    speech->unit = type != 'S';
}

size_t postgres_client(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns) {
  struct speech_frames *frames = &speech->client;
  size_t taken = frames_take(frames, bytes, size);
  if (frames_headed(frames) && !frames->told) {
    frames->told = true;
    if (speech->started)
      client_message(speech, at_ns);
    else
      first_message(speech);
  }
  if (speech->kind == SPEECH_POSTGRES && frames_over(frames))
    frames_next(frames, speech->started ? MESSAGE_HEAD : START_HEAD);
  return taken;
}

/* Whether an ErrorResponse is of a class that says that the server could not: fields are a letter
 * and a text each; C is the code. */
static bool could_not(const struct speech_frames *frames) {
  static const char *const classes[] = {"08", "53", "57", "58", "XX"};
  size_t at = MESSAGE_HEAD;
  while (at + 2 < frames->have && frames->kept[at] != 0 && frames->kept[at] != 'C') {
    const uint8_t *end = memchr(frames->kept + at, 0, frames->have - at);
    if (end == NULL)
      return false;
    at = (size_t)(end - frames->kept) + 1;
  }
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (at + 2 < frames->have && memcmp(frames->kept + at + 1, classes[i], 2) == 0)
      return true;
  return false;
}

/* A whole message, as far as it is kept. */
static void server_message(struct speech *speech, uint64_t at_ns) {
  char type = (char)speech->server.kept[0];
  if (type == 'E')
    speech->failed = speech->failed || could_not(&speech->server);
  if (type != 'Z')
    return;
  speech_end(speech, at_ns, speech->failed ? SPEECH_FAILED : SPEECH_SERVED);
  speech->failed = false;
}

size_t postgres_server(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns) {
  struct speech_frames *frames = &speech->server;
  if (speech->asked) {
    speech->asked = false;
    if (bytes[0] != 'N') {
      speech_mistaken(speech);
      speech->kind = bytes[0] == 'S' ? SPEECH_TLS : SPEECH_TURNS;
    }
    return 1;
  }
  size_t taken = frames_take(frames, bytes, size);
  if (frames_headed(frames) && !frames->told) {
    uint32_t length = big_endian(frames->kept + 1, 4);
    frames->told = true;
    if (length < 4) {
      speech_mistaken(speech);
      return taken;
    }
    frames->left = length - 4;
  }
  if (!frames_over(frames))
    return taken;
  server_message(speech, at_ns);
  frames_next(frames, MESSAGE_HEAD);
  return taken;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MySQL's and MariaDB's protocol 10 (https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html):
 * packets with a length of three bytes, the least first, and a sequence number that begins at 0 in
 * each command. The first packet of an answer ends the request; what follows extends it.
 *
 * Members of struct speech: `started`: the server has let the client in; `asked`: the client has
 * said what it can; `unit`: the packet that the server sends is the first of an answer.
 */
#include "measure/throughput/proxy/speech_inside.h"

enum { HEAD = 4, OK = 0, ERROR = 0xff };
enum { CAN_COMPRESS = 0x20, WANTS_TLS = 0x800, CAN_ZSTD = 0x4000000 };
enum { QUIT = 0x01, LONG_DATA = 0x18, CLOSE = 0x19 }; /* commands without an answer */

static uint32_t little_endian(const uint8_t *bytes, unsigned count) {
  uint32_t value = 0;
  for (unsigned i = count; i-- > 0;)
    value = value << 8 | bytes[i];
  return value;
}

void mysql_start(struct speech *speech) {
  frames_next(&speech->client, HEAD);
  frames_next(&speech->server, HEAD);
}

/* The client's first packet. */
static void hear_abilities(struct speech *speech) {
  const struct speech_frames *frames = &speech->client;
  uint32_t can = frames->have >= HEAD + 4 ? little_endian(frames->kept + HEAD, 4) : 0;
  speech->asked = true;
  if (can & (CAN_COMPRESS | CAN_ZSTD))
    speech_mistaken(speech);
  else if (can & WANTS_TLS) {
    speech_mistaken(speech);
    speech->kind = SPEECH_TLS;
  }
}

static void hear_command(struct speech *speech, uint64_t at_ns) {
  const uint8_t *kept = speech->client.kept;
  uint8_t command = kept[HEAD];
  if (kept[3] != 0 || command == QUIT || command == LONG_DATA || command == CLOSE)
    return;
  speech_begin(speech, 0, at_ns);
  speech->unit = true;
  speech->answered = false;
}

/* As much of a packet as is looked at: four bytes behind the head, or all of it. */
static bool is_seen(const struct speech_frames *frames) {
  return frames->left == 0 || frames->have >= HEAD + 4;
}

/* Sets how long the packet is once that is known. */
static size_t take_packet(struct speech_frames *frames, const char *bytes, size_t size) {
  bool headed = frames_headed(frames);
  size_t taken = frames_take(frames, bytes, size);
  if (!headed && frames_headed(frames))
    frames->left = little_endian(frames->kept, 3);
  return taken;
}

size_t mysql_client(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns) {
  struct speech_frames *frames = &speech->client;
  size_t taken = take_packet(frames, bytes, size);
  if (frames_headed(frames) && is_seen(frames) && !frames->told) {
    frames->told = true;
    if (!speech->asked)
      hear_abilities(speech);
    else if (speech->started && frames->have > HEAD)
      hear_command(speech, at_ns);
  }
  if (speech->kind == SPEECH_MYSQL && frames_over(frames))
    frames_next(frames, HEAD);
  return taken;
}

/* Too many connections, no memory, shutdown, locks that are not to be had, time that is over. */
static bool could_not(const struct speech_frames *frames) {
  static const uint16_t codes[] = {1037, 1038, 1040, 1041, 1053, 1203, 1205, 1226, 1317, 3024};
  if (frames->have < HEAD + 3 || frames->kept[HEAD] != ERROR)
    return false;
  uint32_t code = little_endian(frames->kept + HEAD + 1, 2);
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (code == codes[i])
      return true;
  return false;
}

static void hear_answer(struct speech *speech, uint64_t at_ns) {
  const struct speech_frames *frames = &speech->server;
  if (!speech->started)
    speech->started = speech->asked && frames->have > HEAD && frames->kept[HEAD] == OK;
  else if (speech->unit)
    while (speech->count > 0)
      speech_end(speech, at_ns, could_not(frames) ? SPEECH_FAILED : SPEECH_SERVED);
  speech->unit = false;
}

size_t mysql_server(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns) {
  struct speech_frames *frames = &speech->server;
  uint64_t before_ns = speech->last_ns;
  bool more = speech->started && speech->count == 0 && !speech->unit && before_ns != 0;
  size_t taken = take_packet(frames, bytes, size);
  if (frames_headed(frames) && is_seen(frames) && !frames->told) {
    frames->told = true;
    hear_answer(speech, at_ns);
  }
  if (more && at_ns > before_ns) {
    speech->last_ns = at_ns;
    if (speech->calls->extended != NULL)
      speech->calls->extended(speech->calls->of, before_ns, at_ns);
  }
  if (frames_over(frames))
    frames_next(frames, HEAD);
  return taken;
}

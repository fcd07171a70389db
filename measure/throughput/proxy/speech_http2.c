/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * HTTP/2 with prior knowledge (RFC 9113): a stream that the client opens is a request. Fields are
 * compressed and not read, so statuses are not known.
 */
#include "measure/throughput/proxy/speech_inside.h"

enum { HEAD = 9, DATA = 0, HEADERS = 1, RESET = 3, END_STREAM = 1 };

void http2_start(struct speech *speech) {
  frames_next(&speech->client, HEAD);
  frames_next(&speech->server, HEAD);
}

/* Bytes of a frame; *headed: its head has just become whole. */
static size_t take_frame(struct speech_frames *frames, const char *bytes, size_t size,
                         bool *headed) {
  bool before = frames_headed(frames);
  size_t taken = frames_take(frames, bytes, size);
  *headed = !before && frames_headed(frames);
  if (*headed)
    frames->left = big_endian(frames->kept, 3);
  return taken;
}

static uint32_t stream_of(const struct speech_frames *frames) {
  return big_endian(frames->kept + 5, 4) & 0x7fffffff;
}

size_t http2_client(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns) {
  struct speech_frames *frames = &speech->client;
  bool headed;
  size_t taken = take_frame(frames, bytes, size, &headed);
  uint32_t stream = stream_of(frames);
  if (headed && frames->kept[3] == HEADERS && stream > speech->stream) {
    speech->stream = stream;
    speech_begin(speech, stream, at_ns);
  } else if (headed && frames->kept[3] == RESET) {
    speech_end_stream(speech, stream, at_ns, SPEECH_CUT);
  }
  if (frames_over(frames))
    frames_next(frames, HEAD);
  return taken;
}

/* A frame that ends a stream does so when it is whole. */
size_t http2_server(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns) {
  struct speech_frames *frames = &speech->server;
  bool headed;
  size_t taken = take_frame(frames, bytes, size, &headed);
  if (!frames_over(frames))
    return taken;
  uint8_t type = frames->kept[3];
  if ((type == DATA || type == HEADERS) && (frames->kept[4] & END_STREAM) != 0)
    speech_end_stream(speech, stream_of(frames), at_ns, SPEECH_SERVED);
  else if (type == RESET)
    speech_end_stream(speech, stream_of(frames), at_ns, SPEECH_FAILED);
  frames_next(frames, HEAD);
  return taken;
}

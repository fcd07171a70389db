/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files that read protocols for speech.h share.
 */
#ifndef MEASURE_THROUGHPUT_PROXY_SPEECH_INSIDE_H
#define MEASURE_THROUGHPUT_PROXY_SPEECH_INSIDE_H

#include "measure/throughput/proxy/speech.h"

void speech_begin(struct speech *speech, uint32_t stream, uint64_t at_ns);

/* Ends the oldest, or that of a stream; nothing where there is none. */
void speech_end(struct speech *speech, uint64_t at_ns, enum speech_end end);
void speech_end_stream(struct speech *speech, uint32_t stream, uint64_t at_ns, enum speech_end end);

/* Not what it seemed to be: by turns from now on. */
void speech_mistaken(struct speech *speech);

/* Takes bytes of the message under way, up to its end at most; how many. Once the head is there
 * the caller sets `left`; once all that can be kept is there, `told` is to be set and the message
 * looked at. A message is over when frames_over. */
size_t frames_take(struct speech_frames *frames, const char *bytes, size_t size);

static inline bool frames_headed(const struct speech_frames *frames) {
  return frames->have >= frames->head;
}

static inline bool frames_over(const struct speech_frames *frames) {
  return frames_headed(frames) && frames->left == 0;
}

/* For the next message. */
void frames_next(struct speech_frames *frames, size_t head);

static inline uint32_t big_endian(const uint8_t *bytes, unsigned count) {
  uint32_t value = 0;
  for (unsigned i = 0; i < count; i++)
    value = value << 8 | bytes[i];
  return value;
}

/* The protocols: bytes of either side. They may change the kind, and then take no more. */
size_t postgres_client(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns);
size_t postgres_server(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns);
size_t mysql_client(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns);
size_t mysql_server(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns);
size_t http2_client(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns);
size_t http2_server(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns);
void postgres_start(struct speech *speech);
void mysql_start(struct speech *speech);
void http2_start(struct speech *speech);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as what two sides of a connection say to each other through the relay: each request
 * begins once and ends once, and pieces make no difference to what is begun, ended and failed. With
 * clang -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program that replays the files it is
 * given. The bytes are runs: the first says who speaks (bit 7: the server) and how many follow (the
 * other bits, + 1).
 */
#include <stdlib.h>
#include <string.h>

#include "measure/throughput/proxy/speech.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct counts {
  uint64_t begun, ended[3], last_ns;
  enum speech_kind kind;
};

static void require(bool condition) {
  if (!condition)
    abort();
}

static void begun(void *of, uint64_t at_ns) {
  struct counts *counts = of;
  require(at_ns >= counts->last_ns);
  counts->last_ns = at_ns;
  counts->begun++;
}

static void ended(void *of, uint64_t began_ns, uint64_t at_ns, enum speech_end end) {
  struct counts *counts = of;
  require(began_ns <= at_ns && at_ns >= counts->last_ns);
  counts->last_ns = at_ns;
  counts->ended[end]++;
}

static void extended(void *of, uint64_t from_ns, uint64_t to_ns) {
  (void)of;
  require(from_ns < to_ns);
}

static struct counts hear(const uint8_t *data, size_t size, size_t piece) {
  struct counts counts = {0};
  const struct speech_calls calls = {&counts, begun, ended, extended};
  struct speech speech;
  uint64_t now_ns = 1;
  speech_init(&speech, &calls);
  for (size_t at = 0; at < size;) {
    bool server = (data[at] & 128) != 0;
    size_t count = (data[at++] & 127) + (size_t)1;
    count = count < size - at ? count : size - at;
    for (size_t i = 0, now; i < count; i += now, now_ns++) {
      now = count - i < piece ? count - i : piece;
      (server ? speech_server : speech_client)(&speech, (const char *)data + at + i, now, now_ns);
    }
    at += count;
  }
  counts.kind = speech.kind;
  speech_close(&speech, now_ns);
  return counts;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct counts whole = hear(data, size, SIZE_MAX), parts = hear(data, size, 1);
  require(whole.begun == whole.ended[0] + whole.ended[1] + whole.ended[2]);
  require(parts.begun == parts.ended[0] + parts.ended[1] + parts.ended[2]);
  require(whole.kind == parts.kind);
  /* what turns out to be no protocol is counted by turns from a byte on, in pieces perhaps in the
   * middle of a run */
  if (whole.kind != SPEECH_TURNS && whole.kind != SPEECH_TLS)
    require(whole.begun == parts.begun &&
            memcmp(whole.ended, parts.ended, sizeof whole.ended) == 0);
  return 0;
}

#include "tests/fuzz/standalone.h"

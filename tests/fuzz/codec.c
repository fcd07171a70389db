/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a record, a stamp, a probe and a message of pausers: rejected, or what is decoded is
 * encoded to the same bytes. With clang -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a
 * program that replays the files it is given.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "measure/throughput/core/poke.h"
#include "measure/core/probe.h"
#include "measure/core/record.h"
#include "measure/core/stamp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition)
    abort();
}

static void record_try(const uint64_t words[RECORD_WORDS]) {
  struct record record;
  uint64_t again[RECORD_WORDS] = {words[0]};
  if (!record_decode(&record, words))
    return;
  require(record_valid(&record) && record_encode(again, words[0], &record));
  require(memcmp(again, words, sizeof again) == 0);
}

static void poke_try(const uint8_t *data, size_t size) {
  uint8_t bytes[POKE_BYTES] = {0}, again[POKE_BYTES];
  struct poke poke;
  memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
  if (poke_decode(&poke, data, size))
    require(size == POKE_BYTES);
  if (poke_decode(&poke, bytes, POKE_BYTES)) {
    require(poke_check(&poke));
    poke_encode(again, &poke);
    require(memcmp(again, bytes, POKE_BYTES) == 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint64_t words[RECORD_WORDS] = {0};
  uint8_t bytes[STAMP_BYTES] = {0}, again[STAMP_BYTES];
  memcpy(words, data, size < sizeof words ? size : sizeof words);
  memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
  record_try(words);
  struct stamp stamp;
  if (stamp_decode(&stamp, bytes)) {
    stamp_encode(again, &stamp);
    require(memcmp(again, bytes, STAMP_BYTES) == 0);
  }
  poke_try(data, size);
  struct probe probe;
  if (probe_decode(&probe, data, size)) {
    require(size == PROBE_BYTES);
    probe_encode(again, &probe);
    require(memcmp(again, data, PROBE_BYTES) == 0);
  }
  return 0;
}

#include "tests/fuzz/standalone.h"

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes in on a pauser's connection, some of them sealed as by somebody who has the key: no
 * message comes that was not sealed, each has the next number and is in range, and what broke stays
 * so. The input is a list of pieces: a byte that says how many bytes to give as they are (1 .. 127,
 * 0: all), or, from 128 on, that the next POKE_BYTES are given with the right seal, as the greeting
 * or in the session. With clang -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program
 * that replays the files it is given.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "measure/throughput/poker/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run {
  struct wire wire;
  uint64_t messages;
  size_t sealed; /* frames with a right seal that were given */
};

static void require(bool condition) {
  if (!condition)
    abort();
}

static void give(struct run *run, const uint8_t *bytes, size_t size) {
  while (true) {
    struct poke poke;
    size_t used = 0;
    bool was_broken = run->wire.trouble != WIRE_GOOD;
    enum wire_result result = wire_take(&run->wire, bytes, size, &used, &poke);
    require(used <= size && (!was_broken || result == WIRE_BROKEN));
    require((result == WIRE_BROKEN) == (run->wire.trouble != WIRE_GOOD));
    require((result == WIRE_BROKEN) == (wire_explain(&run->wire)[0] != '\0'));
    if (result != WIRE_MESSAGE) {
      require(result == WIRE_BROKEN || used == size);
      return;
    }
    require(poke_check(&poke) && poke.sequence == run->messages);
    require((poke.kind == POKE_HELLO) == (run->messages == 0));
    run->messages++;
    require(run->messages <= run->sealed);
    bytes += used;
    size -= used;
  }
}

static void give_sealed(struct run *run, const uint8_t message[POKE_BYTES], bool greeting) {
  uint8_t frame[WIRE_FRAME], direction = 'a';
  memcpy(frame, message, POKE_BYTES);
  seal_compute(frame + POKE_BYTES, greeting ? run->wire.greeting : run->wire.session, SEAL_BYTES,
               &direction, 1, message, POKE_BYTES);
  run->sealed++;
  give(run, frame, WIRE_FRAME);
}

static void try_place(const uint8_t *data, size_t size) {
  char text[2 * ADDRESS_TEXT];
  size_t length = size < sizeof text - 1 ? size : sizeof text - 1;
  struct address place;
  memcpy(text, data, length);
  text[length] = '\0';
  if (address_read(&place, text, 1))
    require(place.port != 0 && place.host[0] != '\0' && strlen(place.host) < ADDRESS_TEXT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const uint64_t nonce[2] = {1, 2};
  struct run run = {.messages = 0};
  uint8_t frame[WIRE_FRAME];
  if (size == 0)
    return 0;
  try_place(data, size);
  wire_init(&run.wire, WIRE_ANSWERER, (const uint8_t *)"a key of the test", 17, nonce);
  wire_greet(&run.wire, "fuzz", frame);
  for (size_t at = 0; at < size;) {
    uint8_t how = data[at++];
    size_t left = size - at, piece = how != 0 && how < left ? how : left;
    if (how >= 128 && left >= POKE_BYTES) {
      give_sealed(&run, data + at, how % 2 == 0);
      at += POKE_BYTES;
    } else {
      give(&run, data + at, piece);
      at += piece;
    }
  }
  struct poke ask = {.kind = POKE_ASK};
  require(wire_seal(&run.wire, &ask, frame) ==
          (run.messages != 0 && run.wire.trouble == WIRE_GOOD));
  return 0;
}

#include "tests/fuzz/standalone.h"

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/poker/wire.h"

#include <string.h>

static const char greeting[] = "tailproof poker greeting 1",
                  session[] = "tailproof poker session 1";

enum { NONCES = 4 * 8 };

void wire_init(struct wire *wire, enum wire_side side, const uint8_t *key, size_t key_size,
               const uint64_t nonce[2]) {
  memset(wire, 0, sizeof *wire);
  wire->side = side;
  wire->nonce[0] = nonce[0];
  wire->nonce[1] = nonce[1];
  seal_compute(wire->greeting, key, key_size, greeting, sizeof greeting - 1, "", 0);
  /* The nonces come later: a key made of the key stands for it until then. */
  seal_compute(wire->session, key, key_size, session, sizeof session - 1, "", 0);
}

static void put_nonce(uint8_t bytes[16], const uint64_t nonce[2]) {
  for (uint32_t i = 0; i < 16; i++)
    bytes[i] = (uint8_t)(nonce[i / 8] >> (8 * (i % 8)));
}

/* Both nonces are known: the session has its key. */
static void open_session(struct wire *wire) {
  uint8_t nonces[NONCES], key[SEAL_BYTES];
  bool asks = wire->side == WIRE_ASKER;
  put_nonce(nonces, asks ? wire->nonce : wire->peer_nonce);
  put_nonce(nonces + NONCES / 2, asks ? wire->peer_nonce : wire->nonce);
  seal_compute(key, wire->session, SEAL_BYTES, nonces, sizeof nonces, "", 0);
  memcpy(wire->session, key, SEAL_BYTES);
}

/* The seal of a frame's message that goes from one side. */
static void seal_of(uint8_t seal[SEAL_BYTES], const uint8_t key[SEAL_BYTES], enum wire_side from,
                    const uint8_t *message) {
  uint8_t direction = from == WIRE_ASKER ? 'a' : 'b';
  seal_compute(seal, key, SEAL_BYTES, &direction, 1, message, POKE_BYTES);
}

void wire_greet(struct wire *wire, const char *name, uint8_t frame[WIRE_FRAME]) {
  struct poke hello = {.kind = POKE_HELLO, .count = 2};
  hello.values[0] = wire->nonce[0];
  hello.values[1] = wire->nonce[1];
  memcpy(hello.text, name, strnlen(name, POKE_TEXT - 1));
  poke_encode(frame, &hello);
  seal_of(frame + POKE_BYTES, wire->greeting, wire->side, frame);
  wire->sent = 1;
  if (wire->taken != 0)
    open_session(wire);
}

bool wire_is_open(const struct wire *wire) {
  return wire->sent != 0 && wire->taken != 0 && wire->trouble == WIRE_GOOD;
}

bool wire_seal(struct wire *wire, struct poke *poke, uint8_t frame[WIRE_FRAME]) {
  uint64_t before = poke->sequence;
  poke->sequence = wire->sent;
  if (!wire_is_open(wire) || poke->kind == POKE_HELLO || !poke_check(poke)) {
    poke->sequence = before;
    return false;
  }
  poke_encode(frame, poke);
  seal_of(frame + POKE_BYTES, wire->session, wire->side, frame);
  wire->sent++;
  return true;
}

static enum wire_result refuse(struct wire *wire, enum wire_trouble trouble) {
  wire->trouble = trouble;
  return WIRE_BROKEN;
}

/* The first message of the other side. */
static enum wire_result take_hello(struct wire *wire, const struct poke *poke) {
  bool own = poke->values[0] == wire->nonce[0] && poke->values[1] == wire->nonce[1];
  if (poke->kind != POKE_HELLO || poke->count != 2 || poke->text[0] == '\0' || own)
    return refuse(wire, WIRE_GREETING);
  wire->peer_nonce[0] = poke->values[0];
  wire->peer_nonce[1] = poke->values[1];
  memcpy(wire->peer, poke->text, POKE_TEXT);
  wire->taken = 1;
  if (wire->sent != 0)
    open_session(wire);
  return WIRE_MESSAGE;
}

/* A whole frame is there. */
static enum wire_result take_frame(struct wire *wire, struct poke *poke) {
  uint8_t seal[SEAL_BYTES];
  bool first = wire->taken == 0;
  if (!first && wire->sent == 0) /* who does not greet cannot tell what is said in the session */
    return refuse(wire, WIRE_GREETING);
  seal_of(seal, first ? wire->greeting : wire->session,
          wire->side == WIRE_ASKER ? WIRE_ANSWERER : WIRE_ASKER, wire->part);
  if (!seal_equal(seal, wire->part + POKE_BYTES))
    return refuse(wire, WIRE_FORGED);
  if (!poke_decode(poke, wire->part, POKE_BYTES))
    return refuse(wire, WIRE_GARBAGE);
  if (poke->sequence != wire->taken)
    return refuse(wire, WIRE_SEQUENCE);
  if (first)
    return take_hello(wire, poke);
  if (poke->kind == POKE_HELLO)
    return refuse(wire, WIRE_GREETING);
  wire->taken++;
  return WIRE_MESSAGE;
}

enum wire_result wire_take(struct wire *wire, const uint8_t *bytes, size_t size, size_t *used,
                           struct poke *poke) {
  *used = 0;
  if (wire->trouble != WIRE_GOOD)
    return WIRE_BROKEN;
  size_t missing = WIRE_FRAME - wire->held;
  size_t taken = size < missing ? size : missing;
  if (taken != 0)
    memcpy(wire->part + wire->held, bytes, taken);
  *used = taken;
  wire->held += (uint32_t)taken;
  if (wire->held < WIRE_FRAME)
    return WIRE_MORE;
  wire->held = 0;
  return take_frame(wire, poke);
}

const char *wire_explain(const struct wire *wire) {
  switch (wire->trouble) {
  case WIRE_GOOD:
    return "";
  case WIRE_FORGED:
    return "a message whose seal does not fit: another key, or no poker";
  case WIRE_GARBAGE:
    return "a sealed message that is none: another version";
  case WIRE_SEQUENCE:
    return "a message out of its order";
  case WIRE_GREETING:
    break;
  }
  return "a greeting where none belongs, or none where it belongs";
}

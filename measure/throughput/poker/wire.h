/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One connection between two pokers, or a poker and who directs it: which bytes go out for a
 * message and which messages come of the bytes that came in. Pure: no I/O, no clock, no allocation.
 *
 * A frame is a message of POKE_BYTES (measure/throughput/core/poke.h) and its seal of SEAL_BYTES.
 * Who connected is the *asker*, the other the *answerer*. First each says POKE_HELLO with a fresh
 * nonce of 128 bits (values 0 and 1), sequence 0, sealed under
 *
 *     greeting = HMAC(key, "tailproof poker greeting 1")
 *
 * and everything after it, with sequence 1, 2, ..., under
 *
 *     session = HMAC(HMAC(key, "tailproof poker session 1"), asker's nonce, answerer's nonce)
 *
 * A seal is HMAC(greeting or session, direction, message), the direction being one byte: 'a' from
 * the asker, 'b' from the answerer. So a frame that was changed, left out, sent twice, sent out of
 * order, sent back to who sent it, or recorded on another connection is refused. A greeting alone,
 * which may be a recorded one, makes nobody a peer: what counts is a message after it. Nothing is
 * secret: seals authenticate, they do not encrypt.
 *
 * Without a key (of no bytes) seals protect against slips alone.
 *
 * Once something was refused the connection is broken for good; whoever owns it closes it.
 */
#ifndef MEASURE_THROUGHPUT_POKER_WIRE_H
#define MEASURE_THROUGHPUT_POKER_WIRE_H

#include "measure/throughput/core/poke.h"
#include "measure/throughput/poker/seal.h"

#define WIRE_FRAME (POKE_BYTES + SEAL_BYTES)

enum wire_side { WIRE_ASKER, WIRE_ANSWERER };

enum wire_result {
  WIRE_MORE,    /* all bytes were taken; no message yet */
  WIRE_MESSAGE, /* one message; there may be more in what was not taken */
  WIRE_BROKEN,  /* the connection is to be closed */
};

enum wire_trouble {
  WIRE_GOOD,
  WIRE_FORGED,   /* a seal that does not fit: another key, changed bytes, a replay, a reflection */
  WIRE_GARBAGE,  /* sealed, but no message */
  WIRE_SEQUENCE, /* sealed, but not the next one */
  WIRE_GREETING, /* the first message is no greeting, or a later one is, or its nonce is one's own
                  */
};

/* No pointers inside: may be copied. */
struct wire {
  enum wire_side side;
  enum wire_trouble trouble;
  uint8_t greeting[SEAL_BYTES], session[SEAL_BYTES]; /* the keys above; `session`: HMAC(key, label)
                                                      * until both nonces are known */
  uint64_t nonce[2], peer_nonce[2];
  uint64_t sent, taken; /* frames */
  uint32_t held;        /* bytes of a frame that came in part; < WIRE_FRAME */
  uint8_t part[WIRE_FRAME];
  char peer[POKE_TEXT]; /* the name in the other's greeting; "" before it */
};

/* A connection that has said nothing. `nonce`: fresh random bits. The key may be forgotten then. */
void wire_init(struct wire *wire, enum wire_side side, const uint8_t *key, size_t key_size,
               const uint64_t nonce[2]);

/* One's own greeting; the first frame that is sent, once. `name`: 1 .. POKE_TEXT - 1 printable
 * characters without blanks. */
void wire_greet(struct wire *wire, const char *name, uint8_t frame[WIRE_FRAME]);

/* Whether both greetings are exchanged, so that wire_seal may be called. */
bool wire_is_open(const struct wire *wire);

/* The frame of a message, whose sequence is set. True, or false when the connection is not open or
 * is broken, or poke_check refuses the message: nothing changes then. */
bool wire_seal(struct wire *wire, struct poke *poke, uint8_t frame[WIRE_FRAME]);

/* Takes bytes as they come, in pieces of any size: *used of them (all, unless a message came of
 * them). Greetings are reported as messages too. */
enum wire_result wire_take(struct wire *wire, const uint8_t *bytes, size_t size, size_t *used,
                           struct poke *poke);

/* One line for people; "" when nothing is wrong. */
const char *wire_explain(const struct wire *wire);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What pokers, and who directs them, say to each other: messages of POKE_BYTES, little-endian
 * whatever the machine, over a stream that is authenticated from outside
 * (measure/throughput/poker/wire.h):
 *
 *    0  'T' 'K'   2  version (1)   3  kind
 *    4  count: how many values are used (32 bits, 0 .. POKE_VALUES)
 *    8  sequence (64 bits)    16  epoch (64 bits)    24  number (64 bits)
 *   32  values (POKE_VALUES of 64 bits, zero beyond `count`)
 *  160  text (POKE_TEXT bytes: printable ASCII without blanks, then zeros; ends with a zero)
 *
 * Proved: any bytes in, no run-time error; decode(encode(x)) = x; what is no message is rejected.
 */
#ifndef MEASURE_THROUGHPUT_CORE_POKE_H
#define MEASURE_THROUGHPUT_CORE_POKE_H

#include <stdint.h>

#define POKE_VALUES 16
#define POKE_TEXT 64
#define POKE_BYTES 224 /* 32 + 8 * POKE_VALUES + POKE_TEXT */
#define POKE_VERSION 1

enum poke_kind {
  POKE_HELLO = 1, /* first on a connection, both ways: values 0 and 1 are a fresh nonce; text: the
                   * sender's name */
  POKE_JOIN = 2,  /* text: HOST:PORT where the sender listens for neighbours */
  POKE_LEAVE = 3, /* the sender is about to end, and is no neighbour any more */
  POKE_ROUND = 4, /* epoch, number: pause, and pass it on */
  POKE_SET = 5,   /* epoch: enter it; values: 0 pause for each request in ns, 1 requests after which
                   * this service begins a round (0: never), 2 the least pause in ns, 3 the most;
                   * 4, which may be missing, the millionths of its work by which a service is to
                   * seem faster: then value 0 is owed for each round, and who begins rounds does
                   * so as it works; 5, likewise, what each round owes instead of the requests, in ns; 6 .. 8,
                   * likewise: how its proxy holds answers instead of the service being stopped
                   * (enum holding_mode), for how many workers, and the time that a request works
                   * there itself (measure/throughput/proxy/holding.h); passed on by nobody */
  POKE_ASK = 6,   /* number: chosen by who asks; answered by POKE_REPORT with the same number */
  POKE_REPORT = 7, /* values: enum poke_report */
  POKE_REFUSE = 8, /* text: why what was asked is not done, one word */
};

enum poke_report {
  POKE_AT_NS,   /* CLOCK_MONOTONIC of the service's host */
  POKE_BEGUN,   /* requests that began, since the poker started; likewise the others */
  POKE_ENDED,   /* requests that ended; 0 when only beginnings are counted */
  POKE_BUSY_NS, /* sum over requests of their time between; 0 likewise */
  POKE_OWED_NS, /* the ledger */
  POKE_REALISED_NS,
  POKE_CARRIED_NS, /* two's complement */
  POKE_ROUNDS,     /* accepted or begun */
  POKE_PAUSES,
  POKE_LATE_PAUSES, /* that were more than half a millisecond longer than asked for */
  POKE_STATE,       /* enum pause_state */
  POKE_AT_ONCE, /* most requests at once between beginning and end, so workers of a busy service */
  POKE_FLAGS,   /* POKE_FREEZES: by cgroup.freeze, not by signals */
  POKE_PAUSING_NS, /* how long the pause that is on has lasted, not realised yet; 0: none is on */
  POKE_LOST,       /* requests whose times are missing in the file of latencies */
  POKE_ERRORS,     /* of those that ended: answered with an error, cut off, or given up; 0 where
                    * nobody sees the answers */
};
#define POKE_FREEZES 1
#define POKE_SEES_ANSWERS 2 /* a proxy, or a relay that understands them, does */
/* Bit 8 + k of the counts: connections spoke as k says (measure/throughput/proxy/speech.h) */
#define POKE_SPOKEN 8
#define POKE_RELAYS 65536 /* by a relay; else they were refused by a proxy */
/* From bit 32 on, 11 bits: workers that the proxy has learnt of (POKE_WORKERS_ALL: as many as
 * requests; 0: none); from bit 43 on: for how many us one of them has a request */
#define POKE_WORKERS 32
#define POKE_WORKERS_ALL 2047
#define POKE_WORKED_US 43
#define POKE_WORKED_MOST 2097151

struct poke {
  uint8_t kind;   /* enum poke_kind */
  uint32_t count; /* <= POKE_VALUES */
  uint64_t sequence, epoch, number;
  uint64_t values[POKE_VALUES];
  char text[POKE_TEXT];
};

#include "proofs/logic/poke.acsl"

/* The message is one that poke_check accepts. */
/*@ requires storage: \valid(bytes + (0 .. POKE_BYTES - 1)) && \valid_read(poke);
    requires distinct: \separated(bytes + (0 .. POKE_BYTES - 1), poke);
    requires fits: poke_fits(poke);
    assigns bytes[0 .. POKE_BYTES - 1];
    ensures head: poke_head(bytes);
    ensures fields: poke_fields{Here, Old}(bytes, poke);
*/
void poke_encode(uint8_t bytes[POKE_BYTES], const struct poke *poke);

/* 1, or 0 for what is no message: another size, another head, an unknown kind, values beyond the
 * count, a text that does not end or has other characters. Then *poke may hold anything. */
/*@ requires storage: \valid(poke);
    requires bytes: size == POKE_BYTES ==> \valid_read(bytes + (0 .. POKE_BYTES - 1));
    requires distinct: size == POKE_BYTES ==> \separated(bytes + (0 .. POKE_BYTES - 1), poke);
    assigns *poke;
    ensures truth: \result == 0 || \result == 1;
    ensures read: size == POKE_BYTES && \old(poke_head(bytes)) ==>
      poke_read{Old, Here}(bytes, poke);
    ensures accepted: \result == 1 <==>
      size == POKE_BYTES && \old(poke_head(bytes)) && poke_fits(poke);
    ensures fields: \result == 1 ==> poke_fields{Old, Here}(bytes, poke);
    ensures fits: \result == 1 ==> poke_fits(poke);
*/
int poke_decode(struct poke *poke, const uint8_t *bytes, uint64_t size);

/* Whether the fields are in range: what can be encoded so that it is decoded again. */
/*@ requires storage: \valid_read(poke);
    assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures valid: \result == 1 <==> poke_fits(poke);
*/
int poke_check(const struct poke *poke);

#endif

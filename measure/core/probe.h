/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The packet of the network agent, 16 bytes, network byte order:
 *   0  'T' 'P'   2  version (1)   3  kind (1 question, 2 answer)   4  sequence (32 bits)
 *   8  time (64 bits): of a question when it was sent, ns of the asker's clock; of an answer when
 * the question arrived, ns of the answerer's clock
 *
 * Proved: any bytes in; decode(encode(x)) = x;
 * what is no probe is rejected.
 */
#ifndef MEASURE_CORE_PROBE_H
#define MEASURE_CORE_PROBE_H

#include <stdint.h>

#define PROBE_BYTES 16
#define PROBE_VERSION 1

enum probe_kind { PROBE_QUESTION = 1, PROBE_ANSWER = 2 };

struct probe {
  uint8_t kind;
  uint32_t sequence;
  uint64_t time_ns;
};

#include "proofs/logic/probe.acsl"

/* `kind` is one of enum probe_kind. */
/*@ requires storage: \valid(bytes + (0 .. PROBE_BYTES - 1)) && \valid_read(probe);
    requires distinct: \separated(bytes + (0 .. PROBE_BYTES - 1), probe);
    assigns bytes[0 .. PROBE_BYTES - 1];
    ensures head: probe_head(bytes);
    ensures fields: probe_fields{Here, Old}(bytes, probe);
*/
void probe_encode(uint8_t bytes[PROBE_BYTES], const struct probe *probe);

/* 1, or 0 for what is no probe: another size than PROBE_BYTES, another head, no kind. */
/*@ requires storage: \valid(probe);
    requires bytes: size == PROBE_BYTES ==> \valid_read(bytes + (0 .. PROBE_BYTES - 1));
    requires distinct: size == PROBE_BYTES ==> \separated(bytes + (0 .. PROBE_BYTES - 1), probe);
    assigns *probe;
    ensures truth: \result == 0 || \result == 1;
    ensures accepted: \result == 1 <==>
      size == PROBE_BYTES && \old(probe_head(bytes) && probe_known(bytes[3]));
    ensures fields: \result == 1 ==> probe_fields{Old, Here}(bytes, probe);
    ensures kind: \result == 1 ==> probe_known(probe->kind);
*/
int probe_decode(struct probe *probe, const uint8_t *bytes, uint64_t size);

#endif

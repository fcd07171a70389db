/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The packet of the network agent, 16 bytes, network byte order:
 *   0  'T' 'P'   2  version (1)   3  kind (1 question, 2 answer)   4  sequence (32 bits)
 *   8  time (64 bits): of a question when it was sent, ns of the asker's clock; of an answer when
 * the question arrived, ns of the answerer's clock Proved: any bytes in; decode(encode(x)) = x;
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

void probe_encode(uint8_t bytes[PROBE_BYTES], const struct probe *probe);
int probe_decode(struct probe *probe, const uint8_t *bytes, uint64_t size); /* 1, or 0: no probe */

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/probe.h"

/* Four bytes, the most significant first. */
/*@ requires storage: \valid(bytes + (0 .. 3));
    requires half: half < 4294967296;
    assigns bytes[0 .. 3];
    ensures number: probe_number(bytes) == half;
*/
static void probe_put(uint8_t *bytes, uint64_t half) {
  bytes[0] = (uint8_t)(half / 16777216);
  bytes[1] = (uint8_t)(half / 65536 % 256);
  bytes[2] = (uint8_t)(half / 256 % 256);
  bytes[3] = (uint8_t)(half % 256);
}

/*@ requires storage: \valid_read(bytes + (0 .. 3));
    assigns \nothing;
    ensures number: \result == probe_number(bytes);
    ensures half: \result < 4294967296;
*/
static uint64_t probe_get(const uint8_t *bytes) {
  return bytes[0] * (uint64_t)16777216 + bytes[1] * (uint64_t)65536 + bytes[2] * (uint64_t)256 +
         bytes[3];
}

void probe_encode(uint8_t bytes[PROBE_BYTES], const struct probe *probe) {
  probe_put(bytes + 12, probe->time_ns % 4294967296u);
  probe_put(bytes + 8, probe->time_ns / 4294967296u);
  //@ assert low: probe_number(bytes + 12) == probe->time_ns % 4294967296;
  probe_put(bytes + 4, probe->sequence);
  //@ assert low_kept: probe_number(bytes + 12) == probe->time_ns % 4294967296;
  //@ assert high: probe_number(bytes + 8) == probe->time_ns / 4294967296;
  bytes[3] = probe->kind;
  bytes[2] = PROBE_VERSION;
  bytes[1] = 'P';
  bytes[0] = 'T';
  //@ assert sequence: probe_number(bytes + 4) == probe->sequence;
  //@ assert low_last: probe_number(bytes + 12) == probe->time_ns % 4294967296;
  //@ assert high_last: probe_number(bytes + 8) == probe->time_ns / 4294967296;
  //@ assert kind: bytes[3] == probe->kind;
}

int probe_decode(struct probe *probe, const uint8_t *bytes, uint64_t size) {
  if (size != PROBE_BYTES || bytes[0] != 'T' || bytes[1] != 'P' || bytes[2] != PROBE_VERSION ||
      (bytes[3] != PROBE_QUESTION && bytes[3] != PROBE_ANSWER))
    return 0;
  probe->kind = bytes[3];
  probe->sequence = (uint32_t)probe_get(bytes + 4);
  probe->time_ns = probe_get(bytes + 8) * 4294967296u + probe_get(bytes + 12);
  //@ assert sequence: probe_number{Pre}(bytes + 4) == probe->sequence;
  return 1;
}

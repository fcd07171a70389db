/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/probe.h"

/* decode(encode(x)) = x. */
/*@ requires storage: \valid(bytes + (0 .. PROBE_BYTES - 1)) && \valid_read(probe) && \valid(copy);
    requires distinct: \separated(bytes + (0 .. PROBE_BYTES - 1), probe, copy);
    requires kind: probe_known(probe->kind);
    assigns bytes[0 .. PROBE_BYTES - 1], *copy;
    ensures decoded: \result == 1;
    ensures same: copy->kind == \old(probe->kind) && copy->sequence == \old(probe->sequence) &&
      copy->time_ns == \old(probe->time_ns);
*/
int probe_roundtrip(uint8_t *bytes, const struct probe *probe, struct probe *copy) {
  probe_encode(bytes, probe);
  return probe_decode(copy, bytes, PROBE_BYTES);
}

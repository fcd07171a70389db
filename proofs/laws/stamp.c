/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/stamp.h"

/* decode(encode(x)) = x. */
/*@ requires storage: \valid(bytes + (0 .. STAMP_BYTES - 1)) && \valid_read(stamp) && \valid(copy);
    requires distinct: \separated(bytes + (0 .. STAMP_BYTES - 1), stamp, copy);
    requires in_range: stamp_is_valid(stamp);
    assigns bytes[0 .. STAMP_BYTES - 1], *copy;
    ensures decoded: \result == 1;
    ensures same: copy->answer == \old(stamp->answer) && copy->name == \old(stamp->name) &&
      copy->question_name == \old(stamp->question_name) &&
      copy->question_sent == \old(stamp->question_sent) &&
      copy->held_ns == \old(stamp->held_ns) &&
      copy->clock_identity == \old(stamp->clock_identity) && copy->sent == \old(stamp->sent);
*/
int stamp_roundtrip(uint8_t *bytes, const struct stamp *stamp, struct stamp *copy) {
  stamp_encode(bytes, stamp);
  return stamp_decode(copy, bytes);
}

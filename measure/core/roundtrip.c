/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/roundtrip.h"

void roundtrip_init(struct roundtrip_window *window) {
  window->next = 0;
  /*@ loop invariant range: 0 <= i <= ROUNDTRIP_WINDOW;
      loop invariant cleared: \forall integer j; 0 <= j < i ==>
        window->sent_ns[j] == 0 && window->waiting[j] == 0;
      loop assigns i, window->sent_ns[0 .. ROUNDTRIP_WINDOW - 1],
        window->waiting[0 .. ROUNDTRIP_WINDOW - 1];
      loop variant ROUNDTRIP_WINDOW - i;
  */
  for (uint32_t i = 0; i < ROUNDTRIP_WINDOW; i++) {
    window->sent_ns[i] = 0;
    window->waiting[i] = 0;
  }
}

uint32_t roundtrip_ask(struct roundtrip_window *window, uint64_t now_ns, uint8_t *lost) {
  uint32_t sequence = window->next;
  uint32_t slot = sequence % ROUNDTRIP_WINDOW;
  *lost = window->waiting[slot] != 0;
  window->sent_ns[slot] = now_ns;
  window->waiting[slot] = 1;
  window->next = sequence == UINT32_MAX ? 0 : sequence + 1;
  return sequence;
}

/* Whether the sequence is one of the latest ROUNDTRIP_WINDOW, whose slots hold its own question:
 * next - sequence, modulo 2^32, is from 1 to ROUNDTRIP_WINDOW. */
/*@ assigns \nothing;
    ensures recent: \result != 0 <==> roundtrip_recent(next, sequence);
*/
static int roundtrip_is_recent(uint32_t next, uint32_t sequence) {
  uint32_t age = sequence <= next ? next - sequence : UINT32_MAX - sequence + next + 1;
  return 1 <= age && age <= ROUNDTRIP_WINDOW;
}

enum roundtrip_result roundtrip_answer(struct roundtrip_window *window, uint32_t sequence,
                                       uint64_t now_ns, uint64_t *sent_ns, uint64_t *roundtrip_ns) {
  uint32_t slot = sequence % ROUNDTRIP_WINDOW;
  if (!roundtrip_is_recent(window->next, sequence) || window->waiting[slot] == 0)
    return ROUNDTRIP_UNKNOWN;
  window->waiting[slot] = 0;
  if (now_ns < window->sent_ns[slot])
    return ROUNDTRIP_CLOCK_BACK;
  *sent_ns = window->sent_ns[slot];
  *roundtrip_ns = now_ns - window->sent_ns[slot];
  return ROUNDTRIP_PAIRED;
}

uint32_t roundtrip_expire(struct roundtrip_window *window, uint64_t now_ns, uint64_t timeout_ns) {
  uint32_t expired = 0;
  /*@ loop invariant range: 0 <= i <= ROUNDTRIP_WINDOW;
      loop invariant counted:
        expired == roundtrip_overdue_count{Pre}(window, i, now_ns, timeout_ns);
      loop invariant few: expired <= i;
      loop invariant given_up: \forall integer j; 0 <= j < i &&
        roundtrip_overdue{Pre}(window, j, now_ns, timeout_ns) ==> window->waiting[j] == 0;
      loop invariant kept: \forall integer j; 0 <= j < i &&
        !roundtrip_overdue{Pre}(window, j, now_ns, timeout_ns) ==>
          window->waiting[j] == \at(window->waiting[j], Pre);
      loop invariant not_yet: \forall integer j; i <= j < ROUNDTRIP_WINDOW ==>
        window->waiting[j] == \at(window->waiting[j], Pre);
      loop assigns i, expired, window->waiting[0 .. ROUNDTRIP_WINDOW - 1];
      loop variant ROUNDTRIP_WINDOW - i;
  */
  for (uint32_t i = 0; i < ROUNDTRIP_WINDOW; i++) {
    if (window->waiting[i] != 0 && window->sent_ns[i] <= now_ns &&
        now_ns - window->sent_ns[i] > timeout_ns) {
      window->waiting[i] = 0;
      expired++;
    }
  }
  return expired;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/core/pause.h"

/* More carried, a pause that is not shorter. */
/*@ requires storage: \valid_read(ledger) && \valid_read(more);
    requires more: ledger->carried_ns <= more->carried_ns;
    requires range: least_ns <= most_ns;
    assigns \nothing;
    ensures grows: \result == 1;
*/
int pause_due_grows(const struct pause_ledger *ledger, const struct pause_ledger *more,
                           uint64_t least_ns, uint64_t most_ns) {
  return pause_due(ledger, least_ns, most_ns) <= pause_due(more, least_ns, most_ns);
}

/* Any events from RUNNING: what was sent last (of stop and continue) was STOP exactly when the
 * service may stand still, and cancelling then sends CONTINUE. Returns what was sent last. */
/*@ requires events: \valid_read(events + (0 .. count - 1));
    assigns \nothing;
    ensures never_left_stopped: \result != PAUSE_SEND_STOP;
*/
enum pause_send pause_any_events(const enum pause_event events[], uint32_t count) {
  enum pause_state state = PAUSE_RUNNING;
  enum pause_send send = PAUSE_SEND_NOTHING, last = PAUSE_SEND_NOTHING;
  /*@ loop invariant range: 0 <= i <= count;
      loop invariant known: pause_known(state);
      loop invariant halted: last == PAUSE_SEND_STOP <==> pause_halted(state);
      loop assigns i, state, send, last;
      loop variant count - i;
  */
  for (uint32_t i = 0; i < count; i++) {
    state = pause_step(state, events[i], &send);
    if (send != PAUSE_SEND_NOTHING)
      last = send;
  }
  state = pause_step(state, PAUSE_CANCELLED, &send);
  //@ assert released: !pause_halted(state);
  return send != PAUSE_SEND_NOTHING ? send : last;
}

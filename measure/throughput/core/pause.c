/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/core/pause.h"

void pause_init(struct pause_ledger *ledger) {
  ledger->owed_ns = 0;
  ledger->realised_ns = 0;
  ledger->carried_ns = 0;
}

/*@ requires storage: \valid(ledger);
    requires range: ledger->owed_ns <= PAUSE_TOTAL_MAX && ledger->realised_ns <= PAUSE_TOTAL_MAX;
    assigns ledger->carried_ns;
    ensures balanced: pause_balanced(ledger);
*/
static void pause_balance(struct pause_ledger *ledger) {
  ledger->carried_ns = (int64_t)ledger->owed_ns - (int64_t)ledger->realised_ns;
}

int pause_owe(struct pause_ledger *ledger, uint64_t requests, uint64_t per_request_ns) {
  uint64_t room = PAUSE_TOTAL_MAX - ledger->owed_ns;
  int fits = per_request_ns == 0 || requests <= room / per_request_ns;
  ledger->owed_ns = fits ? ledger->owed_ns + requests * per_request_ns : PAUSE_TOTAL_MAX;
  pause_balance(ledger);
  return fits;
}

/*@ assigns \nothing;
    ensures lesser: \result == \min(a, b);
*/
static uint64_t pause_lesser(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* By how much a is more than b. */
/*@ assigns \nothing;
    ensures excess: \result == \max(0, a - b);
*/
static uint64_t pause_excess(uint64_t a, uint64_t b) {
  return a < b ? 0 : a - b;
}

uint64_t pause_due(const struct pause_ledger *ledger, uint64_t least_ns, uint64_t most_ns) {
  if (ledger->carried_ns <= 0)
    return 0;
  uint64_t carried = (uint64_t)ledger->carried_ns;
  return carried < least_ns ? 0 : pause_lesser(carried, most_ns);
}

int pause_realise(struct pause_ledger *ledger, uint64_t ns) {
  int fits = ns <= PAUSE_TOTAL_MAX - ledger->realised_ns;
  ledger->realised_ns = fits ? ledger->realised_ns + ns : PAUSE_TOTAL_MAX;
  pause_balance(ledger);
  return fits;
}

uint64_t pause_deadline(uint64_t now_ns, uint64_t pause_ns, uint64_t offset_ns) {
  return now_ns + pause_lesser(pause_excess(pause_ns, offset_ns), UINT64_MAX - now_ns);
}

uint64_t pause_length(uint64_t asked_ns, uint64_t ended_ns, uint64_t offset_ns) {
  uint64_t between = pause_lesser(pause_excess(ended_ns, asked_ns), PAUSE_TOTAL_MAX);
  return between + pause_lesser(offset_ns, PAUSE_TOTAL_MAX - between);
}

enum pause_state pause_step(enum pause_state state, enum pause_event event, enum pause_send *send) {
  *send = PAUSE_SEND_NOTHING;
  switch (state) {
  case PAUSE_GONE:
    return PAUSE_GONE;
  case PAUSE_RUNNING:
    if (event == PAUSE_ASKED) {
      *send = PAUSE_SEND_STOP;
      return PAUSE_STOPPING;
    }
    return event == PAUSE_LEFT ? PAUSE_GONE : PAUSE_RUNNING;
  case PAUSE_CONTINUING:
    if (event == PAUSE_CONTINUED)
      return PAUSE_RUNNING;
    if (event == PAUSE_LEFT)
      return PAUSE_GONE;
    break;
  default: /* STOPPING, STOPPED, or not known */
    if (event == PAUSE_HAS_STOPPED)
      return PAUSE_STOPPED;
  }
  *send = PAUSE_SEND_CONTINUE;
  return event == PAUSE_LEFT ? PAUSE_GONE : PAUSE_CONTINUING;
}

int pause_group_valid(int64_t group, int64_t own_group) {
  return group > 1 && group <= INT32_MAX && group != own_group;
}

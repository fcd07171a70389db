/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/agent/watch.h"

#include <inttypes.h>

void watch_lost(struct peer *peer, uint64_t now_ns, uint64_t timeout_ns) {
  struct peer_watch *watch = &peer->watch;
  if (!watch->gone && watch->heard_ns != 0 && now_ns - watch->heard_ns <= timeout_ns)
    watch->lost_in_a_row = 0;
  if (watch->gone || watch->lost_in_a_row < WATCH_LOST)
    return;
  char address[AGENT_ADDRESS_TEXT];
  agent_address_print(address, &peer->address);
  watch->gone = true;
  watch->gone_ns = now_ns;
  watch->said = agent_say_limited(
      &watch->limit, now_ns,
      "peer %s (%s) does not answer: %" PRIu32 " questions in a row are lost; is an agent running "
      "there, with this one (same address and port) among its peers? asking on",
      peer->name, address, watch->lost_in_a_row);
}

void watch_answered(struct peer *peer, enum peer_answer answer, uint64_t now_ns) {
  struct peer_watch *watch = &peer->watch;
  if (answer == PEER_CLOCK_JUMPED)
    agent_say_limited(&watch->jump_limit, now_ns,
                      "peer %s: its clock jumped, or it was started again; what was known of its "
                      "clock is forgotten",
                      peer->name);
  if (answer == PEER_CLOCK_BACK)
    agent_say_limited(&watch->jump_limit, now_ns,
                      "peer %s: an answer came before its question by this host's clock, which "
                      "went back; counted as infinite",
                      peer->name);
  if (answer == PEER_NOT_AWAITED)
    return;
  if (watch->gone && watch->said)
    agent_say("peer %s answers again, after %.1f s and %" PRIu32 " lost questions in a row",
              peer->name, (double)(now_ns - watch->gone_ns) / 1e9, watch->lost_in_a_row);
  watch->gone = watch->said = false;
  watch->lost_in_a_row = 0;
  watch->heard_ns = now_ns;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Says when a peer disappears (three questions in a row without an answer) and when it is back, at
 * most once a minute for each peer. Questions from before an answer that turn out lost after it do
 * not count: a peer that is back is not gone again.
 */
#ifndef MEASURE_AGENT_WATCH_H
#define MEASURE_AGENT_WATCH_H

#include "measure/agent/peer.h"

#define WATCH_LOST 3

/* Questions to the peer were given up now. */
void watch_lost(struct peer *peer, uint64_t now_ns, uint64_t timeout_ns);
void watch_answered(struct peer *peer, enum peer_answer answer, uint64_t now_ns);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/agent/peer.h"

#include <stdio.h>
#include <string.h>

static const uint64_t parts = 1000000; /* of drift_ppm */

void peer_init(struct peer *peer, const struct agent_peer_config *config, uint32_t seed) {
  memset(peer, 0, sizeof *peer);
  strcpy(peer->name, config->name);
  strcpy(peer->host, config->address);
  peer->port = config->port;
  peer->roundtrip_name = peer->delay_name = -1;
  roundtrip_init(&peer->window);
  peer->window.next = seed;
}

static void record(struct peer *peer, struct tailproof_writer *writer, int name,
                   struct tailproof_event event) {
  event.name = name;
  if (name >= 0 && tailproof_record(writer, &event) != 0)
    peer->counts.unrecorded++;
}

/* As long as there is: above all that a histogram holds in numbers. */
static void record_infinite(struct peer *peer, struct tailproof_writer *writer, uint64_t count) {
  struct tailproof_event event = {.start = 0, .end = UINT64_MAX};
  for (uint64_t i = 0; i < count; i++) {
    record(peer, writer, peer->roundtrip_name, event);
    record(peer, writer, peer->delay_name, event);
  }
  ladder_add_lost(&peer->roundtrip, count);
  ladder_add_lost(&peer->delay, count);
}

static void record_lost(struct peer *peer, struct tailproof_writer *writer, uint64_t count) {
  record_infinite(peer, writer, count);
  peer->counts.lost += count;
  uint64_t row = peer->watch.lost_in_a_row + count;
  peer->watch.lost_in_a_row = row > UINT32_MAX ? UINT32_MAX : (uint32_t)row;
}

void peer_ask(struct peer *peer, struct tailproof_writer *writer, struct probe *question,
              uint64_t now_ns) {
  uint8_t lost;
  question->kind = PROBE_QUESTION;
  question->sequence = roundtrip_ask(&peer->window, now_ns, &lost);
  question->time_ns = now_ns;
  peer->counts.sent++;
  record_lost(peer, writer, lost);
}

/* By how much the clocks may have drifted apart since the interval was made, rounded up. Answers
 * may come out of order, so the time since is the longest that fits. */
static uint64_t drift_since(const struct peer *peer, uint32_t drift_ppm, uint64_t t1, uint64_t t4) {
  uint64_t from = peer->offset_ns < t1 ? peer->offset_ns : t1;
  uint64_t since = t4 - from, whole = since / parts, part = since % parts;
  if (drift_ppm != 0 && whole >= UINT64_MAX / 2 / drift_ppm)
    return UINT64_MAX;
  return whole * drift_ppm + (part * drift_ppm + parts - 1) / parts;
}

/* False when the clock jumped. */
static bool learn_offset(struct peer *peer, const struct offset_interval *next, uint32_t drift_ppm,
                         uint64_t t1, uint64_t t4) {
  bool fits = true;
  if (!peer->has_offset) {
    peer->offset = *next;
  } else {
    uint64_t drift = drift_since(peer, drift_ppm, t1, t4);
    fits = offset_combine(&peer->offset, drift, next) != 0;
  }
  peer->has_offset = true;
  peer->offset_ns = t1;
  return fits;
}

enum peer_answer peer_answered(struct peer *peer, struct tailproof_writer *writer,
                               const struct probe *answer, uint32_t drift_ppm, uint64_t now_ns) {
  uint64_t sent_ns = 0, roundtrip_ns = 0, delay_ns;
  switch (roundtrip_answer(&peer->window, answer->sequence, now_ns, &sent_ns, &roundtrip_ns)) {
  case ROUNDTRIP_UNKNOWN:
    peer->counts.unknown++;
    return PEER_NOT_AWAITED;
  case ROUNDTRIP_CLOCK_BACK:
    peer->counts.clock_back++;
    record_infinite(peer, writer, 1);
    return PEER_CLOCK_BACK;
  case ROUNDTRIP_PAIRED:
    break;
  }
  struct offset_interval next;
  bool usable = offset_from_pair(&next, sent_ns, answer->time_ns, now_ns) != 0;
  bool jumped = usable && !learn_offset(peer, &next, drift_ppm, sent_ns, now_ns);
  delay_ns = usable ? oneway_there_up(sent_ns, answer->time_ns, &peer->offset) : roundtrip_ns;
  struct tailproof_event event = {.start = sent_ns, .instance = answer->sequence};
  event.end = now_ns;
  record(peer, writer, peer->roundtrip_name, event);
  event.end = sent_ns + delay_ns;
  record(peer, writer, peer->delay_name, event);
  ladder_add(&peer->roundtrip, roundtrip_ns);
  ladder_add(&peer->delay, delay_ns);
  peer->counts.answered++;
  peer->counts.clock_jumps += jumped;
  return jumped ? PEER_CLOCK_JUMPED : PEER_MEASURED;
}

uint32_t peer_expire(struct peer *peer, struct tailproof_writer *writer, uint64_t now_ns,
                     uint64_t timeout_ns) {
  uint32_t lost = roundtrip_expire(&peer->window, now_ns, timeout_ns);
  record_lost(peer, writer, lost);
  return lost;
}

void peer_give_up(struct peer *peer, struct tailproof_writer *writer) {
  peer_expire(peer, writer, UINT64_MAX, 0);
}

uint32_t peer_under_way(const struct peer *peer) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < ROUNDTRIP_WINDOW; i++)
    count += peer->window.waiting[i];
  return count;
}

void peer_forget_clock(struct peer *peer) {
  peer->has_offset = false;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One peer of the agent: the questions to it that are under way, what is known of its clock, and
 * what was measured. Knows nothing of sockets.
 *
 * A question leaves at t1 and its answer is read at t4, both on this host's CLOCK_MONOTONIC; t2 is
 * when the peer read the question, on its own. The time between the arrival of a packet and its
 * reading, on either host, is part of what is recorded: it can only make it larger.
 *
 * The difference of the two clocks lies in the interval that all answers so far leave, each widened
 * by the drift since (measure/core/roundtrip.h); the upper bound of the delay there is t2 - lowest
 * difference - t1, which is never more than the round trip. That rests on the clocks drifting apart
 * by no more than `drift_ppm`. When an answer contradicts it (the peer was started again, a clock
 * jumped) the interval starts again with this answer alone, which is counted.
 *
 * Every question ends in one way: sent = answered + lost + clock_back + under
 * way. Lost ones are recorded as infinite.
 */
#ifndef MEASURE_AGENT_PEER_H
#define MEASURE_AGENT_PEER_H

#include "measure/agent/address.h"
#include "measure/agent/ladder.h"
#include "measure/agent/say.h"
#include "measure/core/probe.h"
#include "measure/core/roundtrip.h"
#include "measure/tailproof_measure.h"

struct peer_counts {
  uint64_t sent, answered, lost;
  uint64_t clock_back;  /* answers before their question, by this host's clock; infinite, too */
  uint64_t clock_jumps; /* answers that contradict what was known of the difference of clocks */
  uint64_t unknown;     /* answers that nothing awaits: duplicates, late ones */
  uint64_t questions;   /* of the peer, answered by this agent */
  uint64_t unsent;      /* of `sent`, those that the system refused to send; they end as lost */
  uint64_t skipped;     /* not asked in time, because this agent was held up; not in `sent` */
  uint64_t unrecorded;  /* durations that the store refused */
};

/* Whether the peer is taken as gone, and what was said of it (watch.h). */
struct peer_watch {
  bool gone;
  uint32_t lost_in_a_row; /* saturates */
  uint64_t gone_ns;       /* since when */
  uint64_t heard_ns;      /* the latest answer; 0: none yet */
  struct say_limit limit, jump_limit;
  bool said; /* that it is gone */
};

struct peer {
  char name[AGENT_NAME_MAX + 1];
  char host[AGENT_ADDRESS_MAX + 1]; /* as configured */
  uint16_t port;
  struct agent_address address;
  int roundtrip_name, delay_name; /* in the store; negative: not recorded */
  struct roundtrip_window window;
  bool has_offset;
  struct offset_interval offset; /* peer's clock - this one's */
  uint64_t offset_ns;            /* t1 of the latest answer in it */
  uint64_t due_ns;               /* the next question */
  struct peer_counts counts;
  struct ladder roundtrip, delay;
  struct peer_watch watch;
};

/* A peer of the configuration, not yet asked. `seed`: where its sequence of questions starts. */
void peer_init(struct peer *peer, const struct agent_peer_config *config, uint32_t seed);

/* The question that leaves now. */
void peer_ask(struct peer *peer, struct tailproof_writer *writer, struct probe *question,
              uint64_t now_ns);

enum peer_answer { PEER_MEASURED, PEER_CLOCK_JUMPED, PEER_NOT_AWAITED, PEER_CLOCK_BACK };

/* An answer of the peer that was read now. */
enum peer_answer peer_answered(struct peer *peer, struct tailproof_writer *writer,
                               const struct probe *answer, uint32_t drift_ppm, uint64_t now_ns);

/* Questions sent more than `timeout_ns` before now are lost; returns how many. */
uint32_t peer_expire(struct peer *peer, struct tailproof_writer *writer, uint64_t now_ns,
                     uint64_t timeout_ns);

/* Gives up everything under way, as lost. */
void peer_give_up(struct peer *peer, struct tailproof_writer *writer);

uint32_t peer_under_way(const struct peer *peer);

/* Forgets the peer's clock: it is another host now. */
void peer_forget_clock(struct peer *peer);

#endif

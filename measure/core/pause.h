/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a service owes in pauses and what it has had, and the states of one pause.
 *
 * A service that is slowed owes a pause for each request that it serves; what it owes is realised
 * later, all at once, when a round begins (measure/core/round.h). A pause is never exactly as long
 * as wanted: the ledger keeps what is missing, or was too much, and the next pause makes up for it.
 * Always: owed = realised + carried.
 *
 * Times are in nanoseconds.
 */
#ifndef MEASURE_CORE_PAUSE_H
#define MEASURE_CORE_PAUSE_H

#include <stdint.h>

#define PAUSE_TOTAL_MAX 4611686018427387903u /* 2^62 - 1: neither sum goes beyond, 146 years */

struct pause_ledger {
  uint64_t owed_ns;     /* of all requests so far; <= PAUSE_TOTAL_MAX */
  uint64_t realised_ns; /* of all pauses so far; <= PAUSE_TOTAL_MAX */
  int64_t carried_ns;   /* owed - realised: what is still to be had; negative: had too much */
};

/* All zero. */
void pause_init(struct pause_ledger *ledger);

/* `requests` more, each of which owes per_request_ns. 1, or 0 when the sum would go beyond
 * PAUSE_TOTAL_MAX: then owed_ns is PAUSE_TOTAL_MAX (it saturates), and carried_ns fits it. */
int pause_owe(struct pause_ledger *ledger, uint64_t requests, uint64_t per_request_ns);

/* How long the next pause is to be: 0 when what is carried is below least_ns (it stays carried), at
 * most most_ns (the rest stays carried). Changes nothing. */
uint64_t pause_due(const struct pause_ledger *ledger, uint64_t least_ns, uint64_t most_ns);

/* A pause of ns was had. 1, or 0 when the sum saturates, like pause_owe. */
int pause_realise(struct pause_ledger *ledger, uint64_t ns);

/* When a pause that is asked for at now_ns ends: now + pause - offset, where `offset_ns` is how
 * much longer than its timer a pause is on this machine (calibrated); not before now_ns, saturating
 * at UINT64_MAX. */
uint64_t pause_deadline(uint64_t now_ns, uint64_t pause_ns, uint64_t offset_ns);

/* What the ledger is to be told of a pause between two readings of the clock: the time between them
 * (0 when the clock went back) and the calibrated offset; saturating at PAUSE_TOTAL_MAX. */
uint64_t pause_length(uint64_t asked_ns, uint64_t ended_ns, uint64_t offset_ns);

/* ---- the states of a service
 *
 * RUNNING -asked-> STOPPING -stopped-> STOPPED -due-> CONTINUING -continued-> RUNNING. From
 * STOPPING and STOPPED every event other than the wait for the next leads to CONTINUING, with
 * `send` PAUSE_SEND_CONTINUE: no path leaves a service stopped. GONE (the service ended) is final.
 */
enum pause_state { PAUSE_RUNNING, PAUSE_STOPPING, PAUSE_STOPPED, PAUSE_CONTINUING, PAUSE_GONE };

enum pause_event {
  PAUSE_ASKED,     /* a pause is due */
  PAUSE_HAS_STOPPED, /* the service was seen to be stopped */
  PAUSE_DUE,       /* the deadline has come */
  PAUSE_FAILED,    /* something went wrong: a signal that cannot be sent, a peer that is gone */
  PAUSE_CANCELLED, /* the pauser is to end */
  PAUSE_CONTINUED, /* the service was seen to run again */
  PAUSE_LEFT,      /* the service ended */
};

enum pause_send { PAUSE_SEND_NOTHING, PAUSE_SEND_STOP, PAUSE_SEND_CONTINUE };

/* The next state, and what to send to the service. Events that mean nothing in a state change
 * nothing; in CONTINUING every event but CONTINUED and LEFT sends CONTINUE again. An unknown event
 * counts as PAUSE_FAILED, an unknown state as STOPPED. */
enum pause_state pause_step(enum pause_state state, enum pause_event event, enum pause_send *send);

/* Whether a process group may be stopped: not 0, 1 or negative, not the pauser's own. */
int pause_group_valid(int64_t group, int64_t own_group);

#endif

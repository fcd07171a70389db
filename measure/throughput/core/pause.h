/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a service owes in pauses and what it has had, and the states of one pause.
 *
 * A service that is slowed owes a pause for each request that it serves; what it owes is realised
 * later, all at once, when a round begins (measure/throughput/core/round.h). A pause is never
 * exactly as long as wanted: the ledger keeps what is missing, or was too much, and the next pause
 * makes up for it. Always: owed = realised + carried.
 *
 * Times are in nanoseconds. Proved (proofs/logic/pause.acsl).
 */
#ifndef MEASURE_THROUGHPUT_CORE_PAUSE_H
#define MEASURE_THROUGHPUT_CORE_PAUSE_H

#include <stdint.h>

#define PAUSE_TOTAL_MAX 4611686018427387903u /* 2^62 - 1: neither sum goes beyond, 146 years */

struct pause_ledger {
  uint64_t owed_ns;     /* of all requests so far; <= PAUSE_TOTAL_MAX */
  uint64_t realised_ns; /* of all pauses so far; <= PAUSE_TOTAL_MAX */
  int64_t carried_ns;   /* owed - realised: what is still to be had; negative: had too much */
};

/* ---- the states of a service
 *
 * RUNNING -asked-> STOPPING -stopped-> STOPPED -due-> CONTINUING -continued-> RUNNING. From
 * STOPPING and STOPPED every event other than that the service has stopped leads to CONTINUING (or
 * GONE, when the service left: others of its group may still stand) with `send`
 * PAUSE_SEND_CONTINUE: no path leaves a service stopped. GONE (the service ended) is final.
 */
enum pause_state { PAUSE_RUNNING, PAUSE_STOPPING, PAUSE_STOPPED, PAUSE_CONTINUING, PAUSE_GONE };

enum pause_event {
  PAUSE_ASKED,       /* a pause is due */
  PAUSE_HAS_STOPPED, /* the service was seen to be stopped */
  PAUSE_DUE,         /* the deadline has come */
  PAUSE_FAILED,      /* something went wrong: a signal that cannot be sent, a peer that is gone */
  PAUSE_CANCELLED,   /* the pauser is to end */
  PAUSE_CONTINUED,   /* the service was seen to run again */
  PAUSE_LEFT,        /* the service ended */
};

enum pause_send { PAUSE_SEND_NOTHING, PAUSE_SEND_STOP, PAUSE_SEND_CONTINUE };

#include "proofs/logic/pause.acsl"

/* All zero. */
/*@ requires storage: \valid(ledger);
    assigns *ledger;
    ensures nothing: ledger->owed_ns == 0 && ledger->realised_ns == 0 && ledger->carried_ns == 0;
    ensures balanced: pause_balanced(ledger);
*/
void pause_init(struct pause_ledger *ledger);

/* `requests` more, each of which owes per_request_ns. 1, or 0 when the sum would go beyond
 * PAUSE_TOTAL_MAX: then owed_ns is PAUSE_TOTAL_MAX (it saturates), and carried_ns fits it. */
/*@ requires storage: \valid(ledger);
    requires balanced: pause_balanced(ledger);
    assigns ledger->owed_ns, ledger->carried_ns;
    ensures balanced: pause_balanced(ledger);
    behavior fits:
      assumes ledger->owed_ns + requests * per_request_ns <= PAUSE_TOTAL_MAX;
      ensures accepted: \result == 1;
      ensures owed: ledger->owed_ns == \old(ledger->owed_ns) + requests * per_request_ns;
      ensures carried: ledger->carried_ns == \old(ledger->carried_ns) + requests * per_request_ns;
      ensures none: requests == 0 || per_request_ns == 0 ==>
        ledger->owed_ns == \old(ledger->owed_ns) && ledger->carried_ns == \old(ledger->carried_ns);
    behavior saturated:
      assumes ledger->owed_ns + requests * per_request_ns > PAUSE_TOTAL_MAX;
      ensures refused: \result == 0;
      ensures most: ledger->owed_ns == PAUSE_TOTAL_MAX;
    complete behaviors;
    disjoint behaviors;
*/
int pause_owe(struct pause_ledger *ledger, uint64_t requests, uint64_t per_request_ns);

/* How long the next pause is to be: 0 when what is carried is below least_ns (it stays carried), at
 * most most_ns (the rest stays carried). Changes nothing. */
/*@ requires storage: \valid_read(ledger);
    assigns \nothing;
    ensures next: \result == pause_next(ledger->carried_ns, least_ns, most_ns);
    ensures range: least_ns <= most_ns ==> \result == 0 || least_ns <= \result <= most_ns;
    ensures not_more: 0 < \result ==> \result <= ledger->carried_ns && \result <= most_ns;
*/
uint64_t pause_due(const struct pause_ledger *ledger, uint64_t least_ns, uint64_t most_ns);

/* A pause of ns was had. 1, or 0 when the sum saturates, like pause_owe. */
/*@ requires storage: \valid(ledger);
    requires balanced: pause_balanced(ledger);
    assigns ledger->realised_ns, ledger->carried_ns;
    ensures balanced: pause_balanced(ledger);
    behavior fits:
      assumes ledger->realised_ns + ns <= PAUSE_TOTAL_MAX;
      ensures accepted: \result == 1;
      ensures realised: ledger->realised_ns == \old(ledger->realised_ns) + ns;
      ensures carried: ledger->carried_ns == \old(ledger->carried_ns) - ns;
    behavior saturated:
      assumes ledger->realised_ns + ns > PAUSE_TOTAL_MAX;
      ensures refused: \result == 0;
      ensures most: ledger->realised_ns == PAUSE_TOTAL_MAX;
    complete behaviors;
    disjoint behaviors;
*/
int pause_realise(struct pause_ledger *ledger, uint64_t ns);

/* When a pause that is asked for at now_ns ends: now + pause - offset, where `offset_ns` is how
 * much longer than its timer a pause is on this machine (calibrated); not before now_ns, saturating
 * at UINT64_MAX. */
/*@ assigns \nothing;
    ensures deadline: \result == \min(UINT64_MAX, now_ns + \max(0, pause_ns - offset_ns));
    ensures not_before: now_ns <= \result;
*/
uint64_t pause_deadline(uint64_t now_ns, uint64_t pause_ns, uint64_t offset_ns);

/* What the ledger is to be told of a pause between two readings of the clock: the time between them
 * (0 when the clock went back) and the calibrated offset; saturating at PAUSE_TOTAL_MAX. */
/*@ assigns \nothing;
    ensures length: \result ==
      \min(PAUSE_TOTAL_MAX, \max(0, ended_ns - asked_ns) + offset_ns);
*/
uint64_t pause_length(uint64_t asked_ns, uint64_t ended_ns, uint64_t offset_ns);

/* The next state, and what to send to the service. Events that mean nothing in a state change
 * nothing; in CONTINUING every event but CONTINUED and LEFT sends CONTINUE again. An unknown event
 * counts as PAUSE_FAILED, an unknown state as STOPPED. */
/*@ requires storage: \valid(send);
    assigns *send;
    ensures known: pause_known(\result);
    ensures safe: pause_safe(state, \result, *send);
    ensures stop: *send == PAUSE_SEND_STOP <==> state == PAUSE_RUNNING && event == PAUSE_ASKED;
    behavior running:
      assumes state == PAUSE_RUNNING;
      ensures next: \result == (event == PAUSE_ASKED ? PAUSE_STOPPING :
                                event == PAUSE_LEFT ? PAUSE_GONE : PAUSE_RUNNING);
      ensures send: *send == (event == PAUSE_ASKED ? PAUSE_SEND_STOP : PAUSE_SEND_NOTHING);
    behavior halted:
      assumes pause_halted(state);
      ensures next: \result == (event == PAUSE_HAS_STOPPED ? PAUSE_STOPPED :
                                event == PAUSE_LEFT ? PAUSE_GONE : PAUSE_CONTINUING);
      ensures send: *send ==
        (event == PAUSE_HAS_STOPPED ? PAUSE_SEND_NOTHING : PAUSE_SEND_CONTINUE);
    behavior continuing:
      assumes state == PAUSE_CONTINUING;
      ensures next: \result == (event == PAUSE_CONTINUED ? PAUSE_RUNNING :
                                event == PAUSE_LEFT ? PAUSE_GONE : PAUSE_CONTINUING);
      ensures send: *send == (event == PAUSE_CONTINUED || event == PAUSE_LEFT ?
                              PAUSE_SEND_NOTHING : PAUSE_SEND_CONTINUE);
    behavior gone:
      assumes state == PAUSE_GONE;
      ensures next: \result == PAUSE_GONE;
      ensures send: *send == PAUSE_SEND_NOTHING;
    complete behaviors;
    disjoint behaviors;
*/
enum pause_state pause_step(enum pause_state state, enum pause_event event, enum pause_send *send);

/* Whether a process group may be stopped: not 0, 1 or negative, nor beyond what a pid_t holds, not
 * the pauser's own. */
/*@ assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures valid: \result == 1 <==> 1 < group <= INT32_MAX && group != own_group;
*/
int pause_group_valid(int64_t group, int64_t own_group);

#endif

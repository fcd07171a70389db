/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Directing a poker from another process: one connection to one `tailproof poker`. Every call
 * blocks for at most the connection's time limit (looking up a host's name may take longer). After
 * a failure other than -ESTALE or -EINVAL of director_set the connection is unusable and every
 * later call fails with the same error; it is still to be closed, and another one can be opened. A
 * director belongs to one thread at a time; several, to several pokers, are independent. SIGPIPE
 * is never raised; EINTR is waited through, unless `interrupted` says otherwise.
 *
 * That a director goes away, at any moment, leaves the poker with its last setting: nobody is left
 * stopped, and rounds go on. So that nothing is paused any more, set a new epoch with all zero.
 */
#ifndef MEASURE_THROUGHPUT_POKER_DIRECTOR_H
#define MEASURE_THROUGHPUT_POKER_DIRECTOR_H

#include <signal.h>
#include <stdint.h>

#include "measure/throughput/core/poke.h"
#include "measure/throughput/poker/key.h"
#include "measure/throughput/proxy/holding.h"

struct director;

struct director_setting {
  uint64_t epoch;          /* larger than every earlier one */
  uint64_t per_request_ns; /* what each request that begins from now on owes; at most
                            * DIRECTOR_PAUSE_MOST */
  uint64_t batch;          /* after how many requests this service begins a round; 0: never */
  uint64_t least_ns;       /* what is shorter waits until more is owed; <= most_ns */
  uint64_t saved_ppm; /* not 0: services pause per_request_ns for each round, whatever they have
                       * begun; the one with a batch does not, and begins rounds so that the
                       * others stand for this share of the time that it works
                       * (measure/throughput/poker/pacing.h); at most PACING_SAVED_MOST */
  uint64_t
      each_round_ns; /* if not 0, what each round owes instead, of a service that does not count */
  enum holding_mode
      holding;      /* of a service with a proxy or relay: what that does with answers; with
                              * HOLDING_ON pauses are had by holding them (proxy/holding.h) */
  uint32_t workers; /* whose answers are held; 0: one for each request */
  uint64_t own_ns;  /* of a request that such a service works itself; 0: it calls nobody */
  uint64_t most_ns; /* of one pause, the rest stays owed until the next round; at most
                       * DIRECTOR_PAUSE_MOST; 0: 1 s */
};
#define DIRECTOR_PAUSE_MOST 10000000000u /* 10 s */

struct director_report {
  uint64_t epoch;               /* that the poker is in; 0: none yet */
  uint64_t values[POKE_VALUES]; /* enum poke_report */
};

/* Connects to HOST:PORT or [HOST]:PORT and exchanges greetings. `key` may be NULL: none. `name`:
 * who asks, for the poker's log, 1 .. POKE_TEXT - 1 printable characters without blanks.
 * `interrupted` may be NULL; else a call returns -EINTR soon after it is not 0. 0; or a negative
 * errno value (-EKEYREJECTED: the poker has another key, or is none), then *director is NULL and
 * `message` is one line with the address, what is wrong and what to do. */
int director_open(struct director **director, const char *address, const struct poker_key *key,
                  const char *name, uint32_t timeout_ms, const volatile sig_atomic_t *interrupted,
                  char message[KEY_MESSAGE]);

/* NULL is accepted. */
void director_close(struct director *director);

/* Enters the setting's epoch; returns when the poker has. `report`, which may be NULL, is of right
 * after. -ESTALE: the poker is in this or a later epoch (report->epoch says which; the connection
 * stays usable); -EINVAL: it refuses the values (likewise). */
int director_set(struct director *director, const struct director_setting *setting,
                 struct director_report *report);

int director_ask(struct director *director, struct director_report *report);

/* The name in the poker's greeting, and one line about the last failure: address, what, remedy. */
const char *director_peer(const struct director *director);
const char *director_error(const struct director *director);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of the pausing process share. All happens in the thread of the loop, except for
 * the pauses, which measure/pause has a thread of its own for.
 */
#ifndef MEASURE_THROUGHPUT_POKER_WORK_H
#define MEASURE_THROUGHPUT_POKER_WORK_H

#include "measure/throughput/poker/dials.h"
#include "measure/throughput/poker/folder.h"
#include "measure/throughput/pause/history.h"
#include "measure/throughput/poker/gossip.h"
#include "measure/throughput/poker/pacing.h"
#include "measure/throughput/poker/poker.h"
#include "measure/throughput/proxy/proxy.h"
#include "measure/tailproof_measure.h"

#include <stdio.h>

enum { POKER_SIGNALS = 6 };

/* Rounds that follow the service's work. */
struct poker_follow {
  bool on;
  int timer; /* 0: there is none yet */
  uv_poll_t poll;
  struct pacing pacing;
  struct pause_history others; /* as they are meant */
};

struct poker_latencies {
  FILE *file;          /* NULL: not wanted */
  uint64_t pauses;     /* that are written */
  uint64_t next, lost; /* requests, from 1; those that were not read in time */
  uv_timer_t timer;
};

/* Requests that the proxy has handed over and that have not ended. */
struct poker_in_flight {
  uint64_t count;
  uint64_t began_ns; /* sum of when they began, modulo 2^64 */
};

/* Pauses that are had by holding answers (measure/throughput/proxy/holding.h). */
struct poker_held {
  bool on;
  struct pause_ledger ledger;
  uint64_t settled; /* requests whose pause is in the ledger already, or that owe none */
  uint64_t pauses;
};

struct poker {
  const struct poker_options *options;
  uv_loop_t loop;
  struct teller teller;
  struct poker_key key;
  char where[ADDRESS_TEXT]; /* it listens */
  struct poker_folder folder;
  struct tailproof_counter *counter; /* of the same page, for the FIFO and the proxy */
  struct proxy *proxy;               /* or a relay */
  struct poker_in_flight in_flight;
  uint32_t spoken_told; /* a bit for each enum speech_kind */
  struct pauser *pauser;
  struct poker_held held;
  struct gossip gossip;
  struct links links;
  struct dials dials;

  /* the setting */
  uint64_t per_request_ns, each_round_ns, batch;
  bool first;    /* this process comes before those that are paused */
  bool by_round; /* per_request_ns is owed for each round, not for requests */
  struct poker_follow follow;
  uint64_t base; /* of requests begun: at the latest round or setting */

  uint32_t neighbours_seen; /* slots of the page */
  struct poker_latencies latencies;
  bool ending, proxy_stopped;
  char ready[FOLDER_PATH]; /* the file before it has its name; "" when there is none */
  uv_poll_t wake, count, service;
  uv_timer_t tick, patience;
  char leftover_paths[4][FOLDER_PATH + 8];
  const char *leftover[5]; /* of the folder, for who removes it should this process be killed */
  uv_signal_t signals[POKER_SIGNALS];
};

/* ---- measure/throughput/poker/opening.c: what is there before the service is started */

/* Checks the options, reads the key, listens, makes the folder and opens what else is asked for: 0;
 * or an exit code, after one line on stderr. poker_close is due in any case. */
int poker_open(struct poker *poker);

/* Puts the file with the address in its place: 0 or an exit code, likewise. */
int poker_say_ready(struct poker *poker);

/* Closes all of that, and runs the loop until its handles are closed: true. False when one is not
 * after a while (a look-up that hangs), and then the poker's memory has to stay. */
bool poker_close(struct poker *poker);

/* ---- measure/throughput/poker/rounds.c: counts, rounds, and what others say */

/* Looks at the counts: begins a round when the batch is full, connects to neighbours that the
 * service has named. Called whenever something may have changed. */
void poker_look(struct poker *poker);

/* Begins a round, in which this service does not pause. */
void poker_begin_round(struct poker *poker);

/* ---- measure/throughput/poker/held.c: pauses by holding answers */

/* How answers are held from now on, as a POKE_SET says; false: they cannot be. */
bool held_set(struct poker *poker, const struct poke *poke, uint64_t begun);

/* A round: of the requests so far those since the last one owe so much each; or, with each_round_ns,
 * so much is owed. */
void held_round(struct poker *poker, uint64_t begun);

/* Adds what was had so, and what was learnt, to a report. */
void held_report(struct poke *poke, const struct poker *poker);

/* ---- measure/throughput/poker/counts.c: what is counted, and how */

/* Requests begun, with those whose bytes are still in the FIFO. */
uint64_t poker_count(struct poker *poker);

/* Says what connections speak, once each. */
void poker_tell_spoken(struct poker *poker);

/* Answers POKE_ASK. */
void poker_report(struct poker *poker, struct link *link, uint64_t number);

/* ---- measure/throughput/poker/follow.c: rounds that follow what the service works */

/* 0, or an error of uv. */
int follow_start(struct poker *poker);

/* From now on, for work that is to take so much less; 0: no more. */
void follow_set(struct poker *poker, uint64_t saved_ppm, uint64_t pause_ns);

/* ---- measure/throughput/poker/latencies.c: a file with the time that each request took */

/* 0 or an errno value. */
int latencies_open(struct poker *poker);
/* 0 or an error of uv. */
int latencies_start(struct poker *poker);
/* What has ended until now. */
void latencies_take(struct poker *poker);
void latencies_close(struct poker *poker);

/* The calls of poker->links, with `of` the poker. */
void poker_opened(void *of, struct link *link);
void poker_message(void *of, struct link *link, const struct poke *poke);
void poker_closed(void *of, struct link *link, const char *why);

/* Tells the neighbours that this poker ends. */
void poker_take_leave(struct poker *poker);

#endif

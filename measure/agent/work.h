/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of a running agent, and what it does with packets and time.
 */
#ifndef MEASURE_AGENT_WORK_H
#define MEASURE_AGENT_WORK_H

#include "measure/agent/exposition.h"
#include "measure/agent/keeper.h"
#include "measure/agent/wire.h"

struct agent {
  const char *path;            /* of the configuration */
  const struct agent_slo *slo; /* what the command line says, or NULL */
  struct agent_config config;
  struct fleet fleet;
  struct agent_counts counts;
  struct page_source source;
  struct tailproof_store *store; /* NULL: nothing is recorded */
  struct tailproof_writer *writer;
  struct exposition *http; /* NULL: none */
  struct keeper *keeper;   /* NULL: nothing is sampled */
  int family;              /* of the UDP socket */
  int epoll, udp, signals;
  uint64_t next_ns;  /* when agent_tick is due */
  uint64_t sweep_ns; /* when to look for lost questions next */
  bool draining;     /* asks no more */
  bool http_again;
  struct say_limit garbage_limit, stranger_limit, unsent_limit, unrecorded_limit;
};

/* CLOCK_MONOTONIC. */
uint64_t agent_now(void);

/* Takes all packets that are there. */
void agent_receive(struct agent *agent);

/* Asks the peers whose time has come, now and then looks for lost questions (true then), and sets
 * when it is to be called next. */
bool agent_tick(struct agent *agent);

/* Questions whose answers are awaited. */
uint64_t agent_under_way(const struct agent *agent);

#endif

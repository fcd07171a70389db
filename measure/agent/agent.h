/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The network agent: asks all peers over UDP, answers theirs, records round trips and upper bounds
 * of one-way delays in a store ("rtt.PEER", "d.PEER") and shows them to Prometheus. One thread; it
 * waits in one place (epoll) for packets, the time of the next question, signals and HTTP.
 *
 * Times are of CLOCK_MONOTONIC, which no one sets. A packet's time is taken before it is handed to
 * the kernel, and after it was read from it: what the agent itself is late by is measured with the
 * network. (Kernel receive times would leave that out; they are not used, so that no delay is
 * recorded too small.)
 */
#ifndef MEASURE_AGENT_AGENT_H
#define MEASURE_AGENT_AGENT_H

#include <stdint.h>

enum agent_end {
  AGENT_ENDED,       /* by SIGTERM */
  AGENT_INTERRUPTED, /* by SIGINT */
  AGENT_BAD_CONFIG,  /* a mistake in the configuration */
  AGENT_NO_CONFIG,   /* it cannot be read */
  AGENT_FAILED,      /* no socket, no store, no memory */
};

/* "99 % are within 5 ms", said on the command line. */
struct agent_slo {
  double share;
  uint64_t limit_ns;
};

/* Runs until it is told to end. `slo`, unless NULL, stands in for percentile and within_ms of the
 * profile's objective. SIGHUP: reads the configuration again, and keeps the old one if the
 * new one has a mistake. SIGTERM, SIGINT: asks no more, waits for the answers under way (at most
 * the timeout; a second signal ends that, what is then open counts as lost) and closes the store.
 * SIGUSR1 and SIGPIPE do nothing. Says on stderr what went wrong. */
enum agent_end agent_run(const char *path, const struct agent_slo *slo);

#endif

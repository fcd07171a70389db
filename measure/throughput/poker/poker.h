/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The process `tailproof poker`: it starts one service, counts its requests, pauses it together
 * with the services of its neighbours, and lets itself be directed
 * (measure/throughput/poker/director.h).
 */
#ifndef MEASURE_THROUGHPUT_POKER_POKER_H
#define MEASURE_THROUGHPUT_POKER_POKER_H

#include "measure/throughput/pause/pauser.h"

#include <stddef.h>

struct poker_options {
  const char *name;              /* of the service: 1 .. 63 printable characters without blanks */
  const char *listen;            /* HOST:PORT for neighbours and who directs; port 0: any */
  const char *key;               /* file; NULL: none, which is for loopback alone */
  const char *const *neighbours; /* HOST:PORT each */
  size_t neighbour_count;
  enum pauser_mode mode;
  const char *proxy;     /* LISTEN=BACKEND (measure/throughput/proxy/proxy.h); NULL: none */
  const char *relay;     /* likewise, for any protocol over TCP; at most one of the two */
  bool count_pipe;       /* requests are also counted by bytes in a FIFO */
  bool leash;            /* the service ends with this process, however that ends; and 3 s after it
                          * was asked to end it is killed */
  const char *latencies; /* file that gets the time of each request (latencies.c); NULL: none */
  const char *ready;     /* file that gets the address, when all is ready; NULL: none */
  char *const *command;
};

/* Runs until the service has ended. Its exit code, 128 + signal when one ended it; or, after one
 * line on stderr, 64 for options that are wrong, 65 for a key file with bad contents, 66 for one
 * that cannot be read, 69 for a service or a way of pausing that is not there, 70 for what the
 * system refuses. SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 are passed on to the
 * service, which is continued before. */
int poker_run(const struct poker_options *options);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * UDP sockets for the nodes of a run, made by the parent before it forks them, and what stands for
 * the network between hosts:
 *
 *   direct   datagrams go over the loopback interface as they are
 *   relay    a process (network_relay) forwards each after a delay: base + an exponential with its
 *            own draws for every ordered pair of nodes
 *   netns    each node's socket lives in a network namespace of its own, made beforehand by
 *            examples/common/netns.sh, which also sets the delay (tc netem)
 *
 * Every datagram starts with an envelope that names the run, its sender and its receiver, so that
 * strangers' datagrams are not taken for messages.
 */
#ifndef EXAMPLES_COMMON_NETWORK_H
#define EXAMPLES_COMMON_NETWORK_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NETWORK_NODES_MAX = 64, NETWORK_BYTES_MAX = 576 };

struct network_options {
  uint64_t delay_us;  /* the base; with spread_us 0 too: direct */
  uint64_t spread_us; /* mean of the exponential */
  uint64_t loss_ppm;  /* datagrams dropped by their sender, per million; for tests */
  uint64_t seed;
  bool ordered;      /* the relay lets no datagram overtake another of the same pair */
  const char *netns; /* prefix of the namespaces' names; NULL for none */
};

struct envelope {
  uint64_t run;
  uint16_t from, to;
  uint32_t bytes; /* that follow */
};

struct network {
  struct network_options options;
  size_t nodes;
  uint64_t run;
  bool relayed;
  int sockets[NETWORK_NODES_MAX], relay_socket; /* not blocking; closed when the process ends */
  struct sockaddr_in addresses[NETWORK_NODES_MAX], relay_address;
};

/* The rows of an options table that set `options`; how many. `rows` has place for
 * NETWORK_OPTION_ROWS. */
struct option_row;
enum { NETWORK_OPTION_ROWS = 5 };
size_t network_option_rows(struct option_row *rows, struct network_options *options);

/* False after a complaint. */
bool network_open(struct network *network, const struct network_options *options, size_t nodes);

/* The relay's process, to be started as a servant when network->relayed; the context is the
 * network. */
int network_relay(void *context);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* setns */
#include "examples/common/network.h"

#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/common/options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

size_t network_option_rows(struct option_row *rows, struct network_options *options) {
  const struct option_row all[NETWORK_OPTION_ROWS] = {
      {.name = "delay-us",
       .value = "N",
       .help = "microseconds a relay delays each datagram at least",
       .number = &options->delay_us,
       .most = 1000000},
      {.name = "spread-us",
       .value = "N",
       .help = "mean of the exponential that is added to it",
       .number = &options->spread_us,
       .most = 1000000},
      {.name = "loss-ppm",
       .value = "N",
       .help = "datagrams lost per million",
       .number = &options->loss_ppm,
       .most = 1000000},
      {.name = "seed",
       .value = "N",
       .help = "of all random draws",
       .number = &options->seed,
       .most = UINT32_MAX},
      {.name = "netns",
       .value = "PREFIX",
       .help = "each node in a namespace PREFIX0, PREFIX1, ... (examples/common/netns.sh)",
       .text = &options->netns},
  };
  memcpy(rows, all, sizeof all);
  return NETWORK_OPTION_ROWS;
}

static bool socket_open(int *descriptor, struct sockaddr_in *address, uint32_t host) {
  socklen_t size = sizeof *address;
  int bytes = 1 << 20;
  *address = (struct sockaddr_in){.sin_family = AF_INET};
  address->sin_addr.s_addr = htonl(host);
  *descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (*descriptor >= 0 && bind(*descriptor, (const struct sockaddr *)address, size) == 0 &&
      getsockname(*descriptor, (struct sockaddr *)address, &size) == 0 &&
      setsockopt(*descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) == 0)
    return true;
  complain("a UDP socket on %s: %s", inet_ntoa(address->sin_addr), strerror(errno));
  return false;
}

/* Goes to the namespace of a node; what opened it says who made it. */
static bool namespace_enter(const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  bool entered = descriptor >= 0 && setns(descriptor, CLONE_NEWNET) == 0;
  if (!entered)
    complain("the network namespace %s: %s; examples/common/netns.sh makes them, as root", path,
             strerror(errno));
  if (descriptor >= 0)
    close(descriptor);
  return entered;
}

/* A socket stays in the namespace it was made in, so that the node itself need not move there. */
static bool namespace_sockets(struct network *network) {
  char home[64], path[PATH_MAX];
  bool good = true;
  snprintf(home, sizeof home, "/proc/%ld/ns/net", (long)getpid());
  int back = open(home, O_RDONLY | O_CLOEXEC);
  for (size_t i = 0; i < network->nodes && good; i++) {
    snprintf(path, sizeof path, "/run/netns/%s%zu", network->options.netns, i);
    good = namespace_enter(path) && socket_open(&network->sockets[i], &network->addresses[i],
                                                0x0a4d0001u + (uint32_t)i); /* 10.77.0.1 + i */
  }
  if (back >= 0) {
    good = setns(back, CLONE_NEWNET) == 0 && good;
    close(back);
  }
  return good;
}

bool network_open(struct network *network, const struct network_options *options, size_t nodes) {
  bool good = true;
  memset(network, 0, sizeof *network);
  network->options = *options;
  network->nodes = nodes;
  network->run = moment_ns() ^ ((uint64_t)getpid() << 32);
  network->relayed = options->delay_us != 0 || options->spread_us != 0;
  if (options->netns != NULL && network->relayed) {
    complain("--netns has delays of its own: give none to a relay (--delay-us 0 --spread-us 0)");
    return false;
  }
  if (options->netns != NULL)
    return namespace_sockets(network);
  for (size_t i = 0; i < nodes && good; i++)
    good = socket_open(&network->sockets[i], &network->addresses[i], INADDR_LOOPBACK);
  if (good && network->relayed)
    good = socket_open(&network->relay_socket, &network->relay_address, INADDR_LOOPBACK);
  return good;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Packets in and out of the agent's UDP socket.
 */
#ifndef MEASURE_AGENT_WIRE_H
#define MEASURE_AGENT_WIRE_H

#include "measure/agent/address.h"
#include "measure/core/probe.h"

enum { WIRE_BATCH = 16, WIRE_BYTES = 2 * PROBE_BYTES };

struct wire_packet {
  unsigned char bytes[WIRE_BYTES];
  size_t size; /* at most WIRE_BYTES: a larger packet is cut, and is no probe either */
  struct agent_address from;
};

/* Takes what is there, without waiting; returns how many. */
uint32_t wire_receive(int socket, struct wire_packet packets[WIRE_BATCH]);

/* 0 or an errno value. */
int wire_send(int socket, const struct probe *probe, const struct agent_address *to);

#endif

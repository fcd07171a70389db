/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* recvmmsg */
#include "measure/agent/wire.h"

#include <errno.h>
#include <string.h>

uint32_t wire_receive(int socket, struct wire_packet packets[WIRE_BATCH]) {
  struct mmsghdr headers[WIRE_BATCH];
  struct iovec parts[WIRE_BATCH];
  memset(headers, 0, sizeof headers);
  for (uint32_t i = 0; i < WIRE_BATCH; i++) {
    memset(&packets[i].from, 0, sizeof packets[i].from);
    parts[i] = (struct iovec){packets[i].bytes, WIRE_BYTES};
    headers[i].msg_hdr = (struct msghdr){.msg_name = &packets[i].from.storage,
                                         .msg_namelen = sizeof packets[i].from.storage,
                                         .msg_iov = &parts[i],
                                         .msg_iovlen = 1};
  }
  int count = recvmmsg(socket, headers, WIRE_BATCH, MSG_DONTWAIT, NULL);
  for (int i = 0; i < count; i++) {
    packets[i].size = headers[i].msg_len;
    packets[i].from.length = headers[i].msg_hdr.msg_namelen;
  }
  return count > 0 ? (uint32_t)count : 0;
}

int wire_send(int socket, const struct probe *probe, const struct agent_address *to) {
  unsigned char bytes[PROBE_BYTES];
  probe_encode(bytes, probe);
  ssize_t sent = sendto(socket, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL,
                        (const struct sockaddr *)&to->storage, to->length);
  return sent == PROBE_BYTES ? 0 : errno != 0 ? errno : EIO;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/etcd/connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "examples/common/complain.h"

enum {
  FRAME_HEADER = 9,
  FRAME_DATA = 0,
  FRAME_HEADERS = 1,
  FRAME_RESET = 3,
  FRAME_SETTINGS = 4,
  FRAME_PING = 6,
  FRAME_GOAWAY = 7,
  FLAG_END = 1, /* of the stream; of settings and pings: this is the answer */
  FLAG_END_HEADERS = 4,
};

/* The headers as HPACK (RFC 7541) without its tables of seen ones. */
static const unsigned char headers[] = "\x83\x86" /* :method POST, :scheme http */
                                       "\x04\x14/etcdserverpb.KV/Put"
                                       "\x01\x0e"
                                       "127.0.0.1:2379"
                                       "\x0f\x10\x10"
                                       "application/grpc"
                                       "\x00\x02te\x08trailers";

/* The preface; settings: streams of ours may be sent 2^30 bytes; and so may the connection. */
static const unsigned char greeting[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                                        "\0\0\6\4\0\0\0\0\0\0\4\x40\0\0\0"
                                        "\0\0\4\x8\0\0\0\0\0\x3f\0\0\0";

_Static_assert(sizeof headers - 1 == PUT_HEADERS - FRAME_HEADER,
               "the key is where it is said to be");

static void frame_header(unsigned char *at, uint32_t bytes, unsigned char type,
                         unsigned char flags) {
  memset(at, 0, FRAME_HEADER);
  at[1] = (unsigned char)(bytes >> 8);
  at[2] = (unsigned char)bytes;
  at[3] = type;
  at[4] = flags;
}

/* What all puts have in common; their message is `key` (field 1) and `value` (field 2). */
static void prepare(unsigned char *put) {
  enum { MESSAGE = 2 + PUT_KEY_BYTES + 2 + PUT_VALUE_BYTES };
  frame_header(put, sizeof headers - 1, FRAME_HEADERS, FLAG_END_HEADERS);
  memcpy(put + FRAME_HEADER, headers, sizeof headers - 1);
  unsigned char *data = put + PUT_HEADERS;
  frame_header(data, 5 + MESSAGE, FRAME_DATA, FLAG_END);
  memset(data + FRAME_HEADER, 0, 4); /* not compressed; three bytes of its length */
  data[FRAME_HEADER + 4] = MESSAGE;
  memcpy(put + PUT_KEY - 2, "\x0a\x08", 2);
  memcpy(put + PUT_KEY + PUT_KEY_BYTES, "\x12\x64", 2);
  memset(put + PUT_BYTES - PUT_VALUE_BYTES, 'v', PUT_VALUE_BYTES);
}

static bool send_all(int socket, const void *bytes, size_t count) {
  ssize_t sent = write(socket, bytes, count); /* it blocks until all is taken */
  if (sent == (ssize_t)count)
    return true;
  complain("etcd: the connection is gone: %s", sent < 0 ? strerror(errno) : "written in part");
  return false;
}

bool connection_open(struct connection *connection, uint16_t port) {
  *connection = (struct connection){.socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  prepare(connection->put);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int on = 1;
  if (connection->socket < 0 ||
      connect(connection->socket, (struct sockaddr *)&to, sizeof to) != 0 ||
      setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
    complain("127.0.0.1:%u: cannot be reached: %s", port, strerror(errno));
    return false;
  }
  return send_all(connection->socket, greeting, sizeof greeting - 1);
}

void connection_close(struct connection *connection) {
  close(connection->socket);
}

/* One frame of etcd's. 1: the put is answered; 0: go on; -1 after a complaint. */
static int take_frame(struct connection *connection, unsigned char *frame, uint32_t bytes,
                      bool *data) {
  uint32_t stream;
  memcpy(&stream, frame + 5, sizeof stream);
  bool ours = ntohl(stream) == connection->stream, end = (frame[4] & FLAG_END) != 0;
  unsigned char type = frame[3];
  if ((type == FRAME_PING || type == FRAME_SETTINGS) && !end) {
    if (type == FRAME_SETTINGS)
      bytes = 0;
    frame_header(frame, bytes, type, FLAG_END);
    return send_all(connection->socket, frame, FRAME_HEADER + bytes) ? 0 : -1;
  }
  if (ours && type == FRAME_DATA)
    *data = true;
  bool refused = type == FRAME_GOAWAY ||
                 (ours && (type == FRAME_RESET || (type == FRAME_HEADERS && end && !*data)));
  if (refused)
    complain("etcd: refused a put: is this member the leader, and has it room?");
  return refused ? -1 : ours && type == FRAME_HEADERS && end;
}

/* Takes whole frames out of what has been read; as take_frame. */
static int take_frames(struct connection *connection, bool *data) {
  uint32_t at = 0;
  int result = 0;
  while (result == 0 && connection->filled - at >= FRAME_HEADER) {
    unsigned char *frame = connection->answer + at;
    uint32_t bytes = (uint32_t)frame[0] << 16 | (uint32_t)frame[1] << 8 | frame[2];
    if (connection->filled - at < FRAME_HEADER + bytes)
      break;
    at += FRAME_HEADER + bytes;
    result = take_frame(connection, frame, bytes, data);
  }
  memmove(connection->answer, connection->answer + at, connection->filled - at);
  connection->filled -= at;
  return result;
}

bool connection_put(struct connection *connection, uint32_t number) {
  char digits[PUT_KEY_BYTES + 1];
  snprintf(digits, sizeof digits, "%08u", number % 100000000);
  memcpy(connection->put + PUT_KEY, digits, PUT_KEY_BYTES);
  connection->stream += connection->stream == 0 ? 1 : 2;
  uint32_t stream = htonl(connection->stream);
  memcpy(connection->put + 5, &stream, sizeof stream);
  memcpy(connection->put + PUT_HEADERS + 5, &stream, sizeof stream);
  if (!send_all(connection->socket, connection->put, PUT_BYTES))
    return false;
  bool data = false;
  int result = 0;
  while (result == 0) {
    ssize_t got = read(connection->socket, connection->answer + connection->filled,
                       ANSWER_BYTES - connection->filled);
    if (got <= 0) {
      complain("etcd: the connection is gone: %s", got < 0 ? strerror(errno) : "closed");
      return false;
    }
    connection->filled += (uint32_t)got;
    result = take_frames(connection, &data);
  }
  return result == 1;
}

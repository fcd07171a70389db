/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/redis/link.h"

#include "examples/common/complain.h"
#include "examples/common/moment.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

void link_init(struct link *link, size_t replica, int replica_socket, int primary_socket) {
  memset(link, 0, sizeof *link);
  link->replica = replica;
  link->down =
      (struct pipeline){.from = primary_socket, .to = replica_socket, .due_ns = MOMENT_NEVER};
  link->up =
      (struct pipeline){.from = replica_socket, .to = primary_socket, .due_ns = MOMENT_NEVER};
}

void link_expect(struct link *link) {
  stream_init(&link->down.stream);
  stream_init(&link->up.stream);
  link->open = true;
  link->request_bytes = 0;
}

bool pipeline_release(struct pipeline *pipeline) {
  size_t sent = 0;
  pipeline->due_ns = MOMENT_NEVER;
  while (sent < pipeline->held) {
    ssize_t done = send(pipeline->to, pipeline->bytes + sent, pipeline->held - sent, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0) {
      complain("forwarding to a Redis server: %s", strerror(errno));
      return false;
    }
    sent += (size_t)done;
  }
  pipeline->held = 0;
  return true;
}

/* Appends what is there; its first byte, and how many, or 0 after a complaint. */
static size_t pipeline_read(struct pipeline *pipeline, const char **first) {
  *first = pipeline->bytes + pipeline->held;
  if (pipeline->held == LINK_BYTES) {
    complain("a Redis server sends more than %d bytes in one request", LINK_BYTES);
    return 0;
  }
  ssize_t size;
  do
    size = recv(pipeline->from, pipeline->bytes + pipeline->held, LINK_BYTES - pipeline->held, 0);
  while (size < 0 && errno == EINTR);
  if (size <= 0) {
    complain("a Redis server closed its connection%s%s; its log tells why", size < 0 ? ": " : "",
             size < 0 ? strerror(errno) : "");
    return 0;
  }
  pipeline->held += (size_t)size;
  return (size_t)size;
}

enum link_event link_take_down(struct link *link) {
  const char *bytes;
  size_t size = pipeline_read(&link->down, &bytes);
  bool complete = false;
  if (size == 0)
    return LINK_FAILED;
  for (size_t i = 0; i < size; i++)
    complete = stream_feed(&link->down.stream, bytes[i]) == STREAM_QUESTION || complete;
  if (!link->open)
    return pipeline_release(&link->down) ? LINK_NOTHING : LINK_FAILED;
  link->request_bytes += size;
  return complete ? LINK_WRITE : LINK_NOTHING;
}

/* The answer to this request's write says how far the stream has come before the question in it: as
 * far as at the last request and what has gone down since. Answers that replicas send on their own,
 * once a second, say less before the write is applied and more after it. */
enum link_event link_take_up(struct link *link) {
  const char *bytes;
  size_t size = pipeline_read(&link->up, &bytes);
  bool answered = false, stray = false;
  if (size == 0)
    return LINK_FAILED;
  for (size_t i = 0; i < size; i++)
    if (stream_feed(&link->up.stream, bytes[i]) == STREAM_ACK && link->open) {
      uint64_t expected = link->offset + link->request_bytes, offset = link->up.stream.value;
      if (link->request_bytes == 0 || link->down.held != 0)
        continue; /* the write is still under way */
      if (link->known && offset > expected)
        stray = true;
      else if (link->known ? offset == expected : offset > link->offset) {
        link->offset = offset;
        answered = true;
        link->open = false;
      }
    }
  if (stray)
    return LINK_STRAY;
  if (answered)
    return LINK_ACK;
  return link->up.due_ns != MOMENT_NEVER || pipeline_release(&link->up) ? LINK_NOTHING
                                                                        : LINK_FAILED;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/services/channel.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { OUT_MOST = 1 << 20 };

void channel_init(struct channel *channel) {
  memset(channel, 0, sizeof *channel);
  pthread_mutex_init(&channel->lock, NULL);
  channel->fd = -1;
}

/* With the lock held. A broken connection is noticed by who reads. */
static void flush(struct channel *channel) {
  while (channel->fd >= 0 && channel->count > 0) {
    ssize_t sent = send(channel->fd, channel->out + channel->first, channel->count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return;
    channel->first += (size_t)sent;
    channel->count -= (size_t)sent;
  }
  if (channel->count == 0)
    channel->first = 0;
}

void channel_attach(struct channel *channel, int fd) {
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  pthread_mutex_lock(&channel->lock);
  channel->fd = fd;
  channel->in_count = 0;
  flush(channel);
  pthread_mutex_unlock(&channel->lock);
}

void channel_detach(struct channel *channel) {
  pthread_mutex_lock(&channel->lock);
  if (channel->fd >= 0)
    close(channel->fd);
  channel->fd = -1;
  channel->first = channel->count = 0;
  pthread_mutex_unlock(&channel->lock);
}

void channel_free(struct channel *channel) {
  channel_detach(channel);
  free(channel->out);
  pthread_mutex_destroy(&channel->lock);
}

/* With the lock held: place for one more frame. */
static bool room_make(struct channel *channel) {
  size_t needed = channel->count + sizeof(struct frame);
  if (channel->first + needed <= channel->size)
    return true;
  if (channel->first > 0)
    memmove(channel->out, channel->out + channel->first, channel->count);
  channel->first = 0;
  if (needed <= channel->size)
    return true;
  size_t size = channel->size == 0 ? 4096 : 2 * channel->size;
  unsigned char *out = size <= OUT_MOST ? realloc(channel->out, size) : NULL;
  if (out == NULL)
    return false;
  channel->out = out;
  channel->size = size;
  return true;
}

bool channel_send(struct channel *channel, const struct frame *frame) {
  pthread_mutex_lock(&channel->lock);
  bool good = room_make(channel);
  if (good) {
    memcpy(channel->out + channel->first + channel->count, frame, sizeof *frame);
    channel->count += sizeof *frame;
    flush(channel);
  }
  pthread_mutex_unlock(&channel->lock);
  return good;
}

void channel_flush(struct channel *channel) {
  pthread_mutex_lock(&channel->lock);
  flush(channel);
  pthread_mutex_unlock(&channel->lock);
}

/* Hands on the whole frames and keeps the rest. */
static bool frames_take(struct channel *channel,
                        void (*take)(void *context, const struct frame *frame), void *context) {
  size_t used = 0;
  for (; channel->in_count - used >= sizeof(struct frame); used += sizeof(struct frame)) {
    struct frame frame;
    memcpy(&frame, channel->in + used, sizeof frame);
    if (frame.magic != FRAME_MAGIC)
      return false;
    take(context, &frame);
  }
  channel->in_count -= used;
  memmove(channel->in, channel->in + used, channel->in_count);
  return true;
}

bool channel_read(struct channel *channel, void (*take)(void *context, const struct frame *frame),
                  void *context) {
  for (;;) {
    size_t room = sizeof channel->in - channel->in_count;
    ssize_t got = recv(channel->fd, channel->in + channel->in_count, room, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return true;
    if (got <= 0)
      return false;
    channel->in_count += (size_t)got;
    if (!frames_take(channel, take, context))
      return false;
    if ((size_t)got < room) /* the socket is empty */
      return true;
  }
}

static struct sockaddr_in address_of(uint16_t port) {
  return (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int close_failed(int fd) {
  int reason = errno;
  close(fd);
  errno = reason;
  return -1;
}

int channel_connect(uint16_t port) {
  struct sockaddr_in address = address_of(port);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return -1;
  if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
    return fd;
  return close_failed(fd);
}

int channel_listen(uint16_t port) {
  struct sockaddr_in address = address_of(port);
  int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 1024) == 0)
    return fd;
  return close_failed(fd);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Frames of 16 bytes over TCP, in this host's byte order: services, their callers and the load are
 * all at 127.0.0.1. Any thread may send; one thread, which waits for the sockets, reads. Nothing
 * blocks: what the socket does not take is kept.
 */
#ifndef EXAMPLES_SERVICES_CHANNEL_H
#define EXAMPLES_SERVICES_CHANNEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_MAGIC 0x46535054u /* "TPSF" */

enum frame_kind {
  FRAME_REQUEST = 1, /* of an endpoint */
  FRAME_REPLY,       /* to the request with this id */
  FRAME_FAILED,      /* the same, but a service that was needed is gone */
  FRAME_FASTER,      /* id: from now on, every work of this service takes so many percent less */
};

struct frame {
  uint32_t magic;
  uint16_t kind, endpoint;
  uint64_t id; /* chosen by who asks, repeated in the reply */
};

struct channel {
  pthread_mutex_t lock; /* of fd and what is to be sent */
  int fd;               /* -1 when there is no connection */
  unsigned char *out;
  size_t first, count, size; /* bytes of `out` */
  unsigned char in[4096];    /* the reading thread's */
  size_t in_count;
};

void channel_init(struct channel *channel);

/* From now on over this socket, which is made not to block; what waits is sent. */
void channel_attach(struct channel *channel, int fd);

/* Closes the socket and forgets what was to be sent. */
void channel_detach(struct channel *channel);

/* Frees what channel_init and sending took. */
void channel_free(struct channel *channel);

/* Sends, or keeps for later. False when nobody takes anything: a megabyte waits. */
bool channel_send(struct channel *channel, const struct frame *frame);

/* Sends what waits, as far as the socket takes it. */
void channel_flush(struct channel *channel);

/* Reads what has come and hands it on. False when the other side is gone, or sent what is no
 * frame. */
bool channel_read(struct channel *channel, void (*take)(void *context, const struct frame *frame),
                  void *context);

/* A socket that is connected to 127.0.0.1:port, or -1 with errno. */
int channel_connect(uint16_t port);

/* A socket that listens there, or -1 with errno. */
int channel_listen(uint16_t port);

#endif

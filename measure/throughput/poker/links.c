/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/poker/links.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { WAITING = 64 }; /* connections that the kernel keeps until they are accepted */

struct sending {
  uv_write_t request;
  uint8_t frame[WIRE_FRAME];
};

void links_init(struct links *links, uv_loop_t *loop, const struct poker_key *key, const char *name,
                const struct link_calls *calls) {
  *links = (struct links){.loop = loop, .key = key, .name = name, .calls = *calls};
}

/* --- the end of a link --------------------------------------------------------------------------
 */

static void forget(uv_handle_t *handle) {
  free(handle->data);
}

void link_close(struct link *link, const char *why) {
  struct links *links = link->links;
  if (link->closed)
    return;
  link->closed = true;
  links->calls.closed(links->calls.of, link, why);
  if (link->previous != NULL)
    link->previous->next = link->next;
  else
    links->first = link->next;
  if (link->next != NULL)
    link->next->previous = link->previous;
  links->count--;
  uv_close((uv_handle_t *)&link->tcp, forget);
}

struct link *links_find(struct links *links, uint32_t number) {
  struct link *link = links->first;
  while (link != NULL && link->number != number)
    link = link->next;
  return link;
}

void links_tick(struct links *links) {
  uint64_t now_ms = uv_now(links->loop);
  for (struct link *link = links->first, *next; link != NULL; link = next) {
    next = link->next;
    if (!link->proven && now_ms - link->born_ms > LINKS_PROVE_MS)
      link_close(link, link->connected ? "says nothing" : "cannot be reached");
  }
}

void links_close(struct links *links) {
  if (links->listens && !links->closing)
    uv_close((uv_handle_t *)&links->listener, NULL);
  links->closing = true;
  while (links->first != NULL)
    link_close(links->first, "");
}

/* --- sending ------------------------------------------------------------------------------------
 */

static void sent(uv_write_t *request, int status) {
  struct link *link = request->handle->data;
  free(request);
  if (status != 0 && status != UV_ECANCELED)
    link_close(link, uv_strerror(status));
}

/* `frame` goes out as it is. */
static bool send_frame(struct link *link, const uint8_t frame[WIRE_FRAME]) {
  if (uv_stream_get_write_queue_size((uv_stream_t *)&link->tcp) > LINKS_BACKLOG) {
    link->links->dropped++;
    link_close(link, "does not read what it is told");
    return false;
  }
  struct sending *sending = malloc(sizeof *sending);
  if (sending == NULL)
    return false;
  memcpy(sending->frame, frame, WIRE_FRAME);
  uv_buf_t bytes = uv_buf_init((char *)sending->frame, WIRE_FRAME);
  int error = uv_write(&sending->request, (uv_stream_t *)&link->tcp, &bytes, 1, sent);
  if (error != 0) {
    free(sending);
    link_close(link, uv_strerror(error));
  }
  return error == 0;
}

bool link_send(struct link *link, struct poke *poke) {
  uint8_t frame[WIRE_FRAME];
  if (link->closed || !wire_seal(&link->wire, poke, frame))
    return false;
  if (send_frame(link, frame))
    return true;
  link_close(link,
             "there is no memory for what it is to be told"); /* the sequence has a hole now */
  return false;
}

/* --- receiving ----------------------------------------------------------------------------------
 */

static void room(uv_handle_t *handle, size_t wish, uv_buf_t *bytes) {
  (void)wish;
  struct link *link = handle->data;
  *bytes = uv_buf_init(link->bytes, sizeof link->bytes);
}

/* The messages that the bytes make up. */
static void take(struct link *link, const uint8_t *bytes, size_t size) {
  struct links *links = link->links;
  while (!link->closed) {
    struct poke poke;
    size_t used = 0;
    enum wire_result result = wire_take(&link->wire, bytes, size, &used, &poke);
    bytes += used;
    size -= used;
    if (result == WIRE_MORE)
      return;
    if (result == WIRE_BROKEN) {
      link_close(link, wire_explain(&link->wire));
    } else if (poke.kind == POKE_HELLO) {
      links->calls.opened(links->calls.of, link);
    } else {
      link->proven = true;
      links->calls.message(links->calls.of, link, &poke);
    }
  }
}

static void received(uv_stream_t *stream, ssize_t got, const uv_buf_t *bytes) {
  struct link *link = stream->data;
  if (got > 0)
    take(link, (const uint8_t *)bytes->base, (size_t)got);
  else if (got < 0)
    link_close(link, got == UV_EOF ? "" : uv_strerror((int)got));
}

/* --- the beginning of a link --------------------------------------------------------------------
 */

static void set_up_socket(struct link *link) {
  uv_os_fd_t descriptor;
  unsigned silent_ms = LINKS_SILENT_MS;
  uv_tcp_nodelay(&link->tcp, 1);
  uv_tcp_keepalive(&link->tcp, 1, LINKS_SILENT_MS / 1000);
  if (uv_fileno((uv_handle_t *)&link->tcp, &descriptor) == 0)
    setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &silent_ms, sizeof silent_ms);
}

static void begin(struct link *link, enum wire_side side) {
  struct links *links = link->links;
  uint64_t nonce[2];
  uint8_t frame[WIRE_FRAME];
  link->connected = true;
  set_up_socket(link);
  int error = uv_read_start((uv_stream_t *)&link->tcp, room, received);
  if (error != 0) {
    link_close(link, uv_strerror(error));
    return;
  }
  if (getrandom(nonce, sizeof nonce, 0) != sizeof nonce) {
    link_close(link, "there are no random numbers");
    return;
  }
  wire_init(&link->wire, side, links->key->bytes, links->key->size, nonce);
  wire_greet(&link->wire, links->name, frame);
  if (!send_frame(link, frame))
    link_close(link, "there is no memory for a greeting");
}

/* A link without a connection yet; NULL when there is no memory. */
static struct link *make(struct links *links) {
  struct link *link = links->count < LINKS_MOST ? calloc(1, sizeof *link) : NULL;
  if (link == NULL)
    return NULL;
  if (uv_tcp_init(links->loop, &link->tcp) != 0) {
    free(link);
    return NULL;
  }
  link->tcp.data = link;
  link->links = links;
  link->number = ++links->numbers;
  link->born_ms = uv_now(links->loop);
  link->next = links->first;
  if (links->first != NULL)
    links->first->previous = link;
  links->first = link;
  links->count++;
  return link;
}

/* The strangers are at the limit: the one that has had the longest time makes room. */
static void make_room(struct links *links) {
  struct link *oldest = NULL;
  uint32_t strangers = 0;
  for (struct link *link = links->first; link != NULL; link = link->next)
    if (!link->proven && link->owner == NULL) {
      strangers++;
      oldest = link;
    }
  if (strangers >= LINKS_UNPROVEN)
    link_close(oldest, "makes room for others that have said nothing");
}

static void accepted(uv_stream_t *listener, int status) {
  struct links *links = listener->data;
  if (status != 0)
    return;
  make_room(links);
  struct link *link = make(links);
  if (link == NULL) { /* taken and let go, so that it does not wait for ever */
    uv_tcp_t *tcp = malloc(sizeof *tcp);
    if (tcp == NULL)
      return;
    uv_tcp_init(links->loop, tcp);
    tcp->data = tcp;
    uv_accept(listener, (uv_stream_t *)tcp);
    uv_close((uv_handle_t *)tcp, forget);
    return;
  }
  int error = uv_accept(listener, (uv_stream_t *)&link->tcp);
  if (error != 0) {
    link_close(link, uv_strerror(error));
    return;
  }
  struct sockaddr_storage peer;
  int size = sizeof peer;
  memset(&peer, 0, sizeof peer);
  uv_tcp_getpeername(&link->tcp, (struct sockaddr *)&peer, &size);
  address_print(link->where, (struct sockaddr *)&peer);
  begin(link, WIRE_ANSWERER);
}

int links_listen(struct links *links, const struct sockaddr *address, char where[ADDRESS_TEXT]) {
  int error = uv_tcp_init(links->loop, &links->listener);
  if (error != 0)
    return error;
  links->listener.data = links;
  links->listens = true;
  error = uv_tcp_bind(&links->listener, address, 0);
  if (error == 0)
    error = uv_listen((uv_stream_t *)&links->listener, WAITING, accepted);
  struct sockaddr_storage bound;
  int size = sizeof bound;
  memset(&bound, 0, sizeof bound);
  if (error == 0)
    error = uv_tcp_getsockname(&links->listener, (struct sockaddr *)&bound, &size);
  if (error == 0)
    address_print(where, (struct sockaddr *)&bound);
  return error;
}

static void connected(uv_connect_t *request, int status) {
  struct link *link = request->data;
  if (status == 0)
    begin(link, WIRE_ASKER);
  else if (status != UV_ECANCELED)
    link_close(link, uv_strerror(status));
}

struct link *links_connect(struct links *links, const struct sockaddr *address, void *owner) {
  struct link *link = links->closing ? NULL : make(links);
  if (link == NULL)
    return NULL;
  link->owner = owner;
  address_print(link->where, address);
  link->connecting.data = link;
  int error = uv_tcp_connect(&link->connecting, &link->tcp, address, connected);
  if (error == 0)
    return link;
  link->owner = NULL;
  link_close(link, uv_strerror(error));
  return NULL;
}

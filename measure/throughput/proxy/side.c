/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One connection of a pair on the libuv loop: bytes in, bytes out (inside.h).
 */
#include "measure/throughput/proxy/inside.h"

#include <stdlib.h>

struct proxy_side *proxy_side_new(struct proxy *proxy, struct proxy_pair *pair) {
  struct proxy_side *side = calloc(1, sizeof *side);
  if (side == NULL)
    return NULL;
  side->proxy = proxy;
  side->pair = pair;
  if (uv_tcp_init(proxy->loop, &side->tcp) != 0) {
    free(side);
    return NULL;
  }
  side->tcp.data = side;
  proxy->handles++;
  return side;
}

static void after_close(uv_handle_t *handle) {
  struct proxy_side *side = handle->data;
  struct proxy *proxy = side->proxy;
  proxy_buffer_free(&side->in);
  proxy_buffer_free(&side->out);
  proxy_buffer_free(&side->sent);
  free(side);
  proxy_handle_closed(proxy);
}

void proxy_side_close(struct proxy_side *side, bool reset) {
  if (side == NULL)
    return;
  side->pair = NULL;
  if (!reset || side->shut || uv_tcp_close_reset(&side->tcp, after_close) != 0)
    uv_close((uv_handle_t *)&side->tcp, after_close);
}

/* All connections read into one space: libuv calls after_read right after each reading. */
static void give_space(uv_handle_t *handle, size_t wanted, uv_buf_t *buffer) {
  (void)wanted;
  struct proxy_side *side = handle->data;
  *buffer = uv_buf_init(side->proxy->space, sizeof side->proxy->space);
}

static void after_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
  struct proxy_side *side = stream->data;
  if (side->pair == NULL || count == 0)
    return;
  if (count < 0) {
    side->ended = true;
    side->broken = count != UV_EOF;
    proxy_side_listen(side, false);
  } else {
    side->pair->moved_ms = uv_now(side->proxy->loop);
    proxy_buffer_add(&side->in, buffer->base, (size_t)count);
  }
  proxy_pair_run(side->pair);
}

void proxy_side_listen(struct proxy_side *side, bool on) {
  on = on && side->connected && !side->ended;
  if (on == side->reading)
    return;
  side->reading = on;
  if (!on) {
    uv_read_stop((uv_stream_t *)&side->tcp);
  } else if (uv_read_start((uv_stream_t *)&side->tcp, give_space, after_read) != 0) {
    side->ended = side->broken = true;
    side->reading = false;
  }
}

static void write_failed(struct proxy_side *side) {
  side->deaf = true;
  proxy_buffer_clear(&side->out, 0);
}

static void after_write(uv_write_t *write, int error) {
  struct proxy_side *side = write->data;
  side->writing = false;
  proxy_buffer_clear(&side->sent, PROXY_HIGH);
  if (side->pair == NULL)
    return;
  side->pair->moved_ms = uv_now(side->proxy->loop);
  if (error != 0)
    write_failed(side);
  proxy_pair_run(side->pair);
}

/* What could not be written at once goes to libuv; `out` is free for more. */
static void write_later(struct proxy_side *side) {
  struct proxy_buffer empty = side->sent;
  side->sent = side->out;
  side->out = empty;
  size_t size = proxy_buffer_size(&side->sent);
  uv_buf_t buffer = uv_buf_init(side->sent.bytes + side->sent.from, (unsigned)size);
  side->write.data = side;
  if (uv_write(&side->write, (uv_stream_t *)&side->tcp, &buffer, 1, after_write) == 0)
    side->writing = true;
  else
    write_failed(side);
}

void proxy_side_flush(struct proxy_side *side) {
  size_t size = proxy_buffer_size(&side->out);
  if (size == 0 || side->writing || !side->connected)
    return;
  if (side->deaf || side->shut) {
    proxy_buffer_clear(&side->out, 0);
    return;
  }
  uv_buf_t buffer = uv_buf_init(side->out.bytes + side->out.from, (unsigned)size);
  int written = uv_try_write((uv_stream_t *)&side->tcp, &buffer, 1);
  if (written < 0 && written != UV_EAGAIN) {
    write_failed(side);
    return;
  }
  if (written > 0)
    proxy_buffer_drop(&side->out, (size_t)written);
  if (proxy_buffer_size(&side->out) > 0)
    write_later(side);
}

bool proxy_side_drained(const struct proxy_side *side) {
  return !side->writing && (side->deaf || proxy_buffer_size(&side->out) == 0);
}

static void after_shutdown(uv_shutdown_t *shutdown, int error) {
  (void)shutdown; /* who reads on will learn of an error */
  (void)error;
}

void proxy_side_shut(struct proxy_side *side) {
  if (side->shut || !side->connected || !proxy_side_drained(side))
    return;
  side->shut = true;
  uv_shutdown(&side->shutdown, (uv_stream_t *)&side->tcp, after_shutdown);
}

static void after_connect(uv_connect_t *connect, int error) {
  struct proxy_side *side = connect->data;
  if (side->pair == NULL)
    return;
  if (error != 0) {
    side->ended = side->broken = true;
  } else {
    side->connected = true;
    uv_tcp_nodelay(&side->tcp, 1);
  }
  proxy_pair_run(side->pair);
}

bool proxy_side_connect(struct proxy_side *side) {
  const struct proxy *proxy = side->proxy;
  uint32_t which = (side->pair->first + side->pair->tries) % proxy->backend_count;
  const struct sockaddr_storage *address = &proxy->backends[which];
  side->connect.data = side;
  return uv_tcp_connect(&side->connect, &side->tcp, (const struct sockaddr *)address,
                        after_connect) == 0;
}

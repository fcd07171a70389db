/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Passes a backend's answer on to the client (inside.h): heads, bodies, 1xx, tunnels.
 */
#include "measure/throughput/proxy/forward.h"
#include "measure/throughput/proxy/inside.h"

static void refuse_answer(struct proxy_pair *pair, const char *why) {
  char text[160];
  snprintf(text, sizeof text, "the service's answer is no HTTP/1.1: %s", why);
  proxy_pair_refuse(pair, 502, text);
}

/* Bytes of the answer's head were used. */
static void drop_head(struct proxy_pair *pair, size_t length) {
  proxy_buffer_drop(&pair->backend->in, length);
  pair->answer_seen = 0;
}

static void start_tunnel(struct proxy_pair *pair) {
  pair->answered = true;
  pair->state = PROXY_TUNNEL;
  pair->proxy->statistics.tunnels++;
  proxy_pair_count_end(pair, true);
  uv_tcp_keepalive(&pair->client->tcp, 1, 60);
  uv_tcp_keepalive(&pair->backend->tcp, 1, 60);
}

/* 1xx: the answer proper follows, except after 101. */
static void pass_interim(struct proxy_pair *pair, const struct proxy_head *head, size_t length) {
  bool switches = head->status == 101;
  if (switches && (!pair->upgrade || !head->upgrade || !proxy_body_done(&pair->up))) {
    refuse_answer(pair, "101 although nobody asked for it");
    return;
  }
  if (pair->minor == 1) { /* 1.0 knows none */
    struct proxy_manner manner = {PROXY_NO_BODY, true};
    proxy_answer_write(&pair->client->out, head, manner, pair->minor);
    pair->informed = true;
  }
  drop_head(pair, length);
  if (switches)
    start_tunnel(pair);
}

static void pass_final(struct proxy_pair *pair, const struct proxy_head *head, size_t length) {
  bool whole = proxy_body_done(&pair->up); /* else what follows is no request, and must be left */
  struct proxy_manner manner = proxy_answer_manner(head, pair->minor, pair->keep && whole);
  bool tunnel = pair->method == PROXY_METHOD_CONNECT && head->status < 300;
  if (tunnel)
    manner.keep = true;
  proxy_answer_write(&pair->client->out, head, manner, tunnel ? 1 : pair->minor);
  pair->client_keeps = manner.keep;
  pair->backend_keeps = proxy_head_keeps(head) && head->framing != PROXY_UNTIL_CLOSE;
  proxy_body_free(&pair->down);
  proxy_body_init(&pair->down, head->framing, head->length, manner.framing);
  pair->answered = true;
  pair->proxy->statistics.errors += head->status >= 500 || head->status == 429;
  drop_head(pair, length);
  if (tunnel)
    start_tunnel(pair);
}

/* A head, if there is one; true when something changed. */
static bool take_head(struct proxy_pair *pair) {
  struct proxy_side *backend = pair->backend;
  struct proxy_head head;
  const char *why = NULL;
  size_t size = proxy_buffer_size(&backend->in);
  ptrdiff_t length = proxy_head_length(proxy_buffer_at(&backend->in), size, &pair->answer_seen);
  if (length < 0) {
    refuse_answer(pair, "a line of its head ends in LF without CR");
  } else if (length > PROXY_HEAD_MAX || (length == 0 && size > PROXY_HEAD_MAX)) {
    refuse_answer(pair, "its head is longer than 64 KiB");
  } else if (length == 0) {
    if (!backend->ended)
      return false;
    if (!proxy_pair_repeat(pair))
      proxy_pair_refuse(pair, 502, "the service closed the connection before its answer");
  } else if (proxy_answer_read(&head, proxy_buffer_at(&backend->in), (size_t)length, pair->method,
                               &why) != 0) {
    refuse_answer(pair, why);
  } else if (head.status < 200) {
    pass_interim(pair, &head, (size_t)length);
  } else {
    pass_final(pair, &head, (size_t)length);
  }
  return true;
}

bool proxy_answer_finish(struct proxy_pair *pair) {
  struct proxy_side *backend = pair->backend;
  bool whole = proxy_body_done(&pair->up);
  proxy_pair_count_end(pair, true);
  if (!whole || !pair->backend_keeps || backend->ended || backend->deaf ||
      proxy_buffer_size(&backend->in) > 0)
    proxy_pair_leave_backend(pair);
  else
    proxy_buffer_clear(&backend->in, PROXY_KEPT);
  pair->state = whole && pair->client_keeps ? PROXY_WAITING : PROXY_LAST;
  pair->since_ms = uv_now(pair->proxy->loop);
  pair->seen = 0;
  pair->answered = false;
  pair->method = PROXY_METHOD_OTHER;
  return true;
}

/* What there is of the body. */
static bool relay_body(struct proxy_pair *pair) {
  struct proxy_side *backend = pair->backend;
  struct proxy_buffer *in = &backend->in, *out = &pair->client->out;
  size_t taken = proxy_body_take(&pair->down, proxy_buffer_at(in), proxy_buffer_size(in), out);
  proxy_buffer_drop(in, taken);
  bool ended = backend->ended && proxy_buffer_size(in) == 0;
  if (ended && !backend->broken)
    proxy_body_end(&pair->down, out);
  if (proxy_body_done(&pair->down)) {
    pair->held = holding_answer(&pair->proxy->holding, pair, pair->began_ns, uv_hrtime());
    pair->state = PROXY_HELD;
    proxy_held_soon(pair->proxy);
    return true;
  }
  if (pair->down.why != NULL || ended)
    proxy_pair_refuse(pair, 502, "the service's answer is not complete"); /* breaks it off */
  return taken > 0;
}

bool proxy_answer_relay(struct proxy_pair *pair) {
  bool changed = false;
  if (proxy_buffer_size(&pair->client->out) >= PROXY_HIGH)
    return false;
  while (pair->state == PROXY_EXCHANGE && !pair->answered) {
    if (!take_head(pair))
      return changed;
    changed = true;
  }
  if (pair->state != PROXY_EXCHANGE)
    return changed;
  return relay_body(pair) || changed;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A client's connection and its backend's: every decision of the proxy is here (inside.h).
 */
#include "measure/throughput/proxy/forward.h"
#include "measure/throughput/proxy/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

static void enter(struct proxy_pair *pair, enum proxy_pair_state state) {
  pair->state = state;
  pair->since_ms = uv_now(pair->proxy->loop);
}

bool proxy_pair_is_linked(const struct proxy_pair *pair) {
  const struct proxy_pair *next = pair->next, *previous = pair->previous;
  return (previous == NULL ? pair->proxy->pairs : previous->next) == pair &&
         (next == NULL || next->previous == pair) && pair->client->pair == pair &&
         (pair->backend == NULL || pair->backend->pair == pair);
}

bool proxy_pairs_are_valid(const struct proxy *proxy) {
  uint64_t count = 0;
  for (const struct proxy_pair *pair = proxy->pairs; pair != NULL; pair = pair->next, count++)
    if (pair->proxy != proxy || !proxy_pair_is_linked(pair) || count == proxy->statistics.open)
      return false;
  return count == proxy->statistics.open;
}

static void reach_backend(struct proxy_pair *pair);

bool proxy_pair_new(struct proxy *proxy, struct proxy_side *client) {
  struct proxy_pair *pair = calloc(1, sizeof *pair);
  if (pair == NULL)
    return false;
  pair->proxy = proxy;
  pair->client = client;
  pair->next = proxy->pairs;
  if (pair->next != NULL)
    pair->next->previous = pair;
  proxy->pairs = pair;
  client->pair = pair;
  pair->moved_ms = uv_now(proxy->loop);
  enter(pair, PROXY_WAITING);
  proxy->statistics.accepted++;
  proxy->statistics.open++;
  invariant_costly(proxy_pairs_are_valid(proxy));
  speech_init(&pair->speech, &proxy->heard);
  if (proxy->relay)
    reach_backend(pair);
  proxy_pair_run(pair);
  return true;
}

void proxy_pair_count_end(struct proxy_pair *pair, bool complete) {
  struct proxy *proxy = pair->proxy;
  if (!pair->begun)
    return;
  pair->begun = false;
  proxy_pair_forget(pair, HOLDING_NEVER);
  proxy->statistics.ended++;
  proxy->statistics.complete += complete;
  if (proxy->calls.ended != NULL)
    proxy->calls.ended(proxy->calls.of, pair->began_ns, uv_hrtime());
}

void proxy_pair_leave_backend(struct proxy_pair *pair) {
  proxy_side_close(pair->backend, false);
  pair->backend = NULL;
}

void proxy_pair_free(struct proxy_pair *pair) {
  struct proxy *proxy = pair->proxy;
  invariant(proxy_pair_is_linked(pair));
  proxy_pair_count_end(pair, false);
  proxy->hears = pair;
  speech_close(&pair->speech, uv_hrtime());
  proxy_pair_forget(pair, HOLDING_NEVER);
  if (pair->previous != NULL)
    pair->previous->next = pair->next;
  else
    proxy->pairs = pair->next;
  if (pair->next != NULL)
    pair->next->previous = pair->previous;
  proxy_pair_leave_backend(pair);
  proxy_side_close(pair->client, pair->reset);
  proxy_buffer_free(&pair->head);
  proxy_body_free(&pair->up);
  proxy_body_free(&pair->down);
  proxy->statistics.open--;
  free(pair);
  invariant_costly(proxy_pairs_are_valid(proxy));
  proxy_pair_gone(proxy);
}

static void own_answer(struct proxy_pair *pair, unsigned status, const char *why) {
  if (pair->proxy->relay) { /* a reset is what every protocol has */
    pair->reset = true;
    enter(pair, PROXY_DEAD);
    return;
  }
  proxy_own_answer(&pair->client->out, status, why, pair->method != PROXY_METHOD_HEAD);
  proxy_pair_leave_backend(pair);
  enter(pair, PROXY_LAST);
}

void proxy_pair_refuse(struct proxy_pair *pair, unsigned status, const char *why) {
  struct proxy_statistics *statistics = &pair->proxy->statistics;
  statistics->unreached += !pair->begun && (status == 502 || status == 504);
  proxy_pair_count_end(pair, false);
  if (pair->answered) {
    proxy_pair_leave_backend(pair);
    pair->reset = pair->down.to == PROXY_UNTIL_CLOSE;
    enter(pair, pair->reset ? PROXY_DEAD : PROXY_LAST);
    return;
  }
  *(status == 502   ? &statistics->failed
    : status == 504 ? &statistics->timed_out
                    : &statistics->refused) += 1;
  own_answer(pair, status, why);
}

/* Connects to the backend's next address that can be tried. */
static void connect_backend(struct proxy_pair *pair) {
  enter(pair, PROXY_CONNECTING);
  for (; pair->tries < pair->proxy->backend_count; pair->tries++) {
    pair->backend = proxy_side_new(pair->proxy, pair);
    if (pair->backend == NULL)
      break;
    if (proxy_side_connect(pair->backend))
      return;
    proxy_pair_leave_backend(pair);
  }
  proxy_pair_refuse(pair, 502, "the service cannot be reached");
}

/* The address that answered last is tried first. */
static void reach_backend(struct proxy_pair *pair) {
  pair->first = pair->proxy->good;
  pair->tries = 0;
  connect_backend(pair);
}

/* Passes on what there is of the request's body. */
static bool relay_request(struct proxy_pair *pair) {
  struct proxy_buffer *in = &pair->client->in;
  struct proxy_side *backend = pair->backend;
  if (pair->state != PROXY_EXCHANGE || proxy_body_done(&pair->up))
    return false;
  if (proxy_buffer_size(in) == 0) {
    if (pair->client->ended)
      proxy_pair_refuse(pair, 400, "the connection ended within the request's body");
    return pair->client->ended;
  }
  if (proxy_buffer_size(&backend->out) >= PROXY_HIGH)
    return false;
  size_t taken =
      proxy_body_take(&pair->up, proxy_buffer_at(in), proxy_buffer_size(in), &backend->out);
  proxy_buffer_drop(in, taken);
  if (pair->up.why != NULL)
    proxy_pair_refuse(pair, 400, pair->up.why);
  return true;
}

static void hand_over(struct proxy_pair *pair) {
  struct proxy *proxy = pair->proxy;
  enter(pair, PROXY_EXCHANGE);
  proxy_buffer_add(&pair->backend->out, proxy_buffer_at(&pair->head),
                   proxy_buffer_size(&pair->head));
  if (!pair->begun) {
    pair->begun = true;
    pair->began_ns = uv_hrtime();
    proxy->statistics.begun++;
    holding_begin(&proxy->holding, pair, pair->began_ns);
    if (proxy->calls.begun != NULL)
      proxy->calls.begun(proxy->calls.of, pair->began_ns);
  }
  relay_request(pair);
}

bool proxy_pair_repeat(struct proxy_pair *pair) {
  if (!pair->repeatable || !pair->reused || pair->informed ||
      proxy_buffer_size(&pair->backend->in) > 0)
    return false;
  pair->proxy->statistics.repeated++;
  pair->reused = false;
  proxy_pair_leave_backend(pair);
  reach_backend(pair);
  return true;
}

/* What the next request says, of length bytes in the client's `in`. */
static void start_request(struct proxy_pair *pair, size_t length) {
  struct proxy_head head;
  const char *why = NULL;
  unsigned status = proxy_request_read(&head, proxy_buffer_at(&pair->client->in), length, &why);
  pair->method = head.method;
  if (status != 0) {
    proxy_pair_refuse(pair, status, why);
    return;
  }
  if (head.hops_known && head.hops == 0 && head.method == PROXY_METHOD_OPTIONS) {
    own_answer(pair, 200, "");
    return;
  }
  if (head.hops_known && head.hops == 0 && head.method == PROXY_METHOD_TRACE) {
    proxy_pair_refuse(pair, 501, "Max-Forwards is 0, and TRACE is not answered here");
    return;
  }
  pair->minor = head.minor;
  pair->keep = proxy_head_keeps(&head);
  pair->upgrade = head.upgrade;
  pair->repeatable = head.framing == PROXY_NO_BODY && head.method != PROXY_METHOD_OTHER &&
                     head.method != PROXY_METHOD_CONNECT;
  pair->answered = pair->informed = false;
  pair->answer_seen = 0;
  proxy_buffer_clear(&pair->head, PROXY_KEPT);
  proxy_request_write(&pair->head, &head, pair->proxy->host);
  proxy_body_free(&pair->up);
  proxy_body_init(&pair->up, head.framing, head.length, head.framing);
  proxy_buffer_drop(&pair->client->in, length);
  pair->reused = pair->backend != NULL;
  if (pair->backend != NULL)
    hand_over(pair);
  else
    reach_backend(pair);
}

/* What is no HTTP/1.1 by its first bytes: TLS, or HTTP/2. */
static enum speech_kind stranger(const struct proxy_buffer *in) {
  static const char preface[] = "PRI * HTTP/2.0\r\n";
  const char *bytes = proxy_buffer_at(in);
  size_t size = proxy_buffer_size(in);
  if (size >= 2 && bytes[0] == 0x16 && bytes[1] == 3)
    return SPEECH_TLS;
  return size >= sizeof preface - 1 && memcmp(bytes, preface, sizeof preface - 1) == 0
             ? SPEECH_HTTP2
             : SPEECH_UNKNOWN;
}

/* Names what is no HTTP/1.1; true when nothing more is to be read of it. */
static bool refuse_stranger(struct proxy_pair *pair) {
  enum speech_kind kind = stranger(&pair->client->in);
  if (kind == SPEECH_UNKNOWN)
    return false;
  pair->proxy->statistics.spoken[kind]++;
  if (kind != SPEECH_TLS)
    return false;
  proxy_pair_refuse(pair, 400, "this is TLS, and not HTTP/1.1");
  return true;
}

static bool take_request(struct proxy_pair *pair) {
  struct proxy_buffer *in = &pair->client->in;
  if (proxy_buffer_size(in) > 0 && proxy_pair_keep_out(pair))
    return false;
  if (refuse_stranger(pair))
    return false;
  if (pair->backend != NULL && (pair->backend->ended || proxy_buffer_size(&pair->backend->in) > 0))
    proxy_pair_leave_backend(pair); /* it closed, or said what nobody asked for */
  size_t size = proxy_buffer_size(in);
  if (size > 0 && pair->seen == 0)
    pair->since_ms = uv_now(pair->proxy->loop);
  ptrdiff_t length = proxy_head_length(proxy_buffer_at(in), size, &pair->seen);
  if (length == 0 && size <= PROXY_HEAD_MAX && !pair->client->ended)
    return false;
  pair->method = PROXY_METHOD_OTHER;
  pair->answered = false;
  pair->seen = 0;
  if (length == 2) /* an empty line before a request means nothing (RFC 9112, 2.2) */
    proxy_buffer_drop(in, 2);
  else if (length < 0)
    proxy_pair_refuse(pair, 400, "a line of the head ends in LF without CR");
  else if (size > 0 && (length > PROXY_HEAD_MAX || (length == 0 && size > PROXY_HEAD_MAX)))
    proxy_pair_refuse(pair, 431, "the head is longer than 64 KiB");
  else if (length > 0)
    start_request(pair, (size_t)length);
  else if (size > 0)
    proxy_pair_refuse(pair, 400, "the connection ended within a head");
  else
    enter(pair, PROXY_LAST); /* it ended between two requests */
  return true;
}

static bool await_connection(struct proxy_pair *pair) {
  if (pair->backend->connected) {
    pair->proxy->good = (pair->first + pair->tries) % pair->proxy->backend_count;
    if (pair->proxy->relay)
      enter(pair, PROXY_TUNNEL);
    else
      hand_over(pair);
    return true;
  }
  if (!pair->backend->ended)
    return false;
  proxy_pair_leave_backend(pair);
  pair->tries++;
  connect_backend(pair);
  return true;
}

/* One direction of a tunnel. */
static bool relay_bytes(struct proxy_pair *pair, struct proxy_side *from, struct proxy_side *to) {
  size_t size = proxy_buffer_size(&from->in);
  if (size == 0 && from->ended && !(from->broken && pair->proxy->relay))
    proxy_side_shut(to);
  if (size == 0 || proxy_buffer_size(&to->out) >= PROXY_HIGH)
    return false;
  if (pair->proxy->relay && !proxy_relay_may_pass(pair, from, &size))
    return false;
  proxy_buffer_add(&to->out, proxy_buffer_at(&from->in), size);
  proxy_buffer_drop(&from->in, size);
  return true;
}

static bool relay_tunnel(struct proxy_pair *pair) {
  struct proxy_side *client = pair->client, *backend = pair->backend;
  pair->proxy->hears = pair;
  bool there = relay_bytes(pair, client, backend), back = relay_bytes(pair, backend, client);
  if (backend->ended && proxy_buffer_size(&backend->in) == 0)
    speech_cut(&pair->speech, uv_hrtime());
  bool lost = (backend->broken || backend->deaf) && pair->held == 0;
  pair->reset = lost && pair->proxy->relay;
  if (lost || (client->shut && backend->shut))
    enter(pair, PROXY_DEAD);
  return there || back;
}

/* The last answer leaves, then the client has some time to read it: closing at once, with bytes of
 * its own unread here, could take it away from it (RFC 9112, 9.6). */
static void leave(struct proxy_pair *pair) {
  struct proxy_side *client = pair->client;
  proxy_buffer_clear(&client->in, PROXY_KEPT);
  if (!proxy_side_drained(client))
    return;
  if (client->ended)
    enter(pair, PROXY_DEAD);
  if (pair->state != PROXY_LAST)
    return;
  proxy_side_shut(client);
  enter(pair, PROXY_LINGER);
}

static bool step(struct proxy_pair *pair) {
  bool there, back;
  switch (pair->state) {
  case PROXY_WAITING:
    return take_request(pair);
  case PROXY_CONNECTING:
    return await_connection(pair);
  case PROXY_EXCHANGE:
    there = relay_request(pair);
    back = proxy_answer_relay(pair);
    return there || back;
  case PROXY_HELD:
    return pair->held == 0 && proxy_answer_finish(pair);
  case PROXY_TUNNEL:
    return relay_tunnel(pair);
  default:
    return false;
  }
}

static bool memory_failed(const struct proxy_pair *pair) {
  const struct proxy_side *client = pair->client, *backend = pair->backend;
  return pair->head.failed || client->in.failed || client->out.failed ||
         (backend != NULL && (backend->in.failed || backend->out.failed));
}

/* An answer may be held, of which nothing but what finds no room is to leave before. */
static bool keeps_back(const struct proxy_pair *pair) {
  bool of_answer = (pair->state == PROXY_EXCHANGE && pair->answered) || pair->state == PROXY_HELD;
  return of_answer && pair->proxy->holding.mode == HOLDING_ON &&
         proxy_buffer_size(&pair->client->out) < PROXY_HIGH;
}

/* True when that made room that was waited for. */
static bool flush(struct proxy_side *side) {
  if (side == NULL || (side == side->pair->client && keeps_back(side->pair)))
    return false;
  bool full = proxy_buffer_size(&side->out) >= PROXY_HIGH;
  proxy_side_flush(side);
  return full && proxy_buffer_size(&side->out) < PROXY_HIGH;
}

void proxy_pair_run(struct proxy_pair *pair) {
  struct proxy_side *client = pair->client;
  bool more = true;
  while (more) {
    if (client->broken || client->deaf)
      enter(pair, PROXY_DEAD);
    more = step(pair);
    more = flush(client) || more;
    more = flush(pair->backend) || more;
  }
  if (pair->state == PROXY_LAST || pair->state == PROXY_LINGER)
    leave(pair);
  if (pair->state == PROXY_DEAD || memory_failed(pair)) {
    proxy_pair_free(pair);
    return;
  }
  proxy_side_listen(client, proxy_buffer_size(&client->in) <= PROXY_HEAD_MAX);
  if (pair->backend != NULL)
    proxy_side_listen(pair->backend, proxy_buffer_size(&pair->backend->in) <= PROXY_HEAD_MAX);
}

/* 0, or what is to be said after the time that has passed; *over: rather nothing. */
static unsigned lateness(const struct proxy_pair *pair, uint64_t now_ms, bool *over) {
  const struct proxy_limits *limits = &pair->proxy->limits;
  uint64_t since = now_ms - pair->since_ms, still = now_ms - pair->moved_ms;
  switch (pair->state) {
  case PROXY_WAITING:
    if (proxy_buffer_size(&pair->client->in) > 0)
      return since > limits->head_ms ? 408 : 0;
    *over = still > limits->idle_ms;
    return 0;
  case PROXY_CONNECTING:
    return since > limits->connect_ms ? 504 : 0;
  case PROXY_EXCHANGE:
    if (still <= limits->answer_ms)
      return 0;
    return proxy_body_done(&pair->up) ? 504 : 408;
  case PROXY_LAST:
    *over = since > PROXY_LAST_MS;
    return 0;
  case PROXY_LINGER:
    *over = since > PROXY_LINGER_MS;
    return 0;
  default:
    return 0;
  }
}

void proxy_pair_tick(struct proxy_pair *pair, uint64_t now_ms) {
  bool over = false;
  unsigned status = lateness(pair, now_ms, &over);
  if (over) {
    proxy_pair_free(pair);
  } else if (status != 0) {
    proxy_pair_refuse(pair, status,
                      status == 408                     ? "the request did not come to its end"
                      : pair->state == PROXY_CONNECTING ? "the service cannot be reached in time"
                                                        : "the service does not answer in time");
    proxy_pair_run(pair);
  }
}

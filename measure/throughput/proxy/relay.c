/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is counted of connections whose bytes are passed on as they are (inside.h).
 */
#include "measure/throughput/proxy/inside.h"

static void begun(void *of, uint64_t at_ns) {
  struct proxy *proxy = of;
  proxy->statistics.begun++;
  holding_begin(&proxy->holding, proxy->hears, at_ns);
  if (proxy->calls.begun != NULL)
    proxy->calls.begun(proxy->calls.of, at_ns);
}

static void ended(void *of, uint64_t began_ns, uint64_t at_ns, enum speech_end end) {
  struct proxy *proxy = of;
  proxy->statistics.ended++;
  proxy->statistics.complete += end != SPEECH_CUT;
  proxy->statistics.errors += end == SPEECH_FAILED;
  if (end == SPEECH_CUT) {
    proxy_pair_forget(proxy->hears, began_ns);
  } else {
    bool held = holding_answer(&proxy->holding, proxy->hears, began_ns, at_ns);
    proxy_held_soon(proxy);
    proxy->hears->held += held;
    if (held)
      return; /* its end is told when it is due */
  }
  if (proxy->calls.ended != NULL)
    proxy->calls.ended(proxy->calls.of, began_ns, at_ns);
}

static void extended(void *of, uint64_t from_ns, uint64_t to_ns) {
  struct proxy *proxy = of;
  if (proxy->calls.extended != NULL)
    proxy->calls.extended(proxy->calls.of, from_ns, to_ns);
}

struct speech_calls proxy_relay_calls(struct proxy *proxy) {
  return (struct speech_calls){.of = proxy, .begun = begun, .ended = ended, .extended = extended};
}

static void hear(struct proxy_pair *pair, const struct proxy_side *side) {
  struct speech *speech = &pair->speech;
  enum speech_kind before = speech->kind;
  const char *bytes = proxy_buffer_at(&side->in);
  size_t size = proxy_buffer_size(&side->in);
  if (side == pair->client)
    speech_client(speech, bytes, size, uv_hrtime());
  else
    speech_server(speech, bytes, size, uv_hrtime());
  if (speech->kind != before)
    pair->proxy->statistics.spoken[speech->kind]++;
}

bool proxy_relay_may_pass(struct proxy_pair *pair, const struct proxy_side *from, size_t *size) {
  if (from == pair->client) {
    if (proxy_pair_keep_out(pair))
      return false;
    hear(pair, from);
    return true;
  }
  if (pair->held == 0 && pair->heard == 0) {
    hear(pair, from);
    pair->heard = *size;
  }
  if (pair->held != 0)
    return false;
  *size = pair->heard;
  pair->heard = 0;
  return true;
}

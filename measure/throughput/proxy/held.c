/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers that are held (inside.h): the clock and the system calls around holding.h.
 */
#include "measure/throughput/proxy/inside.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* A moment that is over, or now, makes the timer run out at once. */
static void set_timer(const struct proxy *proxy, uint64_t moment_ns) {
  moment_ns = moment_ns == 0 ? 1 : moment_ns;
  bool never = moment_ns == HOLDING_NEVER;
  const struct itimerspec at = {
      .it_value = {.tv_sec = (time_t)(never ? 0 : moment_ns / 1000000000),
                   .tv_nsec = (long)(never ? 0 : moment_ns % 1000000000)}};
  timerfd_settime(proxy->held_timer, TFD_TIMER_ABSTIME, &at, NULL);
}

void proxy_held_soon(const struct proxy *proxy) {
  bool off = proxy->holding.mode == HOLDING_OFF && proxy->holding.requests.count == 0;
  if (!off && !proxy->stopping && proxy->held_timer >= 0)
    set_timer(proxy, 1);
}

static struct proxy_pair *longest_kept_out(const struct proxy *proxy) {
  struct proxy_pair *longest = NULL;
  for (struct proxy_pair *pair = proxy->pairs; pair != NULL; pair = pair->next)
    if (pair->kept_out_ns != 0 && (longest == NULL || pair->kept_out_ns < longest->kept_out_ns))
      longest = pair;
  return longest;
}

static void let_in(struct proxy *proxy) {
  struct proxy_pair *pair;
  while (!holding_is_full(&proxy->holding, uv_hrtime()) &&
         (pair = longest_kept_out(proxy)) != NULL) {
    pair->kept_out_ns = 0;
    proxy_pair_run(pair);
  }
}

/* Passes on what is due. Not from within proxy_pair_run. */
static void run(struct proxy *proxy) {
  struct holding_request due;
  uint64_t next_ns;
  if (proxy->held_timer < 0 || proxy->stopping)
    return;
  while (holding_next(&proxy->holding, uv_hrtime(), &due, &next_ns)) {
    struct proxy_pair *pair = due.who;
    if (proxy->relay && proxy->calls.ended != NULL)
      proxy->calls.ended(proxy->calls.of, due.began_ns, uv_hrtime());
    if (--pair->held == 0)
      proxy_pair_run(pair);
  }
  let_in(proxy);
  bool closed = proxy->holding.mode == HOLDING_ONE && proxy->holding.inside == 0;
  set_timer(proxy,
            closed && proxy->holding.closed_ns < next_ns ? proxy->holding.closed_ns : next_ns);
}

static void timer_ran_out(uv_poll_t *poll, int status, int events) {
  (void)status;
  (void)events;
  struct proxy *proxy = poll->data;
  uint64_t times;
  if (read(proxy->held_timer, &times, sizeof times) > 0)
    run(proxy);
}

/* The timer, when it is first needed; false: there is none. */
static bool have_timer(struct proxy *proxy) {
  if (proxy->held_timer >= 0)
    return true;
  proxy->held_timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (proxy->held_timer < 0)
    return false;
  if (uv_poll_init(proxy->loop, &proxy->held_poll, proxy->held_timer) != 0) {
    close(proxy->held_timer);
    proxy->held_timer = -1;
    return false;
  }
  proxy->handles++;
  proxy->held_poll.data = proxy;
  return uv_poll_start(&proxy->held_poll, UV_READABLE, timer_ran_out) == 0;
}

bool proxy_hold(struct proxy *proxy, enum holding_mode mode, uint32_t workers, uint64_t own_ns) {
  if (mode == HOLDING_OFF && proxy->holding.mode == HOLDING_OFF)
    return true;
  if (!have_timer(proxy))
    return false;
  bool keeps = proxy->holding.mode != HOLDING_OFF || mode != HOLDING_LEARN;
  holding_set(&proxy->holding, mode, workers, own_ns, keeps, uv_hrtime());
  run(proxy);
  return true;
}

bool proxy_hold_pause(struct proxy *proxy, uint64_t ns) {
  if (!holding_pause(&proxy->holding, uv_hrtime(), ns))
    return false;
  run(proxy);
  return true;
}

void proxy_held(const struct proxy *proxy, struct proxy_held *held) {
  uint64_t alone_ns = holding_alone_ns(&proxy->holding), hop_ns = proxy->holding.hop_ns;
  *held = (struct proxy_held){.worked_ns = alone_ns > hop_ns ? alone_ns - hop_ns : 0,
                              .paused_ns = hold_paused(&proxy->holding.clock, uv_hrtime()),
                              .workers = holding_workers(&proxy->holding)};
}

static void handle_closed(uv_handle_t *handle) {
  proxy_handle_closed(handle->data);
}

void proxy_held_close(struct proxy *proxy) {
  if (proxy->held_timer < 0)
    return;
  uv_poll_stop(&proxy->held_poll);
  close(proxy->held_timer);
  proxy->held_timer = -1;
  uv_close((uv_handle_t *)&proxy->held_poll, handle_closed);
}

bool proxy_pair_keep_out(struct proxy_pair *pair) {
  const struct holding *holding = &pair->proxy->holding;
  if (!holding_is_full(holding, uv_hrtime()) ||
      holding_has(holding, pair)) /* more of what is under way */
    return false;
  if (pair->kept_out_ns == 0)
    pair->kept_out_ns = uv_hrtime();
  return true;
}

/* A relay has not told of the ends of those whose answers are held. */
static void tell_ends(const struct proxy_pair *pair) {
  const struct proxy *proxy = pair->proxy;
  for (size_t i = 0; i < proxy->holding.requests.count; i++) {
    const struct holding_request *request = &proxy->holding.requests.data[i];
    if (request->who == pair && request->answered && proxy->calls.ended != NULL)
      proxy->calls.ended(proxy->calls.of, request->began_ns, uv_hrtime());
  }
}

void proxy_pair_forget(struct proxy_pair *pair, uint64_t began_ns) {
  struct proxy *proxy = pair->proxy;
  if (proxy->holding.requests.count == 0)
    return;
  if (began_ns == HOLDING_NEVER && proxy->relay)
    tell_ends(pair);
  if (began_ns == HOLDING_NEVER)
    pair->held = 0;
  holding_forget(&proxy->holding, pair, began_ns, uv_hrtime());
  proxy_held_soon(proxy);
}

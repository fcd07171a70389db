/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rounds that follow the work of the service (work.h): it is looked at many times a millisecond,
 * and measure/throughput/poker/pacing.h says when the others are to pause.
 */
#include "measure/throughput/poker/work.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

static const long look_ns = 150000;

static void set_timer(const struct poker_follow *follow, long apart_ns) {
  const struct itimerspec apart = {.it_interval.tv_nsec = apart_ns, .it_value.tv_nsec = apart_ns};
  timerfd_settime(follow->timer, 0, &apart, NULL);
}

static bool is_working(const struct poker *poker) {
  const struct poker_page *page = poker->folder.page;
  uint64_t ended = __atomic_load_n(&page->ended, __ATOMIC_SEQ_CST);
  return folder_begun(&poker->folder) > ended;
}

static void look(uv_poll_t *poll, int status, int events) {
  (void)status;
  (void)events;
  struct poker *poker = poll->data;
  struct poker_follow *follow = &poker->follow;
  uint64_t times, now_ns = uv_hrtime();
  if (read(follow->timer, &times, sizeof times) < 0 || !follow->on || poker->ending ||
      !pacing_step(&follow->pacing, now_ns, is_working(poker)))
    return;
  history_add(&follow->others, now_ns, follow->pacing.until_ns);
  poker_begin_round(poker);
}

void follow_set(struct poker *poker, uint64_t saved_ppm, uint64_t pause_ns) {
  struct poker_follow *follow = &poker->follow;
  follow->on = saved_ppm != 0;
  set_timer(follow, follow->on ? look_ns : 0);
  pacing_init(&follow->pacing, saved_ppm, pause_ns, uv_hrtime());
}

int follow_start(struct poker *poker) {
  struct poker_follow *follow = &poker->follow;
  follow->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (follow->timer < 0)
    return uv_translate_sys_error(errno);
  int error = uv_poll_init(&poker->loop, &follow->poll, follow->timer);
  follow->poll.data = poker;
  return error != 0 ? error : uv_poll_start(&follow->poll, UV_READABLE, look);
}

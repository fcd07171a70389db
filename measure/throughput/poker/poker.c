/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/poker/poker.h"

#include "measure/throughput/poker/work.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_MS = 50, PATIENCE_MS = 3000, INTERNAL = 70 };

static const int passed_on[POKER_SIGNALS] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2};
enum { ENDING_SIGNALS = 3 }; /* the first ones: nothing is paused after them */

static const uint64_t giving_up_ns = 5000000000; /* for a service that cannot be watched */

/* --- events -------------------------------------------------------------------------------------
 */

static void counted(uv_poll_t *poll, int status, int events) {
  (void)status;
  (void)events;
  poker_look(poll->data);
}

static void ticked(uv_timer_t *timer) {
  struct poker *poker = timer->data;
  poker_look(poker);
  links_tick(&poker->links);
}

static void service_ended(uv_poll_t *poll, int status, int events) {
  (void)status;
  (void)events;
  uv_poll_stop(poll);
  uv_stop(poll->loop);
}

static void patience_over(uv_timer_t *timer) {
  struct poker *poker = timer->data;
  pauser_signal(poker->pauser, SIGKILL);
}

static void signalled(uv_signal_t *handle, int number) {
  struct poker *poker = handle->data;
  struct pauser_report now;
  for (int i = 0; i < ENDING_SIGNALS; i++)
    if (number == passed_on[i]) {
      pauser_signal(poker->pauser, number);
      if (poker->options->leash && !uv_is_active((uv_handle_t *)&poker->patience))
        uv_timer_start(&poker->patience, patience_over, PATIENCE_MS, 0);
      return;
    }
  pauser_report(poker->pauser, &now);
  if (now.state != PAUSE_GONE)
    kill(now.service, number);
}

/* --- beginning ----------------------------------------------------------------------------------
 */

/* Signals that come before the service is known wait in the loop. */
static int catch_signals(struct poker *poker) {
  signal(SIGPIPE, SIG_IGN);
  uv_timer_init(&poker->loop, &poker->patience);
  poker->patience.data = poker;
  for (int i = 0; i < POKER_SIGNALS; i++) {
    int error = uv_signal_init(&poker->loop, &poker->signals[i]);
    poker->signals[i].data = poker;
    if (error == 0)
      error = uv_signal_start(&poker->signals[i], signalled, passed_on[i]);
    if (error != 0) {
      fprintf(stderr, "tailproof poker: signals cannot be received: %s\n", uv_strerror(error));
      return INTERNAL;
    }
  }
  return 0;
}

static int start_service(struct poker *poker) {
  char counts[FOLDER_PATH + 32], pipe[FOLDER_PATH + 40];
  snprintf(counts, sizeof counts, "TAILPROOF_POKER=%s", poker->folder.path);
  snprintf(pipe, sizeof pipe, "TAILPROOF_POKER_COUNT=%s/count", poker->folder.path);
  char *environment[] = {counts, poker->options->count_pipe ? pipe : NULL, NULL};
  struct pauser_options options = {.command = poker->options->command,
                                   .environment = environment,
                                   .mode = poker->options->mode,
                                   .ends_service = poker->options->leash,
                                   .leftover = poker->options->leash ? poker->leftover : NULL};
  folder_paths(&poker->folder, poker->leftover_paths);
  for (int i = 0; i < 4; i++)
    poker->leftover[i] = poker->leftover_paths[i];
  struct pauser_error error;
  void (*before)(int) = signal(SIGXFSZ, SIG_DFL); /* which this program ignores */
  poker->pauser = pauser_start(&options, &error);
  signal(SIGXFSZ, before);
  if (poker->pauser != NULL)
    return 0;
  fprintf(stderr, "tailproof poker: %s\n", error.text);
  return error.exit_code;
}

static int watch(struct poker *poker, uv_poll_t *poll, int descriptor, uv_poll_cb call) {
  int error = uv_poll_init(&poker->loop, poll, descriptor);
  poll->data = poker;
  return error != 0 ? error : uv_poll_start(poll, UV_READABLE, call);
}

static int watch_all(struct poker *poker) {
  int error = watch(poker, &poker->wake, poker->folder.wake, counted);
  if (error == 0 && poker->folder.count >= 0)
    error = watch(poker, &poker->count, poker->folder.count, counted);
  if (error == 0)
    error = watch(poker, &poker->service, pauser_event(poker->pauser), service_ended);
  uv_timer_init(&poker->loop, &poker->tick);
  poker->tick.data = poker;
  if (error == 0)
    error = uv_timer_start(&poker->tick, ticked, TICK_MS, TICK_MS);
  if (error == 0)
    error = follow_start(poker);
  if (error == 0)
    error = latencies_start(poker);
  if (error == 0)
    return 0;
  fprintf(stderr, "tailproof poker: the service cannot be watched: %s\n", uv_strerror(error));
  return INTERNAL;
}

/* The line, and the file, are the last thing: whoever waits for them can begin. */
static int say_ready(struct poker *poker) {
  struct pauser_report now;
  pauser_report(poker->pauser, &now);
  for (size_t i = 0; i < poker->options->neighbour_count; i++)
    dials_add(&poker->dials, poker->options->neighbours[i]);
  if (!now.realtime)
    tell(&poker->teller, "no real-time priority (CAP_SYS_NICE): pauses are late on a busy machine");
  fprintf(stderr, "poker %s listens on %s, pauses by %s%s%s\n", poker->options->name, poker->where,
          pauser_mode_name(now.mode),
          poker->proxy == NULL            ? ""
          : poker->options->relay != NULL ? ", relay on "
                                          : ", proxy on ",
          poker->proxy != NULL ? proxy_listens(poker->proxy) : "");
  return poker_say_ready(poker);
}

/* --- all ----------------------------------------------------------------------------------------
 */

/* Nothing more is heard or begun, and what watches the service is closed before it is. */
static void leave(struct poker *poker) {
  poker_take_leave(poker);
  latencies_take(poker);
  poker->ending = true;
  uv_handle_t *const handles[] = {
      (uv_handle_t *)&poker->wake,        (uv_handle_t *)&poker->count,
      (uv_handle_t *)&poker->service,     (uv_handle_t *)&poker->tick,
      (uv_handle_t *)&poker->follow.poll, (uv_handle_t *)&poker->latencies.timer,
      (uv_handle_t *)&poker->patience};
  for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
    if (handles[i]->loop != NULL)
      uv_close(handles[i], NULL);
  uv_run(&poker->loop, UV_RUN_NOWAIT);
}

static int run(struct poker *poker) {
  int code = start_service(poker);
  if (code != 0)
    return code;
  code = watch_all(poker);
  if (code == 0)
    code = say_ready(poker);
  if (code == 0)
    uv_run(&poker->loop, UV_RUN_DEFAULT);
  leave(poker);
  if (code == 0)
    return pauser_end(poker->pauser, 0, 0);
  pauser_end(poker->pauser, SIGTERM, giving_up_ns);
  return code;
}

int poker_run(const struct poker_options *options) {
  struct poker *poker = calloc(1, sizeof *poker);
  if (poker == NULL) {
    fprintf(stderr, "tailproof poker: there is no memory\n");
    return INTERNAL;
  }
  poker->options = options;
  int code = poker_open(poker);
  if (code == 0)
    code = catch_signals(poker);
  if (code == 0)
    code = run(poker);
  poker->ending = true;
  for (int i = 0; i < POKER_SIGNALS; i++)
    if (poker->signals[i].loop != NULL)
      uv_close((uv_handle_t *)&poker->signals[i], NULL);
  if (poker_close(poker))
    free(poker);
  return code;
}

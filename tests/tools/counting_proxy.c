/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The counting proxy alone, for its tests: counting_proxy LISTEN=BACKEND [ANSWER_MS [CONNECTIONS]];
 * with --relay before all that as a relay.
 * The first line of output says where it listens. A line of input that begins with h has answers held
 * from then on, for 4 workers, o one request at a time in the service, and p a pause of an hour; every
 * line is answered by the counts so far. At the end of the standard input it stops, and
 * prints its statistics beside what the call-backs were told.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "measure/throughput/proxy/proxy.h"

static struct {
  uint64_t begun, ended, now, most, wrong;
  struct proxy *proxy;
  struct proxy_statistics last;
} told;

static void on_begun(void *of, uint64_t at_ns) {
  (void)of;
  (void)at_ns;
  told.begun++;
  if (++told.now > told.most)
    told.most = told.now;
}

static void on_ended(void *of, uint64_t began_ns, uint64_t at_ns) {
  (void)of;
  told.ended++;
  told.now--;
  told.wrong += began_ns > at_ns;
}

static void stopped(void *of) {
  (void)of;
  struct proxy_statistics *s = &told.last;
  printf("told %" PRIu64 " %" PRIu64 " wrong %" PRIu64 " most %" PRIu64 "\n", told.begun,
         told.ended, told.wrong, told.most);
  printf("accepted %" PRIu64 " begun %" PRIu64 " ended %" PRIu64 " complete %" PRIu64
         " refused %" PRIu64 " failed %" PRIu64 " timed_out %" PRIu64 " repeated %" PRIu64
         " tunnels %" PRIu64 " errors %" PRIu64 " unreached %" PRIu64,
         s->accepted, s->begun, s->ended, s->complete, s->refused, s->failed, s->timed_out,
         s->repeated, s->tunnels, s->errors, s->unreached);
  for (enum speech_kind kind = SPEECH_TURNS; kind < SPEECH_KINDS; kind++)
    printf(" spoken_%d %" PRIu64, (int)kind, s->spoken[kind]);
  printf("\n");
}

static void give_byte(uv_handle_t *handle, size_t wanted, uv_buf_t *buffer) {
  (void)handle;
  (void)wanted;
  static char bytes[64];
  *buffer = uv_buf_init(bytes, sizeof bytes);
}

static void print_now(void) {
  struct proxy_statistics now;
  proxy_statistics(told.proxy, &now);
  printf("now begun %" PRIu64 " complete %" PRIu64 " repeated %" PRIu64 "\n", now.begun,
         now.complete, now.repeated);
  fflush(stdout);
}

static void obey(char what) {
  const uint64_t hour_ns = 3600000000000;
  bool good = what == 'h'   ? proxy_hold(told.proxy, HOLDING_ON, 4, 0)
              : what == 'o' ? proxy_hold(told.proxy, HOLDING_ONE, 0, 0)
              : what == 'p' ? proxy_hold_pause(told.proxy, hour_ns)
                            : true;
  if (!good)
    abort();
  print_now();
}

/* Its end stops the proxy. */
static void on_input(uv_stream_t *input, ssize_t count, const uv_buf_t *buffer) {
  if (count >= 0) {
    if (count > 0)
      obey(buffer->base[0]);
    return;
  }
  uv_close((uv_handle_t *)input, NULL);
  proxy_statistics(told.proxy, &told.last);
  proxy_stop(told.proxy, stopped, NULL);
}

int main(int count, char **arguments) {
  bool relay = count > 1 && strcmp(arguments[1], "--relay") == 0;
  count -= relay;
  arguments += relay;
  if (count < 2) {
    fprintf(stderr, "usage: counting_proxy [--relay] LISTEN=BACKEND [ANSWER_MS [CONNECTIONS]]\n");
    return 64;
  }
  signal(SIGPIPE, SIG_IGN);
  char message[PROXY_MESSAGE];
  struct proxy_calls calls = {.begun = on_begun, .ended = on_ended};
  struct proxy_limits limits = {0};
  if (count > 2)
    limits.answer_ms = limits.head_ms = limits.idle_ms = strtoull(arguments[2], NULL, 10);
  if (count > 3)
    limits.connections = (uint32_t)strtoul(arguments[3], NULL, 10);
  uv_loop_t *loop = uv_default_loop();
  uv_pipe_t input;
  if ((relay ? proxy_start_relay : proxy_start)(&told.proxy, loop, arguments[1], &calls, &limits,
                                                message) != 0) {
    fprintf(stderr, "%s\n", message);
    uv_run(loop, UV_RUN_DEFAULT);
    uv_loop_close(loop);
    return 64;
  }
  printf("%s\n", proxy_listens(told.proxy));
  fflush(stdout);
  if (uv_pipe_init(loop, &input, 0) != 0 || uv_pipe_open(&input, 0) != 0 ||
      uv_read_start((uv_stream_t *)&input, give_byte, on_input) != 0) {
    fprintf(stderr, "the standard input must be a pipe\n");
    return 70;
  }
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) == 0 ? 0 : 70;
}

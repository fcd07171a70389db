/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many requests the counting proxy passes on: wrk asks a small server on loopback, then the
 * same server through the proxy, over kept connections. The proxy is one thread, so that its
 * requests per second of processor time are what one core of this machine would take; the ratio of
 * the two rates is of one machine that wrk, server and proxy share.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/throughput/proxy/proxy.h"

enum { CONNECTIONS = 64, SECONDS = 4 };

static const char answer[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 64\r\n\r\n"
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static void fail(const char *what) {
  fprintf(stderr, "bench/proxy: %s\n", what);
  exit(EXIT_FAILURE);
}

/* ---- the server: one answer for each empty line, as long as each request comes in one piece */

static char space[65536];

static void give_space(uv_handle_t *handle, size_t wanted, uv_buf_t *buffer) {
  (void)handle;
  (void)wanted;
  *buffer = uv_buf_init(space, sizeof space - 1);
}

static void forget(uv_handle_t *handle) {
  free(handle);
}

static void after_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
  if (count < 0) {
    uv_close((uv_handle_t *)stream, forget);
    return;
  }
  buffer->base[count] = '\0';
  for (const char *at = buffer->base; (at = strstr(at, "\r\n\r\n")) != NULL; at += 4) {
    uv_buf_t bytes = uv_buf_init((char *)(uintptr_t)answer, sizeof answer - 1);
    uv_try_write(stream, &bytes, 1);
  }
}

static void after_arrival(uv_stream_t *listener, int error) {
  uv_tcp_t *client = malloc(sizeof *client);
  if (error != 0 || client == NULL || uv_tcp_init(listener->loop, client) != 0 ||
      uv_accept(listener, (uv_stream_t *)client) != 0)
    fail("the server cannot accept");
  uv_read_start((uv_stream_t *)client, give_space, after_read);
}

static void serve(int port_pipe) {
  uv_loop_t *loop = uv_default_loop();
  uv_tcp_t listener;
  struct sockaddr_in address = {.sin_family = AF_INET};
  int length = sizeof address;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  uv_tcp_init(loop, &listener);
  if (uv_tcp_bind(&listener, (struct sockaddr *)&address, 0) != 0 ||
      uv_listen((uv_stream_t *)&listener, 1024, after_arrival) != 0 ||
      uv_tcp_getsockname(&listener, (struct sockaddr *)&address, &length) != 0)
    fail("the server cannot listen");
  char text[PROXY_ADDRESS];
  snprintf(text, sizeof text, "127.0.0.1:%u", ntohs(address.sin_port));
  if (write(port_pipe, text, sizeof text) != sizeof text)
    fail("pipe");
  uv_run(loop, UV_RUN_DEFAULT);
}

/* ---- the proxy */

static uint64_t counted[2];

static void on_begun(void *of, uint64_t at_ns) {
  (void)of;
  (void)at_ns;
  counted[0]++;
}

static void on_ended(void *of, uint64_t began_ns, uint64_t at_ns) {
  (void)of;
  (void)began_ns;
  (void)at_ns;
  counted[1]++;
}

static void on_signal(uv_signal_t *signal_handle, int number) {
  (void)number;
  uv_stop(signal_handle->loop);
}

static const char *backend;

static void pass_on(int pipe_end) {
  char message[PROXY_MESSAGE], where[2 * PROXY_ADDRESS], text[PROXY_ADDRESS] = "";
  struct proxy_calls calls = {.begun = on_begun, .ended = on_ended};
  struct proxy *proxy;
  uv_loop_t *loop = uv_default_loop();
  uv_signal_t ending;
  signal(SIGPIPE, SIG_IGN);
  uv_signal_init(loop, &ending);
  uv_signal_start(&ending, on_signal, SIGTERM);
  snprintf(where, sizeof where, "127.0.0.1:0=%s", backend);
  if (proxy_start(&proxy, loop, where, &calls, NULL, message) != 0)
    fail(message);
  snprintf(text, sizeof text, "%s", proxy_listens(proxy));
  if (write(pipe_end, text, sizeof text) != sizeof text)
    fail("pipe");
  uv_run(loop, UV_RUN_DEFAULT);
  if (write(pipe_end, counted, sizeof counted) != sizeof counted)
    fail("pipe");
}

/* ---- both as children, and wrk */

static pid_t start(void (*what)(int), char text[PROXY_ADDRESS], int *pipe_end) {
  int ends[2];
  if (pipe(ends) != 0)
    fail("pipe");
  pid_t child = fork();
  if (child < 0)
    fail("fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    what(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  if (read(ends[0], text, PROXY_ADDRESS) != PROXY_ADDRESS)
    fail("a child did not start");
  *pipe_end = ends[0];
  return child;
}

static double rate_at(const char *address) {
  char command[256], line[256];
  double rate = 0;
  snprintf(command, sizeof command, "wrk -t1 -c%d -d%ds http://%s/ 2>/dev/null", CONNECTIONS,
           SECONDS, address);
  FILE *wrk = popen(command, "r");
  while (wrk != NULL && fgets(line, sizeof line, wrk) != NULL)
    sscanf(line, "Requests/sec: %lf", &rate);
  if (wrk == NULL || pclose(wrk) != 0 || rate <= 0)
    fail("wrk does not work (apt-get install wrk)");
  return rate;
}

static void row(const char *what, const char *format, double value, const char *target) {
  char text[32];
  snprintf(text, sizeof text, format, value);
  printf("%-58s %14s   %s\n", what, text, target);
}

int main(void) {
  char at_server[PROXY_ADDRESS], at_proxy[PROXY_ADDRESS];
  int server_pipe, proxy_pipe;
  uint64_t requests[2] = {0};
  struct rusage usage;
  pid_t server = start(serve, at_server, &server_pipe);
  backend = at_server;
  pid_t proxy = start(pass_on, at_proxy, &proxy_pipe);
  double alone = rate_at(at_server), through = rate_at(at_proxy);
  kill(proxy, SIGTERM);
  if (read(proxy_pipe, requests, sizeof requests) != sizeof requests ||
      wait4(proxy, NULL, 0, &usage) != proxy)
    fail("the proxy did not end");
  kill(server, SIGKILL);
  waitpid(server, NULL, 0);
  double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                   (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  row("proxy: requests a second of one processor", "%.0f", (double)requests[0] / seconds,
      "> 20 000");
  row("proxy: requests a second, over the server alone", "%.2f", through / alone, "reported");
  row("proxy: requests a second, server alone", "%.0f", alone, "reported");
  row("proxy: requests begun that did not end", "%.0f", (double)(requests[0] - requests[1]),
      "at most the 64 under way");
  return EXIT_SUCCESS;
}

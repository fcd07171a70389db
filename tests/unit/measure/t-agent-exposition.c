/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The agent's port of metrics under clients that never end their request: whoever asks is answered.
 * Time is what the test says it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/agent/exposition.h"

enum { TURNS = 20000, CLIENTS = 70 };

struct served {
  struct exposition *exposition;
  struct fleet fleet;
  struct agent_counts counts;
  struct page_source source;
  struct sockaddr_in place;
  uint64_t now_ns;
};

static void serve(struct served *s) {
  memset(s, 0, sizeof *s);
  s->now_ns = 1000;
  s->source = (struct page_source){.node = "a", .fleet = &s->fleet, .counts = &s->counts};
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  s->place = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof s->place;
  assert_int_equal(bind(listener, (struct sockaddr *)&s->place, length), 0);
  assert_int_equal(listen(listener, 128), 0);
  assert_int_equal(getsockname(listener, (struct sockaddr *)&s->place, &length), 0);
  struct text message;
  text_init(&message);
  s->exposition = exposition_open(listener, &s->source, &message);
  assert_non_null(s->exposition);
  text_clear(&message);
}

/* A connection from 127.0.0.HOST that has sent the text. */
static int ask(struct served *s, unsigned host, const char *text) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(0x7f000000U + host)}};
  assert_int_equal(bind(fd, (struct sockaddr *)&own, sizeof own), 0);
  assert_int_equal(connect(fd, (struct sockaddr *)&s->place, sizeof s->place), 0);
  assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
  for (int i = 0; i < 20; i++)
    exposition_run(s->exposition, s->now_ns);
  return fd;
}

/* Whether the agent answers it, with 200; false when it is cut off. */
static bool is_answered(struct served *s, int fd) {
  char bytes[64] = "";
  for (int i = 0; i < TURNS; i++) {
    exposition_run(s->exposition, s->now_ns);
    ssize_t got = recv(fd, bytes, sizeof bytes - 1, MSG_DONTWAIT);
    if (got >= 0)
      return got > 0 && strncmp(bytes, "HTTP/1.1 200", 12) == 0;
  }
  return false;
}

/* How many of them are not cut off. */
static size_t open_of(struct served *s, const int *fds, size_t count) {
  size_t open = 0;
  for (int i = 0; i < 200; i++)
    exposition_run(s->exposition, s->now_ns);
  for (size_t i = 0; i < count; i++) {
    char byte;
    open += recv(fds[i], &byte, 1, MSG_DONTWAIT) < 0;
  }
  return open;
}

static void close_all(struct served *s, const int *fds, size_t count) {
  for (size_t i = 0; i < count; i++)
    close(fds[i]);
  exposition_close(s->exposition);
}

#define SLOW "GET /metrics HTTP/1.1\r\nX: "
#define WHOLE "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"

static void test_one_slow_address(void **state) {
  (void)state;
  struct served s;
  serve(&s);
  int slow[CLIENTS];
  for (size_t i = 0; i < CLIENTS; i++)
    slow[i] = ask(&s, 1, SLOW);
  assert_int_equal(open_of(&s, slow, CLIENTS), EXPOSITION_PER_ADDRESS);
  for (unsigned host = 1; host < 4; host++) { /* from the same host, too */
    int fd = ask(&s, host, WHOLE);
    assert_true(is_answered(&s, fd));
    close(fd);
  }
  close_all(&s, slow, CLIENTS);
}

static void test_many_slow_addresses(void **state) {
  (void)state;
  struct served s;
  serve(&s);
  int slow[CLIENTS];
  for (size_t i = 0; i < CLIENTS; i++)
    slow[i] = ask(&s, (unsigned)i + 2, SLOW);
  assert_int_equal(open_of(&s, slow, CLIENTS), EXPOSITION_CONNECTIONS);
  int fd = ask(&s, 1, WHOLE);
  assert_true(is_answered(&s, fd));
  close(fd);
  close_all(&s, slow, CLIENTS);
}

static void test_a_request_ends(void **state) {
  (void)state;
  struct served s;
  serve(&s);
  int slow = ask(&s, 1, SLOW), silent = ask(&s, 2, "");
  s.now_ns += EXPOSITION_REQUEST_NS;
  assert_int_equal(send(slow, "x", 1, MSG_NOSIGNAL), 1);
  assert_int_equal(open_of(&s, &slow, 1), 1);
  assert_int_equal(open_of(&s, &silent, 1), 1);
  s.now_ns++;
  assert_int_equal(open_of(&s, &slow, 1), 0);
  assert_int_equal(open_of(&s, &silent, 1), 0);
  close(silent);
  close_all(&s, &slow, 1);
}

/* A connection that is kept has a new request's time behind each answer. */
static void test_kept(void **state) {
  (void)state;
  struct served s;
  serve(&s);
  int fd = ask(&s, 1, WHOLE);
  assert_true(is_answered(&s, fd));
  for (int i = 0; i < 3; i++) {
    char rest[4096];
    for (int k = 0; k < 200; k++) {
      exposition_run(s.exposition, s.now_ns);
      while (recv(fd, rest, sizeof rest, MSG_DONTWAIT) > 0)
        ;
    }
    s.now_ns += EXPOSITION_REQUEST_NS / 2 + 1;
    assert_int_equal(send(fd, WHOLE, strlen(WHOLE), MSG_NOSIGNAL), (ssize_t)strlen(WHOLE));
    assert_true(is_answered(&s, fd));
  }
  close_all(&s, &fd, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_slow_address), cmocka_unit_test(test_many_slow_addresses),
      cmocka_unit_test(test_a_request_ends), cmocka_unit_test(test_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

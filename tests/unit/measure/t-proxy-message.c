/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the counting proxy makes of heads and bodies, to the byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fuzz/proxy_pass.h"

static void assert_text(const struct proxy_buffer *buffer, const char *text) {
  assert_int_equal(proxy_buffer_size(buffer), strlen(text));
  assert_memory_equal(proxy_buffer_at(buffer), text, strlen(text));
}

/* Passes on whole, in seven sorts of pieces and byte by byte as `out`. */
static void assert_passes(bool answer, enum proxy_method method, const char *text,
                          const char *out) {
  struct passed passed;
  for (uint32_t seed = 0; seed < 8; seed++) {
    pass(&passed, answer, method, text, strlen(text), seed);
    assert_int_equal(passed.status, 0);
    assert_true(passed.complete);
    if (passed.framing_out != PROXY_CHUNKED || seed == 0)
      assert_text(&passed.out, out);
    passed_free(&passed);
  }
}

static void requests(void **state) {
  (void)state;
  assert_passes(false, 0, "GET /a?b HTTP/1.1\r\nHost: h\r\nAccept:  x \t\r\n\r\nrest",
                "GET /a?b HTTP/1.1\r\nHost: h\r\nAccept: x\r\nVia: 1.1 tailproof\r\n\r\n");
  assert_passes(false, 0,
                "GET / HTTP/1.1\r\nA: 1\r\nconnection: A, close,, content-length\r\nHost: h\r\n"
                "Content-Length: 2\r\n\r\nab",
                "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nVia: 1.1 tailproof\r\n\r\nab");
  assert_passes(false, 0, "GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: backend:80\r\nVia: 1.0 tailproof\r\n\r\n");
  assert_passes(false, 0, "GET https://a:1?q HTTP/1.1\r\nHost: b\r\n\r\n",
                "GET https://a:1?q HTTP/1.1\r\nHost: a:1\r\nVia: 1.1 tailproof\r\n\r\n");
  assert_passes(false, 0,
                "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                "TE: trailers;q=0, trailers\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nTE: trailers\r\n"
                "Connection: upgrade, TE\r\nVia: 1.1 tailproof\r\n\r\n");
  assert_passes(false, 0, "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: h\r\nVia: 1.1 tailproof\r\n\r\n");
  assert_passes(false, 0, "OPTIONS * HTTP/1.1\r\nHost:\r\nMax-Forwards: 010\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: \r\nMax-Forwards: 9\r\nVia: 1.1 tailproof\r\n\r\n");
  assert_passes(
      false, 0,
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "003;a\r\nabc\r\nA ;b=\"c\"\r\n0123456789\r\n0\r\nSum: 1\r\nContent-Length: 9\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nVia: 1.1 tailproof\r\n\r\n"
      "3\r\nabc\r\na\r\n0123456789\r\n0\r\nSum: 1\r\n\r\n");
}

static void answers(void **state) {
  (void)state;
  assert_passes(
      true, PROXY_METHOD_SAFE,
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\nKeep-Alive: 5\r\n\r\nabcd",
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
  assert_passes(true, PROXY_METHOD_SAFE, "HTTP/1.0 404\r\n\r\nuntil",
                "HTTP/1.1 404 \r\nTransfer-Encoding: chunked\r\n\r\n5\r\nuntil\r\n0\r\n\r\n");
  assert_passes(true, PROXY_METHOD_HEAD, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n");
  assert_passes(true, PROXY_METHOD_SAFE, "HTTP/1.1 204 None\r\nContent-Length: 3\r\n\r\n",
                "HTTP/1.1 204 None\r\n\r\n");
  assert_passes(true, PROXY_METHOD_SAFE, "HTTP/1.1 304 Same\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 304 Same\r\n\r\n");
  assert_passes(true, PROXY_METHOD_SAFE,
                "HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nbytes",
                "HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n");
}

/* For a client of 1.0, or one that closes. */
static void manners(void **state) {
  (void)state;
  struct proxy_head head = {.status = 200, .framing = PROXY_CHUNKED};
  struct proxy_manner manner = proxy_answer_manner(&head, 0, true);
  assert_int_equal(manner.framing, PROXY_UNTIL_CLOSE);
  assert_false(manner.keep);
  head.framing = PROXY_LENGTH;
  assert_true(proxy_answer_manner(&head, 0, true).keep);
  assert_false(proxy_answer_manner(&head, 1, false).keep);
  head.framing = PROXY_UNTIL_CLOSE;
  assert_true(proxy_answer_manner(&head, 1, true).keep);
  head = (struct proxy_head){.minor = 0};
  assert_false(proxy_head_keeps(&head));
  head.keep_alive = true;
  assert_true(proxy_head_keeps(&head));
  head.close = true;
  assert_false(proxy_head_keeps(&head));
}

static unsigned refusal(bool answer, const char *bytes, size_t size) {
  struct passed passed;
  pass(&passed, answer, PROXY_METHOD_SAFE, bytes, size, 0);
  unsigned status = passed.status;
  assert_false(status != 0 && passed.complete);
  passed_free(&passed);
  return status;
}

static void refused(void **state) {
  (void)state;
  static const struct {
    bool answer;
    unsigned status;
    const char *text;
  } rows[] = {
      {false, 400, "GET /\x01 HTTP/1.1\r\nHost: h\r\n\r\n"},
      {false, 400, "GET /\x80 HTTP/1.1\r\nHost: h\r\n\r\n"},
      {false, 400, "GET / HTTP/1.1 \r\nHost: h\r\n\r\n"},
      {false, 400, "GET / HTTP/11\r\nHost: h\r\n\r\n"},
      {false, 400, "GET / http/1.1\r\nHost: h\r\n\r\n"},
      {false, 505, "GET / HTTP/2.0\r\nHost: h\r\n\r\n"},
      {false, 400, "G(T / HTTP/1.1\r\nHost: h\r\n\r\n"},
      {false, 400, "GET * HTTP/1.1\r\nHost: h\r\n\r\n"},
      {false, 400, "GET http:/// HTTP/1.1\r\nHost: h\r\n\r\n"},
      {false, 400, "GET http://u@h/ HTTP/1.1\r\nHost: h\r\n\r\n"},
      {false, 400, "CONNECT /h HTTP/1.1\r\nHost: h\r\n\r\n"},
      {false, 400, " GET / HTTP/1.1\r\nHost: h\r\n\r\n"},
      {false, 400, "GET / HTTP/1.1\r\n Host: h\r\n\r\n"},
      {false, 400, "GET / HTTP/1.1\r\nHost: h\r\nA: \x7f\r\n\r\n"},
      {false, 400, "GET / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\n"},
      {false, 400, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n;a\r\n"},
      {false, 400, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\n"},
      {false, 400,
       "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA : b\r\n\r\n"},
      {false, 400,
       "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n8000000000000000\r\n"},
      {true, 502, "HTTP/1.1 20 OK\r\n\r\n"},
      {true, 502, "HTTP/1.1 099 OK\r\n\r\n"},
      {true, 502, "HTTP/1.1 2000 OK\r\n\r\n"},
      {true, 502, "HTTP/2.0 200 OK\r\n\r\n"},
      {true, 502, "HTTP/1.1 200 OK\nA: b\n\n"},
      {true, 502, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na"},
      {true, 502, "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (refusal(rows[i].answer, rows[i].text, strlen(rows[i].text)) != rows[i].status)
      fail_msg("not %u: %s", rows[i].status, rows[i].text);
}

/* At a limit and beyond. */
static void limits(void **state) {
  (void)state;
  static const char start[] = "GET / HTTP/1.1\r\nHost: h\r\nA: ", end[] = "\r\n\r\n";
  char *bytes = malloc(PROXY_HEAD_MAX + 64);
  assert_non_null(bytes);
  memset(bytes, 'a', PROXY_HEAD_MAX + 64);
  memcpy(bytes, start, strlen(start));
  memcpy(bytes + PROXY_HEAD_MAX - 4, end, 4);
  assert_int_equal(refusal(false, bytes, PROXY_HEAD_MAX), 0);
  memset(bytes + PROXY_HEAD_MAX - 4, 'a', 4);
  memcpy(bytes + PROXY_HEAD_MAX - 3, end, 4);
  assert_int_equal(refusal(false, bytes, PROXY_HEAD_MAX + 1), 431);
  size_t size = strlen("GET / HTTP/1.1\r\nHost: h\r\n");
  for (int i = 1; i < PROXY_FIELDS; i++, size += 4)
    memcpy(bytes + size, "B:\r\n", 4);
  memcpy(bytes + size, "\r\n", 2);
  assert_int_equal(refusal(false, bytes, size + 2), 0);
  memcpy(bytes + size, "B:\r\n\r\n", 6);
  assert_int_equal(refusal(false, bytes, size + 6), 431);
  size = (size_t)snprintf(bytes, 256,
                          "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;");
  memset(bytes + size, 'a', PROXY_EXTENSION_MAX + 1);
  memcpy(bytes + size + PROXY_EXTENSION_MAX, "\r\n", 2);
  assert_int_equal(refusal(false, bytes, size + PROXY_EXTENSION_MAX + 2), 0);
  memcpy(bytes + size + PROXY_EXTENSION_MAX, "a\r\n", 3);
  assert_int_equal(refusal(false, bytes, size + PROXY_EXTENSION_MAX + 3), 400);
  free(bytes);
}

/* Bytes go through in order whatever is added and taken. */
static void buffers(void **state) {
  (void)state;
  struct proxy_buffer buffer = {0};
  uint32_t seed = 5;
  unsigned char in = 0, out = 0;
  for (int i = 0; i < 20000; i++) {
    seed = seed * 1664525u + 1013904223u;
    char bytes[64];
    size_t size = seed >> 26;
    for (size_t k = 0; k < size; k++)
      bytes[k] = (char)in++;
    proxy_buffer_add(&buffer, bytes, size);
    size_t taken = (seed >> 10) % 80, held = proxy_buffer_size(&buffer);
    taken = taken < held ? taken : held;
    for (size_t k = 0; k < taken; k++)
      assert_int_equal((unsigned char)proxy_buffer_at(&buffer)[k], out++);
    proxy_buffer_drop(&buffer, taken);
  }
  assert_int_equal(proxy_buffer_size(&buffer) % 256, (unsigned char)(in - out));
  assert_true(buffer.room <= 1 << 16);
  proxy_buffer_free(&buffer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(requests), cmocka_unit_test(answers), cmocka_unit_test(manners),
      cmocka_unit_test(refused),  cmocka_unit_test(limits),  cmocka_unit_test(buffers),
  };
  return cmocka_run_group_tests_name("the proxy's messages", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which bytes of a conversation begin and end requests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/throughput/proxy/speech.h"

/* What was told, as text: "b" begun, "e" served, "f" failed, "c" cut, "+" extended. */
static struct {
  char text[4096];
  size_t length;
} told;

static void tell(char what) {
  if (told.length + 1 < sizeof told.text)
    told.text[told.length++] = what;
  told.text[told.length] = '\0';
}

static void begun(void *of, uint64_t at_ns) {
  (void)of;
  (void)at_ns;
  tell('b');
}

static void ended(void *of, uint64_t began_ns, uint64_t at_ns, enum speech_end end) {
  (void)of;
  assert_true(began_ns <= at_ns);
  tell("efc"[end]);
}

static void extended(void *of, uint64_t from_ns, uint64_t to_ns) {
  (void)of;
  assert_true(from_ns < to_ns);
  tell('+');
}

static const struct speech_calls calls = {.begun = begun, .ended = ended, .extended = extended};

/* One side's bytes; the other's begin with '<'. */
struct said {
  const char *bytes;
  size_t size;
};
#define SAYS(text)                                                                                 \
  { "" text, sizeof(text) - 1 }

static void hear(struct speech *speech, const struct said *all, size_t count, size_t piece) {
  uint64_t now_ns = 1000;
  for (size_t i = 0; i < count; i++) {
    bool server = all[i].bytes[0] == '<';
    const char *bytes = all[i].bytes + 1;
    size_t size = all[i].size - 1;
    for (size_t at = 0, now; at < size; at += now, now_ns += 10) {
      now = size - at < piece ? size - at : piece;
      (server ? speech_server : speech_client)(speech, bytes + at, now, now_ns);
    }
  }
}

/* In pieces of every size up to 40, and whole; "+" may come more often in pieces. */
static void assert_heard(enum speech_kind kind, const char *expected, const struct said *all,
                         size_t count) {
  for (size_t piece = 1; piece <= 41; piece++) {
    struct speech speech;
    told.length = 0;
    told.text[0] = '\0';
    speech_init(&speech, &calls);
    hear(&speech, all, count, piece == 41 ? SIZE_MAX : piece);
    assert_int_equal(speech.kind, kind);
    speech_close(&speech, 1000000);
    size_t kept = 0;
    for (size_t i = 0; i < told.length; i++)
      if (told.text[i] != '+' || piece == 41)
        told.text[kept++] = told.text[i];
    told.text[kept] = '\0';
    char plain[256];
    size_t length = 0;
    for (const char *at = expected; *at != '\0'; at++)
      if (*at != '+' || piece == 41)
        plain[length++] = *at;
    plain[length] = '\0';
    assert_string_equal(told.text, plain);
  }
}

#define HEARD(kind, expected, ...)                                                                 \
  do {                                                                                             \
    static const struct said all[] = {__VA_ARGS__};                                                \
    assert_heard(kind, expected, all, sizeof all / sizeof *all);                                   \
  } while (0)

#define PING "*1\r\n$4\r\nPING\r\n"

static void redis(void **state) {
  (void)state;
  HEARD(SPEECH_RESP, "bebe", SAYS(">" PING), SAYS("<+PONG\r\n"),
        SAYS(">*2\r\n$3\r\nGET\r\n$1\r\nx\r\n"), SAYS("<$5\r\na\r\nbc\r\n"));
  /* pipelined */
  HEARD(SPEECH_RESP, "bbbeee", SAYS(">" PING PING PING),
        SAYS("<+A\r\n:1\r\n*2\r\n$1\r\nx\r\n*-1\r\n"));
  /* what the command is to blame for is served, overload is not */
  HEARD(SPEECH_RESP, "bebfbf", SAYS(">" PING), SAYS("<-ERR unknown\r\n"), SAYS(">" PING),
        SAYS("<-OOM command not allowed\r\n"), SAYS(">" PING), SAYS("<-LOADING Redis is\r\n"));
  /* RESP3: messages that nobody asked for, attributes before an answer, a map, null */
  HEARD(SPEECH_RESP, "bebbee", SAYS(">*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n"),
        SAYS("<%1\r\n$5\r\nproto\r\n:3\r\n"), SAYS(">" PING PING),
        SAYS("<>2\r\n+message\r\n+x\r\n|1\r\n+ttl\r\n:1\r\n#t\r\n_\r\n"));
  /* no answer is cut; answers to nobody are none */
  HEARD(SPEECH_RESP, "bebc", SAYS(">" PING), SAYS("<+A\r\n+B\r\n"), SAYS("<+C\r\n"),
        SAYS(">*1\r\n$4\r\nPI"), SAYS(">NG\r\n"));
  /* inline commands are counted by turns */
  HEARD(SPEECH_TURNS, "bebe", SAYS(">PING\r\n"), SAYS("<+PONG\r\n"), SAYS(">PING\r\n"),
        SAYS("<+PONG\r\n"));
}

#define START ">\0\0\0\x0d\0\3\0\0user\0"
#define READY "Z\0\0\0\5I"
#define LET_IN                                                                                     \
  "<R\0\0\0\x08\0\0\0\0S\0\0\0\x08"                                                                \
  "a\0b\0" READY
#define QUERY "Q\0\0\0\x0dselect 1\0"
#define ROWS "T\0\0\0\6\0\0D\0\0\0\6\0\0C\0\0\0\4"

static void postgres(void **state) {
  (void)state;
  HEARD(SPEECH_POSTGRES, "bebe", SAYS(START), SAYS(LET_IN), SAYS(">" QUERY), SAYS("<" ROWS READY),
        SAYS(">" QUERY), SAYS("<" ROWS READY), SAYS(">X\0\0\0\4"));
  /* a password is no request; TLS that the server does not have */
  HEARD(SPEECH_POSTGRES, "be", SAYS(">\0\0\0\x08\x04\xd2\x16\x2f"), SAYS("<N"), SAYS(START),
        SAYS("<R\0\0\0\x08\0\0\0\3"), SAYS(">p\0\0\0\6x\0"), SAYS(LET_IN), SAYS(">" QUERY),
        SAYS("<" ROWS READY));
  /* and that it has */
  HEARD(SPEECH_TLS, "bebe", SAYS(">\0\0\0\x08\x04\xd2\x16\x2f"), SAYS("<S"), SAYS(">\x16\3\1"),
        SAYS("<\x16\3\3"), SAYS(">\x17\3\3"), SAYS("<\x17\3\3"));
  /* units of the extended protocol, pipelined: one for each Sync */
  HEARD(SPEECH_POSTGRES, "bbee", SAYS(START), SAYS(LET_IN),
        SAYS(">P\0\0\0\6a\0B\0\0\0\4E\0\0\0\4S\0\0\0\4B\0\0\0\4E\0\0\0\4S\0\0\0\4"),
        SAYS("<1\0\0\0\4" READY "2\0\0\0\4" READY));
  /* a mistake of the query is served; a shutdown is not */
  HEARD(SPEECH_POSTGRES, "bebf", SAYS(START), SAYS(LET_IN), SAYS(">" QUERY),
        SAYS("<E\0\0\0\x13SERROR\0C42P01\0\0" READY), SAYS(">" QUERY),
        SAYS("<E\0\0\0\x13SFATAL\0C57P01\0\0" READY));
}

#define GREETING                                                                                   \
  "<\x0a\0\0\0\x0a"                                                                                \
  "8.0.0\0xyz"
#define LOGIN ">\x08\0\0\1\1\2\0\0\0\0\0\1"
#define OKAY "\x03\0\0\2\0\0\0"
#define COMMAND "\x03\0\0\0\3ab"

static void mysql(void **state) {
  (void)state;
  HEARD(SPEECH_MYSQL, "be+be+", SAYS(GREETING), SAYS(LOGIN), SAYS("<" OKAY), SAYS(">" COMMAND),
        SAYS("<\1\0\0\1\1"), SAYS("<\2\0\0\2xy"), SAYS(">" COMMAND), SAYS("<\1\0\0\1\1"),
        SAYS("<\2\0\0\2xy"));
  /* commands without an answer; an error of the query, and one of the server */
  HEARD(SPEECH_MYSQL, "bebf", SAYS(GREETING), SAYS(LOGIN), SAYS("<" OKAY),
        SAYS(">\5\0\0\0\x19\1\0\0\0"), SAYS(">" COMMAND), SAYS("<\4\0\0\1\xff\x28\4#"),
        SAYS(">" COMMAND), SAYS("<\4\0\0\1\xff\x1d\4#"), SAYS(">\1\0\0\0\1"));
  HEARD(SPEECH_TLS, "be", SAYS(GREETING), SAYS(">\x08\0\0\1\1\x0a\0\0\0\0\0\1"), SAYS(">\x16\3\1"),
        SAYS("<\x16\3\3"));
}

#define PREFACE ">PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

static void http2(void **state) {
  (void)state;
  HEARD(SPEECH_HTTP2, "bbee", SAYS(PREFACE "\0\0\0\4\0\0\0\0\0"), SAYS("<\0\0\0\4\0\0\0\0\0"),
        SAYS(">\0\0\1\1\5\0\0\0\1x\0\0\1\1\5\0\0\0\3x"),
        SAYS("<\0\0\1\1\4\0\0\0\3x\0\0\2\0\1\0\0\0\3xy"), SAYS(">\0\0\4\x08\0\0\0\0\0abcd"),
        SAYS("<\0\0\1\1\5\0\0\0\1x"));
  /* given up by either side; trailers of a stream that is open begin nothing */
  HEARD(SPEECH_HTTP2, "bcbf", SAYS(PREFACE "\0\0\1\1\4\0\0\0\1x\0\0\1\1\5\0\0\0\1x"),
        SAYS(">\0\0\4\3\0\0\0\0\1abcd"), SAYS(">\0\0\1\1\5\0\0\0\3x"),
        SAYS("<\0\0\4\3\0\0\0\0\3abcd"));
}

static void turns(void **state) {
  (void)state;
  HEARD(SPEECH_TURNS, "be+be", SAYS("<220 hello\r\n"), SAYS(">EHLO x\r\n"), SAYS("<250-a\r\n"),
        SAYS("<250 b\r\n"), SAYS(">QUIT\r\n"), SAYS("<221 bye\r\n"));
}

/* One without an end, and openings that are not enough. */
static void cut_turns(void **state) {
  (void)state;
  HEARD(SPEECH_TURNS, "bebc", SAYS(">get a\r\n"), SAYS("<END\r\n"), SAYS(">get b\r\n"));
  HEARD(SPEECH_TLS, "bebe", SAYS(">\x16\3\1\0\5hello"), SAYS("<\x16\3\3\0\5hello"),
        SAYS(">\x17\3\3\0\1x"), SAYS("<\x17\3\3\0\1x"));
  HEARD(SPEECH_TURNS, "bc", SAYS(">PRI * HTTX"));
  HEARD(SPEECH_UNKNOWN, "", SAYS(">PRI"));
}

/* Times are those of the bytes: answers in order, the oldest first. */
static uint64_t spans[8];
static size_t span_count;

static void keep_span(void *of, uint64_t began_ns, uint64_t at_ns, enum speech_end end) {
  (void)of;
  (void)end;
  if (span_count < 8)
    spans[span_count++] = at_ns - began_ns;
}

static void times(void **state) {
  (void)state;
  static const struct speech_calls kept = {.ended = keep_span};
  struct speech speech;
  speech_init(&speech, &kept);
  for (uint64_t i = 0; i < 6; i++)
    speech_client(&speech, PING, sizeof PING - 1, 100 + i);
  for (uint64_t i = 0; i < 6; i++)
    speech_server(&speech, "+A\r\n", 4, 200 + 10 * i);
  speech_close(&speech, 1000);
  assert_int_equal(span_count, 6);
  for (uint64_t i = 0; i < 6; i++)
    assert_int_equal(spans[i], 100 + 9 * i);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(redis), cmocka_unit_test(postgres), cmocka_unit_test(mysql),
      cmocka_unit_test(http2), cmocka_unit_test(turns),    cmocka_unit_test(cut_turns),
      cmocka_unit_test(times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

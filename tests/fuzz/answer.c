/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as what a server answers to `load`, in HTTP and in Redis' protocol: the same whether they come at
 * once or byte by byte. With clang -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program that
 * replays the files it is given.
 */
#include <stdlib.h>
#include <string.h>

#include "measure/load/answer.h"
#include "measure/throughput/proxy/resp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition)
    abort();
}

static struct http_answer take_http(const char *bytes, size_t size, size_t piece) {
  struct http_answer answer = {0};
  answer_begin(&answer, false);
  for (size_t i = 0; i < size; i += piece)
    answer_take(&answer, bytes + i, size - i < piece ? size - i : piece);
  answer_end(&answer);
  return answer;
}

static void ask_http(const char *bytes, size_t size) {
  struct http_answer whole = take_http(bytes, size, size == 0 ? 1 : size);
  struct http_answer parts = take_http(bytes, size, 1);
  require(whole.state == parts.state);
  require(whole.state != ANSWER_DONE ||
          (whole.status == parts.status && whole.close == parts.close));
  require(whole.state == ANSWER_DONE || whole.state == ANSWER_BROKEN);
  answer_free(&whole);
  answer_free(&parts);
}

struct resp_count {
  size_t good, bad;
  bool broken;
};

static struct resp_count take_resp(const char *bytes, size_t size, size_t piece) {
  struct resp_reader reader = {0};
  struct resp_count count = {0};
  for (size_t i = 0; i < size && !count.broken;) {
    size_t taken = 0, most = size - i < piece ? size - i : piece;
    enum resp_state state = resp_take(&reader, bytes + i, most, &taken);
    require(taken <= most && (taken != 0 || state == RESP_BROKEN));
    count.good += state == RESP_GOOD;
    count.bad += state == RESP_ERROR;
    count.broken = state == RESP_BROKEN;
    i += taken;
  }
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *bytes = (const char *)data;
  ask_http(bytes, size);
  struct resp_count whole = take_resp(bytes, size, size == 0 ? 1 : size);
  struct resp_count parts = take_resp(bytes, size, 1);
  require(whole.good == parts.good && whole.bad == parts.bad && whole.broken == parts.broken);
  return 0;
}

#include "tests/fuzz/standalone.h"

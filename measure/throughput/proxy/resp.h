/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers of Redis' protocol (RESP2 and RESP3) as they come in: where each ends, and whether it is an
 * error. A command is read likewise: it looks like an answer that is a list of strings.
 *
 * Nothing of an answer is kept but the beginning of an error, so its size costs no memory. The protocol is described at
 * https://redis.io/docs/latest/develop/reference/protocol-spec/.
 */
#ifndef MEASURE_THROUGHPUT_PROXY_RESP_H
#define MEASURE_THROUGHPUT_PROXY_RESP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum resp_state { RESP_PART, RESP_GOOD, RESP_ERROR, RESP_PUSH, RESP_BROKEN };
enum { RESP_NUMBER = 24, RESP_LINE_MOST = 1 << 16 };

/* All zero before the first answer. */
struct resp_reader {
  char line[RESP_NUMBER]; /* the line's beginning */
  size_t length;          /* of the line so far, without its end */
  uint64_t left;          /* values that the answer still has, when it has begun */
  uint64_t skip;          /* bytes of a string, with its end, that still come */
  bool begun, error, push, returned;
  char word[RESP_NUMBER + 1]; /* how the last error began, behind its sign: "LOADING Redis is" */
};

/* Takes bytes up to the end of one answer at most, and says in *taken how many. PART: the answer
 * goes on behind them. GOOD, ERROR: it ended there, and the reader is ready for the next. PUSH:
 * likewise, of a message that answers nothing (RESP3). BROKEN: this is not the protocol. */
enum resp_state resp_take(struct resp_reader *reader, const char *bytes, size_t size,
                          size_t *taken);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One answer as it comes in: where it ends and what its status is, by the proxy's reader of
 * HTTP/1.1.
 */
#ifndef MEASURE_LOAD_ANSWER_H
#define MEASURE_LOAD_ANSWER_H

#include "measure/throughput/proxy/body.h"

enum answer_state { ANSWER_HEAD, ANSWER_BODY, ANSWER_DONE, ANSWER_BROKEN };

struct http_answer {
  enum answer_state state;
  struct proxy_buffer head, dropped;
  size_t seen;
  struct proxy_body body;
  uint16_t status;
  bool to_head; /* it answers HEAD */
  bool close;   /* the server closes the connection after it */
};

/* For the next answer; all zero before the first. `head`: it answers HEAD, and has no body. */
void answer_begin(struct http_answer *answer, bool head);

/* Takes bytes; what comes after the end of the answer breaks it. */
void answer_take(struct http_answer *answer, const char *bytes, size_t size);

/* The server has closed the connection. */
void answer_end(struct http_answer *answer);

void answer_free(struct http_answer *answer);

#endif

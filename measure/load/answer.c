/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/load/answer.h"

void answer_begin(struct http_answer *answer, bool head) {
  proxy_buffer_clear(&answer->head, PROXY_HEAD_MAX);
  proxy_body_free(&answer->body);
  answer->state = ANSWER_HEAD;
  answer->seen = 0;
  answer->status = 0;
  answer->close = false;
  answer->to_head = head;
}

static void body_take(struct http_answer *answer, const char *bytes, size_t size) {
  size_t taken = proxy_body_take(&answer->body, bytes, size, &answer->dropped);
  proxy_buffer_clear(&answer->dropped, PROXY_HEAD_MAX);
  if (answer->body.why != NULL || taken < size)
    answer->state = ANSWER_BROKEN;
  else if (proxy_body_done(&answer->body))
    answer->state = ANSWER_DONE;
}

/* Drops what announces an answer (100 Continue, 103 Early Hints); the next one may be there. */
static void head_take(struct http_answer *answer) {
  struct proxy_head head;
  const char *why;
  enum proxy_method method = answer->to_head ? PROXY_METHOD_HEAD : PROXY_METHOD_SAFE;
  do {
    size_t size = proxy_buffer_size(&answer->head);
    ptrdiff_t length = proxy_head_length(proxy_buffer_at(&answer->head), size, &answer->seen);
    if (length == 0 && size < PROXY_HEAD_MAX)
      return;
    if (length <= 0 || proxy_answer_read(&head, proxy_buffer_at(&answer->head), (size_t)length,
                                         method, &why) != 0) {
      answer->state = ANSWER_BROKEN;
      return;
    }
    proxy_buffer_drop(&answer->head, (size_t)length);
    answer->seen = 0;
  } while (head.status < 200 && head.status != 101);
  answer->status = (uint16_t)head.status;
  answer->close = head.close || head.framing == PROXY_UNTIL_CLOSE || head.minor == 0;
  answer->state = ANSWER_BODY;
  proxy_body_init(&answer->body, head.framing, head.length, head.framing);
  size_t left = proxy_buffer_size(&answer->head);
  if (left > 0 || proxy_body_done(&answer->body))
    body_take(answer, proxy_buffer_at(&answer->head), left);
}

void answer_take(struct http_answer *answer, const char *bytes, size_t size) {
  if (answer->state == ANSWER_HEAD) {
    proxy_buffer_add(&answer->head, bytes, size);
    head_take(answer);
  } else if (answer->state == ANSWER_BODY) {
    body_take(answer, bytes, size);
  } else {
    answer->state = ANSWER_BROKEN;
  }
}

void answer_end(struct http_answer *answer) {
  bool whole = answer->state == ANSWER_BODY && proxy_body_end(&answer->body, &answer->dropped);
  answer->state = whole || answer->state == ANSWER_DONE ? ANSWER_DONE : ANSWER_BROKEN;
}

void answer_free(struct http_answer *answer) {
  proxy_buffer_free(&answer->head);
  proxy_buffer_free(&answer->dropped);
  proxy_body_free(&answer->body);
}

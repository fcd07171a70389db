/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is asked of every event log, for tests with cmocka.
 */
#ifndef TESTS_UNIT_TRACE_NODE_SANE_H
#define TESTS_UNIT_TRACE_NODE_SANE_H

#include "trace/event/log.h"

/* What holds of every event log, whatever the bytes were. */
static void check_sane(const struct event_log *log) {
  size_t rows = log->begin.count;
  for (size_t i = 0; i < log->loops.count; i++) {
    const struct event_loop *loop = &log->loops.data[i];
    assert_true(loop->start <= loop->end && loop->first + (size_t)loop->count <= rows);
    for (uint32_t row = loop->first + 1; row < loop->first + loop->count; row++)
      assert_true(log->begin.data[row - 1] <= log->begin.data[row]);
  }
  for (size_t row = 0; row < rows; row++) {
    assert_true(log->registered.data[row] <= log->ready_low.data[row]);
    assert_true(log->ready_low.data[row] <= log->ready_high.data[row]);
    assert_true(log->ready_high.data[row] <= log->begin.data[row]);
    assert_true(log->begin.data[row] <= log->end.data[row]);
    const uint32_t others[] = {log->registrar.data[row], log->releaser.data[row],
                               log->inside.data[row]};
    for (size_t i = 0; i < 3; i++)
      assert_true(others[i] == EVENT_NONE || others[i] < rows);
  }
  for (size_t i = 0; i < log->requests.count; i++) {
    const struct event_request *one = &log->requests.data[i];
    assert_true(one->arrived_low <= one->arrived_high && one->arrived_high <= one->noticed &&
                one->noticed <= one->responded);
    assert_true(one->source == EVENT_NONE || one->source < rows);
    assert_true(one->sink == EVENT_NONE || one->sink < rows);
    assert_true(one->state != EVENT_ANSWERED ||
                (one->source != EVENT_NONE && one->sink != EVENT_NONE));
  }
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages: the sender's stamp, and what it tells the receiver. The names of one message follow
 * each other as tailproof_message registers them.
 */
#include "measure/core/stamp.h"
#include "measure/core/ticks.h"
#include "measure/record/inside.h"

#include <errno.h>
#include <string.h>

_Static_assert(STAMP_BYTES == TAILPROOF_STAMP_BYTES, "the public header says how long a stamp is");

/* What is added to the message's name. */
enum { SEND, DELAY, WAIT, ROUNDTRIP, ARRIVAL };

/* The high bits of `held` are those of the asker's clock identity: whoever else gets the answer
 * cannot subtract the question's time. */
#define HELD_MOST ((UINT64_C(1) << 48) - 1)

/* The clock that tells how long the question was held may run faster than the asker's by that part;
 * Linux slews each by at most 500 ppm. */
#define DRIFT_PARTS 1000

/* A number that is none stays one. */
static uint32_t number(const struct tailproof_event *event, uint32_t kind) {
  return event->name < 0 ? UINT32_MAX : (uint32_t)event->name + kind;
}

static void send_stamped(struct tailproof_writer *writer, const struct tailproof_event *event,
                         uint64_t sent, struct stamp *stamp, unsigned char *bytes) {
  if (writer == NULL || event == NULL) {
    memset(bytes, 0, STAMP_BYTES); /* which is no stamp */
    return;
  }
  stamp->clock_identity = writer->store->clock.identity;
  stamp->sent = sent;
  stamp->name = event->name < 0 ? 0 : (uint16_t)event->name;
  stamp_encode(bytes, stamp);
  recording_add(writer, 1 << FORMAT_SEND, number(event, SEND), event, sent, sent);
}

void tailproof_send_at(struct tailproof_writer *writer, const struct tailproof_event *event,
                       uint64_t sent, unsigned char stamp[TAILPROOF_STAMP_BYTES]) {
  struct stamp fields = {0};
  send_stamped(writer, event, sent, &fields, stamp);
}

uint64_t tailproof_send(struct tailproof_writer *writer, const struct tailproof_event *event,
                        unsigned char stamp[TAILPROOF_STAMP_BYTES]) {
  uint64_t now = tailproof_now(writer);
  tailproof_send_at(writer, event, now, stamp);
  return now;
}

void tailproof_reply_at(struct tailproof_writer *writer, const struct tailproof_event *event,
                        uint64_t sent, const struct tailproof_event *question,
                        const unsigned char question_stamp[TAILPROOF_STAMP_BYTES],
                        unsigned char stamp[TAILPROOF_STAMP_BYTES]) {
  struct stamp fields = {0}, asked;
  if (writer != NULL && question != NULL && question_stamp != NULL && sent >= question->end &&
      stamp_decode(&asked, question_stamp) &&
      tailproof_ns_down(writer, sent - question->end) <= HELD_MOST) {
    fields.answer = 1;
    fields.question_name = asked.name;
    fields.question_sent = asked.sent;
    fields.held_ns =
        tailproof_ns_down(writer, sent - question->end) | (asked.clock_identity & ~HELD_MOST);
  }
  send_stamped(writer, event, sent, &fields, stamp);
}

/* The round trip of the question that this message answers. The peer's part is taken away in ticks,
 * rounded down and less the drift, so that what is left is not too small. */
static void record_roundtrip(struct tailproof_writer *writer, const struct tailproof_event *event,
                             const struct stamp *stamp) {
  const struct tailproof_store *store = writer->store;
  uint32_t name = stamp->question_name;
  if (name >= __atomic_load_n(&store->names_used, __ATOMIC_ACQUIRE) ||
      store->kinds[name] != FORMAT_SEND) {
    __atomic_fetch_add(&store->header->mutable.bad_stamps, 1, __ATOMIC_RELAXED);
    return;
  }
  if (((stamp->held_ns ^ store->clock.identity) & ~HELD_MOST) != 0)
    return; /* another asked */
  struct tailproof_event answer = {.instance = event->instance};
  uint64_t held_ns = stamp->held_ns & HELD_MOST;
  uint64_t reversed = 0;
  uint64_t all = ticks_between(stamp->question_sent, event->end, &reversed);
  uint64_t all_ns = ticks_to_ns_up(all, writer->rate_up);
  if (reversed || held_ns > all_ns + all_ns / DRIFT_PARTS) {
    recording_refuse(writer, EINVAL, "an answer is earlier than its question");
    return;
  }
  __extension__ typedef unsigned __int128 wide;
  held_ns -= held_ns / DRIFT_PARTS + (held_ns % DRIFT_PARTS != 0);
  uint64_t held = (uint64_t)(((wide)held_ns << 32) / writer->rate_up);
  recording_add(writer, 1 << FORMAT_ROUNDTRIP, name + ROUNDTRIP, &answer, stamp->question_sent,
                event->end - (held < all ? held : all));
}

int tailproof_arrive(struct tailproof_writer *writer, struct tailproof_event *event,
                     const unsigned char stamp[TAILPROOF_STAMP_BYTES]) {
  if (event != NULL)
    event->start = event->end;
  if (writer == NULL || event == NULL)
    return 0;
  struct stamp fields;
  if (!stamp_decode(&fields, stamp)) {
    if (writer->alive)
      __atomic_fetch_add(&writer->store->header->mutable.bad_stamps, 1, __ATOMIC_RELAXED);
    return fail(EBADMSG, "not recorded: a message arrived without a stamp, or with a damaged one");
  }
  if (fields.answer && writer->alive)
    record_roundtrip(writer, event, &fields);
  int same_clock = fields.clock_identity == writer->store->clock.identity;
  if (same_clock && fields.sent > event->end) {
    if (writer->alive)
      recording_refuse(writer, EINVAL, "a message arrived before it was sent: the clock went back");
    same_clock = 0;
  }
  if (same_clock)
    event->start = fields.sent;
  int error = same_clock ? recording_add(writer, 1 << FORMAT_DELAY, number(event, DELAY), event,
                                         event->start, event->end)
                         : recording_add(writer, 1 << FORMAT_ARRIVAL, number(event, ARRIVAL), event,
                                         event->end, event->end);
  return error != 0 ? error : !same_clock;
}

void tailproof_dequeue_at(struct tailproof_writer *writer, const struct tailproof_event *event) {
  if (writer != NULL && event != NULL)
    recording_add(writer, 1 << FORMAT_WAIT, number(event, WAIT), event, event->start, event->end);
}

uint64_t tailproof_dequeue(struct tailproof_writer *writer, const struct tailproof_event *event) {
  uint64_t now = tailproof_now(writer);
  if (writer != NULL && event != NULL)
    recording_add(writer, 1 << FORMAT_WAIT, number(event, WAIT), event, event->start, now);
  return now;
}

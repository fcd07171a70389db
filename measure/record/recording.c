/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The recording path: no lock, no allocation, no system call, but for the first recording of a name
 * that was registered after the writer was opened. Slots are taken in turn, which is what
 * measure/core/ring.h calculates from a position.
 */
#include "measure/core/ticks.h"
#include "measure/record/inside.h"

#include <errno.h>

/* The proved codec once more, under other names, so that it can be inlined here: its call costs
 * more than a quarter of a recording, and most of it is constant where there are no arguments. */
#define record_valid recording_valid
#define record_encode recording_encode
#define record_decode recording_decode
#include "measure/core/record.c"

_Static_assert(RECORD_ARGUMENTS == TAILPROOF_ARGUMENTS, "events are recorded whole");
_Static_assert(RECORD_NAME_MAX == FORMAT_NAMES_MAX - 1, "every name can be recorded");
_Static_assert(RECORD_WORDS == FORMAT_RECORD_WORDS, "slots hold a record");

enum {
  PLAIN_KINDS = 1 << FORMAT_COMPONENT | 1 << FORMAT_ACTION | 1 << FORMAT_REQUEST,
};

uint64_t tailproof_now(const struct tailproof_writer *writer) {
  if (writer != NULL && writer->clock == TAILPROOF_CLOCK_TSC)
    return clock_counter();
  return clock_monotonic();
}

uint64_t tailproof_ns_up(const struct tailproof_writer *writer, uint64_t ticks) {
  return writer == NULL ? ticks : ticks_to_ns_up(ticks, writer->rate_up);
}

uint64_t tailproof_ns_down(const struct tailproof_writer *writer, uint64_t ticks) {
  return writer == NULL ? ticks : ticks_to_ns_down(ticks, writer->store->clock.rate_down);
}

__attribute__((cold, noinline)) int recording_refuse(struct tailproof_writer *writer, int error,
                                                     const char *why) {
  __atomic_fetch_add(&writer->store->header->mutable.refused, 1, __ATOMIC_RELAXED);
  return why == NULL ? -error : fail(error, "not recorded: %s", why);
}

/* What the first recording of a name must find out; 0 or -errno. */
__attribute__((cold, noinline)) static int learn_name(struct tailproof_writer *writer,
                                                      uint32_t name) {
  struct tailproof_store *store = writer->store;
  if (name >= __atomic_load_n(&store->names_used, __ATOMIC_ACQUIRE))
    return recording_refuse(writer, EINVAL, "the number is none that a name was registered under");
  struct writer_name *known = &writer->names[name];
  if (known->refused)
    return recording_refuse(writer, ENOSPC, "there was no space for the name's histogram");
  if (store->has_series[name]) {
    stores_lock();
    int error = writer_add_histogram(writer, name);
    stores_unlock();
    if (error != 0) { /* not tried again: each try would cost a system call */
      known->refused = 1;
      return recording_refuse(writer, -error, NULL);
    }
  }
  known->kind = store->kinds[name];
  return 0;
}

/* Position 0, the record, its position; then the histogram. A process that is killed in between
 * leaves a slot that is recognised as torn, or a histogram without its latest value. */
static inline void write_record(struct tailproof_writer *writer, struct histogram *histogram,
                                const struct record *record) {
  uint64_t position = writer->written + 1;
  uint64_t *words = writer->slot;
  __atomic_store_n(&words[0], 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  record_encode(words, position, record);
  __atomic_store_n(&words[0], position, __ATOMIC_RELEASE);
  __atomic_store_n(&writer->log->written, position, __ATOMIC_RELEASE);
  writer->written = position;
  writer->slot = words + FORMAT_RECORD_WORDS == writer->slots_end ? writer->slots
                                                                  : words + FORMAT_RECORD_WORDS;
  if (histogram != NULL)
    histogram_record(histogram, ticks_to_ns_up(record->end - record->start, writer->rate_up));
}

__attribute__((cold, noinline)) static int dead(void) {
  return fail(ESTALE, "not recorded: the store belongs to the parent process");
}

static inline __attribute__((always_inline)) int add(struct tailproof_writer *writer,
                                                     uint32_t kinds, uint32_t name,
                                                     const struct tailproof_event *event,
                                                     uint64_t start, uint64_t end) {
  if (!writer->alive)
    return dead();
  if (name >= FORMAT_NAMES_MAX)
    return recording_refuse(writer, EINVAL, "the number is none that a name was registered under");
  struct writer_name *known = &writer->names[name];
  if (known->kind == 0) {
    int error = learn_name(writer, name);
    if (error != 0)
      return error;
  }
  if (!(kinds >> known->kind & 1))
    return recording_refuse(writer, EINVAL, "the name is of another kind than the function called");
  if (start > end)
    return recording_refuse(writer, EINVAL, "it ends before it starts: the clock went back");
  struct record record = {.start = start, .end = end, .name = (uint16_t)name, .kind = known->kind};
  if (event != NULL) {
    if (event->count > RECORD_ARGUMENTS)
      return recording_refuse(writer, EINVAL, "it has more than 7 arguments");
    record.instance = event->instance;
    record.count = (uint8_t)event->count;
    for (uint32_t i = 0; i < event->count; i++)
      record.arguments[i] = event->arguments[i];
  }
  write_record(writer, known->histogram, &record);
  return 0;
}

__attribute__((flatten)) int recording_add(struct tailproof_writer *writer, uint32_t kinds,
                                           uint32_t name, const struct tailproof_event *event,
                                           uint64_t start, uint64_t end) {
  return add(writer, kinds, name, event, start, end);
}

__attribute__((flatten)) uint64_t tailproof_end(struct tailproof_writer *writer, int name,
                                                uint64_t start) {
  uint64_t now = tailproof_now(writer);
  if (writer != NULL) /* a negative name is refused as too large */
    add(writer, PLAIN_KINDS, (uint32_t)name, NULL, start, now);
  return now;
}

int tailproof_record(struct tailproof_writer *writer, const struct tailproof_event *event) {
  if (writer == NULL || event == NULL)
    return 0;
  return recording_add(writer, PLAIN_KINDS, (uint32_t)event->name, event, event->start, event->end);
}

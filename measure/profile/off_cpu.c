/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/off_cpu.h"

#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

#include "measure/profile/stack.h"

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void off_cpu_begin(struct sampler *sampler) {
  waits_init(&sampler->waits, now(), sampler->options.least_wait);
}

/* --- before records are taken in --- */

/* What of a record is needed to see how long a wait was. */
struct glance {
  uint32_t type, process, thread;
  uint16_t misc;
};

static bool look(struct glance *glance, const struct ring_record *record) {
  enum { IN_SAMPLE = 8, FROM_END = 16, LEAST = 24 };
  struct perf_event_header header;
  if (record->size < LEAST)
    return false;
  memcpy(&header, record->bytes, sizeof header);
  const unsigned char *at = header.type == PERF_RECORD_SAMPLE
                                ? record->bytes + IN_SAMPLE
                                : record->bytes + record->size - FROM_END;
  *glance = (struct glance){.type = header.type, .misc = header.misc};
  memcpy(&glance->process, at, sizeof glance->process);
  memcpy(&glance->thread, at + sizeof glance->process, sizeof glance->thread);
  return true;
}

static bool is_return(const struct glance *glance) {
  return (glance->type == PERF_RECORD_SWITCH || glance->type == PERF_RECORD_SWITCH_CPU_WIDE) &&
         (glance->misc & PERF_RECORD_MISC_SWITCH_OUT) == 0;
}

void off_cpu_scan(struct sampler *sampler) {
  struct glance glance;
  for (size_t i = 0; i < sampler->waits.list.count; i++)
    sampler->waits.list.data[i].queued = 0;
  for (size_t i = 0; i < sampler->queue.count; i++) {
    if (!look(&glance, &sampler->queue.data[i].record))
      continue;
    struct blocked_thread *waiting = waits_find(&sampler->waits, glance.thread);
    if (waiting == NULL)
      continue;
    if (glance.type == PERF_RECORD_SAMPLE)
      waiting->queued = i + 1;
    if (!is_return(&glance) || waiting->queued == 0)
      continue;
    struct queued *left = &sampler->queue.data[waiting->queued - 1];
    left->brief = sampler->queue.data[i].time - left->time < sampler->options.least_wait;
    waiting->queued = 0;
  }
}

/* The record of a loss comes with the next that there was space for; what is missing came behind
 * the one before it in the same ring. */
void off_cpu_find_losses(struct sampler *sampler) {
  for (size_t i = 0; i < sampler->queue.count; i++) {
    const struct queued *queued = &sampler->queue.data[i];
    struct counter_lane *lane = &sampler->counters.lanes.data[queued->lane];
    struct glance glance;
    if (queued->time <= lane->last_time || !look(&glance, &queued->record))
      continue;
    if (glance.type == PERF_RECORD_LOST || glance.type == PERF_RECORD_LOST_SAMPLES)
      waits_lost(&sampler->waits, lane->last_time, queued->time);
    lane->last_time = queued->time;
  }
}

/* --- records --- */

static bool is_followed(const struct sampler *sampler, const struct ring_event *event) {
  return event->thread != 0 && (sampler->options.scope != COUNTER_THREADS ||
                                spaces_know(&sampler->spaces, event->process));
}

static void take_switch(struct sampler *sampler, const struct ring_event *event) {
  struct blocked_time wait;
  if (!is_followed(sampler, event))
    return;
  if (event->out)
    waits_leave(&sampler->waits, event->process, event->thread, event->time, event->preempted);
  else if (waits_return(&sampler->waits, event->process, event->thread, event->time, &wait))
    stack_write_wait(sampler, &wait);
}

void off_cpu_take(struct sampler *sampler, const struct ring_event *event, bool brief) {
  uint64_t place = 0;
  switch (event->kind) {
  case EVENT_SAMPLE:
    if (!is_followed(sampler, event))
      return;
    uint32_t node = brief ? 0 : stack_write_waiting(sampler, event, &place);
    waits_stack(&sampler->waits, event->process, event->thread, node, place);
    break;
  case EVENT_SWITCH:
    take_switch(sampler, event);
    break;
  case EVENT_FORK:
    waits_begin(&sampler->waits, event->process, event->thread, event->time);
    break;
  case EVENT_EXIT:
    waits_end(&sampler->waits, event->thread);
    break;
  default:
    break;
  }
}

void off_cpu_end(struct sampler *sampler) {
  struct blocked_time wait;
  size_t next = 0;
  uint64_t end = now();
  while (waits_cut(&sampler->waits, &next, end, &wait))
    stack_write_wait(sampler, &wait);
  tpp_write_waits(&sampler->writer, &sampler->waits.counts);
}

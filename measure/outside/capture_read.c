/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What probes leave in the ring, and what they have counted when they are taken away.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <string.h>
#include <unistd.h>

#include "measure/outside/capture.h"
#include "measure/record/clock.h"

static void take_record(void *context, const void *bytes, size_t size) {
  struct outside_capture *capture = context;
  const struct program_record *record = bytes;
  uint32_t number = record->probe;
  struct outside_event event = {.time_ns = record->time_ns,
                                .probe = number,
                                .pid = record->pid,
                                .tid = record->tid,
                                .fields = record->fields};
  if (number > capture_first_fate(capture) + FATES - 1)
    return; /* a measurement of costs */
  uint32_t fields = number < capture_first_fate(capture)
                        ? capture->plan->probes->list.data[number].field_count
                        : 1;
  memcpy(event.field, record->field, 8 * fields);
  event.text_size = (uint32_t)(size - sizeof *record - 8 * fields);
  memcpy(event.text, &record->field[fields], event.text_size);
  if (number < capture_first_fate(capture))
    capture->hits[number]++;
  if (number < capture_first_fate(capture) && event.fields != (1u << fields) - 1)
    capture->unread[number]++;
  order_add(&capture->order, &event);
}

/* Probes' events go on; fates are told. */
static bool give(void *context, const struct outside_event *event) {
  struct outside_capture *capture = context;
  if (event->probe < capture_first_fate(capture))
    return capture->sink.take(capture->sink.context, event);
  enum capture_fate fate = (enum capture_fate)(event->probe - capture_first_fate(capture));
  uint32_t other = fate == FATE_FORK ? (uint32_t)event->field[0] : event->tid;
  if (capture->news.tell != NULL)
    capture->news.tell(capture->news.context, fate, event->pid, other);
  return true;
}

bool capture_drain(struct outside_capture *capture) {
  uint64_t now = clock_monotonic();
  struct outside_sink sink = {give, capture, NULL};
  if (capture->means == CAPTURE_PERF)
    return perf_capture_drain(&capture->perf, &capture->sink, &capture->news);
  if (!kernel_ring_take(&capture->ring, take_record, capture))
    return true;
  return order_flush(&capture->order, now, &sink);
}

/* --- the end --- */

static void read_count(const struct outside_capture *capture, uint32_t number,
                       struct program_count *sum) {
  int processors = libbpf_num_possible_cpus();
  struct program_count *each = mem_alloc((size_t)(processors > 0 ? processors : 1), sizeof *each);
  *sum = (struct program_count){0};
  if (bpf_map_lookup_elem(capture->maps.counts, &number, each) != 0)
    processors = 0;
  for (int i = 0; i < processors; i++) {
    sum->lost += each[i].lost;
    sum->others += each[i].others;
    sum->aside += each[i].aside;
  }
  mem_free(each);
}

/* Times at which the kernel did not run a program, as it ran one already on that processor. */
static void add_missed(const struct outside_capture *capture, struct outside_run *run) {
  for (size_t i = 0; i < capture->programs.count; i++) {
    struct bpf_prog_info info = {0};
    uint32_t size = sizeof info;
    if (capture->program_of.data[i] < capture_first_fate(capture) &&
        bpf_obj_get_info_by_fd(capture->programs.data[i], &info, &size) == 0)
      run->count[capture->program_of.data[i]].lost += info.recursion_misses;
  }
}

bool capture_finish(struct outside_capture *capture, struct outside_run *run, uint64_t *others) {
  struct outside_sink sink = {give, capture, NULL};
  struct clock_facts clock;
  char why[200];
  *run = (struct outside_run){.start_ns = capture->start_ns, .end_ns = clock_monotonic()};
  if (clock_choose(&clock, 1 /* CLOCK_MONOTONIC */, why, sizeof why) == 0)
    run->clock = clock.identity;
  if (capture->means == CAPTURE_PERF)
    return perf_capture_finish(&capture->perf, run, others, &capture->sink, &capture->news);
  for (size_t i = 0; i < capture->events.count; i++)
    close(capture->events.data[i]);
  capture->events.count = 0;
  *others = 0;
  kernel_ring_take(&capture->ring, take_record, capture);
  for (uint32_t i = 0; i < capture_first_fate(capture); i++) {
    struct program_count count;
    read_count(capture, i, &count);
    run->count[i] =
        (struct outside_count){capture->hits[i], count.lost, capture->unread[i], count.aside};
    *others += count.others;
  }
  add_missed(capture, run);
  return order_flush(&capture->order, UINT64_MAX, &sink);
}

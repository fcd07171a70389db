/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "measure/profile/stack.h"
#include "measure/profile/tasks.h"

enum { ROWS = 8192 };

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* --- what is sampled --- */

/* The threads that are there now, with those of all that they started. */
static void find_threads(task_ids *threads, uint32_t process) {
  task_ids processes = {0};
  tasks_family(&processes, process);
  for (size_t i = 0; i < processes.count; i++)
    tasks_threads(threads, processes.data[i]);
  vector_clear(&processes);
}

/* Looks again until no thread came while others were added. */
static enum status add_threads(struct sampler *sampler, struct text *message) {
  task_ids threads = {0};
  size_t done = 0, opened = 0;
  enum counter_result result = COUNTER_OPENED;
  find_threads(&threads, sampler->options.process);
  while (done < threads.count && result != COUNTER_REFUSED) {
    for (; done < threads.count && result != COUNTER_REFUSED; done++) {
      result = counters_add(&sampler->counters, (pid_t)threads.data[done], message);
      opened += result == COUNTER_OPENED;
    }
    if (!sampler->options.on_exec)
      find_threads(&threads, sampler->options.process);
  }
  vector_clear(&threads);
  if (result == COUNTER_REFUSED)
    return STATUS_UNAVAILABLE;
  if (opened == 0)
    text_format(message, "there is no process %u; it may have ended", sampler->options.process);
  return opened == 0 ? STATUS_NO_INPUT : STATUS_OK;
}

enum status sampler_init(struct sampler *sampler, const struct sampler_options *options,
                         struct text *message) {
  *sampler = (struct sampler){.options = *options, .writer = {.descriptor = -1}};
  sampler->rows = mem_alloc(ROWS, sizeof *sampler->rows);
  sampler->kernel = modules_find(&sampler->spaces.modules, "[kernel]", 0);
  if (!counters_init(&sampler->counters, &options->counters, options->scope, message))
    return STATUS_UNAVAILABLE;
  sampler->counters.on_exec = options->on_exec;
  sampler->counters.cgroup = options->cgroup;
  if (options->scope == COUNTER_THREADS)
    return add_threads(sampler, message);
  return counters_add(&sampler->counters, -1, message) == COUNTER_OPENED ? STATUS_OK
                                                                         : STATUS_UNAVAILABLE;
}

void sampler_clear(struct sampler *sampler) {
  counters_clear(&sampler->counters);
  spaces_clear(&sampler->spaces);
  tpp_writer_clear(&sampler->writer);
  naming_clear(&sampler->naming);
  vector_clear(&sampler->module_numbers);
  vector_clear(&sampler->bytes);
  vector_clear(&sampler->older);
  vector_clear(&sampler->queue);
  vector_clear(&sampler->leaves);
  mem_free(sampler->rows);
  sampler->rows = NULL;
}

static void read_spaces(struct sampler *sampler) {
  task_ids processes = {0};
  if (sampler->options.scope == COUNTER_THREADS)
    tasks_family(&processes, sampler->options.process);
  else
    tasks_all(&processes);
  for (size_t i = 0; i < processes.count; i++)
    spaces_get(&sampler->spaces, processes.data[i]);
  vector_clear(&processes);
}

void sampler_start(struct sampler *sampler) {
  if (!sampler->options.on_exec)
    counters_enable(&sampler->counters);
  read_spaces(sampler);
}

enum status sampler_set_rate(struct sampler *sampler, unsigned rate, struct text *message) {
  task_ids threads = {0};
  if (sampler->options.scope == COUNTER_THREADS)
    for (size_t i = 0; i < sampler->spaces.list.count; i++)
      tasks_threads(&threads, sampler->spaces.list.data[i]->process);
  sampler->closed_time += counters_time(&sampler->counters);
  enum counter_result result =
      counters_set_rate(&sampler->counters, rate, threads.data, threads.count, message);
  vector_clear(&threads);
  return result == COUNTER_OPENED ? STATUS_OK
         : result == COUNTER_GONE ? STATUS_NO_INPUT
                                  : STATUS_UNAVAILABLE;
}

/* --- records --- */

static void take_event(struct sampler *sampler, const struct ring_event *event) {
  switch (event->kind) {
  case EVENT_SAMPLE:
    stack_write(sampler, event);
    break;
  case EVENT_LOST:
    sampler->counts.lost += event->lost;
    break;
  case EVENT_THROTTLE:
    sampler->counts.throttled++;
    break;
  default:
    spaces_follow(&sampler->spaces, event);
  }
}

static bool decode(const struct sampler *sampler, const struct queued *queued,
                   struct ring_event *event) {
  return event_decode(event, sampler->bytes.data + queued->offset, queued->size,
                      sampler->counters.options.stack_bytes != 0 && MACHINE_UNWINDS);
}

/* Finds the records in the bytes from `start` on; what is none is counted as lost. */
static void index_records(struct sampler *sampler, size_t start) {
  while (start < sampler->bytes.count) {
    struct perf_event_header header;
    size_t left = sampler->bytes.count - start;
    if (left < sizeof header)
      break;
    memcpy(&header, sampler->bytes.data + start, sizeof header);
    if (header.size < sizeof header || header.size % 8 != 0 || header.size > left)
      break;
    struct ring_event event;
    struct queued queued = {0, start, header.size};
    if (decode(sampler, &queued, &event)) {
      queued.time = event.time;
      vector_push(&sampler->queue, queued);
    } else {
      sampler->counts.lost++;
    }
    start += header.size;
  }
}

static int compare_queued(const void *a, const void *b) {
  const struct queued *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Moves the records from the queue's `first` on to the front of fresh bytes. */
static void keep_rest(struct sampler *sampler, size_t first) {
  sampler->older.count = 0;
  size_t kept = 0;
  for (size_t i = first; i < sampler->queue.count; i++) {
    struct queued queued = sampler->queue.data[i];
    const unsigned char *from = sampler->bytes.data + queued.offset;
    queued.offset = sampler->older.count;
    ring_append(&sampler->older, from, queued.size);
    sampler->queue.data[kept++] = queued;
  }
  sampler->queue.count = kept;
  ring_bytes bytes = {sampler->bytes.data, sampler->bytes.count, sampler->bytes.capacity};
  sampler->bytes.data = sampler->older.data;
  sampler->bytes.count = sampler->older.count;
  sampler->bytes.capacity = sampler->older.capacity;
  sampler->older.data = bytes.data;
  sampler->older.capacity = bytes.capacity;
  sampler->older.count = 0;
}

static void read_names(struct sampler *sampler) {
  for (size_t i = 0; i < sampler->spaces.list.count; i++) {
    struct address_space *space = sampler->spaces.list.data[i];
    if (space->compiles && jit_read(&space->jit, space->process))
      space->version++;
  }
}

/* Takes in what is older than `limit`. */
static void take_until(struct sampler *sampler, uint64_t limit) {
  size_t start = sampler->bytes.count, done = 0;
  for (size_t i = 0; i < sampler->counters.lanes.count; i++)
    ring_take(&sampler->counters.lanes.data[i].ring, &sampler->bytes);
  index_records(sampler, start);
  qsort(sampler->queue.data, sampler->queue.count, sizeof *sampler->queue.data, compare_queued);
  read_names(sampler);
  for (; done < sampler->queue.count && sampler->queue.data[done].time < limit; done++) {
    struct ring_event event;
    if (decode(sampler, &sampler->queue.data[done], &event))
      take_event(sampler, &event);
  }
  keep_rest(sampler, done);
}

int sampler_wait_ms(const struct sampler *sampler) {
  enum { LONGEST_MS = 250, REST_OF_SAMPLE = 512 };
  const struct counter_options *options = &sampler->counters.options;
  size_t second = (size_t)options->rate * (options->stack_bytes + REST_OF_SAMPLE);
  size_t half = sampler->counters.lanes.data[0].ring.size / 2;
  size_t wait = half * 1000 / second;
  return wait > LONGEST_MS ? LONGEST_MS : wait < 1 ? 1 : (int)wait;
}

bool sampler_drain(struct sampler *sampler) {
  uint64_t limit = sampler->last_drain;
  sampler->last_drain = (uint64_t)now(CLOCK_MONOTONIC);
  spaces_sweep(&sampler->spaces);
  take_until(sampler, limit);
  return tpp_flush(&sampler->writer);
}

/* --- the file --- */

void sampler_open_file(struct sampler *sampler, int descriptor) {
  const struct counter_options *options = &sampler->counters.options;
  struct tpp_header header = {.start = now(CLOCK_MONOTONIC),
                              .calendar = now(CLOCK_REALTIME),
                              .unit = options->event == COUNTER_CYCLES ? TPP_UNIT_PERIODS
                                      : sampler->options.adaptive      ? TPP_UNIT_NANOSECONDS
                                                                       : TPP_UNIT_SAMPLES,
                              .rate = options->rate};
  char machine[256] = "";
  gethostname(machine, sizeof machine - 1);
  memcpy(header.magic, TPP_MAGIC, sizeof header.magic);
  tpp_writer_init(&sampler->writer, descriptor, &header, counter_event_name(options->event),
                  machine);
  sampler->module_numbers.count = 0;
  sampler->counts = (struct tpp_counts){.user_only = options->user_only};
  stack_forget(sampler);
  tpp_flush(&sampler->writer);
}

/* Of what was sampled up to now; told_time is then what it was until the last file ended. */
static uint64_t take_time(struct sampler *sampler) {
  if (sampler->options.scope != COUNTER_THREADS)
    return 0;
  uint64_t before = sampler->told_time;
  sampler->told_time = sampler->closed_time + counters_time(&sampler->counters);
  return sampler->told_time - before;
}

/* What was sampled up to now, but for records that another processor may be about to write. */
bool sampler_finish_file(struct sampler *sampler) {
  enum { WRITING_NS = 1000000 };
  take_until(sampler, (uint64_t)now(CLOCK_MONOTONIC) - WRITING_NS);
  struct tpp_counts counts = sampler->counts;
  counts.processor_time = take_time(sampler);
  counts.samples = sampler->writer.sample_count;
  counts.end = now(CLOCK_MONOTONIC);
  stack_name(sampler);
  tpp_write_counts(&sampler->writer, &counts);
  tpp_write_end(&sampler->writer);
  bool written = tpp_flush(&sampler->writer);
  int error = sampler->writer.error;
  tpp_writer_clear(&sampler->writer);
  sampler->writer.error = error;
  return written;
}

bool sampler_stop(struct sampler *sampler) {
  counters_disable(&sampler->counters);
  take_until(sampler, UINT64_MAX);
  return sampler_finish_file(sampler);
}

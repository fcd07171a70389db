/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "measure/profile/off_cpu.h"
#include "measure/profile/stack.h"
#include "measure/profile/tasks.h"

enum { ROWS = 8192 };

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static bool is_off_cpu(const struct sampler *sampler) {
  return sampler->counters.options.event == COUNTER_SWITCHES;
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
  sampler->kernel =
      modules_find(&sampler->spaces.modules, &(struct module_file){.path = "[kernel]"});
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
  waits_clear(&sampler->waits);
  vector_clear(&sampler->module_numbers);
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
  if (is_off_cpu(sampler))
    off_cpu_begin(sampler);
  counters_enable(&sampler->counters);
  read_spaces(sampler);
}

enum status sampler_set_rate(struct sampler *sampler, unsigned rate, struct text *message) {
  task_ids threads = {0};
  if (sampler->options.scope == COUNTER_THREADS)
    for (size_t i = 0; i < sampler->spaces.list.count; i++)
      tasks_threads(&threads, sampler->spaces.list.data[i]->process);
  if (!sampler->options.counters.processors)
    sampler->closed_time += counters_time(&sampler->counters);
  enum counter_result result =
      counters_set_rate(&sampler->counters, rate, threads.data, threads.count, message);
  vector_clear(&threads);
  return result == COUNTER_OPENED ? STATUS_OK
         : result == COUNTER_GONE ? STATUS_NO_INPUT
                                  : STATUS_UNAVAILABLE;
}

/* --- records --- */

static void take_event(struct sampler *sampler, const struct ring_event *event, bool brief) {
  if (is_off_cpu(sampler))
    off_cpu_take(sampler, event, brief);
  switch (event->kind) {
  case EVENT_SAMPLE:
    if (is_off_cpu(sampler))
      break;
    if (!sampler->options.counters.processors || spaces_know(&sampler->spaces, event->process))
      stack_write(sampler, event);
    break;
  case EVENT_LOST:
    sampler->counts.lost += event->lost;
    sampler->told_lost += event->lost;
    break;
  case EVENT_THROTTLE:
    sampler->counts.throttled++;
    break;
  default:
    spaces_follow(&sampler->spaces, event);
  }
}

/* Finds the new records of a ring, and how many bytes they have; what is none is counted as lost. */
static uint64_t find_records(struct sampler *sampler, size_t lane) {
  struct queued queued = {.lane = lane};
  uint64_t bytes = 0;
  enum ring_found found;
  while ((found = ring_next(&sampler->counters.lanes.data[lane].ring, &queued.record)) ==
         RING_RECORD) {
    queued.time = event_time(queued.record.bytes, queued.record.size);
    vector_push(&sampler->queue, queued);
    bytes += queued.record.size;
  }
  sampler->counts.lost += found == RING_BROKEN;
  return bytes;
}

static int compare_queued(const void *a, const void *b) {
  const struct queued *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  if (x->lane != y->lane)
    return x->lane < y->lane ? -1 : 1;
  return x->record.position < y->record.position ? -1 : x->record.position > y->record.position;
}

/* Gives the space back that lies before all records of the queue from `first` on. */
static void give_back(struct sampler *sampler, size_t first) {
  struct counters *counters = &sampler->counters;
  for (size_t lane = 0; lane < counters->lanes.count; lane++)
    counters->lanes.data[lane].waiting = counters->lanes.data[lane].ring.shown;
  for (size_t i = first; i < sampler->queue.count; i++) {
    const struct queued *queued = &sampler->queue.data[i];
    struct counter_lane *lane = &counters->lanes.data[queued->lane];
    if (queued->record.position < lane->waiting)
      lane->waiting = queued->record.position;
  }
  for (size_t lane = 0; lane < counters->lanes.count; lane++)
    ring_give_back(&counters->lanes.data[lane].ring, counters->lanes.data[lane].waiting);
}

/* Another processor wrote it: have the part that is nearly always read fetched, while the one
 * before is looked at. */
static void fetch(const struct ring_record *record) {
  enum { LINE = 64, READ_MOST = 2048 };
  for (size_t at = 0; at < record->size && at < READ_MOST; at += LINE)
    __builtin_prefetch(record->bytes + at);
}

static void take_record(struct sampler *sampler, const struct queued *queued) {
  const struct ring_record *record = &queued->record;
  struct ring_event event;
  if (event_decode(&event, record->bytes, record->size,
                   sampler->counters.options.stack_bytes != 0 && MACHINE_UNWINDS))
    take_event(sampler, &event, queued->brief);
  else
    sampler->counts.lost++;
}

static void read_names(struct sampler *sampler) {
  for (size_t i = 0; i < sampler->spaces.list.count; i++) {
    struct address_space *space = sampler->spaces.list.data[i];
    if (space->compiles && jit_read(&space->jit, space->process))
      space->version++;
    if (space->jit.refused)
      sampler->refused_map = space->process;
  }
}

/* The fullest ring got so many bytes since it was looked at. */
static void set_pace(struct sampler *sampler, uint64_t bytes) {
  uint64_t time = (uint64_t)now(CLOCK_MONOTONIC);
  if (sampler->last_look != 0 && time > sampler->last_look)
    sampler->pace = bytes * 1000000000 / (time - sampler->last_look);
  sampler->last_look = time;
}

/* Takes in what is older than `limit`. */
static void take_until(struct sampler *sampler, uint64_t limit) {
  enum { STRETCH = 256 }; /* records: the kernel wants space while these are looked at */
  size_t done = 0;
  uint64_t most = 0;
  for (size_t lane = 0; lane < sampler->counters.lanes.count; lane++) {
    uint64_t bytes = find_records(sampler, lane);
    most = bytes > most ? bytes : most;
  }
  set_pace(sampler, most);
  if (sampler->queue.count != 0)
    qsort(sampler->queue.data, sampler->queue.count, sizeof *sampler->queue.data, compare_queued);
  if (is_off_cpu(sampler)) {
    off_cpu_find_losses(sampler);
    off_cpu_scan(sampler);
  }
  read_names(sampler);
  while (done < sampler->queue.count && sampler->queue.data[done].time < limit) {
    if (done + 1 < sampler->queue.count)
      fetch(&sampler->queue.data[done + 1].record);
    take_record(sampler, &sampler->queue.data[done++]);
    if (done % STRETCH == 0)
      give_back(sampler, done);
  }
  give_back(sampler, done);
  waits_forget(&sampler->waits);
  size_t rest = sampler->queue.count - done;
  if (done != 0)
    memmove(sampler->queue.data, sampler->queue.data + done, rest * sizeof *sampler->queue.data);
  sampler->queue.count = rest;
}

int sampler_wait_ms(const struct sampler *sampler) {
  enum { LONGEST_MS = 250, REST_OF_SAMPLE = 512, LEAST_PACE = 100 << 20 };
  const struct counter_options *options = &sampler->counters.options;
  size_t second = (size_t)options->rate * (options->stack_bytes + REST_OF_SAMPLE);
  if (is_off_cpu(
          sampler)) /* nobody knows how often threads will switch: it may be ten times more */
    second = (sampler->pace < LEAST_PACE ? LEAST_PACE : sampler->pace) + 1;
  size_t third = sampler->counters.lanes.data[0].ring.size / 3;
  size_t wait = third * 1000 / second;
  return wait > LONGEST_MS ? LONGEST_MS : wait < 1 ? 1 : (int)wait;
}

/* A record that is being written has a time of just before. A processor of a virtual machine may
 * be stopped meanwhile: 20 ms are much for that, and little of what a ring holds. */
bool sampler_drain(struct sampler *sampler) {
  enum { WRITING_NS = 20000000 };
  uint64_t last = sampler->last_drain, time = (uint64_t)now(CLOCK_MONOTONIC);
  sampler->last_drain = time;
  spaces_sweep(&sampler->spaces);
  take_until(sampler, time - last > WRITING_NS ? time - WRITING_NS : last);
  return tpp_flush(&sampler->writer);
}

/* --- the file --- */

void sampler_open_file(struct sampler *sampler, int descriptor) {
  const struct counter_options *options = &sampler->counters.options;
  struct tpp_header header = {.start = now(CLOCK_MONOTONIC),
                              .calendar = now(CLOCK_REALTIME),
                              .unit = options->event == COUNTER_CYCLES ? TPP_UNIT_PERIODS
                                      : sampler->options.adaptive || is_off_cpu(sampler)
                                          ? TPP_UNIT_NANOSECONDS
                                          : TPP_UNIT_SAMPLES,
                              .rate = is_off_cpu(sampler) ? 0 : options->rate};
  char machine[256] = "";
  gethostname(machine, sizeof machine - 1);
  memcpy(header.magic, TPP_MAGIC, sizeof header.magic);
  tpp_writer_init(&sampler->writer, descriptor, &header, counter_event_name(options->event),
                  machine);
  sampler->module_numbers.count = 0;
  sampler->counts = (struct tpp_counts){.user_only = options->user_only};
  sampler->preempted = UINT32_MAX;
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
  uint64_t lost = counters_lost(&sampler->counters);
  if (lost > sampler->told_lost) /* nothing came after them */
    sampler->counts.lost += lost - sampler->told_lost;
  if (is_off_cpu(sampler))
    off_cpu_end(sampler);
  return sampler_finish_file(sampler);
}

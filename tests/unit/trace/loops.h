/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Programs on an event loop of which everything is known: jobs that register jobs, one thread that
 * serves them in the order in which they become ready, and the log that a perfect recorder would
 * have written. What removing a plant does is found by running the program again without it.
 */
#ifndef TESTS_UNIT_TRACE_LOOPS_H
#define TESTS_UNIT_TRACE_LOOPS_H

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "trace/loop/chain.h"

#define LOOPS_US INT64_C(1000)
#define LOOPS_MS INT64_C(1000000)

/* What a plant adds; 0: nothing. */
struct loops_plants {
  double rate;        /* requests/s; 0: 300 */
  int64_t spin;       /* ns that 1 of 60 requests, GET /report, holds the loop for */
  int64_t collection; /* ns of a full collection, in 1 of 100 handlers */
  int64_t disk;       /* ns more of 1 of 40 file reads */
  int64_t wide;       /* ns more of each file read at least, by a Pareto law */
  int64_t storm;      /* ns: 300 timers at once each 500 ms, of this length together */
  uint32_t pieces;    /* the spin falls into so many, 0: one */
  bool elsewhere;     /* the spin is another thread's */
  uint32_t processes; /* 0: one */
  int64_t starve;     /* ns more of each file read that is under way when a report is begun */
  uint32_t seldom;    /* that is so for one of as many reports alone; 0: for all */
  int64_t preempted;  /* ns that a report waits for a processor */
};

struct loops_job {
  uint32_t parent; /* job, or EVENT_NONE: it comes at `time` */
  int64_t time;    /* ns: absolute, or after the parent's `at` */
  int64_t at;      /* ns of the parent's execution, without pauses, after which it registers */
  int64_t own;     /* ns of execution */
  int64_t pause;   /* ns of a collection in the middle of it, or: */
  bool preempted;  /* of a wait for a processor */
  uint32_t place, type, request;
  uint8_t class;
  bool split, elsewhere;     /* GET /report's */
  int64_t ready, begin, end; /* of a run */
};

struct loops_program {
  VECTOR(struct loops_job) jobs;
  uint32_t requests;
  VECTOR(uint32_t) sources, sinks;
};

static inline int64_t loops_between(struct random *random, int64_t least, int64_t most) {
  return least + (int64_t)random_below(random, (uint64_t)(most - least) + 1);
}

static inline uint32_t loops_name(struct span_names *names, const char *text) {
  return names_number(names, (struct slice){text, strlen(text)});
}

static inline uint32_t loops_add(struct loops_program *program, struct loops_job job) {
  vector_push(&program->jobs, job);
  return (uint32_t)program->jobs.count - 1;
}

/* Infinite mean, and of one kind all the same: the longer the rarer. */
static inline int64_t loops_pareto(int64_t least, uint64_t seed) {
  struct random random = {seed};
  return (int64_t)((double)least * 1e6 / (double)(1 + random_below(&random, 1000000)));
}

/* A request that reads a file and answers; one of 60 computes a report, too. The draws are the same
 * with and without plants. */
static inline void loops_request(struct loops_program *p, struct event_log *log,
                                 struct random *random, int64_t now,
                                 const struct loops_plants *plants) {
  uint32_t request = p->requests++;
  bool report = random_below(random, 60) == 0, full = random_below(random, 100) == 0,
       slow = random_below(random, 40) == 0;
  struct loops_job source = {.parent = EVENT_NONE,
                             .time = now,
                             .own = loops_between(random, 200, 600) * LOOPS_US,
                             .pause = full ? plants->collection : 0,
                             .place = loops_name(&log->names, "app.js:5:1 onRequest"),
                             .type = loops_name(&log->names, "HTTPINCOMINGMESSAGE"),
                             .request = request,
                             .class = EVENT_SOCKET};
  uint32_t at = loops_add(p, source);
  vector_push(&p->sources, at);
  struct loops_job read = {.parent = at,
                           .at = source.own * 3 / 4,
                           .time = loops_between(random, 1000, 2000) * LOOPS_US +
                                   (slow ? plants->disk : 0) +
                                   loops_pareto(plants->wide, (uint64_t)now),
                           .own = loops_between(random, 100, 300) * LOOPS_US,
                           .place = loops_name(&log->names, "app.js:9:3 onFile"),
                           .type = loops_name(&log->names, "FSREQCALLBACK"),
                           .request = request,
                           .class = EVENT_FILE};
  at = loops_add(p, read);
  if (report) {
    struct loops_job spin = read;
    spin.parent = at;
    spin.at = read.own / 2;
    spin.time = 0;
    spin.own = plants->spin + 50 * LOOPS_US;
    spin.pause = plants->preempted;
    spin.preempted = true;
    spin.place = loops_name(&log->names, "report.js:7:3 makeReport");
    spin.type = loops_name(&log->names, "Immediate");
    spin.class = EVENT_TICK;
    spin.split = spin.elsewhere = true;
    at = loops_add(p, spin);
  }
  vector_push(&p->sinks, at);
}

static inline void loops_storm(struct loops_program *p, struct event_log *log, int64_t now,
                               int64_t all) {
  for (size_t i = 0; i < 300; i++)
    loops_add(p, (struct loops_job){.parent = EVENT_NONE,
                                    .time = now,
                                    .own = all / 300,
                                    .place = loops_name(&log->names, "poll.js:3:1 tick"),
                                    .type = loops_name(&log->names, "Timeout"),
                                    .request = EVENT_NONE,
                                    .class = EVENT_TIMER});
}

static inline void loops_program_make(struct loops_program *p, struct event_log *log,
                                      uint32_t requests, uint64_t seed,
                                      const struct loops_plants *plants) {
  struct random random = {seed};
  *p = (struct loops_program){0};
  double rate = plants->rate == 0 ? 300 : plants->rate;
  int64_t now = 10 * LOOPS_MS, mean = (int64_t)(1e9 / rate), storm = now;
  for (uint32_t i = 0; i < requests; i++) {
    loops_request(p, log, &random, now, plants);
    if (plants->storm != 0 && now > storm) {
      loops_storm(p, log, storm, plants->storm);
      storm += 500 * LOOPS_MS;
    }
    now += loops_between(&random, 1, 2 * mean) | 1;
  }
}

static inline int64_t loops_moment(const struct loops_job *job, int64_t at) {
  return job->begin + at + (at >= job->own / 2 ? job->pause : 0);
}

/* A piece of a job that waits for service; `part` of so many. */
struct loops_waiting {
  int64_t ready;
  uint32_t job, part;
};

static inline int loops_by_ready(const void *a, const void *b) {
  const struct loops_waiting *x = a, *y = b;
  if (x->ready != y->ready)
    return x->ready < y->ready ? -1 : 1;
  return (x->job > y->job) - (x->job < y->job);
}

/* What is waited for from the disk at that time takes longer, and moves back. */
static inline void loops_starve(const struct loops_program *p, struct loops_waiting *waiting,
                                size_t count, int64_t now, int64_t longer) {
  for (size_t i = 0; i < count; i++)
    if (p->jobs.data[waiting[i].job].class == EVENT_FILE && waiting[i].ready > now)
      waiting[i].ready += longer;
  qsort(waiting, count, sizeof *waiting, loops_by_ready);
}

/* Runs the program: the least ready first. Slow and plain: this is the truth. */
static inline void loops_run(struct loops_program *p, const struct loops_plants *plants) {
  VECTOR(struct loops_waiting) waiting = {0};
  uint32_t processes = plants->processes == 0 ? 1 : plants->processes;
  int64_t *free = mem_alloc(processes, sizeof *free);
  for (uint32_t i = 0; i < p->jobs.count; i++) {
    p->jobs.data[i].begin = EVENT_NEVER;
    if (p->jobs.data[i].parent == EVENT_NONE)
      vector_push(&waiting, (struct loops_waiting){p->jobs.data[i].time, i, 0});
  }
  qsort(waiting.data, waiting.count, sizeof *waiting.data, loops_by_ready);
  for (size_t next = 0; next < waiting.count; next++) {
    struct loops_waiting w = waiting.data[next];
    struct loops_job *job = &p->jobs.data[w.job];
    uint32_t on = job->request == EVENT_NONE ? 0 : job->request % processes;
    uint32_t parts = job->split && plants->pieces > 1 ? plants->pieces : 1;
    bool elsewhere = job->elsewhere && plants->elsewhere;
    int64_t begin = w.ready > free[on] ? w.ready : free[on];
    int64_t length = (job->own + job->pause) / parts, later = 0;
    if (w.part + 1 == parts)
      length = job->own + job->pause - length * (parts - 1);
    if (elsewhere) { /* handed over, and taken back when it is done */
      parts = 2;
      later = w.part == 0 ? length : 0;
      length = 0;
    }
    if (w.part == 0) {
      job->ready = w.ready;
      job->begin = begin;
    }
    free[on] = job->end = begin + length;
    if (job->split && plants->starve != 0 &&
        (plants->seldom == 0 || job->request % plants->seldom == 0))
      loops_starve(p, waiting.data + next + 1, waiting.count - next - 1, begin, plants->starve);
    size_t from = waiting.count;
    if (w.part + 1 < parts)
      vector_push(&waiting, (struct loops_waiting){job->end + later, w.job, w.part + 1});
    if (w.part == 0)
      for (uint32_t c = w.job + 1; c < p->jobs.count && c < w.job + 3; c++)
        if (p->jobs.data[c].parent == w.job)
          vector_push(&waiting,
                      (struct loops_waiting){
                          loops_moment(job, p->jobs.data[c].at) + p->jobs.data[c].time, c, 0});
    for (size_t i = from; i < waiting.count; i++) { /* into their places */
      struct loops_waiting one = waiting.data[i];
      size_t to = i;
      for (; to > next + 1 && loops_by_ready(&one, &waiting.data[to - 1]) < 0; to--)
        waiting.data[to] = waiting.data[to - 1];
      waiting.data[to] = one;
    }
  }
  mem_free(free);
  vector_clear(&waiting);
}

static inline int64_t loops_latency(const struct loops_program *p, uint32_t request) {
  return p->jobs.data[p->sinks.data[request]].end - p->jobs.data[p->sources.data[request]].time;
}

static const struct loops_program *loops_sorted; /* of the comparison */

static inline int loops_by_begin(const void *a, const void *b) {
  const struct loops_job *x = &loops_sorted->jobs.data[*(const uint32_t *)a];
  const struct loops_job *y = &loops_sorted->jobs.data[*(const uint32_t *)b];
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return (x->end > y->end) - (x->end < y->end);
}

/* The log of a run on one process. */
static inline void loops_record(struct event_log *log, const struct loops_program *p) {
  size_t count = p->jobs.count;
  uint32_t *order = mem_alloc(count, sizeof *order), *row = mem_alloc(count, sizeof *row);
  for (uint32_t i = 0; i < count; i++)
    order[i] = i;
  loops_sorted = p;
  qsort(order, count, sizeof *order, loops_by_begin);
  for (uint32_t i = 0; i < count; i++)
    row[order[i]] = i;
  for (size_t i = 0; i < count; i++) {
    const struct loops_job *job = &p->jobs.data[order[i]];
    const struct loops_job *parent = job->parent == EVENT_NONE ? NULL : &p->jobs.data[job->parent];
    vector_push(&log->registered, parent == NULL ? job->time : loops_moment(parent, job->at));
    vector_push(&log->ready_low, job->ready);
    vector_push(&log->ready_high, job->ready);
    vector_push(&log->begin, job->begin);
    vector_push(&log->end, job->end);
    vector_push(&log->resource, order[i] + 1);
    vector_push(&log->type, job->type);
    vector_push(&log->place, job->place);
    vector_push(&log->registrar, parent == NULL ? EVENT_NONE : row[job->parent]);
    vector_push(&log->releaser, EVENT_NONE);
    vector_push(&log->inside, EVENT_NONE);
    vector_push(&log->class, job->class);
    vector_push(&log->ready_source, EVENT_READY_KERNEL);
    if (job->pause != 0)
      vector_push(
          &log->pauses,
          (struct event_pause){.kind = job->preempted ? EVENT_PAUSE_WAITING : EVENT_PAUSE_MAJOR,
                               .start = job->begin + job->own / 2,
                               .end = job->begin + job->own / 2 + job->pause});
  }
  int64_t end = count == 0 ? 0 : p->jobs.data[order[count - 1]].end;
  vector_push(&log->loops, (struct event_loop){.name = loops_name(&log->names, "app.js"),
                                               .process = 1,
                                               .count = (uint32_t)count,
                                               .end = end});
  for (uint32_t i = 0; i < p->requests; i++) {
    const struct loops_job *source = &p->jobs.data[p->sources.data[i]];
    const struct loops_job *sink = &p->jobs.data[p->sinks.data[i]];
    bool report = sink->place == loops_name(&log->names, "report.js:7:3 makeReport");
    vector_push(
        &log->requests,
        (struct event_request){.route = loops_name(&log->names, report ? "GET /report" : "GET /"),
                               .source = row[p->sources.data[i]],
                               .sink = row[p->sinks.data[i]],
                               .arrived_low = source->time,
                               .arrived_high = source->time,
                               .noticed = source->begin,
                               .responded = sink->end,
                               .status = 200});
  }
  mem_free(order);
  mem_free(row);
}

static inline void loops_clear(struct loops_program *p) {
  vector_clear(&p->jobs);
  vector_clear(&p->sources);
  vector_clear(&p->sinks);
}

#endif

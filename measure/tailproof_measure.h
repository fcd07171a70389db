/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libtailproof-measure: how long the parts of a running program take, recorded so that a latency
 * bound can be held against them. C11 and C++; all functions have a C ABI of plain integers and
 * pointers.
 *
 *   struct tailproof_store *store;
 *   if (tailproof_open(&store, NULL) != 0) ...tailproof_error()...
 *   int grant = tailproof_component(store, "Grant");
 *   struct tailproof_writer *writer = tailproof_writer_open(store);      one for each thread
 *   uint64_t start = tailproof_now(writer);
 *   ...the step...
 *   tailproof_end(writer, grant, start);
 *   tailproof_close(store);
 *
 * A *store* is what one process records: a memory-mapped file (measure/core/format.h) that can be
 * read while it is written and after the process was killed. A *writer* is one thread's part of it:
 * recording takes no lock, no allocation and no system call. A *name* is a small number for what
 * is recorded; names are registered once, before the first recording.
 *
 * Every recording goes to a bounded log of the writer, which keeps the latest, and, where it has a
 * duration, to a histogram that keeps all. Times are *ticks* of one clock per process (the time
 * stamp counter where it is invariant and was calibrated, else CLOCK_MONOTONIC in nanoseconds);
 * durations are converted to nanoseconds rounded up.
 *
 * Errors: functions that return int return 0 (or a number >= 0) when done and a negative errno
 * value otherwise; tailproof_error() then has one line for people. A null writer is accepted
 * everywhere and records nothing, so that a program works on without its store. What is recorded
 * under a negative name, whose registration failed, is counted in the store as refused, so that it
 * does not go missing unnoticed.
 *
 * Threads: any thread may open, close and register names; a lock inside lets one do so at a time. A
 * writer belongs to one thread at a time. Nothing here may be called in a signal handler. After
 * fork() the child's writers and store are dead: they record nothing, and the child opens its own.
 */
#ifndef TAILPROOF_MEASURE_H
#define TAILPROOF_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TAILPROOF_API __attribute__((visibility("default")))
#else
#define TAILPROOF_API
#endif

#define TAILPROOF_VERSION_MAJOR 1
#define TAILPROOF_VERSION_MINOR 1

#define TAILPROOF_ARGUMENTS 7    /* indices of an occurrence, or fields of a message */
#define TAILPROOF_STAMP_BYTES 48 /* what a message carries */

struct tailproof_store;
struct tailproof_writer;

enum tailproof_clock {
  TAILPROOF_CLOCK_BEST = 0, /* the counter where it can be trusted, else CLOCK_MONOTONIC */
  TAILPROOF_CLOCK_MONOTONIC = 1,
  TAILPROOF_CLOCK_TSC = 2, /* fails where the counter is not invariant or not calibrated */
};

/* All fields may be 0 or NULL: then the value in brackets is used. */
struct tailproof_options {
  const char *folder;   /* where the store file goes; is made if missing, not its parents
                         * [environment variable TAILPROOF_STORE, else "tailproof-store"] */
  const char *node;     /* the node of the protocol this process is: "primary", "backup[2]"; at most
                         * 63 bytes [environment variable TAILPROOF_NODE, else ""] */
  uint32_t log_records; /* capacity of each writer's log, in records of 64 bytes; a power of two up
                         * to 2^24 [16384] */
  uint32_t clock;       /* enum tailproof_clock [best] */
};

/* Makes a store file "NODE.PID.N.tps" in the folder ("PID.N.tps" without a node; N counts the
 * stores of the process). `options` may be NULL. -ENOSPC: the disk is full; the file is not left
 * behind. The first one that uses the counter calibrates it for some 12 ms. */
TAILPROOF_API int tailproof_open(struct tailproof_store **store,
                                 const struct tailproof_options *options);

/* Marks the store as closed properly and frees it and all its writers; no thread may use them
 * meanwhile or later. NULL is accepted. Returns the error of synchronising to disk, if any. */
TAILPROOF_API int tailproof_close(struct tailproof_store *store);

/* One line about the calling thread's last failure; "" before the first. Valid until the next. */
TAILPROOF_API const char *tailproof_error(void);

/* The path of the store's file; valid until the store is closed. */
TAILPROOF_API const char *tailproof_path(const struct tailproof_store *store);

/* ---- names ----
 *
 * Letters, digits, '_' and '.', at most 59 bytes (of a message together with "rtt", its delay or
 * queueing, and a dot); 512 for one store, a message being 5. The same name gives the same number;
 * -EEXIST when it comes with another component. Histograms take 272 KB of the file for each name
 * and writer. */

/* A component: its occurrences have a start and an end. */
TAILPROOF_API int tailproof_component(struct tailproof_store *store, const char *component);

/* An action of the protocol, "primary.Broadcast". A step's duration is also an occurrence of
 * `component`, which may be NULL or "" for an action without cost. */
TAILPROOF_API int tailproof_action(struct tailproof_store *store, const char *action,
                                   const char *component);

/* A message kind, "Request", with its delay and queueing components as in the protocol file ("d",
 * "Queuing"; `queueing` may be NULL). Histograms are kept as "d.Request" and "Queuing.Request". */
TAILPROOF_API int tailproof_message(struct tailproof_store *store, const char *message,
                                    const char *delay, const char *queueing);

/* A request as its users see it, "round": from when it was asked to when it was answered. */
TAILPROOF_API int tailproof_request(struct tailproof_store *store, const char *request);

/* ---- recording ---- */

/* A writer for the calling thread; NULL on failure (tailproof_error). Freed with its store, or by
 * tailproof_writer_close, which leaves what was recorded. Open it after the names are registered: a
 * name registered later costs its first recording a system call. */
TAILPROOF_API struct tailproof_writer *tailproof_writer_open(struct tailproof_store *store);
TAILPROOF_API void tailproof_writer_close(struct tailproof_writer *writer);

/* Now, in ticks; of a null writer in nanoseconds of CLOCK_MONOTONIC. */
TAILPROOF_API uint64_t tailproof_now(const struct tailproof_writer *writer);

/* Ticks as nanoseconds, rounded up and down; the same number for a null writer. */
TAILPROOF_API uint64_t tailproof_ns_up(const struct tailproof_writer *writer, uint64_t ticks);
TAILPROOF_API uint64_t tailproof_ns_down(const struct tailproof_writer *writer, uint64_t ticks);

/* Records an occurrence of a component (or a step, or a request) that started at `start` and ends
 * now; returns the end, so that the next can start there. */
TAILPROOF_API uint64_t tailproof_end(struct tailproof_writer *writer, int name, uint64_t start);

/* One recording: what happened, from when to when, and of which request. */
struct tailproof_event {
  int32_t name;
  uint32_t instance;   /* the number of the request, or of the lap; 0 where there is none */
  uint64_t start, end; /* ticks; start <= end, else the recording is refused and counted */
  uint32_t count;      /* of arguments */
  int32_t arguments[TAILPROOF_ARGUMENTS]; /* of a component its indices; of an action the fields of
                                           * the message it received; of a message its fields. Those
                                           * beyond `count` are 0 */
};

/* Records a component, an action or a request in full. Returns 0 or -EINVAL, -ENOSPC (counted in
 * the store as refused: end before start, no such name, no space for its histogram), or -ESTALE in
 * the child of a fork. */
TAILPROOF_API int tailproof_record(struct tailproof_writer *writer,
                                   const struct tailproof_event *event);

/* ---- messages ----
 *
 *   sender     tailproof_send(writer, &request, stamp);        the stamp goes into the packet
 *   receiver   tailproof_arrive(writer, &request, stamp);      the packet is there: the delay
 *              tailproof_dequeue(writer, &request);            work on it begins: the wait
 *
 * Where sender and receiver read the same clock (same host, same kind of clock) the delay is
 * measured directly. Else no delay is recorded. Then a round trip can be: the answer's stamp
 * carries the question's times back (tailproof_reply_at), and what the answerer held the question
 * for is subtracted. It is recorded as "rtt.MESSAGE" of the question, and takes the two clocks to
 * drift apart by at most 1000 ppm.
 */

/* Records that the message event->name (its start and end are ignored) is sent now; fills the
 * stamp. Returns the time of sending. */
TAILPROOF_API uint64_t tailproof_send(struct tailproof_writer *writer,
                                      const struct tailproof_event *event,
                                      unsigned char stamp[TAILPROOF_STAMP_BYTES]);

/* The same with a time already taken, so that one clock reading ends a step and begins a delay. */
TAILPROOF_API void tailproof_send_at(struct tailproof_writer *writer,
                                     const struct tailproof_event *event, uint64_t sent,
                                     unsigned char stamp[TAILPROOF_STAMP_BYTES]);

/* The same for a message that answers the one whose arrival is given: its stamp carries the times
 * of the question back. */
TAILPROOF_API void tailproof_reply_at(struct tailproof_writer *writer,
                                      const struct tailproof_event *event, uint64_t sent,
                                      const struct tailproof_event *question,
                                      const unsigned char question_stamp[TAILPROOF_STAMP_BYTES],
                                      unsigned char stamp[TAILPROOF_STAMP_BYTES]);

/* Records that the message event->name with this stamp arrived at event->end. Sets event->start to
 * when it was sent, or to event->end where that is not known in this clock. To record the wait, set
 * event->start to event->end next, and call tailproof_dequeue. Returns
 *   0          the delay is recorded;
 *   1          the clocks differ, or the clock went back: the arrival is recorded without a delay;
 *   -EBADMSG   the bytes are no stamp: nothing is recorded, but counted;
 *   else a negative errno value like tailproof_record. */
TAILPROOF_API int tailproof_arrive(struct tailproof_writer *writer, struct tailproof_event *event,
                                   const unsigned char stamp[TAILPROOF_STAMP_BYTES]);

/* Records the wait of a message between its arrival (event->start) and now; returns now. */
TAILPROOF_API uint64_t tailproof_dequeue(struct tailproof_writer *writer,
                                         const struct tailproof_event *event);

/* The same with a time already taken (event->end). */
TAILPROOF_API void tailproof_dequeue_at(struct tailproof_writer *writer,
                                        const struct tailproof_event *event);

/* ---- counting requests ----
 *
 * A service that runs under `tailproof poker` counts its requests, so that its poker knows how long
 * to pause it, and when a round is due:
 *
 *   struct tailproof_counter *counter;
 *   if (tailproof_counter_open(&counter) != 0) ...tailproof_error()...
 *   uint64_t start = tailproof_count_begin(counter);
 *   ...the work of one request...
 *   tailproof_count_end(counter, start);
 *
 * Without a poker the counter is NULL; every function accepts it and does nothing. All threads of a
 * process share one counter, and so do processes that it forks. Beginning and end cost a few atomic
 * additions and readings of the clock, no lock and no allocation; once a round there is a system
 * call, a write that never waits. The service never waits for its poker, and works on when that is
 * gone. */
struct tailproof_counter;

/* Returns 0, with *counter NULL when the environment names no poker (TAILPROOF_POKER). When it
 * names one that cannot be used, *counter is NULL and a negative errno value comes back:
 * tailproof_error(). */
TAILPROOF_API int tailproof_counter_open(struct tailproof_counter **counter);

/* No thread may use it meanwhile or later. */
TAILPROOF_API void tailproof_counter_close(struct tailproof_counter *counter);

/* A request's work begins; returns the time, CLOCK_MONOTONIC in nanoseconds (0 of a NULL counter).
 * Call it before the work: then the request's pause belongs to the round it began in, not to the
 * next. */
TAILPROOF_API uint64_t tailproof_count_begin(struct tailproof_counter *counter);

/* The work that began at `start` ends. The time between is added up; it is the service's own work
 * when no call to another service lies between. Call it for every request or for none. */
TAILPROOF_API void tailproof_count_end(struct tailproof_counter *counter, uint64_t start);

/* This service calls one whose poker listens on "HOST:PORT" ("[::1]:7000"): the two are neighbours
 * from now on. Saying it again changes nothing. Returns 0; -EINVAL: no such address; -ENOSPC: 32
 * are known. */
TAILPROOF_API int tailproof_count_neighbour(struct tailproof_counter *counter, const char *address);

#ifdef __cplusplus
}
#endif

#endif

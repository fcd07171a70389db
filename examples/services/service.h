/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One service of a mesh. A request that comes is queued until one of the service's workers takes
 * it; the worker does the request's own work (examples/common/meter.h) and only that: waiting for
 * the calls that follow holds no worker, as with a service that has a processor's share for its
 * work and a light thread for each request.
 *
 * What is counted (tailproof_count_begin, tailproof_count_end) is the time in a worker's hands,
 * with the sending of calls or reply but not the wait for them. So the mean of it is the own work
 * per call, the most at once are the workers, and of a service that never idles they are busy all
 * the time. Waiting for the service's lock is in it.
 */
#ifndef EXAMPLES_SERVICES_SERVICE_H
#define EXAMPLES_SERVICES_SERVICE_H

#include "examples/common/random.h"
#include "examples/services/channel.h"
#include "examples/services/mesh.h"
#include "examples/common/meter.h"
#include "measure/tailproof_measure.h"

#include <stdatomic.h>

/* One who asks. Lives until it has gone and all its requests are answered. */
struct caller {
  struct channel channel;
  struct service *service;
  atomic_uint references;
};

struct request {
  struct caller *from;
  uint64_t id; /* the caller's */
  const struct mesh_endpoint *endpoint;
  size_t step;         /* the next one */
  atomic_uint pending; /* calls that are not answered */
  atomic_bool failed;
  struct request *next; /* in the queue */
};

/* Who waits for which answer; the id of a call is a slot's number and its generation, so that a
 * late or foreign answer finds nobody. */
struct slot {
  struct request *request; /* NULL: free */
  uint32_t generation, next_free;
};

/* To a service that this one calls. */
struct link {
  struct channel channel;
  struct service *service;
  size_t to;
  bool used, told;      /* told: that it cannot be reached */
  atomic_bool lost;     /* it was connected, and is not: calls fail at once */
  uint64_t since_ns;    /* without a connection */
  pthread_mutex_t lock; /* of what follows */
  struct slot *slots;
  uint32_t count, free; /* free: the first free slot, or `count` */
};

struct service {
  const struct mesh *mesh;
  const struct mesh_service *self;
  uint16_t base;
  int poll; /* epoll */
  struct tailproof_counter *counter;
  atomic_uint faster; /* percent */

  pthread_mutex_t queue_lock;
  pthread_cond_t queue_filled;
  struct request *first, **last;
  unsigned idle; /* workers */

  pthread_mutex_t work_lock; /* for work that is `locked` */
  struct meter work_meter;   /* of who holds it */

  pthread_mutex_t draw_lock;
  struct random random;

  struct link links[MESH_SERVICES_MAX];
  atomic_ulong begun, failed, called[MESH_SERVICES_MAX];
  atomic_ulong stops, lost_us; /* of all workers' meters */
};

/* ---- links.c */

/* A link for each service that this one calls; they connect by links_connect. */
void links_init(struct service *service);
/* Tries those without a connection; whether there are still some. Says so, once, of one that cannot
 * be reached for ten seconds. */
bool links_connect(struct service *service);
/* Reads answers; takes down a link whose other side is gone, and fails what waits for it. */
void link_serve(struct link *link, bool writable);
/* Asks; the answer goes to request_answered. A service that was not reached yet is waited for, one
 * that is gone fails the call. */
void link_call(struct link *link, uint16_t endpoint, struct request *request);

/* ---- pool.c */

/* Starts the workers. False after a complaint. */
bool pool_start(struct service *service);
void pool_push(struct service *service, struct request *request);

/* ---- requests.c */

/* After the work is done: makes the next calls, or replies; then the request may be gone. */
void request_advance(struct service *service, struct request *request);
/* A call of it was answered. */
void request_answered(struct service *service, struct request *request, bool failed);
/* Takes a caller's frame. */
void caller_take(void *caller, const struct frame *frame);
struct caller *caller_new(struct service *service, int fd);
void caller_release(struct caller *caller);

/* ---- serve.c */

struct serve_options {
  uint16_t base;
  unsigned faster;
  uint64_t seed;
  bool realtime, report;
};

/* Serves until SIGTERM, SIGINT or SIGHUP, then ends the process: with EXIT_SUCCESS, or another exit
 * code after a complaint. */
int service_run(const struct mesh *mesh, size_t index, const struct serve_options *options);

/* Takes SCHED_FIFO where that is allowed, and exact timers; says so where it is not. */
void realtime_take(bool wanted);

#endif

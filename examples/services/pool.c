/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The workers of a service and the queue before them.
 */
#include "examples/common/complain.h"
#include "examples/services/service.h"

#include <string.h>

void pool_push(struct service *service, struct request *request) {
  request->next = NULL;
  pthread_mutex_lock(&service->queue_lock);
  *service->last = request;
  service->last = &request->next;
  bool wake = service->idle > 0;
  pthread_mutex_unlock(&service->queue_lock);
  if (wake)
    pthread_cond_signal(&service->queue_filled);
}

static struct request *pool_pop(struct service *service, struct meter *meter) {
  pthread_mutex_lock(&service->queue_lock);
  if (service->first == NULL) {
    service->idle++;
    while (service->first == NULL)
      pthread_cond_wait(&service->queue_filled, &service->queue_lock);
    service->idle--;
    meter_idle(meter);
  }
  struct request *request = service->first;
  service->first = request->next;
  if (service->first == NULL)
    service->last = &service->first;
  pthread_mutex_unlock(&service->queue_lock);
  return request;
}

/* For the report. */
static void stops_add(struct service *service, struct meter *meter) {
  if (meter->stops == 0)
    return;
  atomic_fetch_add(&service->stops, meter->stops);
  atomic_fetch_add(&service->lost_us, meter->lost_ns / 1000);
  meter->stops = meter->lost_ns = 0;
}

/* Under the lock time goes on from where the holder before left off, or from when this worker came
 * if that is later: handing the lock on costs nothing but what it is held for. */
static void work_locked(struct service *service, struct meter *meter, uint64_t work_ns) {
  pthread_mutex_lock(&service->work_lock);
  if (service->work_meter.last_ns < meter->last_ns)
    service->work_meter.last_ns = meter->last_ns;
  meter_work(&service->work_meter, work_ns);
  meter->last_ns = service->work_meter.last_ns;
  stops_add(service, &service->work_meter);
  pthread_mutex_unlock(&service->work_lock);
}

static void work(struct service *service, struct meter *meter, const struct mesh_endpoint *what) {
  uint64_t left = 100 - atomic_load(&service->faster);
  meter_work(meter, (what->work_ns - what->locked_ns) * left / 100);
  if (what->locked_ns > 0)
    work_locked(service, meter, what->locked_ns * left / 100);
}

static void *worker(void *context) {
  struct service *service = context;
  struct meter meter = {0};
  meter_idle(&meter);
  for (;;) {
    struct request *request = pool_pop(service, &meter);
    atomic_fetch_add(&service->begun, 1);
    uint64_t start = tailproof_count_begin(service->counter);
    work(service, &meter, request->endpoint);
    request_advance(service, request);
    tailproof_count_end(service->counter, start);
    stops_add(service, &meter);
  }
  return NULL;
}

bool pool_start(struct service *service) {
  pthread_mutex_init(&service->queue_lock, NULL);
  pthread_cond_init(&service->queue_filled, NULL);
  pthread_mutex_init(&service->work_lock, NULL);
  pthread_mutex_init(&service->draw_lock, NULL);
  service->last = &service->first;
  for (uint32_t i = 0; i < service->self->workers; i++) {
    pthread_t thread;
    int error = pthread_create(&thread, NULL, worker, service);
    if (error != 0) {
      complain("%s: worker %u cannot be started: %s", service->self->name, i, strerror(error));
      return false;
    }
    pthread_detach(thread);
  }
  return true;
}

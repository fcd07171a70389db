/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a request does besides its work: calls, one after the other or joined, and the reply.
 */
#include "examples/services/service.h"

#include <stdlib.h>

struct caller *caller_new(struct service *service, int fd) {
  struct caller *caller = malloc(sizeof *caller);
  if (caller == NULL)
    return NULL;
  channel_init(&caller->channel);
  channel_attach(&caller->channel, fd);
  caller->service = service;
  atomic_init(&caller->references, 1);
  return caller;
}

void caller_release(struct caller *caller) {
  if (atomic_fetch_sub(&caller->references, 1) != 1)
    return;
  channel_free(&caller->channel);
  free(caller);
}

static void reply(struct caller *caller, uint64_t id, bool failed) {
  struct frame frame = {
      .magic = FRAME_MAGIC, .kind = failed ? FRAME_FAILED : FRAME_REPLY, .id = id};
  channel_send(&caller->channel, &frame);
}

void caller_take(void *context, const struct frame *frame) {
  struct caller *caller = context;
  struct service *service = caller->service;
  if (frame->kind == FRAME_FASTER) {
    atomic_store(&service->faster, frame->id < 100 ? (unsigned)frame->id : 99);
    reply(caller, frame->id, false);
  }
  if (frame->kind != FRAME_REQUEST)
    return;
  struct request *request = frame->endpoint < service->self->count ? malloc(sizeof *request) : NULL;
  if (request == NULL) {
    reply(caller, frame->id, true);
    return;
  }
  *request = (struct request){
      .from = caller, .id = frame->id, .endpoint = &service->self->endpoints[frame->endpoint]};
  atomic_fetch_add(&caller->references, 1);
  pool_push(service, request);
}

static void request_end(struct service *service, struct request *request) {
  bool failed = atomic_load(&request->failed);
  if (failed)
    atomic_fetch_add(&service->failed, 1);
  reply(request->from, request->id, failed);
  caller_release(request->from);
  free(request);
}

static const struct mesh_choice *choice_draw(struct service *service,
                                             const struct mesh_step *step) {
  if (step->count == 1 && step->choices[0].millionths == MESH_SURE)
    return &step->choices[0];
  pthread_mutex_lock(&service->draw_lock);
  const struct mesh_choice *choice = mesh_draw(step, &service->random);
  pthread_mutex_unlock(&service->draw_lock);
  return choice;
}

/* All calls at once. One more than there are is pending meanwhile, so that no answer ends the
 * request before the last call is made. */
static void call_together(struct service *service, struct request *request) {
  const struct mesh_endpoint *endpoint = request->endpoint;
  request->step = endpoint->count;
  atomic_store(&request->pending, 1);
  for (size_t i = 0; i < endpoint->count; i++) {
    const struct mesh_choice *choice = choice_draw(service, &endpoint->steps[i]);
    if (choice == NULL)
      continue;
    atomic_fetch_add(&request->pending, 1);
    link_call(&service->links[choice->service], choice->endpoint, request);
  }
  request_answered(service, request, false);
}

void request_advance(struct service *service, struct request *request) {
  const struct mesh_endpoint *endpoint = request->endpoint;
  if (endpoint->together && request->step < endpoint->count) {
    call_together(service, request);
    return;
  }
  while (request->step < endpoint->count && !atomic_load(&request->failed)) {
    const struct mesh_choice *choice = choice_draw(service, &endpoint->steps[request->step++]);
    if (choice == NULL)
      continue;
    atomic_store(&request->pending, 1);
    link_call(&service->links[choice->service], choice->endpoint, request);
    return;
  }
  request_end(service, request);
}

void request_answered(struct service *service, struct request *request, bool failed) {
  if (failed)
    atomic_store(&request->failed, true);
  if (atomic_fetch_sub(&request->pending, 1) == 1)
    request_advance(service, request);
}

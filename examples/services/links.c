/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/services/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define PATIENCE_NS 10000000000u

void links_init(struct service *service) {
  for (size_t i = 0; i < service->mesh->count; i++) {
    struct link *link = &service->links[i];
    channel_init(&link->channel);
    pthread_mutex_init(&link->lock, NULL);
    link->service = service;
    link->to = i;
    link->since_ns = moment_ns();
  }
  for (size_t e = 0; e < service->self->count; e++)
    for (size_t s = 0; s < service->self->endpoints[e].count; s++)
      for (size_t c = 0; c < service->self->endpoints[e].steps[s].count; c++)
        service->links[service->self->endpoints[e].steps[s].choices[c].service].used = true;
}

static bool link_connect(struct link *link) {
  uint16_t port = (uint16_t)(link->service->base + link->to);
  int fd = channel_connect(port);
  if (fd < 0) {
    if (!link->told && moment_ns() - link->since_ns > PATIENCE_NS) {
      complain("%s cannot reach %s at 127.0.0.1:%u: %s; still trying", link->service->self->name,
               link->service->mesh->services[link->to].name, port, strerror(errno));
      link->told = true;
    }
    return false;
  }
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = link};
  channel_attach(&link->channel, fd);
  epoll_ctl(link->service->poll, EPOLL_CTL_ADD, fd, &event);
  link->told = false;
  atomic_store(&link->lost, false);
  return true;
}

bool links_connect(struct service *service) {
  bool missing = false;
  for (size_t i = 0; i < service->mesh->count; i++)
    if (service->links[i].used && service->links[i].channel.fd < 0)
      missing = !link_connect(&service->links[i]) || missing;
  return missing;
}

/* Frees a slot that may be waited for; who waited. */
static struct request *slot_take(struct link *link, uint64_t id) {
  uint32_t index = (uint32_t)id;
  struct request *request = NULL;
  pthread_mutex_lock(&link->lock);
  if (index < link->count && link->slots[index].generation == (uint32_t)(id >> 32)) {
    struct slot *slot = &link->slots[index];
    request = slot->request;
    if (request != NULL) {
      slot->request = NULL;
      slot->generation++;
      slot->next_free = link->free;
      link->free = index;
    }
  }
  pthread_mutex_unlock(&link->lock);
  return request;
}

/* False when there is no memory. */
static bool slots_grow(struct link *link) {
  uint32_t count = link->count == 0 ? 64 : 2 * link->count;
  struct slot *slots = realloc(link->slots, count * sizeof *slots);
  if (slots == NULL)
    return false;
  for (uint32_t i = link->count; i < count; i++)
    slots[i] = (struct slot){.next_free = i + 1};
  link->slots = slots;
  link->free = link->count;
  link->count = count;
  return true;
}

static bool slot_give(struct link *link, struct request *request, uint64_t *id) {
  pthread_mutex_lock(&link->lock);
  bool good = link->free < link->count || slots_grow(link);
  if (good) {
    struct slot *slot = &link->slots[link->free];
    *id = (uint64_t)slot->generation << 32 | link->free;
    link->free = slot->next_free;
    slot->request = request;
  }
  pthread_mutex_unlock(&link->lock);
  return good;
}

void link_call(struct link *link, uint16_t endpoint, struct request *request) {
  struct frame frame = {.magic = FRAME_MAGIC, .kind = FRAME_REQUEST, .endpoint = endpoint};
  atomic_fetch_add(&link->service->called[link->to], 1);
  if (!slot_give(link, request, &frame.id)) {
    request_answered(link->service, request, true);
    return;
  }
  bool sent = !atomic_load(&link->lost) && channel_send(&link->channel, &frame);
  if (!sent && slot_take(link, frame.id) != NULL) /* unless link_down took it */
    request_answered(link->service, request, true);
}

static void answer_take(void *context, const struct frame *frame) {
  struct link *link = context;
  if (frame->kind != FRAME_REPLY && frame->kind != FRAME_FAILED)
    return;
  struct request *request = slot_take(link, frame->id);
  if (request != NULL)
    request_answered(link->service, request, frame->kind == FRAME_FAILED);
}

/* Nobody will answer any more. */
static void link_down(struct link *link) {
  atomic_store(&link->lost, true);
  channel_detach(&link->channel);
  link->since_ns = moment_ns();
  for (uint32_t i = 0;; i++) {
    pthread_mutex_lock(&link->lock);
    bool more = i < link->count;
    uint64_t id = more ? (uint64_t)link->slots[i].generation << 32 | i : 0;
    pthread_mutex_unlock(&link->lock);
    if (!more)
      return;
    struct request *request = slot_take(link, id);
    if (request != NULL)
      request_answered(link->service, request, true);
  }
}

void link_serve(struct link *link, bool writable) {
  if (writable)
    channel_flush(&link->channel);
  if (!channel_read(&link->channel, answer_take, link))
    link_down(link);
}

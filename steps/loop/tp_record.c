/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tp_record.h"

#include <string.h>

const char *tp_record_names(struct tp_loop *loop, struct tailproof_store *store) {
  const struct tp_role *role = loop->role;
  bool good = true;
  for (int32_t i = 0; i < role->action_count; i++) {
    loop->actions[i] = tailproof_action(store, role->actions[i].name, role->actions[i].component);
    good = good && loop->actions[i] >= 0;
  }
  for (int32_t i = 0; i < role->kind_count; i++) {
    const struct tp_kind *kind = &role->kinds[i];
    if (kind->sender != role->role && kind->receiver != role->role)
      continue;
    loop->messages[i] = tailproof_message(store, kind->name, kind->delay, role->queueing);
    good = good && loop->messages[i] >= 0;
  }
  for (int32_t i = 0; i < role->component_count; i++) {
    loop->components[i] = tailproof_component(store, role->components[i]);
    good = good && loop->components[i] >= 0;
  }
  loop->refused = tailproof_component(store, "refused");
  loop->begins = role->dated ? tailproof_component(store, "instance.begins") : 0;
  good = good && loop->refused >= 0 && loop->begins >= 0;
  loop->writer = good ? tailproof_writer_open(store) : NULL;
  return loop->writer == NULL ? tailproof_error() : NULL;
}

/* --- messages --------------------------------------------------------------------------------- */

static struct tailproof_event message_event(const struct tp_loop *loop,
                                            const struct tp_message *m) {
  const struct tp_kind *kind = &loop->role->kinds[m->kind];
  struct tailproof_event event = {
      .name = loop->messages[m->kind], .instance = loop->instance, .count = (uint32_t)kind->fields};
  memcpy(event.arguments, m->field, (size_t)kind->fields * sizeof m->field[0]);
  return event;
}

void tp_record_sent(struct tp_loop *loop, const struct tp_message *m, int32_t index, uint64_t at,
                    uint8_t *stamp) {
  if (loop->writer == NULL) {
    memset(stamp, 0, TAILPROOF_STAMP_BYTES);
    return;
  }
  struct tailproof_event event = message_event(loop, m);
  if (loop->role->kinds[m->kind].names_receiver)
    event.arguments[event.count++] = index;
  tailproof_send_at(loop->writer, &event, at, stamp);
}

/* Its arrival; of loop->last the time when it was sent, where that is known. */
static struct tailproof_event record_arrival(struct tp_loop *loop, const struct tp_waiting *came) {
  struct tailproof_event event = message_event(loop, &came->message);
  event.end = came->arrived;
  if (tailproof_arrive(loop->writer, &event, came->stamp) == 0)
    loop->last.sent = event.start;
  return event;
}

void tp_record_delivered(struct tp_loop *loop, const struct tp_waiting *delivered) {
  if (loop->writer != NULL)
    record_arrival(loop, delivered);
}

void tp_record_refused(struct tp_loop *loop, uint64_t arrived) {
  struct tailproof_event event = {.name = loop->refused, .start = arrived, .end = arrived};
  if (loop->writer != NULL)
    tailproof_record(loop->writer, &event);
}

/* --- steps ------------------------------------------------------------------------------------ */

void tp_record_beginning(struct tp_loop *loop) {
  struct tailproof_event event = {
      .name = loop->begins, .instance = loop->instance, .start = loop->began, .end = loop->began};
  if (loop->writer != NULL)
    tailproof_record(loop->writer, &event);
}

static void record_message(struct tp_loop *loop, const struct tp_waiting *taken) {
  struct tailproof_event event = record_arrival(loop, taken);
  if (loop->role->queueing == NULL)
    return;
  event.start = taken->arrived;
  event.end = loop->last.start;
  tailproof_dequeue_at(loop->writer, &event);
}

static void record_parts(struct tp_loop *loop) {
  uint64_t from = loop->last.start;
  for (int32_t i = 0; i < loop->taken.part_count; i++) {
    const struct tp_part *part = &loop->taken.parts[i];
    bool last = i + 1 == loop->taken.part_count;
    uint64_t to = last ? loop->last.end : i < loop->part ? loop->part_ends[i] : from;
    struct tailproof_event event = {.name = loop->components[part->component],
                                    .instance = loop->instance,
                                    .start = from,
                                    .end = to,
                                    .count = (uint32_t)part->indices};
    memcpy(event.arguments, part->index, sizeof part->index);
    tailproof_record(loop->writer, &event);
    from = to;
  }
}

void tp_record_step(struct tp_loop *loop, const struct tp_waiting *taken) {
  if (loop->writer == NULL)
    return;
  record_parts(loop);
  struct tailproof_event step = {.name = loop->actions[loop->last.action],
                                 .instance = loop->instance,
                                 .start = loop->last.start,
                                 .end = loop->last.end};
  if (taken != NULL) {
    struct tailproof_event message = message_event(loop, &taken->message);
    step.count = message.count;
    memcpy(step.arguments, message.arguments, sizeof step.arguments);
    loop->last.sent = loop->last.arrived = taken->arrived;
    record_message(loop, taken);
  }
  tailproof_record(loop->writer, &step);
}

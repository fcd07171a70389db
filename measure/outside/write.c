/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/write.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "measure/tailproof_measure.h"

enum { NODES_MAX = 256, NODE_NAME = 96, LOG_LEAST = 16384 };

struct node {
  char name[NODE_NAME];
  struct tailproof_store *store;
  struct tailproof_writer *writer;
  /* numbers of the names in this store, by step, part and message; -1: not registered */
  int step[MAPPING_STEPS], part[MAPPING_STEPS][MAPPING_PARTS], message[MAPPING_STEPS];
  int request;
};

struct writing {
  const struct pairing *pairing;
  const struct outside_mapping *mapping;
  const char *folder;
  uint32_t log_records;
  bool too_many; /* a node was named beyond NODES_MAX */
  size_t count;
  struct node nodes[NODES_MAX];
};

static struct node *node_of(struct writing *writing, const struct mapping_name *name,
                            uint32_t member) {
  char text[NODE_NAME];
  mapping_name_print(text, sizeof text, name, member);
  for (size_t i = 0; i < writing->count; i++)
    if (strcmp(writing->nodes[i].name, text) == 0)
      return &writing->nodes[i];
  if (writing->count == NODES_MAX) {
    writing->too_many = true;
    return NULL;
  }
  struct node *node = &writing->nodes[writing->count++];
  *node = (struct node){.request = -1};
  memcpy(node->name, text, sizeof text);
  return node;
}

/* Each record of a request is in one log: as many as there are steps and messages. */
struct pairing_logs pairing_logs(const struct pairing *pairing,
                                 const struct outside_mapping *mapping, uint32_t most) {
  size_t each = 1;
  for (uint32_t i = 0; i < mapping->step_count; i++)
    each += (size_t)(1 + mapping->steps[i].part_count) * mapping->members;
  each += 3 * (size_t)mapping->message_count * mapping->members;
  struct pairing_logs logs = {.wanted = each * pairing_count(pairing), .held = LOG_LEAST};
  while (logs.held < logs.wanted && logs.held < most)
    logs.held *= 2;
  while (logs.held > most)
    logs.held /= 2;
  return logs;
}

void pairing_tell_logs(struct text *text, struct pairing_logs logs) {
  if (logs.wanted > logs.held)
    text_format(text,
                "the log of a store holds its last %" PRIu32 " records, and these requests make up "
                "to %zu: what is overwritten is in the histograms alone, and its requests have no "
                "row; record for a shorter time\n",
                logs.held, logs.wanted);
}

static bool open_node(struct writing *writing, struct node *node) {
  struct tailproof_options options = {.folder = writing->folder,
                                      .node = node->name,
                                      .log_records = writing->log_records,
                                      .clock = TAILPROOF_CLOCK_MONOTONIC};
  return tailproof_open(&node->store, &options) == 0;
}

static bool register_step(struct node *node, uint32_t number, const struct mapping_step *step) {
  node->step[number] = tailproof_action(node->store, step->action, step->component);
  for (uint32_t i = 0; i < step->part_count; i++)
    if ((node->part[number][i] = tailproof_component(node->store, step->parts[i].component.text)) <
        0)
      return false;
  return node->step[number] >= 0;
}

static bool register_message(struct node *node, uint32_t number,
                             const struct outside_mapping *mapping) {
  const struct mapping_message *message = &mapping->messages[number];
  const char *queueing = mapping->queueing[0] == '\0' ? NULL : mapping->queueing;
  node->message[number] = tailproof_message(node->store, message->name, message->delay, queueing);
  return node->message[number] >= 0;
}

/* The store of a node, made when it is first named. */
static struct node *opened(struct writing *writing, const struct mapping_name *name,
                           uint32_t member) {
  struct node *node = node_of(writing, name, member);
  return node == NULL || (node->store == NULL && !open_node(writing, node)) ? NULL : node;
}

static bool prepare_member(struct writing *writing, uint32_t member) {
  const struct outside_mapping *mapping = writing->mapping;
  for (uint32_t i = 0; i < mapping->step_count; i++) {
    struct node *node = opened(writing, &mapping->steps[i].node, member);
    if (node == NULL || !register_step(node, i, &mapping->steps[i]))
      return false;
  }
  for (uint32_t i = 0; i < mapping->message_count; i++) {
    struct node *from = opened(writing, &mapping->messages[i].from, member);
    struct node *to = opened(writing, &mapping->messages[i].to, member);
    if (from == NULL || to == NULL || !register_message(from, i, mapping) ||
        !register_message(to, i, mapping))
      return false;
  }
  return true;
}

static bool prepare(struct writing *writing) {
  for (uint32_t member = 0; member < writing->mapping->members; member++)
    if (!prepare_member(writing, member))
      return false;
  struct node *node = opened(writing, &writing->mapping->node, 0);
  if (node == NULL ||
      (node->request = tailproof_request(node->store, writing->mapping->request)) < 0)
    return false;
  for (size_t i = 0; i < writing->count; i++)
    if ((writing->nodes[i].writer = tailproof_writer_open(writing->nodes[i].store)) == NULL)
      return false;
  return true;
}

/* One request while it is written. Of one that is not paired only what happens at its beginning. */
struct written_request {
  struct writing *writing;
  size_t number;
  bool whole;
};

static uint64_t when(const struct written_request *request, uint32_t moment, uint32_t member) {
  return pairing_moment(request->writing->pairing, request->number, moment, member);
}

static bool has(const struct written_request *request, uint32_t moment, uint32_t member) {
  return (request->whole || moment == 0) && when(request, moment, member) != PAIR_MISSING;
}

static void set_arguments(struct tailproof_event *event, const struct mapping_name *arguments,
                          uint32_t count, uint32_t member) {
  event->count = count;
  for (uint32_t i = 0; i < count; i++)
    event->arguments[i] = arguments[i].of_member ? (int32_t)member : arguments[i].index;
}

static void set_indices(struct tailproof_event *event, const struct mapping_step *step,
                        const struct mapping_part *part, uint32_t member) {
  const struct mapping_name *name = &part->component;
  if (part->as_step)
    set_arguments(event, step->arguments, step->argument_count, member);
  else
    set_arguments(event, name, name->of_member || name->index >= 0, member);
}

static int record_step(const struct written_request *request, uint32_t number, uint32_t member) {
  const struct mapping_step *step = &request->writing->mapping->steps[number];
  struct node *node = node_of(request->writing, &step->node, member);
  if (!has(request, step->time.from, member) || !has(request, step->time.to, member))
    return 0;
  struct tailproof_event event = {.name = node->step[number],
                                  .instance = (uint32_t)request->number + 1};
  set_arguments(&event, step->arguments, step->argument_count, member);
  event.start = when(request, step->time.from, member);
  event.end = when(request, step->time.to, member);
  int failed = tailproof_record(node->writer, &event);
  for (uint32_t i = 0; i < step->part_count && failed == 0; i++) {
    const struct mapping_stretch *time = &step->parts[i].time;
    set_indices(&event, step, &step->parts[i], member);
    event.name = node->part[number][i];
    event.start = when(request, time->from, member);
    event.end = when(request, time->to, member);
    failed = tailproof_record(node->writer, &event);
  }
  return failed;
}

/* Whether a step of the receiver begins when the message is taken; else nobody takes it. */
static bool is_taken(const struct outside_mapping *mapping, const struct mapping_message *message) {
  for (uint32_t i = 0; i < mapping->step_count; i++)
    if (mapping->steps[i].time.from == message->taken &&
        strcmp(mapping->steps[i].node.text, message->to.text) == 0)
      return true;
  return false;
}

static int record_message(const struct written_request *request, uint32_t number, uint32_t member) {
  struct writing *writing = request->writing;
  const struct mapping_message *message = &writing->mapping->messages[number];
  struct node *from = node_of(writing, &message->from, member),
              *to = node_of(writing, &message->to, member);
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
  struct tailproof_event event = {.instance = (uint32_t)request->number + 1};
  set_arguments(&event, message->arguments, message->argument_count, member);
  if (!has(request, message->sent, member))
    return 0;
  event.name = from->message[number];
  tailproof_send_at(from->writer, &event, when(request, message->sent, member), stamp);
  if (!has(request, message->arrived, member) || !has(request, message->taken, member))
    return 0;
  event.name = to->message[number];
  event.end = when(request, message->arrived, member);
  int failed = tailproof_arrive(to->writer, &event, stamp);
  if (failed != 0 || writing->mapping->queueing[0] == '\0' || !is_taken(writing->mapping, message))
    return failed;
  event.start = event.end;
  event.end = when(request, message->taken, member);
  tailproof_dequeue_at(to->writer, &event);
  return 0;
}

static int record_request(const struct written_request *request) {
  const struct outside_mapping *mapping = request->writing->mapping;
  struct node *node = node_of(request->writing, &mapping->node, 0);
  struct tailproof_event event = {.name = node->request, .instance = (uint32_t)request->number + 1};
  event.start = when(request, mapping->time.from, 0);
  event.end = when(request, mapping->time.to, 0);
  return request->whole ? tailproof_record(node->writer, &event) : 0;
}

/* Whether a step or message of this member took place: of a choice only that of the chosen one. */
static bool took_place(const struct written_request *request, uint32_t chose, uint32_t member) {
  return chose == MAPPING_NONE ||
         (request->whole &&
          pairing_chosen(request->writing->pairing, request->number, chose) == member);
}

static int record_all(const struct written_request *request) {
  const struct outside_mapping *mapping = request->writing->mapping;
  int failed = 0;
  for (uint32_t i = 0; i < mapping->step_count; i++)
    for (uint32_t m = 0; m < (mapping->steps[i].family ? mapping->members : 1) && failed == 0; m++)
      failed = took_place(request, mapping->steps[i].chose, m) ? record_step(request, i, m) : 0;
  for (uint32_t i = 0; i < mapping->message_count; i++)
    for (uint32_t m = 0; m < (mapping->messages[i].family ? mapping->members : 1) && failed == 0;
         m++)
      failed =
          took_place(request, mapping->messages[i].chose, m) ? record_message(request, i, m) : 0;
  return failed != 0 ? failed : record_request(request);
}

enum status pairing_write(const struct pairing *pairing, const struct outside_mapping *mapping,
                          const char *folder, struct text *message) {
  struct writing *writing = mem_alloc(1, sizeof *writing);
  writing->pairing = pairing;
  writing->mapping = mapping;
  writing->folder = folder;
  writing->log_records = pairing_logs(pairing, mapping, PAIRING_LOG_MOST).held;
  bool fine = prepare(writing);
  if (!fine)
    text_format(message, "%s: %s", folder,
                writing->too_many ? "more than 256 nodes" : tailproof_error());
  int failed = 0;
  for (size_t i = 0; fine && failed == 0 && i < pairing_count(pairing); i++) {
    struct written_request request = {writing, i, pairing_request(pairing, i).reason == PAIR_WHOLE};
    if (request.whole || !mapping->exclude)
      failed = record_all(&request);
  }
  for (size_t i = 0; i < writing->count; i++)
    if (tailproof_close(writing->nodes[i].store) != 0 && fine && failed == 0)
      failed = -EIO;
  if (failed != 0)
    text_format(message, "%s: cannot be written: %s", folder,
                strerror(failed < 0 ? -failed : EPROTO));
  mem_free(writing);
  return fine && failed == 0 ? STATUS_OK : STATUS_INTERNAL;
}

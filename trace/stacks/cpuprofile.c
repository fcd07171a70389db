/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads profiles of V8 (.cpuprofile: `node --cpu-prof`, Chrome), as the DevTools protocol defines
 * them (Profiler.Profile). A sample is at the moment that the deltas before it and its own add up to,
 * in us of CLOCK_MONOTONIC, and stands for the time up to the next one: of the wall clock, as V8
 * samples a thread also while it waits, which then is in (idle).
 *
 * A function is called as V8 calls it for perf, with its place: `hash work.js:1:14`.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "trace/stacks/document.h"
#include "trace/stacks/frame.h"

struct cpu_node {
  uint64_t id;
  size_t value;
  uint32_t parent; /* its number + 1; 0: none */
  uint32_t node;   /* of the profile */
  bool placed;
};

struct cpu_reader {
  struct stack_intake *intake;
  struct json json;
  VECTOR(struct cpu_node) nodes;
  struct index by_id;
  struct text name;
};

static enum status fail(struct cpu_reader *reader, size_t value, const char *what) {
  return stack_document_fail(reader->intake, &reader->json, value, "%s", what);
}

static size_t member(const struct cpu_reader *reader, size_t object, const char *key) {
  return json_find(&reader->json, object, key, NULL);
}

static struct cpu_node *find(struct cpu_reader *reader, uint64_t id) {
  for (struct index_look look = index_look(&reader->by_id, hash_word(0, id)); index_next(&look);)
    if (reader->nodes.data[look.row].id == id)
      return &reader->nodes.data[look.row];
  return NULL;
}

static enum status take_nodes(struct cpu_reader *reader) {
  size_t list = member(reader, 0, "nodes");
  for (size_t at = json_first(&reader->json, list); at != JSON_NONE;
       at = json_next(&reader->json, list, at)) {
    struct cpu_node node = {.value = at};
    if (!stack_document_whole(&reader->json, member(reader, at, "id"), &node.id) ||
        find(reader, node.id) != NULL)
      return fail(reader, at, "a node has no id of its own");
    index_add(&reader->by_id, hash_word(0, node.id), (uint32_t)reader->nodes.count);
    vector_push(&reader->nodes, node);
  }
  return STATUS_OK;
}

static enum status set_parent(struct cpu_reader *reader, uint32_t parent, struct cpu_node *child,
                              size_t value) {
  if (child == NULL || child->parent != 0 || child == &reader->nodes.data[parent])
    return fail(reader, value, "a node is the child of none, of itself, or of several");
  child->parent = parent + 1;
  return STATUS_OK;
}

/* By the children of a node, or by its parent. */
static enum status take_parents(struct cpu_reader *reader) {
  enum status status = STATUS_OK;
  uint64_t id;
  for (uint32_t i = 0; i < reader->nodes.count && status == STATUS_OK; i++) {
    size_t children = member(reader, reader->nodes.data[i].value, "children");
    size_t parent = member(reader, reader->nodes.data[i].value, "parent");
    if (stack_document_whole(&reader->json, parent, &id) && find(reader, id) != NULL)
      status = set_parent(reader, (uint32_t)(find(reader, id) - reader->nodes.data),
                          &reader->nodes.data[i], parent);
    if (children == JSON_NONE)
      continue;
    for (size_t at = json_first(&reader->json, children); at != JSON_NONE && status == STATUS_OK;
         at = json_next(&reader->json, children, at))
      status = set_parent(
          reader, i, stack_document_whole(&reader->json, at, &id) ? find(reader, id) : NULL, at);
  }
  return status;
}

/* Lines and columns count from 0 in the file, from 1 in names. */
static uint32_t frame_of(struct cpu_reader *reader, size_t value) {
  struct stack_profile *profile = reader->intake->profile;
  size_t call = member(reader, value, "callFrame");
  uint32_t function =
      stack_document_name(reader->intake, &reader->json, member(reader, call, "functionName"));
  uint32_t url = stack_document_name(reader->intake, &reader->json, member(reader, call, "url"));
  struct slice base = stack_base_name(profile->names.texts.data[url]);
  uint64_t line, column;
  reader->name.length = 0;
  text_append(&reader->name, function == 0 ? "(anonymous)" : names_text(&profile->names, function));
  if (base.length != 0) {
    text_append(&reader->name, " ");
    text_append_bytes(&reader->name, base.start, base.length);
    if (stack_document_whole(&reader->json, member(reader, call, "lineNumber"), &line) &&
        stack_document_whole(&reader->json, member(reader, call, "columnNumber"), &column))
      text_format(&reader->name, ":%" PRIu64 ":%" PRIu64, line + 1, column + 1);
  }
  struct stack_frame frame = {.module = url, .kind = FRAME_USER};
  frame.function =
      names_number(&profile->names, (struct slice){reader->name.data, reader->name.length});
  return stack_profile_frame(profile, &frame);
}

/* The root is no function. */
static void place(struct cpu_reader *reader, struct cpu_node *node) {
  size_t call = member(reader, node->value, "callFrame");
  bool root = node->parent == 0 &&
              stack_document_is(&reader->json, member(reader, call, "functionName"), "(root)");
  uint32_t parent = node->parent == 0 ? 0 : reader->nodes.data[node->parent - 1].node;
  node->node =
      root ? 0 : stack_profile_node(reader->intake->profile, parent, frame_of(reader, node->value));
  node->placed = true;
}

/* Nodes below their parents, whatever the order of the file; those in a circle are of no root. */
static enum status place_nodes(struct cpu_reader *reader) {
  VECTOR(uint32_t) due = {0};
  size_t placed = 0;
  for (uint32_t i = 0; i < reader->nodes.count; i++) {
    uint32_t at = i;
    due.count = 0;
    while (!reader->nodes.data[at].placed && due.count <= reader->nodes.count) {
      vector_push(&due, at);
      if (reader->nodes.data[at].parent == 0)
        break;
      at = reader->nodes.data[at].parent - 1;
    }
    if (due.count > reader->nodes.count)
      break;
    placed += due.count;
    while (due.count != 0)
      place(reader, &reader->nodes.data[due.data[--due.count]]);
  }
  vector_clear(&due);
  return placed == reader->nodes.count
             ? STATUS_OK
             : fail(reader, member(reader, 0, "nodes"), "nodes are each other's children");
}

/* --- samples --- */

/* *us goes on by the delta, which may be below 0 where samples came late; they stay in order. */
static bool go_on(struct cpu_reader *reader, size_t delta, uint64_t *us) {
  struct json_value *value = &reader->json.values.data[delta];
  uint64_t number;
  if (value->kind == JSON_NUMBER && value->text.length != 0 && value->text.start[0] == '-')
    return true;
  if (!stack_document_scaled(&reader->json, delta, 0, &number) || number > INT64_MAX / 1000 - *us)
    return false;
  *us += number;
  return true;
}

static enum status take_samples(struct cpu_reader *reader, size_t samples, size_t deltas) {
  struct stack_profile *profile = reader->intake->profile;
  size_t first = profile->samples.count, delta = json_first(&reader->json, deltas);
  uint64_t us = 0, end = 0, id;
  stack_document_scaled(&reader->json, member(reader, 0, "startTime"), 0, &us);
  stack_document_scaled(&reader->json, member(reader, 0, "endTime"), 0, &end);
  us = us > INT64_MAX / 2000 ? 0 : us;
  profile->start = (int64_t)us * 1000;
  vector_push(&profile->threads, (struct stack_thread){0});
  for (size_t at = json_first(&reader->json, samples); at != JSON_NONE;
       at = json_next(&reader->json, samples, at)) {
    struct cpu_node *node = stack_document_whole(&reader->json, at, &id) ? find(reader, id) : NULL;
    if (node == NULL || delta == JSON_NONE || !go_on(reader, delta, &us))
      return fail(reader, at, "a sample is of no node, or has no time");
    vector_push(&profile->samples, (struct stack_sample){(int64_t)us * 1000, 0, node->node, 0});
    delta = json_next(&reader->json, deltas, delta);
  }
  end = end < us || end > INT64_MAX / 1000 ? us : end;
  profile->end = (int64_t)end * 1000;
  for (size_t i = first; i < profile->samples.count; i++) {
    struct stack_sample *sample = &profile->samples.data[i];
    int64_t until = i + 1 < profile->samples.count ? sample[1].time : profile->end;
    sample->weight = (uint64_t)(until - sample->time);
    stack_profile_add(profile, sample->node, sample->weight);
    profile->threads.data[0].weight += sample->weight;
  }
  profile->count += profile->samples.count - first;
  return STATUS_OK;
}

/* Older files have the number of samples of each node and no moments. */
static enum status take_hits(struct cpu_reader *reader) {
  struct stack_profile *profile = reader->intake->profile;
  uint64_t hits;
  for (size_t i = 0; i < reader->nodes.count; i++)
    if (stack_document_whole(&reader->json, member(reader, reader->nodes.data[i].value, "hitCount"),
                             &hits)) {
      stack_profile_add(profile, reader->nodes.data[i].node, hits);
      profile->count += hits;
    }
  profile->heaviest = 1;
  return STATUS_OK;
}

static enum status take_all(struct cpu_reader *reader) {
  struct stack_profile *profile = reader->intake->profile;
  size_t samples = member(reader, 0, "samples"), deltas = member(reader, 0, "timeDeltas");
  if (member(reader, 0, "nodes") == JSON_NONE)
    return fail(
        reader, JSON_NONE,
        "is a profile of V8 with a tree below `head`, as v8-profiler writes it, and no nodes; "
        "record with node --cpu-prof");
  if (profile->total != 0)
    return fail(reader, JSON_NONE, "is one of several profiles; add them up with tailproof merge");
  enum status status = take_nodes(reader);
  if (status == STATUS_OK)
    status = take_parents(reader);
  if (status == STATUS_OK)
    status = place_nodes(reader);
  if (status != STATUS_OK)
    return status;
  bool timed = samples != JSON_NONE && deltas != JSON_NONE;
  struct slice wall = {"wall", 4};
  profile->unit = timed ? STACK_NANOSECONDS : STACK_SAMPLES;
  profile->event = timed ? names_number(&profile->names, wall) : 0;
  return timed ? take_samples(reader, samples, deltas) : take_hits(reader);
}

enum status stack_read_cpuprofile(struct stack_intake *intake) {
  struct cpu_reader reader = {.intake = intake};
  enum status status = stack_document_parse(intake, &reader.json);
  if (status == STATUS_OK)
    status = take_all(&reader);
  if (status != STATUS_OK)
    intake->profile->samples.count = 0;
  json_clear(&reader.json);
  vector_clear(&reader.nodes);
  index_clear(&reader.by_id);
  text_clear(&reader.name);
  return status;
}

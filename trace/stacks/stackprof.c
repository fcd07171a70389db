/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads what stackprof says of a Ruby program as JSON (`stackprof --json`, or the results as they
 * are). `raw` has all stacks, each as how many frames, those from the outermost on, and how often it
 * was seen in a row:
 *
 *     "mode":"cpu","interval":1000,"frames":{"11":{"name":"main"},"12":{"name":"Object#a"}},
 *     "raw":[2,11,12,5]
 */
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "trace/stacks/document.h"

struct ruby_frame {
  uint64_t id;
  uint32_t frame;
};

struct ruby_reader {
  struct stack_intake *intake;
  struct json json;
  VECTOR(struct ruby_frame) frames;
  struct index by_id;
  uint64_t samples;
};

static enum status fail(struct ruby_reader *reader, size_t value, const char *what) {
  return stack_document_fail(reader->intake, &reader->json, value, "%s", what);
}

static size_t member(const struct ruby_reader *reader, const char *key) {
  return json_find(&reader->json, 0, key, NULL);
}

static const struct ruby_frame *find(const struct ruby_reader *reader, uint64_t id) {
  for (struct index_look look = index_look(&reader->by_id, hash_word(0, id)); index_next(&look);)
    if (reader->frames.data[look.row].id == id)
      return &reader->frames.data[look.row];
  return NULL;
}

static enum status take_frames(struct ruby_reader *reader) {
  struct stack_profile *profile = reader->intake->profile;
  size_t list = member(reader, "frames");
  for (size_t at = json_first(&reader->json, list); at != JSON_NONE;
       at = json_next(&reader->json, list, at)) {
    struct ruby_frame of = {0};
    if (!stack_number(reader->json.values.data[at].key, &of.id) || find(reader, of.id) != NULL)
      return fail(reader, at, "a frame has no number of its own");
    struct stack_frame frame = {.kind = FRAME_USER};
    frame.function = stack_document_name(reader->intake, &reader->json,
                                         json_find(&reader->json, at, "name", NULL));
    frame.module = stack_document_name(reader->intake, &reader->json,
                                       json_find(&reader->json, at, "file", NULL));
    of.frame = stack_profile_frame(profile, &frame);
    index_add(&reader->by_id, hash_word(0, of.id), (uint32_t)reader->frames.count);
    vector_push(&reader->frames, of);
  }
  return STATUS_OK;
}

/* The number at *at, which goes on to the next one. */
static bool take_number(const struct ruby_reader *reader, size_t list, size_t *at,
                        uint64_t *number) {
  if (*at == JSON_NONE || !stack_document_whole(&reader->json, *at, number))
    return false;
  *at = json_next(&reader->json, list, *at);
  return true;
}

static enum status take_stacks(struct ruby_reader *reader, size_t raw) {
  struct stack_profile *profile = reader->intake->profile;
  for (size_t at = json_first(&reader->json, raw); at != JSON_NONE;) {
    uint64_t depth, id, count;
    uint32_t node = 0;
    size_t begin = at;
    if (!take_number(reader, raw, &at, &depth))
      return fail(reader, begin, "a stack does not say how many frames it has");
    for (uint64_t i = 0; i < depth; i++) {
      const struct ruby_frame *frame = take_number(reader, raw, &at, &id) ? find(reader, id) : NULL;
      if (frame == NULL)
        return fail(reader, begin, "a stack ends early, or names a frame that is not there");
      node = stack_profile_node(profile, node, frame->frame);
    }
    if (!take_number(reader, raw, &at, &count) || count > UINT32_MAX)
      return fail(reader, begin, "a stack does not say how often it was seen");
    stack_profile_add(profile, node, count);
    reader->samples += count;
  }
  return STATUS_OK;
}

/* Samples of the processor's clock are taken each `interval` us; of objects each is so many. */
static enum status take_all(struct ruby_reader *reader) {
  size_t raw = member(reader, "raw"), mode = member(reader, "mode");
  struct stack_unit_line said = {.unit = STACK_SAMPLES, .heaviest = 1, .event = {"", 0}};
  uint64_t before = reader->intake->profile->total, interval = 0;
  if (raw == JSON_NONE || reader->json.values.data[raw].kind != JSON_LIST)
    return fail(reader, JSON_NONE,
                "is of stackprof, and has no stacks; record with StackProf.run(raw: true)");
  enum status status = take_frames(reader);
  if (status == STATUS_OK)
    status = take_stacks(reader, raw);
  if (status != STATUS_OK)
    return status;
  said.samples = reader->samples;
  if (stack_document_is(&reader->json, mode, "cpu") &&
      stack_document_whole(&reader->json, member(reader, "interval"), &interval) && interval != 0 &&
      1000000 % interval == 0)
    said.rate = (uint32_t)(1000000 / interval);
  return stack_unit_take(reader->intake->profile, &said, before)
             ? STATUS_OK
             : fail(reader, JSON_NONE, STACK_UNIT_DIFFERS);
}

enum status stack_read_stackprof(struct stack_intake *intake) {
  struct ruby_reader reader = {.intake = intake};
  enum status status = stack_document_parse(intake, &reader.json);
  if (status == STATUS_OK)
    status = take_all(&reader);
  json_clear(&reader.json);
  vector_clear(&reader.frames);
  index_clear(&reader.by_id);
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/intake.h"

#include <string.h>

#include "base/hash.h"
#include "trace/span/value.h"

enum {
  VALUES_MAX = 10000, /* of one tag: more tell requests apart, and not kinds of them */
  VALUE_BYTES_MAX = 256,
  GATHERED_BYTES = 32 << 20, /* before spans go to temporary files */
};

void intake_init(struct intake *intake, struct span_store *store,
                 const struct trace_reading *reading, const struct asker *asker) {
  *intake = (struct intake){.store = store, .reading = reading, .asker = asker};
  intake->builder = builder_new(store);
  if (!reading->ids)
    builder_drop_ids(intake->builder);
  text_init(&intake->room);
}

void intake_clear(struct intake *intake) {
  builder_free(intake->builder);
  spans_sort_free(intake->gather);
  text_clear(&intake->room);
  index_clear(&intake->index);
  vector_clear(&intake->seen);
  vector_clear(&intake->values);
}

uint32_t intake_name(struct intake *intake, struct slice written) {
  return names_number(&intake->store->names, value_text(&intake->room, written));
}

struct slice intake_text(const struct intake *intake, uint32_t name) {
  return intake->store->names.texts.data[name];
}

bool intake_tag(struct intake *intake, struct span_tag *tag, struct slice key, struct slice value) {
  if (!intake->reading->tags || key.length == 0)
    return false;
  tag->key = intake_name(intake, key);
  while (intake->values.count <= tag->key)
    vector_push(&intake->values, 0);
  struct slice text = value_text(&intake->room, value);
  tag->value = names_find(&intake->store->names, text);
  if (tag->value != 0 || text.length == 0)
    return true;
  if (text.length > VALUE_BYTES_MAX || intake->values.data[tag->key] == VALUES_MAX) {
    intake->notes.crowded++;
    intake->notes.crowded_key = tag->key;
    return false;
  }
  intake->values.data[tag->key]++;
  tag->value = names_number(&intake->store->names, text);
  return true;
}

/* Empty, or all zeros, which W3C Trace Context calls invalid. */
static bool says_nothing(struct slice trace_id) {
  for (size_t i = 0; i < trace_id.length; i++)
    if (trace_id.start[i] != '0')
      return false;
  return trace_id.length != 1; /* "0" may be a number */
}

void intake_begin(struct intake *intake, struct slice trace_id) {
  intake->anonymous = says_nothing(trace_id);
  intake->spans_before = intake->spans;
  builder_begin(intake->builder, trace_id);
  intake->digest = hash_bytes(1, trace_id);
  intake->empty = true;
}

void intake_add(struct intake *intake, const struct span_record *record) {
  builder_add(intake->builder, record);
  uint64_t hash = hash_bytes(hash_bytes(2, record->id), record->parent);
  hash = hash_bytes(hash_bytes(hash, record->service), record->operation);
  hash = hash_word(hash_word(hash, (uint64_t)record->start), (uint64_t)record->end);
  intake->digest += hash_word(hash, (uint64_t)record->kind << 2 | (uint64_t)record->status);
  intake->empty = false;
  intake->spans++;
  intake->notes.unfinished += (record->mark & SPAN_UNFINISHED) != 0;
}

/* Whether the same request was read before: traces are often saved twice, alone and with others. */
static bool was_seen(struct intake *intake) {
  uint64_t hash = hash_word(0, intake->digest);
  for (struct index_look look = index_look(&intake->index, hash); index_next(&look);)
    if (intake->seen.data[look.row] == intake->digest)
      return true;
  index_add(&intake->index, hash, (uint32_t)intake->seen.count);
  vector_push(&intake->seen, intake->digest);
  return false;
}

enum status intake_finish(struct intake *intake) {
  if (asker_stopped(intake->asker))
    return STATUS_INTERRUPTED;
  if (intake->empty)
    return STATUS_OK;
  if (intake->anonymous) {
    intake->notes.idless += intake->spans - intake->spans_before;
    return STATUS_OK;
  }
  if (was_seen(intake)) {
    intake->notes.doubled++;
    return STATUS_OK;
  }
  const struct trace_reading *reading = intake->reading;
  size_t request = builder_finish(intake->builder);
  intake->requests++;
  enum status status = STATUS_OK;
  if (reading->visit != NULL)
    status = reading->visit(intake->store, request, reading->context);
  if (!reading->keep)
    span_store_forget(intake->store);
  return status;
}

static void begin_gathered(void *context, struct slice trace_id) {
  intake_begin(context, trace_id);
}

static void add_gathered(void *context, const struct span_record *record) {
  intake_add(context, record);
}

static enum status finish_gathered(void *context) {
  return intake_finish(context);
}

static enum status tell_gather(const struct intake *intake, enum status status) {
  const char *failure = spans_sort_failure(intake->gather);
  if (*failure != '\0')
    asker_say(intake->asker, SAYING_FAILURE, "%s", failure);
  return status;
}

enum status intake_scatter(struct intake *intake, struct slice trace_id,
                           const struct span_record *record) {
  if (asker_stopped(intake->asker))
    return STATUS_INTERRUPTED;
  if (intake->gather == NULL)
    intake->gather = spans_sort_new(&intake->store->names, GATHERED_BYTES);
  enum status status = spans_sort_add(intake->gather, trace_id, record);
  return status == STATUS_OK ? status : tell_gather(intake, status);
}

enum status intake_end(struct intake *intake) {
  if (intake->gather == NULL)
    return STATUS_OK;
  enum status status =
      spans_sort_finish(intake->gather, &(struct spans_sort_hearer){intake, begin_gathered,
                                                                    add_gathered, finish_gathered});
  return status == STATUS_OK ? status : tell_gather(intake, status);
}

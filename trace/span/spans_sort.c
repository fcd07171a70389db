/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/spans_sort.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/text.h"

enum {
  PARTS = 32, /* files of one level */
  PART_BUFFER = 64 << 10,
  LEVELS_MAX = 4 /* 32^4 files hold any trace alone that a disk holds */
};

#define NO_NEXT SIZE_MAX

/* A span in memory or in a file; behind it its tags, then trace id, id, parent and links. */
struct gathered {
  uint64_t hash;
  size_t bytes; /* with all that is behind it; a multiple of 8 */
  size_t next;  /* in memory: of the same request, or NO_NEXT */
  int64_t start, end;
  uint32_t service, operation, instance;
  uint32_t tag_count, link_count;
  uint32_t trace_length, id_length, parent_length;
  uint8_t kind, status, mark;
};

struct group {
  size_t first, last; /* places in `held` */
};

struct spans_sort {
  struct span_names *names;
  size_t bytes_max;
  VECTOR(char) held;
  VECTOR(struct group) groups;
  struct index index; /* of groups by trace id */
  VECTOR(struct slice) links;
  FILE *parts[PARTS]; /* of the first level, once there are too many */
  bool spilled;
  struct text failure;
};

struct spans_sort *spans_sort_new(struct span_names *names, size_t bytes) {
  struct spans_sort *sort = mem_alloc(1, sizeof *sort);
  sort->names = names;
  sort->bytes_max = bytes;
  text_init(&sort->failure);
  return sort;
}

static void close_parts(FILE **parts) {
  for (int i = 0; i < PARTS; i++) {
    if (parts[i] != NULL)
      fclose(parts[i]);
    parts[i] = NULL;
  }
}

void spans_sort_free(struct spans_sort *sort) {
  if (sort == NULL)
    return;
  close_parts(sort->parts);
  vector_clear(&sort->held);
  vector_clear(&sort->groups);
  index_clear(&sort->index);
  vector_clear(&sort->links);
  text_clear(&sort->failure);
  mem_free(sort);
}

const char *spans_sort_failure(const struct spans_sort *sort) {
  return text_get(&sort->failure);
}

/* ---- temporary files */

static const char *folder(void) {
  const char *named = getenv("TMPDIR");
  return named == NULL || *named == '\0' ? "/tmp" : named;
}

static enum status fail(struct spans_sort *sort) {
  text_clear(&sort->failure);
  text_format(&sort->failure,
              "%s: a temporary file for sorting spans by request failed: %s; set TMPDIR to a "
              "folder with as much room as the traces take",
              folder(), strerror(errno));
  return STATUS_INTERNAL;
}

static FILE *open_part(void) {
  struct text path;
  text_init(&path);
  text_format(&path, "%s/tailproof-XXXXXX", folder());
  int descriptor = mkstemp(path.data);
  FILE *file = NULL;
  if (descriptor >= 0) {
    unlink(path.data);
    file = fdopen(descriptor, "w+b");
    if (file == NULL)
      close(descriptor);
    else
      setvbuf(file, NULL, _IOFBF, PART_BUFFER);
  }
  text_clear(&path);
  return file;
}

/* The part of a level that a request is dealt to. */
static unsigned part_of(uint64_t hash, int level) {
  return (unsigned)(hash >> (5 * level)) % PARTS;
}

static enum status deal(struct spans_sort *sort, FILE **parts, int level,
                        const struct gathered *span) {
  FILE **part = &parts[part_of(span->hash, level)];
  if (*part == NULL && (*part = open_part()) == NULL)
    return fail(sort);
  return fwrite(span, span->bytes, 1, *part) == 1 ? STATUS_OK : fail(sort);
}

/* ---- in memory */

static const struct gathered *span_at(const struct spans_sort *sort, size_t place) {
  return (const struct gathered *)(const void *)(sort->held.data + place);
}

static const struct span_tag *tags_of(const struct gathered *span) {
  return (const struct span_tag *)(const void *)(span + 1);
}

static struct slice trace_of(const struct gathered *span) {
  return (struct slice){(const char *)(tags_of(span) + span->tag_count), span->trace_length};
}

static void reserve(struct spans_sort *sort, size_t bytes) {
  size_t needed = sort->held.count + bytes;
  if (needed <= sort->held.capacity)
    return;
  size_t capacity = sort->held.capacity == 0 ? 65536 : sort->held.capacity;
  while (capacity < needed)
    capacity += capacity / 2;
  sort->held.data = mem_resize(sort->held.data, capacity, 1);
  sort->held.capacity = capacity;
}

static void append(struct spans_sort *sort, const void *bytes, size_t length) {
  if (length != 0)
    memcpy(sort->held.data + sort->held.count, bytes, length);
  sort->held.count += length;
}

static void append_span(struct spans_sort *sort, struct slice trace_id,
                        const struct span_record *record) {
  struct gathered span = {
      .hash = hash_bytes(3, trace_id),
      .next = NO_NEXT,
      .start = record->start,
      .end = record->end,
      .service = names_number(sort->names, record->service),
      .operation = names_number(sort->names, record->operation),
      .instance = names_number(sort->names, record->instance),
      .tag_count = (uint32_t)record->tag_count,
      .link_count = (uint32_t)record->link_count,
      .trace_length = (uint32_t)trace_id.length,
      .id_length = (uint32_t)record->id.length,
      .parent_length = (uint32_t)record->parent.length,
      .kind = (uint8_t)record->kind,
      .status = (uint8_t)record->status,
      .mark = (uint8_t)record->mark,
  };
  size_t bytes = sizeof span + record->tag_count * sizeof *record->tags + trace_id.length +
                 record->id.length + record->parent.length;
  for (size_t i = 0; i < record->link_count; i++)
    bytes += sizeof(uint32_t) + record->links[i].length;
  span.bytes = (bytes + 7) / 8 * 8;
  reserve(sort, span.bytes);
  append(sort, &span, sizeof span);
  append(sort, record->tags, record->tag_count * sizeof *record->tags);
  append(sort, trace_id.start, trace_id.length);
  append(sort, record->id.start, record->id.length);
  append(sort, record->parent.start, record->parent.length);
  for (size_t i = 0; i < record->link_count; i++) {
    uint32_t length = (uint32_t)record->links[i].length;
    append(sort, &length, sizeof length);
    append(sort, record->links[i].start, length);
  }
  append(sort, "\0\0\0\0\0\0\0", span.bytes - bytes);
}

static enum status spill(struct spans_sort *sort) {
  enum status status = STATUS_OK;
  sort->spilled = true;
  for (size_t at = 0; at < sort->held.count && status == STATUS_OK;) {
    const struct gathered *span = span_at(sort, at);
    status = deal(sort, sort->parts, 0, span);
    at += span->bytes;
  }
  sort->held.count = 0;
  return status;
}

enum status spans_sort_add(struct spans_sort *sort, struct slice trace_id,
                           const struct span_record *record) {
  append_span(sort, trace_id, record);
  return sort->held.count > sort->bytes_max ? spill(sort) : STATUS_OK;
}

/* ---- requests */

static bool is_trace(const struct gathered *a, const struct gathered *b) {
  return a->hash == b->hash && a->trace_length == b->trace_length &&
         memcmp(trace_of(a).start, trace_of(b).start, a->trace_length) == 0;
}

/* The group of a span, or NULL. Which part it was dealt to says the end of its hash. */
static struct group *group_of(const struct spans_sort *sort, const struct gathered *span) {
  for (struct index_look look = index_look(&sort->index, span->hash >> 20); index_next(&look);) {
    struct group *group = &sort->groups.data[look.row];
    if (is_trace(span_at(sort, group->first), span))
      return group;
  }
  return NULL;
}

/* Chains the spans in memory, request by request. */
static void group_held(struct spans_sort *sort) {
  sort->groups.count = 0;
  index_empty(&sort->index, 0);
  for (size_t at = 0; at < sort->held.count;) {
    struct gathered *span = (struct gathered *)(void *)(sort->held.data + at);
    span->next = NO_NEXT;
    struct group *group = group_of(sort, span);
    if (group == NULL) {
      index_add(&sort->index, span->hash >> 20, (uint32_t)sort->groups.count);
      vector_push(&sort->groups, (struct group){at, at});
    } else {
      ((struct gathered *)(void *)(sort->held.data + group->last))->next = at;
      group->last = at;
    }
    at += span->bytes;
  }
}

static void take_links(struct spans_sort *sort, const struct gathered *span, const char *at) {
  sort->links.count = 0;
  for (uint32_t i = 0; i < span->link_count; i++) {
    uint32_t length;
    memcpy(&length, at, sizeof length);
    at += sizeof length;
    vector_push(&sort->links, (struct slice){at, length});
    at += length;
  }
}

static void give_span(struct spans_sort *sort, const struct gathered *span,
                      const struct spans_sort_hearer *hearer) {
  struct slice trace_id = trace_of(span);
  const char *id = trace_id.start + trace_id.length, *parent = id + span->id_length;
  take_links(sort, span, parent + span->parent_length);
  const struct slice *names = sort->names->texts.data;
  hearer->add(hearer->context, &(struct span_record){
                                   .id = {id, span->id_length},
                                   .parent = {parent, span->parent_length},
                                   .service = names[span->service],
                                   .operation = names[span->operation],
                                   .instance = names[span->instance],
                                   .start = span->start,
                                   .end = span->end,
                                   .kind = span->kind,
                                   .status = span->status,
                                   .mark = span->mark,
                                   .tags = tags_of(span),
                                   .tag_count = span->tag_count,
                                   .links = sort->links.data,
                                   .link_count = sort->links.count,
                               });
}

static enum status give_held(struct spans_sort *sort, const struct spans_sort_hearer *hearer) {
  enum status status = STATUS_OK;
  group_held(sort);
  for (size_t i = 0; i < sort->groups.count && status == STATUS_OK; i++) {
    size_t at = sort->groups.data[i].first;
    hearer->begin(hearer->context, trace_of(span_at(sort, at)));
    for (; at != NO_NEXT; at = span_at(sort, at)->next)
      give_span(sort, span_at(sort, at), hearer);
    status = hearer->finish(hearer->context);
  }
  sort->held.count = 0;
  return status;
}

/* The next span of a file into memory; *none at its end. */
static enum status load_span(struct spans_sort *sort, FILE *file, bool *none) {
  struct gathered span;
  *none = fread(&span, sizeof span, 1, file) != 1;
  if (*none)
    return ferror(file) ? fail(sort) : STATUS_OK;
  reserve(sort, span.bytes);
  append(sort, &span, sizeof span);
  size_t left = span.bytes - sizeof span;
  if (fread(sort->held.data + sort->held.count, 1, left, file) != left)
    return fail(sort);
  sort->held.count += left;
  return STATUS_OK;
}

static enum status give_file(struct spans_sort *sort, FILE *file, int level,
                             const struct spans_sort_hearer *hearer);

/* Deals a file that is too large to the files of the next level. */
static enum status deal_file(struct spans_sort *sort, FILE *file, int level,
                             const struct spans_sort_hearer *hearer) {
  FILE *parts[PARTS] = {NULL};
  enum status status = STATUS_OK;
  for (bool none = false; status == STATUS_OK && !none;) {
    sort->held.count = 0;
    status = load_span(sort, file, &none);
    if (status == STATUS_OK && !none)
      status = deal(sort, parts, level, span_at(sort, 0));
  }
  sort->held.count = 0;
  for (int i = 0; i < PARTS && status == STATUS_OK; i++)
    if (parts[i] != NULL)
      status = give_file(sort, parts[i], level, hearer);
  close_parts(parts);
  return status;
}

static enum status give_file(struct spans_sort *sort, FILE *file, int level,
                             const struct spans_sort_hearer *hearer) {
  if (fflush(file) != 0)
    return fail(sort);
  off_t bytes = ftello(file);
  rewind(file);
  if ((uint64_t)bytes > sort->bytes_max && level + 1 < LEVELS_MAX)
    return deal_file(sort, file, level + 1, hearer);
  reserve(sort, (size_t)bytes);
  if (fread(sort->held.data, 1, (size_t)bytes, file) != (size_t)bytes)
    return fail(sort);
  sort->held.count = (size_t)bytes;
  return give_held(sort, hearer);
}

enum status spans_sort_finish(struct spans_sort *sort, const struct spans_sort_hearer *hearer) {
  if (!sort->spilled)
    return give_held(sort, hearer);
  enum status status = spill(sort);
  for (int i = 0; i < PARTS && status == STATUS_OK; i++)
    if (sort->parts[i] != NULL)
      status = give_file(sort, sort->parts[i], 0, hearer);
  close_parts(sort->parts);
  sort->spilled = false;
  return status;
}

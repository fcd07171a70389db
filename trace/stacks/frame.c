/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/frame.h"

#include <inttypes.h>
#include <string.h>

#include "base/shown.h"

static const char *const marks_of_kinds[] = {[FRAME_USER] = "",
                                             [FRAME_KERNEL] = "_[k]",
                                             [FRAME_JIT] = "_[j]",
                                             [FRAME_INLINED] = "_[i]",
                                             [FRAME_THREAD] = ""};

enum { MARK_BYTES = 4 };

const char *stack_find(struct slice text, const char *string) {
  size_t length = strlen(string);
  for (size_t i = 0; i + length <= text.length; i++) {
    const char *at = memchr(text.start + i, string[0], text.length - i - length + 1);
    if (at == NULL)
      return NULL;
    if (memcmp(at, string, length) == 0)
      return at;
    i = (size_t)(at - text.start);
  }
  return NULL;
}

struct slice stack_base_name(struct slice path) {
  for (size_t i = path.length; i > 0; i--)
    if (path.start[i - 1] == '/')
      return (struct slice){path.start + i, path.length - i};
  return path;
}

enum frame_kind stack_frame_unmark(struct slice *name) {
  if (name->length <= MARK_BYTES)
    return FRAME_USER;
  const char *end = name->start + name->length - MARK_BYTES;
  for (int kind = FRAME_KERNEL; kind <= FRAME_INLINED; kind++)
    if (memcmp(end, marks_of_kinds[kind], MARK_BYTES) == 0) {
      name->length -= MARK_BYTES;
      return (enum frame_kind)kind;
    }
  return FRAME_USER;
}

static void append_clean(struct text *text, struct slice name) {
  size_t first = text->length;
  text_append_bytes(text, name.start, name.length);
  for (size_t i = first; i < text->length; i++) {
    unsigned char byte = (unsigned char)text->data[i];
    if (byte == ';')
      text->data[i] = ':';
  }
  text->length = first + shown_clean(text->data + first, text->length - first, ' ', false);
  text_append(text, "");
}

void stack_frame_text(const struct stack_profile *profile, uint32_t number, bool marks,
                      struct text *text) {
  const struct stack_frame *frame = &profile->frames.data[number];
  struct slice module = stack_base_name(profile->names.texts.data[frame->module]);
  if (frame->function != 0)
    append_clean(text, profile->names.texts.data[frame->function]);
  else if (frame->module == 0)
    text_append(text, "[unknown]");
  else if (frame->offset != 0) {
    append_clean(text, module);
    text_format(text, "+0x%" PRIx64, frame->offset);
  } else {
    text_append(text, "[");
    append_clean(text, module);
    text_append(text, "]");
  }
  if (marks || frame->kind == FRAME_INLINED)
    text_append(text, marks_of_kinds[frame->kind]);
}

enum text_marks { MARKS_NONE, MARKS_ALL, MARKS_OF_FUNCTIONS /* but where it is inlined */ };

static uint32_t frame_by_text(struct stack_profile *copy, const struct stack_profile *profile,
                              uint32_t frame, enum text_marks marks, struct text *text) {
  text->length = 0;
  stack_frame_text(profile, frame, marks != MARKS_NONE, text);
  if (marks == MARKS_OF_FUNCTIONS && profile->frames.data[frame].kind == FRAME_INLINED)
    text->length -= MARK_BYTES;
  struct slice name = {text_get(text), text->length};
  struct stack_frame plain = {.function = names_number(&copy->names, name)};
  return stack_profile_frame(copy, &plain);
}

static void copy_counts(struct stack_profile *copy, const struct stack_profile *profile) {
  copy->unit = profile->unit;
  copy->event = names_number(&copy->names, profile->names.texts.data[profile->event]);
  copy->measure = names_number(&copy->names, profile->names.texts.data[profile->measure]);
  copy->count = profile->count;
  copy->heaviest = profile->heaviest;
  copy->assumed = profile->assumed;
  copy->rate = profile->rate;
  copy->torn = profile->torn;
  copy->lost = profile->lost;
  copy->throttled = profile->throttled;
  copy->pruned = profile->pruned;
  copy->unseen = profile->unseen;
  copy->start = profile->start;
  copy->end = profile->end;
}

static void copy_threads(struct stack_profile *copy, const struct stack_profile *profile) {
  for (size_t i = 0; i < profile->threads.count; i++) {
    struct stack_thread thread = profile->threads.data[i];
    thread.command = names_number(&copy->names, profile->names.texts.data[thread.command]);
    vector_push(&copy->threads, thread);
  }
}

static void copy_by_text(struct stack_profile *copy, const struct stack_profile *profile,
                         enum text_marks marks) {
  struct text text;
  text_init(&text);
  uint32_t *frames = mem_alloc(profile->frames.count, sizeof *frames);
  uint32_t *nodes = mem_alloc(profile->nodes.count, sizeof *nodes);
  for (uint32_t i = 0; i < profile->frames.count; i++)
    frames[i] = frame_by_text(copy, profile, i, marks, &text);
  stack_profile_add(copy, 0, profile->nodes.data[0].own);
  for (size_t i = 1; i < profile->nodes.count; i++) {
    const struct stack_node *node = &profile->nodes.data[i];
    nodes[i] = stack_profile_node(copy, nodes[node->parent], frames[node->frame]);
    stack_profile_add(copy, nodes[i], node->own);
  }
  copy_counts(copy, profile);
  copy_threads(copy, profile);
  for (size_t i = 0; i < profile->samples.count; i++) {
    struct stack_sample sample = profile->samples.data[i];
    sample.node = nodes[sample.node];
    vector_push(&copy->samples, sample);
  }
  mem_free(frames);
  mem_free(nodes);
  text_clear(&text);
}

void stack_profile_by_text(struct stack_profile *copy, const struct stack_profile *profile,
                           bool marks) {
  copy_by_text(copy, profile, marks ? MARKS_ALL : MARKS_NONE);
}

void stack_profile_by_function(struct stack_profile *copy, const struct stack_profile *profile) {
  copy_by_text(copy, profile, MARKS_OF_FUNCTIONS);
}

uint32_t stack_function_of(struct stack_profile *copy, const struct stack_profile *profile,
                           uint32_t frame, struct text *text) {
  return frame_by_text(copy, profile, frame, MARKS_OF_FUNCTIONS, text);
}

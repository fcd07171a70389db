/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads folded stacks. Lines are mostly sorted, so that a line begins as the one before it did: the
 * frames that both have are not looked up again.
 */
#include <string.h>

#include "trace/stacks/frame.h"
#include "trace/stacks/known.h"
#include "trace/stacks/readers.h"

/* A frame of the line before: where its text ends, and its node. */
struct folded_step {
  size_t end;
  uint32_t node;
};

struct folded_reader {
  struct stack_intake *intake;
  struct text before; /* the stack of the line before */
  VECTOR(struct folded_step) steps;
};

bool stack_number(struct slice digits, uint64_t *number) {
  uint64_t value = 0;
  for (size_t i = 0; i < digits.length; i++) {
    unsigned digit = (unsigned)(unsigned char)digits.start[i] - '0';
    if (digit > 9 || value > (UINT64_MAX - digit) / 10)
      return false;
    value = value * 10 + digit;
  }
  *number = value;
  return digits.length != 0;
}

bool stack_folded_split(struct slice line, struct slice *stack, uint64_t *count) {
  size_t space = line.length;
  while (space > 0 && line.start[space - 1] != ' ')
    space--;
  if (space == 0)
    return false;
  *stack = (struct slice){line.start, space - 1};
  return stack_number((struct slice){line.start + space, line.length - space}, count);
}

static size_t common(const char *a, const char *b, size_t most) {
  size_t i = 0;
  for (; i + 8 <= most; i += 8)
    if (memcmp(a + i, b + i, 8) != 0)
      break;
  while (i < most && a[i] == b[i])
    i++;
  return i;
}

/* Keeps the frames that the stack has in common with the one before; where the next one begins. */
static size_t keep_common(struct folded_reader *reader, struct slice stack) {
  size_t least = reader->before.length < stack.length ? reader->before.length : stack.length;
  size_t same = least == 0 ? 0 : common(reader->before.data, stack.start, least);
  size_t kept = reader->steps.count;
  for (; kept > 0; kept--) {
    size_t end = reader->steps.data[kept - 1].end;
    if (end < same || (end == same && (end == stack.length || stack.start[end] == ';')))
      break;
  }
  reader->steps.count = kept;
  return kept == 0 ? 0 : reader->steps.data[kept - 1].end + 1;
}

static uint32_t frame_of(struct stack_profile *profile, struct slice name) {
  struct stack_frame frame = {.kind = stack_frame_unmark(&name)};
  frame.function = names_number(&profile->names, name);
  return stack_profile_frame(profile, &frame);
}

static uint32_t node_of(struct folded_reader *reader, struct slice stack) {
  struct stack_profile *profile = reader->intake->profile;
  size_t at = keep_common(reader, stack);
  size_t kept = at < stack.length ? at : stack.length; /* one more where nothing follows */
  uint32_t node = reader->steps.count == 0 ? 0 : reader->steps.data[reader->steps.count - 1].node;
  while (at < stack.length) {
    const char *end = memchr(stack.start + at, ';', stack.length - at);
    size_t length = end == NULL ? stack.length - at : (size_t)(end - stack.start) - at;
    node = stack_profile_node(profile, node,
                              frame_of(profile, (struct slice){stack.start + at, length}));
    vector_push(&reader->steps, (struct folded_step){at + length, node});
    at += length + 1;
  }
  reader->before.length = reader->before.length < kept ? reader->before.length : kept;
  text_append_bytes(&reader->before, stack.start + reader->before.length,
                    stack.length - reader->before.length);
  return node;
}

/* The node of a stack that may have been in a file before this one. */
static uint32_t known_node_of(struct folded_reader *reader, struct slice stack) {
  struct stack_known *known = reader->intake->reading->known;
  if (known == NULL)
    return node_of(reader, stack);
  uint64_t hash = 0;
  uint32_t node = stack_known_find(known, stack, &hash);
  if (node == UINT32_MAX) {
    node = node_of(reader, stack);
    stack_known_add(known, stack, hash, node);
  }
  return node;
}

static enum status take(struct folded_reader *reader, struct slice line) {
  struct slice stack;
  uint64_t count;
  if (line.length == 0)
    return STATUS_OK;
  if (!stack_folded_split(line, &stack, &count)) {
    if (line.start[0] == '#')
      return STATUS_OK;
    return stack_intake_fail(reader->intake,
                             "no whole number stands behind the last space; a folded stack is "
                             "`outer;inner COUNT`");
  }
  struct stack_profile *profile = reader->intake->profile;
  stack_profile_add(profile, known_node_of(reader, stack), count);
  profile->count = profile->count > UINT64_MAX - count ? UINT64_MAX : profile->count + count;
  return STATUS_OK;
}

enum status stack_read_folded(struct stack_intake *intake) {
  struct folded_reader reader = {.intake = intake};
  struct slice line;
  bool more;
  enum status status;
  if (intake->reading->known != NULL)
    stack_known_rewind(intake->reading->known);
  for (;;) {
    status = stack_lines_next(intake->lines, &line, &more, intake->message);
    if (status != STATUS_OK || !more)
      break;
    status = take(&reader, line);
    if (status != STATUS_OK)
      break;
  }
  text_clear(&reader.before);
  vector_clear(&reader.steps);
  return status;
}

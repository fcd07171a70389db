/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes folded stacks (trace/stacks/write.h).
 */
#include <inttypes.h>

#include "trace/stacks/frame.h"
#include "trace/stacks/order.h"
#include "trace/stacks/write.h"

struct folded_writer {
  const struct stack_profile *profile;
  struct text *text;
  VECTOR(uint32_t) path; /* of frames, innermost first */
};

static void write_line(uint32_t node, void *context) {
  struct folded_writer *writer = context;
  const struct stack_profile *profile = writer->profile;
  uint64_t own = profile->nodes.data[node].own;
  writer->path.count = 0;
  for (; node != 0; node = profile->nodes.data[node].parent)
    vector_push(&writer->path, profile->nodes.data[node].frame);
  for (size_t i = writer->path.count; i > 0; i--) {
    uint32_t name = profile->frames.data[writer->path.data[i - 1]].function;
    text_append_bytes(writer->text, profile->names.texts.data[name].start,
                      profile->names.texts.data[name].length);
    text_append_bytes(writer->text, i > 1 ? ";" : "", i > 1);
  }
  text_format(writer->text, " %" PRIu64 "\n", own);
}

void stack_write_folded(const struct stack_profile *profile, bool marks, struct text *text) {
  struct stack_profile by_text;
  stack_profile_init(&by_text);
  stack_profile_by_text(&by_text, profile, marks);
  struct folded_writer writer = {.profile = &by_text, .text = text};
  stack_profile_visit(&by_text, write_line, &writer);
  vector_clear(&writer.path);
  stack_profile_clear(&by_text);
}

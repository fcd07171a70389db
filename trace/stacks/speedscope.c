/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes profiles of speedscope (trace/stacks/write.h).
 */
#include <inttypes.h>
#include <string.h>

#include "trace/stacks/frame.h"

#include "base/shown.h"
#include "trace/stacks/order.h"
#include "trace/stacks/unit.h"
#include "trace/stacks/write.h"

struct speedscope_writer {
  const struct stack_profile *profile;
  struct text *out, weights;
  VECTOR(uint32_t) path;
  bool first;
};

static void append_string(struct text *out, struct slice name) {
  struct text clean = {0};
  shown_append(&clean, name.start, name.length);
  text_append(out, "\"");
  for (size_t i = 0; i < clean.length; i++) {
    if (clean.data[i] == '"' || clean.data[i] == '\\')
      text_append(out, "\\");
    /* a page that holds the file must not end its script there */
    if (clean.data[i] == '<')
      text_append(out, "\\u003c");
    else
      text_append_bytes(out, &clean.data[i], 1);
  }
  text_append(out, "\"");
  text_clear(&clean);
}

static void write_stack(uint32_t node, void *context) {
  struct speedscope_writer *writer = context;
  const struct stack_profile *profile = writer->profile;
  text_format(&writer->weights, "%s%" PRIu64, writer->first ? "" : ",",
              profile->nodes.data[node].own);
  text_append(writer->out, writer->first ? "[" : ",\n[");
  writer->first = false;
  writer->path.count = 0;
  for (; node != 0; node = profile->nodes.data[node].parent)
    vector_push(&writer->path, profile->nodes.data[node].frame);
  for (size_t i = writer->path.count; i > 0; i--)
    text_format(writer->out, "%" PRIu32 "%s", writer->path.data[i - 1], i > 1 ? "," : "");
  text_append(writer->out, "]");
}

static void write_frames(const struct stack_profile *profile, struct text *out) {
  text_append(out, "\"shared\":{\"frames\":[");
  for (size_t i = 0; i < profile->frames.count; i++) {
    text_append(out, i == 0 ? "{\"name\":" : ",\n{\"name\":");
    append_string(out, profile->names.texts.data[profile->frames.data[i].function]);
    text_append(out, "}");
  }
  text_append(out, "]},\n");
}

static const char *unit_of(const struct stack_profile *profile) {
  bool bytes = profile->unit == STACK_PERIODS &&
               strcmp(names_text(&profile->names, profile->measure), "bytes") == 0;
  return profile->unit == STACK_NANOSECONDS ? "nanoseconds" : bytes ? "bytes" : "none";
}

void stack_write_speedscope(const struct stack_profile *profile, const char *name,
                            struct text *out) {
  struct stack_profile by_text;
  stack_profile_init(&by_text);
  stack_profile_by_text(&by_text, profile, true);
  struct speedscope_writer writer = {.profile = &by_text, .out = out, .first = true};
  struct text exporter = {0};
  text_append(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                   "\"exporter\":");
  text_append(&exporter, "tailproof ");
  stack_unit_write(profile, &exporter);
  append_string(out, (struct slice){exporter.data, exporter.length - 1});
  text_append(out, ",\n");
  text_clear(&exporter);
  write_frames(&by_text, out);
  text_append(out, "\"profiles\":[{\"type\":\"sampled\",\"name\":");
  append_string(out, (struct slice){name, strlen(name)});
  text_format(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\n\"samples\":[",
              unit_of(profile), profile->total);
  stack_profile_visit(&by_text, write_stack, &writer);
  text_format(out, "],\n\"weights\":[%s]}]}\n", text_get(&writer.weights));
  text_clear(&writer.weights);
  vector_clear(&writer.path);
  stack_profile_clear(&by_text);
}

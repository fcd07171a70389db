/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/hot/runtime.h"

#include <string.h>

/* Of names as they are in symbol tables or demangled. The order of rows is that of precedence. */
static const struct runtime_mark {
  const char *text;
  enum hot_runtime part;
} marks[] = {
    {"CollectGarbage", HOT_COLLECTION},
    {"Scavenge", HOT_COLLECTION},
    {"MarkCompact", HOT_COLLECTION},
    {"MarkingVisitor", HOT_COLLECTION},
    {"ConcurrentMarking", HOT_COLLECTION},
    {"IncrementalMarking", HOT_COLLECTION},
    {"PerformGarbageCollection", HOT_COLLECTION},
    {"Sweeper", HOT_COLLECTION},
    {"Evacuat", HOT_COLLECTION},
    {"internal::Compiler", HOT_COMPILATION},
    {"internal8Compiler", HOT_COMPILATION},
    {"internal::compiler::", HOT_COMPILATION},
    {"internal8compiler", HOT_COMPILATION},
    {"OptimizedCompilationJob", HOT_COMPILATION},
    {"OptimizingCompile", HOT_COMPILATION},
    {"internal::maglev", HOT_COMPILATION},
    {"internal6maglev", HOT_COMPILATION},
    {"internal::baseline", HOT_COMPILATION},
    {"internal8baseline", HOT_COMPILATION},
    {"internal::parsing", HOT_COMPILATION},
    {"internal7parsing", HOT_COMPILATION},
    {"internal::interpreter::Bytecode", HOT_COMPILATION},
    {"internal11interpreter8Bytecode", HOT_COMPILATION},
    {"IC_Miss", HOT_INLINE_CACHE},
    {"internal::LoadIC", HOT_INLINE_CACHE},
    {"internal6LoadIC", HOT_INLINE_CACHE},
    {"internal::StoreIC", HOT_INLINE_CACHE},
    {"internal7StoreIC", HOT_INLINE_CACHE},
    {"internal::KeyedLoadIC", HOT_INLINE_CACHE},
    {"internal11KeyedLoadIC", HOT_INLINE_CACHE},
    {"internal::KeyedStoreIC", HOT_INLINE_CACHE},
    {"internal12KeyedStoreIC", HOT_INLINE_CACHE},
    {"internal::IC::", HOT_INLINE_CACHE},
    {"internal2IC", HOT_INLINE_CACHE},
    {"Builtins_", HOT_SCRIPT},
};

/* HOT_NATIVE: none. */
static enum hot_runtime part_of_name(const char *name) {
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (strstr(name, marks[i].text) != NULL)
      return marks[i].part;
  return HOT_NATIVE;
}

static bool is_v8(const char *name) {
  return strstr(name, "v8::internal") != NULL || strstr(name, "N2v88internal") != NULL ||
         strstr(name, "Builtins_") != NULL;
}

/* Of each frame by itself. */
static uint8_t *parts_of_frames(const struct stack_profile *profile, bool *runtime) {
  uint8_t *parts = mem_alloc(profile->frames.count, sizeof *parts);
  *runtime = false;
  for (size_t f = 0; f < profile->frames.count; f++) {
    const struct stack_frame *frame = &profile->frames.data[f];
    const char *name = names_text(&profile->names, frame->function);
    parts[f] = (uint8_t)(frame->kind == FRAME_JIT ? HOT_SCRIPT : part_of_name(name));
    *runtime |= is_v8(name);
  }
  return parts;
}

/* What a stack is in that is in `outer` and then in a frame of `inner`. Scripts count only where
 * they are innermost. */
static uint8_t within(uint8_t outer, uint8_t inner) {
  bool outer_counts =
      outer == HOT_COLLECTION || outer == HOT_COMPILATION || outer == HOT_INLINE_CACHE;
  bool inner_counts =
      inner == HOT_COLLECTION || inner == HOT_COMPILATION || inner == HOT_INLINE_CACHE;
  if (outer_counts && inner_counts)
    return outer < inner ? outer : inner;
  return outer_counts ? outer : inner;
}

uint8_t *hot_runtime_of_nodes(const struct stack_profile *profile, bool *runtime) {
  uint8_t *frames = parts_of_frames(profile, runtime);
  uint8_t *nodes = mem_alloc(profile->nodes.count, sizeof *nodes);
  for (size_t n = 1; n < profile->nodes.count; n++) {
    const struct stack_node *node = &profile->nodes.data[n];
    nodes[n] = within(nodes[node->parent], frames[node->frame]);
  }
  mem_free(frames);
  return nodes;
}

const char *hot_runtime_name(enum hot_runtime part) {
  static const char *const names[HOT_RUNTIMES] = {"native", "garbage collection", "compilation",
                                                  "inline caches", "JavaScript"};
  return names[part];
}

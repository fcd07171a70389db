/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/weights.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/memory.h"

/* A function without a name is known by its place, one with a name by that in its module. */
static bool same_function(const struct stack_frame *a, const struct stack_frame *b) {
  return a->function == b->function && a->module == b->module &&
         (a->function != 0 || a->offset == b->offset);
}

static uint32_t number_of(struct stack_functions *functions, struct index *known,
                          const struct stack_profile *profile, uint32_t frame) {
  const struct stack_frame *wanted = &profile->frames.data[frame];
  uint64_t hash = hash_word(0, (uint64_t)wanted->function << 32 | wanted->module);
  hash = hash_word(hash, wanted->function == 0 ? wanted->offset : 0);
  for (struct index_look look = index_look(known, hash); index_next(&look);)
    if (same_function(wanted, &profile->frames.data[functions->frame[look.row]]))
      return look.row;
  index_add(known, hash, (uint32_t)functions->count);
  functions->frame[functions->count] = frame;
  return (uint32_t)functions->count++;
}

void stack_functions_find(struct stack_functions *functions, const struct stack_profile *profile) {
  size_t frames = profile->frames.count, nodes = profile->nodes.count;
  struct index known = {0};
  *functions = (struct stack_functions){.count = 1,
                                        .of_node = mem_alloc(nodes, sizeof(uint32_t)),
                                        .of_frame = mem_alloc(frames, sizeof(uint32_t)),
                                        .frame = mem_alloc(frames + 1, sizeof(uint32_t))};
  functions->frame[0] = STACK_NONE;
  for (uint32_t f = 0; f < frames; f++)
    functions->of_frame[f] = number_of(functions, &known, profile, f);
  for (size_t n = 0; n < nodes; n++) {
    uint32_t frame = profile->nodes.data[n].frame;
    functions->of_node[n] = frame == STACK_NONE ? 0 : functions->of_frame[frame];
  }
  index_clear(&known);
}

void stack_functions_clear(struct stack_functions *functions) {
  mem_free(functions->of_node);
  mem_free(functions->of_frame);
  mem_free(functions->frame);
}

struct weighed {
  double weight;
  uint32_t function;
};

static int heaviest_first(const void *a, const void *b) {
  const struct weighed *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight < y->weight ? 1 : -1;
  return (x->function > y->function) - (x->function < y->function);
}

uint32_t *stack_functions_top(const double *weights, size_t functions, size_t most, size_t *count) {
  struct weighed *all = mem_alloc(functions, sizeof *all);
  size_t found = 0;
  for (uint32_t f = 0; f < functions; f++)
    if (weights[f] > 0)
      all[found++] = (struct weighed){weights[f], f};
  qsort(all, found, sizeof *all, heaviest_first);
  *count = found < most ? found : most;
  uint32_t *top = mem_alloc(*count, sizeof *top);
  for (size_t i = 0; i < *count; i++)
    top[i] = all[i].function;
  mem_free(all);
  return top;
}

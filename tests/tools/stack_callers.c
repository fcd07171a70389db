/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who called whom in a profile: stack_callers FILE prints a line "WEIGHT CALLER CALLEE" for every
 * pair of frames that follow each other in a stack, the root being "root"; then
 * "leaf WEIGHT FUNCTION" for what samples were in, kernel frames left out.
 */
#include <stdio.h>

#include "base/file.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/tpp.h"

static void print_frame(const struct stack_profile *profile, uint32_t node) {
  struct text text;
  text_init(&text);
  if (node == 0)
    text_append(&text, "root");
  else
    stack_frame_text(profile, profile->nodes.data[node].frame, false, &text);
  printf(" %s", text_get(&text));
  text_clear(&text);
}

static bool is_kernel(const struct stack_profile *profile, uint32_t node) {
  return node != 0 && profile->frames.data[profile->nodes.data[node].frame].kind == FRAME_KERNEL;
}

static void print_pairs(const struct stack_profile *profile) {
  uint64_t *weights = mem_alloc(profile->nodes.count, sizeof *weights);
  uint64_t *leaves = mem_alloc(profile->nodes.count, sizeof *leaves);
  for (size_t i = profile->nodes.count; i-- > 1;) {
    const struct stack_node *node = &profile->nodes.data[i];
    weights[i] += node->own;
    weights[node->parent] += weights[i];
    leaves[i] += node->own;
    if (is_kernel(profile, (uint32_t)i)) {
      leaves[node->parent] += leaves[i];
      continue;
    }
    printf("%llu", (unsigned long long)weights[i]);
    print_frame(profile, node->parent);
    print_frame(profile, (uint32_t)i);
    printf("\nleaf %llu", (unsigned long long)leaves[i]);
    print_frame(profile, (uint32_t)i);
    putchar('\n');
  }
  mem_free(weights);
  mem_free(leaves);
}

int main(int argc, char **argv) {
  struct stack_profile profile;
  struct text message;
  char *bytes = NULL;
  size_t length;
  text_init(&message);
  stack_profile_init(&profile);
  if (argc != 2 || file_read(argv[1], FILE_LIMIT_MAX, &bytes, &length, &message) != STATUS_OK ||
      stack_read_tpp(&profile, NULL, (struct slice){bytes, length}, argv[1], &message) !=
          STATUS_OK) {
    fprintf(stderr, "stack_callers: %s\n", text_get(&message));
    return 1;
  }
  print_pairs(&profile);
  stack_profile_clear(&profile);
  text_clear(&message);
  mem_free(bytes);
  return 0;
}

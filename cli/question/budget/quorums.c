/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/budget/quorums.h"

#include <string.h>

#include "base/memory.h"

/* "A + 2 B": what a branch is made of, by part. */
static void print_branch(struct text *text, const struct budget *b,
                         const struct budget_nodes *nodes, const struct budget_node *branch) {
  for (size_t g = 0, printed = 0; g < b->parts.count; g++) {
    size_t count = 0;
    for (size_t i = 0; i < nodes->occurrence_count; i++)
      count += b->part_of.data[i] == g && bits_have(branch->all, i);
    if (count == 0)
      continue;
    text_append(text, printed++ == 0 ? "" : " + ");
    if (count > 1)
      text_format(text, "%zu ", count);
    text_append(text, b->parts.data[g].name);
  }
}

static const char *ordinal(size_t rank) {
  if (rank % 100 / 10 == 1)
    return "th";
  return rank % 10 == 1 ? "st" : rank % 10 == 2 ? "nd" : rank % 10 == 3 ? "rd" : "th";
}

static char *name_of(const struct budget *b, const struct budget_nodes *nodes,
                     const struct budget_node *node) {
  struct text text, first, other;
  bool alike = true;
  text_init(&text);
  text_init(&first);
  print_branch(&first, b, nodes, &nodes->nodes.data[nodes->children.data[node->first]]);
  for (size_t i = 1; i < node->count && alike; i++) {
    text_init(&other);
    print_branch(&other, b, nodes, &nodes->nodes.data[nodes->children.data[node->first + i]]);
    alike = strcmp(text_get(&first), text_get(&other)) == 0;
    text_clear(&other);
  }
  if (alike)
    text_format(&text, "the %zu%s of %zu of %s", node->rank, ordinal(node->rank), node->count,
                text_get(&first));
  else
    expression_print(&text, node->of);
  text_clear(&first);
  return text_take(&text);
}

void quorums_add(struct budget *b, const struct spending *s) {
  const struct budget_nodes *nodes = s->terms;
  const struct budget_node *root = &nodes->nodes.data[nodes->nodes.count - 1];
  for (size_t i = 0; i < nodes->occurrence_count; i++)
    b->parts.data[b->part_of.data[i]].alone_in_sum += bits_have(root->events, i);
  for (size_t n = 0; n < nodes->nodes.count; n++) {
    const struct budget_node *node = &nodes->nodes.data[n];
    if (node->kind == BUDGET_KTH && bits_have(root->events, nodes->occurrence_count + node->quorum))
      vector_push(&b->quorums,
                  (struct budget_quorum){name_of(b, nodes, node), s->quorums[node->quorum]});
  }
}

void quorums_clear(struct budget *b) {
  for (size_t i = 0; i < b->quorums.count; i++)
    mem_free(b->quorums.data[i].name);
  vector_clear(&b->quorums);
}

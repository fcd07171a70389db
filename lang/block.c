/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/block.h"

bool block_sends(const struct block *block, const struct message *message) {
  bool found = false;
  for (size_t i = 0; i < block->count && !found; i++) {
    const struct statement *s = block->statements[i];
    found = (s->kind == STATEMENT_SEND && s->message == message) ||
            (s->kind == STATEMENT_IF &&
             (block_sends(&s->then_block, message) || block_sends(&s->else_block, message)));
  }
  return found;
}

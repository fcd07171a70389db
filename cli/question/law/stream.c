/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/law/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/question/law/stream_value.h"
#include "dist/source/joint.h"

/* The one integer that the bound holds for all of. */
static const struct variable *find_number(const struct bound *bound) {
  const struct variable *found = NULL;
  for (size_t i = 0; i < bound->variable_count; i++) {
    if (found != NULL || bound->variables[i]->type.kind != TYPE_INT)
      return NULL;
    found = bound->variables[i];
  }
  return found;
}

static struct joint_cell cell_of(struct stream_range x) {
  struct joint_cell cell = {x.low <= 0 ? 0 : (uint64_t)x.low, x.high <= 0 ? 0 : (uint64_t)x.high};
  if (x.high >= STREAM_ENDLESS)
    cell.upper_ns = SAMPLE_NS_MAX;
  return cell;
}

enum status stream_add_bound(struct joint *table, const struct stream_request *request,
                             struct text *message) {
  const struct bound *bound = request->bound;
  const struct variable *number = find_number(bound);
  if (bound->from == NULL || number == NULL || bound->expression == NULL) {
    text_format(message,
                "--stream: the bound \"%s\" has to count from one numbered message, such as `from "
                "sent Request(k)`, for all k and nothing else",
                bound->name);
    return STATUS_USAGE;
  }
  if (joint_find_name(table, bound->expression_text) != SIZE_MAX) {
    text_format(message, "%s has a column that is called as the bound's expression; rename it",
                table->path);
    return STATUS_DATA;
  }
  struct stream_evaluation e;
  stream_evaluation_init(&e, request, number, table, message);
  struct joint_cell *cells = mem_alloc(table->rows, sizeof *cells);
  for (size_t k = 0; k < table->rows && !e.failed; k++)
    cells[k] = cell_of(stream_value(&e, (int64_t)k + 1));
  bool failed = e.failed;
  stream_evaluation_clear(&e);
  if (failed) {
    mem_free(cells);
    return STATUS_DATA;
  }
  const char *name = bound->expression_text;
  struct joint_column made = {.name = mem_copy_text(name, strlen(name)), .cells = cells};
  for (size_t k = 0; k < table->rows; k++)
    made.missing += cells[k].lower_ns == 0 && cells[k].upper_ns == SAMPLE_NS_MAX;
  vector_push(&table->columns, made);
  return STATUS_OK;
}

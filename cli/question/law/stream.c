/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/law/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "dist/source/joint.h"
#include "lang/stream_value.h"

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

/* --- the table -------------------------------------------------------------------------------- */

struct rows {
  const struct joint *table;
  const struct stream_request *request;
};

static const struct type *index_type(const struct term *term, size_t i) {
  return term->message != NULL ? &term->message->fields[i].type : &term->component->index[i];
}

/* The column of an occurrence, or SIZE_MAX with the reason; *request gets the number of its
 * request. */
static size_t column_of(const struct joint *table, const struct term *term, const int64_t *indices,
                        int64_t *request, struct text *message) {
  size_t last = term->count;
  for (size_t i = 0; i < term->count; i++)
    if (index_type(term, i)->kind == TYPE_INT)
      last = i;
  struct text name;
  text_init(&name);
  text_append(&name, term->component->name);
  if (term->message != NULL)
    text_format(&name, ".%s", term->message->name);
  for (size_t i = 0; i < term->count; i++)
    if (i != last)
      text_format(&name, ".%" PRId64, indices[i]);
  size_t column = last == term->count ? SIZE_MAX : joint_find_name(table, text_get(&name));
  if (last == term->count)
    text_format(message, "--stream: %s has no number that says which request it is of",
                text_get(&name));
  else if (column == SIZE_MAX)
    text_format(message, "%s has no column %s: what each request took of it (in ns: \"%s_ns\")",
                table->path, text_get(&name), text_get(&name));
  else
    *request = indices[last];
  text_clear(&name);
  return column;
}

static bool occurrence(struct stream_range *value, const struct term *term, const int64_t *indices,
                       void *context, struct text *message) {
  const struct joint *table = ((struct rows *)context)->table;
  int64_t request = 0;
  size_t column = column_of(table, term, indices, &request, message);
  *value = (struct stream_range){0, 0};
  if (column == SIZE_MAX || request < 1)
    return column != SIZE_MAX;
  *value = (struct stream_range){0, STREAM_ENDLESS};
  if ((uint64_t)request > table->rows)
    return true;
  struct joint_cell cell = table->columns.data[column].cells[request - 1];
  if (cell.lower_ns > cell.upper_ns) {
    text_format(message,
                "%s: row %" PRId64 " says that %s did not happen; a stream has every request",
                table->path, request, table->columns.data[column].name);
    return false;
  }
  if (cell.lower_ns < STREAM_ENDLESS)
    value->low = (int64_t)cell.lower_ns;
  if (cell.upper_ns < STREAM_ENDLESS)
    value->high = (int64_t)cell.upper_ns;
  return true;
}

static bool bare(struct stream_range *value, const struct component *component, void *context,
                 struct text *message) {
  const struct stream_request *request = ((struct rows *)context)->request;
  const struct rational *given = request->times == NULL ? NULL : request->times[component->id];
  if (given != NULL)
    *value = stream_constant(given);
  else
    text_format(message, "--stream: %s has no number, so no row has its value", component->name);
  return given != NULL;
}

/* --- the column ------------------------------------------------------------------------------- */

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
  struct rows rows = {table, request};
  struct stream_source source = {occurrence, bare, &rows, (int64_t)table->rows, INT64_MAX};
  struct stream_evaluation e = {.model = request->model,
                                .bound = bound,
                                .params = request->params,
                                .number = number,
                                .source = &source,
                                .message = message};
  stream_evaluation_init(&e);
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

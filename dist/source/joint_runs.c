/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of several runs in one table (joint.h).
 */
#include <string.h>

#include "base/memory.h"
#include "dist/source/joint.h"

static bool is_one_of_them(const struct joint *joint, const struct joint *run) {
  const struct evidence_texts *sources = &run->evidence.sources;
  for (size_t i = 0; i < sources->list.count; i++)
    if (evidence_has_text(&joint->evidence.sources, sources->list.data[i]))
      return true;
  return strcmp(joint->path, run->path) == 0;
}

/* What the run has no column for was not measured in it. */
static void append(struct joint_column *column, size_t rows, const struct joint *run) {
  size_t at = joint_find_name(run, column->name);
  column->cells = mem_resize(column->cells, rows + run->rows, sizeof *column->cells);
  for (size_t i = 0; i < run->rows; i++)
    column->cells[rows + i] = at == SIZE_MAX ? JOINT_MISSING : run->columns.data[at].cells[i];
  column->missing += at == SIZE_MAX ? run->rows : run->columns.data[at].missing;
  column->absent += at == SIZE_MAX ? 0 : run->columns.data[at].absent;
  column->unpaired += at == SIZE_MAX ? 0 : run->columns.data[at].unpaired;
}

enum status joint_add_run(struct joint *joint, const struct joint *run, struct text *message) {
  if (is_one_of_them(joint, run)) {
    text_format(message, "%s is in a run before it already; name each run once", run->path);
    return STATUS_USAGE;
  }
  for (size_t i = 0; i < joint->columns.count; i++) {
    size_t at = joint_find_name(run, joint->columns.data[i].name);
    if (at != SIZE_MAX && run->columns.data[at].halved != joint->columns.data[i].halved) {
      text_format(message, "%s: %s has round trips here, and none in %s", run->path,
                  joint->columns.data[i].name, joint->path);
      return STATUS_DATA;
    }
  }
  if (run->rows > JOINT_CELLS_MAX / joint->columns.count - joint->rows) {
    text_format(message, "%s: with this run the rows are more than can be read together",
                run->path);
    return STATUS_DATA;
  }
  for (size_t i = 0; i < joint->columns.count; i++)
    append(&joint->columns.data[i], joint->rows, run);
  if (joint->run_ends.count == 0)
    vector_push(&joint->run_ends, joint->rows);
  joint->rows += run->rows;
  vector_push(&joint->run_ends, joint->rows);
  evidence_merge(&joint->evidence, &run->evidence);
  return STATUS_OK;
}

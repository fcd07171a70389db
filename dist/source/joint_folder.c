/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A folder with a series for each occurrence, as joint measurements; see dist/source/joint.h.
 */
#include <errno.h>
#include <string.h>

#include "base/invariant.h"
#include "base/memory.h"
#include "dist/source/joint_reader.h"
#include "dist/source/stem.h"

enum { LISTED_MAX = 8 };

struct folder {
  struct joint *joint;
  const char *path;
  const struct source_options *options;
  struct source_notes notes;
  VECTOR(size_t) rows;  /* of each column */
  VECTOR(char *) files; /* their names, borrowed */
  struct text *message;
};

static enum status fail_file(const struct folder *folder, const char *file, const char *why) {
  text_format(folder->message, "%s/%s: %s", folder->path, file, why);
  return STATUS_DATA;
}

/* The two sides of the series. */
static struct joint_cell *cells_of(const struct sample *sample) {
  struct joint_cell *cells = mem_alloc(sample->series_count, sizeof *cells);
  for (size_t i = 0; i < sample->series_count; i++)
    cells[i] = (struct joint_cell){sample->series_lower[i], sample->series[i]};
  return cells;
}

static enum status add_series(struct folder *folder, char *file, char *name,
                              const struct sample *sample) {
  struct joint *joint = folder->joint;
  if (sample->series == NULL)
    return fail_file(folder, file,
                     sample->total > SAMPLE_SERIES_MAX
                         ? "has more than 2^22 rows, the most that is joined of a file; write all "
                           "series into one table, joint.csv"
                         : "has no order, so its rows cannot be joined");
  if (joint_find_name(joint, name) != SIZE_MAX)
    return fail_file(folder, file, "a second file of the same occurrence; keep one of them");
  if (joint->columns.count == JOINT_COLUMNS_MAX ||
      sample->series_count > JOINT_CELLS_MAX / (joint->columns.count + 1))
    return fail_file(folder, file,
                     "the folder holds more than 4096 series or 2^28 values, the most that are "
                     "joined; leave out what no bound needs");
  vector_push(&joint->columns, (struct joint_column){.name = mem_copy_text(name, strlen(name)),
                                                     .cells = cells_of(sample),
                                                     .halved = sample->evidence.halved});
  vector_push(&folder->rows, sample->series_count);
  vector_push(&folder->files, file);
  return STATUS_OK;
}

static enum status read_file(struct folder *folder, char *file, char *name) {
  if (strncmp(file + stem_length(file), ".csv", 4) != 0)
    return fail_file(folder, file,
                     "has no order, so its rows cannot be joined; keep the values as .csv, one a "
                     "row in the order of the requests");
  struct text path;
  struct sample sample;
  text_init(&path);
  sample_init(&sample);
  text_format(&path, "%s/%s", folder->path, file);
  /* whose column it is turns out when a bound asks */
  struct source_options options = *folder->options;
  options.is_delay = true;
  enum status status =
      source_read_with(&sample, &folder->notes, NULL, path.data, &options, folder->message);
  if (status == STATUS_OK)
    status = add_series(folder, file, name, &sample);
  sample_clear(&sample);
  text_clear(&path);
  return status;
}

static enum status read_files(struct folder *folder, const names_type *files) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < files->count && status == STATUS_OK; i++) {
    char *file = files->data[i];
    struct text name;
    text_init(&name);
    if (joint_name(&name, (struct slice){file, stem_length(file)}))
      status = read_file(folder, file, name.data);
    else
      vector_push(&folder->joint->ignored, mem_copy_text(file, strlen(file)));
    text_clear(&name);
  }
  return status;
}

static enum status fail_rows(const struct folder *folder) {
  text_format(folder->message, "%s: the series have different numbers of rows: ", folder->path);
  for (size_t i = 0; i < folder->rows.count && i < LISTED_MAX; i++)
    text_format(folder->message, "%s%s %zu", i == 0 ? "" : ", ", folder->files.data[i],
                folder->rows.data[i]);
  if (folder->rows.count > LISTED_MAX)
    text_format(folder->message, " and %zu more", folder->rows.count - LISTED_MAX);
  text_append(folder->message,
              "; write a row for each request in all of them, or a table joint.csv with an empty "
              "cell for what was not measured");
  return STATUS_DATA;
}

static enum status check_rows(const struct folder *folder) {
  if (folder->rows.count == 0) {
    text_format(folder->message,
                "%s: the directory holds no series of an occurrence (such as Grant.0.csv) and no "
                "joint.csv",
                folder->path);
    return STATUS_NO_INPUT;
  }
  for (size_t i = 1; i < folder->rows.count; i++)
    if (folder->rows.data[i] != folder->rows.data[0])
      return fail_rows(folder);
  folder->joint->rows = folder->rows.data[0];
  return STATUS_OK;
}

enum status joint_folder_read(struct joint *out, struct source_notes *notes, const char *path,
                              const struct source_options *options, struct text *message) {
  names_type files = {0};
  struct folder folder = {.joint = out, .path = path, .options = options, .message = message};
  enum status status = STATUS_NO_INPUT;
  source_notes_init(&folder.notes);
  if (stem_list(&files, path)) {
    status = read_files(&folder, &files);
    if (status == STATUS_OK)
      status = check_rows(&folder);
  } else {
    text_format(message, "%s: cannot be read as a directory of measurements: %s", path,
                strerror(errno));
  }
  if (status == STATUS_OK) {
    out->path = mem_copy_text(path, strlen(path));
    joint_count(out);
    invariant(joint_is_valid(out));
    source_notes_move(notes, &folder.notes);
  } else {
    joint_clear(out);
    source_notes_clear(&folder.notes);
  }
  names_release(&files);
  vector_clear(&folder.rows);
  vector_clear(&folder.files);
  return status;
}

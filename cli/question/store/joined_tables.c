/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables of folders that were imported before, one below the other.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/question/store/joined.h"
#include "dist/source/joint.h"

static bool is_request(const struct joint_column *column) {
  return strncmp(column->name, "request.", strlen("request.")) == 0;
}

static bool is_unfinished(const struct joint *joint, size_t row) {
  for (size_t i = 0; i < joint->columns.count; i++)
    if (is_request(&joint->columns.data[i]) &&
        joint->columns.data[i].cells[row].lower_ns == SAMPLE_NS_MAX)
      return true;
  return false;
}

static void count(struct joined *joined, const struct joint *joint) {
  joined->row_count += joint->rows;
  joined->requests = 0;
  for (size_t i = 0; i < joint->columns.count; i++)
    joined->requests += is_request(&joint->columns.data[i]);
  joined->occurrences = joint->columns.count - joined->requests;
  for (size_t row = 0; row < joint->rows; row++)
    joined->unfinished += is_unfinished(joint, row);
}

/* Reads the table for its mistakes; its bytes are what is kept. */
static enum status add_table(struct joined *joined, const char *path, struct text *message) {
  struct joint joint;
  struct source_notes notes;
  joint_init(&joint);
  source_notes_init(&notes);
  enum status status = joint_read(&joint, &notes, path, NULL, message);
  char *bytes = NULL;
  size_t length;
  if (status == STATUS_OK)
    status = file_read(path, FILE_LIMIT_MAX, &bytes, &length, message);
  if (status == STATUS_OK) {
    count(joined, &joint);
    vector_push(&joined->tables, bytes);
  }
  joint_clear(&joint);
  source_notes_clear(&notes);
  return status;
}

/* What the import noted of its table, in its ledger; "  note TEXT" behind "joint ...", and
 * "  unpaired TEXT". */
static void keep_notes(struct joined *joined, const char *folder) {
  static const char mark[] = "  note ", unpaired[] = "  unpaired ";
  struct text path, message;
  text_init(&path);
  text_init(&message);
  text_format(&path, "%s/ledger", folder);
  char *bytes = NULL;
  size_t length;
  bool here = false;
  if (file_read(path.data, FILE_LIMIT_MAX, &bytes, &length, &message) == STATUS_OK)
    for (char *line = strtok(bytes, "\n"); line != NULL; line = strtok(NULL, "\n")) {
      if (line[0] != ' ')
        here = strncmp(line, "joint ", strlen("joint ")) == 0;
      else if (here && strncmp(line, mark, strlen(mark)) == 0)
        joined_note(joined, "%s: %s", folder, line + strlen(mark));
      else if (here && strncmp(line, unpaired, strlen(unpaired)) == 0)
        lines_add(&joined->unpaired, line + strlen(unpaired));
    }
  mem_free(bytes);
  text_clear(&path);
  text_clear(&message);
}

enum status joined_add_folder(struct joined *joined, const char *folder, struct text *message) {
  static const char *const names[] = {"joint.csv.gz", "joint.csv"};
  struct stat about;
  struct text path;
  text_init(&path);
  bool there = false;
  for (size_t i = 0; i < 2 && !there; i++) {
    text_clear(&path);
    text_format(&path, "%s/%s", folder, names[i]);
    there = stat(path.data, &about) == 0;
  }
  enum status status = STATUS_OK;
  if (there)
    status = add_table(joined, path.data, message);
  else
    joined->without++;
  if (there && status == STATUS_OK)
    keep_notes(joined, folder);
  text_clear(&path);
  return status;
}

static bool same_header(const char *a, const char *b) {
  size_t length = strcspn(a, "\n");
  return strcspn(b, "\n") == length && memcmp(a, b, length) == 0;
}

static const char *why_not(const struct joined *joined) {
  if (joined->without != 0 || joined->stores.count != 0)
    return "not all of what is merged has one";
  for (size_t i = 1; i < joined->tables.count; i++)
    if (!same_header(joined->tables.data[0], joined->tables.data[i]))
      return "those that are merged have different columns";
  return NULL;
}

/* The rows of one table; each ends with the number of the table, as instances are counted from 1 in
 * each of them. */
static void add_rows(struct text *out, const char *rows, size_t table, bool header) {
  for (size_t length; *rows != '\0'; rows += length + (rows[length] == '\n')) {
    length = strcspn(rows, "\n");
    size_t shown = length - (length != 0 && rows[length - 1] == '\r');
    if (header)
      text_format(out, "%.*s,run_id\n", (int)shown, rows);
    else if (shown != 0)
      text_format(out, "%.*s,%zu\n", (int)shown, rows, table);
    header = false;
  }
}

void joined_join_tables(struct joined *joined) {
  const char *why = why_not(joined);
  if (why != NULL) {
    text_append(&joined->why, why);
    lines_clear(&joined->notes);
    return;
  }
  for (size_t i = 0; i < joined->tables.count; i++) {
    const char *rows =
        joined->tables.data[i] + (i == 0 ? 0 : strcspn(joined->tables.data[i], "\n"));
    add_rows(&joined->table, rows + (*rows == '\n'), i + 1, i == 0);
  }
}

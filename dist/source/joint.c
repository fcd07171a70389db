/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/joint.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/invariant.h"
#include "base/file.h"
#include "base/memory.h"
#include "dist/source/joint_reader.h"
#include "dist/source/stem.h"
#include "format/tell.h"

void joint_init(struct joint *joint) {
  *joint = (struct joint){0};
}

void joint_clear(struct joint *joint) {
  for (size_t i = 0; i < joint->columns.count; i++) {
    mem_free(joint->columns.data[i].name);
    mem_free(joint->columns.data[i].cells);
  }
  for (size_t i = 0; i < joint->ignored.count; i++)
    mem_free(joint->ignored.data[i]);
  vector_clear(&joint->columns);
  vector_clear(&joint->ignored);
  vector_clear(&joint->run_ends);
  mem_free(joint->path);
  evidence_clear(&joint->evidence);
  joint_init(joint);
}

static bool column_is_valid(const struct joint_column *column, size_t rows) {
  uint64_t missing = 0, absent = 0;
  for (size_t i = 0; i < rows; i++) {
    struct joint_cell cell = column->cells[i];
    bool gone = cell.lower_ns > cell.upper_ns;
    if (cell.upper_ns > SAMPLE_NS_MAX || (gone && (cell.lower_ns != 1 || cell.upper_ns != 0)))
      return false;
    absent += gone;
    missing += cell.lower_ns == 0 && cell.upper_ns == SAMPLE_NS_MAX;
  }
  return column->name != NULL && missing == column->missing && absent == column->absent;
}

bool joint_is_valid(const struct joint *joint) {
  if (joint->rows == 0 || joint->columns.count == 0 || joint->path == NULL ||
      joint->columns.count > JOINT_COLUMNS_MAX ||
      joint->rows > JOINT_CELLS_MAX / joint->columns.count)
    return false;
  for (size_t i = 0; i < joint->columns.count; i++)
    if (!column_is_valid(&joint->columns.data[i], joint->rows) ||
        joint_find_name(joint, joint->columns.data[i].name) != i)
      return false;
  return true;
}

void joint_count(struct joint *joint) {
  for (size_t i = 0; i < joint->columns.count; i++) {
    struct joint_column *column = &joint->columns.data[i];
    column->missing = column->absent = 0;
    for (size_t row = 0; row < joint->rows; row++) {
      struct joint_cell cell = column->cells[row];
      column->absent += cell.lower_ns > cell.upper_ns;
      column->missing += cell.lower_ns == 0 && cell.upper_ns == SAMPLE_NS_MAX;
    }
  }
}

size_t joint_find_name(const struct joint *joint, const char *name) {
  for (size_t i = 0; i < joint->columns.count; i++)
    if (strcmp(joint->columns.data[i].name, name) == 0)
      return i;
  return SIZE_MAX;
}

size_t joint_find(const struct joint *joint, const struct occurrence *occurrence) {
  struct text name;
  text_init(&name);
  text_append(&name, occurrence->component);
  if (occurrence->message != NULL)
    text_format(&name, ".%s", occurrence->message);
  for (size_t i = 0; i < occurrence->index_count; i++)
    text_format(&name, ".%" PRId64, occurrence->indices[i]);
  size_t found = joint_find_name(joint, text_get(&name));
  text_clear(&name);
  return found;
}

/* What is still to be read of a name. */
struct cursor {
  const char *at, *end;
};

static void skip_blanks(struct cursor *cursor) {
  while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\t'))
    cursor->at++;
}

static bool take(struct cursor *cursor, char what) {
  skip_blanks(cursor);
  if (cursor->at == cursor->end || *cursor->at != what)
    return false;
  cursor->at++;
  return true;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static bool take_word(struct text *name, struct cursor *cursor) {
  skip_blanks(cursor);
  const char *start = cursor->at;
  if (start == cursor->end || isdigit((unsigned char)*start))
    return false;
  while (cursor->at < cursor->end && is_word(*cursor->at))
    cursor->at++;
  text_append_bytes(name, start, (size_t)(cursor->at - start));
  return cursor->at != start;
}

/* As a number is printed: "-3", "0", but not "-0" or "03", so that each has one name. */
static bool take_number(struct text *name, struct cursor *cursor) {
  skip_blanks(cursor);
  const char *start = cursor->at, *digits = start + (start < cursor->end && *start == '-');
  for (cursor->at = digits; cursor->at < cursor->end && isdigit((unsigned char)*cursor->at);)
    cursor->at++;
  text_append_bytes(name, start, (size_t)(cursor->at - start));
  bool zero = cursor->at > digits && *digits == '0';
  return cursor->at > digits && !(zero && cursor->at > start + 1);
}

/* "2, 3)" */
static bool take_indices(struct text *name, struct cursor *cursor, char close) {
  do {
    text_append(name, ".");
    if (!take_number(name, cursor))
      return false;
  } while (take(cursor, ','));
  return take(cursor, close);
}

static bool take_dotted(struct text *name, struct cursor *cursor) {
  while (cursor->at < cursor->end && *cursor->at == '.') {
    cursor->at++;
    text_append(name, ".");
    if (!take_number(name, cursor) && !take_word(name, cursor))
      return false;
  }
  return true;
}

static bool take_name(struct text *name, struct cursor *cursor) {
  if (!take_word(name, cursor))
    return false;
  if (take(cursor, '['))
    return take_indices(name, cursor, ']');
  if (!take(cursor, '('))
    return take_dotted(name, cursor);
  text_append(name, ".");
  return take_word(name, cursor) && (!take(cursor, '(') || take_indices(name, cursor, ')')) &&
         take(cursor, ')');
}

bool joint_name(struct text *name, struct slice written) {
  struct cursor cursor = {written.start, written.start + written.length};
  struct text found;
  text_init(&found);
  bool good = take_name(&found, &cursor);
  skip_blanks(&cursor);
  good = good && cursor.at == cursor.end;
  if (good)
    text_append(name, text_get(&found));
  text_clear(&found);
  return good;
}

static enum status parse(struct joint *out, struct source_notes *notes,
                         const struct source_page *page, const struct source_options *options,
                         struct text *message) {
  joint_clear(out);
  struct source_notes found;
  source_notes_init(&found);
  struct reader reader = {.path = page->name,
                          .bytes = page->bytes,
                          .end = page->bytes + page->length,
                          .unit = options->unit,
                          .select = options->select,
                          .notes = &found,
                          .message = message};
  reader_skip_mark(&reader);
  enum status status = reader_require_text(&reader);
  evidence_set_unknown(&out->evidence, 0);
  if (status == STATUS_OK)
    status = joint_csv_read(out, &reader);
  if (status != STATUS_OK) {
    joint_clear(out);
    source_notes_clear(&found);
    return status;
  }
  out->evidence.draws = out->rows;
  out->evidence.runs = 1;
  out->evidence.edges = EDGES_BETWEEN;
  source_keep_digest(&out->evidence, page->bytes, page->length);
  out->path = mem_copy_text(page->name, strlen(page->name));
  joint_count(out);
  invariant(joint_is_valid(out));
  source_notes_move(notes, &found);
  return STATUS_OK;
}

enum status joint_parse(struct joint *out, struct source_notes *notes, const char *path,
                        const char *bytes, size_t length, const char *unit, struct text *message) {
  const struct source_page page = {.name = path, .bytes = bytes, .length = length};
  const struct source_options options = {.unit = unit};
  return parse(out, notes, &page, &options, message);
}

/* Whether the name says that the file is something else than a table. */
static bool is_other_format(const char *path) {
  size_t stem = stem_length(path);
  return stem != 0 && strncmp(path + stem, ".csv", 4) != 0;
}

/* What the ledger beside an imported table says that could not be paired: "  unpaired TEXT" behind
 * "joint ...". Without such a ledger there is nothing to say. */
static void note_unpaired(struct source_notes *notes, const char *path) {
  static const char head[] = "tailproof-import 1\n", mark[] = "  unpaired ";
  const char *slash = strrchr(path, '/'), *file = slash == NULL ? path : slash + 1;
  char *bytes = NULL;
  size_t length;
  struct text ledger, ignored;
  text_init(&ledger);
  text_init(&ignored);
  text_format(&ledger, "%.*sledger", (int)(file - path), path);
  bool here = false;
  if (stem_is_joint(file) &&
      file_read(ledger.data, FILE_LIMIT_MAX, &bytes, &length, &ignored) == STATUS_OK &&
      strncmp(bytes, head, strlen(head)) == 0)
    for (char *line = strtok(bytes, "\n"); line != NULL; line = strtok(NULL, "\n")) {
      if (line[0] != ' ')
        here = strncmp(line, "joint ", strlen("joint ")) == 0;
      else if (here && strncmp(line, mark, strlen(mark)) == 0)
        source_notes_add(notes, "%s: %s", file, line + strlen(mark));
    }
  mem_free(bytes);
  text_clear(&ledger);
  text_clear(&ignored);
}

static enum status read_table(struct joint *out, struct source_notes *notes, const char *path,
                              const struct source_options *options, struct text *message) {
  char *bytes;
  size_t length;
  if (is_other_format(path)) {
    text_format(message,
                "%s: has no order, so its rows cannot be joined; joint measurements are a table "
                "(.csv) with a row for each request",
                path);
    return STATUS_DATA;
  }
  enum status status = file_read_or_input(path, FILE_LIMIT_MAX, &bytes, &length, message);
  if (status != STATUS_OK)
    return status;
  static const struct format_wanted samples = {1u << YIELDS_SAMPLES, "measured times", ""};
  if (format_refuse_bytes(message, path, (struct slice){bytes, length}, &samples)) {
    mem_free(bytes);
    return STATUS_DATA;
  }
  const struct source_page page = {.name = file_name(path), .bytes = bytes, .length = length};
  status = parse(out, notes, &page, options, message);
  if (status == STATUS_OK)
    note_unpaired(notes, path);
  mem_free(bytes);
  return status;
}

enum status joint_read(struct joint *out, struct source_notes *notes, const char *path,
                       const char *unit, struct text *message) {
  const struct source_options options = {.unit = unit};
  return joint_read_with(out, notes, path, &options, message);
}

enum status joint_read_with(struct joint *out, struct source_notes *notes, const char *path,
                            const struct source_options *options, struct text *message) {
  const char *unit = options->unit;
  struct stat about;
  joint_clear(out);
  if (unit != NULL && unit_exponent((struct slice){unit, strlen(unit)}) < 0) {
    text_format(message, "%s: the unit \"%s\" is none of ns, us, ms and s", path, unit);
    return STATUS_USAGE;
  }
  if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
    return read_table(out, notes, path, options, message);
  static const char *const tables[] = {"joint.csv", "joint.csv.gz"};
  struct text files[2];
  bool there[2];
  for (size_t i = 0; i < 2; i++) {
    text_init(&files[i]);
    text_format(&files[i], "%s/%s", path, tables[i]);
    there[i] = stat(files[i].data, &about) == 0;
  }
  enum status status;
  if (there[0] && there[1]) {
    text_format(message, "%s: holds both %s and %s; keep one of them", path, tables[0], tables[1]);
    status = STATUS_DATA;
  } else if (there[0] || there[1]) {
    status = read_table(out, notes, files[there[1]].data, options, message);
  } else {
    status = joint_folder_read(out, notes, path, options, message);
  }
  text_clear(&files[0]);
  text_clear(&files[1]);
  return status;
}

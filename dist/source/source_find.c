/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which file of a folder measures an occurrence (source.h), and what to say when none does.
 */
#include "dist/source/source.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "dist/source/stem.h"

enum { LISTED_MAX = 8, GROUPS_MAX = 18 };

#define UNREADABLE "%s: cannot be read as a directory of measurements: %s"
#define ENDINGS ".csv, .hgrm, .hlog, .tph, .prom, .pb, .json"

/* The stems to try, most specific first. */
static void list_stems(names_type *stems, const char *name, const char *message_name,
                       const int64_t *indices, size_t index_count) {
  size_t shortest = message_name == NULL ? 1 : 0;
  for (size_t kept = index_count + 2; kept-- > shortest;) {
    struct text stem;
    text_init(&stem);
    text_append(&stem, name);
    if (message_name != NULL && kept > 0)
      text_format(&stem, ".%s", message_name);
    for (size_t i = 0; i + 1 < kept; i++)
      text_format(&stem, ".%" PRId64, indices[i]);
    vector_push(stems, text_take(&stem));
  }
}

static bool has_stem(const char *file, const char *stem) {
  size_t length = strlen(stem);
  return stem_length(file) == length && memcmp(file, stem, length) == 0;
}

/* "d(Ack(2))", "BackupRequest[2]" */
static void put_occurrence(struct text *text, const char *name, const char *message_name,
                           const int64_t *indices, size_t index_count) {
  text_append(text, name);
  if (message_name != NULL)
    text_format(text, "(%s", message_name);
  for (size_t i = 0; i < index_count; i++)
    text_format(text, "%s%" PRId64, i != 0 ? ", " : message_name != NULL ? "(" : "[", indices[i]);
  if (index_count != 0)
    text_append(text, message_name != NULL ? ")" : "]");
  if (message_name != NULL)
    text_append(text, ")");
}

static size_t distance_to_file(const char *stem, const char *file) {
  char *other = mem_copy_text(file, stem_length(file));
  size_t distance = text_distance(stem, other);
  mem_free(other);
  return distance;
}

static void put_nearest(struct text *message, const names_type *stems, const names_type *files) {
  size_t least = SIZE_MAX;
  const char *nearest = NULL, *meant = NULL;
  for (size_t i = 0; i < stems->count; i++)
    for (size_t k = 0; k < files->count; k++) {
      size_t distance = distance_to_file(stems->data[i], files->data[k]);
      if (distance < least && distance <= 1 + strlen(stems->data[i]) / 3) {
        least = distance;
        nearest = files->data[k];
        meant = stems->data[i];
      }
    }
  if (nearest != NULL)
    text_format(message, "; is %s meant to be %s%s?", nearest, meant,
                nearest + stem_length(nearest));
}

static void put_stems(struct text *message, const names_type *stems) {
  for (size_t i = 0; i < stems->count; i++)
    text_format(message, "%s%s", i == 0 ? "" : ", ", stems->data[i]);
}

static void put_files(struct text *message, const names_type *files) {
  if (files->count == 0) {
    text_append(message, "the directory holds no measurement file");
    return;
  }
  text_append(message, "there is ");
  for (size_t i = 0; i < files->count && i < LISTED_MAX; i++)
    text_format(message, "%s%s", i == 0 ? "" : ", ", files->data[i]);
  if (files->count > LISTED_MAX)
    text_format(message, " and %zu more", files->count - LISTED_MAX);
}

/* `spare`: the files that may be meant. */
static void put_missing(struct text *message, const char *directory, const names_type *stems,
                        const names_type *files, const names_type *spare) {
  text_format(message, " in %s: tried ", directory);
  put_stems(message, stems);
  text_append(message, " with " ENDINGS ", each also with .gz; ");
  put_files(message, files);
  put_nearest(message, stems, spare);
}

static void put_path(struct text *path, const char *directory, const char *file) {
  size_t length = strlen(directory);
  text_format(path, "%s%s%s", directory, length != 0 && directory[length - 1] == '/' ? "" : "/",
              file);
}

enum status source_find(struct text *path, const char *directory, const char *name,
                        const char *message_name, const int64_t *indices, size_t index_count,
                        struct text *message) {
  assert(strchr(name, '/') == NULL);
  names_type files = {0}, stems = {0};
  enum status status = STATUS_NO_INPUT;
  if (!stem_list(&files, directory)) {
    text_format(message, UNREADABLE, directory, strerror(errno));
    goto done;
  }
  list_stems(&stems, name, message_name, indices, index_count);
  for (size_t i = 0; i < stems.count; i++) {
    const char *found = NULL;
    for (size_t k = 0; k < files.count; k++) {
      if (!has_stem(files.data[k], stems.data[i]))
        continue;
      if (found != NULL) {
        text_format(message, "%s: both %s and %s measure %s; keep one of them", directory, found,
                    files.data[k], stems.data[i]);
        status = STATUS_DATA;
        goto done;
      }
      found = files.data[k];
    }
    if (found != NULL) {
      put_path(path, directory, found);
      status = STATUS_OK;
      goto done;
    }
  }
  text_append(message, "no measurements of ");
  put_occurrence(message, name, message_name, indices, index_count);
  put_missing(message, directory, &stems, &files, &files);
done:
  names_release(&files);
  names_release(&stems);
  return status;
}

/* --- all that a bound needs ------------------------------------------------------------------- */

/* Occurrences without a file that differ in their indices only: the first of them. */
struct missing {
  const struct source_wanted *wanted;
  size_t count;
};

typedef VECTOR(struct missing) missing_type;

typedef VECTOR(bool) marks_type;

/* Marks the first file that measures it. */
static bool find_file(marks_type *taken, const names_type *files,
                      const struct source_wanted *wanted) {
  names_type stems = {0};
  bool found = false;
  list_stems(&stems, wanted->name, wanted->message_name, wanted->indices, wanted->index_count);
  for (size_t i = 0; i < stems.count && !found; i++)
    for (size_t k = 0; k < files->count && !found; k++) {
      found = has_stem(files->data[k], stems.data[i]);
      taken->data[k] = taken->data[k] || found;
    }
  names_release(&stems);
  return found;
}

static bool is_same_text(const char *a, const char *b) {
  return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void add_missing(missing_type *missing, const struct source_wanted *wanted) {
  for (size_t i = 0; i < missing->count; i++) {
    const struct source_wanted *known = missing->data[i].wanted;
    if (is_same_text(known->name, wanted->name) &&
        is_same_text(known->message_name, wanted->message_name)) {
      missing->data[i].count += wanted->index_count != 0; /* a bare name may come twice */
      return;
    }
  }
  vector_push(missing, (struct missing){wanted, 1});
}

static void put_group(struct text *message, const struct missing *group, const names_type *spare) {
  const struct source_wanted *w = group->wanted;
  names_type stems = {0};
  list_stems(&stems, w->name, w->message_name, w->indices, w->index_count);
  text_append(message, "\n  ");
  put_occurrence(message, w->name, w->message_name, w->indices, w->index_count);
  if (group->count > 1)
    text_format(message, " and %zu more", group->count - 1);
  text_append(message, ": ");
  put_stems(message, &stems);
  put_nearest(message, &stems, spare);
  names_release(&stems);
}

static void put_groups(struct text *message, const char *directory, const missing_type *missing,
                       const names_type *files, const names_type *spare) {
  text_format(message,
              "%zu measurements are missing in %s; of each, one of these names will do, with one "
              "of " ENDINGS ", each also with .gz:",
              missing->count, directory);
  for (size_t i = 0; i < missing->count && i < GROUPS_MAX; i++)
    put_group(message, &missing->data[i], spare);
  if (missing->count > GROUPS_MAX)
    text_format(message, "\n  and %zu more", missing->count - GROUPS_MAX);
  text_append(message, "\n");
  put_files(message, files);
}

static void put_only(struct text *message, const char *directory, const struct source_wanted *w,
                     const names_type *files, const names_type *spare) {
  names_type stems = {0};
  list_stems(&stems, w->name, w->message_name, w->indices, w->index_count);
  text_append(message, "no measurements of ");
  put_occurrence(message, w->name, w->message_name, w->indices, w->index_count);
  put_missing(message, directory, &stems, files, spare);
  names_release(&stems);
}

static void tell_missing(struct text *message, const char *directory, const missing_type *missing,
                         const names_type *files, const marks_type *taken) {
  names_type spare = {0};
  for (size_t i = 0; i < files->count; i++)
    if (!taken->data[i])
      vector_push(&spare, files->data[i]);
  if (missing->count == 1)
    put_only(message, directory, missing->data[0].wanted, files, &spare);
  else
    put_groups(message, directory, missing, files, &spare);
  vector_clear(&spare);
}

enum status source_find_all(const char *directory, const struct source_wanted *wanted, size_t count,
                            struct text *message) {
  names_type files = {0};
  marks_type taken = {0};
  missing_type missing = {0};
  enum status status = STATUS_NO_INPUT;
  if (count != 0 && !stem_list(&files, directory)) {
    text_format(message, UNREADABLE, directory, strerror(errno));
    goto done;
  }
  for (size_t i = 0; i < files.count; i++)
    vector_push(&taken, false);
  for (size_t i = 0; i < count; i++)
    if (!find_file(&taken, &files, &wanted[i]))
      add_missing(&missing, &wanted[i]);
  if (missing.count == 0)
    status = STATUS_OK;
  else
    tell_missing(message, directory, &missing, &files, &taken);
done:
  names_release(&files);
  vector_clear(&taken);
  vector_clear(&missing);
  return status;
}

void source_visit(const char *directory, const char *name,
                  void (*visit)(const char *file, const char *parts, void *context),
                  void *context) {
  names_type files = {0};
  size_t length = strlen(name);
  bool listed = stem_list(&files, directory);
  for (size_t i = 0; i < files.count && listed; i++) {
    const char *file = files.data[i];
    size_t stem = stem_length(file);
    if (stem < length || memcmp(file, name, length) != 0 || (stem > length && file[length] != '.'))
      continue;
    char *parts =
        stem == length ? mem_copy_text("", 0) : mem_copy_text(file + length + 1, stem - length - 1);
    visit(file, parts, context);
    mem_free(parts);
  }
  names_release(&files);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/source.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "dist/source/stem.h"

enum { LISTED_MAX = 8 };

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

static void put_missing(struct text *message, const char *directory, const names_type *stems,
                        const names_type *files) {
  text_format(message, " in %s: tried ", directory);
  for (size_t i = 0; i < stems->count; i++)
    text_format(message, "%s%s", i == 0 ? "" : ", ", stems->data[i]);
  text_append(message, " with .csv, .hgrm, .hlog, .tph, .prom, .json, each also with .gz; ");
  if (files->count == 0) {
    text_append(message, "the directory holds no measurement file");
    return;
  }
  text_append(message, "there is ");
  for (size_t i = 0; i < files->count && i < LISTED_MAX; i++)
    text_format(message, "%s%s", i == 0 ? "" : ", ", files->data[i]);
  if (files->count > LISTED_MAX)
    text_format(message, " and %zu more", files->count - LISTED_MAX);
  put_nearest(message, stems, files);
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
    text_format(message, "%s: cannot be read as a directory of measurements: %s", directory,
                strerror(errno));
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
  put_missing(message, directory, &stems, &files);
done:
  names_clear(&files);
  names_clear(&stems);
  return status;
}

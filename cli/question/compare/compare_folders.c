/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `compare` of two folders: component by component, as far as both have it.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cli/question/compare/compare_inside.h"
#include "cli/question/compare/compare_operand.h"
#include "dist/source/source.h"
#include "dist/source/stem.h"

static int order_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_file(const char *folder, const char *name) {
  struct text path, message;
  text_init(&path);
  text_init(&message);
  bool found = source_find(&path, folder, name, NULL, NULL, 0, &message) != STATUS_NO_INPUT;
  text_clear(&path);
  text_clear(&message);
  return found;
}

/* The components with measurements in the folder, each once, in order; false when it cannot be
 * read. */
static bool list_components(names_type *names, const char *folder) {
  DIR *stream = opendir(folder);
  if (stream == NULL)
    return false;
  for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
    char *name = mem_copy_text(entry->d_name, strlen(entry->d_name));
    char *dot = strrchr(name, '.');
    if (dot != NULL && strcmp(dot, ".gz") == 0) {
      *dot = '\0';
      dot = strrchr(name, '.');
    }
    if (dot != NULL)
      *dot = '\0';
    bool seen = dot == NULL || *name == '\0' || !has_file(folder, name);
    for (size_t i = 0; i < names->count; i++)
      seen = seen || strcmp(names->data[i], name) == 0;
    if (seen)
      mem_free(name);
    else
      vector_push(names, name);
  }
  closedir(stream);
  if (names->count != 0)
    qsort(names->data, names->count, sizeof *names->data, order_names);
  return true;
}

/* Splits what is in either folder into what is in both, which stays in *names, and the rest. */
static void keep_common(struct compare *compare, names_type *names, const char *other) {
  size_t kept = 0;
  for (size_t i = 0; i < names->count; i++) {
    if (has_file(other, names->data[i]))
      names->data[kept++] = names->data[i];
    else
      vector_push(&compare->alone, names->data[i]);
  }
  names->count = kept;
}

static enum status find_components(struct compare *compare, names_type *names,
                                   struct text *message) {
  const char *a = compare->request->paths[0], *b = compare->request->paths[1];
  names_type others = {0};
  enum status status = STATUS_OK;
  if (!list_components(names, a) || !list_components(&others, b)) {
    text_format(message, "%s or %s cannot be read as a folder of measurements", a, b);
    status = STATUS_NO_INPUT;
  }
  keep_common(compare, names, b);
  keep_common(compare, &others, a);
  if (status == STATUS_OK && names->count == 0) {
    text_format(message, "%s and %s have no measured component in common", a, b);
    status = STATUS_NO_INPUT;
  }
  names_release(&others);
  return status;
}

static enum status read_component(struct operand *operand, struct compare *compare, size_t which,
                                  const char *name, struct text *message) {
  texts folders = compare_runs(compare, which), paths = {0};
  const struct source_options options = compare_options(compare, name);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < folders.count && status == STATUS_OK; i++) {
    struct text path;
    text_init(&path);
    status = source_find(&path, folders.data[i], name, NULL, NULL, 0, message);
    if (status == STATUS_OK)
      vector_push(&paths, mem_copy_text(path.data, path.length));
    text_clear(&path);
  }
  if (status == STATUS_OK)
    status = operand_read(operand, &paths, &options, compare->request->of.exchangeable,
                          &compare->ledger, message);
  if (status == STATUS_OK && !operand->is_sample) {
    text_format(message, "%s: is a saved law; a folder holds measurements", paths.data[0]);
    status = STATUS_DATA;
  }
  for (size_t i = 0; i < paths.count; i++)
    mem_free((char *)paths.data[i]);
  vector_clear(&paths);
  vector_clear(&folders);
  return status;
}

enum status compare_folders(struct compare *compare, struct text *message) {
  names_type names = {0};
  enum status status = find_components(compare, &names, message);
  if (status == STATUS_OK)
    status = compare_check_names(compare, (const char *const *)names.data, names.count, message);
  for (size_t i = 0; i < names.count && status == STATUS_OK; i++) {
    struct operand a, b;
    operand_init(&a);
    operand_init(&b);
    status = read_component(&a, compare, 0, names.data[i], message);
    if (status == STATUS_OK)
      status = read_component(&b, compare, 1, names.data[i], message);
    if (status == STATUS_OK)
      compare_two_samples(compare, names.data[i], &a, &b, compare_alpha(compare) / names.count);
    operand_clear(&a);
    operand_clear(&b);
  }
  compare_add_confidence(compare);
  names_release(&names);
  return status;
}

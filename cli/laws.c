/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/laws.h"

#include <inttypes.h>
#include <string.h>

#include "dist/statistics/confidence.h"

static size_t file_index(const struct laws *laws, const char *path) {
  size_t i = 0;
  while (i < laws->files.count && strcmp(laws->files.data[i]->path, path) != 0)
    i++;
  return i;
}

static enum status find_path(const struct laws *laws, struct text *path,
                             const struct occurrence *occurrence, const char *component,
                             struct text *message) {
  if (occurrence == NULL)
    return source_find(path, laws->directory, component, NULL, NULL, 0, message);
  return source_find(path, laws->directory, occurrence->component, occurrence->message,
                     occurrence->indices, occurrence->index_count, message);
}

static enum status read_file(struct laws *laws, const char *path, const char *component,
                             struct ledger *ledger, struct text *message) {
  struct law_file *file = mem_alloc(1, sizeof *file);
  file->path = mem_copy_text(path, strlen(path));
  sample_init(&file->sample);
  survival_init(&file->survival, &laws->grid);
  vector_push(&laws->files, file);
  struct source_notes notes;
  source_notes_init(&notes);
  enum status status =
      source_read(&file->sample, &notes, path, settings_find(laws->units, component), message);
  for (size_t i = 0; i < notes.count; i++)
    ledger_add(ledger, LEDGER_DATA, "%s", notes.lines[i]);
  source_notes_clear(&notes);
  return status;
}

static enum status need(struct laws *laws, const struct occurrence *occurrence,
                        const char *component, struct ledger *ledger, struct text *message) {
  struct text path;
  text_init(&path);
  enum status status = find_path(laws, &path, occurrence, component, message);
  if (status == STATUS_OK && file_index(laws, path.data) == laws->files.count)
    status =
        read_file(laws, path.data, occurrence ? occurrence->component : component, ledger, message);
  if (status == STATUS_OK && occurrence != NULL)
    vector_push(&laws->by_occurrence, file_index(laws, path.data));
  text_clear(&path);
  return status;
}

static enum status need_bare(struct laws *laws, const struct ground *e, struct ledger *ledger,
                             struct text *message) {
  if (e->kind == GROUND_BARE)
    return need(laws, NULL, e->component, ledger, message);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < e->count && status == STATUS_OK; i++)
    status = need_bare(laws, e->parts[i], ledger, message);
  return status;
}

/* The evaluator's question, about files that were all read before. */
static enum status answer(void *context, size_t *law, const struct survival **survival,
                          const struct occurrence *occurrence, const char *component,
                          struct text *message) {
  struct laws *laws = context;
  enum status status = STATUS_OK;
  if (occurrence != NULL) {
    *law = laws->by_occurrence.data[occurrence->id];
  } else {
    struct text path;
    text_init(&path);
    status = find_path(laws, &path, NULL, component, message);
    *law = status == STATUS_OK ? file_index(laws, path.data) : 0;
    text_clear(&path);
  }
  if (status == STATUS_OK && *law >= laws->files.count)
    bug("no law was read for %s", occurrence ? occurrence->label : component);
  if (status == STATUS_OK)
    *survival = &laws->files.data[*law]->survival;
  return status;
}

static void make_bands(struct laws *laws, const struct options *options, struct ledger *ledger) {
  uint64_t share = 0;
  if (rational_sign(&options->confidence) > 0 && laws->files.count != 0) {
    survival_tail_of(&share, &options->confidence);
    laws->alpha = share / laws->files.count;
  }
  struct text level;
  text_init(&level);
  rational_print_short(&level, &options->confidence);
  for (size_t i = 0; i < laws->files.count; i++) {
    struct law_file *file = laws->files.data[i];
    confidence_survival(&file->survival, &file->sample, laws->alpha);
    if (laws->alpha == 0)
      ledger_add(ledger, LEDGER_DATA, "the %" PRIu64 " observations in %s are the whole truth",
                 file->sample.real, file->path);
    else
      ledger_add(ledger, LEDGER_DATA,
                 "the %" PRIu64 " observations in %s are independent draws of one law",
                 file->sample.real, file->path);
  }
  if (laws->alpha != 0)
    ledger_add(ledger, LEDGER_DATA,
               "the confidence bands of all %zu files hold together with confidence %s",
               laws->files.count, level.data);
  text_clear(&level);
}

enum status laws_init(struct laws *laws, const struct options *options,
                      const struct ground *expression, const struct ground_table *table,
                      struct ledger *ledger, struct text *message) {
  memset(laws, 0, sizeof *laws);
  laws->directory = options->data;
  laws->units = &options->units;
  laws->grid = grid_default;
  laws->find = (struct evaluate_laws){.find = answer, .context = laws};
  enum status status = STATUS_OK;
  for (size_t i = 0; i < table->occurrences.count && status == STATUS_OK; i++)
    status = need(laws, table->occurrences.data[i], NULL, ledger, message);
  if (status == STATUS_OK && options->fresh)
    status = need_bare(laws, expression, ledger, message);
  if (status == STATUS_OK)
    make_bands(laws, options, ledger);
  return status;
}

void laws_clear(struct laws *laws) {
  for (size_t i = 0; i < laws->files.count; i++) {
    struct law_file *file = laws->files.data[i];
    mem_free(file->path);
    sample_clear(&file->sample);
    survival_clear(&file->survival);
    mem_free(file);
  }
  vector_clear(&laws->files);
  vector_clear(&laws->by_occurrence);
}

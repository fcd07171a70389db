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
  const char *directory = laws->options->data;
  if (occurrence == NULL)
    return source_find(path, directory, component, NULL, NULL, 0, message);
  return source_find(path, directory, occurrence->component, occurrence->message,
                     occurrence->indices, occurrence->index_count, message);
}

/* "d.Ack" of "DIR/d.Ack.csv.gz". */
static char *stem_of(const char *path) {
  const char *base = strrchr(path, '/');
  base = base == NULL ? path : base + 1;
  size_t length = strlen(base);
  if (length > 3 && strcmp(base + length - 3, ".gz") == 0)
    length -= 3;
  while (length > 0 && base[length - 1] != '.')
    length--;
  return mem_copy_text(base, length == 0 ? strlen(base) : length - 1);
}

static enum status read_file(struct laws *laws, const char *path, const char *component,
                             struct ledger *ledger, struct text *message) {
  struct law_file *file = mem_alloc(1, sizeof *file);
  file->path = mem_copy_text(path, strlen(path));
  file->name = stem_of(path);
  sample_init(&file->sample);
  vector_push(&laws->files, file);
  struct source_notes notes;
  source_notes_init(&notes);
  enum status status = source_read(&file->sample, &notes, path,
                                   settings_find(&laws->options->units, component), message);
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
  if (status == STATUS_OK) {
    const struct law_file *file = laws->files.data[*law];
    const struct survival *instead = file->instead[laws->side];
    *survival = instead != NULL ? instead : &file->band[laws->side];
  }
  return status;
}

static void add_sample(const struct laws *laws, const struct law_file *file,
                       struct ledger *ledger) {
  const char *format = laws->alpha == 0 ? "the %" PRIu64 " observations in %s are the whole truth"
                                        : "the %" PRIu64
                                          " observations in %s are independent draws of one law";
  ledger_add(ledger, LEDGER_DATA, format, file->sample.real, file->path);
}

static void add_confidence(const struct laws *laws, struct ledger *ledger) {
  struct text level;
  text_init(&level);
  rational_print_short(&level, &laws->options->confidence);
  if (laws->files.count == 1)
    ledger_add(ledger, LEDGER_DATA,
               "the confidence band of the file holds with confidence %s: above for upper "
               "percentiles, below for lower ones, each with that confidence on its own",
               text_get(&level));
  else
    ledger_add(ledger, LEDGER_DATA,
               "the confidence bands of all %zu files hold together with confidence %s: those "
               "above for upper percentiles, those below for lower ones, each side with that "
               "confidence on its own",
               laws->files.count, text_get(&level));
  text_clear(&level);
}

void laws_make_bands(struct laws *laws, struct ledger *ledger) {
  const struct rational *confidence = &laws->options->confidence;
  uint64_t share = 0;
  laws->alpha = 0;
  if (rational_sign(confidence) > 0 && laws->files.count != 0) {
    survival_tail_of(&share, confidence);
    laws->alpha = share / laws->files.count;
  }
  for (size_t i = 0; i < laws->files.count; i++) {
    struct law_file *file = laws->files.data[i];
    for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
      survival_clear(&file->band[side]);
      survival_init_side(&file->band[side], &laws->grid, (enum survival_side)side);
      confidence_band(&file->band[side], &file->sample, laws->alpha, BAND_BOTH);
    }
    add_sample(laws, file, ledger);
  }
  if (laws->alpha != 0)
    add_confidence(laws, ledger);
}

enum status laws_init(struct laws *laws, const struct options *options,
                      const struct ground *expression, const struct ground_table *table,
                      struct ledger *ledger, struct text *message) {
  memset(laws, 0, sizeof *laws);
  laws->options = options;
  laws->grid = grid_default;
  laws->find = (struct evaluate_laws){.find = answer, .context = laws};
  enum status status = STATUS_OK;
  for (size_t i = 0; i < table->occurrences.count && status == STATUS_OK; i++)
    status = need(laws, table->occurrences.data[i], NULL, ledger, message);
  if (status == STATUS_OK && options->fresh)
    status = need_bare(laws, expression, ledger, message);
  return status;
}

void laws_clear(struct laws *laws) {
  for (size_t i = 0; i < laws->files.count; i++) {
    struct law_file *file = laws->files.data[i];
    mem_free(file->path);
    mem_free(file->name);
    sample_clear(&file->sample);
    survival_clear(&file->band[SIDE_UPPER]);
    survival_clear(&file->band[SIDE_LOWER]);
    mem_free(file);
  }
  vector_clear(&laws->files);
  vector_clear(&laws->by_occurrence);
}

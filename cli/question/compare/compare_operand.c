/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/compare/compare_operand.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/question/law/laws.h"
#include "dist/source/source.h"
#include "dist/statistics/between_runs.h"
#include "dist/statistics/confidence.h"
#include "dist/statistics/exchange.h"
#include "dist/statistics/levels.h"
#include "dist/survival/law_file.h"

void operand_init(struct operand *operand) {
  memset(operand, 0, sizeof *operand);
  sample_init(&operand->sample);
  operand->serial = serial_independent();
}

void operand_clear(struct operand *operand) {
  sample_clear(&operand->sample);
  survival_clear(&operand->sides[SIDE_UPPER]);
  survival_clear(&operand->sides[SIDE_LOWER]);
}

static bool ends_in(const char *path, const char *suffix) {
  size_t length = strlen(path), size = strlen(suffix);
  return length > size && strcmp(path + length - size, suffix) == 0;
}

static bool input_is_law(void) {
  char *bytes;
  size_t length;
  struct text ignored; /* whoever reads it for good says it again */
  text_init(&ignored);
  bool law = file_read_or_input("-", FILE_LIMIT_MAX, &bytes, &length, &ignored) == STATUS_OK &&
             law_file_is(bytes, length);
  mem_free(bytes);
  text_clear(&ignored);
  return law;
}

static bool is_law(const char *path) {
  if (ends_in(path, ".law") || ends_in(path, ".law.gz"))
    return true;
  if (strcmp(path, "-") == 0)
    return input_is_law();
  char head[32];
  struct stat about; /* what is read of a pipe is gone */
  FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
  if (file == NULL)
    return false;
  size_t length = fread(head, 1, sizeof head, file);
  fclose(file);
  return law_file_is(head, length);
}

static enum status read_law(struct operand *operand, const char *path, struct ledger *ledger,
                            struct text *message) {
  struct saved_law law;
  const char *name = file_name(path);
  law_file_init(&law);
  enum status status = law_file_read(&law, path, message);
  if (status == STATUS_OK) {
    ledger_add(ledger, LEDGER_DATA,
               "%s: what is saved there holds, each side with the confidence "
               "it was calculated with",
               name);
    if (law.notes.count != 0)
      ledger_note(ledger, LEDGER_DATA, "%s: %s", name, law.notes.data[0]);
    if (law.notes.count > 1)
      ledger_note(ledger, LEDGER_DATA, "%s rests on the %zu assumptions listed in it", name,
                  law.notes.count - 1);
    memcpy(operand->sides, law.sides, sizeof law.sides);
    memset(law.sides, 0, sizeof law.sides);
  }
  law_file_clear(&law);
  return status;
}

uint64_t operand_worth(const struct operand *operand) {
  return serial_worth(&operand->serial, operand->sample.real);
}

static void judge_order(struct operand *operand, const char *path, struct ledger *ledger) {
  const struct sample *sample = &operand->sample;
  struct source_notes warnings;
  source_notes_init(&warnings);
  struct levels *levels = levels_new(sample, false);
  operand->serial = levels_overall(levels);
  operand->assumes_draws = !levels_tell(sample);
  operand->wanders = operand->serial.wanders;
  levels_free(levels);
  exchange_warn(&warnings, sample, path);
  for (size_t i = 0; i < warnings.count; i++)
    ledger_warn(ledger, LEDGER_DATA, "%s", warnings.lines[i]);
  source_notes_clear(&warnings);
}

static enum status read_file(struct sample *sample, const char *path,
                             const struct source_options *options, struct ledger *ledger,
                             struct text *message) {
  struct source_notes notes;
  source_notes_init(&notes);
  enum status status = source_read_with(sample, &notes, NULL, path, options, message);
  for (size_t i = 0; i < notes.count; i++)
    ledger_note(ledger, LEDGER_DATA, "%s", notes.lines[i]);
  source_notes_clear(&notes);
  if (status == STATUS_OK && sample->real == 0) {
    text_format(message, "%s: no observation in it is real; nothing can be compared",
                file_name(path));
    status = STATUS_DATA;
  }
  return status;
}

static enum status read_runs(struct operand *operand, const texts *paths,
                             const struct source_options *options, struct ledger *ledger,
                             struct text *message) {
  enum status status = STATUS_OK;
  struct sample *runs = mem_alloc(paths->count, sizeof *runs);
  for (size_t i = 0; i < paths->count; i++)
    sample_init(&runs[i]);
  for (size_t i = 0; i < paths->count && status == STATUS_OK; i++)
    status = read_file(&runs[i], paths->data[i], options, ledger, message);
  if (status == STATUS_OK && !between_runs(&operand->sample, runs, paths->count, message))
    status = STATUS_DATA;
  for (size_t i = 0; i < paths->count; i++)
    sample_clear(&runs[i]);
  mem_free(runs);
  return status;
}

static enum status read_sample(struct operand *operand, const texts *paths,
                               const struct source_options *options, bool exchangeable,
                               struct ledger *ledger, struct text *message) {
  const char *name = file_name(paths->data[0]);
  enum status status = paths->count > 1
                           ? read_runs(operand, paths, options, ledger, message)
                           : read_file(&operand->sample, paths->data[0], options, ledger, message);
  if (status == STATUS_OK && !exchangeable)
    judge_order(operand, name, ledger);
  if (status == STATUS_OK && operand->sample.evidence.compared && !exchangeable)
    ledger_add(ledger, LEDGER_DATA,
               "%s and the further runs of it, %" PRIu64
               " in all, are independent draws of one law "
               "of runs, whose %" PRIu64 " observations are worth %" PRIu64 " independent ones",
               name, operand->sample.evidence.runs, operand->sample.real, operand_worth(operand));
  else if (status == STATUS_OK && operand->serial.dependent)
    ledger_add(ledger, LEDGER_DATA,
               "the %" PRIu64 " observations in %s are a stretch of one stationary process, worth "
               "%" PRIu64 " independent draws of its law",
               operand->sample.real, name, operand_worth(operand));
  else if (status == STATUS_OK && operand->assumes_draws)
    ledger_note(ledger, LEDGER_DATA, "%s: %s", name, law_draws_words(&operand->sample));
  else if (status == STATUS_OK)
    ledger_add(ledger, LEDGER_DATA,
               "the %" PRIu64 " observations in %s are independent draws of one law",
               operand->sample.real, name);
  operand->is_sample = status == STATUS_OK;
  return status;
}

enum status operand_read(struct operand *operand, const texts *paths,
                         const struct source_options *options, bool exchangeable,
                         struct ledger *ledger, struct text *message) {
  if (!is_law(paths->data[0]))
    return read_sample(operand, paths, options, exchangeable, ledger, message);
  if (paths->count == 1)
    return read_law(operand, paths->data[0], ledger, message);
  text_format(message, "%s: is a saved law, which has no further runs; leave out --run",
              paths->data[0]);
  return STATUS_USAGE;
}

void operand_make_law(struct operand *operand, uint64_t alpha) {
  const struct sample *sample = &operand->sample;
  const struct grid *grid =
      grid_up_to(sample->count == 0 ? 0 : sample->bins[sample->count - 1].upper_ns);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    survival_init_side(&operand->sides[side], grid, (enum survival_side)side);
    confidence_band_predicted(&operand->sides[side], &operand->sample, operand_worth(operand),
                              alpha, BAND_BOTH);
  }
  operand->is_sample = false;
}

/* The quantile on one side; false when it is infinite. */
static bool quantile(uint64_t *ns, const struct survival *law, const struct rational *share) {
  uint64_t tail = 0;
  survival_tail_of_side(&tail, share, law->side);
  return survival_quantile(ns, law, tail);
}

struct range operand_range(const struct operand *operand, const struct rational *share) {
  struct range range = {.lower_finite = true};
  const struct survival *upper = &operand->sides[SIDE_UPPER];
  const struct survival *lower = &operand->sides[SIDE_LOWER];
  if (upper->tail != NULL)
    range.upper_finite = quantile(&range.upper_ns, upper, share);
  if (lower->tail != NULL)
    range.lower_finite = quantile(&range.lower_ns, lower, share);
  return range;
}

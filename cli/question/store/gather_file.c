/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files that are no stores: of other tools, or written by `import`. */
#include "cli/question/store/gather_file.h"

#include <ctype.h>
#include <string.h>

#include "dist/source/source.h"
#include "dist/statistics/levels.h"
#include "dist/source/stem.h"

/* The series that a file is named after, owned. */
static char *series_of(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *file = slash == NULL ? path : slash + 1;
  size_t length = stem_length(file);
  return mem_copy_text(file, length == 0 ? strlen(file) : length);
}

static bool is_series_name(const char *name) {
  bool good = isalpha((unsigned char)*name) || *name == '_';
  for (; *name != '\0'; name++)
    good = good && (isalnum((unsigned char)*name) || *name == '_' || *name == '.' || *name == '-');
  return good;
}

static const char *unit_of(const settings *units, const char *stem) {
  const char *unit = settings_find(units, stem);
  if (unit != NULL)
    return unit;
  char *component = mem_copy_text(stem, strcspn(stem, "."));
  unit = settings_find(units, component);
  mem_free(component);
  return unit;
}

/* What else the file says of itself. */
static void take_about(struct series *part, const struct source_about *about) {
  for (size_t i = 0; i < about->histogram.notes.count; i++)
    lines_add(&part->notes, about->histogram.notes.data[i]);
  part->steps = about->histogram.sub_buckets;
}

/* "node" and "host" of a recording; owned, NULL when it says none. */
static char *word_of(const char *from, const char *key) {
  struct text pattern;
  text_init(&pattern);
  text_format(&pattern, " %s=", key);
  const char *at = strncmp(from, "store ", 6) == 0 ? strstr(from, text_get(&pattern)) : NULL;
  char *word = NULL;
  if (at != NULL) {
    at += pattern.length;
    word = mem_copy_text(at, strcspn(at, " "));
  }
  text_clear(&pattern);
  return word;
}

/* The node or host that all recordings of a file are of. */
static enum status group_of(char **group, const struct series *part, enum gather_by by,
                            const char *path, struct text *message) {
  *group = NULL;
  const char *key = by == BY_HOST ? "host" : "node";
  const struct evidence_texts *sources = &part->sample.evidence.sources;
  for (size_t i = 0; i < sources->list.count && (by == BY_HOST || by == BY_NODE); i++) {
    char *word = word_of(sources->list.data[i], key);
    bool same =
        i == 0 || (word == NULL ? *group == NULL : *group != NULL && strcmp(word, *group) == 0);
    if (i == 0)
      *group = word;
    else
      mem_free(word);
    if (same)
      continue;
    text_format(message,
                "%s: adds up recordings of several %ss, which cannot be taken apart again; "
                "name the stores instead",
                path, key);
    mem_free(*group);
    *group = NULL;
    return STATUS_DATA;
  }
  if (by == BY_NOTHING || *group != NULL)
    return STATUS_OK;
  text_format(message, "%s: is no store, and says nothing of %s; leave out --by", path,
              by == BY_INDEX  ? "indices"
              : by == BY_HOST ? "hosts"
                              : "nodes");
  return STATUS_DATA;
}

/* Of the order what the observations are worth. */
static void keep_evidence(struct sample *to, const struct sample *from) {
  struct source_order order;
  struct levels *levels = levels_new(from, false);
  evidence_copy(&to->evidence, &from->evidence);
  if (levels_order(&order, levels, from->real))
    evidence_keep_order(&to->evidence, &order);
  levels_free(levels);
}

/* A histogram's edges, or the values that a coarse clock tells apart; of more there is no edge that
 * means something. */
enum { KEPT_EDGES_MAX = 4096 };

static bool add_sample(struct series *part, const struct sample *sample) {
  bool (*add)(struct series *, uint64_t, uint64_t, uint64_t) =
      sample->count <= KEPT_EDGES_MAX ? series_add_kept : series_add_range;
  keep_evidence(&part->sample, sample);
  if (sample->count > KEPT_EDGES_MAX)
    part->sample.evidence.edges = EDGES_BETWEEN;
  bool good = sample_add_beyond(&part->sample, sample->beyond);
  for (size_t i = 0; i < sample->count && good; i++)
    good = add(part, sample->bins[i].lower_ns, sample->bins[i].upper_ns, sample->bins[i].count);
  return good;
}

/* What is to be read into a series: a file, or a page of metrics that is in memory. */
struct to_read {
  const char *path;
  const struct source_page *page; /* NULL: the file at `path` */
  const char *select;
};

static enum status read_sample(struct sample *sample, struct source_notes *notes,
                               struct source_about *about, const struct to_read *from,
                               const struct source_options *options, struct text *message) {
  if (from->page == NULL)
    return source_read_with(sample, notes, about, from->path, options, message);
  enum status status = source_read_page(sample, notes, from->page, options, message);
  if (status == STATUS_OK)
    source_keep_digest(&sample->evidence, from->page->bytes, from->page->length);
  return status;
}

static enum status read_into(struct series *part, const struct gather *gather,
                             const struct to_read *from, struct text *message) {
  struct sample sample;
  struct source_notes notes;
  struct source_about about = {0};
  const struct source_options options = {
      .unit = unit_of(gather->units, part->name), .select = from->select, .since = gather->since};
  sample_init(&sample);
  source_notes_init(&notes);
  enum status status = read_sample(&sample, &notes, &about, from, &options, message);
  if (status == STATUS_OK)
    take_about(part, &about);
  if (status == STATUS_OK && !add_sample(part, &sample)) {
    text_format(message, "%s: counts more than 2^63-1 observations", from->path);
    status = STATUS_DATA;
  }
  /* of our own files take_about has them as they are */
  for (size_t i = 0; i < notes.count && status == STATUS_OK && part->steps == 0; i++)
    lines_add(&part->notes, notes.lines[i]);
  tph_about_clear(&about.histogram);
  source_notes_clear(&notes);
  sample_clear(&sample);
  return status;
}

static enum status add_series(struct gather *gather, const char *name, const struct to_read *from,
                              struct text *message) {
  char *group = NULL;
  struct series part;
  series_init(&part, name);
  enum status status = STATUS_OK;
  if (!is_series_name(name)) {
    text_format(message,
                "%s: is to be named after the component it measures, such as BackupRequest.csv or "
                "d.Ack.csv%s",
                from->path, gather->selects.count == 0 ? "" : ", as is --select NAME=...");
    status = STATUS_DATA;
  }
  if (status == STATUS_OK)
    status = read_into(&part, gather, from, message);
  if (status == STATUS_OK)
    status = group_of(&group, &part, gather->by, from->path, message);
  if (status == STATUS_OK)
    status = series_table_add(&gather->table, &part, group, from->path, message);
  series_clear(&part);
  mem_free(group);
  return status;
}

/* Every --select makes a series of the page. */
static enum status add_selected(struct gather *gather, const char *path,
                                const struct source_page *page, struct text *message) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < gather->selects.count && status == STATUS_OK; i++) {
    const struct setting *select = &gather->selects.data[i];
    const struct to_read from = {.path = path, .page = page, .select = select->value};
    status = add_series(gather, select->name, &from, message);
  }
  return status;
}

/* Whether it can be read without a choice. */
static bool is_one(const struct gather *gather, const char *path, const char *stem) {
  struct sample sample;
  struct source_notes notes;
  struct text ignored;
  sample_init(&sample);
  source_notes_init(&notes);
  text_init(&ignored);
  bool one =
      source_read(&sample, &notes, path, unit_of(gather->units, stem), &ignored) == STATUS_OK;
  text_clear(&ignored);
  source_notes_clear(&notes);
  sample_clear(&sample);
  return one;
}

/* Whether a file holds several measurements to choose from: metrics, by its name, a report of YCSB,
 * or what has requests of several kinds. */
static bool may_be_several(const struct gather *gather, const char *path, const char *stem) {
  const char *slash = strrchr(path, '/');
  const char *file = slash == NULL ? path : slash + 1;
  size_t length = stem_length(file);
  return strncmp(file + length, ".prom", 5) == 0 || strncmp(file + length, ".pb", 3) == 0 ||
         strncmp(file + length, ".json", 5) == 0 || source_is_ycsb(path) ||
         !is_one(gather, path, stem);
}

enum status gather_file(struct gather *gather, const char *path, struct text *message) {
  char *stem = series_of(path);
  const struct to_read from = {
      .path = path, .select = gather->mix ? "{}" : settings_find(&gather->selects, stem)};
  bool selected =
      from.select == NULL && gather->selects.count != 0 && may_be_several(gather, path, stem);
  enum status status = selected ? add_selected(gather, path, NULL, message)
                                : add_series(gather, stem, &from, message);
  gather->files += status == STATUS_OK;
  mem_free(stem);
  return status;
}

/* A page has no name for a series. What stands in the way of reading it, as several histograms do,
 * says also what to choose from. */
static enum status refuse_nameless(const struct source_page *page, struct text *message) {
  struct sample sample;
  struct source_notes notes;
  sample_init(&sample);
  source_notes_init(&notes);
  enum status status =
      source_read_page(&sample, &notes, page, &(struct source_options){0}, message);
  source_notes_clear(&notes);
  sample_clear(&sample);
  if (status != STATUS_OK)
    return status;
  text_format(message,
              "%s: its one histogram has no name as a series; say which component it is: --select "
              "'NAME={}'",
              page->name);
  return STATUS_USAGE;
}

enum status gather_page(struct gather *gather, const char *name, const struct source_page *page,
                        struct text *message) {
  if (name == NULL && gather->selects.count == 0)
    return refuse_nameless(page, message);
  const struct to_read from = {.path = page->name,
                               .page = page,
                               .select =
                                   name == NULL ? NULL : settings_find(&gather->selects, name)};
  enum status status = name == NULL ? add_selected(gather, page->name, page, message)
                                    : add_series(gather, name, &from, message);
  gather->files += status == STATUS_OK;
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/evaluate/scenario.h"

#include <string.h>
#include <unistd.h>

#include "dist/evaluate/compose.h"
#include "dist/source/source.h"

/* --- files ------------------------------------------------------------------------------------ */

static void count_below(struct scenario_sample *sample) {
  sample->below = mem_alloc(sample->sample.count + 1, sizeof *sample->below);
  uint64_t sum = 0;
  for (size_t i = 0; i < sample->sample.count; i++)
    sample->below[i] = sum += sample->sample.bins[i].count;
}

static void note_sources(struct scenario *scenario, const struct source_notes *notes) {
  for (size_t i = 0; i < notes->count; i++)
    ledger_add(&scenario->ledger, LEDGER_DATA, "%s", notes->lines[i]);
}

/* The file's sample; SIZE_MAX, with *status, after the asker was told. */
static size_t read_sample(struct scenario *scenario, const char *path, enum status *status) {
  for (size_t i = 0; i < scenario->samples.count; i++)
    if (strcmp(scenario->samples.data[i]->path, path) == 0)
      return i;
  const struct scenario_request *request = scenario->request;
  struct scenario_sample *sample = mem_alloc(1, sizeof *sample);
  struct source_notes notes;
  struct text message, name;
  source_notes_init(&notes);
  text_init(&message);
  text_init(&name);
  sample_init(&sample->sample);
  text_append(&name, path);
  sample->path = text_take(&name);
  vector_push(&scenario->samples, sample);
  const char *unit = request->unit == NULL ? NULL : request->unit(request->context, path);
  *status = source_read(&sample->sample, &notes, path, unit, &message);
  if (*status == STATUS_OK) {
    count_below(sample);
    note_sources(scenario, &notes);
  } else {
    asker_fail(request->asker, *status, "%s", text_get(&message));
  }
  source_notes_clear(&notes);
  text_clear(&message);
  return *status == STATUS_OK ? scenario->samples.count - 1 : SIZE_MAX;
}

/* FOLDER/NAME as it is, or with the ending of a file of measurements. */
static enum status find_file(struct text *path, const struct scenario *scenario, const char *name) {
  const char *folder = scenario->request->folder == NULL ? "." : scenario->request->folder;
  text_format(path, "%s/%s", folder, name);
  if (access(path->data, R_OK) == 0)
    return STATUS_OK;
  text_clear(path);
  text_init(path);
  struct text message;
  text_init(&message);
  enum status status = source_find(path, folder, name, NULL, NULL, 0, &message);
  if (status != STATUS_OK)
    asker_fail(scenario->request->asker, status, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

static enum status find_samples(struct scenario *scenario, struct scenario_law *law) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < compose_name_count(law->compose) && status == STATUS_OK; i++) {
    const char *name = compose_name(law->compose, i);
    size_t sample = SAMPLE_RECORDED;
    struct text path;
    text_init(&path);
    if (strcmp(name, "recorded") != 0)
      status = find_file(&path, scenario, name);
    if (status == STATUS_OK && path.length != 0)
      sample = read_sample(scenario, path.data, &status);
    vector_push(&law->samples, sample);
    text_clear(&path);
  }
  return status;
}

/* --- laws ------------------------------------------------------------------------------------- */

static struct scenario_law *new_law(struct scenario *scenario, const char *expression) {
  struct scenario_law *law = mem_alloc(1, sizeof *law);
  struct text text;
  text_init(&text);
  text_append(&text, expression);
  law->text = text_take(&text);
  vector_push(&scenario->laws, law);
  return law;
}

static size_t known_law(const struct scenario *scenario, const char *expression) {
  for (size_t i = 0; i < scenario->laws.count; i++)
    if (strcmp(scenario->laws.data[i]->text, expression) == 0)
      return i;
  return SIZE_MAX;
}

size_t scenario_law(struct scenario *scenario, const char *expression, const char *place) {
  size_t known = known_law(scenario, expression);
  if (known != SIZE_MAX)
    return known;
  struct text message;
  text_init(&message);
  struct scenario_law *law = new_law(scenario, expression);
  enum status status = compose_parse(&law->compose, expression, &message);
  if (status == STATUS_OK)
    status = find_samples(scenario, law);
  else
    asker_fail(scenario->request->asker, status, "%s: in the law \"%s\": %s", place, expression,
               text_get(&message));
  text_clear(&message);
  return status == STATUS_OK ? scenario->laws.count - 1 : SIZE_MAX;
}

/* A law that is one file, whatever the file is called. */
static enum status law_of_file(size_t *index, struct scenario *scenario, const char *path) {
  *index = known_law(scenario, path);
  enum status status = STATUS_OK;
  if (*index != SIZE_MAX)
    return status;
  size_t sample = read_sample(scenario, path, &status);
  struct text unused;
  text_init(&unused);
  if (status == STATUS_OK) {
    struct scenario_law *law = new_law(scenario, path);
    compose_parse(&law->compose, "file", &unused);
    vector_push(&law->samples, sample);
    law->is_file = true;
    *index = scenario->laws.count - 1;
  }
  text_clear(&unused);
  return status;
}

/* A file if there is one, or if it is no expression. */
static enum status read_law(struct scenario *scenario, const struct request_change *change,
                            size_t *law) {
  if (access(change->law, F_OK) == 0 || strchr(change->law, '(') == NULL ||
      change->kind == CHANGE_PROFILE)
    return law_of_file(law, scenario, change->law);
  struct text place;
  text_init(&place);
  text_format(&place, "--change '%s'", change->text);
  *law = scenario_law(scenario, change->law, place.data);
  text_clear(&place);
  return *law == SIZE_MAX ? STATUS_USAGE : STATUS_OK;
}

static enum status read_files(struct scenario *scenario, size_t i) {
  const struct request_change *change = &scenario->changes.data[i];
  struct change_of *of = &scenario->of.data[i];
  if (change->kind == CHANGE_LAW || change->kind == CHANGE_PROFILE)
    return read_law(scenario, change, &of->law);
  if (change->kind == CHANGE_CPU)
    return slowdown_read(&of->factor, change->law, rational_double(&change->value),
                         scenario->request->asker);
  return STATUS_OK;
}

/* --- all of it -------------------------------------------------------------------------------- */

bool scenario_has(const struct scenario *scenario, enum change_kind kind) {
  for (size_t i = 0; i < scenario->changes.count; i++)
    if (scenario->changes.data[i].kind == kind)
      return true;
  return false;
}

static enum status check_together(const struct scenario *scenario) {
  const struct asker *asker = scenario->request->asker;
  bool load = scenario_has(scenario, CHANGE_LOAD);
  if (!load && (scenario_has(scenario, CHANGE_FAIL) || scenario_has(scenario, CHANGE_SHARDS)))
    return asker_fail(asker, STATUS_USAGE,
                      "fail and shards divide a load that is not stated; add "
                      "how many users there are, as in --change load=60");
  if (load && !scenario_has(scenario, CHANGE_PROFILE))
    return asker_fail(asker, STATUS_USAGE,
                      "load needs to know how long calls take when there are "
                      "many at once; add --change 'NAME@60 = FILE'");
  if (!load && scenario_has(scenario, CHANGE_PROFILE))
    return asker_fail(asker, STATUS_USAGE,
                      "NAME@N = FILE is used with a load only; add --change load=60");
  return STATUS_OK;
}

static enum status read_change(struct scenario *scenario, const char *text) {
  struct request_change change;
  struct text message;
  text_init(&message);
  enum status status = change_parse(&change, text, &message);
  if (status == STATUS_OK) {
    vector_push(&scenario->changes, change);
    vector_push(&scenario->of, (struct change_of){.law = SIZE_MAX});
    status = change.kind < CHANGE_SPLIT
                 ? read_files(scenario, scenario->changes.count - 1)
                 : asker_fail(scenario->request->asker, STATUS_USAGE,
                              "--change '%s': split, offload, rarer and processes change event "
                              "loops; traces do not show them, name an event log",
                              text);
  } else {
    asker_fail(scenario->request->asker, status, "--change '%s', %s", text, text_get(&message));
  }
  text_clear(&message);
  return status;
}

enum status scenario_read(struct scenario *scenario, const struct scenario_request *request) {
  *scenario = (struct scenario){.request = request};
  ledger_init(&scenario->ledger);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < request->change_count && status == STATUS_OK; i++)
    status = read_change(scenario, request->changes[i]);
  return status == STATUS_OK ? check_together(scenario) : status;
}

void scenario_clear(struct scenario *scenario) {
  for (size_t i = 0; i < scenario->changes.count; i++)
    change_clear(&scenario->changes.data[i]);
  for (size_t i = 0; i < scenario->samples.count; i++) {
    sample_clear(&scenario->samples.data[i]->sample);
    mem_free(scenario->samples.data[i]->below);
    mem_free(scenario->samples.data[i]->path);
    mem_free(scenario->samples.data[i]);
  }
  for (size_t i = 0; i < scenario->laws.count; i++) {
    struct scenario_law *law = scenario->laws.data[i];
    if (law->compose != NULL)
      compose_clear(law->compose);
    vector_clear(&law->samples);
    mem_free(law->text);
    mem_free(law);
  }
  vector_clear(&scenario->changes);
  vector_clear(&scenario->of);
  vector_clear(&scenario->samples);
  vector_clear(&scenario->laws);
  ledger_clear(&scenario->ledger);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/option_values.h"

#include <stdlib.h>
#include <string.h>

enum status option_complain(const char *command, const char *what, const char *value,
                            const char *remedy) {
  fprintf(stderr, "tailproof %s: %s%s%s%s; %s\n", command, what, value ? " \"" : "",
          value ? value : "", value ? "\"" : "", remedy);
  return STATUS_USAGE;
}

static bool read_count(const char *text, unsigned long most, unsigned long *value) {
  char *end;
  if (text[0] < '0' || text[0] > '9')
    return false;
  *value = strtoul(text, &end, 10);
  return *end == '\0' && *value >= 1 && *value <= most;
}

static enum status read_setting(settings *list, const char *command, const char *text) {
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0')
    return option_complain(command, "unclear setting", text, "write NAME=VALUE");
  char *name = mem_copy_text(text, (size_t)(equals - text));
  bool twice = settings_find(list, name) != NULL;
  vector_push(list, (struct setting){name, equals + 1});
  return twice ? option_complain(command, "the same name twice in", text, "give each once")
               : STATUS_OK;
}

/* Beyond it, what is left of the chance of error could no longer be told from none. */
#define CONFIDENCE_MOST "0.999999999999"

static enum status read_confidence(struct options *o, const char *command, const char *text) {
  struct rational most;
  rational_init(&most);
  rational_parse(&most, CONFIDENCE_MOST);
  bool good = rational_parse(&o->confidence, text) && rational_sign(&o->confidence) >= 0 &&
              rational_compare(&o->confidence, &most) <= 0;
  rational_clear(&most);
  return good ? STATUS_OK
              : option_complain(command, "unusable confidence", text,
                                "give a number from 0 to " CONFIDENCE_MOST);
}

static enum status read_timeout(struct options *o, const char *command, const char *text) {
  struct rational seconds, thousand;
  rational_init(&seconds);
  rational_init(&thousand);
  rational_set_integer(&thousand, 1000);
  int64_t ms = 0;
  bool good = rational_parse(&seconds, text);
  if (good) {
    rational_mul(&seconds, &seconds, &thousand);
    good = rational_ceil(&ms, &seconds) && ms >= 1 && ms <= 86400000;
  }
  o->timeout_ms = (unsigned)ms;
  rational_clear(&seconds);
  rational_clear(&thousand);
  return good ? STATUS_OK
              : option_complain(command, "unusable time-out", text, "give seconds, up to 86400");
}

static enum status read_format(struct options *o, const char *command, const char *text) {
  static const char *const names[] = {[OUTPUT_TEXT] = "text",
                                      [OUTPUT_JSON] = "json",
                                      [OUTPUT_SARIF] = "sarif",
                                      [OUTPUT_JUNIT] = "junit"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i], text) != 0)
      continue;
    o->format = (enum output_format)i;
    o->json = o->format == OUTPUT_JSON;
    return STATUS_OK;
  }
  return option_complain(command, "unknown format", text, "give text, json, sarif or junit");
}

/* One of the words, which blanks separate; -1: none of them. */
static int word_index(const char *words, const char *word) {
  int index = 0;
  for (const char *at = words; *at != '\0'; index++) {
    size_t length = strcspn(at, " ");
    if (strlen(word) == length && strncmp(at, word, length) == 0)
      return index;
    at += length + strspn(at + length, " ");
  }
  return -1;
}

static enum status read_choice(struct options *o, const char *command, enum option_id id,
                               const char *text) {
  const char *words = id == OPTION_DEPENDENCE ? "independent unknown both"
                      : id == OPTION_GRID     ? "auto log linear"
                      : id == OPTION_BAND     ? "both ranks dkw"
                                              : "infinite gpd";
  int index = word_index(words, text);
  if (index < 0)
    return option_complain(command, "unknown word", text,
                           id == OPTION_DEPENDENCE ? "give independent, unknown or both"
                           : id == OPTION_GRID     ? "give auto, log or linear"
                           : id == OPTION_BAND     ? "give both, ranks or dkw"
                                                   : "give infinite or gpd");
  if (id == OPTION_DEPENDENCE)
    o->dependence = (enum dependence_wish)index;
  else if (id == OPTION_GRID)
    o->grid = (enum grid_wish)index;
  else if (id == OPTION_BAND)
    o->band = (enum confidence_band)index;
  else
    o->tail = (enum tail_wish)index;
  return STATUS_OK;
}

/* Where the value is kept as it is; NULL for other options. */
static const char **text_of(struct options *o, enum option_id id) {
  const struct {
    enum option_id id;
    const char **text;
  } kept[] = {
      {OPTION_BOUND, &o->bound},
      {OPTION_DATA, &o->data},
      {OPTION_OBSERVED, &o->observed},
      {OPTION_PERCENTILES, &o->percentiles},
      {OPTION_OUT, &o->out},
      {OPTION_CHECK, &o->check},
      {OPTION_WITH, &o->with},
      {OPTION_BY, &o->by},
      {OPTION_NODE, &o->node},
      {OPTION_SLACK, &o->slack},
      {OPTION_REQUEST, &o->request},
      {OPTION_PROTOCOL, &o->protocol},
      {OPTION_MARGIN, &o->margin},
      {OPTION_CONTRIBUTIONS, &o->contributions},
      {OPTION_SAVE, &o->save},
      {OPTION_PLOT, &o->plot},
      {OPTION_BUDGET, &o->budget},
      {OPTION_MINIMUM, &o->minimum},
      {OPTION_FACTOR, &o->factor},
      {OPTION_SVG, &o->svg},
      {OPTION_JOURNAL, &o->journal},
      {OPTION_RESUME, &o->resume},
      {OPTION_THROUGHPUT, &o->throughput},
      {OPTION_SAVED, &o->saved},
      {OPTION_CALLS, &o->calls},
      {OPTION_NOISE, &o->noise},
      {OPTION_POINTS, &o->points},
      {OPTION_NAME, &o->name},
      {OPTION_LISTEN, &o->listen},
      {OPTION_KEY, &o->key},
      {OPTION_PAUSE, &o->pause},
      {OPTION_PROXY, &o->proxy},
      {OPTION_READY, &o->ready},
  };
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (kept[i].id == id)
      return kept[i].text;
  return NULL;
}

/* Where the value is one of several. */
static texts *texts_of(struct options *o, enum option_id id) {
  switch (id) {
  case OPTION_TOGETHER:
    return &o->together;
  case OPTION_TOGETHER_EACH:
    return &o->together_each;
  case OPTION_SLO:
    return &o->slo;
  case OPTION_ABOVE:
    return &o->above;
  case OPTION_JOINT:
    return &o->joint;
  case OPTION_SCALE_OUT:
    return &o->scale_out;
  case OPTION_WORKERS:
    return &o->workers;
  case OPTION_NEIGHBOUR:
    return &o->neighbours;
  default:
    return NULL;
  }
}

/* Where the value is NAME=VALUE. */
static settings *settings_of(struct options *o, enum option_id id) {
  switch (id) {
  case OPTION_SET:
    return &o->set;
  case OPTION_UNIT:
    return &o->units;
  case OPTION_CAP:
    return &o->caps;
  case OPTION_LAW:
    return &o->laws;
  case OPTION_RATE:
    return &o->rates;
  default:
    return NULL;
  }
}

/* What a flag sets. */
static bool *flag_of(struct options *o, enum option_id id) {
  switch (id) {
  case OPTION_EXPLAIN:
    return &o->explain;
  case OPTION_ALL_GOALS:
    return &o->all_goals;
  case OPTION_INFER:
    return &o->infer;
  case OPTION_FORGET:
    return &o->forget_timing;
  case OPTION_FRESH:
    return &o->fresh;
  case OPTION_EXCHANGEABLE:
    return &o->exchangeable;
  case OPTION_WRITE:
    return &o->write;
  case OPTION_PRELOAD:
    return &o->preload;
  case OPTION_COUNT_PIPE:
    return &o->count_pipe;
  case OPTION_UNCOORDINATED:
    return &o->uncoordinated;
  case OPTION_HELP:
    return &o->help;
  default:
    return NULL;
  }
}

static enum status read_value(struct options *o, const char *command, enum option_id id,
                              const char *value) {
  unsigned long count = 0;
  switch (id) {
  case OPTION_JOBS:
    if (!read_count(value, 1024, &count))
      return option_complain(command, "unusable number of jobs", value, "give 1 to 1024");
    o->jobs = count;
    return STATUS_OK;
  case OPTION_TIMEOUT:
    return read_timeout(o, command, value);
  case OPTION_SEED:
    if (strcmp(value, "0") != 0 && !read_count(value, INT32_MAX, &count))
      return option_complain(command, "unusable seed", value, "give a whole number");
    o->seed = (unsigned)count;
    return STATUS_OK;
  case OPTION_EVERY:
    if (!read_count(value, INT32_MAX, &count))
      return option_complain(command, "unusable step", value, "give a whole number, 1 or more");
    o->every = (unsigned)count;
    return STATUS_OK;
  case OPTION_ASSUME:
    o->assume_independent = strcmp(value, "independent") == 0;
    return o->assume_independent
               ? STATUS_OK
               : option_complain(command, "unknown assumption", value, "give independent");
  case OPTION_CONFIDENCE:
    return read_confidence(o, command, value);
  case OPTION_JSON:
    return read_format(o, command, "json");
  case OPTION_FORMAT:
    return read_format(o, command, value);
  case OPTION_DEPENDENCE:
  case OPTION_GRID:
  case OPTION_BAND:
  case OPTION_TAIL:
    return read_choice(o, command, id, value);
  default:
    return STATUS_INTERNAL;
  }
}

static bool names_path(enum option_id id) {
  return id == OPTION_DATA || id == OPTION_JOINT || id == OPTION_OBSERVED ||
         id == OPTION_PROTOCOL || id == OPTION_SAVE || id == OPTION_OUT || id == OPTION_CHECK ||
         id == OPTION_SVG || id == OPTION_JOURNAL || id == OPTION_RESUME || id == OPTION_POINTS;
}

enum status option_apply(struct options *o, const char *command, enum option_id id,
                         const char *value) {
  const char **text = text_of(o, id);
  texts *list = texts_of(o, id);
  settings *named = settings_of(o, id);
  bool *flag = flag_of(o, id);
  if (names_path(id) && value[0] == '\0')
    return option_complain(command, "an empty name of a file or folder", NULL, "name one");
  if (text != NULL)
    *text = value;
  else if (list != NULL)
    vector_push(list, value);
  else if (named != NULL)
    return read_setting(named, command, value);
  else if (flag != NULL)
    *flag = true;
  else
    return read_value(o, command, id, value);
  return STATUS_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/meant.h"

#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "trace/evaluate/change.h"
#include "trace/event/word.h"
#include "trace/loop/causes.h"
#include "trace/loop/changes.h"
#include "trace/loop/seen.h"

enum { NEAREST = 5 };

/* --- kinds of callbacks ----------------------------------------------------------------------- */

/* What runs of one callback have in common. */
struct callback_kind {
  uint32_t type, place, route; /* names; 0: none */
};

struct callback_kinds {
  const struct loop_turns *turns;
  const struct event_log *log;
  struct index index;
  VECTOR(struct callback_kind) known;
  uint32_t *of; /* by row; EVENT_NONE: it never ran */
};

static struct callback_kind kind_of(const struct loop_turns *turns, uint32_t row) {
  const struct event_log *log = turns->log;
  uint32_t request = turns->owner[row];
  return (struct callback_kind){log->type.data[row], log->place.data[row],
                                request == EVENT_NONE ? 0 : log->requests.data[request].route};
}

static uint32_t kind_number(struct callback_kinds *kinds, uint32_t row) {
  struct callback_kind kind = kind_of(kinds->turns, row);
  uint64_t hash = hash_word(hash_word(hash_word(0, kind.type), kind.place), kind.route);
  for (struct index_look look = index_look(&kinds->index, hash); index_next(&look);)
    if (memcmp(&kinds->known.data[look.row], &kind, sizeof kind) == 0)
      return look.row;
  uint32_t number = (uint32_t)kinds->known.count;
  index_add(&kinds->index, hash, number);
  vector_push(&kinds->known, kind);
  return number;
}

static void kinds_make(struct callback_kinds *kinds, const struct loop_turns *turns) {
  size_t rows = turns->log->begin.count;
  *kinds = (struct callback_kinds){
      .turns = turns, .log = turns->log, .of = mem_alloc(rows + 1, sizeof *kinds->of)};
  for (uint32_t row = 0; row < rows; row++)
    kinds->of[row] = turns->turn_of[row] == EVENT_NONE ? EVENT_NONE : kind_number(kinds, row);
}

static void kinds_clear(struct callback_kinds *kinds) {
  index_clear(&kinds->index);
  vector_clear(&kinds->known);
  mem_free(kinds->of);
}

static void say_kind(struct text *text, const struct event_log *log,
                     const struct callback_kind *kind) {
  text_clear(text);
  loop_callback_say(text, log, kind->place == 0 ? kind->type : 0, kind->place, kind->route);
}

/* As a cause, with and without its route or position; its word, its type, its route, its position. */
static bool means_kind(const char *name, const struct event_log *log,
                       const struct callback_kind *kind) {
  const char *type = names_text(&log->names, kind->type), *word = event_word(type);
  if ((type[0] != '\0' && loop_place_means(name, type)) ||
      (word != NULL && change_means(name, word, "")) ||
      (kind->place != 0 && loop_place_means(name, names_text(&log->names, kind->place))) ||
      (kind->route != 0 && change_means(name, names_text(&log->names, kind->route), "")))
    return true;
  struct text said;
  bool means = false;
  text_init(&said);
  for (unsigned i = 0; i < 8 && !means; i++) {
    text_clear(&said);
    loop_callback_say(&said, log, (i & 1) != 0 ? kind->type : 0, (i & 2) != 0 ? kind->place : 0,
                      (i & 4) != 0 ? kind->route : 0);
    means = (i & 3) != 0 && change_means(name, text_get(&said), "");
  }
  text_clear(&said);
  return means;
}

/* --- what is meant ---------------------------------------------------------------------------- */

static const char *behind(const char *name, const char *prefix) {
  size_t length = strlen(prefix);
  return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

/* Without what causes begin with, and whether that says that waits are meant. */
static const char *bare_name(const char *name, bool *waits) {
  static const struct {
    const char *prefix;
    bool waits;
  } prefixes[] = {{"io ", true}, {"waits for ", true}, {"held by ", false}, {"runs ", false}};
  const char *held = behind(name, "waits for a thread of the pool");
  held = held == NULL ? NULL : strstr(held, ", held by ");
  *waits = strcmp(name, "io") == 0 || held != NULL;
  if (held != NULL)
    return held + strlen(", held by ");
  if (*waits)
    return "*";
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    const char *rest = behind(name, prefixes[i].prefix);
    if (rest == NULL)
      continue;
    *waits = prefixes[i].waits;
    return rest;
  }
  return name;
}

static void mean_kinds(struct loop_meant *meant, const struct callback_kinds *kinds,
                       const char *name) {
  uint8_t *means = mem_alloc(kinds->known.count + 1, 1);
  for (size_t i = 0; i < kinds->known.count; i++)
    means[i] = means_kind(name, kinds->log, &kinds->known.data[i]);
  for (uint32_t row = 0; row < kinds->log->begin.count; row++)
    if (kinds->of[row] != EVENT_NONE && means[kinds->of[row]]) {
      meant->rows[row] = 1;
      meant->count++;
    }
  mem_free(means);
}

/* Of the callback in most of whose runs it was seen. */
static void tell_partly(struct loop_meant *meant, const struct callback_kinds *kinds,
                        const int64_t *run) {
  struct loop_partly *partly = &meant->partly;
  uint64_t *seen = mem_alloc(kinds->known.count + 1, sizeof *seen);
  uint32_t most = 0;
  for (uint32_t row = 0; row < kinds->log->begin.count; row++)
    if (meant->rows[row] != 0 && ++seen[kinds->of[row]] > seen[most])
      most = kinds->of[row];
  partly->seen = seen[most];
  partly->least = INT64_MAX;
  for (uint32_t row = 0; row < kinds->log->begin.count; row++)
    if (meant->rows[row] != 0 && kinds->of[row] == most && run[row] < partly->least)
      partly->least = run[row];
  for (uint32_t row = 0; row < kinds->log->begin.count; row++)
    partly->runs += kinds->of[row] == most && run[row] >= partly->least;
  say_kind(&partly->callback, kinds->log, &kinds->known.data[most]);
  mem_free(seen);
}

/* Runs in which the function was seen. */
static void mean_function(struct loop_meant *meant, const struct callback_kinds *kinds,
                          const int64_t *run, const char *name) {
  const struct event_log *log = kinds->log;
  for (size_t i = 0; i < log->looks.count; i++) {
    const struct event_look *look = &log->looks.data[i];
    if (kinds->of[look->row] == EVENT_NONE || meant->rows[look->row] != 0 ||
        !loop_stack_means(name, names_text(&log->names, look->stack)))
      continue;
    meant->rows[look->row] = 1;
    meant->count++;
  }
  if (meant->count != 0)
    tell_partly(meant, kinds, run);
}

void loop_meant_find(struct loop_meant *meant, const struct loop_turns *turns, const int64_t *run,
                     const char *name) {
  struct callback_kinds kinds;
  *meant = (struct loop_meant){.rows = mem_alloc(turns->log->begin.count + 1, 1)};
  text_init(&meant->partly.callback);
  name = bare_name(name, &meant->waits);
  kinds_make(&kinds, turns);
  mean_kinds(meant, &kinds, name);
  if (meant->count == 0 && !meant->waits)
    mean_function(meant, &kinds, run, name);
  kinds_clear(&kinds);
}

void loop_meant_clear(struct loop_meant *meant) {
  mem_free(meant->rows);
  text_clear(&meant->partly.callback);
  *meant = (struct loop_meant){0};
}

/* --- what is near ----------------------------------------------------------------------------- */

struct near {
  const char *name;
  VECTOR(char *) texts;
};

static void add_near(struct near *near, const char *text, size_t length) {
  for (size_t i = 0; i < near->texts.count; i++)
    if (strncmp(near->texts.data[i], text, length) == 0 && near->texts.data[i][length] == '\0')
      return;
  char *copy = mem_copy_text(text, length);
  vector_push(&near->texts, copy);
}

/* How far the name is from one that begins like this. */
static size_t distance_to(const char *name, const char *known) {
  size_t length = strlen(name), all = strlen(known);
  if (all > 200 || length > 200)
    return SIZE_MAX;
  char *head = mem_copy_text(known, all < length ? all : length);
  size_t distance = text_distance(name, head);
  mem_free(head);
  return distance;
}

static void gather_near(struct near *near, const struct loop_turns *turns) {
  const struct event_log *log = turns->log;
  struct callback_kinds kinds;
  struct text said;
  kinds_make(&kinds, turns);
  text_init(&said);
  for (size_t i = 0; i < kinds.known.count; i++) {
    say_kind(&said, log, &kinds.known.data[i]);
    add_near(near, text_get(&said), said.length);
    uint32_t bare[] = {kinds.known.data[i].place, kinds.known.data[i].type};
    for (size_t k = 0; k < 2; k++)
      if (bare[k] != 0) {
        const char *name = names_text(&log->names, bare[k]);
        add_near(near, name, strlen(name));
      }
  }
  for (size_t i = 0; i < log->looks.count; i++) {
    struct slice function = loop_stack_function(names_text(&log->names, log->looks.data[i].stack));
    add_near(near, function.start, function.length);
  }
  text_clear(&said);
  kinds_clear(&kinds);
}

void loop_meant_nearest(struct text *text, const struct loop_turns *turns, const char *name) {
  bool waits;
  struct near near = {.name = bare_name(name, &waits)};
  gather_near(&near, turns);
  for (size_t k = 0; k < NEAREST; k++) {
    size_t best = SIZE_MAX, least = SIZE_MAX;
    for (size_t i = 0; i < near.texts.count; i++) {
      size_t distance =
          near.texts.data[i][0] == '\0' ? SIZE_MAX : distance_to(near.name, near.texts.data[i]);
      if (distance < least) {
        least = distance;
        best = i;
      }
    }
    if (best == SIZE_MAX)
      break;
    text_format(text, "%s%s", k == 0 ? "" : ", ", near.texts.data[best]);
    near.texts.data[best][0] = '\0';
  }
  for (size_t i = 0; i < near.texts.count; i++)
    mem_free(near.texts.data[i]);
  vector_clear(&near.texts);
}

/* --- pauses ----------------------------------------------------------------------------------- */

static const struct pause_word {
  const char *word;
  unsigned kinds; /* bits */
} pause_words[] = {
    {"gc", 1U << EVENT_PAUSE_MINOR | 1U << EVENT_PAUSE_MAJOR | 1U << EVENT_PAUSE_STEP |
               1U << EVENT_PAUSE_WEAK},
    {"gc minor", 1U << EVENT_PAUSE_MINOR},
    {"gc major", 1U << EVENT_PAUSE_MAJOR},
    {"gc step", 1U << EVENT_PAUSE_STEP},
    {"gc weak", 1U << EVENT_PAUSE_WEAK},
    {"compile", 1U << EVENT_PAUSE_COMPILE},
    {"look", 1U << EVENT_PAUSE_LOOK},
    {"message", 1U << EVENT_PAUSE_MESSAGE},
    {"no processor",
     1U << EVENT_PAUSE_WAITING | 1U << EVENT_PAUSE_THROTTLED | 1U << EVENT_PAUSE_STOPPED},
};

/* "compilation of FILE" */
static unsigned compilation_meant(const struct event_log *log, const char *name, uint32_t *file) {
  const char *path = behind(name, "compilation of ");
  for (size_t i = 0; path != NULL && i < log->pauses.count; i++)
    if (log->pauses.data[i].kind == EVENT_PAUSE_COMPILE &&
        strcmp(names_text(&log->names, log->pauses.data[i].name), path) == 0) {
      *file = log->pauses.data[i].name;
      return 1U << EVENT_PAUSE_COMPILE;
    }
  return 0;
}

unsigned loop_pauses_meant(const struct event_log *log, const char *name, uint32_t *file) {
  *file = 0;
  for (size_t i = 0; i < sizeof pause_words / sizeof *pause_words; i++)
    if (strcmp(pause_words[i].word, name) == 0)
      return pause_words[i].kinds;
  for (unsigned kind = 0; kind <= EVENT_PAUSE_STOPPED; kind++)
    if (strcmp(loop_pause_name((enum event_pause_kind)kind), name) == 0)
      return 1U << kind;
  return compilation_meant(log, name, file);
}

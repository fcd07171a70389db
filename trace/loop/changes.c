/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/changes.h"

#include <string.h>

#include "base/random.h"
#include "trace/loop/turns.h"
#include "trace/loop/units.h"

enum { RARER_MOST = 16, PIECES_MOST = 1000 };

/* A change while it is applied. */
struct applying {
  struct loop_changes *changes;
  const struct loop_turns *turns;
  const struct loop_threads *threads;
  const struct event_log *log;
  const struct request_change *change;
  const struct asker *asker;
  int64_t *run; /* by row: own execution, ns */
  struct loop_affected affected;
};

/* --- names ------------------------------------------------------------------------------------ */

bool loop_place_means(const char *name, const char *place) {
  static const char *const forms[] = {"%s", "%s:*", "%s *", "*/%s", "*/%s:*", "*/%s *", "* %s"};
  bool means = false;
  for (size_t i = 0; i < sizeof forms / sizeof *forms && !means; i++) {
    const char *at = strstr(forms[i], "%s");
    struct text pattern;
    text_init(&pattern);
    text_append_bytes(&pattern, forms[i], (size_t)(at - forms[i]));
    text_append(&pattern, name);
    text_append(&pattern, at + 2);
    means = change_means(text_get(&pattern), place, "");
    text_clear(&pattern);
  }
  return means;
}

static enum status refuse_name(const struct applying *a, const char *name) {
  static const char connection[] = "waits for a connection of ";
  if (strncmp(name, connection, sizeof connection - 1) == 0)
    return asker_fail(a->asker, STATUS_USAGE,
                      "--change '%s': which request would get which connection is nothing that a "
                      "replay of the loop knows; make the pool larger and record again",
                      a->change->text);
  struct text nearest;
  text_init(&nearest);
  loop_meant_nearest(&nearest, a->turns, name);
  enum status status = asker_fail(
      a->asker, STATUS_USAGE, "--change '%s': no callback that ran is called %s; such as %s",
      a->change->text, name, nearest.length == 0 ? "none" : text_get(&nearest));
  text_clear(&nearest);
  return status;
}

/* --- rows ------------------------------------------------------------------------------------- */

static double factor_of(const struct applying *a, int64_t run) {
  const struct request_change *change = a->change;
  double value = rational_double(&change->value);
  if (change->kind == CHANGE_SCALE)
    return value;
  return run <= 0 || (double)run + value <= 0 ? 0 : ((double)run + value) / (double)run;
}

static void change_run(struct applying *a, uint32_t row) {
  struct loop_changes *changes = a->changes;
  if (a->change->kind == CHANGE_SPLIT)
    changes->split[row] = (uint32_t)a->change->number;
  else if (a->change->kind == CHANGE_OFFLOAD)
    changes->offload[row] = 1;
  else
    changes->own[row] *= factor_of(a, a->run[row]);
}

static void change_wait(struct applying *a, uint32_t row) {
  int64_t wait = loop_threads_wait(a->threads, a->turns, row) + a->changes->io[row];
  double value = rational_double(&a->change->value);
  if (wait <= 0)
    return;
  a->changes->io[row] +=
      a->change->kind == CHANGE_SCALE ? (int64_t)((double)wait * (value - 1)) : (int64_t)value;
}

/* --- at most ---------------------------------------------------------------------------------- */

typedef VECTOR(int64_t) time_list;

/* What the row takes, with the changes before this one. */
static int64_t taken(const struct applying *a, uint32_t row, bool waits) {
  return waits ? loop_threads_wait(a->threads, a->turns, row) + a->changes->io[row]
               : (int64_t)((double)a->run[row] * a->changes->own[row]);
}

static void limit_row(struct applying *a, uint32_t row, bool waits, int64_t most,
                      const time_list *others, struct random *random) {
  int64_t now = taken(a, row, waits), then = most;
  if (now <= most)
    return;
  if (others->count != 0)
    then = others->data[random_below(random, others->count)];
  if (waits)
    a->changes->io[row] += then - now;
  else
    a->changes->own[row] *= (double)then / (double)now;
}

/* Of the rows, in their order. */
static void limit_rows(struct applying *a, const uint32_t *rows, size_t count, bool waits) {
  time_list others = {0};
  struct random random = {1};
  int64_t most = (int64_t)rational_double(&a->change->value);
  for (size_t i = 0; i < count; i++) {
    int64_t now = taken(a, rows[i], waits);
    if (now > 0 && now <= most)
      vector_push(&others, now);
  }
  for (size_t i = 0; i < count; i++)
    limit_row(a, rows[i], waits, most, &others, &random);
  vector_clear(&others);
}

static enum status change_rows(struct applying *a, const struct loop_meant *meant) {
  VECTOR(uint32_t) rows = {0};
  for (uint32_t row = 0; row < a->log->begin.count; row++) {
    if (meant->rows[row] == 0)
      continue;
    a->changes->named[row] |= meant->waits;
    if (a->change->kind == CHANGE_MOST)
      vector_push(&rows, row);
    else if (meant->waits)
      change_wait(a, row);
    else
      change_run(a, row);
  }
  limit_rows(a, rows.data, rows.count, meant->waits);
  vector_clear(&rows);
  return STATUS_OK;
}

/* Callbacks and waits. */
static enum status change_callbacks(struct applying *a, const char *name, bool time) {
  struct loop_meant meant;
  enum status status;
  loop_meant_find(&meant, a->turns, a->run, name);
  a->affected.count = meant.count;
  if (meant.count == 0)
    status = refuse_name(a, name);
  else if (meant.waits && !time)
    status =
        asker_fail(a->asker, STATUS_USAGE,
                   "--change '%s': waits can be shorter or longer, as in io: *0.5 or io: at most "
                   "5 ms",
                   a->change->text);
  else
    status = change_rows(a, &meant);
  a->affected.partly = meant.partly;
  text_init(&meant.partly.callback);
  loop_meant_clear(&meant);
  return status;
}

/* --- pauses ----------------------------------------------------------------------------------- */

/* The compilations of one file. */
static enum status leave_out(struct applying *a, uint32_t file) {
  const struct request_change *change = a->change;
  if (change->kind != CHANGE_SCALE || rational_sign(&change->value) != 0)
    return asker_fail(a->asker, STATUS_USAGE,
                      "--change '%s': compilations of one file can be left out (*0); compile: *0.5 "
                      "is of all",
                      change->text);
  for (size_t i = 0; i < a->log->pauses.count; i++)
    if (a->log->pauses.data[i].kind == EVENT_PAUSE_COMPILE && a->log->pauses.data[i].name == file) {
      a->changes->unpaused[i] = 1;
      a->affected.count++;
    }
  return STATUS_OK;
}

static enum status change_pauses(struct applying *a, unsigned kinds) {
  struct loop_changes *changes = a->changes;
  const struct request_change *change = a->change;
  if (change->kind != CHANGE_SCALE && change->kind != CHANGE_RARER)
    return asker_fail(
        a->asker, STATUS_USAGE,
        "--change '%s': collections can be shorter (gc: *0.65) or rarer (gc: rarer 2)",
        change->text);
  if (change->kind == CHANGE_RARER && change->number > RARER_MOST)
    return asker_fail(a->asker, STATUS_USAGE, "--change '%s': at most rarer %d; gc: *0 is never",
                      change->text, (int)RARER_MOST);
  for (unsigned k = 0; k < LOOP_PAUSES; k++) {
    if ((kinds >> k & 1) == 0)
      continue;
    if (change->kind == CHANGE_SCALE)
      changes->scenario.pause[k] *= rational_double(&change->value);
    else
      changes->scenario.rarer[k] = (uint32_t)change->number;
  }
  if (change->kind == CHANGE_RARER && change->number > changes->repetitions)
    changes->repetitions = (uint32_t)change->number;
  for (size_t i = 0; i < a->log->pauses.count; i++)
    a->affected.count += kinds >> a->log->pauses.data[i].kind & 1;
  return a->affected.count != 0
             ? STATUS_OK
             : asker_fail(a->asker, STATUS_USAGE, "--change '%s': none is recorded in this log",
                          change->text);
}

/* --- all of it -------------------------------------------------------------------------------- */

static enum status apply(struct applying *a) {
  const struct request_change *change = a->change;
  const char *name = change->name;
  if (change->kind == CHANGE_PROCESSES) {
    a->changes->scenario.processes = (uint32_t)change->number;
    a->affected.count = a->log->loops.count;
    return STATUS_OK;
  }
  bool time =
      change->kind == CHANGE_SCALE || change->kind == CHANGE_SHIFT || change->kind == CHANGE_MOST;
  if (!time && change->kind < CHANGE_SPLIT)
    return asker_fail(
        a->asker, STATUS_USAGE,
        "--change '%s' is of traces; of an event log NAME: *0.5, NAME: - 2 ms, NAME: "
        "at most 2 ms, NAME: split 4, NAME: offload, gc: rarer 2, io NAME: *0.5, processes: 2",
        change->text);
  uint32_t file;
  unsigned pauses = loop_pauses_meant(a->log, name, &file);
  if (pauses != 0)
    return file != 0 ? leave_out(a, file) : change_pauses(a, pauses);
  if (change->kind == CHANGE_RARER)
    return asker_fail(a->asker, STATUS_USAGE,
                      "--change '%s': only collections can be rarer, as in gc: rarer 2",
                      change->text);
  if (change->kind == CHANGE_SPLIT && change->number > PIECES_MOST)
    return asker_fail(a->asker, STATUS_USAGE, "--change '%s': into at most %d pieces", change->text,
                      (int)PIECES_MOST);
  return change_callbacks(a, name, time);
}

static enum status read_one(struct applying *a, const char *text) {
  struct request_change change;
  struct text message;
  text_init(&message);
  enum status status = change_parse(&change, text, &message);
  if (status == STATUS_OK) {
    a->change = &change;
    a->affected = (struct loop_affected){0};
    text_init(&a->affected.partly.callback);
    status = apply(a);
    vector_push(&a->changes->affected, a->affected);
    change_clear(&change);
  } else {
    asker_fail(a->asker, status, "--change '%s', %s", text, text_get(&message));
  }
  text_clear(&message);
  return status;
}

static void init(struct loop_changes *changes, size_t rows, size_t pauses) {
  *changes = (struct loop_changes){.scenario = loop_scenario_none(),
                                   .own = mem_alloc(rows, sizeof(double)),
                                   .io = mem_alloc(rows, sizeof(int64_t)),
                                   .split = mem_alloc(rows, sizeof(uint32_t)),
                                   .offload = mem_alloc(rows, 1),
                                   .unpaused = mem_alloc(pauses + 1, 1),
                                   .named = mem_alloc(rows, 1),
                                   .repetitions = 1};
  for (size_t i = 0; i < rows; i++)
    changes->own[i] = 1;
  changes->scenario.own = changes->own;
  changes->scenario.io = changes->io;
  changes->scenario.split = changes->split;
  changes->scenario.offload = changes->offload;
  changes->scenario.unpaused = changes->unpaused;
}

enum status loop_changes_check(const struct loop_changes *changes, const struct loop_turns *turns,
                               const struct asker *asker) {
  if (loop_units_most(turns, &changes->scenario) < UNIT_NONE)
    return STATUS_OK;
  return asker_fail(asker, STATUS_USAGE,
                    "--change: %zu turns of the loop, so cut and on so many processes, are more "
                    "than %u; give fewer pieces or processes, or a shorter log",
                    turns->kept.count, UNIT_NONE - 1);
}

enum status loop_changes_read(struct loop_changes *changes, const struct loop_turns *turns,
                              const struct loop_threads *threads, const char *const *texts,
                              size_t count, const struct asker *asker) {
  size_t rows = turns->log->begin.count;
  init(changes, rows, turns->log->pauses.count);
  struct applying a = {.changes = changes,
                       .turns = turns,
                       .threads = threads,
                       .log = turns->log,
                       .asker = asker,
                       .run = loop_own_execution(turns)};
  enum status status = STATUS_OK;
  for (size_t i = 0; i < count && status == STATUS_OK; i++)
    status = read_one(&a, texts[i]);
  if (status == STATUS_OK)
    status = loop_changes_check(changes, turns, asker);
  mem_free(a.run);
  return status;
}

void loop_changes_clear(struct loop_changes *changes) {
  mem_free(changes->own);
  mem_free(changes->io);
  mem_free(changes->split);
  mem_free(changes->offload);
  mem_free(changes->unpaused);
  mem_free(changes->named);
  for (size_t i = 0; i < changes->affected.count; i++)
    text_clear(&changes->affected.data[i].partly.callback);
  vector_clear(&changes->affected);
  *changes = (struct loop_changes){0};
}

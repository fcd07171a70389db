/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a profile of google/pprof says of itself: which of its values is the weight, of what, when it
 * was taken, and what our comment says; and what is in it that a profile has no place for.
 */
#include <string.h>

#include "base/shown.h"
#include "base/wire.h"
#include "trace/stacks/order.h"
#include "trace/stacks/pprof_reader.h"
#include "trace/stacks/values.h"

static uint64_t sum(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static const uint32_t type_fields[4] = {TYPE_TYPE, TYPE_UNIT, UINT32_MAX, UINT32_MAX};

static struct pprof_row pprof_type_of(const struct pprof_reader *reader, size_t value) {
  return pprof_row_of(reader->types.data[value], type_fields);
}

/* Whether our comment says that samples are the weight. */
static bool says_samples(const struct pprof_reader *reader) {
  for (size_t i = 0; i < reader->comments.count; i++) {
    struct slice comment = pprof_string(reader, reader->comments.data[i]);
    if (slice_starts(comment, PPROF_COMMENT " ") && slice_holds(comment, " unit=0"))
      return true;
  }
  return false;
}

/* The value that counts is the one that the user names; of our own files what was the weight; else
 * the default one, or the last, as with `go tool pprof`. */
static void find_value(struct pprof_reader *reader) {
  const char *wanted = reader->intake->reading->event;
  bool samples = says_samples(reader), found = false;
  reader->value = reader->types.count == 0 ? 0 : reader->types.count - 1;
  reader->counter = SIZE_MAX;
  for (size_t i = 0; i < reader->types.count; i++) {
    struct slice name = pprof_string(reader, pprof_type_of(reader, i).id);
    bool is = wanted != NULL ? slice_is(name, wanted)
              : samples      ? slice_is(name, "samples")
                             : reader->default_type != 0 &&
                              pprof_type_of(reader, i).id == reader->default_type;
    reader->value = is ? i : reader->value;
    found |= is;
    if (slice_is(name, "samples"))
      reader->counter = i;
  }
  if (wanted == NULL || found)
    return;
  reader->missing = true;
  text_format(reader->intake->message, "%s: has no value %s; it has", reader->intake->lines->name,
              wanted);
  for (size_t i = 0; i < reader->types.count && i < VALUES_MOST; i++) {
    text_append(reader->intake->message, i == 0 ? " " : ", ");
    struct slice name = pprof_string(reader, pprof_type_of(reader, i).id);
    shown_append(reader->intake->message, name.start, name.length);
  }
}

/* The others go along, where this is the first file. */
static void place_values(struct pprof_reader *reader) {
  struct stack_profile *profile = reader->intake->profile;
  bool first = profile->nodes.count == 1 && profile->total == 0;
  if (!first)
    stack_values_clear(profile);
  for (size_t i = 0; i < VALUES_MOST; i++) {
    reader->places[i] = SIZE_MAX;
    if (!first || i >= reader->types.count || i == reader->value)
      continue;
    struct pprof_row row = pprof_type_of(reader, i);
    reader->places[i] =
        stack_value_find(profile, pprof_string(reader, row.id), pprof_string(reader, row.a));
  }
  reader->unread.values |= reader->types.count > (first ? VALUES_MOST : 1);
}

/* False: the value that is wanted is not there. */
bool pprof_choose_value(struct pprof_reader *reader) {
  struct stack_profile *profile = reader->intake->profile;
  struct slice name, unit = {"", 0}, chosen = {"", 0};
  find_value(reader);
  if (reader->missing)
    return false;
  place_values(reader);
  if (reader->types.count != 0) {
    struct pprof_row row = pprof_type_of(reader, reader->value);
    chosen = pprof_string(reader, row.id);
    unit = pprof_string(reader, row.a);
  }
  name = chosen;
  if (profile->nodes.count > 1 || profile->total != 0)
    return true; /* of a file before this one */
  profile->unit = slice_is(unit, "nanoseconds") ? STACK_NANOSECONDS
                  : slice_is(name, "samples")   ? STACK_SAMPLES
                  : slice_is(unit, "unknown")   ? STACK_WEIGHTS
                                                : STACK_PERIODS;
  bool clock = slice_is(name, "cpu") || slice_is(name, "samples");
  if (profile->unit == STACK_PERIODS || (profile->unit == STACK_NANOSECONDS && !clock))
    profile->event = names_number(&profile->names, name);
  if (profile->unit == STACK_PERIODS && !slice_is(unit, "count"))
    profile->measure = names_number(&profile->names, unit);
  return true;
}

/* One `name=number` of our comment. */
static void take_count(struct pprof_reader *reader, struct slice word) {
  struct stack_profile *profile = reader->intake->profile;
  struct {
    const char *name;
    uint64_t *to;
  } const counts[] = {{"count=", &reader->count},
                      {"lost=", &profile->lost},
                      {"throttled=", &profile->throttled},
                      {"pruned=", &profile->pruned},
                      {"unseen=", &profile->unseen},
                      {"heaviest=", &reader->heaviest},
                      {"rate=", &reader->rate},
                      {"assumed=", &reader->assumed},
                      {"torn=", &reader->torn}};
  uint64_t number;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    size_t length = strlen(counts[i].name);
    if (word.length > length && memcmp(word.start, counts[i].name, length) == 0 &&
        stack_number((struct slice){word.start + length, word.length - length}, &number))
      *counts[i].to = i == 0 || i > 4 ? number : sum(*counts[i].to, number);
  }
  if (word.length > 6 && memcmp(word.start, "event=", 6) == 0 && profile->event == 0)
    profile->event = names_number(&profile->names, (struct slice){word.start + 6, word.length - 6});
  struct slice start = {word.start + 6, word.length - 6}, end = {word.start + 4, word.length - 4};
  if (word.length > 6 && memcmp(word.start, "start=", 6) == 0 && stack_number(start, &number))
    profile->start = (int64_t)number;
  if (word.length > 4 && memcmp(word.start, "end=", 4) == 0 && stack_number(end, &number))
    profile->end = (int64_t)number;
}

static void take_comments(struct pprof_reader *reader) {
  for (size_t i = 0; i < reader->comments.count; i++) {
    struct slice comment = pprof_string(reader, reader->comments.data[i]), word;
    if (!slice_field(&word, &comment, ' ') || !slice_is(word, PPROF_COMMENT)) {
      reader->unread.comments = true;
      continue;
    }
    reader->counted = true;
    while (slice_field(&word, &comment, ' '))
      take_count(reader, word);
  }
}

static void say_left_out(struct pprof_reader *reader) {
  const struct pprof_unread *unread = &reader->unread;
  const struct {
    bool is;
    const char *what;
  } parts[] = {{unread->lines, "numbers of lines"},
               {unread->addresses && !reader->counted, "addresses"},
               {unread->filters, "patterns of frames"},
               {unread->comments, "comments"},
               {unread->values, "some of the values"}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i].is)
      stack_left_out(reader->intake->profile, parts[i].what);
  struct text labels = {0};
  for (size_t i = 0; i < unread->key_count; i++) {
    text_append(&labels, i == 0 ? "labels (" : ", ");
    shown_append(&labels, unread->keys[i].start, unread->keys[i].length);
  }
  text_append(&labels, unread->key_count == KEYS_MOST ? ", ...)" : ")");
  if (unread->key_count != 0)
    stack_left_out(reader->intake->profile, text_get(&labels));
  text_clear(&labels);
}

/* When it was, and for how long; our own files have their period from the rate. */
static void take_recording(struct pprof_reader *reader) {
  uint64_t time = reader->time, duration = reader->duration, period = reader->period;
  struct stack_profile *profile = reader->intake->profile;
  struct pprof_row row = pprof_row_of(reader->period_type, type_fields);
  if (profile->start > 0 && time > (uint64_t)profile->start && time <= INT64_MAX)
    profile->realtime = (int64_t)time - profile->start;
  else
    profile->time = time <= INT64_MAX ? (int64_t)time : 0;
  profile->duration = profile->end > profile->start || duration > INT64_MAX ? 0 : duration;
  profile->period = period <= INT64_MAX ? period : 0;
  profile->period_type = names_number(&profile->names, pprof_string(reader, row.id));
  profile->period_unit = names_number(&profile->names, pprof_string(reader, row.a));
}

static uint64_t time_of(uint64_t samples, uint64_t rate) {
  double ns = (double)samples * 1e9 / (double)rate;
  return ns < 0x1p63 ? (uint64_t)ns : INT64_MAX;
}

void pprof_conclude(struct pprof_reader *reader, size_t before, bool first) {
  struct stack_profile *profile = reader->intake->profile;
  take_comments(reader);
  profile->count = sum(profile->count, reader->count);
  profile->heaviest = reader->heaviest > profile->heaviest ? reader->heaviest : profile->heaviest;
  profile->assumed |= reader->assumed != 0;
  profile->torn |= reader->torn != 0;
  profile->rate = first && reader->rate <= UINT32_MAX ? (uint32_t)reader->rate : 0;
  if (reader->rate != 0 && profile->unit == STACK_NANOSECONDS && says_samples(reader)) {
    profile->unseen = time_of(profile->unseen, reader->rate); /* the comment speaks of samples */
    profile->pruned = time_of(profile->pruned, reader->rate);
    profile->heaviest = time_of(1, reader->rate);
    profile->rate = 0;
  }
  if (reader->untimed && !reader->counted)
    profile->samples.count = before;
  if (!first)
    profile->samples.count = 0; /* moments of two files need not be of one clock */
  if (first)
    take_recording(reader);
  if (profile->samples.count != 0) /* the writer computes these of moments */
    stack_value_drop(profile, profile->unit == STACK_SAMPLES ? "cpu" : "samples",
                     profile->unit == STACK_SAMPLES ? "nanoseconds" : "count");
  say_left_out(reader);
  stack_samples_sort(profile);
}

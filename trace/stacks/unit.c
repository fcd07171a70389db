/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/unit.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "measure/profile/tpp_format.h"
#include "trace/stacks/readers.h"

/* A day at 99 a second on one processor has 8.6 million. */
static const uint64_t TAKEN_MOST = 10000000;
static const double CHANCE_LEAST = 1e-3;

bool stack_weight_parse(struct stack_weight *weight, const char *text) {
  static const struct {
    const char *word;
    uint64_t multiply;
  } times[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
  *weight = (struct stack_weight){.said = true, .multiply = 1, .sample = 1};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++)
    if (strcmp(text, times[i].word) == 0) {
      weight->time = true;
      weight->multiply = times[i].multiply;
      return true;
    }
  return strcmp(text, "samples") == 0 ||
         (stack_number((struct slice){text, strlen(text)}, &weight->sample) && weight->sample != 0);
}

/* --- in words --- */

static struct slice measure_of(const struct stack_profile *profile) {
  return profile->names.texts.data[profile->measure];
}

static struct slice event_of(const struct stack_profile *profile) {
  return profile->names.texts.data[profile->event];
}

bool stack_unit_is_processor_time(const struct stack_profile *profile) {
  struct slice event = event_of(profile);
  return event.length == 0 || slice_starts(event, "cpu-clock") ||
         slice_starts(event, "task-clock") || slice_is(event, "cpu") || slice_is(event, "samples");
}

bool stack_unit_is_waiting(const struct stack_profile *profile) {
  return profile->unit == STACK_NANOSECONDS && slice_is(event_of(profile), TPP_WAITING);
}

bool stack_unit_is_preempted(const struct stack_profile *profile, uint32_t node) {
  uint32_t frame = profile->nodes.data[node].frame;
  return frame != STACK_NONE &&
         slice_is(profile->names.texts.data[profile->frames.data[frame].function], TPP_PREEMPTED);
}

void stack_unit_append(struct text *text, const struct stack_profile *profile) {
  struct slice event = event_of(profile), measure = measure_of(profile);
  bool named = event.length != 0;
  switch (profile->unit) {
  case STACK_SAMPLES:
    text_append(text, "samples");
    return;
  case STACK_WEIGHTS:
    text_append(text, "units of an unknown kind");
    return;
  case STACK_NANOSECONDS:
    if (stack_unit_is_waiting(profile)) {
      text_append(text, "ns of waiting (off-cpu)");
      return;
    }
    named = !stack_unit_is_processor_time(profile);
    text_append(text, named ? "ns of " : "ns of processor time");
    break;
  case STACK_PERIODS:
    text_append_bytes(text, measure.start, measure.length);
    text_append(text, measure.length != 0 ? named ? " of " : "" : named ? "" : "events");
  }
  if (named)
    text_append_bytes(text, event.start, event.length);
}

const char *stack_unit_time(const struct stack_profile *profile) {
  return stack_unit_is_processor_time(profile) ? "cpu"
                                               : names_text(&profile->names, profile->event);
}

bool stack_unit_same(const struct stack_profile *a, const struct stack_profile *b) {
  bool same_event = slice_same(event_of(a), event_of(b));
  if (a->unit != b->unit)
    return false;
  if (a->unit == STACK_NANOSECONDS)
    return same_event || (stack_unit_is_processor_time(a) && stack_unit_is_processor_time(b));
  return a->unit != STACK_PERIODS || (same_event && slice_same(measure_of(a), measure_of(b)));
}

/* --- as a comment --- */

static const char *const unit_words[] = {
    [STACK_SAMPLES] = "samples",
    [STACK_NANOSECONDS] = "ns",
    [STACK_PERIODS] = "periods",
    [STACK_WEIGHTS] = "unknown",
};

static bool is_word(struct slice text) {
  for (size_t i = 0; i < text.length; i++)
    if ((unsigned char)text.start[i] <= ' ' || text.start[i] == 0x7f)
      return false;
  return text.length != 0;
}

void stack_unit_write(const struct stack_profile *profile, struct text *text) {
  const struct {
    const char *name;
    uint64_t value;
  } numbers[] = {
      {"samples", profile->count}, {"heaviest", profile->heaviest},   {"rate", profile->rate},
      {"lost", profile->lost},     {"throttled", profile->throttled}, {"pruned", profile->pruned},
      {"unseen", profile->unseen}, {"assumed", profile->assumed},     {"torn", profile->torn},
  };
  struct slice event = event_of(profile);
  text_format(text, "# unit=%s", unit_words[profile->unit]);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i].value != 0)
      text_format(text, " %s=%" PRIu64, numbers[i].name, numbers[i].value);
  if (is_word(event)) {
    text_append(text, " event=");
    text_append_bytes(text, event.start, event.length);
  }
  struct slice measure = measure_of(profile);
  if (is_word(measure)) {
    text_append(text, " measure=");
    text_append_bytes(text, measure.start, measure.length);
  }
  text_append(text, "\n");
}

static bool take_unit(struct stack_unit_line *said, struct slice word) {
  for (size_t i = 0; i < sizeof unit_words / sizeof *unit_words; i++)
    if (slice_is(word, unit_words[i])) {
      said->unit = (enum stack_unit)i;
      return true;
    }
  return false;
}

static void take_word(struct stack_unit_line *said, struct slice word) {
  uint64_t rate = 0, assumed = 0, torn = 0;
  const struct {
    const char *name;
    uint64_t *value;
  } numbers[] = {
      {"samples=", &said->samples},
      {"heaviest=", &said->heaviest},
      {"rate=", &rate},
      {"lost=", &said->lost},
      {"pruned=", &said->pruned},
      {"throttled=", &said->throttled},
      {"unseen=", &said->unseen},
      {"assumed=", &assumed},
      {"torn=", &torn},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    size_t length = strlen(numbers[i].name);
    if (slice_starts(word, numbers[i].name))
      stack_number((struct slice){word.start + length, word.length - length}, numbers[i].value);
  }
  if (slice_starts(word, "event="))
    said->event = (struct slice){word.start + 6, word.length - 6};
  if (slice_starts(word, "measure="))
    said->measure = (struct slice){word.start + 8, word.length - 8};
  said->rate = rate != 0 && rate <= UINT32_MAX ? (uint32_t)rate : said->rate;
  said->assumed |= assumed != 0;
  said->torn |= torn != 0;
}

bool stack_unit_read(struct stack_unit_line *said, struct slice line) {
  struct slice word;
  *said = (struct stack_unit_line){.event = {"", 0}, .measure = {"", 0}};
  if (!slice_starts(line, "# unit=") || !slice_field(&word, &line, ' ') ||
      !slice_field(&word, &line, ' ') ||
      !take_unit(said, (struct slice){word.start + 5, word.length - 5}))
    return false;
  while (slice_field(&word, &line, ' '))
    take_word(said, word);
  return true;
}

/* --- whether numbers may be samples --- */

static uint64_t common_divisor(uint64_t a, uint64_t b) {
  while (b != 0) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

void stack_numbers_add(struct stack_numbers *numbers, uint64_t number) {
  if (number == 0)
    return;
  numbers->stacks++;
  if (numbers->divisor != 1)
    numbers->divisor = common_divisor(number, numbers->divisor);
  numbers->total = numbers->total > UINT64_MAX - number ? UINT64_MAX : numbers->total + number;
}

/* The sum of d^-k over all d >= g, from above, is g^-k + g^(1-k) / (k-1). */
enum stack_numbers_kind stack_numbers_judge(const struct stack_numbers *numbers) {
  double g = (double)numbers->divisor, k = (double)numbers->stacks;
  if (numbers->total > TAKEN_MOST)
    return NUMBERS_OF_OTHER;
  if (numbers->stacks < 2 || numbers->divisor < 2)
    return NUMBERS_OF_SAMPLES;
  return pow(g, -k) + pow(g, 1 - k) / (k - 1) < CHANCE_LEAST ? NUMBERS_OF_OTHER : NUMBERS_DOUBTFUL;
}

struct stack_unit_line stack_numbers_say(const struct stack_numbers *numbers,
                                         const struct stack_weight *weight) {
  enum stack_numbers_kind kind = stack_numbers_judge(numbers);
  struct stack_unit_line said = {.unit = STACK_SAMPLES, .event = {"", 0}};
  if (weight->said && weight->time) {
    said.unit = STACK_NANOSECONDS;
  } else if (weight->said) {
    said.unit = weight->sample == 1 ? STACK_SAMPLES : STACK_PERIODS;
    said.samples = numbers->total / weight->sample;
    said.heaviest = weight->sample;
  } else if (kind == NUMBERS_OF_OTHER) {
    said.unit = STACK_WEIGHTS;
  } else {
    said.assumed = true;
    said.samples = kind == NUMBERS_DOUBTFUL ? 0 : numbers->total;
    said.heaviest = kind == NUMBERS_DOUBTFUL ? 0 : 1;
  }
  return said;
}

static uint64_t sum(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

bool stack_unit_take(struct stack_profile *profile, const struct stack_unit_line *said,
                     uint64_t before) {
  bool first = before == 0, counted = said->samples != 0 && (first || profile->count != 0);
  if (!first && said->unit != profile->unit)
    return false;
  profile->unit = said->unit;
  profile->count = counted ? sum(profile->count, said->samples) : 0;
  profile->heaviest = said->heaviest > profile->heaviest ? said->heaviest : profile->heaviest;
  profile->assumed |= said->assumed;
  profile->torn |= said->torn;
  profile->rate = first || profile->rate == said->rate ? said->rate : 0;
  if (first) {
    profile->event = names_number(&profile->names, said->event);
    profile->measure = names_number(&profile->names, said->measure);
  }
  return true;
}

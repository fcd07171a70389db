/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads folded stacks. Lines are mostly sorted, so that a line begins as the one before it did: the
 * frames that both have are not looked up again.
 */
#include <string.h>

#include "base/decimal.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/known.h"
#include "trace/stacks/readers.h"

/* A frame of the line before: where its text ends, and its node. */
struct folded_step {
  size_t end;
  uint32_t node;
};

struct folded_reader {
  struct stack_intake *intake;
  struct stack_unit_line said; /* by the file, of all of it */
  bool says;
  struct stack_numbers numbers;
  uint64_t lines, pairs; /* stacks, and those that have two numbers behind them */
  uint64_t samples;      /* that its comments say; UINT64_MAX: one does not */
  struct text before;    /* the stack of the line before */
  VECTOR(struct folded_step) steps;
};

bool stack_number(struct slice digits, uint64_t *number) {
  uint64_t value = 0;
  for (size_t i = 0; i < digits.length; i++) {
    unsigned digit = (unsigned)(unsigned char)digits.start[i] - '0';
    if (digit > 9 || value > (UINT64_MAX - digit) / 10)
      return false;
    value = value * 10 + digit;
  }
  *number = value;
  return digits.length != 0;
}

/* 12, or 1.5 */
static bool is_decimal(struct slice text) {
  size_t digits = 0, points = 0;
  for (size_t i = 0; i < text.length; i++) {
    bool digit = text.start[i] >= '0' && text.start[i] <= '9';
    if (!digit && (text.start[i] != '.' || points != 0))
      return false;
    digits += digit;
    points += !digit;
  }
  return digits != 0;
}

bool stack_folded_split(struct slice line, struct slice *stack, struct slice *number) {
  size_t space = line.length;
  while (space > 0 && line.start[space - 1] != ' ')
    space--;
  if (space == 0)
    return false;
  *stack = (struct slice){line.start, space - 1};
  *number = (struct slice){line.start + space, line.length - space};
  return is_decimal(*number);
}

static size_t common(const char *a, const char *b, size_t most) {
  size_t i = 0;
  for (; i + 8 <= most; i += 8)
    if (memcmp(a + i, b + i, 8) != 0)
      break;
  while (i < most && a[i] == b[i])
    i++;
  return i;
}

/* Keeps the frames that the stack has in common with the one before; where the next one begins. */
static size_t keep_common(struct folded_reader *reader, struct slice stack) {
  size_t least = reader->before.length < stack.length ? reader->before.length : stack.length;
  size_t same = least == 0 ? 0 : common(reader->before.data, stack.start, least);
  size_t kept = reader->steps.count;
  for (; kept > 0; kept--) {
    size_t end = reader->steps.data[kept - 1].end;
    if (end < same || (end == same && (end == stack.length || stack.start[end] == ';')))
      break;
  }
  reader->steps.count = kept;
  return kept == 0 ? 0 : reader->steps.data[kept - 1].end + 1;
}

static uint32_t frame_of(struct stack_profile *profile, struct slice name) {
  struct stack_frame frame = {.kind = stack_frame_unmark(&name)};
  frame.function = names_number(&profile->names, name);
  return stack_profile_frame(profile, &frame);
}

static uint32_t node_of(struct folded_reader *reader, struct slice stack) {
  struct stack_profile *profile = reader->intake->profile;
  size_t at = keep_common(reader, stack);
  size_t kept = at < stack.length ? at : stack.length; /* one more where nothing follows */
  uint32_t node = reader->steps.count == 0 ? 0 : reader->steps.data[reader->steps.count - 1].node;
  while (at < stack.length) {
    const char *end = memchr(stack.start + at, ';', stack.length - at);
    size_t length = end == NULL ? stack.length - at : (size_t)(end - stack.start) - at;
    node = stack_profile_node(profile, node,
                              frame_of(profile, (struct slice){stack.start + at, length}));
    vector_push(&reader->steps, (struct folded_step){at + length, node});
    at += length + 1;
  }
  reader->before.length = reader->before.length < kept ? reader->before.length : kept;
  text_append_bytes(&reader->before, stack.start + reader->before.length,
                    stack.length - reader->before.length);
  return node;
}

/* The node of a stack that may have been in a file before this one. */
static uint32_t known_node_of(struct folded_reader *reader, struct slice stack) {
  struct stack_known *known = reader->intake->reading->known;
  if (known == NULL)
    return node_of(reader, stack);
  uint64_t hash = 0;
  uint32_t node = stack_known_find(known, stack, &hash);
  if (node == UINT32_MAX) {
    node = node_of(reader, stack);
    stack_known_add(known, stack, hash, node);
  }
  return node;
}

static uint64_t sum(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Files that were put behind each other say it several times, and must say the same. */
static enum status take_unit(struct folded_reader *reader, const struct stack_unit_line *said) {
  struct stack_profile *profile = reader->intake->profile;
  struct stack_unit_line *first = &reader->said;
  bool same = first->unit == said->unit && first->event.length == said->event.length &&
              (said->event.length == 0 ||
               memcmp(first->event.start, said->event.start, said->event.length) == 0);
  if (reader->says ? !same : reader->numbers.stacks != 0)
    return stack_intake_fail(reader->intake,
                             "this comment says of what the numbers are, and those before it are "
                             "of something else, or do not say it; read the parts one by one");
  if (!reader->says) {
    uint32_t event = names_number(&profile->names, said->event);
    *first = *said;
    first->event = profile->names.texts.data[event];
  }
  first->heaviest = said->heaviest > first->heaviest ? said->heaviest : first->heaviest;
  first->assumed |= said->assumed;
  first->torn |= said->torn;
  first->rate = first->rate == said->rate ? said->rate : 0;
  reader->samples = said->samples == 0 ? UINT64_MAX : sum(reader->samples, said->samples);
  reader->says = true;
  profile->lost = sum(profile->lost, said->lost);
  profile->throttled = sum(profile->throttled, said->throttled);
  profile->pruned = sum(profile->pruned, said->pruned);
  profile->unseen = sum(profile->unseen, said->unseen);
  return STATUS_OK;
}

static enum status fail_count(struct folded_reader *reader) {
  return stack_intake_fail(reader->intake,
                           "no whole number stands behind the last space; a folded stack is "
                           "`outer;inner COUNT`");
}

enum status stack_intake_weigh(struct stack_intake *intake, uint64_t *number) {
  const struct stack_weight *weight = &intake->reading->weight;
  if (!weight->said)
    return STATUS_OK;
  if (*number % weight->sample != 0)
    return stack_intake_fail(intake,
                             "%llu is no multiple of %llu, which --weight says is one sample",
                             (unsigned long long)*number, (unsigned long long)weight->sample);
  if (weight->time && *number > UINT64_MAX / weight->multiply)
    return stack_intake_fail(intake, "is longer than 584 years; check --weight");
  *number *= weight->time ? weight->multiply : 1;
  return STATUS_OK;
}

static int decimals_of(uint64_t multiply) {
  int decimals = 0;
  for (; multiply > 1; multiply /= 10)
    decimals++;
  return decimals;
}

/* A time in ns, rounded down, or the number as it is: that has to be a whole one. */
static enum status take_number(struct folded_reader *reader, struct slice text, uint64_t *number) {
  const struct stack_weight *weight = &reader->intake->reading->weight;
  uint64_t upper;
  if (stack_number(text, number))
    return reader->says ? STATUS_OK : stack_intake_weigh(reader->intake, number);
  bool time = weight->said && weight->time && !reader->says;
  int shift = time ? decimals_of(weight->multiply) : 0;
  if (decimal_range(number, &upper, NULL, text, shift) != DECIMAL_OK)
    return stack_intake_fail(reader->intake, "the number is too large");
  if (time)
    return STATUS_OK;
  if (*number != upper)
    return stack_intake_fail(reader->intake,
                             "%.*s is no whole number; if it is a time say its unit: --weight ms "
                             "(or ns, us, s)",
                             (int)(text.length > 40 ? 40 : text.length), text.start);
  return reader->says ? STATUS_OK : stack_intake_weigh(reader->intake, number);
}

static enum status take(struct folded_reader *reader, struct slice line) {
  struct slice stack, number, rest, other;
  struct stack_unit_line said;
  uint64_t count;
  if (line.length == 0)
    return STATUS_OK;
  if (line.start[0] == '#' && stack_unit_read(&said, line))
    return take_unit(reader, &said);
  if (!stack_folded_split(line, &stack, &number))
    return line.start[0] == '#' ? STATUS_OK : fail_count(reader);
  enum status status = take_number(reader, number, &count);
  if (status != STATUS_OK)
    return status;
  reader->lines++;
  reader->pairs += stack_folded_split(stack, &rest, &other);
  stack_profile_add(reader->intake->profile, known_node_of(reader, stack), count);
  stack_numbers_add(&reader->numbers, count);
  return STATUS_OK;
}

/* --- what the numbers are --- */

/* What the file says of itself. */
static struct stack_unit_line said_by_file(const struct folded_reader *reader) {
  struct stack_unit_line said = reader->said;
  said.samples = reader->samples == UINT64_MAX ? 0 : reader->samples;
  if (said.unit == STACK_SAMPLES && said.samples != 0) /* also after some lines were taken out */
    said.samples = said.heaviest > 1 ? said.samples : reader->numbers.total;
  return said;
}

static enum status conclude(struct folded_reader *reader, uint64_t before) {
  struct stack_profile *profile = reader->intake->profile;
  struct stack_unit_line said =
      reader->says ? said_by_file(reader)
                   : stack_numbers_say(&reader->numbers, &reader->intake->reading->weight);
  if (reader->lines != 0 && reader->pairs == reader->lines) {
    text_format(reader->intake->message,
                "%s: has two numbers behind each stack, as difffolded.pl writes of two profiles; "
                "give the two to `tailproof profile diff BEFORE AFTER`",
                reader->intake->lines->name);
    return STATUS_DATA;
  }
  if (reader->numbers.total == 0)
    return STATUS_OK;
  if (stack_unit_take(profile, &said, before))
    return STATUS_OK;
  text_format(reader->intake->message, "%s: %s", reader->intake->lines->name, STACK_UNIT_DIFFERS);
  return STATUS_DATA;
}

enum status stack_read_folded(struct stack_intake *intake) {
  struct folded_reader reader = {.intake = intake, .said = {.event = {"", 0}}};
  uint64_t before = intake->profile->total;
  struct slice line;
  bool more;
  enum status status;
  if (intake->reading->known != NULL)
    stack_known_rewind(intake->reading->known);
  for (;;) {
    status = stack_lines_next(intake->lines, &line, &more, intake->message);
    if (status != STATUS_OK || !more)
      break;
    status = take(&reader, line);
    if (status != STATUS_OK)
      break;
  }
  if (status == STATUS_OK)
    status = conclude(&reader, before);
  text_clear(&reader.before);
  vector_clear(&reader.steps);
  return status;
}

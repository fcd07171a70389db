/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the values of options mean. */
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/rational.h"
#include "base/text.h"
#include "cli/command/option.h"
#include "trace/stacks/unit.h"

typedef const struct option_row row;

static enum status read_flag(void *field, row *r, const char *command, const char *value) {
  (void)r, (void)command, (void)value;
  *(bool *)field = true;
  return STATUS_OK;
}

static enum status read_off(void *field, row *r, const char *command, const char *value) {
  (void)r, (void)command, (void)value;
  *(bool *)field = false;
  return STATUS_OK;
}

static enum status read_text(void *field, row *r, const char *command, const char *value) {
  (void)r, (void)command;
  *(const char **)field = value;
  return STATUS_OK;
}

static enum status no_name(const char *command) {
  return option_complain(command, "an empty name of a file or folder", NULL, "name one");
}

static enum status read_path(void *field, row *r, const char *command, const char *value) {
  return value[0] == '\0' ? no_name(command) : read_text(field, r, command, value);
}

/* The number of the word in the row's list; -1: in none. */
static int word_number(row *r, const char *word) {
  int number = 0;
  for (const char *at = r->words; *at != '\0'; number++) {
    size_t length = strcspn(at, " ");
    if (strlen(word) == length && strncmp(at, word, length) == 0)
      return number;
    at += length + strspn(at + length, " ");
  }
  return -1;
}

/* "give auto, log or linear" */
static enum status refuse_word(row *r, const char *command, const char *value) {
  struct text remedy;
  text_init(&remedy);
  text_format(&remedy, "give --%s ", r->name);
  for (const char *at = r->words; *at != '\0';) {
    size_t length = strcspn(at, " ");
    const char *next = at + length + strspn(at + length, " ");
    if (at != r->words)
      text_append(&remedy, *next == '\0' ? " or " : ", ");
    text_append_bytes(&remedy, at, length);
    at = next;
  }
  enum status status = option_complain(command, "unknown word", value, remedy.data);
  text_clear(&remedy);
  return status;
}

static enum status read_word(void *field, row *r, const char *command, const char *value) {
  return word_number(r, value) < 0 ? refuse_word(r, command, value)
                                   : read_text(field, r, command, value);
}

static enum status read_choice(void *field, row *r, const char *command, const char *value) {
  int number = word_number(r, value);
  if (number < 0)
    return refuse_word(r, command, value);
  *(unsigned *)field = (unsigned)number; /* as large as an enum, which no code here names */
  return STATUS_OK;
}

static enum status read_texts(void *field, row *r, const char *command, const char *value) {
  (void)r, (void)command;
  vector_push((texts *)field, value);
  return STATUS_OK;
}

static enum status read_paths(void *field, row *r, const char *command, const char *value) {
  return value[0] == '\0' ? no_name(command) : read_texts(field, r, command, value);
}

static void clear_texts(void *field) {
  vector_clear((texts *)field);
}

static enum status read_setting(void *field, row *r, const char *command, const char *value) {
  (void)r;
  settings *list = field;
  const char *equals = strchr(value, '=');
  if (equals == NULL || equals == value || equals[1] == '\0')
    return option_complain(command, "unclear setting", value, "write NAME=VALUE");
  char *name = mem_copy_text(value, (size_t)(equals - value));
  bool twice = settings_find(list, name) != NULL;
  vector_push(list, (struct setting){name, equals + 1});
  return twice ? option_complain(command, "the same name twice in", value, "give each once")
               : STATUS_OK;
}

static void clear_settings(void *field) {
  settings *list = field;
  for (size_t i = 0; i < list->count; i++)
    mem_free((void *)(uintptr_t)list->data[i].name);
  vector_clear(list);
}

/* "--rate 0x10: give a whole number, 1 or more" */
static enum status refuse_value(row *r, const char *command, const char *value,
                                const char *remedy) {
  const char *quote = value[0] == '\0' || strpbrk(value, " \t\n") != NULL ? "\"" : "";
  fprintf(stderr, "tailproof %s: --%s %s%s%s: %s\n", command, r->name, quote, value, quote, remedy);
  return STATUS_USAGE;
}

static enum status read_jobs(void *field, row *r, const char *command, const char *value) {
  uint64_t count;
  if (!number_whole(&count, value, 1024) || count == 0)
    return refuse_value(r, command, value, "give a whole number from 1 to 1024");
  *(size_t *)field = count;
  return STATUS_OK;
}

static enum status read_count(void *field, row *r, const char *command, const char *value) {
  uint64_t count;
  if (!number_whole(&count, value, INT32_MAX) || count == 0)
    return refuse_value(r, command, value,
                        number_whole(&count, value, UINT64_MAX) && count != 0
                            ? "give a whole number from 1 to 2147483647"
                            : "give a whole number, 1 or more");
  *(unsigned *)field = (unsigned)count;
  return STATUS_OK;
}

static enum status read_seed(void *field, row *r, const char *command, const char *value) {
  uint64_t count;
  if (!number_whole(&count, value, INT32_MAX))
    return refuse_value(r, command, value, "give a whole number from 0 to 2147483647");
  *(unsigned *)field = (unsigned)count;
  return STATUS_OK;
}

/* "2.5" or "500ms". */
static enum status read_seconds(void *field, row *r, const char *command, const char *value) {
  struct rational time, scale;
  rational_init(&time);
  rational_init(&scale);
  bool seconds = number_exact(&time, value);
  rational_set_fraction(&scale, seconds ? 1000 : 1, seconds ? 1 : 1000000);
  int64_t ms = 0;
  bool good = seconds || duration_parse(&time, value);
  if (good) {
    rational_mul(&time, &time, &scale);
    good = rational_ceil(&ms, &time) && ms >= 1 && ms <= 86400000;
  }
  *(unsigned *)field = (unsigned)ms;
  rational_clear(&time);
  rational_clear(&scale);
  return good ? STATUS_OK
              : refuse_value(r, command, value,
                             "give seconds above 0 and up to 86400 (2.5), or a time with its unit "
                             "(500ms)");
}

/* Beyond it, what is left of the chance of error could no longer be told from none. */
#define CONFIDENCE_MOST "0.999999999999"

static enum status read_confidence(void *field, row *r, const char *command, const char *value) {
  struct rational *confidence = field, most;
  rational_init(&most);
  rational_parse(&most, CONFIDENCE_MOST);
  bool good = number_share(confidence, value) && rational_compare(confidence, &most) <= 0;
  rational_clear(&most);
  return good ? STATUS_OK
              : refuse_value(r, command, value,
                             "give a share from 0 to " CONFIDENCE_MOST ", such as 0.99 or 99%");
}

/* As the nearest double. */
static enum status read_share(void *field, row *r, const char *command, const char *value) {
  return number_share_real(field, value)
             ? STATUS_OK
             : refuse_value(r, command, value, "give a share, such as 5% or 0.05, up to 100%");
}

static enum status read_weight(void *field, row *r, const char *command, const char *value) {
  return stack_weight_parse(field, value)
             ? STATUS_OK
             : refuse_value(r, command, value,
                            "give samples, ns, us, ms, s, or what one sample weighs, as 1001001");
}

static void clear_confidence(void *field) {
  rational_clear(field);
}

const struct option_kind option_flag[1] = {{read_flag, NULL}};
const struct option_kind option_off[1] = {{read_off, NULL}};
const struct option_kind option_text[1] = {{read_text, NULL}};
const struct option_kind option_path[1] = {{read_path, NULL}};
const struct option_kind option_word[1] = {{read_word, NULL}};
const struct option_kind option_choice[1] = {{read_choice, NULL}};
const struct option_kind option_texts[1] = {{read_texts, clear_texts}};
const struct option_kind option_paths[1] = {{read_paths, clear_texts}};
const struct option_kind option_settings[1] = {{read_setting, clear_settings}};
const struct option_kind option_jobs[1] = {{read_jobs, NULL}};
const struct option_kind option_count[1] = {{read_count, NULL}};
const struct option_kind option_seed[1] = {{read_seed, NULL}};
const struct option_kind option_seconds[1] = {{read_seconds, NULL}};
const struct option_kind option_share[1] = {{read_share, NULL}};
const struct option_kind option_weight[1] = {{read_weight, NULL}};
const struct option_kind option_confidence[1] = {{read_confidence, clear_confidence}};

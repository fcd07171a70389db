/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/condition.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "measure/yaml/value.h"

/* What is left to read, and where complaints go. */
struct reading {
  const char *text, *at, *index;
  char *message;
  size_t size;
};

static bool complain(struct reading *reading, const char *wanted) {
  return value_complain(
      reading->message, reading->size,
      "\"%s\": %s is expected at \"%s\"; write it like thread == asked.thread and "
      "lsn >= flushed.lsn",
      reading->text, wanted, reading->at);
}

static void skip_blanks(struct reading *reading) {
  while (isspace((unsigned char)*reading->at))
    reading->at++;
}

static bool take(struct reading *reading, const char *token) {
  skip_blanks(reading);
  size_t length = strlen(token);
  if (strncmp(reading->at, token, length) != 0)
    return false;
  if (isalpha((unsigned char)*token) &&
      (isalnum((unsigned char)reading->at[length]) || reading->at[length] == '_'))
    return false;
  reading->at += length;
  return true;
}

static bool take_name(struct reading *reading, char *name) {
  skip_blanks(reading);
  size_t length = 0;
  while (isalnum((unsigned char)reading->at[length]) || reading->at[length] == '_')
    length++;
  if (length == 0 || length > CONDITION_NAME || isdigit((unsigned char)*reading->at))
    return complain(reading, "a name or a number");
  memcpy(name, reading->at, length);
  name[length] = '\0';
  reading->at += length;
  return true;
}

static bool take_number(struct reading *reading, uint64_t *number) {
  char *end;
  errno = 0;
  *number = strtoull(reading->at, &end, 0);
  if (errno != 0 || isalnum((unsigned char)*end) || *end == '_')
    return complain(reading, "a whole number below 2^64");
  reading->at = end;
  return true;
}

/* Behind its opening quote. */
static bool take_text(struct reading *reading, uint64_t *number) {
  size_t length = strcspn(reading->at, "\"");
  if (reading->at[length] == '\0')
    return complain(reading, "a text that ends with \"");
  *number = condition_hash((const uint8_t *)reading->at, length);
  reading->at += length + 1;
  return true;
}

static bool take_item(struct reading *reading, struct condition_item *item) {
  skip_blanks(reading);
  if (isdigit((unsigned char)*reading->at))
    return take_number(reading, &item->number);
  if (take(reading, "\""))
    return take_text(reading, &item->number);
  item->named = true;
  if (!take_name(reading, item->field))
    return false;
  if (take(reading, "[")) {
    item->of_member = true;
    if (reading->index == NULL || !take(reading, reading->index) || !take(reading, "]"))
      return complain(reading, "the letter of the family, and ]");
  }
  if (!take(reading, ".")) {
    item->member = reading->index != NULL && strcmp(item->field, reading->index) == 0;
    item->named = !item->member;
    return !item->of_member || complain(reading, ".FIELD");
  }
  memcpy(item->moment, item->field, sizeof item->moment);
  return take_name(reading, item->field);
}

static bool take_sum(struct reading *reading, struct condition_sum *sum) {
  for (bool negative = false;;) {
    if (sum->count == CONDITION_ITEMS)
      return complain(reading, "the end of a sum, after four parts,");
    struct condition_item *item = &sum->items[sum->count++];
    item->negative = negative;
    if (!take_item(reading, item))
      return false;
    negative = take(reading, "-");
    if (!negative && !take(reading, "+"))
      return true;
  }
}

static bool take_order(struct reading *reading, enum condition_order *order) {
  static const char *const signs[] = {"==", "!=", ">=", "<=", ">", "<"};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (take(reading, signs[i])) {
      *order = (enum condition_order)i;
      return true;
    }
  return complain(reading, "one of == != >= <= > <");
}

bool condition_parse(struct condition *condition, const char *text, const char *index,
                     char *message, size_t size) {
  struct reading reading = {text, text, index, message, size};
  *condition = (struct condition){0};
  do {
    if (condition->count == CONDITION_COMPARISONS)
      return complain(&reading, "the end, after six comparisons,");
    struct condition_comparison *comparison = &condition->comparisons[condition->count++];
    if (!take_sum(&reading, &comparison->left) || !take_order(&reading, &comparison->order) ||
        !take_sum(&reading, &comparison->right))
      return false;
  } while (take(&reading, "and"));
  skip_blanks(&reading);
  return *reading.at == '\0' || complain(&reading, "`and`, or the end,");
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
uint64_t condition_hash(const uint8_t *text, size_t length) {
  uint64_t value = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < length; i++)
    value = (value ^ text[i]) * UINT64_C(0x100000001b3);
  return value;
}

bool condition_holds(enum condition_order order, uint64_t left, uint64_t right) {
  int64_t difference = (int64_t)(left - right);
  switch (order) {
  case CONDITION_EQUAL:
    return difference == 0;
  case CONDITION_DIFFERS:
    return difference != 0;
  case CONDITION_LEAST:
    return difference >= 0;
  case CONDITION_MOST:
    return difference <= 0;
  case CONDITION_MORE:
    return difference > 0;
  case CONDITION_LESS:
    break;
  }
  return difference < 0;
}

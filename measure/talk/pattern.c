/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which program a command line runs, and patterns that tell parts apart by it.
 */
#include <regex.h>
#include <string.h>

#include "base/memory.h"
#include "measure/talk/part.h"
#include "measure/talk/exchange.h"

/* --- words of a command line --- */

static size_t words_length(const char *command, size_t words) {
  const char *at = command;
  for (size_t i = 0; i < words && *at != '\0'; i++) {
    at += strcspn(at, " ");
    at += strspn(at, " ");
  }
  return (size_t)(at - command);
}

static const char *base_of(const char *word, size_t length) {
  const char *base = word;
  for (size_t i = 0; i < length; i++)
    if (word[i] == '/')
      base = word + i + 1;
  return base;
}

/* A program that runs another one, whose file is then the word behind its options. */
static bool is_interpreter(const char *command) {
  static const char *const names[] = {"python", "node", "nodejs", "ruby", "perl", "php",
                                      "java",   "bash", "sh",     "deno", "bun"};
  size_t length = strcspn(command, " ");
  const char *base = base_of(command, length);
  size_t rest = length - (size_t)(base - command);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t size = strlen(names[i]);
    if (rest >= size && strncmp(base, names[i], size) == 0 &&
        strspn(base + size, "0123456789.") == rest - size)
      return true;
  }
  return false;
}

/* "nginx: worker process", "postgres: main: app 10.0.0.1(5120) idle": processes that give
 * themselves a title, up to what changes in it. */
static size_t title_words(const char *command) {
  size_t length = strcspn(command, " "), words = 0;
  if (length < 2 || command[length - 1] != ':')
    return 0;
  for (const char *at = command; *at != '\0'; words++) {
    size_t size = strcspn(at, " ");
    if (words > 0 && (memchr(at, '(', size) != NULL || memchr(at, '[', size) != NULL))
      break;
    at += size;
    at += strspn(at, " ");
  }
  return words;
}

static size_t program_words(const char *command) {
  if (!is_interpreter(command))
    return 1;
  size_t words = 1;
  while (command[words_length(command, words)] == '-')
    words++;
  return words + 1;
}

size_t talk_program_length(const char *command) {
  size_t title = title_words(command);
  size_t length = words_length(command, title == 0 ? program_words(command) : 1);
  while (length > 0 && (command[length - 1] == ' ' || command[length - 1] == ':'))
    length--;
  return length;
}

/* --- patterns --- */

static void append_escaped(struct text *text, const char *bytes, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (strchr(".[]()*+?{}|^$\\", bytes[i]) != NULL)
      text_append(text, "\\");
    bool plain = bytes[i] >= ' ' && bytes[i] <= '~';
    text_append_bytes(text, plain ? &bytes[i] : ".", 1);
  }
}

static const char *command_of(const struct talk_table *table, uint32_t process) {
  const struct talk_process *found = talk_table_process(table, process);
  return found == NULL ? NULL : found->command;
}

/* Whether it matches all processes of the part whose command lines are known, and no others of
 * parts; 0 of them: no. */
static bool tells(const char *pattern, const struct talk_parts *parts, size_t part,
                  const struct talk_table *table) {
  regex_t compiled;
  size_t matched = 0;
  bool right = true;
  if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
    return false;
  for (size_t i = 0; i < parts->list.count; i++)
    for (size_t k = 0; k < parts->list.data[i].processes.count; k++) {
      const char *command = command_of(table, parts->list.data[i].processes.data[k]);
      bool matches = command != NULL && regexec(&compiled, command, 0, NULL, 0) == 0;
      matched += matches && i == part;
      right = right && (command == NULL || matches == (i == part));
    }
  regfree(&compiled);
  return right && matched != 0;
}

/* The bytes that the command lines of a part begin with, all of them. */
static size_t common_length(const struct talk_part *part, const struct talk_table *table,
                            const char **first) {
  size_t length = 0;
  *first = NULL;
  for (size_t i = 0; i < part->processes.count; i++) {
    const char *command = command_of(table, part->processes.data[i]);
    if (command == NULL || *command == '\0')
      continue;
    if (*first == NULL) {
      *first = command;
      length = strlen(command);
    }
    size_t same = 0;
    while (same < length && command[same] == (*first)[same])
      same++;
    length = same;
  }
  return length;
}

/* With as few words as tell it apart. */
static char *pattern_of(const struct talk_parts *parts, size_t part,
                        const struct talk_table *table) {
  const char *command;
  size_t common = common_length(&parts->list.data[part], table, &command);
  if (command == NULL)
    return NULL;
  size_t title = title_words(command);
  size_t words = title == 0 ? program_words(command) : title;
  for (size_t length = 0, before = 1; length != before; words++) {
    struct text text = {0};
    before = length;
    length = words_length(command, words);
    length = length > common ? common : length;
    while (length > 1 && command[length - 1] == ' ' && command[length - 2] == ' ')
      length--; /* what a title leaves of the arguments before it */
    text_append(&text, "^");
    append_escaped(&text, command, length);
    if (tells(text_get(&text), parts, part, table))
      return text_take(&text);
    text_clear(&text);
  }
  return NULL;
}

void talk_parts_patterns(struct talk_parts *parts, const struct talk_table *table) {
  for (size_t i = 0; i < parts->list.count; i++)
    parts->list.data[i].pattern = pattern_of(parts, i, table);
}

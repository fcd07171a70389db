/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/tune/heap.h"

#include <string.h>

static const char semi_option[] = "--max-semi-space-size", min_option[] = "--min-semi-space-size",
                  old_option[] = "--max-old-space-size";

bool heap_setting_same(const struct heap_setting *a, const struct heap_setting *b) {
  return a->semi == b->semi && a->semi_min == b->semi_min && a->old == b->old;
}

struct heap_option {
  const char *name;
  uint32_t size;
};

enum { HEAP_OPTIONS = 3 };

static void options_of(struct heap_option options[static HEAP_OPTIONS],
                       const struct heap_setting *setting) {
  options[0] = (struct heap_option){semi_option, setting->semi};
  options[1] = (struct heap_option){min_option, setting->semi_min};
  options[2] = (struct heap_option){old_option, setting->old};
}

void heap_setting_print(struct text *text, const struct heap_setting *setting) {
  struct heap_option options[HEAP_OPTIONS];
  size_t printed = 0;
  options_of(options, setting);
  for (size_t i = 0; i < HEAP_OPTIONS; i++)
    if (options[i].size != 0)
      text_format(text, "%s%s=%u", printed++ == 0 ? "" : " ", options[i].name, options[i].size);
  if (printed == 0)
    text_append(text, "as it is");
}

/* V8 takes '_' for '-' in names of options. */
static bool is_option(const char *word, const char *name) {
  size_t i = 0;
  for (; name[i] != '\0'; i++)
    if (word[i] != name[i] && !(name[i] == '-' && word[i] == '_'))
      return false;
  return word[i] == '=' || word[i] == '\0';
}

/* How many words of the command, from this one, are about a size that the setting sets. */
static size_t words_replaced(const char *const *words, size_t left,
                             const struct heap_option options[static HEAP_OPTIONS]) {
  for (size_t i = 0; i < HEAP_OPTIONS; i++)
    if (options[i].size != 0 && is_option(words[0], options[i].name))
      return strchr(words[0], '=') == NULL && left > 1 ? 2 : 1;
  return 0;
}

static void push_copy(struct heap_command *command, const char *word) {
  vector_push(&command->words, mem_copy_text(word, strlen(word)));
}

void heap_command_make(struct heap_command *command, const char *const *words, size_t count,
                       const struct heap_setting *setting) {
  struct heap_option options[HEAP_OPTIONS];
  options_of(options, setting);
  memset(command, 0, sizeof *command);
  push_copy(command, words[0]);
  for (size_t i = 0; i < HEAP_OPTIONS; i++) {
    struct text text;
    text_init(&text);
    text_format(&text, "%s=%u", options[i].name, options[i].size);
    if (options[i].size != 0)
      push_copy(command, text_get(&text));
    text_clear(&text);
  }
  bool behind_script = false; /* whose options are its own */
  for (size_t i = 1; i < count; i++) {
    behind_script = behind_script || words[i][0] != '-';
    size_t replaced = behind_script ? 0 : words_replaced(words + i, count - i, options);
    if (replaced == 0)
      push_copy(command, words[i]);
    else
      i += replaced - 1;
  }
  vector_push(&command->words, NULL);
}

void heap_command_clear(struct heap_command *command) {
  for (size_t i = 0; i < command->words.count; i++)
    mem_free(command->words.data[i]);
  vector_clear(&command->words);
}

bool heap_command_is_node(const char *word) {
  const char *slash = strrchr(word, '/');
  return strncmp(slash == NULL ? word : slash + 1, "node", 4) == 0;
}

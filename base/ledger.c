/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/ledger.h"

#include <stdarg.h>
#include <string.h>

#include "base/memory.h"
#include "base/shown.h"
#include "base/text.h"

void ledger_init(struct ledger *ledger) {
  memset(ledger, 0, sizeof *ledger);
}

void ledger_clear(struct ledger *ledger) {
  for (size_t i = 0; i < ledger->count; i++)
    mem_free(ledger->lines[i].text);
  mem_free(ledger->lines);
  ledger_init(ledger);
}

/* One line of printable text, whatever names of files and reasons contain: it is shown on terminals
 * and saved in files of lines. */
static void make_printable(char *text) {
  shown_clean_text(text, '?');
}

/* Of a text that was said before the level stays what it was. */
static void push(struct ledger *ledger, enum ledger_level level, enum ledger_source source,
                 struct text *text) {
  if (text->data != NULL)
    make_printable(text->data);
  for (size_t i = 0; i < ledger->count; i++)
    if (ledger->lines[i].source == source && strcmp(ledger->lines[i].text, text_get(text)) == 0) {
      text_clear(text);
      return;
    }
  if (ledger->count == ledger->capacity) {
    ledger->capacity = ledger->capacity == 0 ? 8 : 2 * ledger->capacity;
    ledger->lines = mem_resize(ledger->lines, ledger->capacity, sizeof *ledger->lines);
  }
  struct ledger_line *line = &ledger->lines[ledger->count++];
  *line = (struct ledger_line){level, source, mem_copy_text(text_get(text), text->length)};
  text_clear(text);
}

static void add(struct ledger *ledger, enum ledger_level level, enum ledger_source source,
                const char *format, va_list arguments) {
  struct text text;
  text_init(&text);
  if (level == LEDGER_WARNING)
    text_append(&text, "warning: ");
  text_format_list(&text, format, arguments);
  push(ledger, level, source, &text);
}

void ledger_add(struct ledger *ledger, enum ledger_source source, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add(ledger, LEDGER_STANDARD, source, format, arguments);
  va_end(arguments);
}

void ledger_note(struct ledger *ledger, enum ledger_source source, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add(ledger, LEDGER_NOTABLE, source, format, arguments);
  va_end(arguments);
}

void ledger_warn(struct ledger *ledger, enum ledger_source source, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add(ledger, LEDGER_WARNING, source, format, arguments);
  va_end(arguments);
}

void ledger_copy(struct ledger *ledger, const struct ledger_line *line) {
  struct text text;
  text_init(&text);
  text_append(&text, line->text);
  push(ledger, line->level, line->source, &text);
}

size_t ledger_count(const struct ledger *ledger, enum ledger_level level) {
  size_t count = 0;
  for (size_t i = 0; i < ledger->count; i++)
    count += ledger->lines[i].level == level;
  return count;
}

const char *ledger_source_name(enum ledger_source source) {
  static const char *const names[] = {"model", "solver", "dist", "data"};
  return names[source];
}

const char *ledger_level_name(enum ledger_level level) {
  static const char *const names[] = {"standard", "notable", "warning"};
  return names[level];
}

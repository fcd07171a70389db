/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/ledger.h"

#include <stdarg.h>
#include <string.h>

#include "base/memory.h"
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
  for (char *c = text; *c != '\0'; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f)
      *c = '?';
}

void ledger_add(struct ledger *ledger, enum ledger_source source, const char *format, ...) {
  struct text text;
  text_init(&text);
  va_list arguments;
  va_start(arguments, format);
  text_format_list(&text, format, arguments);
  va_end(arguments);
  if (text.data != NULL)
    make_printable(text.data);
  for (size_t i = 0; i < ledger->count; i++)
    if (ledger->lines[i].source == source && strcmp(ledger->lines[i].text, text_get(&text)) == 0) {
      text_clear(&text);
      return;
    }
  if (ledger->count == ledger->capacity) {
    ledger->capacity = ledger->capacity == 0 ? 8 : 2 * ledger->capacity;
    ledger->lines = mem_resize(ledger->lines, ledger->capacity, sizeof *ledger->lines);
  }
  struct ledger_line *line = &ledger->lines[ledger->count++];
  line->source = source;
  line->text = mem_copy_text(text_get(&text), text.length);
  text_clear(&text);
}

const char *ledger_source_name(enum ledger_source source) {
  static const char *const names[] = {"model", "solver", "dist", "data"};
  return names[source];
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/ledger.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/jsonl.h"
#include "cli/present/wrapped.h"
#include "base/text.h"
#include "cli/present/terminal.h"

enum { INDENT = 4, TEXT_AT = 12, NAMES_SHOWN = 3 };

/* Where "FILE: what holds of it" says what holds; NULL: elsewhere. */
static const char *common_part(const struct ledger_line *line) {
  const char *colon = strstr(line->text, ": ");
  return line->source != LEDGER_DATA || colon == NULL ? NULL : colon;
}

static bool is_like(const struct ledger_line *a, const struct ledger_line *b) {
  const char *of_a = common_part(a), *of_b = common_part(b);
  return a->level == b->level && of_a != NULL && of_b != NULL && strcmp(of_a, of_b) == 0;
}

/* Whether a line before said the same of another file. */
static bool is_said(const struct ledger *ledger, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (is_like(&ledger->lines[k], &ledger->lines[i]))
      return true;
  return false;
}

/* "a.csv, b.csv and 7 more: what holds of them" */
static void append_group(struct text *text, const struct ledger *ledger, size_t first) {
  size_t named = 0, more = 0;
  const char *common = common_part(&ledger->lines[first]);
  for (size_t i = first; i < ledger->count; i++) {
    const struct ledger_line *line = &ledger->lines[i];
    if (i != first && !is_like(&ledger->lines[first], line))
      continue;
    size_t length = common == NULL ? strlen(line->text) : (size_t)(common_part(line) - line->text);
    if (named == NAMES_SHOWN) {
      more++;
      continue;
    }
    text_append(text, named++ == 0 ? "" : ", ");
    text_append_bytes(text, line->text, length);
    if (common == NULL)
      return;
  }
  if (more != 0)
    text_format(text, " and %zu more", more);
  text_append(text, common);
}

static void print_warnings(const struct ledger *ledger) {
  bool colour = terminal_has_colour(STDOUT_FILENO), first = true;
  for (size_t i = 0; i < ledger->count; i++) {
    const struct ledger_line *line = &ledger->lines[i];
    if (line->level != LEDGER_WARNING)
      continue;
    printf("%s  %swarning:%s ", first ? "\n" : "", colour ? "\033[33m" : "",
           colour ? "\033[0m" : "");
    wrapped_print(line->text + strlen("warning: "), strlen("  warning: "), INDENT);
    first = false;
  }
}

static void print_lines(const struct ledger *ledger, bool full) {
  for (size_t i = 0; i < ledger->count; i++) {
    const struct ledger_line *line = &ledger->lines[i];
    if (line->level == LEDGER_WARNING || (!full && line->level != LEDGER_NOTABLE) ||
        (!full && is_said(ledger, i)))
      continue;
    struct text text;
    text_init(&text);
    if (full)
      text_append(&text, line->text);
    else
      append_group(&text, ledger, i);
    printf("%*s%-6s  ", INDENT, "", ledger_source_name(line->source));
    wrapped_print(text_get(&text), TEXT_AT, TEXT_AT);
    text_clear(&text);
  }
}

void ledger_print_text(const struct ledger *ledger, bool full) {
  size_t standard = ledger_count(ledger, LEDGER_STANDARD);
  size_t notable = ledger_count(ledger, LEDGER_NOTABLE);
  const char *plural = standard == 1 ? "" : "s";
  print_warnings(ledger);
  if (standard + notable == 0)
    return;
  if (!full && notable == 0) {
    printf("\n  This rests on %zu standard assumption%s: --full lists %s.\n", standard, plural,
           standard == 1 ? "it" : "them");
    return;
  }
  printf("\n  This rests on:\n");
  print_lines(ledger, full);
  if (!full && standard != 0)
    printf("%*sand on %zu standard assumption%s: --full lists %s.\n", INDENT, "", standard, plural,
           standard == 1 ? "it" : "them");
}

void ledger_print_json(const struct ledger *ledger) {
  for (size_t i = 0; i < ledger->count; i++) {
    struct jsonl *line = jsonl_new("assumption");
    jsonl_text(line, "source", ledger_source_name(ledger->lines[i].source));
    jsonl_text(line, "level", ledger_level_name(ledger->lines[i].level));
    jsonl_text(line, "text", ledger->lines[i].text);
    jsonl_print(line);
  }
}

void ledger_print_warnings(const struct ledger *ledger) {
  for (size_t i = 0; i < ledger->count; i++)
    if (ledger->lines[i].level == LEDGER_WARNING)
      fprintf(stderr, "tailproof: %s\n", ledger->lines[i].text);
}

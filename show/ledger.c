/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/ledger.h"

#include <stdio.h>
#include <string.h>

#include "show/wrapped.h"

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

static void append_warnings(struct text *out, const struct ledger *ledger,
                            const struct style *style) {
  bool first = true;
  for (size_t i = 0; i < ledger->count; i++) {
    const struct ledger_line *line = &ledger->lines[i];
    if (line->level != LEDGER_WARNING)
      continue;
    text_format(out, "%s  %swarning:%s ", first ? "\n" : "", style->colour ? "\033[33m" : "",
                style->colour ? "\033[0m" : "");
    wrapped_append(out, line->text + strlen("warning: "), strlen("  warning: "), INDENT,
                   style->prose);
    first = false;
  }
}

static void append_lines(struct text *out, const struct ledger *ledger, const struct style *style) {
  for (size_t i = 0; i < ledger->count; i++) {
    const struct ledger_line *line = &ledger->lines[i];
    if (line->level == LEDGER_WARNING || (!style->full && line->level != LEDGER_NOTABLE) ||
        (!style->full && is_said(ledger, i)))
      continue;
    struct text text;
    text_init(&text);
    if (style->full)
      text_append(&text, line->text);
    else
      append_group(&text, ledger, i);
    text_format(out, "%*s%-6s  ", INDENT, "", ledger_source_name(line->source));
    wrapped_append(out, text_get(&text), TEXT_AT, TEXT_AT, style->prose);
    text_clear(&text);
  }
}

void ledger_append(struct text *out, const struct ledger *ledger, const struct style *style) {
  size_t standard = ledger_count(ledger, LEDGER_STANDARD);
  size_t notable = ledger_count(ledger, LEDGER_NOTABLE);
  const char *plural = standard == 1 ? "" : "s", *them = standard == 1 ? "it" : "them";
  append_warnings(out, ledger, style);
  if (standard + notable == 0)
    return;
  if (!style->full && notable == 0) {
    text_format(out, "\n  This rests on %zu standard assumption%s: --full lists %s.\n", standard,
                plural, them);
    return;
  }
  text_append(out, "\n  This rests on:\n");
  append_lines(out, ledger, style);
  if (!style->full && standard != 0)
    text_format(out, "%*sand on %zu standard assumption%s: --full lists %s.\n", INDENT, "",
                standard, plural, them);
}

void ledger_print_warnings(const struct ledger *ledger) {
  for (size_t i = 0; i < ledger->count; i++)
    if (ledger->lines[i].level == LEDGER_WARNING)
      fprintf(stderr, "tailproof: %s\n", ledger->lines[i].text);
}

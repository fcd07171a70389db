/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/report/ledger.h"

#include <stdio.h>
#include <string.h>

#include "cli/report/json.h"

/* Broken at blanks, so that it fits a terminal. */
static void print_line(const char *source, const char *text) {
  enum { WIDTH = 87 };
  printf("    %-6s ", source);
  size_t column = 0;
  for (const char *at = text; *at != '\0';) {
    size_t length = strcspn(at, " ");
    if (column != 0 && column + 1 + length > WIDTH) {
      printf("\n    %-6s ", "");
      column = 0;
    }
    printf(" %.*s", (int)length, at);
    column += 1 + length;
    at += length + (at[length] == ' ');
  }
  putchar('\n');
}

void ledger_print_text(const struct ledger *ledger) {
  printf("\n  This rests on:\n");
  for (size_t i = 0; i < ledger->count; i++)
    print_line(ledger_source_name(ledger->lines[i].source), ledger->lines[i].text);
}

void ledger_print_json(const struct ledger *ledger) {
  for (size_t i = 0; i < ledger->count; i++) {
    struct jsonl *line = jsonl_new("assumption");
    jsonl_text(line, "source", ledger_source_name(ledger->lines[i].source));
    jsonl_text(line, "text", ledger->lines[i].text);
    jsonl_print(line);
  }
}

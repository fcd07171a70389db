/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/ledger.h"

#include <stdio.h>

#include "base/jsonl.h"
#include "cli/present/wrapped.h"

void ledger_print_text(const struct ledger *ledger) {
  printf("\n  This rests on:\n");
  for (size_t i = 0; i < ledger->count; i++)
    wrapped_print(ledger->lines[i].text,
                  (size_t)printf("    %-6s  ", ledger_source_name(ledger->lines[i].source)), 12);
}

void ledger_print_json(const struct ledger *ledger) {
  for (size_t i = 0; i < ledger->count; i++) {
    struct jsonl *line = jsonl_new("assumption");
    jsonl_text(line, "source", ledger_source_name(ledger->lines[i].source));
    jsonl_text(line, "text", ledger->lines[i].text);
    jsonl_print(line);
  }
}

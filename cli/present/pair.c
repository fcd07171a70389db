/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/pair.h"

#include <stdio.h>

#include "base/jsonl.h"

void pair_print(const struct pair_answer *answer, bool json) {
  if (!json) {
    fputs(text_get(&answer->told), stdout);
    return;
  }
  struct jsonl *line = jsonl_new("pair");
  jsonl_integer(line, "requests", (int64_t)answer->requests);
  jsonl_integer(line, "paired", (int64_t)answer->paired);
  jsonl_text(line, "told", text_get(&answer->told));
  jsonl_print(line);
}

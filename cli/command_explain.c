/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cli/command.h"
#include "cli/report/json.h"
#include "lang/explain.h"

static void print_json(enum diagnostic_code code) {
  const struct explanation *e = explanation_of(code);
  struct jsonl *line = jsonl_new("explanation");
  jsonl_text(line, "code", diagnostic_code_name(code));
  jsonl_text(line, "severity", diagnostic_is_error(code) ? "error" : "warning");
  jsonl_text(line, "title", diagnostic_title(code));
  jsonl_text(line, "meaning", e == NULL ? NULL : e->meaning);
  jsonl_text(line, "wrong", e == NULL ? NULL : e->wrong);
  jsonl_text(line, "right", e == NULL ? NULL : e->right);
  jsonl_print(line);
}

static void print_all(bool json) {
  for (size_t i = 0; i < DIAGNOSTIC_COUNT; i++) {
    enum diagnostic_code code = (enum diagnostic_code)i;
    if (json)
      print_json(code);
    else
      printf("%s  %s\n", diagnostic_code_name(code), diagnostic_title(code));
  }
}

enum status command_explain(const struct options *options) {
  if (options->file_count == 0)
    print_all(options->json);
  for (size_t i = 0; i < options->file_count; i++) {
    enum diagnostic_code code;
    if (!diagnostic_code_find(&code, options->files[i])) {
      fprintf(stderr,
              "tailproof explain: there is no diagnostic \"%s\"; tailproof explain lists them\n",
              options->files[i]);
      return STATUS_USAGE;
    }
    struct text text;
    text_init(&text);
    explain_print(&text, code);
    if (options->json)
      print_json(code);
    else
      printf("%s%s", i == 0 ? "" : "\n", text_get(&text));
    text_clear(&text);
  }
  return STATUS_OK;
}

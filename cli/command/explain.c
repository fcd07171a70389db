/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof explain`: the long text of a diagnostic's code, or the meaning of a term.
 */
#include <stdio.h>

#include "cli/command/rows.h"
#include "cli/present/glossary.h"
#include "cli/present/kinds.h"
#include "base/jsonl.h"
#include "show/wrapped.h"
#include "lang/explain.h"

static void print_json(enum diagnostic_code code) {
  const struct diagnostic_explanation *e = explanation_of(code);
  struct jsonl *line = jsonl_new("explanation");
  jsonl_text(line, "code", diagnostic_code_name(code));
  jsonl_text(line, "severity", diagnostic_is_error(code) ? "error" : "warning");
  jsonl_text(line, "title", diagnostic_title(code));
  jsonl_text(line, "meaning", e == NULL ? NULL : e->meaning);
  jsonl_text(line, "wrong", e == NULL ? NULL : e->wrong);
  jsonl_text(line, "right", e == NULL ? NULL : e->right);
  jsonl_print(line);
}

static void print_term_json(const struct term_meaning *term) {
  struct jsonl *line = jsonl_new("term");
  jsonl_text(line, "word", term->word);
  jsonl_text(line, "meaning", term->meaning);
  jsonl_print(line);
}

static void print_term(const struct term_meaning *term) {
  printf("%s\n    ", term->word);
  wrapped_print(term->meaning, 4, 4);
}

static void print_terms(bool json) {
  size_t count;
  const struct term_meaning *terms = glossary(&count);
  for (size_t i = 0; i < count; i++) {
    if (json)
      print_term_json(&terms[i]);
    else
      printf("%s\n", terms[i].word);
  }
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

static void print_code(enum diagnostic_code code) {
  struct text text;
  text_init(&text);
  explain_print(&text, code);
  fputs(text_get(&text), stdout);
  text_clear(&text);
}

struct arguments {
  struct command_line line;
  bool json, schema, keys;
};

static const struct option_row rows[] = {
    ROW_JSON(offsetof(struct arguments, json)),
    OPTION("schema", 0, NULL, "print a JSON schema of the lines that --json prints", option_flag,
           offsetof(struct arguments, schema)),
    OPTION("keys", 0, NULL, "print what the keys of those lines mean, as the manual has it",
           option_flag, offsetof(struct arguments, keys)),
    {0},
};

static void print_kinds(bool schema) {
  const struct object_kind **kinds = kinds_all();
  if (schema) {
    char *text = jsonl_take(object_kinds_schema(kinds));
    fputs(text, stdout);
    mem_free(text);
  } else {
    struct text table;
    text_init(&table);
    text_append(&table, "| kind | keys |\n|---|---|\n");
    for (size_t i = 0; kinds[i] != NULL; i++)
      object_kind_row(&table, kinds[i]);
    fputs(text_get(&table), stdout);
    text_clear(&table);
  }
  mem_free(kinds);
}

static enum status explain(const char *word, bool json) {
  enum diagnostic_code code;
  const struct term_meaning *term = glossary_find(word);
  if (term != NULL)
    (json ? print_term_json : print_term)(term);
  else if (diagnostic_code_find(&code, word))
    (json ? print_json : print_code)(code);
  else {
    fprintf(stderr,
            "tailproof explain: there is no diagnostic or word \"%s\"; tailproof explain lists "
            "them\n",
            word);
    return STATUS_USAGE;
  }
  return STATUS_OK;
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  const struct command_line *line = &arguments->line;
  if ((arguments->schema || arguments->keys) && line->file_count != 0)
    return option_complain(line->command, "--schema and --keys are of all answers", NULL,
                           "leave out the words");
  if (arguments->schema || arguments->keys) {
    print_kinds(arguments->schema);
    return STATUS_OK;
  }
  if (line->file_count == 0) {
    print_all(arguments->json);
    print_terms(arguments->json);
  }
  enum status status = STATUS_OK;
  for (size_t i = 0; i < line->file_count && status == STATUS_OK; i++) {
    if (i != 0 && !arguments->json)
      putchar('\n');
    status = explain(line->files[i], arguments->json);
  }
  return status;
}

const struct command explain_command = {
    "explain",
    "[CODE|WORD...]",
    "say what a diagnostic or a word of a report means; without either list them all",
    rows,
    sizeof(struct arguments),
    NULL,
    run,
    NULL};

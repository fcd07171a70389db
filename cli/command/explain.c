/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof explain`: the long text of a diagnostic's code, or the meaning of a term.
 */
#include <stdio.h>

#include "cli/command/rows.h"
#include "cli/present/kinds.h"
#include "cli/present/meaning.h"
#include "base/jsonl.h"

struct arguments {
  struct command_line line;
  struct output_options output;
  bool schema, keys;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_DOCUMENT(output),
    OPTION("schema", 0, NULL, "print a JSON schema of the lines that --json prints", option_flag,
           FIELD(schema)),
    OPTION("keys", 0, NULL, "print what the keys of those lines mean, as the manual has it",
           option_flag, FIELD(keys)),
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

static enum status explain(struct document *document, const struct command_line *line) {
  if (line->file_count == 0)
    meaning_show_all(document);
  for (size_t i = 0; i < line->file_count; i++)
    if (!meaning_show(document, line->files[i])) {
      fprintf(stderr,
              "tailproof explain: there is no diagnostic or word \"%s\"; tailproof explain lists "
              "them\n",
              line->files[i]);
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
  struct output output;
  struct document document;
  output_init_document(&output, &arguments->output);
  meaning_document_init(&document);
  enum status status = explain(&document, line);
  if (document.blocks.count != 0)
    output_answer(&output, &document, false);
  document_clear(&document);
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

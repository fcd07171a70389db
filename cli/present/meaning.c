/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/meaning.h"

#include <strings.h>

#include "lang/explain.h"

/* The words of reports and manual, in the order of the alphabet; a meaning is one paragraph without
 * line ends. scripts/glossary.sh makes docs/glossary.md of all. */
struct term_meaning {
  const char *word, *meaning;
};

static const struct term_meaning terms[] = {
#define TERM(word, meaning) {word, meaning},
#include "cli/present/glossary.def"
#undef TERM
};
enum { TERMS = sizeof terms / sizeof *terms };

static const struct object_key explanation_keys[] = {
    KEY("code", TEXT, .marks = MARK_NAMES),
    KEY("severity", TEXT, .words = "error|warning"),
    KEY("title", TEXT),
    KEY("meaning", TEXT, .marks = MARK_NULL | MARK_LINES),
    KEY("wrong", TEXT, .marks = MARK_NULL | MARK_LINES, .note = "a protocol, or lines of one"),
    KEY("right", TEXT, .marks = MARK_NULL | MARK_LINES),
    {0}};
static const struct object_kind explanation_kind = {"explanation", "of `explain`",
                                                    explanation_keys};

static const struct object_key term_keys[] = {
    KEY("word", TEXT, .marks = MARK_NAMES), KEY("meaning", TEXT, .marks = MARK_LINES), {0}};
static const struct object_kind term_kind = {"term", "of `explain`", term_keys};

const struct object_kind *const meaning_kinds[] = {&explanation_kind, &term_kind, NULL};

void meaning_document_init(struct document *document) {
  document_init(document, "explain", meaning_kinds);
  document_title(document, "What diagnostics and words mean");
}

/* --- one -------------------------------------------------------------------------------------- */

static void put_code(struct objects *codes, enum diagnostic_code code) {
  const struct diagnostic_explanation *e = explanation_of(code);
  objects_add(codes);
  object_text(codes, "code", diagnostic_code_name(code));
  object_text(codes, "severity", diagnostic_is_error(code) ? "error" : "warning");
  object_text(codes, "title", diagnostic_title(code));
  object_text(codes, "meaning", e == NULL ? NULL : e->meaning);
  object_text(codes, "wrong", e == NULL ? NULL : e->wrong);
  object_text(codes, "right", e == NULL ? NULL : e->right);
}

static void put_term(struct objects *words, const struct term_meaning *term) {
  objects_add(words);
  object_text(words, "word", term->word);
  object_text(words, "meaning", term->meaning);
}

static void show_term(struct document *document, const struct term_meaning *term) {
  struct text text;
  text_init(&text);
  text_append(&text, term->word);
  document_take(document, LINES_APART, 0, &text);
  text_append(&text, term->meaning);
  document_take(document, LINES_CLOSE, 4, &text);
  put_term(document_objects(document, &term_kind), term);
}

bool meaning_show(struct document *document, const char *word) {
  enum diagnostic_code code;
  struct text text;
  for (size_t i = 0; i < TERMS; i++)
    if (strcasecmp(terms[i].word, word) == 0) {
      show_term(document, &terms[i]);
      return true;
    }
  if (!diagnostic_code_find(&code, word))
    return false;
  text_init(&text);
  explain_print(&text, code);
  document_pre(document, LINES_APART, &text);
  put_code(document_objects(document, &explanation_kind), code);
  return true;
}

/* --- all -------------------------------------------------------------------------------------- */

void meaning_show_all(struct document *document) {
  static const struct object_column code_columns[] = {{.title = "", .key = "code"},
                                                      {.title = "", .key = "title"}};
  static const struct object_column word_columns[] = {{.title = "", .key = "word"}};
  struct objects *codes = document_objects(document, &explanation_kind);
  for (size_t i = 0; i < DIAGNOSTIC_COUNT; i++)
    put_code(codes, (enum diagnostic_code)i);
  document_table(document, LINES_CLOSE, 0, codes, code_columns,
                 sizeof code_columns / sizeof *code_columns);
  struct objects *words = document_objects(document, &term_kind);
  for (size_t i = 0; i < TERMS; i++)
    put_term(words, &terms[i]);
  document_table(document, LINES_CLOSE, 0, words, word_columns,
                 sizeof word_columns / sizeof *word_columns);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files that are open in the editor: their text as the editor has it, what the checker says of
 * it, and what the latest verification said of this very text.
 *
 * A document owns all of its parts; documents own the documents.
 */
#ifndef CLI_LSP_DOCUMENT_H
#define CLI_LSP_DOCUMENT_H

#include "cli/lsp/rpc.h"

#include "cli/lsp/position.h"
#include "lang/diagnostic.h"
#include "solver/verdict.h"

struct ast;
struct model;
struct name_index;
struct source;

/* What a verification said of one bound. Owns its texts. */
struct bound_note {
  enum verdict verdict;
  struct source_span span;  /* of the bound's name */
  struct source_span place; /* what the reason is about; both 0: nothing */
  char *headline;           /* one line: "reply is proved, tight at n=2, 3 (not at n=1)" */
  char *detail;             /* an execution, or why the induction fails; "": nothing */
};

struct verdicts {
  VECTOR(struct bound_note) notes;
  struct diagnostics warnings;
};

void verdicts_init(struct verdicts *verdicts);
void verdicts_clear(struct verdicts *verdicts);

struct open_document {
  char *uri;
  json_int_t version; /* the editor's */
  size_t revision;    /* ours: no two texts have the same */
  struct source *source;
  struct text_lines lines;
  struct ast *ast;
  struct diagnostics diagnostics;
  struct name_index *names; /* NULL: the text has syntax errors */
  struct model *model;      /* NULL: it has mistakes */
  struct verdicts verdicts;
};

struct documents {
  VECTOR(struct open_document *) items;
  size_t revisions;
};

void documents_clear(struct documents *documents);

/* NULL when no document of this name is open. */
struct open_document *documents_find(const struct documents *documents, const char *uri);

/* Opens a document, or replaces the text of one that is open. */
struct open_document *documents_set(struct documents *documents, const char *uri,
                                    json_int_t version, const char *text, size_t length);

/* Closes it; false: it was not open. */
bool documents_close(struct documents *documents, const char *uri);

#endif
